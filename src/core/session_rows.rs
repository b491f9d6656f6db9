//! The part of a session that takes the host's rows in and lets them go: appended, rewritten, covered and left out.
//!
//! Decides from which row on the rest has to be looked at again. What the rows then look like is the log's and the
//! view's.

use super::error::Error;
use super::relieve::aged;
use super::session::Session;
use super::transcript::{CallId, PartKind, Role, Row};

impl Session {
    /// Takes a row as row `at` of the host's list. A copy with the same content changes nothing.
    pub fn put_row(&mut self, at: usize, mut row: Row) {
        self.frame_row(&mut row);
        match self.transcript.row(at) {
            Some(old) if old.same_content(&row) => {
                self.transcript.set_position(at, row.position);
                if self.transcript.reprice(at, &row) {
                    self.aged = aged::Both::default();
                }
            }
            _ => {
                self.rewind_rows(at);
                let mut row = row;
                self.name_row(at, &mut row);
                self.transcript.push_row(row);
            }
        }
    }

    /// Takes rows back from `len` on, because the host's list changed there.
    pub fn rewind_rows(&mut self, len: usize) {
        if len < self.transcript.len() {
            self.note_change(len, "rewritten");
            self.transcript.truncate(len);
            self.recount_names();
            self.aged = aged::Both::default();
            self.carried_at = self.carried_at.min(len);
            if self.gauge.anchored_rows().is_some_and(|rows| rows > len) {
                self.gauge.void();
            }
        }
    }

    /// Indexes the rows that were added and lays the decision log over them.
    pub fn take_rows(&mut self) -> Result<(), Error> {
        if !self.transcript.is_settled() {
            self.reserve_handles();
        }
        let from = self.transcript.settle_index();
        let taken = self.take_from(from);
        if taken.is_err() {
            // Refused rows are looked at again when they come again.
            self.transcript.truncate(from);
        }
        taken
    }

    fn take_from(&mut self, from: usize) -> Result<(), Error> {
        self.transcript.check_positions()?;
        self.notice_rewind();
        self.settle_provisional();
        let taken = self.state.taken.len();
        for row in from..self.transcript.len() {
            let parts = self.transcript.row(row).map_or(0, |r| r.parts.len());
            for part in 0..parts {
                self.lay_entry(row, part)?;
            }
        }
        if self.state.taken.len() > taken {
            self.reserve_handles();
            self.transcript.reindex();
        }
        self.drop_stored_briefs();
        self.lay_stripped(if self.state.stripped.is_empty() { self.transcript.len() } else { from });
        self.lay_appended(from, "adopted");
        self.capture_context(false);
        self.place_anchor();
        Ok(())
    }

    /// The host passes `n` covered rows from `from` on no more. Returns whether they were all covered; if not,
    /// nothing changes.
    pub fn drop_covered(&mut self, from: usize, n: usize) -> bool {
        let Some(boundary) = self.state.boundary else { return false };
        let leading = self.transcript.leading();
        let covered = |at: usize| self.transcript.row(at).is_some_and(|r| at >= leading && r.key_position().is_none_or(|p| p <= boundary));
        if n == 0 || !(from..from + n).all(covered) {
            return false;
        }
        self.transcript.drop_rows(from, n);
        self.release_orphans();
        // Uses are counted by row, and those of rows that are gone count no more: another process has not seen them.
        self.recount_names();
        self.gauge.drop_rows(from, n);
        let shift = |row: usize| if row >= from + n { row - n } else { row.min(from) };
        if let Some(last) = &mut self.last {
            last.rows = shift(last.rows);
        }
        if let Some(change) = &mut self.change {
            change.row = shift(change.row);
        }
        self.lay_view(usize::MAX, "folded");
        true
    }

    /// A result whose call left the list has no entry any more: it stands there itself.
    fn release_orphans(&mut self) {
        let index = self.transcript.index();
        let rows = self.transcript.rows().iter().enumerate().filter(|(_, r)| r.role != Role::Assistant);
        let parts = rows.flat_map(|(at, r)| r.parts.iter().enumerate().map(move |(i, p)| (at, i, p)));
        let orphans = parts.filter(|(at, i, p)| p.kind == PartKind::Result && p.stand_in.is_some() && index.call_of_result(*at, *i).is_none());
        for (row, part) in orphans.map(|(at, i, _)| (at, i)).collect::<Vec<_>>() {
            self.transcript.set_stand_in(row, part, None);
        }
    }

    /// Results that no view has carried yet.
    pub fn first_unsent(&self) -> usize {
        match &self.last {
            Some(last) => last.rows,
            None if self.resumed => self.transcript.first_unread(),
            None => 0,
        }
    }

    /// Calls whose result stands in rows from `row` on, with the place of the result.
    pub fn results_from(&self, row: usize) -> Vec<(CallId, usize, usize)> {
        let index = self.transcript.index();
        let mut out = Vec::new();
        for (at, r) in self.transcript.rows().iter().enumerate().skip(row) {
            for (p, part) in r.parts.iter().enumerate() {
                if part.kind == PartKind::Result
                    && r.role != Role::Assistant
                    && let Some(call) = index.call_of_result(at, p)
                {
                    out.push((call, at, p));
                }
            }
        }
        out
    }
}
