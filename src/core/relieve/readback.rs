//! Pages a stored output back to the model: filter lines, then page, under the same cap as a result.
//!
//! Decides the reply's text. Refuses to fetch: the host's store hands the text over. A reply never needs
//! to be spilled, because what it shows is already stored.

use super::clamp::quoted;
use super::text::{Utf16, splits_pair};

/// The tool's name. Its results are already stored, under the handle they were asked for.
pub const TOOL: &str = "read_tool_output";
/// Room for the last line of a reply.
const TRAILER: u32 = 200;
/// Lines longer than this are shown around each match only.
const LONG_LINE: usize = 400;
/// Units on each side of a match in a long line.
const AROUND: usize = 200;

/// What the model asks for.
#[derive(Clone, Debug, Default)]
pub struct Page<'a> {
    /// The handle, for the trailer.
    pub id: &'a str,
    /// First unit; default 0.
    pub offset: Option<u32>,
    /// Most units; default what the cap allows.
    pub limit: Option<u32>,
    /// Only lines that contain this text.
    pub grep: Option<&'a str>,
}

/// The reply to `read_tool_output` for a stored text.
pub fn page(text: &impl Utf16, ask: &Page<'_>, max_chars: u32) -> String {
    match ask.grep.filter(|g| !g.is_empty()) {
        Some(needle) => {
            let found = grep(text, needle);
            if found.is_empty() {
                return format!("No line of the output {} contains {}.", quoted(ask.id), quoted(needle));
            }
            let filtered = super::text::Units(found);
            cut_page(&filtered, ask, max_chars, "matching lines")
        }
        None => cut_page(text, ask, max_chars, "output"),
    }
}

/// The reply for a handle the store does not know.
pub fn not_found(id: &str) -> String {
    format!("No stored output for {}: it was never shortened in this conversation, or it was deleted.", quoted(id))
}

fn cut_page(text: &impl Utf16, ask: &Page<'_>, max_chars: u32, what: &str) -> String {
    let len = text.len();
    let reserve = if max_chars < 800 { max_chars / 4 } else { TRAILER };
    let mut start = ask.offset.unwrap_or(0).min(len);
    if splits_pair(text, start) {
        start -= 1;
    }
    let most = (max_chars - reserve).min(ask.limit.unwrap_or(u32::MAX)).max(2);
    let mut end = start.saturating_add(most).min(len);
    if splits_pair(text, end) {
        end -= 1;
    }
    let next = if end < len { format!("next offset: {end}") } else { "end".to_owned() };
    // A small cap has room for the next offset only.
    let trailers = [format!("\n[characters {start} to {end} of {len} of the {what}; {next}]"), format!("\n[{next}]")];
    let mut out = text.slice(start..end);
    out.push_str(trailers.iter().find(|t| t.len() <= reserve as usize).map_or("", String::as_str));
    out
}

/// Lines that contain the needle, joined by line ends, as units.
fn grep(text: &impl Utf16, needle: &str) -> Vec<u16> {
    const STEP: u32 = 65_536;
    let needle: Vec<u16> = needle.encode_utf16().collect();
    let mut out = Vec::new();
    let mut line: Vec<u16> = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let chunk = text.units(at..at + STEP);
        if chunk.is_empty() {
            break;
        }
        at += chunk.len() as u32;
        for unit in chunk {
            if unit == 0x0a {
                take_line(&line, &needle, &mut out);
                line.clear();
            } else {
                line.push(unit);
            }
        }
    }
    take_line(&line, &needle, &mut out);
    out
}

fn take_line(line: &[u16], needle: &[u16], out: &mut Vec<u16>) {
    let line = line.strip_suffix(&[0x0d]).unwrap_or(line);
    let mut at = 0;
    let mut shown_to = 0;
    let mut any = false;
    while let Some(hit) = find(line, needle, at) {
        if !any && !out.is_empty() {
            out.push(0x0a);
        }
        if line.len() <= LONG_LINE {
            out.extend_from_slice(line);
            return;
        }
        let mut from = hit.saturating_sub(AROUND).max(shown_to);
        let mut to = (hit + needle.len() + AROUND).min(line.len());
        // Windows never begin or end inside a surrogate pair.
        if line.get(from).is_some_and(|u| (0xdc00..0xe000).contains(u)) {
            from += 1;
        }
        if line.get(to).is_some_and(|u| (0xdc00..0xe000).contains(u)) {
            to += 1;
        }
        if from > shown_to {
            out.push('…' as u16);
        }
        out.extend_from_slice(line.get(from..to).unwrap_or(&[]));
        shown_to = to;
        at = hit + needle.len();
        any = true;
    }
    if any && shown_to < line.len() {
        out.push('…' as u16);
    }
}

fn find(line: &[u16], needle: &[u16], from: usize) -> Option<usize> {
    line.get(from..)?.windows(needle.len()).position(|w| w == needle).map(|i| i + from)
}

#[cfg(test)]
#[allow(clippy::string_slice, reason = "a test may fail")]
mod tests {
    use super::*;
    use crate::core::relieve::text::Units;

    fn text() -> String {
        // 900 lines; three of them carry the word.
        let mut lines: Vec<String> = (0..900).map(|i| format!("line {i:04} {}", "x".repeat(55))).collect();
        for i in [10, 400, 899] {
            lines[i] = format!("line {i:04} ERR something broke");
        }
        let mut text = lines.join("\n");
        text.push_str(&" ".repeat(60_000 - text.len()));
        text
    }

    #[test]
    fn rr_2_grep_returns_the_matching_lines() {
        let t = text();
        let reply = page(&Units::from(t.as_str()), &Page { id: "c1", grep: Some("ERR"), ..Page::default() }, 24_000);
        let lines: Vec<&str> = reply.lines().collect();
        assert_eq!(lines.len(), 4);
        assert!(lines[0].starts_with("line 0010 ERR") && lines[1].starts_with("line 0400 ERR") && lines[2].starts_with("line 0899 ERR"));
    }

    #[test]
    fn rr_2_pages_stay_under_the_cap_and_name_the_next_offset() {
        let t = text();
        let units = Units::from(t.as_str());
        let reply = page(&units, &Page { id: "c1", offset: Some(0), limit: Some(60_000), ..Page::default() }, 24_000);
        assert!(reply.len() <= 24_000);
        assert_eq!(&reply[..23_800], &t[..23_800]);
        assert!(reply.lines().last().expect("a trailer").contains("next offset: 23800"));
    }

    #[test]
    fn offsets_count_utf16_units_and_never_split_a_pair() {
        let t = format!("{}END", "😀".repeat(10));
        let units = Units::from(t.as_str());
        assert!(page(&units, &Page { id: "c", offset: Some(20), ..Page::default() }, 24_000).starts_with("END\n"));
        assert!(page(&units, &Page { id: "c", offset: Some(1), limit: Some(3), ..Page::default() }, 24_000).starts_with("😀\n"));
    }

    #[test]
    fn a_long_line_is_shown_around_its_matches() {
        let t = format!("{}ERR{}", "a".repeat(5_000), "b".repeat(5_000));
        let reply = page(&Units::from(t.as_str()), &Page { id: "c", grep: Some("ERR"), ..Page::default() }, 24_000);
        let line = reply.lines().next().expect("a line");
        assert_eq!(line, format!("…{}ERR{}…", "a".repeat(200), "b".repeat(200)));
    }
}
