//! What an evicted result becomes: one line that says what it was and how to read it back.
//!
//! Decides the words; they are the same for ever, so that prefix caches keep hitting. Refuses time
//! stamps, counters and random ids.

use super::clamp::quoted;
use super::text::ellipsis;
use crate::core::measure::meter::Measure;
use crate::core::state::Loss;

/// How every stub begins.
pub const PREFIX: &str = "[context-cleared]";

/// What a stub says.
#[derive(Clone, Debug)]
pub struct Stub<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// The result's measurement.
    pub result: &'a Measure,
    /// Whether it reported a failure.
    pub error: bool,
    /// The handle that reads it back.
    pub handle: Option<&'a str>,
    /// Where in the stored text it begins, when it was itself read back.
    pub offset: Option<&'a str>,
    /// Why there is none.
    pub loss: Option<Loss>,
    /// The handle of the newer result that says the same.
    pub same_as: Option<&'a str>,
}

impl Stub<'_> {
    /// The stub's text.
    pub fn render(&self) -> String {
        let m = self.result;
        let mut out = format!("{PREFIX} {}: {}", ellipsis(self.tool, 64), if self.error { "error" } else { "ok" });
        if let Some(code) = m.exit {
            out.push_str(&format!(", exit {code}"));
        }
        out.push_str(&format!(", {} {}, {} chars", m.lines, if m.lines == 1 { "line" } else { "lines" }, m.len));
        if !m.first_line.is_empty() {
            out.push_str(": ");
            out.push_str(&m.first_line);
        }
        if let Some(newer) = self.same_as {
            out.push_str(&format!(" [the newer result {} says the same]", quoted(newer)));
        }
        match (self.handle, self.loss) {
            (Some(id), _) => {
                let offset = self.offset.map_or_else(String::new, |o| format!(", offset: {o}"));
                out.push_str(&format!(" [read_tool_output({{ id: {}{offset} }}) returns it]", quoted(id)));
            }
            (None, loss) => out.push_str(&format!(" [{}]", loss.unwrap_or(Loss::NoStore).in_words())),
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::config::Counter;
    use crate::core::measure::meter::measure;

    #[test]
    fn says_what_it_was_and_how_to_read_it_back() {
        let m = measure(Counter::Chars4, "src/a.rs:1: fn a\nsrc/b.rs:2: fn b\nexit code: 1\n");
        let stub = Stub { tool: "grep", result: &m, error: true, handle: Some("call_7"), offset: None, loss: None, same_as: None };
        assert_eq!(stub.render(), "[context-cleared] grep: error, exit 1, 4 lines, 47 chars: src/a.rs:1: fn a [read_tool_output({ id: \"call_7\" }) returns it]");
    }

    #[test]
    fn states_the_loss_when_nothing_was_kept() {
        let m = measure(Counter::Chars4, "secret");
        let stub = Stub { tool: "env", result: &m, error: false, handle: None, offset: None, loss: Some(Loss::Redacted), same_as: None };
        assert!(stub.render().contains("redacted") && !stub.render().contains("read_tool_output"));
    }
}
