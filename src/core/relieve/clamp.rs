//! Caps one tool result before the model sees it: head, tail, and a marker that says what is between.
//!
//! Decides the arithmetic of the cap; the marker counts into it. Refuses to know redaction and storage:
//! the caller says whether a handle exists, and without one the marker says so in words.

use super::text::{Utf16, between_lines, ellipsis, head_end, tail_start};
use crate::core::state::Loss;

/// Room for the marker in a cap of this size and more, at least.
const RESERVE: u32 = 200;
/// Caps below this keep a quarter for a shorter marker.
const SMALL_CAP: u32 = 800;

/// What the marker may say.
#[derive(Clone, Debug, Default)]
pub struct Gap<'a> {
    /// The handle that reads the full text back.
    pub handle: Option<&'a str>,
    /// Why there is none.
    pub loss: Option<Loss>,
    /// Length of the original text, when `text` is a rendering of it; offsets are not given then.
    pub rendered_from: Option<u32>,
    /// An exit code that is not visible in what is kept.
    pub exit: Option<i32>,
    /// The last line that looks like an error, if it falls into the gap.
    pub error_line: Option<&'a str>,
}

/// Where a text is cut and what stands in the gap.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// Units kept in front.
    pub head: u32,
    /// First unit of the kept end.
    pub tail: u32,
    /// What stands between.
    pub marker: String,
    /// Units left out.
    pub omitted: u32,
}

impl Cut {
    /// The cut text.
    pub fn apply(&self, text: &impl Utf16) -> String {
        let mut out = text.slice(0..self.head);
        out.push_str(&self.marker);
        out.push_str(&text.slice(self.tail..text.len()));
        out
    }
}

/// The cut that brings `text` to at most `max_chars`, marker included; none when it fits already.
pub fn plan_clamp(text: &impl Utf16, max_chars: u32, gap: &Gap<'_>) -> Option<Cut> {
    let len = text.len();
    if len <= max_chars {
        return None;
    }
    // The longest marker this text could need fixes the reserve, so that the arithmetic does not depend
    // on its own result.
    let reserve = if max_chars < SMALL_CAP { max_chars / 4 } else { RESERVE.max(units_of(&full_marker(gap, len, len, len)) + 1) };
    let budget = max_chars.saturating_sub(reserve);
    let head = head_end(text, 7 * budget / 10);
    let tail = tail_start(text, budget - 7 * budget / 10);
    let omitted = tail - head;
    let mut marker = fitting_marker(gap, omitted, len, head, reserve);
    if units_of(&marker) < reserve && between_lines(text, head, tail) {
        marker.push('\n');
    }
    Some(Cut { head, tail, marker, omitted })
}

fn fitting_marker(gap: &Gap<'_>, omitted: u32, len: u32, offset: u32, reserve: u32) -> String {
    [full_marker(gap, omitted, len, offset), format!("[…{omitted}…]"), "…".to_owned()].into_iter().find(|m| units_of(m) <= reserve).unwrap_or_default()
}

fn full_marker(gap: &Gap<'_>, omitted: u32, len: u32, offset: u32) -> String {
    let total = gap.rendered_from.unwrap_or(len);
    let mut text = match (gap.handle, gap.rendered_from) {
        (Some(id), None) => {
            format!("[… {omitted} of {total} characters omitted; read_tool_output({{ id: {}, offset: {offset}, limit: {omitted} }}) returns them", quoted(id))
        }
        (Some(id), Some(_)) => {
            format!("[… {omitted} characters omitted; read_tool_output({{ id: {} }}) pages through the original of {total} characters", quoted(id))
        }
        (None, _) => format!("[… {omitted} of {total} characters omitted and {}", gap.loss.unwrap_or(Loss::NoStore).in_words()),
    };
    if let Some(code) = gap.exit {
        text.push_str(&format!("; exit code {code}"));
    }
    if let Some(line) = gap.error_line {
        text.push_str(&format!("; last error: {}", ellipsis(line, 120)));
    }
    text.push_str(" …]");
    text
}

/// A string as the model would write it in a call.
pub fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

fn units_of(text: &str) -> u32 {
    text.encode_utf16().count() as u32
}

/// The cut that brings a text to at most `cap` UTF-8 bytes for the raw store; none when it fits.
///
/// `bytes` is the length of the whole text in UTF-8. What is cut here is gone, and the marker says so.
pub fn plan_raw_cap(text: &impl Utf16, bytes: u64, cap: u32) -> Option<Cut> {
    if bytes <= u64::from(cap) {
        return None;
    }
    let lost = bytes - u64::from(cap);
    // The marker states a number that depends on itself; its longest form is used for the room.
    let room = format!("[… about {lost} bytes were over the limit of the store and are gone …]").len() as u32 + 12;
    let budget = u64::from(cap.saturating_sub(room));
    let head_budget = 7 * budget / 10;
    let (head, head_bytes) = take_bytes(text, head_budget, false);
    let (tail_units, tail_bytes) = take_bytes(text, budget - head_budget, true);
    let tail = text.len() - tail_units;
    let gone = bytes - head_bytes - tail_bytes;
    let marker = format!("[… {gone} bytes were over the limit of the store and are gone …]");
    Some(Cut { head, tail, omitted: tail - head, marker: if cap > room { marker } else { String::new() } })
}

