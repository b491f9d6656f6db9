//! What the next relief would do, for somebody who looks at the gauge before it happens.
//!
//! Plans and changes nothing; the stage itself plans again when it is due.

use serde::Serialize;

use super::relieve::aged;
use super::relieve::evict::{self, Keeping};
use super::session::Session;

/// The cheapest stage that would act, and what it would free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NextRelief {
    /// Its name.
    pub stage: &'static str,
    /// Results it would replace.
    pub result_count: u32,
    /// Net tokens it would free.
    pub reclaimed_tokens: u32,
    /// Occupancy from which it acts.
    pub at_tokens: u32,
}

/// What an evict pass would free once occupancy reaches its threshold; absent when nothing may go.
pub fn next_relief(session: &Session, keeping: Keeping) -> Option<NextRelief> {
    if !session.config.eviction.enabled {
        return None;
    }
    let thresholds = session.thresholds();
    let occupancy = session.occupancy().tokens.max(thresholds.evict);
    let old = aged::rounds_in(session, 0, aged::old_end(session, session.config.eviction.keep_recent_rounds));
    let editable = session.first_editable();
    let candidates: Vec<_> = evict::candidates(session, keeping, &old).into_iter().filter(|v| editable(v.at.0)).collect();
    let plan = evict::plan(session, occupancy, candidates, Vec::new(), thresholds.to, None);
    let freed = session.gauge.scale(plan.freed);
    if plan.victims.is_empty() || freed < session.config.eviction.clear_at_least {
        return None;
    }
    Some(NextRelief { stage: "evict", result_count: plan.victims.len() as u32, reclaimed_tokens: freed, at_tokens: thresholds.evict })
}
