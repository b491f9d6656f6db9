//! Turns a judged briefing into a fold: renders the head, weighs it, and writes the record.
//!
//! A fold that would not make the view smaller, head included, is not applied. The bytes of the head are
//! part of the record, so that a restart renders the same.

use super::briefing;
use super::plan::{FoldPlan, prefix_hash};
use crate::core::restore::authority::Authority;
use crate::core::restore::{frames, orders};
use crate::core::session::Session;
use crate::core::state::{Breaker, State};
use crate::core::transcript::Role;
use crate::core::view::{BlockKind, Fold, HeadOrigin, HeadPart, Order};

/// The record a plan and a briefing make, with the head's texts rendered.
///
/// `users` are the covered rows a person wrote. `authority_in_head` is false for a chapter fold, whose
/// brief carries the blocks this once.
pub fn render(session: &Session, plan: &FoldPlan, text: &str, authority: &Authority, authority_in_head: bool, users: Vec<Order>) -> Fold {
    let summary = briefing::settle(text);
    let mut parts: Vec<(HeadOrigin, String)> = Vec::new();
    let context = session.frame.context();
    let context = if context.is_empty() { session.state.context.clone().unwrap_or_default() } else { context };
    if !context.is_empty() {
        parts.push((HeadOrigin::Context, frames::context(&context)));
    }
    parts.push((HeadOrigin::Summary, frames::summary(&summary)));
    if authority_in_head
        && let Some(block) = authority.head_part()
    {
        parts.push((HeadOrigin::Authority, block));
    }
    let carried = carried_orders(session, users);
    if let Some(block) = orders::head_part(&carried) {
        parts.push((HeadOrigin::Orders, block));
    }
    let head = parts.into_iter().map(|(origin, text)| HeadPart { origin, tokens: session.weigh(&text), text }).collect();
    Fold { id: plan.id.clone(), from: plan.from, to: plan.covered, active: true, summary, head, orders: carried }
}

/// Orders of earlier folds and of this one, within the budget.
fn carried_orders(session: &Session, users: Vec<Order>) -> Vec<Order> {
    if !session.config.orders.enabled {
        return Vec::new();
    }
    let mut all = session.state.fold().map_or_else(Vec::new, |f| f.orders.clone());
    all.extend(users);
    for order in &mut all {
        if let Some(key) = session.state.order_keys.get(&order.position.to_string()) {
            order.key = Some(key.clone());
        }
    }
    let budget = session.order_budget();
    orders::choose(all, budget, &|text| session.weigh(text))
}

/// Whether the rows of the plan are still the rows it was made from.
pub fn still_holds(session: &Session, plan: &FoldPlan) -> bool {
    session.state.boundary == plan.boundary && (session.transcript.is_empty() || prefix_hash(session, plan.covered) == plan.hash)
}

/// Writes the record into a state. Decisions on covered rows are forgotten, what was redacted is not.
pub fn record(state: &mut State, fold: Fold) {
    let covered = fold.to;
    let position = |key: &str| key.split_once('.').and_then(|(p, _)| p.parse::<u64>().ok());
    state.entries.retain(|key, entry| entry.redacted || position(key).is_none_or(|p| p > covered));
    // The plan is made anew: the prefix is gone anyway. Of the recalled messages the newest stay, because
    // their turn does not look for them again.
    let newest = state.blocks.iter().filter(|b| b.kind == BlockKind::Recall).map(|b| b.to).max();
    state.blocks.retain(|b| b.to > covered && b.kind != BlockKind::Anchor && (b.kind != BlockKind::Recall || newest == Some(b.to)));
    state.context = None;
    state.boundary = Some(covered);
    state.breaker = Breaker::default();
    state.evict_rest = None;
    state.folds.push(fold);
}

/// Tokens the view would measure with this fold, and what it measures now.
pub fn net(session: &Session, fold: &Fold) -> (u64, u64) {
    let now = session.measured(usize::MAX);
    let rows: u64 = session
        .transcript
        .rows()
        .iter()
        .enumerate()
        .filter(|(_, r)| r.role != Role::System && r.position.is_some_and(|p| p <= fold.to))
        .map(|(_, r)| u64::from(r.view_tokens()))
        .sum();
    let blocks: u64 = session.state.blocks.iter().filter(|b| b.to <= fold.to && b.kind != BlockKind::Digest).map(|b| u64::from(b.tokens)).sum();
    let head: u64 = fold.head.iter().map(|p| u64::from(p.tokens)).sum();
    let new = now.saturating_sub(session.head_tokens() + rows + blocks) + head;
    (new, now)
}
