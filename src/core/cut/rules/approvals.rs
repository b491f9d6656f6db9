//! Consent: the call, the question and the answer are one atom. Answers name only the question, never a
//! tool or a call, so the search spans messages.

use std::collections::BTreeMap;

use super::{About, Ground, Rule, Spans};
use crate::core::transcript::PartKind;

/// From the call to the last row that speaks of it.
pub(super) fn approvals(ground: &Ground<'_>, spans: &mut Spans) {
    let transcript = ground.transcript;
    // Approval id → where its atom begins, and its request.
    let mut asked: BTreeMap<&str, usize> = BTreeMap::new();
    for (at, row) in transcript.rows().iter().enumerate() {
        for (part_at, part) in row.parts.iter().enumerate() {
            let about = About::Part(at, part_at);
            match part.kind {
                PartKind::ApprovalRequest => {
                    let call = transcript.index().newest_before(&part.name, at);
                    let first = call.map_or(at, |c| c.row);
                    let last = call.and_then(|c| c.result).map_or(at, |r| r.0.max(at));
                    asked.insert(&part.id, first);
                    spans.forbid(Rule::Approval, first + 1, last, about);
                }
                PartKind::ApprovalResponse => {
                    if let Some(first) = asked.get(&*part.id) {
                        spans.forbid(Rule::Approval, first + 1, at, about);
                    }
                }
                _ => {}
            }
        }
    }
}
