//! The fold as a transaction: plan, ask, judge, fetch authority, render, weigh, commit, apply.
//!
//! Any failure before the commit leaves history as it was. A result that comes late lands only on the
//! rows it was made from. A commit whose outcome is not known is looked up, never repeated blindly.

mod ask;
mod tell;

use super::host::{Commit, Host, Method};
use super::{Driver, Failure};
use crate::core::event::Event;
use crate::core::fold::apply::{self, Put};
use crate::core::fold::plan::{self, FoldPlan, Reason};
use crate::core::fold::request::{Brief, Told};
use crate::core::restore::authority::Authority;
use crate::core::view::{Fold, Order};

/// A planned fold with everything the summarizer will read: the rows themselves are not needed again.
#[derive(Clone, Debug)]
pub struct Prepared {
    /// The plan.
    pub plan: FoldPlan,
    brief: Brief,
    covered: Vec<Told>,
    users: Vec<Order>,
    authority_in_head: bool,
}

/// How a fold ended.
#[derive(Clone, Debug, PartialEq)]
pub enum FoldEnd {
    /// It is in force; these were the host's rules.
    Done(Authority),
    /// It is not, for this reason.
    Declined(&'static str),
}

impl<H: Host> Driver<H> {
    /// Plans a fold of the running call's list and tells it as text.
    pub(super) fn prepare(&self, reason: Reason, focus: Option<&str>, authority_in_head: bool) -> Result<Prepared, &'static str> {
        if !self.host.has(Method::Summarize) {
            return Err("unavailable");
        }
        let plan = self.with(|s| plan::plan(s, reason))?;
        Ok(self.prepare_from(plan, focus, authority_in_head))
    }

    /// Tells the rows of a plan as text.
    pub(super) fn prepare_from(&self, plan: FoldPlan, focus: Option<&str>, authority_in_head: bool) -> Prepared {
        self.capture_span(&plan);
        let (covered, tail, users, previous) = self.tell(&plan);
        let preserve = focus.map(str::to_owned).into_iter().collect();
        let kept = self.with(|s| s.transcript.rows().iter().filter(|r| !r.is_hidden() && r.key_position().is_none_or(|p| p > plan.covered)).count());
        let brief = Brief { reason: plan.reason.as_str().to_owned(), tokens: plan.tokens, preserve, previous, tail, kept };
        Prepared { plan, brief, covered, users, authority_in_head }
    }

    /// Runs a prepared fold to its end.
    pub(super) async fn run_fold(&self, prepared: Prepared) -> Result<FoldEnd, Failure<H::Error>> {
        let reason = prepared.plan.reason.as_str();
        self.host.emit(&Event::Folding { reason, tokens: prepared.plan.tokens });
        let end = self.transact(&prepared).await;
        match &end {
            Ok(FoldEnd::Declined(why)) => {
                self.with(|s| {
                    if why.starts_with("summarizer_") {
                        let now = s.guarded_tokens();
                        let breaker = &mut s.state.breaker;
                        breaker.failures += 1;
                        if breaker.failures >= 3 {
                            breaker.opened_at = Some(now);
                        }
                        s.dirty = true;
                    }
                });
                self.host.emit(&Event::Declined { stage: "fold", reason: why });
            }
            Err(Failure::Host(_)) => self.host.emit(&Event::Declined { stage: "fold", reason: "cancelled" }),
            Err(Failure::Ours(_)) => self.host.emit(&Event::Declined { stage: "fold", reason: "stale" }),
            Ok(FoldEnd::Done(authority)) => self.promote(&prepared.plan, authority.memory.as_deref()).await,
        }
        self.host.release(&prepared.plan.id);
        end
    }

    async fn transact(&self, prepared: &Prepared) -> Result<FoldEnd, Failure<H::Error>> {
        let (text, warnings) = match self.ask(prepared).await? {
            Ok(briefing) => briefing,
            Err(why) => return Ok(FoldEnd::Declined(why)),
        };
        let authority = if self.host.has(Method::Authority) {
            match self.host.authority().await {
                Ok(authority) => authority,
                Err(error) if self.host.cancelled() => return Err(Failure::Host(error)),
                Err(_) => return Ok(FoldEnd::Declined("authority_unavailable")),
            }
        } else {
            Authority::default()
        };
        let plan = &prepared.plan;
        if !self.with(|s| apply::still_holds(s, plan)) {
            return Ok(FoldEnd::Declined("stale"));
        }
        let put = Put { authority: prepared.authority_in_head, readable: self.host.has(Method::Rows) };
        let (fold, before) = self.with(|s| {
            let fold = apply::render(s, plan, &text, &authority, put, prepared.users.clone());
            (fold, s.occupancy().tokens)
        });
        let (new, now) = self.with(|s| apply::net(s, &fold));
        if new >= now {
            return Ok(FoldEnd::Declined("summarizer_inflated"));
        }
        if let Err(why) = self.commit_fold(&fold, plan).await? {
            return Ok(FoldEnd::Declined(why));
        }
        let after = self.with(|s| s.occupancy().tokens);
        self.host.emit(&Event::Folded { id: fold.id, reason: plan.reason.as_str(), before, after, covered: fold.to, warnings });
        Ok(FoldEnd::Done(authority))
    }

    /// Writes the fold; applied only when it is durable.
    async fn commit_fold(&self, fold: &Fold, plan: &FoldPlan) -> Result<Result<(), &'static str>, Failure<H::Error>> {
        if !self.host.has(Method::Commit) {
            self.with(|s| {
                apply::record(&mut s.state, fold.clone());
                s.dirty = true;
                s.after_fold();
            });
            return Ok(Ok(()));
        }
        for _ in 0..2 {
            let mut state = self.state();
            apply::record(&mut state, fold.clone());
            match self.host.commit(&state, self.version.get()).await {
                Ok(Commit::Done(version)) => {
                    self.saw(version);
                    self.with(|s| {
                        apply::record(&mut s.state, fold.clone());
                        s.dirty = false;
                        s.after_fold();
                    });
                    return Ok(Ok(()));
                }
                Ok(Commit::Conflict) => {
                    self.reload().await?;
                    if !self.with(|s| apply::still_holds(s, plan)) {
                        return Ok(Err("stale"));
                    }
                }
                // The write may have happened all the same: look before anything else.
                Err(error) => {
                    let known = self.reload().await;
                    if known.is_ok() && self.landed(fold) {
                        return Ok(Ok(()));
                    }
                    return if self.host.cancelled() { Err(Failure::Host(error)) } else { Ok(Err("unavailable")) };
                }
            }
        }
        Ok(Err("stale"))
    }

    /// Whether the state that was just read holds this very fold.
    fn landed(&self, fold: &Fold) -> bool {
        self.with(|s| s.state.folds.iter().any(|f| f.active && f.id == fold.id))
    }
}
