//! Which calls, rounds and turns a list has, and which result answers which call.
//!
//! Answers questions; how rows come to be paired and grouped is in `pairing`.

mod pairing;

use std::collections::BTreeMap;

use super::keyed::Keyed;

/// Index of a call in [`Index::calls`].
pub type CallId = usize;

/// One tool call and where its result is.
#[derive(Clone, Debug)]
pub struct Call {
    /// Row of the call.
    pub row: usize,
    /// Part within the row.
    pub part: usize,
    /// Durable position of the first row of its round (of its whole message, where that became several rows), if stored.
    pub position: Option<u64>,
    /// Which call at that position it is, from 0.
    pub ordinal: u32,
    /// The round it belongs to.
    pub round: usize,
    /// Which call with this id it is, from 1.
    pub occurrence: u32,
    /// Row and part of its result.
    pub result: Option<(usize, usize)>,
    /// Whether the provider runs it.
    pub by_provider: bool,
    /// Whether the server gave it no id.
    pub nameless: bool,
    /// Number of its tool.
    tool: usize,
    /// The id the model knows it by: the call id, or `id~2` when the id repeats.
    pub handle: Box<str>,
}

impl Call {
    /// The durable key of the call: position and ordinal.
    pub fn key(&self) -> String {
        match self.position {
            Some(p) => format!("{p}.{}", self.ordinal),
            None => format!("~{}", self.handle),
        }
    }
}

/// One assistant step with everything that answers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Round {
    /// First row: the assistant's.
    pub start: usize,
    /// Row after the last one.
    pub end: usize,
    /// Calls of the round: a range of [`Index::calls`].
    pub calls: (CallId, CallId),
    /// Calls without a result that the host must answer.
    pub waiting: u32,
    /// Whether any result has arrived.
    pub has_results: bool,
    /// The turn it belongs to.
    pub turn: usize,
}

impl Round {
    /// Whether every call is answered.
    pub fn is_closed(&self) -> bool {
        self.waiting == 0
    }
}

/// A result no call asks for, or a second one for the same call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stray {
    /// Row of the result.
    pub row: usize,
    /// Part within the row.
    pub part: usize,
    /// Whether its call already has a result.
    pub duplicate: bool,
}

/// Calls, rounds and turns of a transcript.
#[derive(Clone, Debug, Default)]
pub struct Index {
    calls: Vec<Call>,
    rounds: Vec<Round>,
    turns: Vec<usize>,
    strays: Vec<Stray>,
    /// Rounds with a result behind the start of the next round, ascending.
    late: Vec<usize>,
    /// Whether a result or a user row came since the last assistant row.
    answered: bool,
    /// What the calls of the running round are keyed by.
    key: Option<u64>,
    by_id: Keyed<Vec<CallId>>,
    /// Calls by the name of their tool, where results may come without an id.
    by_name: Keyed<Vec<CallId>>,
    by_result: BTreeMap<(usize, usize), CallId>,
    /// Tools by number, and the newest answered call of each.
    tools: Keyed<usize>,
    answers: Vec<Option<CallId>>,
    handles: Keyed<CallId>,
    /// Call ids of covered rows with how often they occur there, and the last covered position.
    earlier: (Option<u64>, BTreeMap<Box<str>, u32>),
    /// Handles in use, with the key of their call.
    reserved: BTreeMap<Box<str>, String>,
    /// Whether an id was seen twice; once known it stays known.
    ids_repeat: bool,
}

impl Index {
    /// Calls in order.
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// One call.
    pub fn call(&self, id: CallId) -> Option<&Call> {
        self.calls.get(id)
    }

    /// Rounds in order.
    pub fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    /// Whether some round has a result behind the start of the next one.
    pub fn has_late(&self) -> bool {
        !self.late.is_empty()
    }

    /// The first round with rows on both sides of a cut at `row`.
    pub fn round_across(&self, row: usize) -> Option<&Round> {
        let across = |r: &&Round| r.start < row && row < r.end;
        let late = self.late.iter().filter_map(|i| self.rounds.get(*i)).find(across);
        // Of all others only the last one in front of the cut can reach over it.
        late.or_else(|| self.rounds.get(self.rounds.partition_point(|r| r.start < row).checked_sub(1)?).filter(across))
    }

    /// First row of each turn; rows before the first turn belong to none.
    pub fn turns(&self) -> &[usize] {
        &self.turns
    }

    /// Results that belong to no call, or to one that is answered.
    pub fn strays(&self) -> &[Stray] {
        &self.strays
    }

    /// The call a result answers.
    pub fn call_of_result(&self, row: usize, part: usize) -> Option<CallId> {
        self.by_result.get(&(row, part)).copied()
    }

    /// The call that is this part.
    pub fn call_at(&self, row: usize, part: usize) -> Option<CallId> {
        self.calls.binary_search_by_key(&(row, part), |c| (c.row, c.part)).ok()
    }

    /// The newest call of a tool that has a result.
    pub fn newest_answered(&self, tool: &str) -> Option<CallId> {
        *self.answers.get(*self.tools.get(tool)?)?
    }

    /// The call behind a model-facing handle.
    pub fn by_handle(&self, handle: &str) -> Option<&Call> {
        self.handles.get(handle).and_then(|id| self.calls.get(*id))
    }

    /// How many calls carry this id so far, those in covered rows included.
    pub fn occurrences(&self, id: &str) -> u32 {
        let same = self.by_id.get(id).map_or(&[][..], Vec::as_slice);
        let listed = same.len() as u32;
        let (Some(boundary), Some(covered)) = (self.earlier.0, self.earlier.1.get(id)) else { return listed };
        let kept = same.iter().rev().take_while(|c| self.calls.get(**c).is_some_and(|c| c.position.is_none_or(|p| p > boundary)));
        listed.max(covered + kept.count() as u32)
    }

    /// Whether the same id was given to several calls: then what is stored under a handle may be of another call.
    pub fn ids_repeat(&self) -> bool {
        self.ids_repeat
    }

    /// An index of no rows that still knows what covered rows hold.
    pub(super) fn emptied(&mut self) -> Index {
        Index { earlier: std::mem::take(&mut self.earlier), reserved: std::mem::take(&mut self.reserved), ids_repeat: self.ids_repeat, ..Index::default() }
    }

    pub(super) fn reserve(&mut self, handles: BTreeMap<Box<str>, String>) {
        self.reserved = handles;
    }

    /// Whether the handle is some call's.
    pub fn is_reserved(&self, handle: &str) -> bool {
        self.reserved.contains_key(handle)
    }

    pub(super) fn set_earlier(&mut self, boundary: Option<u64>, ids: BTreeMap<Box<str>, u32>) {
        self.earlier = (boundary, ids);
    }

    /// The last round, if a call of it is unanswered.
    pub fn open_round(&self) -> Option<&Round> {
        self.rounds.last().filter(|r| !r.is_closed())
    }

    /// The newest call with this id in a row up to `row`.
    pub fn newest_before(&self, id: &str, row: usize) -> Option<&Call> {
        let calls = self.by_id.get(id)?;
        calls.get(..calls.partition_point(|c| self.calls.get(*c).is_some_and(|c| c.row <= row)))?.last().and_then(|c| self.calls.get(*c))
    }

    /// The call with this id just before call `than`.
    pub fn call_before(&self, id: &str, than: CallId) -> Option<&Call> {
        let calls = self.by_id.get(id)?;
        calls.get(..calls.partition_point(|c| *c < than))?.last().and_then(|c| self.calls.get(*c))
    }
}
