//! Reasoning that left the view with an edit before it, kept in step with the decision log.
//!
//! What left stays out until its rows are folded: a provider that refused the block once refuses it in
//! every later request. Rows are known by position, so a row without one cannot lose its reasoning.

use super::config::{ReasoningBinding, ReasoningOnEdit};
use super::reasoning::{self, Decision, Stripped};
use super::session::Session;
use super::transcript::{Flags, PartKind, StandIn};

/// What stands in the place of reasoning that left: nothing.
const NOTHING: StandIn = StandIn { tokens: 0, bytes: 0, media: 0 };

impl Session {
    /// What the model's provider binds reasoning to.
    pub fn binding(&self) -> ReasoningBinding {
        self.config.reasoning_binding.unwrap_or(ReasoningBinding::None)
    }

    /// What an edit whose earliest row is `edit_from` asks for.
    pub fn reasoning_policy(&self, edit_from: usize) -> Decision {
        // Where signatures sit on the calls, reasoning is not what is bound.
        if self.profile.signed_calls {
            return Decision::Free;
        }
        let decision = reasoning::policy(&self.transcript, self.binding(), self.config.reasoning_on_edit, edit_from);
        let unknown = |s: &Stripped| self.transcript.row(s.row).is_none_or(|r| r.position.is_none());
        match decision {
            Decision::Strip(rows) if rows.iter().any(unknown) => Decision::Postpone,
            other => other,
        }
    }

    /// The first row an edit may touch now without breaking reasoning of the running turn.
    pub fn first_editable(&self) -> impl Fn(usize) -> bool {
        let open = reasoning::open_turn(&self.transcript).filter(|_| !self.profile.signed_calls);
        let choice = self.config.reasoning_on_edit;
        // Where even closed turns keep their reasoning, the whole list is bound like the running turn.
        let open = if choice == ReasoningOnEdit::Postpone && self.binding() == ReasoningBinding::Prefix && !self.profile.signed_calls { Some(0) } else { open };
        let last = open.and_then(|open| reasoning::last_reasoning(&self.transcript, open));
        let binding = if choice == ReasoningOnEdit::ProviderDrop { ReasoningBinding::None } else { self.binding() };
        move |row| match (binding, open, last) {
            (ReasoningBinding::Turn, Some(open), Some(last)) => row < open || row > last,
            (ReasoningBinding::Prefix, Some(_), Some(last)) => row > last,
            _ => true,
        }
    }

    /// Lets go of the reasoning that an edit at `edit_from` breaks. Returns how many rows lose some.
    pub fn strip_reasoning(&mut self, edit_from: usize) -> usize {
        let Decision::Strip(rows) = self.reasoning_policy(edit_from) else { return 0 };
        let before = self.state.stripped.len();
        self.state.stripped.extend(rows.iter().filter_map(|s| self.transcript.row(s.row)?.position));
        let changed = self.state.stripped.len() - before;
        if changed > 0 {
            self.dirty = true;
            self.lay_stripped(0);
            if let Some(first) = rows.first() {
                self.note_change(first.row, "stripped");
            }
        }
        changed
    }

    /// Hides what left from row `from` on, and shows what is back.
    pub(super) fn lay_stripped(&mut self, from: usize) {
        for row in from..self.transcript.len() {
            let Some(at) = self.transcript.row(row) else { continue };
            let gone = at.position.is_some_and(|p| self.state.stripped.contains(&p));
            let parts: Vec<usize> =
                at.parts.iter().enumerate().filter(|(_, p)| p.kind == PartKind::Reasoning && p.stand_in.is_some() != gone).map(|(i, _)| i).collect();
            for part in parts {
                self.transcript.set_stand_in(row, part, gone.then_some(NOTHING));
            }
        }
    }

    /// What a row loses: its reasoning parts, and the parts that keep all but their item id.
    pub fn stripped_of(&self, row: usize) -> (Vec<usize>, Vec<usize>) {
        let Some(at) = self.transcript.row(row).filter(|r| r.position.is_some_and(|p| self.state.stripped.contains(&p))) else { return Default::default() };
        let of = |wanted: fn(&super::transcript::Part) -> bool| at.parts.iter().enumerate().filter(|(_, p)| wanted(p)).map(|(i, _)| i).collect();
        (of(|p| p.kind == PartKind::Reasoning), of(|p| p.kind != PartKind::Reasoning && p.flags.has(Flags::ITEM_ID)))
    }
}
