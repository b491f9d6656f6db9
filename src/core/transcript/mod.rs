//! The conversation as the core sees it: measured rows, paired calls, rounds and turns.
//!
//! Rows enter through [`Transcript::push_row`] in the order of the host's list. What is derived from
//! them ([`Index`]) is kept up to date as rows are appended and rebuilt only when rows are taken back.

mod attached;
mod index;
mod keyed;
#[cfg(test)]
pub mod made;
mod positions;
mod row;
#[cfg(test)]
mod tests;
mod totals;

pub use attached::{Caller, Media};
pub use index::{Call, CallId, Index, Round};
pub use row::{Flags, Part, PartKind, Role, Row, StandIn};
pub use totals::{KINDS, Totals};

use std::cell::Cell;
use std::collections::BTreeMap;

use attached::Attached;
use positions::Checked;

use crate::core::error::Error;
use crate::core::view::Gone;

/// Reasoning in the first `rows` rows.
#[derive(Clone, Copy, Debug, Default)]
struct Closed {
    rows: usize,
    reasoning: u64,
}

/// The host's list since the boundary, measured.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    rows: Vec<Row>,
    index: Index,
    indexed: usize,
    items: bool,
    attached: Attached,
    totals: Totals,
    /// Reasoning in front of a row: asked for at every step, and a turn may be long.
    closed: Cell<Option<Closed>>,
    compaction: Option<(usize, usize)>,
    checked: Checked,
    /// First row that may look different in the view since somebody asked.
    touched: usize,
    /// Counts what happens to rows that were there before: rows taken back, dropped, stored elsewhere.
    epoch: u64,
    /// Counts rows that were hidden or shown again.
    veils: u64,
}

impl Transcript {
    /// The rows.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// One row.
    pub fn row(&self, at: usize) -> Option<&Row> {
        self.rows.get(at)
    }

