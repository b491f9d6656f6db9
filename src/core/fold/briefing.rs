//! The briefing's shape: seven sections, read tolerantly.

use crate::core::relieve::text::{Units, Utf16, head_end, tail_start};

/// Room for the line that counts what is missing, in UTF-16 code units.
const MARKER: u32 = 48;

/// The sections in order.
pub const SECTIONS: [&str; 7] = ["Objective", "Decisions & Facts", "Files & State", "Verification", "Dead Ends", "Open Tasks", "Next Step"];

/// A heading's name: two or more `#`, or a bold line, with or without a colon.
fn heading(line: &str) -> Option<&str> {
    let line = line.trim();
    let name = if line.starts_with('#') {
        line.trim_start_matches('#').trim()
    } else {
        line.strip_prefix("**")?.strip_suffix("**").or_else(|| line.strip_prefix("**")?.strip_suffix("**:"))?
    };
    let name = name.trim_matches(|c: char| c == '*' || c == ':' || c.is_whitespace());
    (!name.is_empty()).then_some(name)
}

fn same(a: &str, b: &str) -> bool {
    let plain = |s: &str| s.to_ascii_lowercase().replace(" and ", " & ");
    plain(a) == plain(b)
}

/// The body of a section, trimmed; none when it is missing or blank.
pub fn section(summary: &str, name: &str) -> Option<String> {
    let mut body: Option<Vec<&str>> = None;
    for line in summary.lines() {
        match heading(line) {
            Some(h) if same(h, name) => body = Some(Vec::new()),
            Some(h) if body.is_some() && SECTIONS.iter().any(|s| same(s, h)) => break,
            _ => {
                if let Some(lines) = &mut body {
                    lines.push(line);
                }
            }
        }
    }
    let text = body?.join("\n").trim().to_owned();
    (!text.is_empty()).then_some(text)
}

/// Whether any section is there.
pub fn has_sections(summary: &str) -> bool {
    summary.lines().filter_map(heading).any(|h| SECTIONS.iter().any(|s| same(s, h)))
}

/// The briefing within `budget` tokens, when nobody condensed it: what it says twice goes first, then the longest
/// sections keep their beginning and their end around a line that counts what is missing.
pub fn bound(text: &str, budget: u32, weigh: &dyn Fn(&str) -> u32) -> String {
    if weigh(text) <= budget {
        return text.to_owned();
    }
    let whole = once(text);
    let joined = |sections: &[String]| sections.join("\n");
    let mut sections = whole.clone();
    let mut cap = sections.iter().map(|s| Units::from(s.as_str()).len()).max().unwrap_or(0);
    // The common cap sinks until all fit: short sections stay whole.
    while weigh(&joined(&sections)) > budget && cap > MARKER {
        cap = cap / 20 * 19;
        sections = whole.iter().map(|s| shortened(s, cap)).collect();
    }
    joined(&sections)
}

/// Sections with their headings; a line that stood before is left out.
fn once(text: &str) -> Vec<String> {
    let mut seen = std::collections::BTreeSet::new();
    let mut sections: Vec<String> = Vec::new();
    for line in text.lines() {
        let starts = heading(line).is_some_and(|h| SECTIONS.iter().any(|s| same(s, h)));
        if !starts && !line.trim().is_empty() && !seen.insert(line.trim()) {
            continue;
        }
        match sections.last_mut().filter(|_| !starts) {
            Some(open) => {
                open.push('\n');
                open.push_str(line);
            }
            None => sections.push(line.to_owned()),
        }
    }
    sections
}

/// A section's beginning and end in at most `cap` UTF-16 code units; the heading stays.
fn shortened(section: &str, cap: u32) -> String {
    let text = Units::from(section);
    if text.len() <= cap {
        return section.to_owned();
    }
    let room = cap.saturating_sub(MARKER);
    let head = head_end(&text, 7 * room / 10);
    let tail = tail_start(&text, room - 7 * room / 10);
    format!("{}\n[… {} characters left out …]\n{}", text.slice(0..head), tail.saturating_sub(head), text.slice(tail..text.len()))
}

/// The briefing as it is kept: trimmed; prose without headings becomes the facts.
pub fn settle(text: &str) -> String {
    let text = text.trim();
    if has_sections(text) { text.to_owned() } else { format!("## Decisions & Facts\n{text}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_found_in_the_forms_models_write_them() {
        let s = "# Objective:\nport it\n**Decisions and Facts**\n- a\n### Files & State\n\n## Next Step\nrun\n## Notes\nstill next";
        assert_eq!(section(s, "Objective").as_deref(), Some("port it"));
        assert_eq!(section(s, "Decisions & Facts").as_deref(), Some("- a"));
        assert_eq!(section(s, "Files & State"), None);
        assert_eq!(section(s, "Next Step").as_deref(), Some("run\n## Notes\nstill next"));
        assert_eq!(settle(" just prose "), "## Decisions & Facts\njust prose");
    }

    #[test]
    fn d_22_a_briefing_nobody_condensed_is_bounded_and_says_what_is_missing() {
        let chars4 = |text: &str| text.encode_utf16().count().div_ceil(4) as u32;
        let facts: String = (0..400).map(|i| format!("- fact {i} of the port\n")).collect();
        let text = format!("## Objective\nport it\n## Decisions & Facts\n{facts}{facts}## Next Step\nrun it");
        assert_eq!(bound(&text, 100_000, &chars4), text, "what fits is not touched");
        let said_once = bound(&text, 2_600, &chars4);
        assert!(chars4(&said_once) <= 2_600 && !said_once.contains("left out") && said_once.matches("- fact 7 of").count() == 1);
        let short = bound(&text, 500, &chars4);
        assert!(chars4(&short) <= 500 && chars4(&short) > 400, "{}", chars4(&short));
        assert!(short.contains("port it") && short.contains("run it") && short.contains("- fact 0 of") && short.contains("- fact 399 of"));
        assert!(short.contains(" characters left out …]"));
        assert_eq!((section(&short, "Objective").as_deref(), section(&short, "Next Step").as_deref()), (Some("port it"), Some("run it")));
        assert_eq!(bound(&"x".repeat(9_000), 300, &chars4).matches("left out").count(), 1, "one long line too");
    }
}
