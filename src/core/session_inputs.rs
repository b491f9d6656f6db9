//! The part of a session that keeps shortened arguments: their entries and their sizes in the view.

use super::session::Session;
use super::state::Entry;
use super::transcript::{Call, CallId, StandIn};

/// The key of a call's arguments in the decision log.
fn input_key(call: &Call) -> String {
    format!("{}i", call.key())
}

impl Session {
    /// Whether shortened arguments stand in the view at all.
    pub(super) fn shows_inputs(&self) -> bool {
        self.config.eviction.inputs || self.state.inputs > 0
    }

    /// What is known of the arguments of a call.
    pub fn input_entry(&self, call: CallId) -> Option<&Entry> {
        if !self.shows_inputs() {
            return None;
        }
        self.state.entries.get(&input_key(self.transcript.index().call(call)?))
    }

    /// Writes an entry for the arguments of a call and keeps the view's sizes in step.
    pub fn set_input_entry(&mut self, call: CallId, entry: Entry, cause: &'static str) {
        let Some(call) = self.transcript.index().call(call).cloned() else { return };
        let stand_in = entry.edit.as_ref().map(|e| StandIn { tokens: e.tokens(), bytes: e.bytes(), media: 0 });
        self.transcript.set_stand_in(call.row, call.part, stand_in);
        self.note_change(call.row, cause);
        self.log(call.row, |entries| entries.insert(input_key(&call), entry));
        self.state.inputs += 1;
        self.dirty = true;
    }

    pub(super) fn lay_input(&mut self, row: usize, part: usize) {
        let Some(call) = self.transcript.index().call_at(row, part) else { return };
        let stand_in = self.input_entry(call).and_then(|e| e.edit.as_ref()).map(|e| StandIn { tokens: e.tokens(), bytes: e.bytes(), media: 0 });
        if self.transcript.part(row, part).is_some_and(|p| p.stand_in != stand_in) {
            self.transcript.set_stand_in(row, part, stand_in);
            self.note_change(row, "adopted");
        }
    }

    pub(super) fn lay_inputs(&mut self) {
        let places: Vec<(usize, usize)> = self.transcript.index().calls().iter().map(|c| (c.row, c.part)).collect();
        for (row, part) in places {
            self.lay_input(row, part);
        }
    }
}