/// How many units from one end fit into so many UTF-8 bytes, whole characters only.
fn take_bytes(text: &impl Utf16, budget: u64, from_end: bool) -> (u32, u64) {
    const STEP: u32 = 4_096;
    let len = text.len();
    let (mut units, mut bytes) = (0u32, 0u64);
    while units < len {
        let range = if from_end { (len - units).saturating_sub(STEP)..len - units } else { units..(units + STEP).min(len) };
        let mut chunk = text.units(range);
        if from_end {
            chunk.reverse();
        }
        let mut it = chunk.iter().copied().peekable();
        while let Some(unit) = it.next() {
            let pair = it.peek().is_some_and(|next| {
                if from_end {
                    (0xdc00..0xe000).contains(&unit) && (0xd800..0xdc00).contains(next)
                } else {
                    (0xd800..0xdc00).contains(&unit) && (0xdc00..0xe000).contains(next)
                }
            });
            let size = match unit {
                0..=0x7f => 1,
                0x80..=0x7ff => 2,
                _ if pair => 4,
                _ => 3,
            };
            if bytes + size > budget {
                return (units, bytes);
            }
            bytes += size;
            units += if pair { 2 } else { 1 };
            if pair {
                it.next();
            }
        }
    }
    (units, bytes)
}

/// The largest cap under which parallel results together stay within `room` characters, at least 800.
pub fn shared_cap(lengths: &[u32], room: u64, max_chars: u32) -> u32 {
    let total = |cap: u32| lengths.iter().map(|l| u64::from((*l).min(cap))).sum::<u64>();
    if total(max_chars) <= room {
        return max_chars;
    }
    let (mut low, mut high) = (0, max_chars);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if total(middle) <= room {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    low.max(SMALL_CAP.min(max_chars))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::relieve::text::Units;

    fn clamp(text: &str, max: u32) -> (Cut, String) {
        let units = Units::from(text);
        let cut = plan_clamp(&units, max, &Gap { handle: Some("c1"), ..Gap::default() }).expect("over the cap");
        let out = cut.apply(&units);
        assert!(Units::from(out.as_str()).len() <= max);
        (cut, out)
    }

    #[test]
    fn cl_1_head_tail_and_marker_share_the_cap() {
        let (cut, out) = clamp(&"a".repeat(30_000), 24_000);
        assert_eq!((cut.head, 30_000 - cut.tail, cut.omitted), (16_660, 7_140, 6_200));
        assert!(cut.marker.contains(r#"id: "c1", offset: 16660, limit: 6200"#), "{}", cut.marker);
        assert!(plan_clamp(&Units::from(out.as_str()), 24_000, &Gap::default()).is_none());
    }

    #[test]
    fn cl_2_the_cap_itself_fits_and_one_more_does_not() {
        assert!(plan_clamp(&Units::from("a".repeat(24_000).as_str()), 24_000, &Gap::default()).is_none());
        let (cut, _) = clamp(&"a".repeat(24_001), 24_000);
        assert_eq!(cut.omitted, 201);
    }

    #[test]
    fn cl_3_no_surrogate_pair_is_split() {
        let text = format!("a{}", "😀".repeat(15_000));
        let (cut, out) = clamp(&text, 24_000);
        assert_eq!((cut.head, 30_001 - cut.tail, cut.omitted), (16_659, 7_140, 6_202));
        assert!(!out.contains('\u{fffd}'));
    }

    #[test]
    fn every_cap_holds_its_marker() {
        let text = "x".repeat(3_000);
        for cap in 0..2_999 {
            let units = Units::from(text.as_str());
            let cut = plan_clamp(&units, cap, &Gap { handle: Some("call_1"), ..Gap::default() }).expect("over the cap");
            let out = cut.apply(&units);
            assert!(Units::from(out.as_str()).len() <= cap, "cap {cap}");
            assert!(out.replace(&cut.marker, "").chars().all(|c| c == 'x'));
        }
    }

    #[test]
    fn prefers_line_ends_and_puts_the_marker_on_its_own_line() {
        let text = "line of text\n".repeat(500);
        let (cut, out) = clamp(&text, 2_000);
        assert_eq!(cut.head % 13, 0);
        assert_eq!(cut.tail % 13, 0);
        assert!(out.lines().any(|l| l.starts_with("[…") && l.ends_with("…]")));
    }

    #[test]
    fn a_missing_handle_is_said_in_words() {
        let units = Units::from("a".repeat(5_000).as_str());
        let cut = plan_clamp(&units, 1_000, &Gap { loss: Some(Loss::PersistOff), ..Gap::default() }).expect("over the cap");
        assert!(cut.marker.contains("run the tool again") && !cut.marker.contains("read_tool_output"));
    }

    #[test]
    fn raw_cap_counts_utf8_bytes_at_whole_characters() {
        let text = "é😀a".repeat(1_000);
        let units = Units::from(text.as_str());
        assert!(plan_raw_cap(&units, text.len() as u64, 7_000).is_none());
        let cut = plan_raw_cap(&units, text.len() as u64, 1_003).expect("over the cap");
        let out = cut.apply(&units);
        assert!(out.len() <= 1_003 && !out.contains('\u{fffd}'));
        let kept = out.len() - cut.marker.len();
        assert!(cut.marker.contains(&format!("{} bytes", 7_000 - kept)), "{}", cut.marker);
    }

    #[test]
    fn parallel_results_share_what_is_left() {
        assert_eq!(shared_cap(&[10_000, 10_000, 500], 8_500, 24_000), 4_000);
        assert_eq!(shared_cap(&[10_000, 10_000], 100, 24_000), 800);
        assert_eq!(shared_cap(&[1_000], 5_000, 24_000), 24_000);
    }
}
