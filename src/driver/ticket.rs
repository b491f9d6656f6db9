//! A fold away from the request that saw it coming: planned at rest, made from the store, in any process.
//!
//! A ticket is the plan alone. Whoever carries it out reads state and rows anew and refuses when they are
//! not what the plan was made from.

use super::host::{Host, Method};
use super::{Driver, Failure, FoldEnd};
use crate::core::event::Event;
use crate::core::fold::apply;
use crate::core::fold::plan::{self, FoldPlan, Reason};

impl<H: Host> Driver<H> {
    /// The fold that is due after a response and can be made before the next request: occupancy is at soft,
    /// and an eviction would not bring it below.
    pub fn due_at_rest(&self) -> Option<FoldPlan> {
        let able = [Method::Summarize, Method::Rows, Method::Load, Method::Commit].into_iter().all(|m| self.host.has(m));
        if !able || !self.writable.get() || self.folding.get() {
            return None;
        }
        let due = self.with(|s| {
            let soft = s.thresholds().soft;
            let now = s.occupancy().tokens;
            let wanted = s.config.summarize.enabled && s.config.summarize.background && now >= soft;
            let evictable = if s.config.eviction.enabled && wanted { plan::evictable(s) } else { 0 };
            if wanted && now.saturating_sub(evictable) >= soft { plan::plan(s, Reason::Soft).ok() } else { None }
        });
        if due.is_some() {
            // What the request before planned and nobody started is overtaken.
            self.planned.take();
        }
        due
    }

    /// Says at a task boundary how full the window is, where the host wants to know.
    pub fn suggest_handoff(&self) -> Option<Event> {
        self.with(|s| {
            let nudge = &s.config.handoff_nudge;
            let used = f64::from(s.occupancy().tokens) / f64::from(s.model.window.max(1));
            (nudge.enabled && used >= nudge.at_fraction).then_some(Event::HandoffSuggested { used_fraction: used, at_fraction: nudge.at_fraction })
        })
    }

    /// Carries a ticket out on the rows that were handed in.
    pub async fn fold_ticket(&self, plan: FoldPlan) -> Result<FoldEnd, Failure<H::Error>> {
        self.with(|s| s.take_rows())?;
        if !self.host.has(Method::Summarize) || !self.writable.get() {
            return Ok(self.decline(if self.writable.get() { "unavailable" } else { "state_newer" }));
        }
        // A ticket comes from outside: what it claims to cover must end before what it keeps.
        if plan.first_kept.is_some_and(|kept| plan.covered >= kept) {
            return Ok(self.decline("mirror_mismatch"));
        }
        if !self.with(|s| apply::still_holds(s, &plan)) {
            return Ok(self.decline("stale"));
        }
        let end = self.run_fold(self.prepare_from(plan, None, true)).await?;
        if matches!(end, FoldEnd::Declined(_)) && self.with(|s| s.dirty) {
            // The failure counts for the breaker wherever the fold was tried; a lost count is no harm.
            let _ = self.write().await;
        }
        Ok(end)
    }

    fn decline(&self, reason: &'static str) -> FoldEnd {
        self.host.emit(&Event::Declined { stage: "fold", reason });
        FoldEnd::Declined(reason)
    }

    /// Whether somebody makes a fold of this conversation; a second one is not started meanwhile.
    pub fn set_folding(&self, folding: bool) {
        self.folding.set(folding);
    }

    /// Takes over what somebody else wrote.
    pub async fn catch_up(&self) -> Result<(), Failure<H::Error>> {
        self.reload().await
    }
}
