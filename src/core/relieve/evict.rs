//! Chooses which of the victims become stubs in one pass.
//!
//! Decides their order: what a newer result repeats first, then what loses the fewest names per token freed, at equal
//! value the oldest. Refuses anything a stub would not shorten. Nothing changes here: the ladder spills first and
//! applies what could be spilled.

use super::dedupe;
use super::economy::Account;
pub use super::victim::{Keeping, Victim, What, candidates, stub_of};
use super::worth::{Chosen, Shown};
use crate::core::session::Session;
use crate::core::state::Loss;

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

/// A stub's names take at most this part of what it replaces, and at most so many tokens.
const NAMES_SHARE: u32 = 4;
const NAMES_TOKENS: u32 = 600;

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
