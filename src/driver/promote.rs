//! Lifts durable facts out of a folded span, after the fold is in force and never at its cost.
//!
//! The span's own messages are captured before the commit, because only they hold the original text. What
//! the extractor says goes through the one gate; then it is written, or suggested and kept until the user
//! answers. Any failure is silent: the fold stands.

use super::host::{Commit, Host, Method, Place};
use super::{Driver, Failure};
use crate::core::config::PromotionMode;
use crate::core::error::Error;
use crate::core::event::Event;
use crate::core::fold::plan::FoldPlan;
use crate::core::restore::promote::{self, Suggestion};
use crate::core::state::State;
use crate::core::transcript::{PartKind, Role};

impl<H: Host> Driver<H> {
    fn promotes(&self) -> PromotionMode {
        let mode = self.with(|s| s.config.memory_promotion.mode);
        let can = self.host.has(Method::Extract) && (mode != PromotionMode::Auto || self.host.has(Method::AddFact));
        if can { mode } else { PromotionMode::Off }
    }

    /// Has the host's messages of a planned span held, if anybody will read them.
    pub(super) fn capture_span(&self, plan: &FoldPlan) {
        if self.promotes() == PromotionMode::Off {
            return;
        }
        let (rows, redacted) = self.with(|s| {
            let covered = |(at, row): (usize, &crate::core::transcript::Row)| {
                let inside = row.position.is_some_and(|p| p <= plan.covered && plan.boundary.is_none_or(|b| p > b));
                (inside && row.role != Role::System).then_some(at)
            };
            let rows: Vec<usize> = s.transcript.rows().iter().enumerate().filter_map(covered).collect();
            let mut redacted = Vec::new();
            for row in &rows {
                let parts = s.transcript.row(*row).map_or(0, |r| r.parts.len());
                for part in (0..parts).filter(|p| s.transcript.part(*row, *p).is_some_and(|p| p.kind == PartKind::Result)) {
                    let entry = s.transcript.index().call_of_result(*row, part).and_then(|c| s.entry(c));
                    if entry.is_some_and(|e| e.redacted) {
                        redacted.push(Place { row: *row, part });
                    }
                }
            }
            (rows, redacted)
        });
        self.host.capture(&plan.id, &rows, &redacted);
    }

    /// Promotes the facts of a span that was just folded. `memory` is the workspace memory as it stands.
    pub(super) async fn promote(&self, plan: &FoldPlan, memory: Option<&str>) {
        let mode = self.promotes();
        if mode == PromotionMode::Off {
            return;
        }
        let Ok(found) = self.host.extract(&plan.id).await else { return };
        let facts = self.with(|s| promote::take_facts(&found, &s.state.facts, memory));
        if facts.is_empty() {
            return;
        }
        let scope = self.host.scope();
        if mode == PromotionMode::Auto {
            let mut written = Vec::new();
            for fact in facts {
                if self.host.add_fact(&fact, &scope).await.is_ok() {
                    written.push(fact);
                }
            }
            return self.with(|s| {
                promote::remember(&mut s.state.facts, &written);
                s.dirty = true;
            });
        }
        let suggestion = Suggestion { id: plan.id.clone(), scope, facts };
        let keep = |state: &mut State| {
            state.suggestions.retain(|s| s.id != suggestion.id);
            state.suggestions.push(suggestion.clone());
            promote::remember(&mut state.facts, &suggestion.facts);
        };
        // Without a store, or when it fails, the suggestion rides along with the next commit.
        let _ = self.change(&keep).await;
        let Suggestion { id, scope, facts } = suggestion;
        self.host.emit(&Event::MemorySuggestion { id, scope, facts });
    }

    /// The user accepts facts: of a suggestion, or facts of the host's own. Returns those that were written.
    pub async fn accept(&self, id: Option<&str>, facts: Option<Vec<String>>, scope: Option<String>) -> Result<Vec<String>, Failure<H::Error>> {
        let suggestion = match id {
            Some(id) => Some(self.suggestion(id)?),
            None => None,
        };
        if !self.host.has(Method::AddFact) {
            return Err(Error::bad_input("`host.addFact` is needed to accept facts").into());
        }
        let Some(given) = facts.or_else(|| suggestion.as_ref().map(|s| s.facts.clone())) else {
            return Err(Error::bad_input("`accept` needs `id` of a suggestion or `facts`").into());
        };
        let clean = promote::take_facts(&given, &[], None);
        let scope = scope.or_else(|| suggestion.as_ref().map(|s| s.scope.clone())).unwrap_or_else(|| self.host.scope());
        for fact in &clean {
            self.host.add_fact(fact, &scope).await.map_err(Failure::Host)?;
        }
        self.answered(suggestion, &clean).await?;
        Ok(clean)
    }

    /// The user wants none of a suggestion; it is not made again.
    pub async fn reject(&self, id: &str) -> Result<(), Failure<H::Error>> {
        let suggestion = self.suggestion(id)?;
        self.answered(Some(suggestion), &[]).await
    }

    fn suggestion(&self, id: &str) -> Result<Suggestion, Failure<H::Error>> {
        let found = self.with(|s| s.state.suggestions.iter().find(|s| s.id == id).cloned());
        found.ok_or_else(|| Error::bad_input("`id` is not the id of a suggestion that waits for an answer").into())
    }

    async fn answered(&self, suggestion: Option<Suggestion>, written: &[String]) -> Result<(), Failure<H::Error>> {
        let change = |state: &mut State| {
            if let Some(suggestion) = &suggestion {
                state.suggestions.retain(|s| s.id != suggestion.id);
                promote::remember(&mut state.facts, &suggestion.facts);
            }
            promote::remember(&mut state.facts, written);
        };
        self.change(&change).await.map_err(Failure::Host)
    }

    /// Changes the state and writes it; on a conflict the change is made on the other's state.
    async fn change(&self, change: &dyn Fn(&mut State)) -> Result<(), H::Error> {
        for _ in 0..3 {
            self.with(|s| {
                change(&mut s.state);
                s.dirty = true;
            });
            if !self.host.has(Method::Commit) {
                return Ok(());
            }
            let state = self.state();
            match self.host.commit(&state, self.version.get()).await? {
                Commit::Done(version) => {
                    self.version.set(Some(version));
                    // Another call may have decided something meanwhile; that is not written yet.
                    self.with(|s| s.dirty = s.state != state);
                    return Ok(());
                }
                Commit::Conflict => match self.reload().await {
                    Ok(()) => {}
                    Err(Failure::Host(error)) => return Err(error),
                    Err(Failure::Ours(_)) => return Ok(()),
                },
            }
        }
        Ok(())
    }
}
