//! Lays the pieces of a repair out, once: messages in their new order, and what each is made of.
//!
//! Decides where a result that comes stands. What goes, moves and comes is the plan's.

use std::collections::BTreeSet;

use super::super::check::Check;
use super::super::walk::{is_blank, only_reasoning};
use super::plan::{Place, Plan};
use super::{Fixed, Repair, Source, carries, shares_messages};
use crate::core::transcript::{PartKind, Role, Transcript};

/// A message on its way: the one it was, whose it is, its pieces.
type Message = (Option<usize>, Role, Vec<Source>);

impl Plan<'_> {
    /// The messages in their new order.
    pub(super) fn laid_out(mut self) -> Repair {
        let transcript = self.transcript;
        let mut out: Vec<Message> = Vec::new();
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

    fn push_results(&self, out: &mut Vec<Message>, results: Vec<Source>) {
        if shares_messages(self.wire) && !results.is_empty() {
            out.push((None, Role::Tool, results));
        } else {
            out.extend(results.into_iter().map(|s| (None, Role::Tool, vec![s])));
        }
    }

    /// Assistant messages of which nothing but reasoning is left go too.
    fn drop_bare_reasoning(&mut self, out: &mut Vec<Message>) {
        let transcript = self.transcript;
        let of = |s: &Source| transcript.part(s.row, s.part);
        let reasons = |s: &Source| of(s).is_some_and(|p| p.kind == PartKind::Reasoning);
        let bare = |(_, role, pieces): &Message| {
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
