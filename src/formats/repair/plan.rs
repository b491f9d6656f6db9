//! Collects what has to go, to move and to come, one rule after the other.
//!
//! Decides what a format wants healed and how; where the pieces then stand is `layout`'s.

use std::collections::{BTreeMap, BTreeSet};

use super::super::Wire;
use super::super::check::Check;
use super::super::walk::{ambiguous, answers, is_blank, is_models, late, lost_reasoning, provider_unanswered, unanswered};
use super::{Repaired, Source, minds};
use crate::core::transcript::{CallId, Flags, Part, PartKind, Role, Transcript};

pub(super) type Place = (usize, usize);

pub(super) struct Plan<'a> {
    pub(super) transcript: &'a Transcript,
    pub(super) wire: &'a Wire,
    /// Parts that leave.
    pub(super) cut: BTreeSet<Place>,
    /// Parts whose place another part takes.
    pub(super) replaced: BTreeMap<Place, Place>,
    /// Results that come after a row, in the order of their calls.
    pub(super) coming: BTreeMap<usize, Vec<Source>>,
    pub(super) ids: BTreeMap<Place, String>,
    pub(super) unnamed: BTreeSet<Place>,
    /// Rows whose results come first.
    pub(super) sorted: BTreeSet<usize>,
    pub(super) repaired: Vec<Repaired>,
}

impl<'a> Plan<'a> {
    pub(super) fn new(transcript: &'a Transcript, wire: &'a Wire) -> Self {
        Plan {
            transcript,
            wire,
            cut: BTreeSet::new(),
            replaced: BTreeMap::new(),
            coming: BTreeMap::new(),
            ids: BTreeMap::new(),
            unnamed: BTreeSet::new(),
            sorted: BTreeSet::new(),
            repaired: Vec::new(),
        }
    }

    /// Notes a repair and says whether the format wants it.
    pub(super) fn heal(&mut self, check: Check, at: usize, did: impl FnOnce() -> String) -> bool {
        let Some(ruling) = minds(self.wire, check) else { return false };
        self.repaired.push(Repaired { rule: ruling.rule, at, did: did() });
        true
    }

