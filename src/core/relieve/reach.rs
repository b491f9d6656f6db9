//! How far relief by rule may reach: which rows of closed rounds may go, and what a block in their place frees.
//!
//! Refuses the running turn, the verbatim tail and rows without a position.

use std::collections::BTreeSet;

use crate::core::session::Session;
use crate::core::transcript::Role;
use crate::core::view::Block;

/// First row the cascade must leave alone: the tail or the running turn, whichever begins earlier.
pub fn limit(session: &Session) -> usize {
    let rows = session.transcript.len();
    let index = session.transcript.index();
    let recent = rows.saturating_sub(session.config.summarize.keep_recent as usize);
    let closed: Vec<usize> = index.rounds().iter().filter(|r| r.is_closed()).map(|r| r.start).collect();
    let keep = session.config.summarize.keep_rounds as usize;
    let rounds = if keep == 0 { rows } else { closed.len().checked_sub(keep).and_then(|i| closed.get(i).copied()).unwrap_or(0) };
    let turn = index.turns().last().copied().unwrap_or(rows);
    let limit = recent.min(rounds).min(turn).min(session.transcript.first_unread());
    // Counted in messages it may fall between a call and its result; a round goes or stays whole.
    index.rounds().iter().find(|r| r.start < limit && limit < r.end).map_or(limit, |r| r.start)
}

pub(super) fn visible(session: &Session, row: usize, pinned: &BTreeSet<usize>) -> bool {
    session.transcript.row(row).is_some_and(|r| !r.is_hidden() && !pinned.contains(&row))
}

/// Only rows with a position can be hidden: the position is what a restart recognises.
pub(super) fn stored(session: &Session, start: usize, end: usize) -> bool {
    session.transcript.row(start).is_some_and(|r| r.position.is_some())
        && (start..end).all(|i| session.transcript.row(i).is_some_and(|r| !r.is_real_user() && (r.position.is_some() || r.role == Role::Tool)))
}

pub(super) fn rounds_between(session: &Session, from: usize, to: usize) -> Vec<usize> {
    let from = from.max(session.first_kept());
    let rounds = session.transcript.index().rounds().iter().enumerate();
    rounds.filter(|(_, r)| r.start >= from && r.end <= to && r.is_closed()).map(|(i, _)| i).collect()
}

pub(super) fn rows_of(session: &Session, rounds: &[usize]) -> Vec<usize> {
    let index = session.transcript.index();
    rounds.iter().filter_map(|r| index.rounds().get(*r)).flat_map(|r| r.start..r.end).collect()
}

/// Tokens of a round in the view.
pub fn round_tokens(session: &Session, round: usize) -> u64 {
    let Some(round) = session.transcript.index().rounds().get(round) else { return 0 };
    (round.start..round.end).filter_map(|i| session.transcript.row(i)).map(|r| u64::from(r.view_tokens())).sum()
}

/// First and last position of rounds that stand together.
pub fn span(session: &Session, rounds: &[usize]) -> Option<(u64, u64)> {
    let rows = rounds.iter().filter_map(|r| session.transcript.index().rounds().get(*r)).flat_map(|r| r.start..r.end);
    let positions: Vec<u64> = rows.filter_map(|i| session.transcript.row(i)?.position).collect();
    Some((*positions.iter().min()?, *positions.iter().max()?))
}

/// Tokens a block frees: the rows it takes out of the view and the older blocks, less its own.
pub(super) fn gain(session: &Session, block: &Block) -> u64 {
    let pinned = session.pinned_rounds();
    let inside = |p: u64| (block.from..=block.to).contains(&p);
    let rows = session.transcript.rows().iter().enumerate().filter(|(at, r)| r.position.is_some_and(inside) && !pinned.contains(at));
    let rows: u64 = rows.map(|(_, r)| u64::from(r.view_tokens())).sum();
    let blocks = session.state.blocks.iter().filter(|b| b.kind.gone().is_some() && inside(b.from) && inside(b.to));
    (rows + blocks.map(|b| u64::from(b.tokens)).sum::<u64>()).saturating_sub(u64::from(block.tokens))
}

/// Whether a block weighs less than what it takes out of the view.
pub(super) fn pays(session: &Session, block: &Block) -> bool {
    gain(session, block) > 0
}
