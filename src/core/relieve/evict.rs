//! Chooses which old tool results, and where allowed which old arguments, become stubs.
//!
//! Decides victims and their order: what a newer result repeats first, then what loses the fewest names
//! per token freed, at equal value the oldest. Refuses to touch what the model has not read, the newest
//! rounds, the open round, protected tools, and anything a stub would not shorten. Nothing changes here:
//! the ladder spills first and applies what could be spilled.

use std::collections::BTreeSet;

use super::dedupe;
use super::economy::Account;
use super::readback;
use super::stub::{Newer, Stub};
use super::worth::{Chosen, Shown};
use crate::core::config::ReasoningBinding;
use crate::core::measure::meter::Measure;
use crate::core::session::Session;
use crate::core::state::{Edit, Entry, Loss};
use crate::core::transcript::{Call, CallId, Flags, Role, Transcript};

/// What a victim is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The result of a call.
    Result,
    /// Its arguments.
    Input,
}

/// A result or arguments that may become a stub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Victim {
    /// Which of the two.
    pub what: What,
    /// The call.
    pub call: CallId,
    /// Row and part.
    pub at: (usize, usize),
    /// Tokens now.
    pub before: u32,
    /// The handle the full text has or will have.
    pub handle: String,
    /// Why there can be no handle, when that is known beforehand.
    pub loss: Option<Loss>,
    /// Whether the raw store has the full text already.
    pub stored: bool,
    /// The newer result that makes it superfluous.
    pub newer: Option<Newer>,
    /// The names its stub keeps.
    pub names: String,
    /// What arguments measure once they are shortened; the host knows.
    pub shortened: Option<Measure>,
}

/// What a pass would do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EvictPlan {
    /// What to replace, in this order.
    pub victims: Vec<Victim>,
    /// Net measured tokens that frees.
    pub freed: u64,
    /// What it costs and saves, at the host's prices.
    pub account: Option<Account>,
}

/// Why a pass does not act.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Declined {
    /// It would free less than `clearAtLeast`.
    BelowMinimum,
    /// Every edit would break reasoning of the running turn.
    ReasoningBound,
    /// The last pass could not go below the threshold and little was added since.
    NoProgress,
    /// Carrying the old results is cheaper for now.
    Waits(Account),
}

/// Whether and why the host can keep full texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeping {
    /// Full texts go to the raw store.
    Store,
    /// They do not, for this reason.
    Nowhere(Loss),
}

/// A stub's names take at most this part of what it replaces, and at most so many tokens.
const NAMES_SHARE: u32 = 4;
const NAMES_TOKENS: u32 = 600;

/// Everything of these rounds that may become a stub, oldest first.
pub fn candidates(session: &Session, keeping: Keeping, rounds: &[usize]) -> Vec<Victim> {
    let index = session.transcript.index();
    let unread = session.transcript.first_unread();
    let protected = protected(session);
    let mut out = Vec::new();
    for round in rounds.iter().filter_map(|i| index.rounds().get(*i)) {
        for id in round.calls.0..round.calls.1 {
            let Some(call) = index.call(id) else { continue };
            if call.result.is_none_or(|at| at.0 >= unread) {
                continue;
            }
            out.extend(input_victim(session, keeping, id, call));
            if !protected.contains(&id) {
                out.extend(result_victim(session, keeping, id, call));
            }
        }
    }
    out
}

