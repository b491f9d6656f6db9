//! What an evicted result becomes: one line that says what it was, which names it held, and how to read it back.
//!
//! Decides the words; they are the same for ever, so that prefix caches keep hitting. Refuses time
//! stamps, counters and random ids.

use super::clamp::quoted;
use super::text::ellipsis;
use crate::core::measure::meter::Measure;
use crate::core::state::Loss;

/// How every stub begins.
pub const PREFIX: &str = "[context-cleared]";

/// Longest target a stub repeats; the call above it has it in full.
const TARGET_CHARS: usize = 40;

/// A newer result that makes this one superfluous.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Newer {
    /// Its handle.
    pub handle: String,
    /// Whether it is a later state of the same target; else it says the same, byte for byte.
    pub supersedes: bool,
}

/// What a stub says.
#[derive(Clone, Debug)]
pub struct Stub<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// What the call was about; left out where it is long.
    pub target: &'a str,
    /// The result's measurement.
    pub result: &'a Measure,
    /// Whether it reported a failure.
    pub error: bool,
    /// Names that would leave the view with it, chosen beforehand.
    pub names: &'a str,
    /// The handle that reads it back.
    pub handle: Option<&'a str>,
    /// Where in the stored text it begins, when it was itself read back.
    pub offset: Option<&'a str>,
    /// Why there is none.
    pub loss: Option<Loss>,
    /// The newer result that makes it superfluous.
    pub newer: Option<&'a Newer>,
}

impl Stub<'_> {
    /// The stub's text.
    pub fn render(&self) -> String {
        let m = self.result;
        let mut out = format!("{PREFIX} {}", ellipsis(self.tool, 64));
        out.push_str(if self.error { ": error" } else { ": ok" });
        if !self.target.is_empty() && self.target.chars().count() <= TARGET_CHARS && !self.target.contains(char::is_control) {
            out.push_str(&format!(" ({})", self.target));
        }
        if let Some(code) = m.exit {
            out.push_str(&format!(", exit {code}"));
        }
        out.push_str(&format!(", {} {}, {} chars", m.lines, if m.lines == 1 { "line" } else { "lines" }, m.len));
        // What the hook took out may stand in the first line: the measurement is of the text before it.
        if !m.first_line.is_empty() && self.loss != Some(Loss::Redacted) {
            out.push_str(": ");
            out.push_str(&m.first_line);
        }
        if !self.names.is_empty() {
            out.push_str("; names: ");
            out.push_str(self.names);
        }
        if let Some(newer) = self.newer {
            let says = if newer.supersedes { "replaces it" } else { "says the same" };
            out.push_str(&format!(" [the newer result {} {says}]", quoted(&newer.handle)));
        }
        match (self.handle, self.loss) {
            (Some(id), _) => out.push_str(&returns_it(id, self.offset)),
            (None, loss) => out.push_str(&format!(" [{}]", loss.unwrap_or(Loss::NoStore).in_words())),
        }
        out
    }
}

/// How a stub says where the text is.
pub(in crate::core) fn returns_it(handle: &str, offset: Option<&str>) -> String {
    let offset = offset.map_or_else(String::new, |o| format!(", offset: {o}"));
    format!(" [read_tool_output({{ id: {}{offset} }}) returns it]", quoted(handle))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::config::Counter;
    use crate::core::measure::meter::measure;

    fn stub(result: &Measure) -> Stub<'_> {
        Stub { tool: "grep", target: "", result, error: false, names: "", handle: Some("call_7"), offset: None, loss: None, newer: None }
    }

    #[test]
    fn says_what_it_was_and_how_to_read_it_back() {
        let m = measure(Counter::Chars4, "src/a.rs:1: fn a\nsrc/b.rs:2: fn b\nexit code: 1\n");
        let stub = Stub { error: true, target: "fn", names: "src/b.rs", ..stub(&m) };
        assert_eq!(
            stub.render(),
            "[context-cleared] grep: error (fn), exit 1, 4 lines, 47 chars: src/a.rs:1: fn a; names: src/b.rs [read_tool_output({ id: \"call_7\" }) returns it]"
        );
    }

    #[test]
    fn names_the_newer_result_and_its_own_handle() {
        let m = measure(Counter::Chars4, "x");
        let newer = Newer { handle: "call_9".into(), supersedes: true };
        let text = Stub { newer: Some(&newer), offset: Some("20"), ..stub(&m) }.render();
        assert!(text.ends_with("[the newer result \"call_9\" replaces it] [read_tool_output({ id: \"call_7\", offset: 20 }) returns it]"), "{text}");
    }

    #[test]
    fn says_nothing_of_what_was_redacted() {
        let m = measure(Counter::Chars4, "secret");
        let text = Stub { tool: "env", handle: None, loss: Some(Loss::Redacted), ..stub(&m) }.render();
        assert!(text.contains("redacted") && !text.contains("read_tool_output") && !text.contains("secret"), "{text}");
    }
}
