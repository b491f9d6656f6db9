//! The part of a session that keeps the decision log and lays it over the rows: what an entry says of a result is
//! what stands in its place, and nothing else does.
//!
//! An entry is known by its call's key and holds for the result it was made for: a position that was taken back and
//! used again gets nobody's stub.

use std::collections::BTreeMap;

use super::error::{Code, Error};
use super::event::EvictedResult;
use super::measure::meter::measure;
use super::relieve::readback;
use super::session::Session;
use super::state::{Edit, Entry, Loss};
use super::transcript::{CallId, PartKind};

impl Session {
    /// What is known of the result of a call.
    pub fn entry(&self, call: CallId) -> Option<&Entry> {
        self.state.entries.get(&self.transcript.index().call(call)?.key())
    }

    /// Why the text that an entry shortens cannot be read back in full.
    pub fn loss_of(&self, entry: &Entry) -> Option<Loss> {
        if entry.redacted {
            Some(Loss::Redacted)
        } else if entry.capped {
            Some(Loss::OverCap)
        } else if entry.handle.is_some() {
            None
        } else if self.config.tool_output.persist_raw {
            Some(Loss::NoStore)
        } else {
            Some(Loss::PersistOff)
        }
    }

    /// Writes to the decision log about a call whose rows begin at `row`.
    pub(super) fn log<R>(&mut self, row: usize, write: impl FnOnce(&mut BTreeMap<String, Entry>) -> R) -> R {
        self.aged.forget_at(row);
        let known = self.kept.drawn.knows(&self.state.entries);
        let done = write(&mut self.state.entries);
        if known {
            self.kept.drawn.goes_on(&self.state.entries);
            self.transcript.touch(row);
        }
        done
    }

    /// Keeps what is known of an output that arrives before its row.
    pub fn log_arrival(&mut self, handle: &str, entry: Entry) {
        let row = self.transcript.index().by_handle(handle).map_or(self.transcript.len(), |c| c.row);
        let key = self.provisional_key(handle);
        self.log(row, |entries| entries.insert(key, entry));
        self.dirty = true;
    }

    /// Writes an entry and keeps the view's sizes in step.
    pub fn set_entry(&mut self, call: CallId, mut entry: Entry, cause: &'static str) {
        let Some(call) = self.transcript.index().call(call).cloned() else { return };
        if let Some((row, part)) = call.result {
            entry.of = self.transcript.part(row, part).filter(|_| entry.edit.is_some()).map_or_else(String::new, |p| p.measure.fingerprint());
            let stand_in = entry.edit.as_ref().map(|e| e.stand_in(self.transcript.part(row, part)));
            let changed = self.transcript.part(row, part).is_some_and(|p| p.stand_in != stand_in);
            self.transcript.set_stand_in(row, part, stand_in);
            if changed {
                self.note_change(row, cause);
            }
        }
        self.log(call.result.map_or(call.row, |r| r.0), |entries| entries.insert(call.key(), entry));
        self.dirty = true;
    }

    pub(super) fn lay_entry(&mut self, row: usize, part: usize) -> Result<(), Error> {
        match self.transcript.part(row, part).map(|p| p.kind) {
            Some(PartKind::Call) => {
                self.lay_input(row, part);
                return Ok(());
            }
            Some(PartKind::Media) => {
                self.lay_media(row, part);
                return Ok(());
            }
            _ => {}
        }
        let Some(id) = self.transcript.index().call_of_result(row, part) else { return Ok(()) };
        let Some((entry, edit)) = self.entry(id).and_then(|e| Some((e, e.edit.as_ref()?))) else { return Ok(()) };
        let Some(measured) = self.transcript.part(row, part).map(|p| &p.measure) else { return Ok(()) };
        let found = measured.fingerprint();
        let ours = match edit {
            Edit::Stub { text, .. } => measured.hash == measure(self.config.estimate.counter, text).hash,
            Edit::Clamp { hash, .. } => found == *hash,
            Edit::Input { .. } => false,
        };
        if !ours && !entry.of.is_empty() && entry.of != found {
            self.forget_entry(id);
            return Ok(());
        }
        if ours {
            return Err(Error::new(
                Code::ViewRecorded,
                format!("`messages[{row}]` holds what an earlier view showed; pass the rows as the host recorded them, not a previous view"),
            ));
        }
        let stand_in = edit.stand_in(self.transcript.part(row, part));
        self.transcript.set_stand_in(row, part, Some(stand_in));
        Ok(())
    }

    /// Brings what stands in for parts in step with the decision log: what it does not name stands there itself.
    pub(super) fn lay_edits(&mut self) {
        self.lay_inputs();
        self.lay_all_media();
        self.lay_stripped(0);
        for (call, row, part) in self.results_from(0) {
            let foreign = |e: &Entry| self.transcript.part(row, part).is_some_and(|p| !e.of.is_empty() && e.of != p.measure.fingerprint());
            if self.entry(call).is_some_and(foreign) {
                self.forget_entry(call);
            }
            let stand_in = self.entry(call).and_then(|e| e.edit.as_ref()).map(|e| e.stand_in(self.transcript.part(row, part)));
            if self.transcript.part(row, part).is_some_and(|p| p.stand_in != stand_in) {
                self.transcript.set_stand_in(row, part, stand_in);
                self.note_change(row, "adopted");
            }
        }
    }

    /// The result is another one than the entry was made for.
    fn forget_entry(&mut self, call: CallId) {
        if let Some(call) = self.transcript.index().call(call) {
            let (key, row) = (call.key(), call.result.map_or(call.row, |r| r.0));
            let handle = self.log(row, |entries| entries.remove(&key)).and_then(|e| e.handle);
            self.state.taken.extend(handle);
            self.dirty = true;
        }
    }

    /// Entries made before their row was stored get the row's key.
    pub(super) fn settle_provisional(&mut self) {
        let provisional: Vec<String> = self.state.entries.range("~".to_owned()..).map(|(k, _)| k.clone()).collect();
        for key in provisional {
            let Some(handle) = key.strip_prefix('~') else { continue };
            let Some(call) = self.transcript.index().by_handle(handle).filter(|c| c.position.is_some()) else { continue };
            let (settled, row) = (call.key(), call.row);
            let moved = self.log(row, |entries| entries.remove(&key).map(|entry| entries.insert(settled, entry)));
            self.dirty |= moved.is_some();
        }
    }

    /// A result as the host is told of it: whose it was and what about.
    pub fn evicted(&self, call: CallId) -> Option<EvictedResult> {
        let call = self.transcript.index().call(call)?;
        let part = self.transcript.part(call.row, call.part)?;
        let target = if &*part.name == readback::TOOL { String::new() } else { part.target.to_string() };
        Some(EvictedResult { tool_call_id: part.id.to_string(), tool_name: part.name.to_string(), target })
    }
}
