//! The evict pass: whether it is due and worth it at this step, and what it leaves in the session.

use crate::core::measure::meter::Measure;
use crate::core::measure::thresholds::Thresholds;
use crate::core::relieve::aged::{self, Sums};
use crate::core::relieve::drop;
use crate::core::relieve::economy::Account;
use crate::core::relieve::evict::{self, Declined, EvictPlan, Keeping, Victim, What};
use crate::core::session::Session;
use crate::core::state::{Edit, Entry, Loss};

/// Strings of old arguments longer than this are left out, in UTF-16 code units.
pub const INPUT_CHARS: u32 = 200;

/// What an evict pass did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evicted {
    /// Net tokens freed, in the provider's unit.
    pub reclaimed: u32,
    /// Results replaced.
    pub results: u32,
}

/// The evict pass of this step, if it is due: what it would do, or why it does nothing.
pub fn plan_evict(session: &mut Session, keeping: Keeping) -> Option<Result<EvictPlan, Declined>> {
    if !session.config.eviction.enabled {
        return None;
    }
    let thresholds = session.thresholds();
    let occupancy = session.occupancy().tokens;
    if session.config.prices.is_none() && occupancy < thresholds.evict {
        return None;
    }
    let (aged, rounds) = aged::catch_up(session, keeping);
    let net = session.gauge.scale(aged.net);
    carry(session, net);
    if occupancy < thresholds.evict {
        return None;
    }
    let eviction = &session.config.eviction;
    let pressed = occupancy >= thresholds.hard;
    // Where nothing was added since the last pass, nothing new can be won, however small the window.
    let quiet = eviction.clear_at_least.max((thresholds.evict - thresholds.to) / 4).max(1);
    let newer = if pressed { newer_victims(session, keeping) } else { Vec::new() };
    if newer.is_empty() && session.state.evict_rest.is_some_and(|rest| occupancy < rest.saturating_add(quiet)) {
        return Some(Err(Declined::NoProgress));
    }
    if newer.is_empty() && session.gauge.scale(aged.gross) < eviction.clear_at_least {
        return Some(Err(Declined::BelowMinimum));
    }
    let account = account(session, &aged, occupancy, net);
    if let Some(account) = account.filter(|a| !pressed && !a.pays()) {
        return Some(Err(Declined::Waits(account)));
    }
    let mut old = evict::candidates(session, keeping, &rounds);
    let mut newer = newer;
    let found = old.len() + newer.len();
    let editable = session.first_editable();
    old.retain(|v| editable(v.at.0));
    newer.retain(|v| editable(v.at.0));
    // What a new turn sets free is not too little: it waits.
    let too_little = if old.len() + newer.len() < found { Declined::ReasoningBound } else { Declined::BelowMinimum };
    let mut plan = evict::plan(session, occupancy, old, newer, thresholds.to, pressed.then_some((halfway(&thresholds), thresholds.soft)));
    if plan.victims.is_empty() || session.gauge.scale(plan.freed) < eviction.clear_at_least {
        return Some(Err(too_little));
    }
    plan.account = account;
    Some(Ok(plan))
}

/// Once per response: what was paid for carrying what a pass would free.
fn carry(session: &mut Session, net: u32) {
    let rows = session.transcript.len();
    if let Some(prices) = session.config.prices.as_ref().filter(|_| rows > session.carried_at) {
        session.state.carried += Account::rent(prices, net);
        session.carried_at = rows;
    }
}

fn account(session: &Session, aged: &Sums, occupancy: u32, net: u32) -> Option<Account> {
    let prices = session.config.prices.as_ref()?;
    let (row, ahead) = aged.first?;
    let ahead = session.measured_with(&ahead, row);
    let rewritten = occupancy.saturating_sub(session.gauge.scale(ahead)).saturating_sub(net);
    Some(Account::of(prices, rewritten, net, session.state.carried, session.idle_ms))
}

