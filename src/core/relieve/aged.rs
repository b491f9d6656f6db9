//! What old rounds could free, kept from step to step.
//!
//! Decides nothing: it is the sum that tells cheaply whether a pass is worth planning. It grows with the
//! rounds that become old and is taken afresh after an edit, so a step costs what was appended, not the
//! length of the session.

use super::evict::{Keeping, candidates};
use crate::core::session::Session;
use crate::core::transcript::Round;

/// What a stub needs: this part of the text at most, and some words.
const STUB_SHARE: u32 = 4;
const STUB_WORDS: u32 = 48;

/// Sums over the rounds that are old enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Aged {
    /// Rounds looked at, from the first one.
    rounds: usize,
    /// Tokens of what may become stubs.
    pub gross: u64,
    /// About what that frees.
    pub net: u64,
    /// First row among them, and the measured tokens in front of it.
    pub first: Option<(usize, u64)>,
    stores: bool,
}

/// Index behind the last round that is older than the newest `keep` closed rounds with results.
pub fn old_end(session: &Session, keep: u32) -> usize {
    let rounds = session.transcript.index().rounds();
    let counts = |r: &Round| r.is_closed() && r.has_results;
    if keep == 0 {
        return rounds.len();
    }
    let newest = rounds.iter().enumerate().rev().filter(|(_, r)| counts(r)).nth(keep as usize - 1);
    newest.map_or(0, |(i, _)| i)
}

/// Closed rounds with results in a range of rounds.
pub fn rounds_in(session: &Session, from: usize, to: usize) -> Vec<usize> {
    let rounds = session.transcript.index().rounds();
    (from..to).filter(|i| rounds.get(*i).is_some_and(|r| r.is_closed() && r.has_results)).collect()
}

/// Brings the sums up to the newest old round.
pub fn catch_up(session: &mut Session, keeping: Keeping) -> Aged {
    let end = old_end(session, session.config.eviction.keep_recent_rounds);
    let stores = keeping == Keeping::Store;
    let mut aged = session.aged.filter(|a| a.stores == stores && a.rounds <= end).unwrap_or(Aged { stores, ..Aged::default() });
    for victim in candidates(session, keeping, &rounds_in(session, aged.rounds, end)) {
        aged.gross += u64::from(victim.before);
        aged.net += u64::from(victim.before.saturating_sub(victim.before / STUB_SHARE + STUB_WORDS));
        if aged.first.is_none_or(|(row, _)| victim.at.0 < row) {
            aged.first = Some((victim.at.0, session.measured(victim.at.0)));
        }
    }
    aged.rounds = end;
    session.aged = Some(aged);
    aged
}
