//! The order of relief: what is due at this step, cheapest first.
//!
//! Decides whether a stage acts, and applies what it planned to the session. Refuses the effects: the
//! driver spills and commits between a plan and its application.

use super::config::ToolOutput;
use super::measure::meter::Measure;
use super::measure::thresholds::Thresholds;
use super::relieve::aged::{self, Sums};
use super::relieve::cascade;
use super::relieve::clamp::shared_cap;
use super::relieve::drop;
use super::relieve::economy::Account;
use super::relieve::evict::{self, Declined, EvictPlan, Keeping, Victim, What};
use super::relieve::worth::Shown;
use super::restore::anchor;
use super::session::Session;
use super::state::{Edit, Entry, Loss};
use super::transcript::CallId;
use super::view::{Block, BlockKind};

/// Strings of old arguments longer than this are left out, in UTF-16 code units.
pub const INPUT_CHARS: u32 = 200;

/// A result that has to be looked at before its first send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The call it answers.
    pub call: CallId,
    /// Row and part of the result.
    pub at: (usize, usize),
    /// The tool's name, for the redact hook.
    pub tool: String,
    /// The handle its full text is stored under.
    pub handle: String,
    /// The cap in UTF-16 code units.
    pub cap: u32,
}

/// What became of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrived {
    /// The redact hook changed it.
    pub redacted: bool,
    /// The full text is stored.
    pub stored: bool,
    /// The stored text is cut at the store's limit.
    pub capped: bool,
    /// What it measures after the redact hook and the cut, if one of them changed it.
    pub clamped: Option<Measure>,
    /// The cap it was cut at, in UTF-16 code units.
    pub cap: u32,
}

/// What an evict pass did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evicted {
    /// Net tokens freed, in the provider's unit.
    pub reclaimed: u32,
    /// Results replaced.
    pub results: u32,
}

/// Whether the host keeps full texts.
pub fn keeping(tool_output: &ToolOutput, has_store: bool) -> Keeping {
    match (tool_output.persist_raw, has_store) {
        (false, _) => Keeping::Nowhere(Loss::PersistOff),
        (true, false) => Keeping::Nowhere(Loss::NoStore),
        (true, true) => Keeping::Store,
    }
}

/// Unsent results over the cap (or all of them, where a redact hook has to see them).
///
/// If the unsent results of one round would together lift occupancy to hard, they share what is left.
pub fn plan_arrivals(session: &mut Session, hook: bool) -> Vec<Arrival> {
    // Old results make room before a new one is cut: hard is where they go at the latest.
    let frees = if session.config.eviction.enabled { aged::catch_up(session, Keeping::Store).0.net } else { 0 };
    let frees = session.gauge.scale(frees);
    let session = &*session;
    let index = session.transcript.index();
    let cap = session.config.result_cap();
    let unsent: Vec<_> = session.results_from(session.first_unsent()).into_iter().filter(|(call, _, _)| session.entry(*call).is_none()).collect();
    let mut out = Vec::new();
    // Asked once: it sums over the whole list.
    let occupancy = session.occupancy().tokens;
    for group in unsent.chunk_by(|a, b| index.call(a.0).map(|c| c.round) == index.call(b.0).map(|c| c.round)) {
        let cap = share_below_hard(session, group, cap, occupancy.saturating_sub(frees));
        for (call, row, part) in group {
            let (Some(found), Some(result)) = (index.call(*call), session.transcript.part(*row, *part)) else { continue };
            let cap = session.config.cap_for(cap, &result.measure);
            if hook || result.measure.len > cap {
                let tool = session.transcript.part(found.row, found.part).map_or_else(String::new, |p| p.name.to_string());
                out.push(Arrival { call: *call, at: (*row, *part), tool, handle: found.handle.to_string(), cap });
            }
        }
    }
    out
}

fn share_below_hard(session: &Session, group: &[(CallId, usize, usize)], cap: u32, occupancy: u32) -> u32 {
    let sizes: Vec<(u32, u32)> = group.iter().filter_map(|(_, r, p)| session.transcript.part(*r, *p)).map(|p| (p.measure.len, p.tokens())).collect();
    let capped = |(len, tokens): &(u32, u32)| u64::from(*tokens) * u64::from((*len).min(cap)) / u64::from((*len).max(1));
    let tokens: u64 = sizes.iter().map(capped).sum();
    let whole: u64 = sizes.iter().map(|s| u64::from(s.1)).sum();
    let hard = u64::from(session.thresholds().hard);
    let without = u64::from(occupancy).saturating_sub(u64::from(session.gauge.scale(whole)));
    if without + u64::from(session.gauge.scale(tokens)) < hard {
        return cap;
    }
    let room_tokens = hard.saturating_sub(without);
    let chars: u64 = sizes.iter().map(|s| u64::from(s.0)).sum();
    let room_chars = room_tokens * chars / u64::from(session.gauge.scale(whole).max(1));
    let lengths: Vec<u32> = sizes.iter().map(|s| s.0).collect();
    shared_cap(&lengths, room_chars, cap)
}

