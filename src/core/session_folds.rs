//! The part of a session that knows what folds cover: the rows before the boundary, and what a fold that lands or is
//! taken back changes.
//!
//! Positions decide, not indexes: the same blob over the same rows covers the same rows in any process.

use super::kept::Covered;
use super::relieve::aged;
use super::session::Session;

impl Session {
    /// Rows before this one are covered by the fold in force (leading system rows aside).
    pub fn first_kept(&self) -> usize {
        let Some(boundary) = self.state.boundary else { return 0 };
        let first = self.covered_rows(boundary);
        // A boundary inside a round is moved back to its first row: shown twice rather than lost.
        self.transcript.index().round_across(first).map_or(first, |r| r.start)
    }

    /// Rows up to the last one that is stored at the boundary or before. Only what was appended is looked at.
    fn covered_rows(&self, boundary: u64) -> usize {
        let (rows, epoch) = (self.transcript.rows(), self.transcript.epoch());
        let known = self.kept.covered.get().filter(|c| c.epoch == epoch && c.boundary == boundary && c.rows <= rows.len());
        let from = known.map_or(0, |c| c.rows);
        let appended = rows.get(from..).unwrap_or_default();
        let found = appended.iter().rposition(|r| r.position.is_some_and(|p| p <= boundary)).map(|i| from + i + 1);
        let first = found.or(known.map(|c| c.first)).unwrap_or(0);
        self.kept.covered.set(Some(Covered { epoch, boundary, rows: rows.len(), first }));
        first
    }

    /// Whether the stored boundary falls inside a round.
    pub fn boundary_snapped(&self) -> bool {
        let Some(boundary) = self.state.boundary else { return false };
        self.transcript.row(self.first_kept()).and_then(|r| r.position).is_some_and(|p| p <= boundary)
    }

    /// Rows before this one stand in a provider's own compaction item. A provider that is sent items one by one
    /// would show and bill them again; what the user said stays in any case.
    pub fn compacted_before(&self) -> usize {
        if self.profile.items { self.transcript.compaction().map_or(0, |(row, _)| row) } else { 0 }
    }

    /// A fold landed: the last real count says nothing about what is sent from now on.
    pub fn after_fold(&mut self) {
        self.gauge.overtake();
        self.aged = aged::Both::default();
        self.count_from_earlier();
        self.lay_view(usize::MAX, "folded");
        // Decisions on covered rows are forgotten; should the rows be shown again, they are whole.
        self.lay_edits();
        let kept = self.first_kept();
        self.note_change(kept, "folded");
    }

    /// A list that ends before the boundary was taken back by the host: what is covered has to be shown.
    pub(super) fn notice_rewind(&mut self) {
        let Some(boundary) = self.state.boundary else { return };
        let mut newest = None;
        // From the end: a row that is not stored, or one behind the boundary, settles it.
        for row in self.transcript.rows().iter().rev() {
            match row.key_position() {
                Some(p) if p <= boundary => newest = newest.max(Some(p)),
                _ => return,
            }
        }
        if let Some(to) = newest {
            self.rewind_to(to);
        }
    }

    /// Takes back folds that cover rows after `to`, and every decision on rows after it.
    pub fn rewind_to(&mut self, to: u64) {
        for fold in self.state.folds.iter_mut() {
            // Something it kept has to be left; the first kept row is the assistant's.
            fold.active &= fold.to < to;
        }
        self.take_handles_behind(to);
        let position = |key: &str| key.split_once('.').and_then(|(p, _)| p.parse::<u64>().ok());
        self.state.entries.retain(|key, _| position(key).is_some_and(|p| p <= to));
        self.state.blocks.retain(|b| b.to <= to);
        self.after_unfold();
    }

    /// Takes a fold back, and those made on it. Returns whether there was one.
    pub fn unfold(&mut self, id: &str) -> bool {
        let Some(at) = self.state.folds.iter().rposition(|f| f.active && f.id == id) else { return false };
        for fold in self.state.folds.iter_mut().skip(at) {
            fold.active = false;
        }
        self.after_unfold();
        true
    }

    fn after_unfold(&mut self) {
        self.state.boundary = self.state.fold().map(|f| f.to);
        self.dirty = true;
        self.gauge.void();
        self.aged = aged::Both::default();
        self.count_from_earlier();
        self.lay_view(usize::MAX, "unfolded");
        self.lay_edits();
        self.note_change(0, "unfolded");
    }
}
