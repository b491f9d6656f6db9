//! What the next relief would do, for somebody who looks at the gauge before it happens.
//!
//! Plans and changes nothing; the stage itself plans again when it is due.

use serde::Serialize;

use super::measure::meter::measure;
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
    let candidates = evict::candidates(&session.transcript, &|id| session.entry(id).cloned(), &session.config, keeping);
    let counter = session.config.estimate.counter;
    let cost = |victim: &evict::Victim| evict::stub_of(&session.transcript, victim, victim.loss).map_or(u32::MAX, |text| measure(counter, &text).tokens);
    let scale = |n: u64| session.gauge.scale(n);
    let plan = evict::plan_evict(candidates, occupancy, &thresholds, &session.config, None, &cost, &scale).ok()?;
    let freed: u64 = plan.victims.iter().map(|v| u64::from(v.before.saturating_sub(cost(v)))).sum();
    Some(NextRelief { stage: "evict", result_count: plan.victims.len() as u32, reclaimed_tokens: scale(freed), at_tokens: thresholds.evict })
}
