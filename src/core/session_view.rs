//! The part of a session that keeps the view in step: which rows are hidden, which texts stand where.
//!
//! Positions decide, not indexes: the same blob over the same rows hides the same rows in any process.

use std::collections::BTreeSet;

use super::kept::Laid;
use super::measure::meter::measure;
use super::relieve::aged;
use super::session::Session;
use super::transcript::Role;
use super::view::{Block, BlockKind, Gone};

/// A text of ours and the row it stands in front of (or, for blocks that follow a row, behind).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Row index.
    pub row: usize,
    /// Index in the state's blocks.
    pub block: usize,
    /// Whether it stands behind the row.
    pub behind: bool,
}

impl Session {
    /// Rows the host pinned.
    pub fn pinned_rows(&self) -> Vec<usize> {
        self.pinned_from(0)
    }

    fn pinned_from(&self, from: usize) -> Vec<usize> {
        if self.state.pins.is_empty() {
            return Vec::new();
        }
        let rows = self.transcript.rows().iter().enumerate().skip(from);
        rows.filter(|(_, r)| r.position.is_some_and(|p| self.state.pins.contains(&p))).map(|(i, _)| i).collect()
    }

    /// Pinned rows and the rows that make a round with one: it stays whole.
    pub fn pinned_rounds(&self) -> BTreeSet<usize> {
        self.pinned_rounds_from(0)
    }

    /// The same among the rounds that end behind row `from`.
    fn pinned_rounds_from(&self, from: usize) -> BTreeSet<usize> {
        let compaction = self.transcript.compaction().map(|(row, _)| row);
        if self.state.pins.is_empty() && compaction.is_none() {
            return BTreeSet::new();
        }
        let rounds = self.transcript.index().rounds();
        let first = if from == 0 || self.transcript.index().has_late() { 0 } else { rounds.partition_point(|r| r.end <= from) };
        let start = rounds.get(first).map_or(from, |r| r.start.min(from));
        let mut rows: BTreeSet<usize> = self.pinned_from(start).into_iter().collect();
        // What the provider folded by itself stands in its item alone.
        rows.extend(compaction);
        if !rows.is_empty() {
            let pinned = rounds.iter().skip(first).filter(|r| rows.range(r.start..r.end).next().is_some());
            let whole: Vec<usize> = pinned.flat_map(|r| r.start..r.end).collect();
            rows.extend(whole);
        }
        rows
    }

    /// Hides what folds and blocks cover, and places the blocks; what changes in front of row `from` is noted.
    pub(super) fn lay_view(&mut self, from: usize, cause: &'static str) {
        self.lay_rows(0, from, cause);
    }

    /// The same after rows were appended from row `from` on: where nothing else changed since, only they and
    /// what was unread before them are looked at.
    pub(super) fn lay_appended(&mut self, from: usize, cause: &'static str) {
        let start = self.kept.laid.as_ref().filter(|l| self.still_laid(l, from)).map_or(0, |l| l.live.min(self.live_from()).min(from));
        self.lay_rows(start, from, cause);
    }

    /// Whether what was laid holds for all rows but the newest.
    fn still_laid(&self, laid: &Laid, from: usize) -> bool {
        let same = laid.epoch == self.transcript.epoch() && laid.rows == from && laid.boundary == self.state.boundary;
        let pinned =
            !self.transcript.index().has_late() && self.pinned_from(from).is_empty() || self.state.pins.is_empty() && self.transcript.compaction().is_none();
        same && laid.leading < laid.rows
            && pinned
            && self.state.blocks.is(&laid.blocks)
            && self.state.pins.is(&laid.pins)
            && laid.kept == self.first_kept()
            && laid.beside == self.beside()
    }

    /// What else decides which rows are hidden.
    fn beside(&self) -> (Option<(usize, usize)>, bool, bool) {
        (self.transcript.compaction(), self.profile.items, self.config.orders.enabled)
    }

    fn lay_rows(&mut self, start: usize, from: usize, cause: &'static str) {
        let kept = self.first_kept();
        let leading = self.transcript.leading();
        let pinned = self.pinned_rounds_from(start);
        let live = self.live_from();
        let compacted = self.compacted_before();
        let orders = self.config.orders.enabled;
        let mut first_change = None;
        let mut before: Option<Gone> = start.checked_sub(1).and_then(|at| self.transcript.row(at)?.gone);
        for at in start..self.transcript.len() {
            let Some(row) = self.transcript.row(at) else { continue };
            let gone = if at < leading || (at >= kept && (at >= live || pinned.contains(&at))) {
                None
            } else if at < kept || at < compacted && !(orders && row.is_real_user()) {
                Some(Gone::Folded)
            } else {
                match row.position {
                    Some(p) => self.state.blocks.iter().find(|b| b.hides(p)).and_then(|b| b.kind.gone()),
                    // A row the host has not stored follows the round it belongs to.
                    None if row.role == Role::Tool => before,
                    None => None,
                }
            };
            before = gone;
            if self.transcript.set_gone(at, gone) && at < from && first_change.is_none() {
                first_change = Some(at);
            }
        }
        if let Some(row) = first_change {
            self.note_change(row, cause);
        }
        if start == 0 || !self.still_placed(from) {
            self.place_blocks();
        }
        self.kept.laid = Some(Laid {
            epoch: self.transcript.epoch(),
            rows: self.transcript.len(),
            boundary: self.state.boundary,
            kept,
            leading,
            live,
            beside: self.beside(),
            blocks: self.state.blocks.token(),
            pins: self.state.pins.token(),
        });
    }

