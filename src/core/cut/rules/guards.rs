//! What a fold must leave alone: the open round, unread input, pinned rows, and reasoning the provider
//! binds to what stands before it.

use super::{About, Ground, Rule, Spans};
use crate::core::config::ReasoningBinding;
use crate::core::reasoning;

/// Inside a turn that reasons, a binding provider refuses what is changed before the reasoning.
pub(super) fn reasoning_bound(ground: &Ground<'_>, spans: &mut Spans) {
    let options = ground.options;
    let Some(open) = reasoning::open_turn(ground.transcript).filter(|_| !options.provider_drops) else { return };
    let Some(row) = reasoning::first_reasoning(ground.transcript, open) else { return };
    match options.binding {
        ReasoningBinding::None => {}
        ReasoningBinding::Turn => spans.forbid(Rule::ReasoningBound, open + 1, ground.transcript.len(), About::Row(row)),
        ReasoningBinding::Prefix => spans.forbid(Rule::ReasoningBound, 1, ground.transcript.len(), About::Row(row)),
    }
}

/// A call that waits keeps everything from its own step on.
pub(super) fn open_round(ground: &Ground<'_>, spans: &mut Spans) {
    let index = ground.transcript.index();
    let Some(round) = index.open_round() else { return };
    let waiting = (round.calls.0..round.calls.1).find(|id| index.call(*id).is_some_and(|c| c.result.is_none() && !c.by_provider));
    spans.forbid(Rule::OpenRound, round.start + 1, ground.transcript.len(), waiting.map_or(About::Row(round.start), About::Call));
}

/// What no response followed yet has not been read.
pub(super) fn unread(ground: &Ground<'_>, spans: &mut Spans) {
    let first = ground.transcript.first_unread();
    if first < ground.transcript.len() {
        spans.forbid(Rule::Unread, first + 1, ground.transcript.len(), About::Row(first));
    }
}

/// A pinned row stays where it is, and so does everything after it.
pub(super) fn pinned(ground: &Ground<'_>, spans: &mut Spans) {
    for row in ground.options.pinned {
        spans.forbid(Rule::Pinned, row + 1, ground.transcript.len(), About::Row(*row));
    }
}
