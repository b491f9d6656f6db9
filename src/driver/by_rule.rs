//! Relief by rule, while a `next` still needs it: the cascade over closed turns, then the digest inside the running one.
//!
//! Full texts are kept before anything hides them. What each stage takes is decided in the core.

use super::host::{Gap, Host, Method, Place};
use super::next::Trail;
use super::{Driver, Failure};
use crate::core::event::Outcome;
use crate::core::fold::plan;
use crate::core::ladder;
use crate::core::relieve::cascade::{self, CLAMP_CHARS};
use crate::core::relieve::digest;
use crate::core::relieve::evict::Keeping;
use crate::core::relieve::outline::Tell;
use crate::core::session::Session;
use crate::core::state::Edit;
use crate::core::transcript::CallId;

impl<H: Host> Driver<H> {
    /// Relief by rule on closed turns, each stage only while occupancy is above soft.
    pub(super) async fn cascade(&self, trail: &mut Trail) -> Result<(), Failure<H::Error>> {
        let (on, due, before) = self.with(|s| (s.config.cascade.enabled, s.guarded_tokens() >= s.thresholds().hard, s.guarded_tokens()));
        if !on || !due {
            return Ok(());
        }
        if self.hopeless() {
            trail.outcomes.push(Outcome::declined("cascade", "overhead_exceeds_budget"));
            return Ok(());
        }
        let mut did: Vec<&str> = Vec::new();
        if self.shorten_old().await {
            did.push("shortened old results");
        }
        let readable = self.host.has(Method::Rows);
        if self.needed() && self.with(|s| ladder::drop_spent(s, readable)) {
            did.push("dropped the oldest steps");
        }
        let mut turns = 0usize;
        while self.needed() {
            let over = self.with(|s| s.guarded_tokens().saturating_sub(s.thresholds().soft));
            let blocks = self.told(|s, tell| cascade::oldest_turns(s, tell, readable, over));
            let before = turns;
            for block in blocks {
                turns += usize::from(self.needed() && self.with(|s| ladder::replace_blocks(s, block, "digested")));
            }
            if turns == before {
                break;
            }
        }
        if turns > 0 {
            did.push("summarised closed turns");
        }
        if self.needed()
            && let Some(block) = self.told(|s, tell| digest::whole_digest(s, tell, readable))
            && self.with(|s| ladder::replace_blocks(s, block, "digested"))
        {
            did.push("made one digest of the closed turns");
        }
        let after = self.with(|s| s.guarded_tokens());
        self.with(|s| s.state.count_reclaimed("cascade", before.saturating_sub(after)));
        trail.outcomes.push(if did.is_empty() {
            Outcome::declined("cascade", "nothing_to_fold")
        } else {
            Outcome::done("cascade", format!("{}; {before} to {after} tokens", did.join(", ")))
        });
        Ok(())
    }

    /// What is not history fills the window by itself: taking history away would lose it for nothing.
    fn hopeless(&self) -> bool {
        self.with(|s| plan::fixed_tokens(s) > i64::from(s.thresholds().limit))
    }

    fn needed(&self) -> bool {
        self.with(|s| s.guarded_tokens() > s.thresholds().soft)
    }

    /// Plans with the texts of the running call's list at hand.
    fn told<T>(&self, plan: impl FnOnce(&Session, Tell<'_>) -> T) -> T {
        let session = self.session.borrow();
        plan(&session, &|(row, part), max| self.host.excerpt(Place { row, part }, max, None))
    }

    async fn shorten_old(&self) -> bool {
        let mut any = false;
        for (call, at) in self.with(|s| cascade::oversized(s)) {
            if !self.needed() {
                break;
            }
            let handle = self.keep_text(call, at).await;
            let output = self.host.output(Place { row: at.0, part: at.1 });
            let entry = self.with(|s| s.entry(call).cloned().unwrap_or_default());
            let loss = self.with(|s| s.loss_of(&entry));
            let media = matches!(entry.edit, Some(Edit::Clamp { media: true, .. }));
            let gap = Gap { handle: handle.as_deref(), loss, media };
            let short = self.host.shorten(&output, CLAMP_CHARS, gap);
            let after = self.host.measure(&short);
            if self.with(|s| s.transcript.part(at.0, at.1).is_none_or(|p| after.tokens >= p.view_tokens())) {
                continue;
            }
            self.with(|s| {
                let mut entry = entry;
                entry.clamped = true;
                entry.edit = Some(Edit::Clamp { cap: CLAMP_CHARS, tokens: after.tokens, bytes: after.bytes, hash: after.fingerprint(), media });
                s.set_entry(call, entry, "clamped");
            });
            any = true;
        }
        any
    }

    /// Makes sure a result's full text can be read back; its handle if it can.
    pub(super) async fn keep_text(&self, call: CallId, at: (usize, usize)) -> Option<String> {
        let entry = self.with(|s| s.entry(call).cloned().unwrap_or_default());
        if entry.redacted || entry.handle.is_some() {
            return entry.handle;
        }
        if self.keeping() != Keeping::Store {
            return None;
        }
        let handle = self.with(|s| s.transcript.index().call(call).map(|c| c.handle.to_string()))?;
        let output = self.host.output(Place { row: at.0, part: at.1 });
        let capped = self.spill(&handle, &output).await.ok()?;
        self.with(|s| {
            let mut entry = entry;
            entry.handle = Some(handle.clone());
            entry.capped = capped;
            s.set_entry(call, entry, "kept");
        });
        Some(handle)
    }

    /// The in-turn digest: near the top of the window, or when asked and no fold was made.
    pub(super) async fn digest(&self, asked: bool, trail: &mut Trail) -> Result<(), Failure<H::Error>> {
        let due = self.with(|s| s.config.cascade.enabled && s.guarded_tokens() >= s.thresholds().digest);
        if !due && !asked {
            return Ok(());
        }
        if !asked && self.hopeless() {
            trail.outcomes.push(Outcome::declined("digest", "overhead_exceeds_budget"));
            return Ok(());
        }
        let readable = self.host.has(Method::Rows);
        let Some((_, middle)) = self.told(|s, tell| digest::in_turn(s, tell, readable)) else {
            if asked || due {
                trail.outcomes.push(Outcome::declined("digest", "nothing_to_fold"));
            }
            return Ok(());
        };
        let before = self.with(|s| s.guarded_tokens());
        for (call, at) in self.with(|s| ladder::results_of(s, &middle)) {
            self.keep_text(call, at).await;
        }
        // Told again: the lines name the handles that exist only now.
        let told = self.told(|s, tell| digest::in_turn(s, tell, readable));
        if !told.is_some_and(|(block, _)| self.with(|s| ladder::replace_blocks(s, block, "digested"))) {
            trail.outcomes.push(Outcome::declined("digest", "no_progress"));
            return Ok(());
        }
        let after = self.with(|s| s.guarded_tokens());
        self.with(|s| s.state.count_reclaimed("digest", before.saturating_sub(after)));
        trail.outcomes.push(Outcome::done("digest", format!("{} steps, {before} to {after} tokens", middle.len())));
        Ok(())
    }
}