    /// One part of one row.
    pub fn part(&self, row: usize, part: usize) -> Option<&Part> {
        self.rows.get(row)?.parts.get(part)
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// What is derived from the rows.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Whether a message is an item of a step (a reasoning item, then a call item) instead of a step.
    pub fn set_items(&mut self, items: bool) {
        if self.items != items {
            self.items = items;
            self.forget_index();
        }
    }

    /// System rows in front: they stay first and are never folded. One further down is a row like any other.
    pub fn leading(&self) -> usize {
        self.rows.iter().take_while(|r| r.role == Role::System).count()
    }

    /// The newest provider-side compaction that holds something: its row and part.
    pub fn compaction(&self) -> Option<(usize, usize)> {
        self.compaction
    }

    /// Forgets the rows from `len` on; the host's list changed there.
    pub fn truncate(&mut self, len: usize) {
        if len < self.rows.len() {
            let gone = self.rows.iter().skip(len).map(Totals::of).fold(Totals::default(), Totals::plus);
            self.totals = self.totals.minus(gone);
            self.rows.truncate(len);
            self.closed.set(None);
            self.attached.drop_rows(len, usize::MAX);
            self.forget_index();
            self.moved(len);
        }
    }

    /// Sizes of everything.
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// Sizes of the first `rows` rows; cheap near both ends.
    pub fn totals_before(&self, rows: usize) -> Totals {
        let len = self.rows.len();
        if rows >= len {
            return self.totals;
        }
        let sum = |rows: &mut dyn Iterator<Item = &Row>| rows.map(Totals::of).fold(Totals::default(), Totals::plus);
        if rows < len / 2 { sum(&mut self.rows.iter().take(rows)) } else { self.totals.minus(sum(&mut self.rows.iter().skip(rows))) }
    }

    /// Tokens of reasoning in front of row `rows`; cheap while that row stays the same or moves on.
    pub fn reasoning_before(&self, rows: usize) -> u64 {
        let from = self.closed.get().filter(|c| c.rows <= rows).unwrap_or_default();
        let added: u64 = self.rows.iter().take(rows).skip(from.rows).map(|row| Totals::of(row).reasoning()).sum();
        let now = Closed { rows, reasoning: from.reasoning + added };
        self.closed.set(Some(now));
        now.reasoning
    }

    /// What happened so far to rows that had been there before.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// How often a row was hidden or shown again so far.
    pub fn veils(&self) -> u64 {
        self.veils
    }

    /// Row `row` and what follows may look different in the view.
    pub fn touch(&mut self, row: usize) {
        self.touched = self.touched.min(row);
    }

    /// The first row that may look different since the last time this was asked; the number of rows where none does.
    pub fn take_touched(&mut self) -> usize {
        std::mem::replace(&mut self.touched, self.rows.len())
    }

    fn moved(&mut self, from: usize) {
        self.epoch += 1;
        self.touch(from);
        self.checked.back_to(from);
        if self.compaction.is_some_and(|(row, _)| row >= from) {
            self.compaction = self.rows.iter().enumerate().rev().find_map(|(at, row)| Some((at, compaction_in(row)?)));
        }
    }

    /// Changes one row and keeps the sizes in step.
    fn change<R>(&mut self, at: usize, change: impl FnOnce(&mut Row) -> R) -> Option<R> {
        let row = self.rows.get_mut(at)?;
        let before = Totals::of(row);
        let done = change(row);
        let after = Totals::of(row);
        self.totals = self.totals.minus(before).plus(after);
        if before.reasoning() != after.reasoning() {
            self.closed.set(None);
        }
        Some(done)
    }

    /// Every part, with whose it is, whether it stands for its row's frame and how many calls the row holds.
    pub fn each_part(&mut self, mut change: impl FnMut(Role, bool, usize, &mut Part)) {
        for row in &mut self.rows {
            let (role, framed, calls) = (row.role, row.framed(), row.calls());
            for (i, part) in row.parts.iter_mut().enumerate() {
                change(role, i == framed, calls, part);
            }
        }
        self.totals = self.rows.iter().map(Totals::of).fold(Totals::default(), Totals::plus);
        self.closed.set(None);
    }

    /// Adds a row at the end.
    pub fn push_row(&mut self, row: Row) {
        self.touch(self.rows.len());
        self.totals = self.totals.plus(Totals::of(&row));
        self.compaction = compaction_in(&row).map(|part| (self.rows.len(), part)).or(self.compaction);
        self.rows.push(row);
    }

    /// Sets the durable position of a row that had none.
    pub fn set_position(&mut self, at: usize, position: Option<u64>) {
        if let Some(row) = self.rows.get_mut(at)
            && row.position != position
        {
            row.position = position;
            // Only calls are known by the position of their row.
            if row.role == Role::Assistant || row.calls() > 0 {
                self.forget_index();
            }
            self.moved(at);
        }
    }

    /// Takes over what the same row's media weigh now. Returns whether that is something else.
    pub fn reprice(&mut self, at: usize, row: &Row) -> bool {
        let media = |r: &Row| r.parts.iter().map(|p| p.media_tokens).ne(row.parts.iter().map(|p| p.media_tokens));
        let changed = self.rows.get(at).is_some_and(media);
        if changed {
            self.change(at, |old| old.parts.iter_mut().zip(&row.parts).for_each(|(part, new)| part.media_tokens = new.media_tokens));
        }
        changed
    }

    /// Hides a row from the view, or shows it again. Returns whether that changed anything.
    pub fn set_gone(&mut self, row: usize, gone: Option<Gone>) -> bool {
        if self.rows.get(row).is_none_or(|r| r.gone == gone) {
            return false;
        }
        self.touch(row);
        self.veils += 1;
        self.change(row, |r| r.gone = gone).is_some()
    }

    /// Forgets `n` rows from `from` on, which a fold covers; the host's list begins later now.
    pub fn drop_rows(&mut self, from: usize, n: usize) {
        let to = (from + n).min(self.rows.len());
        let gone = self.rows.iter().take(to).skip(from).map(Totals::of).fold(Totals::default(), Totals::plus);
        self.totals = self.totals.minus(gone);
        self.rows.drain(from.min(to)..to);
        self.closed.set(None);
        self.moved(0);
        self.attached.drop_rows(from, to);
        self.forget_index();
        self.settle_index();
    }

    /// How often call ids occur in rows up to `boundary`, which the list may not hold any more: handles of
    /// later calls go on counting from there.
    pub fn set_earlier(&mut self, boundary: Option<u64>, ids: BTreeMap<Box<str>, u32>) {
        self.index.set_earlier(boundary, ids);
    }

    /// Handles that are given out already: to whom, by key; an empty key is nobody's.
    pub fn reserve(&mut self, handles: BTreeMap<Box<str>, String>) {
        self.index.reserve(handles);
    }

    /// Derives everything from the rows anew.
    pub fn reindex(&mut self) {
        self.forget_index();
        self.settle_index();
    }

    fn forget_index(&mut self) {
        self.index = self.index.emptied();
        self.indexed = 0;
        self.touch(0);
    }

    /// The row stored at this position.
    pub fn row_at(&self, position: u64) -> Option<usize> {
        self.rows.iter().position(|r| r.position == Some(position))
    }

    /// Puts something in a part's place in the view.
    pub fn set_stand_in(&mut self, row: usize, part: usize, stand_in: Option<StandIn>) {
        if self.part(row, part).is_some_and(|p| p.stand_in != stand_in) {
            self.touch(row);
            self.change(row, |r| r.parts.get_mut(part).map(|p| p.stand_in = stand_in));
        }
    }

    /// Whether every row is indexed.
    pub fn is_settled(&self) -> bool {
        self.indexed == self.rows.len()
    }

    /// Brings the index up to the newest row. Returns the first row that was not indexed before.
    pub fn settle_index(&mut self) -> usize {
        let from = self.indexed;
        for at in self.indexed..self.rows.len() {
            if let Some(row) = self.rows.get(at) {
                self.index.push(at, row, self.items);
            }
        }
        self.indexed = self.rows.len();
        from
    }

    /// Checks the positions: unique, and increasing from round to round.
    ///
    /// Parallel results may be stored out of call order inside one round. Rows that passed are not looked at again.
    pub fn check_positions(&mut self) -> Result<(), Error> {
        self.checked.go_on(&self.rows)
    }

    /// The first row the model has not read yet: everything after the last assistant row. Where a step has
    /// several items, a result between them answers that very step and was not read by it.
    pub fn first_unread(&self) -> usize {
        let after = self.rows.iter().rposition(|r| r.role == Role::Assistant).map_or(0, |i| i + 1);
        let Some(round) = self.index.rounds().last().filter(|_| self.items) else { return after };
        self.rows.iter().take(after).enumerate().skip(round.start).find(|(_, r)| r.role == Role::Tool).map_or(after, |(i, _)| i)
    }
}

/// The last part of a row that holds what the provider folded by itself.
fn compaction_in(row: &Row) -> Option<usize> {
    row.parts.iter().rposition(|p| p.kind == PartKind::Compaction && (p.measure.len > 0 || p.flags.has(Flags::SEALED)))
}
