//! Turns a judged briefing into a fold: renders the head, weighs it, and writes the record.
//!
//! A fold that would not make the view smaller, head included, is not applied. The bytes of the head are
//! part of the record, so that a restart renders the same.

use std::collections::BTreeMap;

use super::briefing;
use super::plan::{FoldPlan, prefix_hash};
use crate::core::restore::authority::Authority;
use crate::core::restore::{frames, orders};
use crate::core::session::Session;
use crate::core::state::{Breaker, State};
use crate::core::view::{Block, BlockKind, Fold, HeadOrigin, HeadPart, Order};

/// What goes into the head besides the briefing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Put {
    /// The host's rules; not for a chapter fold, whose brief carries them this once.
    pub authority: bool,
    /// Whether the host can read rows back, so that a shortened order may name them.
    pub readable: bool,
}

/// The record a plan and a briefing make, with the head's texts rendered.
///
/// `users` are the covered rows a person wrote.
pub fn render(session: &Session, plan: &FoldPlan, text: &str, authority: &Authority, put: Put, users: Vec<Order>) -> Fold {
    let summary = briefing::settle(text);
    let mut parts: Vec<(HeadOrigin, String)> = Vec::new();
    let context = session.frame.context();
    let context = if context.is_empty() { session.state.context.clone().unwrap_or_default() } else { context };
    if !context.is_empty() {
        parts.push((HeadOrigin::Context, frames::context(&context)));
    }
    parts.push((HeadOrigin::Summary, frames::summary(&summary)));
    if put.authority
        && let Some(block) = authority.head_part()
    {
        parts.push((HeadOrigin::Authority, block));
    }
    let carried = carried_orders(session, users, put.readable);
    if let Some(block) = orders::head_part(&carried) {
        parts.push((HeadOrigin::Orders, block));
    }
    let head = parts.into_iter().map(|(origin, text)| HeadPart { origin, tokens: session.weigh(&text), text }).collect();
    Fold {
        id: plan.id.clone(),
        from: plan.from,
        to: plan.covered,
        newest: session.transcript.rows().iter().filter_map(|r| r.position).max(),
        active: true,
        summary,
        head,
        orders: carried,
        ids: covered_ids(session, plan),
        stored: covered_handles(session, plan.covered),
    }
}

/// Handles in the decision log that the record is about to forget.
fn covered_handles(session: &Session, covered: u64) -> BTreeMap<String, u64> {
    let position = |key: &str| key.split_once('.').and_then(|(p, _)| p.parse::<u64>().ok());
    let entries = session.state.entries.iter().filter_map(|(key, e)| Some((e.handle.clone()?, position(key).filter(|p| *p <= covered)?)));
    entries.collect()
}

/// Call ids of the covered rows that may come again: repeated ones, and short or numbered ones. Long random
/// ids do not, and remembering them would make the state grow with the conversation.
fn covered_ids(session: &Session, plan: &FoldPlan) -> BTreeMap<String, u32> {
    let mut ids: BTreeMap<String, u32> = BTreeMap::new();
    let index = session.transcript.index();
    for call in index.calls() {
        let here = call.position.is_some_and(|p| p <= plan.covered && plan.boundary.is_none_or(|b| p > b));
        if let Some(part) = session.transcript.part(call.row, call.part).filter(|_| here) {
            *ids.entry(if call.nameless { part.name.to_string() } else { part.id.to_string() }).or_default() += 1;
        }
    }
    ids.retain(|id, n| *n > 1 || id.len() <= 16 || is_numbered(id));
    ids
}

/// Whether an id ends in a small number behind something that is no letter: `call_3`, `functions.read:12`.
fn is_numbered(id: &str) -> bool {
    let name = id.trim_end_matches(|c: char| c.is_ascii_digit());
    (1..=6).contains(&(id.len() - name.len())) && name.ends_with(|c: char| !c.is_alphanumeric())
}

/// Orders of earlier folds and of this one, within the budget.
fn carried_orders(session: &Session, users: Vec<Order>, readable: bool) -> Vec<Order> {
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
    orders::choose(all, budget, readable, &|text| session.weigh(text))
}

/// Whether the rows of the plan are still the rows it was made from. A list that begins behind the covered
/// rows, because somebody else folded them, is caught by the boundary.
pub fn still_holds(session: &Session, plan: &FoldPlan) -> bool {
    session.state.epoch == plan.epoch
        && session.state.boundary == plan.boundary
        && prefix_hash(session, plan.covered) == plan.hash
        && !takes_unread(session, plan.covered)
}

/// Whether what the model has to read next would go: after a rewind the answer to rows that were read is gone. In a list
/// that ends with the covered rows nothing is to be read yet.
fn takes_unread(session: &Session, covered: u64) -> bool {
    let rows = session.transcript.rows();
    let behind = |at: usize| rows.get(at).and_then(|r| r.key_position()).is_none_or(|p| p > covered);
    !rows.is_empty() && behind(rows.len() - 1) && !behind(session.transcript.first_unread())
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
    state.stripped.retain(|p| *p > covered);
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
        .skip(session.transcript.leading())
        .filter(|r| r.key_position().is_some_and(|p| p <= fold.to))
        .map(|r| u64::from(r.view_tokens()))
        .sum();
    let blocks = |gone: &dyn Fn(&Block) -> bool| -> u64 { session.state.blocks.iter().filter(|b| gone(b)).map(|b| u64::from(b.tokens)).sum() };
    let replaced = blocks(&|b| b.to <= fold.to && b.kind != BlockKind::Digest);
    let stays = blocks(&|b| b.to > fold.to && b.kind == BlockKind::Digest);
    let head: u64 = fold.head.iter().map(|p| u64::from(p.tokens)).sum();
    let new = now.saturating_sub(session.head_tokens() + rows + replaced) + head + stays;
    (new, now)
}
