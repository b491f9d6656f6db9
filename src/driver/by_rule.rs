//! The lossy stages of a `next`: the fold when it is due, then relief by rule while it is still needed.

use super::fold::FoldEnd;
use super::host::{Host, Method, Place};
use super::next::{Ask, Trail};
use super::{Driver, Failure};
use crate::core::event::Outcome;
use crate::core::fold::plan::{self, FoldPlan, Reason};
use crate::core::ladder;
use crate::core::relieve::cascade::{self, CLAMP_CHARS};
use crate::core::relieve::digest;
use crate::core::relieve::evict::Keeping;
use crate::core::restore::authority::Authority;
use crate::core::state::{Edit, Loss};
use crate::core::transcript::CallId;
use crate::core::view::{Block, BlockKind};

/// What became of the fold stage.
#[derive(Debug, Default)]
pub(super) struct Stage {
    pub(super) background: Option<FoldPlan>,
    pub(super) record: Option<String>,
    pub(super) folded: bool,
}

impl<H: Host> Driver<H> {
    pub(super) async fn fold_stage(&self, ask: &Ask, trail: &mut Trail) -> Result<Stage, Failure<H::Error>> {
        if ask.chapter {
            return self.chapter(ask, trail).await;
        }
        if ask.compact {
            let folded = self.fold_now(Reason::Asked, ask.focus.as_deref(), true, trail).await?.is_some();
            return Ok(Stage { folded, ..Stage::default() });
        }
        let (soft, mut hard, background, switched) = self.with(|s| {
            let t = s.thresholds();
            (s.occupancy().tokens >= t.soft, s.guarded_tokens() >= t.hard, s.config.summarize.background, s.switched)
        });
        if !soft && !hard {
            return Ok(Stage::default());
        }
        if !self.host.has(Method::Summarize) || !self.with(|s| s.config.summarize.enabled) {
            trail.outcomes.push(Outcome::declined("fold", "unavailable"));
            return Ok(Stage::default());
        }
        if hard && self.folding.get() {
            let wait = self.with(|s| s.config.hard_wait_ms.0);
            self.host.background(wait).await;
            self.with(|s| s.take_rows())?;
            hard = self.with(|s| s.guarded_tokens() >= s.thresholds().hard);
            if !hard {
                trail.outcomes.push(Outcome::done("fold", "landed from the background".into()));
                return Ok(Stage { folded: true, ..Stage::default() });
            }
        }
        // A new model is not asked before the conversation fits it well.
        if hard || !background || switched {
            let reason = match (switched, hard) {
                (true, _) => Reason::Model,
                (false, true) => Reason::Hard,
                (false, false) => Reason::Soft,
            };
            self.planned.take();
            let folded = self.fold_now(reason, None, true, trail).await?.is_some();
            return Ok(Stage { folded, ..Stage::default() });
        }
        if self.folding.get() {
            trail.outcomes.push(Outcome { stage: "fold", outcome: "deferred", reason: None, until: Some("response"), detail: None });
            return Ok(Stage::default());
        }
        match self.prepare(Reason::Soft, None, true) {
            Ok(prepared) => {
                let ticket = prepared.plan.clone();
                *self.planned.borrow_mut() = Some(prepared);
                trail.outcomes.push(Outcome { stage: "fold", outcome: "deferred", reason: None, until: Some("response"), detail: None });
                Ok(Stage { background: Some(ticket), ..Stage::default() })
            }
            Err(why) => {
                trail.outcomes.push(Outcome::declined("fold", why));
                Ok(Stage::default())
            }
        }
    }

    /// The host's chapter boundary: the brief becomes the first new instruction.
    async fn chapter(&self, ask: &Ask, trail: &mut Trail) -> Result<Stage, Failure<H::Error>> {
        let due = self.with(|s| s.occupancy().tokens >= s.thresholds().soft);
        let authority = if due { self.fold_now(Reason::Chapter, ask.focus.as_deref(), ask.brief.is_none(), trail).await? } else { None };
        let folded = authority.is_some();
        let Some(brief) = &ask.brief else { return Ok(Stage { folded, ..Stage::default() }) };
        let mut text = brief.clone();
        for block in authority.unwrap_or_default().blocks() {
            text.push_str("\n\n");
            text.push_str(&block);
        }
        self.with(|s| {
            let at = s.transcript.rows().iter().rev().find_map(|r| r.position).unwrap_or(0);
            let tokens = s.weigh(&text);
            s.state.blocks.retain(|b| b.kind != BlockKind::Brief);
            s.add_block(Block { kind: BlockKind::Brief, from: at, to: at, text: text.clone(), tokens, handle: None }, "brief");
        });
        Ok(Stage { folded, record: Some(text), ..Stage::default() })
    }

    /// A fold in this call; the host's rules if it came into force.
    async fn fold_now(&self, reason: Reason, focus: Option<&str>, authority_in_head: bool, trail: &mut Trail) -> Result<Option<Authority>, Failure<H::Error>> {
        let prepared = match self.prepare(reason, focus, authority_in_head) {
            Ok(prepared) => prepared,
            Err(why) => {
                trail.outcomes.push(Outcome::declined("fold", why));
                return Ok(None);
            }
        };
        match self.run_fold(prepared).await? {
            FoldEnd::Done(authority) => {
                let after = self.with(|s| s.occupancy().tokens);
                trail.outcomes.push(Outcome::done("fold", format!("{after} tokens after")));
                Ok(Some(authority))
            }
            FoldEnd::Declined(why) => {
                trail.outcomes.push(Outcome::declined("fold", why));
                Ok(None)
            }
        }
    }

    /// Runs the fold that `next` planned for the background. Another call may run meanwhile.
    pub async fn background(&self) -> Result<FoldEnd, Failure<H::Error>> {
        let Some(prepared) = self.planned.take() else { return Ok(FoldEnd::Declined("stale")) };
        let busy = Busy::new(&self.folding);
        let end = self.run_fold(prepared).await;
        drop(busy);
        end
    }

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
    fn told<T>(&self, plan: impl FnOnce(&crate::core::session::Session, crate::core::relieve::outline::Tell<'_>) -> T) -> T {
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
            let loss = self.loss_of(&entry);
            let media = matches!(entry.edit, Some(Edit::Clamp { media: true, .. }));
            let gap = super::host::Gap { handle: handle.as_deref(), loss, media };
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

    pub(super) fn loss_of(&self, entry: &crate::core::state::Entry) -> Option<Loss> {
        if entry.redacted {
            return Some(Loss::Redacted);
        }
        match (entry.handle.is_some(), entry.capped) {
            (true, true) => Some(Loss::OverCap),
            (true, false) => None,
            (false, _) => Some(match self.keeping() {
                Keeping::Store => Loss::NoStore,
                Keeping::Nowhere(loss) => loss,
            }),
        }
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

/// A flag that falls back when the work ends, however it ends.
struct Busy<'a>(&'a std::cell::Cell<bool>);

impl<'a> Busy<'a> {
    fn new(flag: &'a std::cell::Cell<bool>) -> Self {
        flag.set(true);
        Busy(flag)
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.set(false);
    }
}
