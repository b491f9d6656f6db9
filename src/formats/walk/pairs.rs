//! Calls and results, approvals and callers: whether each has what it needs, and where.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::super::Placing;
use super::super::check::Check;
use super::Walk;
use crate::core::transcript::{Call, CallId, Flags, PartKind, Role, Transcript};

pub(super) fn check(walk: &mut Walk<'_>) {
    calls(walk);
    strays(walk);
    results_first(walk);
    approvals(walk);
    callers(walk);
}

fn calls(walk: &mut Walk<'_>) {
    let transcript = walk.transcript;
    let ambiguous = ambiguous(transcript);
    for (id, call) in transcript.index().calls().iter().enumerate().filter(|(_, c)| is_models(transcript, c)) {
        let name = transcript.part(call.row, call.part).map_or("", |p| &p.id);
        match call.result {
            None if call.by_provider => {
                if call.row < walk.running {
                    let mixed = (walk.wire.demands)(Check::MoreThanResults).is_some() && mixed_turn(transcript, call.row + 1);
                    walk.report(if mixed { Check::MoreThanResults } else { Check::ProviderUnanswered }, call.row, Some(call.part), || {
                        format!("the provider's call `{name}` in message {} has no result", call.row)
                    });
                }
            }
            None => {
                let check = if is_open(walk, call) { Check::OpenCall } else { Check::Unanswered };
                let known = walk.findings.len();
                walk.report(check, call.row, Some(call.part), || format!("call `{name}` in message {} has no result", call.row));
                if let Some(finding) = walk.findings.get_mut(known).filter(|_| !is_answerable(transcript, call)) {
                    finding.repairable = false;
                }
            }
            Some(result) => one_pair(walk, call, result),
        }
        if ambiguous.contains(&id) {
            walk.report(Check::AmbiguousId, call.row, Some(call.part), || {
                format!("call `{name}` in message {} shares its id with a call that waits beside it", call.row)
            });
        } else if call.occurrence > 1 && !walk.wire.ids_repeat {
            walk.report(Check::RepeatedId, call.row, Some(call.part), || format!("call `{name}` in message {} repeats the id of an earlier call", call.row));
        }
    }
}

/// Whether the turn that begins here holds results and something else.
fn mixed_turn(transcript: &Transcript, from: usize) -> bool {
    let parts = || transcript.rows().iter().skip(from).take_while(|r| r.role != Role::Assistant).flat_map(|r| &r.parts).map(|p| p.kind == PartKind::Result);
    parts().any(|result| result) && parts().any(|result| !result)
}

/// Whether a call stands where calls stand; one elsewhere is misplaced, and nothing else is said of it.
pub(in crate::formats) fn is_models(transcript: &Transcript, call: &Call) -> bool {
    transcript.row(call.row).is_some_and(|r| r.role == Role::Assistant)
}

/// Whether a result could say which call it answers.
pub(in crate::formats) fn is_answerable(transcript: &Transcript, call: &Call) -> bool {
    transcript.part(call.row, call.part).is_some_and(|p| !p.id.is_empty() || (p.flags.has(Flags::BY_NAME) && !p.name.is_empty()))
}

/// Whether a call may still get its result: nothing was asked of the model since.
pub(super) fn is_open(walk: &Walk<'_>, call: &Call) -> bool {
    call.round + 1 == walk.transcript.index().rounds().len() && !walk.users_between(call.row + 1, walk.transcript.len()) && !went_on(walk, call)
}

/// Where items of one step may stand between its results: whether the model has said something since one came.
fn went_on(walk: &Walk<'_>, call: &Call) -> bool {
    let mut answered = false;
    walk.wire.profile.items
        && walk.transcript.rows().iter().skip(call.row + 1).any(|r| {
            answered |= r.role == Role::Tool;
            answered && r.role == Role::Assistant && r.parts.iter().any(|p| p.kind == PartKind::Text)
        })
}

fn one_pair(walk: &mut Walk<'_>, call: &Call, (row, part): (usize, usize)) {
    let transcript = walk.transcript;
    if late(walk, call, row) {
        let name = transcript.part(row, part).map_or("", |p| &p.id);
        walk.report(Check::LateResult, row, Some(part), || format!("the result of `{name}` stands in message {row}, its call in message {}", call.row));
    }
    let named = |r: usize, p: usize| transcript.part(r, p).map_or("", |x| &*x.name);
    let (asked, answered) = (named(call.row, call.part), named(row, part));
    if !asked.is_empty() && !answered.is_empty() && asked != answered {
        walk.report(Check::WrongName, row, Some(part), || format!("message {row}, part {part}: the result names another tool than its call"));
    }
}

/// Whether a result stands where the format does not look for it.
pub(super) fn late(walk: &Walk<'_>, call: &Call, row: usize) -> bool {
    let from = call.row + 1;
    let in_user = matches!(walk.wire.placing, Placing::NextUserTurn | Placing::NextRow);
    let role = walk.transcript.row(row).map(|r| r.role);
    // In a message that cannot hold a result it is misplaced, and moving the message would not help.
    if call.by_provider || !(role == Some(Role::Tool) || (in_user && role == Some(Role::User))) {
        return false;
    }
    match walk.wire.placing {
        Placing::After => false,
        Placing::BeforeUser => walk.users_between(from, row),
        Placing::Directly => walk.others_between(from, row),
        Placing::NextUserTurn => walk.assistants_between(from, row),
        Placing::NextRow => row != from,
    }
}