/// Records what became of an unsent result.
pub fn apply_arrival(session: &mut Session, arrival: &Arrival, arrived: &Arrived) {
    let edit = arrived.clamped.as_ref().map(|m| Edit::Clamp { cap: arrived.cap, tokens: m.tokens, bytes: m.bytes, hash: m.fingerprint(), media: false });
    // Nothing to remember of a result that was looked at and left alone.
    if edit.is_none() && !arrived.redacted && !arrived.stored {
        return;
    }
    let entry = Entry {
        redacted: arrived.redacted,
        handle: arrived.stored.then(|| arrival.handle.clone()),
        capped: arrived.capped,
        clamped: edit.is_some(),
        edit,
        of: String::new(),
    };
    session.set_entry(arrival.call, entry, "clamped");
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

/// Cascade, stage 2: drops the oldest spent rounds behind group lines until occupancy is at soft, at most
/// half of what all spent rounds weigh. Returns whether anything was dropped.
pub fn drop_spent(session: &mut Session, readable: bool) -> bool {
    let (rounds, most) = cascade::spent(session);
    let soft = session.thresholds().soft;
    let now = session.guarded_tokens();
    let mut taken: Vec<usize> = Vec::new();
    let mut freed = 0u64;
    for round in rounds {
        let tokens = cascade::round_tokens(session, round);
        if freed + tokens > most {
            break;
        }
        freed += tokens;
        taken.push(round);
        if now.saturating_sub(session.gauge.scale(freed)) <= soft {
            let lines: u64 = groups(session, &taken, readable).iter().map(|b| u64::from(b.tokens)).sum();
            if now.saturating_sub(session.gauge.scale(freed.saturating_sub(lines))) <= soft {
                break;
            }
        }
    }
    let mut any = false;
    for block in groups(session, &taken, readable) {
        any |= replace_blocks(session, block, "dropped");
    }
    any
}

fn groups(session: &Session, rounds: &[usize], readable: bool) -> Vec<Block> {
    let mut shown = Shown::of(session);
    cascade::runs(session, rounds).iter().filter_map(|run| cascade::group(session, run, &mut shown, readable)).collect()
}

/// Adds a block; what it covers whole is in it and goes. A block that would not make the view smaller is
/// not added.
pub fn replace_blocks(session: &mut Session, block: Block, cause: &'static str) -> bool {
    let mark = session.mark();
    let before = session.measured(usize::MAX);
    session.state.blocks.retain(|b| b.kind.gone().is_none() || b.from < block.from || b.to > block.to);
    session.add_block(block, cause);
    let smaller = session.measured(usize::MAX) < before;
    if !smaller {
        session.go_back(mark);
    }
    smaller
}

/// Results of rounds, with their places.
pub fn results_of(session: &Session, rounds: &[usize]) -> Vec<(CallId, (usize, usize))> {
    let index = session.transcript.index();
    let calls = rounds.iter().filter_map(|r| index.rounds().get(*r)).flat_map(|r| r.calls.0..r.calls.1);
    calls.filter_map(|c| Some((c, index.call(c)?.result?))).collect()
}

/// The plan at the end of the prompt: once per turn and after a fold, and only when its text is new.
pub fn recite(session: &mut Session, folded: bool) {
    if !session.config.recitation.enabled {
        return;
    }
    let Some(text) = session.state.fold().and_then(|f| anchor::plan_block(&f.summary)) else { return };
    let turn = session.transcript.index().turns().last().and_then(|i| session.transcript.row(*i)).and_then(|r| r.position);
    let new_turn = turn != session.state.turn;
    let shown = session.state.blocks.iter().any(|b| b.kind == BlockKind::Anchor && b.text == text);
    if shown || !(new_turn || folded) {
        return;
    }
    session.state.turn = turn;
    let Some(at) = session.transcript.rows().iter().rev().find_map(|r| r.position) else { return };
    let tokens = session.weigh(&text);
    session.add_block(Block { kind: BlockKind::Anchor, from: at, to: at, text, tokens, handle: None }, "recited");
}
