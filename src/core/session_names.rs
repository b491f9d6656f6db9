//! The part of a session that keeps the names of its rows: what each part holds, what the agent used.

use super::session::Session;
use super::transcript::{PartKind, Role, Row};

impl Session {
    /// Takes the names of a row that enters at `at`.
    pub(super) fn name_row(&mut self, at: usize, row: &mut Row) {
        for part in &mut row.parts {
            self.lexicon.take(&mut part.measure.names);
            if row.role == Role::Assistant && written(part.kind) {
                self.lexicon.used(part.measure.names.ids(), at);
            }
        }
    }

    /// Counts uses again after rows were taken back.
    pub(super) fn recount_names(&mut self) {
        self.lexicon.forget_uses();
        for (at, row) in self.transcript.rows().iter().enumerate().filter(|(_, r)| r.role == Role::Assistant) {
            for part in row.parts.iter().filter(|p| written(p.kind)) {
                self.lexicon.used(part.measure.names.ids(), at);
            }
        }
    }
}

/// What the agent says and asks for; reasoning names everything it hesitates over.
fn written(kind: PartKind) -> bool {
    matches!(kind, PartKind::Text | PartKind::Call)
}