    /// Whether rows appended from `from` on leave every block where it is.
    fn still_placed(&self, from: usize) -> bool {
        let Some(last) = self.state.blocks.iter().map(|b| b.to).max() else { return true };
        let behind = |p: u64| p > last;
        self.kept.firmly_placed && self.transcript.rows().iter().skip(from).all(|r| r.position.is_none_or(behind))
    }

    fn place_blocks(&mut self) {
        let mut placed = Vec::new();
        let mut firmly = true;
        for (i, block) in self.state.blocks.iter().enumerate() {
            if block.kind == BlockKind::Digest {
                continue;
            }
            let hides = block.kind.gone().is_some();
            let rows = self.transcript.rows();
            let at = if hides {
                rows.iter().position(|r| r.position.is_some_and(|p| block.hides(p)))
            } else {
                let last = rows.iter().rposition(|r| r.position.is_some_and(|p| p <= block.to));
                // On a user row that was not stored yet: the first one behind the row that was.
                if block.from > block.to { last.and_then(|i| rows.iter().skip(i + 1).position(|r| r.is_real_user()).map(|n| i + 1 + n)) } else { last }
            };
            firmly &= at.is_some();
            match at {
                Some(row) => placed.push(Placed { row, block: i, behind: !hides }),
                None if !hides && !rows.is_empty() => placed.push(Placed { row: rows.len() - 1, block: i, behind: true }),
                None => {}
            }
        }
        placed.sort_by_key(|p| (p.row, p.behind, p.block));
        self.kept.firmly_placed = firmly;
        self.kept.block_tokens = placed.iter().filter_map(|p| self.block(p)).map(|b| u64::from(b.tokens)).sum();
        self.placed = placed;
    }

    /// Blocks of the view in order.
    pub fn placed(&self) -> &[Placed] {
        &self.placed
    }

    /// One block.
    pub fn block(&self, placed: &Placed) -> Option<&Block> {
        self.state.blocks.get(placed.block)
    }

    /// First row that no block may hide: the step whose results the model has not read, or the first unread row.
    fn live_from(&self) -> usize {
        let unread = self.transcript.first_unread();
        self.transcript.index().rounds().last().filter(|r| r.end > unread).map_or(unread, |r| r.start)
    }

    /// Adds a block and shows it.
    pub fn add_block(&mut self, block: Block, cause: &'static str) {
        let hides = block.kind.gone().is_some();
        self.state.blocks.push(block);
        self.aged = aged::Both::default();
        self.dirty = true;
        let rows = if hides { usize::MAX } else { 0 };
        self.lay_view(rows, cause);
    }

    /// Blocks were taken away that hide nothing.
    pub fn blocks_changed(&mut self) {
        self.dirty = true;
        self.place_blocks();
    }

    /// A brief that the host has stored by now is an ordinary row.
    pub(super) fn drop_stored_briefs(&mut self) {
        if self.state.blocks.iter().all(|b| b.kind != BlockKind::Brief) {
            return;
        }
        let rows = self.transcript.rows();
        let counter = self.config.estimate.counter;
        let stored = |block: &Block| {
            block.kind == BlockKind::Brief && {
                let hash = measure(counter, &block.text).hash;
                rows.iter().any(|r| r.role == Role::User && r.position.is_none_or(|p| p > block.to) && r.parts.iter().any(|p| p.measure.hash == hash))
            }
        };
        let keep: Vec<bool> = self.state.blocks.iter().map(|b| !stored(b)).collect();
        if keep.contains(&false) {
            let mut keep = keep.into_iter();
            self.state.blocks.retain(|_| keep.next().unwrap_or(true));
            self.dirty = true;
        }
    }

    /// Tokens of blocks that stand before row `rows`.
    pub(super) fn block_tokens(&self, rows: usize) -> u64 {
        if self.placed.last().is_none_or(|p| p.row < rows) {
            return self.kept.block_tokens;
        }
        self.placed.iter().filter(|p| p.row < rows).filter_map(|p| self.block(p)).map(|b| u64::from(b.tokens)).sum()
    }
}