    fn id_at(&self, (row, part): Place) -> &'a str {
        self.transcript.part(row, part).map_or("", |p| &p.id)
    }

    /// Orphans go, of several results the last one stays, missing ones come, late ones move.
    pub(super) fn results(&mut self) {
        let transcript = self.transcript;
        let mut last: BTreeMap<CallId, Place> = BTreeMap::new();
        for stray in transcript.index().strays() {
            let place = (stray.row, stray.part);
            let id = self.id_at(place);
            let in_assistant = transcript.row(stray.row).is_some_and(|r| r.role == Role::Assistant);
            let check = match (stray.duplicate, in_assistant) {
                (true, _) => Check::DuplicateResult,
                (false, true) => Check::ProviderOrphan,
                (false, false) => Check::OrphanResult,
            };
            let did = || match stray.duplicate {
                true => format!("of the results of `{id}` the last one stays"),
                false => format!("removed the result of `{id}`, which no call asks for"),
            };
            if self.heal(check, stray.row, did) {
                self.cut.insert(place);
                if let Some(call) = stray.duplicate.then(|| self.call_answered_before(id, place)).flatten() {
                    last.insert(call, place);
                }
            }
        }
        for (call, place) in last {
            if let Some(first) = transcript.index().call(call).and_then(|c| c.result) {
                self.replaced.insert(first, place);
            }
        }
        let mut moves: BTreeMap<CallId, Option<Place>> = BTreeMap::new();
        for id in unanswered(transcript, self.wire) {
            let Some(call) = transcript.index().call(id) else { continue };
            let name = self.id_at((call.row, call.part));
            if self.heal(Check::Unanswered, call.row, || format!("call `{name}` got a result that says it was interrupted")) {
                moves.insert(id, None);
            }
        }
        for id in late(transcript, self.wire) {
            let Some((call, result)) = transcript.index().call(id).and_then(|c| Some((c, c.result?))) else { continue };
            let name = self.id_at((call.row, call.part));
            if self.heal(Check::LateResult, result.0, || format!("moved the result of `{name}` to its call")) {
                moves.insert(id, Some(result));
            }
        }
        self.results_first(&mut moves);
        for (id, from) in moves {
            self.bring(id, from);
        }
    }

    /// The call a repeated result belongs to: the newest one before it with this id.
    fn call_answered_before(&self, id: &str, place: Place) -> Option<CallId> {
        let index = self.transcript.index();
        let call = index.newest_before(id, place.0)?;
        index.calls().binary_search_by(|c| (c.row, c.part).cmp(&(call.row, call.part))).ok()
    }

    /// In a user turn results come first: sorted inside a message, moved out of a later one.
    fn results_first(&mut self, moves: &mut BTreeMap<CallId, Option<Place>>) {
        if minds(self.wire, Check::ResultsNotFirst).is_none() {
            return;
        }
        let transcript = self.transcript;
        let mut other_rows = false;
        for (at, row) in transcript.rows().iter().enumerate() {
            if matches!(row.role, Role::Assistant | Role::System) {
                other_rows = false;
                continue;
            }
            let mut other = false;
            for (p, part) in row.parts.iter().enumerate() {
                let answered = answers(transcript, at, p);
                match answered.filter(|id| part.kind == PartKind::Result && !moves.contains_key(id)) {
                    Some(id) if other_rows => {
                        self.heal(Check::ResultsNotFirst, at, || format!("moved the result of `{}` in front of what the user said", part.id));
                        moves.insert(id, Some((at, p)));
                    }
                    Some(_) if other => {
                        self.heal(Check::ResultsNotFirst, at, || format!("moved the result of `{}` to the beginning of its message", part.id));
                        self.sorted.insert(at);
                    }
                    Some(_) => {}
                    None => other |= part.kind != PartKind::Result && !self.cut.contains(&(at, p)),
                }
            }
            other_rows |= other;
        }
    }

    /// A result comes to its call: from elsewhere, or as one that says the call was interrupted.
    fn bring(&mut self, id: CallId, from: Option<Place>) {
        let Some(call) = self.transcript.index().call(id) else { return };
        let (row, part) = match from {
            Some(place) => {
                self.cut.insert(place);
                self.replaced.remove(&place).unwrap_or(place)
            }
            None => (call.row, call.part),
        };
        let rows = self.transcript.rows();
        // Where messages are items, results come behind the last item of the step.
        let mut after = call.row;
        while self.wire.profile.items && rows.get(after + 1).is_some_and(|r| r.role == Role::Assistant) {
            after += 1;
        }
        self.coming.entry(after).or_default().push(Source { row, part, interrupted: from.is_none(), id: None, unname: false });
    }

    /// Questions without a call and answers without a question go.
    #[allow(clippy::collapsible_match, reason = "healing is an effect; a guard only looks")]
    pub(super) fn approvals(&mut self) {
        let transcript = self.transcript;
        let mut asked: BTreeSet<&str> = BTreeSet::new();
        for (at, row) in transcript.rows().iter().enumerate() {
            for (p, part) in row.parts.iter().enumerate() {
                match part.kind {
                    PartKind::ApprovalRequest if transcript.index().newest_before(&part.name, at).is_none() => {
                        if self.heal(Check::RequestWithoutCall, at, || format!("removed the request `{}`, whose call is gone", part.id)) {
                            self.cut.insert((at, p));
                        }
                    }
                    PartKind::ApprovalRequest => {
                        asked.insert(&part.id);
                    }
                    PartKind::ApprovalResponse if !asked.contains(&*part.id) => {
                        if self.heal(Check::AnswerWithoutRequest, at, || format!("removed the answer `{}`, whose request is gone", part.id)) {
                            self.cut.insert((at, p));
                        }
                    }
                    _ => {}
                }
            }
        }
    }

    /// A provider's call that can no longer be answered goes, with the reasoning right before it.
    pub(super) fn provider_calls(&mut self) {
        let transcript = self.transcript;
        for id in provider_unanswered(transcript) {
            let Some(call) = transcript.index().call(id) else { continue };
            let name = self.id_at((call.row, call.part));
            if !self.heal(Check::ProviderUnanswered, call.row, || format!("removed the provider's call `{name}`, which was never answered")) {
                continue;
            }
            self.cut.insert((call.row, call.part));
            let before = (0..call.part).rev().take_while(|p| transcript.part(call.row, *p).is_some_and(|x| x.kind == PartKind::Reasoning));
            self.cut.extend(before.map(|p| (call.row, p)));
        }
    }

    /// Calls that share an id get numbers, and so do their results and the questions about them.
    pub(super) fn ids(&mut self) {
        let transcript = self.transcript;
        let index = transcript.index();
        let shared = ambiguous(transcript);
        let mut taken: BTreeSet<String> = BTreeSet::new();
        for (id, call) in index.calls().iter().enumerate().filter(|(_, c)| c.occurrence > 1 && is_models(transcript, c)) {
            let check = if shared.contains(&id) { Check::AmbiguousId } else { Check::RepeatedId };
            if check == Check::RepeatedId && self.wire.ids_repeat {
                continue;
            }
            let name = self.id_at((call.row, call.part));
            let fresh = (call.occurrence..).map(|n| format!("{name}_{n}")).find(|n| index.occurrences(n) == 0 && !taken.contains(n)).unwrap_or_default();
            if !self.heal(check, call.row, || format!("the calls named `{name}` are kept apart: this one is `{fresh}` now")) {
                continue;
            }
            taken.insert(fresh.clone());
            self.ids.insert((call.row, call.part), fresh.clone());
            if let Some(result) = call.result {
                self.ids.insert(self.replaced.get(&result).copied().unwrap_or(result), fresh.clone());
            }
            let parts = transcript.row(call.row).map_or(&[][..], |r| r.parts.as_slice());
            let request = parts
                .iter()
                .enumerate()
                .skip(call.part)
                .find(|(p, x)| x.kind == PartKind::ApprovalRequest && &*x.name == name && !self.ids.contains_key(&(call.row, *p)));
            if let Some((p, _)) = request {
                self.ids.insert((call.row, p), fresh);
            }
        }
        if self.wire.governed_ids {
            for (row, part) in lost_reasoning(transcript) {
                if self.heal(Check::LostReasoning, row, || "removed an item id whose reasoning is gone".into()) {
                    self.unnamed.insert((row, part));
                }
            }
        }
        self.foreign_ids();
    }

    /// Item ids that the provider did not give; without them the items are as good. Reasoning needs its own to be
    /// found again, unless it brings its content along.
    fn foreign_ids(&mut self) {
        for (at, row) in self.transcript.rows().iter().enumerate() {
            let lost = |p: &Part| p.kind == PartKind::Reasoning && !p.flags.has(Flags::SIGNED);
            for (p, _) in row.parts.iter().enumerate().filter(|(_, p)| p.flags.has(Flags::FOREIGN_ID) && !lost(p)) {
                if self.heal(Check::ForeignId, at, || "removed an item id that the API did not give".into()) {
                    self.unnamed.insert((at, p));
                }
            }
        }
    }

    /// Blank text goes, and messages of which nothing is left.
    pub(super) fn blanks(&mut self) {
        for (at, row) in self.transcript.rows().iter().enumerate().filter(|(_, r)| r.role != Role::System) {
            let blank: Vec<usize> = row.parts.iter().enumerate().filter(|(_, p)| is_blank(p)).map(|(p, _)| p).collect();
            let check = if blank.len() == row.parts.len() { Check::BlankRow } else { Check::BlankText };
            if !blank.is_empty()
                && self.heal(check, at, || if check == Check::BlankRow { "removed a message of blank text".into() } else { "removed blank text".into() })
            {
                self.cut.extend(blank.into_iter().map(|p| (at, p)));
            }
        }
    }
}
