//! One `next`: relieve what is due, make it durable, hand out the recipe.
//!
//! A view is only ever made of decisions that are durable, where the host has a store: an eviction whose
//! commit failed does not happen. Two servers on one session end with the same decisions, because the
//! loser reads the winner's and plans again once.

use serde::{Deserialize, Serialize};

use super::host::{Commit, Host, Method, Place};
use super::{Driver, Failure};
use crate::core::assemble::{self, Prefix, Step};
use crate::core::event::{Event, Outcome};
use crate::core::fold::plan::FoldPlan;
use crate::core::ladder;
use crate::core::measure::occupancy::Occupancy;
use crate::core::relieve::evict::{Declined, Victim};
use crate::core::relieve::limit;
use crate::core::state::State;

/// What the host asks for.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Ask {
    /// `compact()`: relief is wanted, whatever the thresholds say.
    pub compact: bool,
    /// At the host's chapter boundary.
    pub chapter: bool,
    /// What the next chapter begins with.
    pub brief: Option<String>,
    /// What the briefing should keep in view.
    pub focus: Option<String>,
}

/// What `next` decided.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NextReport {
    /// The view as steps over the host's list.
    pub steps: Vec<Step>,
    /// Tokens in the window now.
    pub occupancy: Occupancy,
    /// What the host's list would weigh if nothing had been relieved.
    pub before: u32,
    /// One per stage that was due.
    pub outcomes: Vec<Outcome>,
    /// What happened, besides what was told at once.
    pub events: Vec<Event>,
    /// How much of the view the provider has seen before.
    pub prefix: Prefix,
    /// A fold that may be made in the background.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub background: Option<FoldPlan>,
    /// The text of a row for the host to store.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// Whether a fold came into force in this call.
    pub folded: bool,
}

/// What the stages of one call collect.
#[derive(Debug, Default)]
pub(super) struct Trail {
    pub(super) outcomes: Vec<Outcome>,
    pub(super) events: Vec<Event>,
}

impl<H: Host> Driver<H> {
    /// Plans the view of the rows that were handed in.
    pub async fn next(&self, ask: &Ask) -> Result<NextReport, Failure<H::Error>> {
        self.with(|s| {
            s.gauge.begin();
            s.take_rows()
        })?;
        let mut trail = Trail::default();
        let (mut background, mut record, mut folded) = (None, None, false);
        if self.writable.get() {
            let mut before = self.state();
            self.lossless(&mut trail).await?;
            let fold = self.fold_stage(ask, &mut trail).await?;
            (background, record, folded) = (fold.background, fold.record, fold.folded);
            if folded {
                before = self.state();
            }
            self.lossy(ask, folded, &mut trail).await?;
            if self.with(|s| s.dirty) && self.host.has(Method::Commit) {
                self.make_durable(before, ask, &mut trail).await?;
            }
        } else {
            trail.outcomes.push(Outcome::declined("state", "state_newer"));
        }
        self.with(|s| {
            if let Some(error) = limit::verdict(s) {
                return Err(error.into());
            }
            let steps = assemble::recipe(s)?;
            let occupancy = s.occupancy();
            let prefix = assemble::take_prefix(s);
            let sent = s.sent();
            s.gauge.sent(sent);
            let Trail { outcomes, events } = trail;
            Ok(NextReport { steps, occupancy, before: s.raw_tokens(), outcomes, events, prefix, background, record, folded })
        })
    }

    async fn lossless(&self, trail: &mut Trail) -> Result<(), Failure<H::Error>> {
        self.clamp(trail).await?;
        self.evict(trail).await;
        Ok(())
    }

    async fn lossy(&self, ask: &Ask, folded: bool, trail: &mut Trail) -> Result<(), Failure<H::Error>> {
        self.cascade(trail).await?;
        self.digest(ask.compact && !folded, trail).await?;
        self.with(|s| ladder::recite(s, folded));
        Ok(())
    }

    async fn clamp(&self, trail: &mut Trail) -> Result<(), Failure<H::Error>> {
        let hook = self.host.has(Method::Redact);
        let mut clamped = 0;
        for arrival in self.with(|s| ladder::plan_arrivals(s, hook)) {
            let output = self.host.output(Place { row: arrival.at.0, part: arrival.at.1 });
            let (arrived, _) = self.arrive(&arrival.tool, &arrival.handle, arrival.cap, output).await?;
            clamped += u32::from(arrived.clamped.is_some());
            self.with(|s| ladder::apply_arrival(s, &arrival, &arrived));
        }
        if clamped > 0 {
            trail.outcomes.push(Outcome::done("clamp", format!("{clamped} results shortened")));
        }
        Ok(())
    }

    async fn evict(&self, trail: &mut Trail) {
        let keeping = self.with(|s| ladder::keeping(&s.config.tool_output, self.host.has(Method::Raw)));
        let plan = match self.with(|s| ladder::plan_evict(s, keeping)) {
            None => return,
            Some(Err(Declined::BelowMinimum)) => return trail.outcomes.push(Outcome::declined("evict", "below_minimum")),
            Some(Err(Declined::NoProgress)) => return trail.outcomes.push(Outcome::declined("evict", "no_progress")),
            Some(Ok(plan)) => plan,
        };
        let mut safe: Vec<(Victim, bool)> = Vec::new();
        for victim in plan.victims {
            if victim.loss.is_some() || victim.stored {
                safe.push((victim, false));
                continue;
            }
            let output = self.host.output(Place { row: victim.at.0, part: victim.at.1 });
            // A text that could not be saved stays in the view: hiding it would lose it.
            if let Ok(capped) = self.spill(&victim.handle, &output).await {
                safe.push((victim, capped));
            }
        }
        if safe.is_empty() {
            return trail.outcomes.push(Outcome::declined("evict", "unavailable"));
        }
        let done = self.with(|s| ladder::apply_evict(s, &safe));
        if done.results == 0 {
            return trail.outcomes.push(Outcome::declined("evict", "below_minimum"));
        }
        trail.outcomes.push(Outcome::done("evict", format!("{} results, {} tokens", done.results, done.reclaimed)));
        let targets = self.with(|s| safe.iter().filter_map(|(v, _)| s.target_of(v.call)).collect());
        trail.events.push(Event::Evicted { reclaimed_tokens: done.reclaimed, result_count: done.results, targets });
    }

    /// Writes the decision log; on a conflict takes the other's and plans again once.
    async fn make_durable(&self, before: State, ask: &Ask, trail: &mut Trail) -> Result<(), Failure<H::Error>> {
        for attempt in 0..2 {
            let state = self.state();
            match self.host.commit(&state, self.version.get()).await {
                Ok(Commit::Done(version)) => {
                    self.version.set(Some(version));
                    self.with(|s| s.dirty = false);
                    return Ok(());
                }
                Ok(Commit::Conflict) => {
                    self.reload().await?;
                    *trail = Trail::default();
                    if attempt == 0 {
                        self.lossless(trail).await?;
                        self.lossy(ask, false, trail).await?;
                        if !self.with(|s| s.dirty) {
                            return Ok(());
                        }
                    } else {
                        trail.outcomes.push(Outcome::declined("evict", "stale"));
                    }
                }
                Err(error) => {
                    self.with(|s| s.adopt(before));
                    if self.host.cancelled() {
                        return Err(Failure::Host(error));
                    }
                    *trail = Trail::default();
                    trail.outcomes.push(Outcome::declined("evict", "unavailable"));
                    return Ok(());
                }
            }
        }
        Ok(())
    }
}