fn result_victim(session: &Session, keeping: Keeping, id: CallId, call: &Call) -> Option<Victim> {
    let at = call.result?;
    let part = session.transcript.part(at.0, at.1)?;
    let none = Entry::default();
    let entry = session.entry(id).unwrap_or(&none);
    if part.flags.has(Flags::FIXED) {
        return None;
    }
    let before = part.view_tokens();
    let spent = matches!(entry.edit, Some(Edit::Stub { .. }));
    // Results of the provider's own tools live inside the assistant row, which is never edited.
    let row = session.transcript.row(at.0)?;
    if spent || row.role == Role::Assistant || row.is_hidden() || before < session.config.eviction.min_result_tokens || is_pinned(session, at.0) {
        return None;
    }
    let loss = match (entry.redacted, keeping, entry.handle.is_some()) {
        (true, _, _) => Some(Loss::Redacted),
        (false, _, true) => entry.capped.then_some(Loss::OverCap),
        (false, Keeping::Nowhere(loss), false) => Some(loss),
        (false, Keeping::Store, false) => None,
    };
    let source = read_back_of(&session.transcript, call);
    let stored = entry.handle.is_some() || source.is_some();
    let handle = source.map(|(id, _)| id.to_owned()).or_else(|| entry.handle.clone()).unwrap_or_else(|| call.handle.to_string());
    Some(Victim { what: What::Result, call: id, at, before, handle, loss, stored, newer: None, names: String::new(), shortened: None })
}

/// Arguments are the model's own words: only where the format, the host and the reasoning allow it.
fn input_victim(session: &Session, keeping: Keeping, id: CallId, call: &Call) -> Option<Victim> {
    let binding = session.config.reasoning_binding.unwrap_or(ReasoningBinding::None);
    if !session.config.eviction.inputs || keeping != Keeping::Store || binding != ReasoningBinding::None || call.by_provider {
        return None;
    }
    let at = (call.row, call.part);
    let part = session.transcript.part(at.0, at.1)?;
    let free = part.flags.has(Flags::EDITABLE) && !part.flags.has(Flags::SIGNED) && !part.flags.has(Flags::ITEM_ID);
    let row = session.transcript.row(at.0)?;
    let before = part.view_tokens();
    if !free
        || part.stand_in.is_some()
        || row.is_hidden()
        || call.position.is_none()
        || before < session.config.eviction.min_result_tokens
        || is_pinned(session, at.0)
    {
        return None;
    }
    let handle = format!("{}#input", call.handle);
    Some(Victim { what: What::Input, call: id, at, before, handle, loss: None, stored: false, newer: None, names: String::new(), shortened: None })
}

pub(super) fn is_pinned(session: &Session, row: usize) -> bool {
    !session.state.pins.is_empty() && session.transcript.row(row).and_then(|r| r.position).is_some_and(|p| session.state.pins.contains(&p))
}

/// The handle and offset a read-back asked for: its stub names them, and its page is not stored again.
fn read_back_of<'a>(transcript: &'a Transcript, call: &Call) -> Option<(&'a str, Option<&'a str>)> {
    let asked = transcript.part(call.row, call.part).filter(|p| &*p.name == readback::TOOL && !p.target.is_empty())?;
    Some(asked.target.split_once('\n').map_or((&*asked.target, None), |(id, offset)| (id, Some(offset))))
}

/// The newest result of each protected tool.
pub(super) fn protected(session: &Session) -> BTreeSet<CallId> {
    let index = session.transcript.index();
    session.config.eviction.protect.iter().filter_map(|tool| index.newest_answered(tool)).collect()
}

/// The text that takes a victim's place: a stub, or the marker inside arguments.
pub fn stub_of(session: &Session, victim: &Victim, loss: Option<Loss>) -> Option<String> {
    let transcript = &session.transcript;
    let call = transcript.index().call(victim.call)?;
    let asked = transcript.part(call.row, call.part)?;
    let part = transcript.part(victim.at.0, victim.at.1)?;
    let handle = match loss {
        None | Some(Loss::OverCap) => Some(victim.handle.as_str()),
        Some(_) => None,
    };
    if victim.what == What::Input {
        let names = if victim.names.is_empty() { String::new() } else { format!("; names: {}", victim.names) };
        return Some(format!("[arguments of {} chars shortened{names}; read_tool_output({{ id: \"{}\" }}) returns them]", part.measure.len, handle?));
    }
    let read_back = read_back_of(transcript, call);
    let stub = Stub {
        tool: &asked.name,
        target: if read_back.is_some() { "" } else { &asked.target },
        result: &part.measure,
        error: part.flags.has(Flags::ERROR),
        names: &victim.names,
        handle,
        offset: read_back.and_then(|(_, offset)| offset),
        loss,
        newer: victim.newer.as_ref(),
    };
    Some(stub.render())
}

