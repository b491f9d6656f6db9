//! The strict validator: one walk over a projected history, every demand of its format checked.
//!
//! Knows the shape of histories and asks the format what a broken demand is called. Linear in the
//! history; words are only made for what is wrong.

mod pairs;
mod rows;

pub(super) use pairs::{ambiguous, answers, is_models};
pub(super) use rows::{is_blank, lost_reasoning, only_reasoning};

use super::Wire;
use super::check::{Check, Finding, Level};
use crate::core::reasoning;
use crate::core::transcript::{Role, Transcript};

/// What the list is meant for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// A stored history: it may end with an answer or with a call that still runs.
    Stored,
    /// The next request.
    Request,
}

/// Everything a provider of this format would complain about, in the order of the messages.
pub fn validate(transcript: &Transcript, wire: &Wire, phase: Phase) -> Vec<Finding> {
    let mut walk = Walk::new(transcript, wire, phase);
    if transcript.is_empty() {
        walk.report(Check::EmptyList, 0, None, || "the list is empty".into());
        return walk.findings;
    }
    rows::check(&mut walk);
    pairs::check(&mut walk);
    walk.findings.sort_by_key(|f| (f.at, f.part));
    walk.findings
}

/// The history, what was prepared of it, and what was found.
struct Walk<'a> {
    transcript: &'a Transcript,
    wire: &'a Wire,
    phase: Phase,
    /// First row of the running turn, or the number of rows.
    running: usize,
    /// How many user and system rows stand before each row, and so on for the other roles.
    before: Before,
    findings: Vec<Finding>,
}

/// Counts of rows before a row, so that "nothing between" is one subtraction.
#[derive(Default)]
struct Before {
    users: Vec<u32>,
    assistants: Vec<u32>,
    others: Vec<u32>,
}

impl<'a> Walk<'a> {
    fn new(transcript: &'a Transcript, wire: &'a Wire, phase: Phase) -> Self {
        let mut before = Before::default();
        let (mut users, mut assistants, mut others) = (0, 0, 0);
        for row in transcript.rows() {
            before.users.push(users);
            before.assistants.push(assistants);
            before.others.push(others);
            users += u32::from(row.role == Role::System || row.is_real_user());
            assistants += u32::from(matches!(row.role, Role::Assistant | Role::System));
            others += u32::from(row.role != Role::Tool);
        }
        before.users.push(users);
        before.assistants.push(assistants);
        before.others.push(others);
        let running = reasoning::open_turn(transcript).unwrap_or(transcript.len());
        Walk { transcript, wire, phase, running, before, findings: Vec::new() }
    }

    /// Adds a finding if the format minds.
    fn report(&mut self, check: Check, at: usize, part: Option<usize>, what: impl FnOnce() -> String) {
        let Some(ruling) = (self.wire.demands)(check) else { return };
        let level = match (self.phase, check) {
            // A stored history may end with an answer, and with a call that still runs.
            (Phase::Stored, Check::LastRow | Check::LastTrailing) => return,
            (Phase::Stored, Check::OpenCall) => Level::S,
            _ => ruling.level,
        };
        let detail = format!("{}: {}", what(), ruling.says);
        self.findings.push(Finding { rule: ruling.rule, level, at, part, detail, repairable: check.is_healed_at(ruling.level) });
    }

    /// User or system rows in `from..to`.
    fn users_between(&self, from: usize, to: usize) -> bool {
        count(&self.before.users, from, to) > 0
    }

    /// Rows in `from..to` that carry anything but results.
    fn others_between(&self, from: usize, to: usize) -> bool {
        count(&self.before.others, from, to) > 0
    }

    /// Assistant or system rows in `from..to`.
    fn assistants_between(&self, from: usize, to: usize) -> bool {
        count(&self.before.assistants, from, to) > 0
    }
}

/// Calls whose step is over and that have no result.
pub(super) fn unanswered(transcript: &Transcript, wire: &Wire) -> Vec<usize> {
    let walk = Walk::new(transcript, wire, Phase::Stored);
    let calls = transcript.index().calls().iter().enumerate();
    calls
        .filter(|(_, c)| {
            c.result.is_none() && !c.by_provider && pairs::is_models(transcript, c) && pairs::is_answerable(transcript, c) && !pairs::is_open(&walk, c)
        })
        .map(|(id, _)| id)
        .collect()
}

/// The provider's own calls without a result, of turns that are over.
pub(super) fn provider_unanswered(transcript: &Transcript) -> Vec<usize> {
    let running = reasoning::open_turn(transcript).unwrap_or(transcript.len());
    let calls = transcript.index().calls().iter().enumerate();
    calls.filter(|(_, c)| c.result.is_none() && c.by_provider && c.row < running && pairs::is_models(transcript, c)).map(|(id, _)| id).collect()
}

/// Calls whose result stands where the format does not look for it.
pub(super) fn late(transcript: &Transcript, wire: &Wire) -> Vec<usize> {
    let walk = Walk::new(transcript, wire, Phase::Stored);
    let calls = transcript.index().calls().iter().enumerate();
    calls.filter(|(_, c)| pairs::is_models(transcript, c) && c.result.is_some_and(|r| pairs::late(&walk, c, r.0))).map(|(id, _)| id).collect()
}

fn count(before: &[u32], from: usize, to: usize) -> u32 {
    let at = |i: usize| before.get(i).copied().unwrap_or(0);
    if from < to { at(to).saturating_sub(at(from)) } else { 0 }
}
