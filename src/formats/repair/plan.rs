//! Collects what has to go, to move and to come, then lays the pieces out once.

use std::collections::{BTreeMap, BTreeSet};

use super::super::Wire;
use super::super::check::Check;
use super::super::walk::{ambiguous, answers, is_blank, is_models, late, lost_reasoning, only_reasoning, provider_unanswered, unanswered};
use super::{Fixed, Repair, Repaired, Source, carries, minds, shares_messages};
use crate::core::transcript::{CallId, Flags, Part, PartKind, Role, Transcript};

type Place = (usize, usize);

pub(super) struct Plan<'a> {
    transcript: &'a Transcript,
    wire: &'a Wire,
    /// Parts that leave.
    cut: BTreeSet<Place>,
    /// Parts whose place another part takes.
    replaced: BTreeMap<Place, Place>,
    /// Results that come after a row, in the order of their calls.
    coming: BTreeMap<usize, Vec<Source>>,
    ids: BTreeMap<Place, String>,
    unnamed: BTreeSet<Place>,
    /// Rows whose results come first.
    sorted: BTreeSet<usize>,
    repaired: Vec<Repaired>,
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
    fn heal(&mut self, check: Check, at: usize, did: impl FnOnce() -> String) -> bool {
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

    /// The messages in their new order.
    pub(super) fn laid_out(mut self) -> Repair {
        let transcript = self.transcript;
        let mut out: Vec<(Option<usize>, Role, Vec<Source>)> = Vec::new();
        let mut pending: Vec<Source> = Vec::new();
        for (at, row) in transcript.rows().iter().enumerate() {
            let mut pieces: Vec<Source> = (0..row.parts.len()).filter(|p| !self.cut.contains(&(at, *p))).map(|p| self.piece((at, p))).collect();
            if self.sorted.contains(&at) {
                pieces.sort_by_key(|s| transcript.part(s.row, s.part).is_none_or(|p| p.kind != PartKind::Result));
            }
            if !pending.is_empty() {
                let round = transcript.index().rounds().partition_point(|r| r.start < at).checked_sub(1);
                let joins = shares_messages(self.wire) && pieces.iter().any(|s| self.is_result(s)) && round.is_some_and(|r| carries(transcript, at, r));
                let coming = std::mem::take(&mut pending);
                if joins {
                    let behind = pieces.iter().rposition(|s| self.is_result(s)).map_or(0, |i| i + 1);
                    pieces.splice(behind..behind, coming);
                } else {
                    self.push_results(&mut out, coming);
                }
            }
            // A message that was empty stays only where the format lets it.
            let was_empty = row.parts.is_empty();
            if was_empty && row.role != Role::System && self.heal(Check::EmptyContent, at, || "removed a message without content".into()) {
                continue;
            }
            if !pieces.is_empty() || was_empty {
                out.push((Some(at), row.role, pieces));
            }
            if let Some(coming) = self.coming.remove(&at) {
                pending = coming.into_iter().map(|s| self.named(s)).collect();
            }
        }
        let rest = std::mem::take(&mut pending);
        self.push_results(&mut out, rest);
        self.drop_bare_reasoning(&mut out);
        let rows = out.into_iter().map(|(base, _, pieces)| fixed(transcript, base, pieces)).collect();
        self.repaired.sort_by_key(|r| r.at);
        Repair { rows, repaired: self.repaired }
    }

    fn piece(&self, place: Place) -> Source {
        let (row, part) = self.replaced.get(&place).copied().unwrap_or(place);
        self.named(Source { row, part, interrupted: false, id: None, unname: false })
    }

    /// With the id and without the item id it is to have.
    fn named(&self, mut source: Source) -> Source {
        source.id = self.ids.get(&(source.row, source.part)).cloned();
        source.unname = !source.interrupted && self.unnamed.contains(&(source.row, source.part));
        source
    }

    fn is_result(&self, source: &Source) -> bool {
        source.interrupted || self.transcript.part(source.row, source.part).is_some_and(|p| p.kind == PartKind::Result)
    }

    fn push_results(&self, out: &mut Vec<(Option<usize>, Role, Vec<Source>)>, results: Vec<Source>) {
        if shares_messages(self.wire) && !results.is_empty() {
            out.push((None, Role::Tool, results));
        } else {
            out.extend(results.into_iter().map(|s| (None, Role::Tool, vec![s])));
        }
    }

    /// Assistant messages of which nothing but reasoning is left go too.
    fn drop_bare_reasoning(&mut self, out: &mut Vec<(Option<usize>, Role, Vec<Source>)>) {
        let transcript = self.transcript;
        let of = |s: &Source| transcript.part(s.row, s.part);
        let reasons = |s: &Source| of(s).is_some_and(|p| p.kind == PartKind::Reasoning);
        let bare = |(_, role, pieces): &(Option<usize>, Role, Vec<Source>)| {
            *role == Role::Assistant && pieces.iter().any(reasons) && pieces.iter().all(|s| reasons(s) || of(s).is_some_and(is_blank))
        };
        let mut gone: BTreeSet<usize> = BTreeSet::new();
        for at in (0..out.len()).rev() {
            let leads_on = self.wire.profile.items && out.get(at + 1).is_some_and(|n| n.1 == Role::Assistant) && !gone.contains(&(at + 1));
            if out.get(at).is_some_and(bare) && !leads_on {
                let row = out.get(at).and_then(|o| o.0).unwrap_or(0);
                let was_bare = transcript.row(row).is_some_and(only_reasoning);
                if self.heal(Check::OnlyReasoning, row, || "removed an assistant message of nothing but reasoning".into()) || !was_bare {
                    gone.insert(at);
                }
            }
        }
        let mut at = 0;
        out.retain(|_| {
            at += 1;
            !gone.contains(&(at - 1))
        });
    }
}

/// A message whose pieces are just those of one message is that message.
pub(super) fn fixed(transcript: &Transcript, base: Option<usize>, pieces: Vec<Source>) -> Fixed {
    let row = pieces.first().map_or(base, |s| (!s.interrupted).then_some(s.row));
    let whole = row.is_some_and(|row| {
        transcript.row(row).is_some_and(|r| r.parts.len() == pieces.len())
            && pieces.iter().enumerate().all(|(p, s)| s.row == row && s.part == p && !s.interrupted && s.id.is_none() && !s.unname)
    });
    if whole { Fixed { base: row, parts: None } } else { Fixed { base, parts: Some(pieces) } }
}
