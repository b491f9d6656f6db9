//! The effects of an eviction: spill first, then hide.
//!
//! A text that could not be saved stays in the view: hiding it would lose it.

use super::Driver;
use super::host::{Host, Method, Place};
use super::next::Trail;
use crate::core::event::{Event, EvictedResult, Outcome};
use crate::core::ladder::{self, INPUT_CHARS};
use crate::core::relieve::evict::{self, Declined, Victim, What};

impl<H: Host> Driver<H> {
    pub(super) async fn evict(&self, trail: &mut Trail) {
        let keeping = self.keeping();
        let pressed = self.with(|s| s.occupancy().tokens >= s.thresholds().hard);
        let due = self.with(|s| ladder::plan_evict(s, keeping));
        match due {
            None => {}
            Some(Err(Declined::BelowMinimum)) => trail.outcomes.push(Outcome::declined("evict", "below_minimum")),
            Some(Err(Declined::ReasoningBound)) => trail.outcomes.push(Outcome::deferred("evict", "turn", "reasoning_bound")),
            Some(Err(Declined::NoProgress)) => trail.outcomes.push(Outcome::declined("evict", "no_progress")),
            Some(Err(Declined::Waits(account))) => {
                self.account.set(Some(account));
                trail.outcomes.push(Outcome::waits("evict", account.in_words()));
            }
            Some(Ok(plan)) => {
                self.account.set(plan.account);
                let words = plan.account.map_or_else(String::new, |a| format!("; {}", a.in_words()));
                self.carry_out(plan.victims, &words, trail).await;
            }
        }
        self.drop_rounds(pressed, trail);
    }

    async fn carry_out(&self, victims: Vec<Victim>, words: &str, trail: &mut Trail) {
        let mut safe: Vec<(Victim, bool)> = Vec::new();
        for victim in victims {
            if let Some(done) = self.make_safe(victim).await {
                safe.push(done);
            }
        }
        if safe.is_empty() {
            return trail.outcomes.push(Outcome::declined("evict", "unavailable"));
        }
        let done = self.with(|s| ladder::apply_evict(s, &safe));
        if done.results == 0 {
            return trail.outcomes.push(Outcome::declined("evict", "below_minimum"));
        }
        trail.outcomes.push(Outcome::done("evict", format!("{} results, {} tokens{words}", done.results, done.reclaimed)));
        let results: Vec<EvictedResult> = self.with(|s| safe.iter().filter(|(v, _)| v.what == What::Result).filter_map(|(v, _)| s.evicted(v.call)).collect());
        let targets = results.iter().filter(|r| !r.target.is_empty()).map(|r| r.target.clone()).collect();
        trail.events.push(Event::Evicted { reclaimed_tokens: done.reclaimed, result_count: done.results, targets, results });
    }

    async fn make_safe(&self, victim: Victim) -> Option<(Victim, bool)> {
        let at = Place { row: victim.at.0, part: victim.at.1 };
        if victim.what == What::Input {
            let marker = self.with(|s| evict::stub_of(s, &victim, None))?;
            let shortened = self.host.measure_short_input(at, INPUT_CHARS, &marker).filter(|m| m.tokens < victim.before)?;
            let output = self.host.input(at)?;
            let capped = self.spill(&victim.handle, &output).await.ok()?;
            return Some((Victim { shortened: Some(shortened), ..victim }, capped));
        }
        if victim.loss.is_some() || victim.stored {
            return Some((victim, false));
        }
        let output = self.host.output(at);
        let capped = self.spill(&victim.handle, &output).await.ok()?;
        Some((victim, capped))
    }

    /// At hard, where the host allows it: the oldest rounds go behind one line each run, down to soft.
    fn drop_rounds(&self, pressed: bool, trail: &mut Trail) {
        let readable = self.host.has(Method::Rows);
        let dropped = self.with(|s| ladder::drop_rounds(s, readable, pressed));
        if let Some((lines, freed)) = dropped {
            trail.outcomes.push(Outcome::done("drop", format!("{lines} runs of rounds, {freed} tokens")));
        }
    }
}