/// What stays of arguments besides the marker, in tokens: keys, short values, the beginning of a long one.
const INPUT_REST: u32 = 40;

/// Tokens of what takes a victim's place.
fn tokens_after(session: &Session, victim: &Victim) -> u32 {
    let text = stub_of(session, victim, victim.loss).map_or(u32::MAX, |text| session.weigh(&text));
    if victim.what == What::Input { text.saturating_add(INPUT_REST) } else { text }
}

fn names_for(shown: &Shown<'_>, session: &Session, victim: &Victim) -> Chosen {
    let Some(part) = session.transcript.part(victim.at.0, victim.at.1) else { return Chosen::default() };
    // The names of a redacted text are of the text before the hook.
    if victim.loss == Some(Loss::Redacted) {
        return Chosen::default();
    }
    shown.choose(part.measure.names.ids().iter().copied(), (victim.before / NAMES_SHARE).min(NAMES_TOKENS))
}

/// Victims in the order to take them.
fn ordered(session: &Session, shown: &mut Shown<'_>, mut victims: Vec<Victim>) -> Vec<Victim> {
    let pointed = dedupe::mark(session, &mut victims);
    let mut keyed: Vec<(bool, bool, u64, Victim)> = victims
        .into_iter()
        .map(|victim| {
            let own = own_names(session, &victim);
            shown.put(&own, false);
            let lost = u64::from(names_for(shown, session, &victim).lost);
            shown.put(&own, true);
            let needed = victim.what == What::Result && pointed.contains(&victim.call);
            (victim.newer.is_none(), needed, lost * 1_000 / u64::from(victim.before.max(1)), victim)
        })
        .collect();
    // Stable: at equal value the oldest goes first.
    keyed.sort_by_key(|k| (k.0, k.1, k.2));
    keyed.into_iter().map(|k| k.3).collect()
}

fn own_names(session: &Session, victim: &Victim) -> Vec<u32> {
    session.transcript.part(victim.at.0, victim.at.1).map_or_else(Vec::new, |p| p.measure.names.ids().to_vec())
}

/// Plans one pass over old rounds, down to `target`; under `pressure` the newer rounds follow, down to that.
pub fn plan(session: &Session, occupancy: u32, old: Vec<Victim>, newer: Vec<Victim>, target: u32, pressure: Option<(u32, u32)>) -> EvictPlan {
    let mut shown = Shown::of(session);
    let mut plan = EvictPlan::default();
    let old = ordered(session, &mut shown, old);
    take(session, &mut shown, old, &mut plan, |freed| occupancy.saturating_sub(session.gauge.scale(freed)) <= target);
    if let Some((from, to)) = pressure
        && occupancy.saturating_sub(session.gauge.scale(plan.freed)) >= from
    {
        take(session, &mut shown, newer, &mut plan, |freed| occupancy.saturating_sub(session.gauge.scale(freed)) <= to);
    }
    plan
}

fn take(session: &Session, shown: &mut Shown<'_>, victims: Vec<Victim>, plan: &mut EvictPlan, enough: impl Fn(u64) -> bool) {
    for mut victim in victims {
        if enough(plan.freed) {
            break;
        }
        let own = own_names(session, &victim);
        shown.put(&own, false);
        let chosen = names_for(shown, session, &victim);
        victim.names = shown.print(&chosen.names);
        let after = tokens_after(session, &victim);
        if after < victim.before {
            plan.freed += u64::from(victim.before - after);
            if let Some(text) = stub_of(session, &victim, victim.loss) {
                shown.put_text(&text, true);
            }
            plan.victims.push(victim);
        } else {
            shown.put(&own, true);
        }
    }
}
