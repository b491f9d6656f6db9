//! The cut plan as a panel or a host sees it.

use std::borrow::Cow;

use serde::Serialize;

use super::value::json;
use crate::core::cut::{self, Illegal, KeptBy, Mirror, Options, TailOverBudget};
use crate::core::session::Session;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Cuts {
    /// The cut a fold would take now.
    #[serde(skip_serializing_if = "Option::is_none")]
    safe: Option<usize>,
    /// What decided it.
    kept_by: KeptBy,
    /// What the fold would write down for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    mirror: Option<Mirror>,
    /// Why nothing can be folded.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tail_over_budget: Option<TailOverBudget>,
    legal: Vec<usize>,
    illegal: Vec<Illegal>,
}

pub(super) fn view(session: &Session) -> String {
    let scale = |n: u64| session.gauge.scale(n);
    // Rows that were pushed but not taken yet must stay so: `next` lays the decision log over them.
    let mut transcript = Cow::Borrowed(&session.transcript);
    if !transcript.is_settled() {
        transcript.to_mut().settle_index();
    }
    let plan = cut::plan(&transcript, session.profile.cuts, &Options::of(session, &session.pinned_rows(), &scale));
    let positions: Vec<Option<u64>> = transcript.rows().iter().map(|r| r.position).collect();
    let mirrored = plan.safe.map(|at| cut::mirror(&positions, at));
    json(&Cuts {
        safe: plan.safe,
        kept_by: plan.kept_by,
        mirror: mirrored.and_then(Result::ok),
        reason: match mirrored {
            None => Some("nothing_to_fold"),
            Some(Err(no)) => Some(no.reason()),
            Some(Ok(_)) => None,
        },
        tail_over_budget: plan.tail_over_budget,
        legal: plan.legal().collect(),
        illegal: plan.illegal(&transcript),
    })
}