/// At hard, what of the newer rounds may go as well, where the host allows it.
fn newer_victims(session: &Session, keeping: Keeping) -> Vec<Victim> {
    let eviction = &session.config.eviction;
    let Some(keep) = eviction.keep_at_hard.filter(|keep| *keep < eviction.keep_recent_rounds) else { return Vec::new() };
    let from = aged::old_end(session, eviction.keep_recent_rounds);
    let to = aged::old_end(session, keep);
    evict::candidates(session, keeping, &aged::rounds_in(session, from, to))
}

/// Puts the stubs in place. `safe` are the victims whose texts are kept, or lost for a stated reason, and
/// whether the store's limit cut them.
pub fn apply_evict(session: &mut Session, safe: &[(Victim, bool)]) -> Evicted {
    let before = session.occupancy().tokens;
    let mut results = 0;
    for (victim, capped) in safe {
        let loss = victim.loss.or(capped.then_some(Loss::OverCap));
        let Some(text) = evict::stub_of(session, victim, loss) else { continue };
        let done = match victim.what {
            What::Result => stub_result(session, victim, *capped, loss, text),
            What::Input => victim.shortened.as_ref().is_some_and(|m| shorten_input(session, victim, *capped, text, m)),
        };
        results += u32::from(done);
    }
    if let Some(first) = safe.iter().map(|(v, _)| v.at.0).min().filter(|_| results > 0) {
        session.strip_reasoning(first);
    }
    let after = session.occupancy().tokens;
    let reclaimed = before.saturating_sub(after);
    session.state.count_reclaimed("evict", reclaimed);
    session.state.evict_rest = (after >= session.thresholds().evict).then_some(after);
    if results > 0 {
        session.state.carried = 0.0;
    }
    Evicted { reclaimed, results }
}

fn stub_result(session: &mut Session, victim: &Victim, capped: bool, loss: Option<Loss>, text: String) -> bool {
    let tokens = session.weigh(&text);
    if tokens >= victim.before {
        return false;
    }
    let mut entry = session.entry(victim.call).cloned().unwrap_or_default();
    if matches!(loss, None | Some(Loss::OverCap)) {
        entry.handle = Some(victim.handle.clone());
    }
    entry.capped |= capped;
    let newer = victim.newer.as_ref().map(|n| n.handle.clone());
    entry.edit = Some(Edit::Stub { text, tokens, dedupe: newer.is_some(), newer, loss });
    session.set_entry(victim.call, entry, "evicted");
    true
}

fn shorten_input(session: &mut Session, victim: &Victim, capped: bool, text: String, after: &Measure) -> bool {
    if after.tokens >= victim.before {
        return false;
    }
    let edit = Edit::Input { text, cap: INPUT_CHARS, tokens: after.tokens, bytes: after.bytes };
    let entry = Entry { handle: Some(victim.handle.clone()), capped, edit: Some(edit), ..Entry::default() };
    session.set_input_entry(victim.call, entry, "evicted");
    true
}

/// The last resort where the host allows it: once hard was reached, the oldest rounds go behind a line per
/// run, down to soft, unless stubs alone went half of that way. Returns the lines and the tokens freed.
pub fn drop_rounds(session: &mut Session, readable: bool, pressed: bool) -> Option<(usize, u32)> {
    let thresholds = session.thresholds();
    let before = session.occupancy().tokens;
    if !session.config.eviction.rounds || !pressed || before <= halfway(&thresholds) {
        return None;
    }
    let eviction = &session.config.eviction;
    let keep = [eviction.keep_recent_rounds, eviction.keep_at_hard.unwrap_or(eviction.keep_recent_rounds)];
    let lines = keep.iter().map(|keep| drop::plan(session, readable, *keep, thresholds.soft, halfway(&thresholds))).find(|lines| !lines.is_empty())?;
    let count = lines.len();
    let first = lines.iter().map(|l| l.row).min();
    drop::apply(session, lines);
    if let Some(first) = first {
        session.strip_reasoning(first);
    }
    let freed = before.saturating_sub(session.occupancy().tokens);
    session.state.count_reclaimed("drop", freed);
    Some((count, freed))
}

/// Between soft and hard: relief that ends above it would be due again at once.
fn halfway(thresholds: &Thresholds) -> u32 {
    thresholds.soft + (thresholds.hard - thresholds.soft) / 2
}
