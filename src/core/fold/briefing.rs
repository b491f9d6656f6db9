//! The briefing's shape: seven sections, read tolerantly.

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
}
