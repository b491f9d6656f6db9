//! Says whether an answer of the summarizer is a briefing.

use super::briefing::{has_sections, section};
use crate::core::measure::names::Names;

/// What the host's summarizer answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// The text.
    pub text: String,
    /// Why it stopped, in the provider's words.
    pub finish_reason: Option<String>,
}

/// Why an answer is refused, as the outcome's reason.
pub fn judge(answer: &Answer) -> Result<(), &'static str> {
    if answer.text.trim().is_empty() {
        return Err("summarizer_empty");
    }
    // The providers' words for "ran into the output limit".
    let cut_off = answer
        .finish_reason
        .as_deref()
        .is_some_and(|r| matches!(r.to_ascii_lowercase().as_str(), "length" | "max_tokens" | "max_output_tokens" | "model_length"));
    if cut_off { Err("summarizer_truncated") } else { Ok(()) }
}

/// What is odd about a briefing that is good enough: `no_headings`, or `changed_identifiers` where of the names its
/// open tasks quote less than half stand in what it was made from. No reason to refuse: names may be shortened.
pub fn warnings(text: &str, sources: &[&str]) -> Vec<&'static str> {
    if !has_sections(text) {
        return vec!["no_headings"];
    }
    let tasks = section(text, "Open Tasks").unwrap_or_default();
    let named = Names::of(&tasks);
    let (mut all, mut found) = (0, 0);
    for name in named.iter() {
        all += 1;
        found += usize::from(sources.iter().any(|s| holds(s, name)));
    }
    if found * 2 < all { vec!["changed_identifiers"] } else { Vec::new() }
}

/// Whether a name stands in a text by itself.
fn holds(text: &str, name: &str) -> bool {
    let inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(name).any(|(at, _)| {
        let (before, rest) = text.split_at(at);
        !inside(before.chars().next_back()) && !inside(rest.get(name.len()..).and_then(|r| r.chars().next()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn d_22_prose_and_misquoted_names_are_warnings() {
        let source = "read src/core/parser.rs and parse_header in it";
        let tasks = |text: &str| warnings(&format!("## Objective\nmade_up_name\n## Open Tasks\n{text}\n## Next Step\ngo"), &["older", source]);
        assert_eq!(warnings("we read the parser", &[source]), ["no_headings"]);
        assert_eq!(tasks("- finish parse_header in src/core/parser.rs"), [] as [&str; 0]);
        assert_eq!(tasks("- finish parse_header and parse_footer"), [] as [&str; 0], "half of them is enough");
        assert_eq!(tasks("- finish parse_head, parse_foot and parse_header"), ["changed_identifiers"]);
        assert_eq!(tasks("- go on"), [] as [&str; 0], "no names, nothing to check");
    }

    #[test]
    fn fo_3_blank_and_cut_off_answers_are_refused() {
        let of = |text: &str, reason: Option<&str>| judge(&Answer { text: text.into(), finish_reason: reason.map(str::to_owned) });
        assert_eq!(of("", None), Err("summarizer_empty"));
        assert_eq!(of("   ", Some("stop")), Err("summarizer_empty"));
        assert_eq!(of("x", Some("length")), Err("summarizer_truncated"));
        assert_eq!(of("x", Some("MAX_TOKENS")), Err("summarizer_truncated"));
        assert_eq!(of("x", Some("stop")), Ok(()));
    }
}
