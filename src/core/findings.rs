//! What is odd about a conversation, said openly: a list for people and for the host's own checks.
//!
//! Decides nothing and changes nothing; every stage already copes with what is listed here.

use serde::Serialize;

use super::cut::{self, Options};
use super::event::EvictedResult;
use super::relieve::media;
use super::session::Session;
use super::state::Edit;
use super::transcript::Row;

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
    /// The calls it is about.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<String>,
}

/// A stretch of so many characters without white space is no text: base64, a hash table, minified code. It weighs
/// several times what as many characters of words do.
const OPAQUE_RUN: u32 = 10_000;

/// Everything odd about the list as it stands, by kind.
pub fn findings(session: &Session) -> Vec<Finding> {
    let index = session.transcript.index();
    let open = index.open_round().map(|r| r.start);
    let plain = |kind, at| Finding { kind, at, detail: None, calls: Vec::new() };
    let mut out: Vec<Finding> = index.strays().iter().map(|x| plain(if x.duplicate { "duplicate_result" } else { "orphan_result" }, x.row)).collect();
    out.extend(index.rounds().iter().filter(|r| !r.is_closed() && Some(r.start) != open).map(|r| plain("unanswered_call", r.start)));
    if session.boundary_snapped() {
        out.push(plain("boundary_snapped", session.first_kept()));
    }
    out.extend(evicted_targets(session));
    let opaque = |r: &Row| !r.is_hidden() && r.parts.iter().any(|p| p.stand_in.is_none() && p.measure.run >= OPAQUE_RUN);
    out.extend(session.transcript.rows().iter().enumerate().filter(|(_, r)| opaque(r)).map(|(at, _)| plain("opaque_run", at)));
    let pinned = session.pinned_rows();
    let scale = |n: u64| session.gauge.scale(n);
    let plan = cut::plan(&session.transcript, session.profile.cuts, &Options::of(session, &pinned, &scale));
    // A heavy tail matters once there is something in front of it to fold.
    if let (Some(at), Some(tail)) = (plan.safe.filter(|cut| *cut > session.first_kept()), plan.tail_over_budget) {
        let detail = format!("the tail asked for has {} tokens, {} stay, the bound is {}", tail.asked, tail.kept, tail.bound);
        out.push(Finding { kind: "tail_over_budget", at, detail: Some(detail), calls: Vec::new() });
    }
    let mut told = |kind, detail: String| out.push(Finding { kind, at: session.transcript.len(), detail: Some(detail), calls: Vec::new() });
    if session.inconsistent {
        told("inconsistent_usage", "the provider's total contradicts its parts; the parts count".to_owned());
    }
    for words in media::exceeded(session) {
        told("limit_exceeded", words);
    }
    if let Some(jump) = session.gauge.drift() {
        told("overhead_drift", format!("what the messages do not show jumped by {jump} tokens"));
    }
    if let Some(at) = session.cut_at {
        told("truncated_by_server", format!("the server counted {at} tokens of a much larger request"));
    }
    out
}

/// Results that are not in the view any more and say what they were about: whoever keeps "unchanged since"
/// notes on a target has to show it whole again.
fn evicted_targets(session: &Session) -> Option<Finding> {
    let calls = session.results_from(session.first_kept()).into_iter().filter(|(call, row, part)| {
        let gone = session.transcript.part(*row, *part).is_some_and(|p| p.stand_in.is_some());
        gone && session.entry(*call).is_some_and(|e| matches!(e.edit, Some(Edit::Stub { .. })))
    });
    let told: Vec<(usize, EvictedResult)> =
        calls.filter_map(|(call, row, _)| Some((row, session.evicted(call)?))).filter(|(_, r)| !r.target.is_empty()).collect();
    let at = told.first()?.0;
    let detail = Some(format!("{} results", told.len()));
    Some(Finding { kind: "evicted_targets", at, detail, calls: told.into_iter().map(|(_, r)| r.tool_call_id).collect() })
}
