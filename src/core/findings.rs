//! What is odd about a conversation, said openly: a list for people and for the host's own checks.
//!
//! Decides nothing and changes nothing; every stage already copes with what is listed here.

use serde::Serialize;

use super::cut::{self, Options};
use super::session::Session;

/// One oddity.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Its name.
    pub kind: &'static str,
    /// Index in the host's list.
    pub at: usize,
    /// Numbers for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// Everything odd about the list as it stands, by kind.
pub fn findings(session: &Session) -> Vec<Finding> {
    let index = session.transcript.index();
    let open = index.open_round().map(|r| r.start);
    let plain = |kind, at| Finding { kind, at, detail: None };
    let mut out: Vec<Finding> = index.strays().iter().map(|x| plain(if x.duplicate { "duplicate_result" } else { "orphan_result" }, x.row)).collect();
    out.extend(index.rounds().iter().filter(|r| !r.is_closed() && Some(r.start) != open).map(|r| plain("unanswered_call", r.start)));
    if session.boundary_snapped() {
        out.push(plain("boundary_snapped", session.first_kept()));
    }
    let pinned = session.pinned_rows();
    let scale = |n: u64| session.gauge.scale(n);
    let plan = cut::plan(&session.transcript, session.profile.cuts, &Options::of(session, &pinned, &scale));
    // A heavy tail matters once there is something in front of it to fold.
    if let (Some(at), Some(tail)) = (plan.safe.filter(|cut| *cut > session.first_kept()), plan.tail_over_budget) {
        let detail = format!("the tail asked for has {} tokens, {} stay, the bound is {}", tail.asked, tail.kept, tail.bound);
        out.push(Finding { kind: "tail_over_budget", at, detail: Some(detail) });
    }
    let mut told = |kind, detail: String| out.push(Finding { kind, at: session.transcript.len(), detail: Some(detail) });
    if session.inconsistent {
        told("inconsistent_usage", "the provider's total contradicts its parts; the parts count".to_owned());
    }
    if let Some(jump) = session.gauge.drift() {
        told("overhead_drift", format!("what the messages do not show jumped by {jump} tokens"));
    }
    if let Some(at) = session.cut_at {
        told("truncated_by_server", format!("the server counted {at} tokens of a much larger request"));
    }
    out
}
