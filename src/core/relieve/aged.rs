//! What old rounds could free, kept from step to step.
//!
//! Decides nothing: it is the sum that tells cheaply whether a pass is worth planning, and the rounds such a
//! pass has to look at. It grows with the rounds that become old and is taken afresh after an edit among them,
//! so a step costs what was appended, not the length of the session.

use std::collections::BTreeSet;

use super::victim::{Keeping, candidates, protected};
use crate::core::session::Session;
use crate::core::shared::Token;
use crate::core::transcript::{Round, Totals};

/// What a stub needs: this part of the text at most, and some words.
const STUB_SHARE: u32 = 4;
const STUB_WORDS: u32 = 48;

/// Sums over the rounds that are old enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sums {
    /// Tokens of what may become stubs.
    pub gross: u64,
    /// About what that frees.
    pub net: u64,
    /// First row among them, and the sizes of what is in front of it.
    pub first: Option<(usize, Totals)>,
}

/// The sums of rounds in which nothing changes by itself, and the others.
#[derive(Clone, Debug, Default)]
pub struct Aged {
    /// Rounds looked at, from the first one.
    rounds: usize,
    /// Row behind all of them.
    rows: usize,
    sums: Sums,
    /// Rounds that hold something, ascending.
    holding: Vec<usize>,
    /// Rounds that may come to hold more: an answer is out or unread, a result is protected by being the newest.
    waiting: Vec<usize>,
    epoch: u64,
    veils: u64,
    pins: Token<BTreeSet<u64>>,
}

/// One for hosts that keep full texts and one for those that do not; both are asked for in one step.
#[derive(Clone, Debug, Default)]
pub struct Both {
    kept: Option<Aged>,
    lost: Option<Aged>,
}

impl Both {
    /// Something about row `row` was decided.
    pub fn forget_at(&mut self, row: usize) {
        for aged in [&mut self.kept, &mut self.lost] {
            if aged.as_ref().is_some_and(|a| row < a.rows) {
                *aged = None;
            }
        }
    }

    fn of(&mut self, keeping: Keeping) -> &mut Option<Aged> {
        if keeping == Keeping::Store { &mut self.kept } else { &mut self.lost }
    }
}

/// Index behind the last round that is older than the newest `keep` closed rounds with results.
pub fn old_end(session: &Session, keep: u32) -> usize {
    let rounds = session.transcript.index().rounds();
    if keep == 0 {
        return rounds.len();
    }
    let newest = rounds.iter().enumerate().rev().filter(|(_, r)| counts(r)).nth(keep as usize - 1);
    newest.map_or(0, |(i, _)| i)
}

fn counts(round: &Round) -> bool {
    round.is_closed() && round.has_results
}

/// Closed rounds with results in a range of rounds.
pub fn rounds_in(session: &Session, from: usize, to: usize) -> Vec<usize> {
    let rounds = session.transcript.index().rounds();
    (from..to).filter(|i| rounds.get(*i).is_some_and(counts)).collect()
}

/// Brings the sums up to the newest old round. Returns them with the rounds that hold what they count.
pub fn catch_up(session: &mut Session, keeping: Keeping) -> (Sums, Vec<usize>) {
    let known = session.aged.of(keeping).take();
    let session_now = &*session;
    let end = old_end(session_now, session_now.config.eviction.keep_recent_rounds);
    let mut aged = known.filter(|a| a.still_holds(session_now, end)).unwrap_or_else(|| Aged::new(session_now));
    let found = aged.go_on(session_now, keeping, end);
    *session.aged.of(keeping) = Some(aged);
    found
}

impl Aged {
    fn new(session: &Session) -> Aged {
        Aged { epoch: session.transcript.epoch(), veils: session.transcript.veils(), pins: session.state.pins.token(), ..Aged::default() }
    }

    fn still_holds(&self, session: &Session, end: usize) -> bool {
        let rows = &session.transcript;
        self.rounds <= end && self.epoch == rows.epoch() && self.veils == rows.veils() && session.state.pins.is(&self.pins)
    }

    fn go_on(&mut self, session: &Session, keeping: Keeping, end: usize) -> (Sums, Vec<usize>) {
        let index = session.transcript.index();
        let unread = session.transcript.first_unread();
        let protected = protected(session);
        let newest = index.rounds().len().saturating_sub(1);
        // Where messages are items, the newest round may still get calls.
        let settled = |at: usize, round: &Round| {
            let calls = (round.calls.0..round.calls.1).map(|id| (id, index.call(id).and_then(|c| c.result)));
            at < newest && round.is_closed() && calls.into_iter().all(|(id, at)| at.is_some_and(|at| at.0 < unread) && !protected.contains(&id))
        };
        let mut passing = Sums::default();
        let mut also = Vec::new();
        for at in std::mem::take(&mut self.waiting).into_iter().chain(self.rounds..end) {
            let Some(round) = index.rounds().get(at) else { continue };
            self.rows = self.rows.max(round.end);
            let stays = settled(at, round);
            let held = if counts(round) { self.weigh(session, keeping, at, if stays { None } else { Some(&mut passing) }) } else { false };
            match (stays, held) {
                (true, true) => insert(&mut self.holding, at),
                (false, true) => also.push(at),
                _ => {}
            }
            if !stays {
                self.waiting.push(at);
            }
        }
        self.rounds = end;
        let mut rounds = self.holding.clone();
        also.into_iter().for_each(|at| insert(&mut rounds, at));
        let first = [self.sums.first, passing.first].into_iter().flatten().min_by_key(|f| f.0);
        (Sums { gross: self.sums.gross + passing.gross, net: self.sums.net + passing.net, first }, rounds)
    }

    /// Adds what a round holds to the sums, or to those of this step alone. Returns whether it holds anything.
    fn weigh(&mut self, session: &Session, keeping: Keeping, round: usize, passing: Option<&mut Sums>) -> bool {
        let sums = passing.unwrap_or(&mut self.sums);
        let victims = candidates(session, keeping, &[round]);
        for victim in &victims {
            sums.gross += u64::from(victim.before);
            sums.net += u64::from(victim.before.saturating_sub(victim.before / STUB_SHARE + STUB_WORDS));
            if sums.first.is_none_or(|(row, _)| victim.at.0 < row) {
                sums.first = Some((victim.at.0, session.transcript.totals_before(victim.at.0)));
            }
        }
        !victims.is_empty()
    }
}

fn insert(list: &mut Vec<usize>, at: usize) {
    if let Err(place) = list.binary_search(&at) {
        list.insert(place, at);
    }
}
