//! Relief by rule where no fold is possible: on closed turns only, each stage only while it is needed.
//!
//! Decides what a stage would take next and what stands there instead. Refuses what a person wrote. The ladder
//! applies one step at a time and measures in between.

use super::lost_names::names_of;
use super::outline::{self, Tell};
use super::reach::{gain, limit, pays, round_tokens, rounds_between, rows_of, span, stored, visible};
use super::worth::Shown;
use crate::core::restore::frames::frame;
use crate::core::session::Session;
use crate::core::state::Edit;
use crate::core::transcript::{CallId, Round};
use crate::core::view::{Block, BlockKind};

/// Results longer than this are shortened in the first stage, in UTF-16 code units.
pub const CLAMP_CHARS: u32 = 2_000;

/// Stage 1: visible results over the stage's cap, oldest first.
pub fn oversized(session: &Session) -> Vec<(CallId, (usize, usize))> {
    let limit = limit(session);
    let mut out = Vec::new();
    let pinned = session.pinned_rounds();
    for (call, row, part) in session.results_from(session.first_kept()) {
        if row >= limit {
            break;
        }
        if pinned.contains(&row) {
            continue;
        }
        let Some(result) = session.transcript.part(row, part) else { continue };
        let long = match session.entry(call).and_then(|e| e.edit.as_ref()) {
            Some(Edit::Stub { .. } | Edit::Input { .. }) => false,
            Some(Edit::Clamp { cap, .. }) => *cap > CLAMP_CHARS && result.measure.len > CLAMP_CHARS,
            None => result.measure.len > CLAMP_CHARS,
        };
        if long && session.transcript.row(row).is_some_and(|r| !r.is_hidden()) {
            out.push((call, (row, part)));
        }
    }
    out
}

/// Stage 2: rounds that may be dropped, oldest first, and the tokens that half of them may take.
pub fn spent(session: &Session) -> (Vec<usize>, u64) {
    let limit = limit(session);
    let first = session.first_kept();
    let pinned = session.pinned_rounds();
    let all: Vec<usize> = session
        .transcript
        .index()
        .rounds()
        .iter()
        .enumerate()
        .filter(|(_, r)| r.is_closed() && r.start >= first && r.end <= limit && visible(session, r.start, &pinned) && stored(session, r.start, r.end))
        .map(|(i, _)| i)
        .collect();
    let tokens: u64 = all.iter().map(|i| round_tokens(session, *i)).sum();
    (all, tokens / 2)
}

/// Splits rounds into runs with no visible row between them.
pub fn runs(session: &Session, rounds: &[usize]) -> Vec<Vec<usize>> {
    let mut out: Vec<Vec<usize>> = Vec::new();
    let index = session.transcript.index();
    for round in rounds {
        let start = index.rounds().get(*round).map_or(0, |r| r.start);
        let joined = out
            .last()
            .and_then(|run| run.last())
            .and_then(|last| index.rounds().get(*last))
            .is_some_and(|last| (last.end..start).all(|i| session.transcript.row(i).is_none_or(|r| r.is_hidden())));
        match out.last_mut().filter(|_| joined) {
            Some(run) => run.push(*round),
            None => out.push(vec![*round]),
        }
    }
    out
}

/// Stage 2's line for one run of dropped rounds.
pub fn group(session: &Session, run: &[usize], shown: &mut Shown<'_>, readable: bool) -> Option<Block> {
    let (from, to) = span(session, run)?;
    let handle = readable.then(|| format!("rows:{from}-{to}"));
    let files = outline::targets(session, run, 12);
    let mut text = format!("[{} earlier {} left out: {}", run.len(), if run.len() == 1 { "step" } else { "steps" }, outline::tools(session, run));
    if !files.is_empty() {
        text.push_str(&format!("; about {}", files.join(", ")));
    }
    let named = names_of(session, shown, &rows_of(session, run), &text);
    if !named.is_empty() {
        text.push_str(&format!("; names: {named}"));
    }
    text.push_str(&match &handle {
        Some(h) => format!("; read_tool_output({{ id: \"{h}\" }}) reads the rows back]"),
        None => format!("; rows {from} to {to}, not readable from here]"),
    });
    Some(Block { kind: BlockKind::Group, from, to, tokens: session.weigh(&text), text, handle }).filter(|b| pays(session, b))
}

/// Stage 3: the oldest closed turns that still show rounds, each as one block behind its user row, until `over`
/// tokens are freed.
pub fn oldest_turns(session: &Session, tell: Tell<'_>, readable: bool, over: u32) -> Vec<Block> {
    let limit = limit(session);
    let index = session.transcript.index();
    let pinned = session.pinned_rounds();
    let mut shown = Shown::of(session);
    let mut out = Vec::new();
    let mut freed = 0;
    for (i, start) in index.turns().iter().enumerate() {
        if session.gauge.scale(freed) >= over {
            break;
        }
        let end = index.turns().get(i + 1).copied().unwrap_or(limit).min(limit);
        let rounds = rounds_between(session, *start, end);
        let shows = |r: &&Round| visible(session, r.start, &pinned) && stored(session, r.start, r.end);
        if !rounds.iter().filter_map(|r| index.rounds().get(*r)).any(|r| shows(&r)) {
            continue;
        }
        let Some(block) = turn_block(session, &rounds, &mut shown, tell, readable) else { continue };
        freed += gain(session, &block);
        out.push(block);
    }
    out
}

fn turn_block(session: &Session, rounds: &[usize], shown: &mut Shown<'_>, tell: Tell<'_>, readable: bool) -> Option<Block> {
    let index = session.transcript.index();
    let (from, to) = span(session, rounds)?;
    let files = outline::targets(session, rounds, 10);
    let mut text = format!("{} steps: {}", rounds.len(), outline::tools(session, rounds));
    if !files.is_empty() {
        text.push_str(&format!("\nAbout: {}", files.join(", ")));
    }
    let last = rounds.iter().rev().filter_map(|r| index.rounds().get(*r)).find_map(|r| outline::last_sentence(session, r.start, tell));
    if let Some(said) = last {
        text.push_str(&format!("\nEnded with: {said}"));
    }
    let named = names_of(session, shown, &rows_of(session, rounds), &text);
    if !named.is_empty() {
        text.push_str(&format!("\nNames in them: {named}"));
    }
    let handle = readable.then(|| format!("rows:{from}-{to}"));
    if let Some(h) = &handle {
        text.push_str(&format!("\nread_tool_output({{ id: \"{h}\" }}) reads the rows back"));
    }
    let text = frame("earlier_turn", &text);
    Some(Block { kind: BlockKind::Turn, from, to, tokens: session.weigh(&text), text, handle }).filter(|b| pays(session, b))
}
