//! The part of a session that goes on from another state: one that somebody else wrote, or the one a plan started from.

use super::fold::apply;
use super::relieve::aged;
use super::session::{Change, Session};
use super::state::{Edit, Entry, State};

/// Where a plan started from.
#[derive(Clone, Debug)]
pub struct Mark {
    state: State,
    dirty: bool,
    change: Option<Change>,
}

impl Session {
    /// What a plan starts from, to go back to when it cannot be made durable.
    pub fn mark(&self) -> Mark {
        Mark { state: self.state.clone(), dirty: self.dirty, change: self.change.clone() }
    }

    /// Goes back to where a plan started from.
    pub fn go_back(&mut self, mut mark: Mark) {
        // A fold that landed meanwhile is durable by its own commit; it stays.
        let known = mark.state.folds.len();
        if self.state.folds.get(..known).is_some_and(|folds| folds == mark.state.folds.as_slice()) {
            for fold in self.state.folds.iter().skip(known) {
                apply::record(&mut mark.state, fold.clone());
            }
        }
        self.adopt(mark.state);
        self.dirty |= mark.dirty;
        self.change = mark.change;
    }

    /// Takes over a state that somebody else wrote. What only this process knows of results that arrived
    /// here (redacted, stored, shortened before their first send) is kept.
    pub fn merge(&mut self, mut state: State) {
        let mut kept = false;
        for (key, mut entry) in std::mem::take(&mut self.state.entries).into_inner() {
            // A stub that was not committed never was; what is known of the text behind it still holds.
            if matches!(entry.edit, Some(Edit::Stub { .. } | Edit::Input { .. })) {
                entry.edit = None;
                entry.of.clear();
            }
            if entry != Entry::default() && !state.entries.contains_key(&key) {
                state.entries.insert(key, entry);
                kept = true;
            }
        }
        self.adopt(state);
        self.dirty |= kept;
    }

    /// Goes on from another state.
    pub fn adopt(&mut self, state: State) {
        let moved = state.boundary != self.state.boundary;
        self.state = state;
        self.count_from_earlier();
        self.aged = aged::Both::default();
        self.dirty = false;
        if moved {
            self.gauge.overtake();
        }
        let taken = self.state.taken.len();
        self.lay_edits();
        self.reserve_handles();
        if self.state.taken.len() > taken {
            self.transcript.reindex();
        }
        self.lay_view(usize::MAX, "adopted");
    }
}
