//! Which handle names which stored output, so that none is ever read for another call.
//!
//! Ids repeat on some servers, histories are taken back and written anew, and what was stored stays stored:
//! a handle that stands for something else is passed over, in this process and after a restart.

use std::collections::BTreeMap;

use super::kept::Sealed;
use super::relieve::readback;
use super::session::Session;
use super::transcript::Row;

impl Session {
    /// Tells the index which handles are somebody's: those of the decision log, and those of calls that are
    /// no more.
    pub(super) fn reserve_handles(&mut self) {
        let (entries, taken) = &self.kept.reserved;
        if self.state.entries.is(entries) && self.state.taken.is(taken) {
            return;
        }
        let logged = self.state.entries.iter().filter_map(|(key, e)| Some((e.handle.as_deref()?.into(), key.clone())));
        let mut reserved: BTreeMap<Box<str>, String> = logged.collect();
        for handle in self.state.taken.iter() {
            reserved.insert(handle.as_str().into(), String::new());
        }
        self.transcript.reserve(reserved);
        self.kept.reserved = (self.state.entries.token(), self.state.taken.token());
    }

    /// Call ids of covered rows go on being counted when the host passes those rows no more.
    pub(super) fn count_from_earlier(&mut self) {
        let mut ids: BTreeMap<Box<str>, u32> = BTreeMap::new();
        for fold in self.state.folds.iter().filter(|f| f.active) {
            for (id, n) in &fold.ids {
                *ids.entry(id.as_str().into()).or_default() += n;
            }
        }
        self.transcript.set_earlier(self.state.boundary, ids);
    }

    /// Outputs that were stored for rows behind `to` keep their handles; nobody else gets them.
    pub(super) fn take_handles_behind(&mut self, to: u64) {
        let position = |key: &str| key.split_once('.').and_then(|(p, _)| p.parse::<u64>().ok());
        let logged = self.state.entries.iter().filter(|(key, _)| position(key).is_none_or(|p| p > to)).filter_map(|(_, e)| e.handle.clone());
        let folded = self.state.folds.iter().flat_map(|f| f.stored.iter()).filter(|(_, p)| **p > to).map(|(h, _)| h.clone());
        let taken: Vec<String> = logged.chain(folded).collect();
        self.state.taken.extend(taken);
    }

    /// Positions of rows with a redacted result that were not asked for before: those that were appended since,
    /// or all of them where the decision log was written to.
    pub(super) fn newly_redacted(&mut self) -> Vec<u64> {
        let (epoch, rows) = (self.transcript.epoch(), self.transcript.len());
        let seen = &self.kept.sealed;
        let goes_on = seen.epoch == epoch && seen.rows <= rows && self.state.entries.is(&seen.entries);
        let found = match goes_on {
            true => self.redacted_from(seen.rows),
            false if self.state.entries.values().any(|e| e.redacted) => self.redacted_from(0),
            false => Vec::new(),
        };
        self.kept.sealed = Sealed { epoch, rows, entries: self.state.entries.token() };
        found
    }

    fn redacted_from(&self, from: usize) -> Vec<u64> {
        let index = self.transcript.index();
        let rows = self.transcript.rows().iter().enumerate().skip(from);
        let redacted = |(at, row): &(usize, &Row)| {
            (0..row.parts.len()).any(|part| index.call_of_result(*at, part).and_then(|c| self.entry(c)).is_some_and(|e| e.redacted))
        };
        rows.filter(redacted).filter_map(|(_, row)| row.position).collect()
    }

    /// Whether anything in the view names a handle: then the model may ask for it, whatever is kept from now on.
    pub fn shows_handles(&self) -> bool {
        let state = &self.state;
        state.entries.values().any(|e| e.handle.is_some())
            || state.blocks.iter().any(|b| b.handle.is_some())
            || self.head().iter().any(|p| p.text.contains(readback::TOOL))
    }

    /// Whether a new call may not be known by this handle.
    pub(super) fn is_taken(&self, handle: &str) -> bool {
        let index = self.transcript.index();
        index.by_handle(handle).is_some() || index.is_reserved(handle) || self.state.entries.contains_key(&format!("~{handle}"))
    }

    /// The handle a result that arrives now is stored under: the call id, or `id~2` where it repeats.
    pub fn handle_for(&self, call_id: &str) -> String {
        let index = self.transcript.index();
        let waiting = index.calls().iter().rev().find(|c| c.result.is_none() && self.transcript.part(c.row, c.part).is_some_and(|p| &*p.id == call_id));
        if let Some(call) = waiting {
            return call.handle.to_string();
        }
        let mut occurrence = index.occurrences(call_id) + 1;
        loop {
            let handle = if occurrence == 1 { call_id.to_owned() } else { format!("{call_id}~{occurrence}") };
            if !self.is_taken(&handle) {
                return handle;
            }
            occurrence += 1;
        }
    }

    /// The key of an entry whose row is not stored yet, or already is.
    pub fn provisional_key(&self, handle: &str) -> String {
        self.transcript.index().by_handle(handle).map_or_else(|| format!("~{handle}"), |c| c.key())
    }
}