/// Calls that share an id with another of their step, or with one whose result comes only behind them. One that
/// is never answered takes nothing away: results belong to the newest call with their id.
pub(in crate::formats) fn ambiguous(transcript: &Transcript) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    if !transcript.index().ids_repeat() {
        return found;
    }
    // By id: the step of the call before, and where the last result of the calls so far stands.
    let mut before: BTreeMap<&str, (usize, (usize, usize))> = BTreeMap::new();
    // Ids of calls that stand where no call stands and wait for ever: they would take what answers a later one.
    let mut astray: BTreeSet<&str> = BTreeSet::new();
    for (id, call) in transcript.index().calls().iter().enumerate() {
        let Some(part) = transcript.part(call.row, call.part) else { continue };
        if !is_models(transcript, call) {
            if call.result.is_none() {
                astray.insert(&part.id);
            }
            continue;
        }
        if call.occurrence > 1 && call.result.is_none() && astray.contains(&*part.id) {
            found.insert(id);
        }
        let last = call.result.filter(|_| !call.by_provider).unwrap_or_default();
        match before.entry(&part.id) {
            Entry::Vacant(place) => {
                place.insert((call.round, last));
            }
            Entry::Occupied(mut place) => {
                let (round, furthest) = *place.get();
                // Calls without an id are told as that.
                if call.occurrence > 1 && (round == call.round || furthest > (call.row, call.part)) {
                    found.insert(id);
                }
                place.insert((call.round, furthest.max(last)));
            }
        }
    }
    found
}

fn strays(walk: &mut Walk<'_>) {
    let transcript = walk.transcript;
    for stray in transcript.index().strays() {
        let id = transcript.part(stray.row, stray.part).map_or("", |p| &p.id);
        let in_assistant = transcript.row(stray.row).is_some_and(|r| r.role == Role::Assistant);
        let at = (stray.row, Some(stray.part));
        match (stray.duplicate, in_assistant) {
            (true, _) => walk.report(Check::DuplicateResult, at.0, at.1, || format!("message {} holds a second result for call `{id}`", stray.row)),
            (false, true) => {
                walk.report(Check::ProviderOrphan, at.0, at.1, || format!("message {} holds a result of `{id}`, which no message calls", stray.row))
            }
            (false, false) => {
                walk.report(Check::OrphanResult, at.0, at.1, || format!("message {} holds a result of `{id}`, which no message before it calls", stray.row))
            }
        }
    }
}

/// The call that a result answers, if it stands where calls stand.
pub(in crate::formats) fn answers(transcript: &Transcript, row: usize, part: usize) -> Option<CallId> {
    let id = transcript.index().call_of_result(row, part)?;
    transcript.index().call(id).filter(|c| is_models(transcript, c)).map(|_| id)
}

/// In a user turn, which may span messages, results come before everything else.
fn results_first(walk: &mut Walk<'_>) {
    if walk.wire.placing != Placing::NextUserTurn {
        return;
    }
    let transcript = walk.transcript;
    let mut other = false;
    for (at, row) in transcript.rows().iter().enumerate() {
        if matches!(row.role, Role::Assistant | Role::System) {
            other = false;
            continue;
        }
        for (p, part) in row.parts.iter().enumerate() {
            if part.kind != PartKind::Result {
                other = true;
            } else if other && answers(transcript, at, p).is_some() {
                walk.report(Check::ResultsNotFirst, at, Some(p), || format!("message {at}, part {p}: something stands before the result of `{}`", part.id));
            }
        }
    }
}

fn approvals(walk: &mut Walk<'_>) {
    let transcript = walk.transcript;
    let mut asked: BTreeSet<&str> = BTreeSet::new();
    for (at, row) in transcript.rows().iter().enumerate() {
        for (p, part) in row.parts.iter().enumerate() {
            match part.kind {
                PartKind::ApprovalRequest => {
                    asked.insert(&part.id);
                    if transcript.index().newest_before(&part.name, at).is_none() {
                        walk.report(Check::RequestWithoutCall, at, Some(p), || {
                            format!("message {at} asks for consent `{}` to a call that no message holds", part.id)
                        });
                    }
                }
                PartKind::ApprovalResponse if !asked.contains(&*part.id) => {
                    walk.report(Check::AnswerWithoutRequest, at, Some(p), || format!("message {at} answers `{}`, which no message before it asks", part.id));
                }
                _ => {}
            }
        }
    }
}

fn callers(walk: &mut Walk<'_>) {
    let transcript = walk.transcript;
    for link in transcript.callers() {
        if transcript.index().newest_before(&link.caller, link.row).is_none() {
            walk.report(Check::CallerGone, link.row, Some(link.part), || {
                format!("message {} holds a call made by `{}`, which no message holds", link.row, link.caller)
            });
        }
    }
}
