//! A call and its result, the results of one batch, and calls made from code: what a provider refuses to
//! see apart.

use std::collections::BTreeMap;

use super::{About, Ground, Rule, Spans};

/// A call before the cut must not have its result behind it, a second result for it included.
pub(super) fn pairs(ground: &Ground<'_>, spans: &mut Spans) {
    let transcript = ground.transcript;
    let index = transcript.index();
    let running = index.turns().last().copied().unwrap_or(0);
    for (id, call) in index.calls().iter().enumerate() {
        let rule = if call.by_provider { Rule::LateResult } else { Rule::Pair };
        match call.result {
            Some((row, _)) => spans.forbid(rule, call.row + 1, row, About::Call(id)),
            // The result of a provider's tool may still come while its turn runs.
            None if call.by_provider && call.row >= running => spans.forbid(rule, call.row + 1, transcript.len(), About::Call(id)),
            None => {}
        }
    }
    if index.strays().iter().any(|s| s.duplicate) {
        duplicates(ground, spans);
    }
}

fn duplicates(ground: &Ground<'_>, spans: &mut Spans) {
    let transcript = ground.transcript;
    let mut newest: BTreeMap<&str, usize> = BTreeMap::new();
    let mut calls = transcript.index().calls().iter().enumerate().peekable();
    for stray in transcript.index().strays().iter().filter(|s| s.duplicate) {
        while let Some((id, call)) = calls.next_if(|(_, c)| (c.row, c.part) < (stray.row, stray.part)) {
            if let Some(part) = transcript.part(call.row, call.part) {
                newest.insert(&part.id, id);
            }
        }
        let found = transcript.part(stray.row, stray.part).and_then(|p| newest.get(&*p.id)).copied();
        if let Some((id, call)) = found.and_then(|id| Some((id, transcript.index().call(id)?))) {
            spans.forbid(Rule::Pair, call.row + 1, stray.row, About::Call(id));
        }
    }
}

/// Between the first and the last result of a batch there is no seam.
pub(super) fn batches(ground: &Ground<'_>, spans: &mut Spans) {
    let index = ground.transcript.index();
    for round in index.rounds().iter().filter(|r| r.calls.1 - r.calls.0 > 1) {
        let rows = || (round.calls.0..round.calls.1).filter_map(|id| index.call(id)).filter(|c| !c.by_provider).filter_map(|c| c.result).map(|r| r.0);
        if let (Some(first), Some(last)) = (rows().min(), rows().max()) {
            spans.forbid(Rule::Batch, first + 1, last, About::Row(round.start));
        }
    }
}

/// Code that the provider runs calls tools of ours: they need the call that runs the code.
pub(super) fn callers(ground: &Ground<'_>, spans: &mut Spans) {
    let transcript = ground.transcript;
    for link in transcript.callers() {
        let called = transcript.index().calls().binary_search_by(|c| (c.row, c.part).cmp(&(link.row, link.part)));
        let caller = transcript.index().newest_before(&link.caller, link.row);
        if let (Ok(id), Some(from)) = (called, caller) {
            spans.forbid(Rule::Caller, from.row + 1, link.row, About::Call(id));
        }
    }
}
