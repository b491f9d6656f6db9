//! What parts hold besides a measured text: whose code made a call, and how many images and files there are.
//!
//! Few parts have any, so they are lists beside the rows, in the order of the rows.

use super::Transcript;

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

/// The lists.
#[derive(Clone, Debug, Default)]
pub(super) struct Attached {
    callers: Vec<Caller>,
    media: Vec<Media>,
}

impl Attached {
    /// Forgets rows from `from` up to `to`; those behind move up.
    pub(super) fn drop_rows(&mut self, from: usize, to: usize) {
        self.callers.retain(|c| c.row < from || c.row >= to);
        self.media.retain(|m| m.row < from || m.row >= to);
        let rows = self.callers.iter_mut().map(|c| &mut c.row).chain(self.media.iter_mut().map(|m| &mut m.row));
        rows.filter(|row| **row >= to).for_each(|row| *row -= to - from);
    }
}

impl Transcript {
    /// Calls made by code, in order.
    pub fn callers(&self) -> &[Caller] {
        &self.attached.callers
    }

    /// Says which call runs the code that made this one. Rows come in order, so do their callers.
    pub fn set_caller(&mut self, caller: Caller) {
        if self.attached.callers.last().is_none_or(|c| (c.row, c.part) < (caller.row, caller.part)) {
            self.attached.callers.push(caller);
        }
    }

    /// Images and files, in order.
    pub fn media(&self) -> &[Media] {
        &self.attached.media
    }

    /// Those of one row.
    pub fn media_in(&self, row: usize) -> &[Media] {
        let from = self.attached.media.partition_point(|m| m.row < row);
        let to = self.attached.media.partition_point(|m| m.row <= row);
        self.attached.media.get(from..to).unwrap_or(&[])
    }

    /// Says what a part holds besides text. Rows come in order, so do their media.
    pub fn set_media(&mut self, media: Media) {
        if self.attached.media.last().is_none_or(|m| (m.row, m.part) < (media.row, media.part)) {
            self.attached.media.push(media);
        }
    }
}
