//! The fold stage of a `next`: whether one is due, and whether it is made now, waited for, or left for the background.

use std::cell::Cell;

use super::fold::FoldEnd;
use super::host::{Host, Method};
use super::next::{Ask, Trail};
use super::{Driver, Failure};
use crate::core::event::Outcome;
use crate::core::fold::plan::{FoldPlan, Reason};
use crate::core::restore::authority::Authority;
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
}

/// A flag that falls back when the work ends, however it ends.
struct Busy<'a>(&'a Cell<bool>);

impl<'a> Busy<'a> {
    fn new(flag: &'a Cell<bool>) -> Self {
        flag.set(true);
        Busy(flag)
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.set(false);
    }
}
