//! Says whether an answer of the summarizer is a briefing.

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

#[cfg(test)]
mod tests {
    use super::*;

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
