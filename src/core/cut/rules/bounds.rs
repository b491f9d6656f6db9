//! Where a view may resume: before an assistant row that begins a step, behind the system rows and a
//! provider's own compaction, never between reasoning and what it led to.

use super::{About, Ground, Rule, Spans};
use crate::core::transcript::{Flags, PartKind, Role, Row};

/// Only the first row of a round can follow a summary, which is a user row.
pub(super) fn boundary(ground: &Ground<'_>, spans: &mut Spans) {
    let mut from = 0;
    for round in ground.transcript.index().rounds() {
        if let Some(to) = round.start.checked_sub(1) {
            spans.forbid(Rule::Boundary, from, to, About::Row(from));
        }
        from = round.start + 1;
    }
    spans.forbid(Rule::Boundary, from, ground.transcript.len(), About::Row(from));
}

/// Leading system rows are never folded; before them there is nothing.
pub(super) fn leading(ground: &Ground<'_>, spans: &mut Spans) {
    spans.forbid(Rule::Leading, 0, ground.leading, About::Row(0));
}

/// A row of nothing but reasoning belongs to the assistant row after it.
pub(super) fn reasoning(ground: &Ground<'_>, spans: &mut Spans) {
    let rows = ground.transcript.rows();
    for (at, pair) in rows.windows(2).enumerate() {
        if let [row, next] = pair
            && next.role == Role::Assistant
            && only_reasoning(row)
        {
            spans.forbid(Rule::Reasoning, at + 1, at + 1, About::Row(at));
        }
    }
}

fn only_reasoning(row: &Row) -> bool {
    row.role == Role::Assistant && !row.parts.is_empty() && row.parts.iter().all(|p| p.kind == PartKind::Reasoning)
}

/// The provider ignores what stands before its compaction item; a failed one, without content, is nothing.
pub(super) fn compaction(ground: &Ground<'_>, spans: &mut Spans) {
    let Some((row, part)) = ground.transcript.compaction() else { return };
    spans.forbid(Rule::Compaction, 0, row, About::Row(row));
    // What nobody but the provider can read cannot go into a summary.
    if ground.transcript.part(row, part).is_some_and(|p| p.flags.has(Flags::SEALED)) {
        spans.forbid(Rule::Compaction, row + 1, ground.transcript.len(), About::Row(row));
    }
}
