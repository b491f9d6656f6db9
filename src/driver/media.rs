//! The effects of a provider's limits: an image or file is kept before a text takes its place.

use super::Driver;
use super::host::{Gap, Host, Place};
use super::next::Trail;
use crate::core::event::{Event, EvictedResult, Outcome};
use crate::core::relieve::evict::Keeping;
use crate::core::relieve::media::{self, Left, Stuck};
use crate::core::state::{Edit, Entry, Loss};
use crate::core::transcript::CallId;

impl<H: Host> Driver<H> {
    /// Above a limit besides tokens the oldest images and files become texts.
    pub(super) async fn limits(&self, trail: &mut Trail) {
        let plan = self.with(|s| if s.config.eviction.enabled { media::plan(s) } else { None });
        let left = match plan {
            None => return,
            Some(Err(Stuck::Nothing)) => return trail.outcomes.push(Outcome::declined("media", "no_progress")),
            Some(Err(Stuck::Reasoning)) => return trail.outcomes.push(Outcome::deferred("media", "turn", "reasoning_bound")),
            Some(Ok(left)) => left,
        };
        let before = self.with(|s| s.occupancy().tokens);
        let mut done: Vec<Left> = Vec::new();
        for one in left {
            let ok = match one.call {
                Some(call) => self.leave_out_of(call, one.at).await,
                None => self.leave_out(one.at).await,
            };
            if ok {
                done.push(one);
            }
        }
        let Some(first) = done.first() else { return trail.outcomes.push(Outcome::declined("media", "unavailable")) };
        self.with(|s| s.strip_reasoning(first.at.0));
        let freed = before.saturating_sub(self.with(|s| s.occupancy().tokens));
        self.with(|s| s.state.count_reclaimed("media", freed));
        let count: u32 = done.iter().map(|l| l.count).sum();
        trail.outcomes.push(Outcome::done("media", format!("{count} images and files, {freed} tokens")));
        if freed > 0 {
            let results: Vec<EvictedResult> = self.with(|s| done.iter().filter_map(|l| s.evicted(l.call?)).collect());
            let targets = results.iter().filter(|r| !r.target.is_empty()).map(|r| r.target.clone()).collect();
            trail.events.push(Event::Evicted { reclaimed_tokens: freed, result_count: count, targets, results });
        }
    }

    /// The images and files of a result; its texts stay.
    async fn leave_out_of(&self, call: CallId, at: (usize, usize)) -> bool {
        let handle = self.keep_text(call, at).await;
        let mut entry = self.with(|s| s.entry(call).cloned().unwrap_or_default());
        // What could not be saved stays, unless nothing is ever saved here.
        if handle.is_none() && !entry.redacted && self.keeping() == Keeping::Store {
            return false;
        }
        let cap = match entry.edit {
            Some(Edit::Clamp { cap, .. }) => cap,
            _ => u32::MAX,
        };
        let output = self.host.output(Place { row: at.0, part: at.1 });
        let gap = Gap { handle: handle.as_deref(), loss: self.with(|s| s.loss_of(&entry)), media: true };
        let short = self.host.measure(&self.host.shorten(&output, cap, gap));
        entry.edit = Some(Edit::Clamp { cap, tokens: short.tokens, bytes: short.bytes, hash: short.fingerprint(), media: true });
        self.with(|s| s.set_entry(call, entry, "evicted"));
        true
    }

    /// An image or file of the user's.
    async fn leave_out(&self, at: (usize, usize)) -> bool {
        let place = Place { row: at.0, part: at.1 };
        let (Some(handle), Some(output)) = (self.with(|s| s.media_handle(at.0, at.1)), self.host.media(place)) else { return false };
        let (kept, loss) = match self.keeping() {
            Keeping::Nowhere(loss) => (None, Some(loss)),
            Keeping::Store => match self.spill(&handle, &output).await {
                Ok(capped) => (Some(handle), capped.then_some(Loss::OverCap)),
                Err(_) => return false,
            },
        };
        let Some(text) = self.host.left_out(place, Gap { handle: kept.as_deref(), loss, media: true }) else { return false };
        self.with(|s| {
            let tokens = s.weigh(&text);
            let edit = Edit::Stub { text, tokens, dedupe: false, newer: None, loss };
            let entry = Entry { handle: kept, capped: loss == Some(Loss::OverCap), edit: Some(edit), ..Entry::default() };
            s.set_media_entry(at, entry, "evicted");
        });
        true
    }
}
