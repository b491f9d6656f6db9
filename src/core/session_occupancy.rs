//! The part of a session that says what is in the window, in the provider's tokens: the numbers that thresholds and
//! guards compare, and the real count they go on from.

use super::error::Error;
use super::measure::occupancy::Occupancy;
use super::measure::usage::Usage;
use super::session::Session;
use super::transcript::{Role, Totals};

impl Session {
    /// Tokens in the window now.
    pub fn occupancy(&self) -> Occupancy {
        self.gauge.read(&self.sent())
    }

    /// Tokens the guard compares: the larger of the anchored number and the estimate of the whole request.
    pub fn guarded_tokens(&self) -> u32 {
        self.occupancy().tokens.max(self.gauge.estimate_of(&self.sent()))
    }

    /// What the host's list would weigh if nothing had been relieved.
    pub fn raw_tokens(&self) -> u32 {
        self.gauge.estimate(self.frame.tokens() + self.transcript.totals().raw + self.framing(&Totals::default()))
    }

    /// What the provider counts beyond what is measured, signed.
    pub fn signed_overhead(&self) -> i64 {
        let sent = self.sent();
        i64::from(self.gauge.read(&sent).tokens) - i64::from(self.gauge.scale(sent.measured.saturating_sub(sent.unkept)))
    }

    /// Frame and the first `rows` rows of the view, in measured tokens.
    pub fn measured(&self, rows: usize) -> u64 {
        self.measured_with(&self.transcript.totals_before(rows), rows)
    }

    /// The same where the sizes of those rows are known.
    pub fn measured_with(&self, totals: &Totals, rows: usize) -> u64 {
        self.frame.tokens() + self.head_tokens() + totals.view + self.block_tokens(rows) + self.framing(totals)
    }

    /// Says what the rows as they stand weigh; later rows and reliefs are counted from there.
    pub fn pin_occupancy(&mut self, tokens: u32) -> Result<(), Error> {
        self.take_rows()?;
        self.gauge.void();
        self.gauge.settle(&Usage { input_tokens: Some(tokens), ..Usage::default() });
        let sent = self.sent_before(self.transcript.len());
        self.gauge.place_anchor(sent.clone());
        self.gauge.sent(sent);
        Ok(())
    }

    /// A real count that came before any view belongs to everything before the newest response.
    pub(super) fn place_anchor(&mut self) {
        if self.gauge.is_anchored() && self.gauge.anchored_rows().is_none() {
            let rows = self.transcript.rows();
            let last = rows.iter().rposition(|r| r.role == Role::Assistant);
            let mut first = last.unwrap_or(rows.len());
            while first > 0 && rows.get(first - 1).is_some_and(|r| r.role == Role::Assistant) {
                first -= 1;
            }
            let counted = self.gauge.take_lifted().unwrap_or(first);
            let sent = self.sent_before(counted);
            self.gauge.place_anchor(sent);
        }
    }
}
