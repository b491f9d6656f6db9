//! Chooses which old tool results become stubs.
//!
//! Decides victims, their stubs and whether the pass is worth its cost. Refuses to touch what the model
//! has not read, the newest rounds, the open round, protected tools, and anything a stub would not
//! shorten. Nothing changes here: the ladder spills first and applies what could be spilled.

use std::collections::BTreeSet;

use super::readback;
use super::stub::Stub;
use crate::core::config::Config;
use crate::core::measure::thresholds::Thresholds;
use crate::core::state::{Entry, Loss};
use crate::core::transcript::{Call, CallId, Flags, PartKind, Transcript};

/// A result that may become a stub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Victim {
    /// The call it answers.
    pub call: CallId,
    /// Row and part of the result.
    pub at: (usize, usize),
    /// Tokens now.
    pub before: u32,
    /// What the stub may say, once it is known whether the text could be spilled.
    pub handle: String,
    /// Why there can be no handle, when that is known beforehand.
    pub loss: Option<Loss>,
    /// Whether the raw store has the full text already.
    pub stored: bool,
}

/// What a pass would do.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EvictPlan {
    /// The results to replace, in this order.
    pub victims: Vec<Victim>,
}

/// Whether and why the host can keep full texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeping {
    /// Full texts go to the raw store.
    Store,
    /// They do not, for this reason.
    Nowhere(Loss),
}

/// All results that may become stubs, oldest first.
pub fn candidates(transcript: &Transcript, entries: &dyn Fn(CallId) -> Option<Entry>, config: &Config, keeping: Keeping) -> Vec<Victim> {
    let index = transcript.index();
    let unread = transcript.first_unread();
    let closed: Vec<usize> = index.rounds().iter().enumerate().filter(|(_, r)| r.is_closed() && r.has_results).map(|(i, _)| i).collect();
    let old = closed.len().saturating_sub(config.eviction.keep_recent_rounds as usize);
    let old: &[usize] = closed.get(..old).unwrap_or(&[]);
    let newest_of_protected = protected(transcript, &config.eviction.protect);
    let mut out = Vec::new();
    for round in old.iter().filter_map(|i| index.rounds().get(*i)) {
        for id in round.calls.0..round.calls.1 {
            let Some(call) = index.call(id) else { continue };
            let Some(at) = call.result else { continue };
            let Some(part) = transcript.part(at.0, at.1) else { continue };
            let entry = entries(id).unwrap_or_default();
            let before = entry.edit.as_ref().map_or(part.tokens(), |e| e.tokens());
            let spent = matches!(entry.edit, Some(crate::core::state::Edit::Stub { .. }));
            // Results of the provider's own tools live inside the assistant row, which is never edited.
            let inside_assistant = transcript.row(at.0).is_some_and(|r| r.role == crate::core::transcript::Role::Assistant);
            if spent || inside_assistant || at.0 >= unread || before < config.eviction.min_result_tokens || newest_of_protected.contains(&id) {
                continue;
            }
            let loss = match (entry.redacted, keeping, entry.handle.is_some()) {
                (true, _, _) => Some(Loss::Redacted),
                (false, _, true) => entry.capped.then_some(Loss::OverCap),
                (false, Keeping::Nowhere(loss), false) => Some(loss),
                (false, Keeping::Store, false) => None,
            };
            let source = read_back_of(transcript, call);
            let stored = entry.handle.is_some() || source.is_some();
            let handle = source.map(|(id, _)| id.to_owned()).or(entry.handle).unwrap_or_else(|| call.handle.to_string());
            out.push(Victim { call: id, at, before, handle, loss, stored });
        }
    }
    out
}

/// The handle and offset a read-back asked for: its stub names them, and its page is not stored again.
fn read_back_of<'a>(transcript: &'a Transcript, call: &Call) -> Option<(&'a str, Option<&'a str>)> {
    let asked = transcript.part(call.row, call.part).filter(|p| &*p.name == readback::TOOL && !p.target.is_empty())?;
    Some(asked.target.split_once('\n').map_or((&*asked.target, None), |(id, offset)| (id, Some(offset))))
}

/// The newest result of each protected tool.
fn protected(transcript: &Transcript, tools: &[String]) -> BTreeSet<CallId> {
    let index = transcript.index();
    tools
        .iter()
        .filter_map(|tool| {
            (0..index.calls().len()).rev().find(|id| {
                index.call(*id).is_some_and(|c| {
                    c.result.is_some() && transcript.part(c.row, c.part).is_some_and(|p| p.kind == PartKind::Call && &*p.name == tool.as_str())
                })
            })
        })
        .collect()
}

/// The stub of a victim, as it would read with or without a handle.
pub fn stub_of(transcript: &Transcript, victim: &Victim, loss: Option<Loss>) -> Option<String> {
    let call = transcript.index().call(victim.call)?;
    let tool = &transcript.part(call.row, call.part)?.name;
    let result = transcript.part(victim.at.0, victim.at.1)?;
    let handle = match loss {
        None | Some(Loss::OverCap) => Some(victim.handle.as_str()),
        Some(_) => None,
    };
    let stub = Stub { tool, result: &result.measure, error: result.flags.has(Flags::ERROR), handle, offset: read_back_of(transcript, call).and_then(|(_, offset)| offset), loss, same_as: None };
    Some(stub.render())
}

/// Why a pass does not act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Declined {
    /// It would free less than `clearAtLeast`.
    BelowMinimum,
    /// Every edit would break reasoning of the running turn.
    ReasoningBound,
    /// The last pass could not go below the threshold and little was added since.
    NoProgress,
}

/// Picks the victims of one pass: oldest first, down to the target in one batch.
///
/// `cost` gives the tokens of a victim's stub and `scale` turns measured tokens into the provider's.
pub fn plan_evict(
    candidates: Vec<Victim>,
    occupancy: u32,
    thresholds: &Thresholds,
    config: &Config,
    rest: Option<u32>,
    cost: &dyn Fn(&Victim) -> u32,
    scale: &dyn Fn(u64) -> u32,
) -> Result<EvictPlan, Declined> {
    let quiet = config.eviction.clear_at_least.max((thresholds.evict - thresholds.to) / 4);
    if rest.is_some_and(|rest| occupancy < rest.saturating_add(quiet)) {
        return Err(Declined::NoProgress);
    }
    let mut plan = EvictPlan::default();
    let mut freed = 0u64;
    for victim in candidates {
        if occupancy.saturating_sub(scale(freed)) <= thresholds.to {
            break;
        }
        let stub = cost(&victim);
        if stub < victim.before {
            freed += u64::from(victim.before - stub);
            plan.victims.push(victim);
        }
    }
    if plan.victims.is_empty() || scale(freed) < config.eviction.clear_at_least {
        return Err(Declined::BelowMinimum);
    }
    Ok(plan)
}
