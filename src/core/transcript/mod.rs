//! The conversation as the core sees it: measured rows, paired calls, rounds and turns.
//!
//! Rows enter through [`Transcript::push_row`] in the order of the host's list. What is derived from
//! them ([`Index`]) is kept up to date as rows are appended and rebuilt only when rows are taken back.

mod index;
#[cfg(test)]
pub mod made;
mod row;
#[cfg(test)]
mod tests;

pub use index::{Call, CallId, Index, Round};
pub use row::{Flags, Part, PartKind, Role, Row, StandIn};

use std::collections::BTreeMap;

use crate::core::error::Error;
use crate::core::view::Gone;

/// A call made by code that another call runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Row of the call.
    pub row: usize,
    /// Part within the row.
    pub part: usize,
    /// Id of the call that runs the code.
    pub caller: Box<str>,
}

/// Images and files of one part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Media {
    /// Row of the part.
    pub row: usize,
    /// Part within the row.
    pub part: usize,
    /// How many there are.
    pub count: u32,
    /// UTF-16 code units they take in a request, bytes as base64.
    pub chars: u64,
    /// The longest of them.
    pub longest: u64,
}

/// The host's list since the boundary, measured.
#[derive(Clone, Debug, Default)]
pub struct Transcript {
    rows: Vec<Row>,
    index: Index,
    indexed: usize,
    items: bool,
    callers: Vec<Caller>,
    media: Vec<Media>,
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

    /// Calls made by code, in order.
    pub fn callers(&self) -> &[Caller] {
        &self.callers
    }

    /// Says which call runs the code that made this one. Rows come in order, so do their callers.
    pub fn set_caller(&mut self, caller: Caller) {
        if self.callers.last().is_none_or(|c| (c.row, c.part) < (caller.row, caller.part)) {
            self.callers.push(caller);
        }
    }

    /// Images and files, in order.
    pub fn media(&self) -> &[Media] {
        &self.media
    }

    /// Those of one row.
    pub fn media_in(&self, row: usize) -> &[Media] {
        let from = self.media.partition_point(|m| m.row < row);
        let to = self.media.partition_point(|m| m.row <= row);
        self.media.get(from..to).unwrap_or(&[])
    }

    /// Says what a part holds besides text. Rows come in order, so do their media.
    pub fn set_media(&mut self, media: Media) {
        if self.media.last().is_none_or(|m| (m.row, m.part) < (media.row, media.part)) {
            self.media.push(media);
        }
    }

    /// The newest provider-side compaction that holds something: its row and part.
    pub fn compaction(&self) -> Option<(usize, usize)> {
        let holds = |p: &Part| p.kind == PartKind::Compaction && (p.measure.len > 0 || p.flags.has(Flags::SEALED));
        self.rows.iter().enumerate().rev().find_map(|(at, row)| Some((at, row.parts.iter().rposition(holds)?)))
    }

    /// Forgets the rows from `len` on; the host's list changed there.
    pub fn truncate(&mut self, len: usize) {
        if len < self.rows.len() {
            self.rows.truncate(len);
            self.callers.retain(|c| c.row < len);
            self.media.retain(|m| m.row < len);
            self.forget_index();
        }
    }

    /// Every part, with whether it is its row's first and how many calls the row holds.
    pub fn each_part(&mut self, mut change: impl FnMut(bool, usize, &mut Part)) {
        for row in &mut self.rows {
            let calls = row.calls();
            for (i, part) in row.parts.iter_mut().enumerate() {
                change(i == 0, calls, part);
            }
        }
    }

    /// Adds a row at the end.
    pub fn push_row(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// Sets the durable position of a row that had none.
    pub fn set_position(&mut self, at: usize, position: Option<u64>) {
        if let Some(row) = self.rows.get_mut(at)
            && row.position != position
        {
            row.position = position;
            self.forget_index();
        }
    }

    /// Takes over what the same row's media weigh now.
    pub fn reprice(&mut self, at: usize, row: &Row) {
        for (part, new) in self.rows.get_mut(at).into_iter().flat_map(|r| &mut r.parts).zip(&row.parts) {
            part.media_tokens = new.media_tokens;
        }
    }

    /// Hides a row from the view, or shows it again. Returns whether that changed anything.
    pub fn set_gone(&mut self, row: usize, gone: Option<Gone>) -> bool {
        match self.rows.get_mut(row) {
            Some(row) if row.gone != gone => {
                row.gone = gone;
                true
            }
            _ => false,
        }
    }

    /// Forgets `n` rows from `from` on, which a fold covers; the host's list begins later now.
    pub fn drop_rows(&mut self, from: usize, n: usize) {
        let to = (from + n).min(self.rows.len());
        self.rows.drain(from.min(to)..to);
        self.callers.retain(|c| c.row < from || c.row >= to);
        self.callers.iter_mut().filter(|c| c.row >= to).for_each(|c| c.row -= to - from);
        self.media.retain(|m| m.row < from || m.row >= to);
        self.media.iter_mut().filter(|m| m.row >= to).for_each(|m| m.row -= to - from);
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
    }

    /// The row stored at this position.
    pub fn row_at(&self, position: u64) -> Option<usize> {
        self.rows.iter().position(|r| r.position == Some(position))
    }

    /// Puts something in a part's place in the view.
    pub fn set_stand_in(&mut self, row: usize, part: usize, stand_in: Option<StandIn>) {
        if let Some(part) = self.rows.get_mut(row).and_then(|r| r.parts.get_mut(part)) {
            part.stand_in = stand_in;
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
    /// Parallel results may be stored out of call order inside one round.
    pub fn check_positions(&self) -> Result<(), Error> {
        let mut seen_before = None::<u64>;
        let mut highest = None::<u64>;
        let mut in_block: Vec<u64> = Vec::new();
        for (at, row) in self.rows.iter().enumerate() {
            if row.role != Role::Tool {
                seen_before = highest;
                in_block.clear();
            }
            let Some(position) = row.position else { continue };
            if seen_before.is_some_and(|p| position <= p) || in_block.contains(&position) {
                return Err(Error::bad_input(format!("`positions[{at}]` is {position}, but positions must be unique and increase from round to round")));
            }
            in_block.push(position);
            highest = Some(highest.map_or(position, |h| h.max(position)));
        }
        Ok(())
    }

    /// The first row the model has not read yet: everything after the last assistant row. Where a step has
    /// several items, a result between them answers that very step and was not read by it.
    pub fn first_unread(&self) -> usize {
        let after = self.rows.iter().rposition(|r| r.role == Role::Assistant).map_or(0, |i| i + 1);
        let Some(round) = self.index.rounds().last().filter(|_| self.items) else { return after };
        self.rows.iter().take(after).enumerate().skip(round.start).find(|(_, r)| r.role == Role::Tool).map_or(after, |(i, _)| i)
    }
}
