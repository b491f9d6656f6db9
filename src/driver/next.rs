//! One `next`: relieve what is due, make it durable, hand out the recipe.
//!
//! A view is only ever made of decisions that are durable, where the host has a store: an eviction whose
//! commit failed does not happen. Two servers on one session end with the same decisions, because the
//! loser reads the winner's and plans again once.

use serde::{Deserialize, Serialize};

use super::fold_stage::Stage;
use super::host::{Commit, Host, Method, Place};
use super::{Driver, Failure};
use crate::core::assemble::{self, Prefix};
use crate::core::drawn::{self, Drawing};
use crate::core::event::{Event, Outcome};
use crate::core::fold::plan::FoldPlan;
use crate::core::ladder;
use crate::core::measure::occupancy::Occupancy;
use crate::core::relieve::economy::Account;
use crate::core::relieve::limit;
use crate::core::session_state::Mark;

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
    pub steps: Drawing,
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
    /// What an eviction costs and saves at the host's prices; absent without prices and where none is due.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<Account>,
}

/// What the stages of one call collect.
#[derive(Debug, Default)]
pub(super) struct Trail {
    pub(super) outcomes: Vec<Outcome>,
    pub(super) events: Vec<Event>,
}

impl Trail {
    /// Only what arrived and what was folded is independent of the running commit.
    fn forget_undurable(&mut self) {
        self.outcomes.retain(|o| matches!(o.stage, "clamp" | "fold"));
        self.events.retain(|e| !matches!(e, Event::Evicted { .. }));
    }
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
            let mut mark = self.with(|s| s.mark());
            match self.relieve(ask, &mut mark, &mut trail).await {
                Ok(fold) => (background, record, folded) = (fold.background, fold.record, fold.folded),
                Err(failure) => {
                    self.with(|s| s.go_back(mark));
                    return Err(failure);
                }
            }
            if self.with(|s| s.dirty) && self.host.has(Method::Commit) {
                self.make_durable(mark, ask, &mut trail).await?;
            }
        } else {
            trail.outcomes.push(Outcome::declined("state", "state_newer"));
        }
        self.with(|s| {
            if let Some(error) = limit::verdict(s) {
                return Err(error.into());
            }
            s.switched = false;
            let steps = drawn::draw(s)?;
            let occupancy = s.occupancy();
            let prefix = assemble::take_prefix(s);
            let sent = s.sent();
            s.gauge.sent(sent);
            let Trail { outcomes, events } = trail;
            Ok(NextReport { steps, occupancy, before: s.raw_tokens(), outcomes, events, prefix, background, record, folded, cache: self.account.take() })
        })
    }

    async fn relieve(&self, ask: &Ask, mark: &mut Mark, trail: &mut Trail) -> Result<Stage, Failure<H::Error>> {
        self.lossless(mark, trail).await?;
        let fold = self.fold_stage(ask, trail).await?;
        if fold.folded {
            // Kept reasoning that was bound to what is folded now goes with it.
            self.with(|s| s.strip_reasoning(s.first_kept()));
            // The fold is durable, and with it what was decided before it.
            *mark = self.with(|s| s.mark());
            // The prefix is new anyway: what may still be evicted goes now rather than at the next call.
            trail.outcomes.retain(|o| o.stage != "evict" || o.outcome == "done");
            self.evict(trail).await;
        }
        self.lossy(ask, fold.folded, trail).await?;
        self.still_wanted()?;
        Ok(fold)
    }

    /// What arrived is dealt with first and stays, whatever the store says: a secret that was taken out
    /// must not come back because a commit failed. `mark` moves to the point before the evictions.
    async fn lossless(&self, mark: &mut Mark, trail: &mut Trail) -> Result<(), Failure<H::Error>> {
        self.clamp(trail).await?;
        self.still_wanted()?;
        *mark = self.with(|s| s.mark());
        self.limits(trail).await;
        self.evict(trail).await;
        self.still_wanted()
    }

    fn still_wanted(&self) -> Result<(), Failure<H::Error>> {
        self.host.cancel_reason().map_or(Ok(()), |reason| Err(Failure::Host(reason)))
    }

    async fn lossy(&self, ask: &Ask, folded: bool, trail: &mut Trail) -> Result<(), Failure<H::Error>> {
        self.cascade(trail).await?;
        self.digest(ask.compact && !folded, trail).await?;
        self.recall(trail).await?;
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

    /// Writes the decision log; on a conflict takes the other's and plans again once.
    ///
    /// A decision is only shown when it is durable: when the store fails, `mark` is what remains.
    async fn make_durable(&self, mut mark: Mark, ask: &Ask, trail: &mut Trail) -> Result<(), Failure<H::Error>> {
        let (declined, failed) = match self.commit_or_follow(&mut mark, ask, trail).await {
            Committed::Yes => return Ok(()),
            Committed::Overtaken => ("stale", None),
            Committed::StoreFailed => ("unavailable", None),
            Committed::Failed(failure) => ("unavailable", Some(failure)),
        };
        self.with(|s| s.go_back(mark));
        if let Some(failure) = failed {
            return Err(failure);
        }
        self.still_wanted()?;
        trail.forget_undurable();
        trail.outcomes.push(Outcome::declined("evict", declined));
        Ok(())
    }

    async fn relieve_again(&self, mark: &mut Mark, ask: &Ask, trail: &mut Trail) -> Result<(), Failure<H::Error>> {
        self.lossless(mark, trail).await?;
        self.lossy(ask, false, trail).await?;
        self.still_wanted()
    }

    async fn commit_or_follow(&self, mark: &mut Mark, ask: &Ask, trail: &mut Trail) -> Committed<H::Error> {
        for last in [false, true] {
            match self.host.commit(&self.state(), self.version.get()).await {
                Ok(Commit::Done(version)) => {
                    self.saw(version);
                    self.with(|s| s.dirty = false);
                    return Committed::Yes;
                }
                Ok(Commit::Conflict) if self.host.has(Method::Load) => match self.reload().await {
                    Ok(()) => *mark = self.with(|s| s.mark()),
                    Err(Failure::Host(_)) => return Committed::StoreFailed,
                    Err(ours) => return Committed::Failed(ours),
                },
                Ok(Commit::Conflict) => return Committed::Overtaken,
                Err(_) => return Committed::StoreFailed,
            }
            if !last {
                trail.forget_undurable();
                if let Err(failure) = self.relieve_again(mark, ask, trail).await {
                    return Committed::Failed(failure);
                }
                if !self.with(|s| s.dirty) {
                    return Committed::Yes;
                }
            }
        }
        Committed::Overtaken
    }
}

/// How writing the decision log ended.
enum Committed<E> {
    /// What is in force is what the store holds.
    Yes,
    /// Somebody else keeps writing, or the host cannot tell what was written.
    Overtaken,
    /// The store did not answer.
    StoreFailed,
    /// Nothing can be sent at all.
    Failed(Failure<E>),
}
