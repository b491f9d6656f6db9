//! Relief by rule where no fold is possible: on closed turns only, each stage only while it is needed.
//!
//! Decides what a stage would take next. Refuses the running turn, the verbatim tail and what a person
//! wrote. The ladder applies one step at a time and measures in between.

use std::collections::BTreeSet;

use super::outline::{self, Tell};
use super::worth::{Shown, shown_names};
use crate::core::restore::frames::frame;
use crate::core::restore::orders;
use crate::core::session::Session;
use crate::core::state::Edit;
use crate::core::transcript::{CallId, PartKind, Role};
use crate::core::view::{Block, BlockKind, Order};

/// Results longer than this are shortened in the first stage, in UTF-16 code units.
pub const CLAMP_CHARS: u32 = 2_000;
/// Most tokens of a digest.
pub const DIGEST_TOKENS: u32 = 1_500;
/// A line or a turn's summary names at most so much of what its rows show, and at most so many tokens of names.
const OF_ROWS: u64 = 8;
const NAMES_TOKENS: u64 = 200;

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

fn visible(session: &Session, row: usize, pinned: &BTreeSet<usize>) -> bool {
    session.transcript.row(row).is_some_and(|r| !r.is_hidden() && !pinned.contains(&row))
}

/// Tokens a block frees: the rows it takes out of the view and the older blocks, less its own.
fn gain(session: &Session, block: &Block) -> u64 {
    let pinned = session.pinned_rounds();
    let inside = |p: u64| (block.from..=block.to).contains(&p);
    let rows = session.transcript.rows().iter().enumerate().filter(|(at, r)| r.position.is_some_and(inside) && !pinned.contains(at));
    let rows: u64 = rows.map(|(_, r)| u64::from(r.view_tokens())).sum();
    let blocks = session.state.blocks.iter().filter(|b| b.kind.gone().is_some() && inside(b.from) && inside(b.to));
    (rows + blocks.map(|b| u64::from(b.tokens)).sum::<u64>()).saturating_sub(u64::from(block.tokens))
}

/// Whether a block weighs less than what it takes out of the view.
fn pays(session: &Session, block: &Block) -> bool {
    gain(session, block) > 0
}

/// Only rows with a position can be hidden: the position is what a restart recognises.
fn stored(session: &Session, start: usize, end: usize) -> bool {
    session.transcript.row(start).is_some_and(|r| r.position.is_some())
        && (start..end).all(|i| session.transcript.row(i).is_some_and(|r| !r.is_real_user() && (r.position.is_some() || r.role == Role::Tool)))
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
        let shows = |r: &&crate::core::transcript::Round| visible(session, r.start, &pinned) && stored(session, r.start, r.end);
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

fn rounds_between(session: &Session, from: usize, to: usize) -> Vec<usize> {
    let from = from.max(session.first_kept());
    let rounds = session.transcript.index().rounds().iter().enumerate();
    rounds.filter(|(_, r)| r.start >= from && r.end <= to && r.is_closed()).map(|(i, _)| i).collect()
}

/// Stage 4: everything left of the closed turns as one digest for the head, the user's words verbatim.
pub fn whole_digest(session: &Session, tell: Tell<'_>, readable: bool) -> Option<Block> {
    let limit = limit(session);
    let first = session.first_kept().max(session.transcript.leading());
    let rows = session.transcript.rows();
    let covered: Vec<usize> =
        (first..limit).filter(|i| rows.get(*i).is_some_and(|r| r.position.is_some() && r.gone != Some(crate::core::view::Gone::Folded))).collect();
    let positions: Vec<u64> = covered.iter().filter_map(|i| rows.get(*i)?.position).collect();
    let (from, to) = (*positions.iter().min()?, *positions.iter().max()?);
    // One digest of everything, told anew from the rows: a digest is never digested, and the head does not grow.
    if session.state.blocks.iter().any(|b| b.kind == BlockKind::Digest && b.from <= from && b.to >= to) {
        return None;
    }
    let rounds = rounds_between(session, first, limit);
    let handle = readable.then(|| format!("rows:{from}-{to}"));
    let orders = orders_of(session, &covered, tell, readable);
    let mut body = digest_text(session, &rounds, &covered, &orders, tell, handle.as_deref());
    if !orders.is_empty() {
        body.push_str("\n\n");
        body.push_str(&orders);
    }
    Some(Block { kind: BlockKind::Digest, from, to, tokens: session.weigh(&body), text: body, handle }).filter(|b| pays(session, b))
}

/// The user's own words among these rows, as they are put back; empty where there are none.
fn orders_of(session: &Session, covered: &[usize], tell: Tell<'_>, readable: bool) -> String {
    if !session.config.orders.enabled {
        return String::new();
    }
    let said = covered.iter().filter_map(|i| {
        let position = session.transcript.row(*i).filter(|r| r.is_real_user())?.position?;
        Some(Order { position, key: session.state.order_keys.get(&position.to_string()).cloned(), text: user_text(session, *i, tell) })
    });
    let kept = orders::choose(said.collect(), session.order_budget(), readable, &|t| session.weigh(t));
    orders::head_part(&kept).unwrap_or_default()
}

/// A row's text parts.
fn user_text(session: &Session, row: usize, tell: Tell<'_>) -> String {
    let parts = session.transcript.row(row).map_or(&[][..], |r| r.parts.as_slice());
    let texts = parts.iter().enumerate().filter(|(_, p)| p.kind == PartKind::Text && !p.measure.blank);
    texts.map(|(i, _)| tell((row, i), None)).collect::<Vec<_>>().join("\n\n")
}

/// The in-turn digest: the middle of the running turn, first 2 and last 3 closed rounds kept.
pub fn in_turn(session: &Session, tell: Tell<'_>, readable: bool) -> Option<(Block, Vec<usize>)> {
    let index = session.transcript.index();
    let start = index.turns().last().copied().unwrap_or(0).max(session.first_kept());
    let closed: Vec<usize> = index.rounds().iter().enumerate().filter(|(_, r)| r.start >= start && r.is_closed()).map(|(i, _)| i).collect();
    let unread = session.transcript.first_unread();
    let pinned = session.pinned_rounds();
    let kind = if session.profile.name == "gemini" { BlockKind::Digest } else { BlockKind::InTurn };
    let may_go = |r: &usize| index.rounds().get(*r).is_some_and(|r| r.end <= unread && stored(session, r.start, r.end));
    let shown = |r: &usize| index.rounds().get(*r).is_some_and(|r| visible(session, r.start, &pinned));
    let middle: Vec<usize> = closed.get(2..closed.len().saturating_sub(3)).unwrap_or(&[]).iter().copied().filter(may_go).collect();
    let fresh: Vec<usize> = middle.iter().copied().filter(shown).collect();
    if fresh.is_empty() {
        return None;
    }
    // A second digest stands behind the first, whose bytes stay; when they add up, one is told anew from the rows.
    let turn = session.transcript.row(start).and_then(|r| r.position).unwrap_or(0);
    let earlier: u32 = session.state.blocks.iter().filter(|b| b.kind == kind && b.from > turn).map(|b| b.tokens).sum();
    let rounds = if earlier > DIGEST_TOKENS { middle } else { fresh };
    let (from, to) = span(session, &rounds)?;
    let handle = readable.then(|| format!("rows:{from}-{to}"));
    let text = digest_text(session, &rounds, &rows_of(session, &rounds), "", tell, handle.as_deref());
    let block = Block { kind, from, to, tokens: session.weigh(&text), text, handle };
    pays(session, &block).then_some((block, rounds))
}

/// A digest of rounds: tools, files with their last state, one line per call, and the names that would be lost.
///
/// Names take at least the half of what the lines leave; the lines take what the names do not need. `leaving` are
/// the rows that go, `stays` what is put back of them besides.
fn digest_text(session: &Session, rounds: &[usize], leaving: &[usize], stays: &str, tell: Tell<'_>, handle: Option<&str>) -> String {
    let mut text = format!("{} earlier steps, told by rule: {}", rounds.len(), outline::tools(session, rounds));
    let files = outline::targets(session, rounds, 12);
    if !files.is_empty() {
        text.push_str(&format!("\nAbout, newest first: {}", files.join(", ")));
    }
    let note = match handle {
        Some(h) => format!("\nread_tool_output({{ id: \"{h}\" }}) reads the rows back; an id in brackets reads that output back."),
        None => "\nread_tool_output with an id in brackets reads that output back.".to_owned(),
    };
    let room = DIGEST_TOKENS.saturating_sub(session.weigh(&text) + session.weigh(&note) + 40);
    let mut shown = Shown::of(session);
    let ids = take_out(session, &mut shown, leaving);
    shown.put_text(stays, true);
    shown.put_text(&text, true);
    let named = shown.print(&shown.choose(ids.iter().copied(), room / 2).names);
    let lines = outline::lines(session, rounds, tell, room.saturating_sub(session.weigh(&named)));
    for line in &lines {
        text.push('\n');
        text.push_str(line);
        shown.put_text(line, true);
    }
    let left = room.saturating_sub(lines.iter().map(|l| session.weigh(l) + 1).sum());
    let named = shown.print(&shown.choose(ids, left).names);
    if !named.is_empty() {
        text.push_str(&format!("\nNames in them: {named}"));
    }
    text.push_str(&note);
    frame("digest", &text)
}

fn rows_of(session: &Session, rounds: &[usize]) -> Vec<usize> {
    let index = session.transcript.index();
    rounds.iter().filter_map(|r| index.rounds().get(*r)).flat_map(|r| r.start..r.end).collect()
}

/// The names that would be lost with these rows, as far as they are worth it; `text` says some already. What is
/// shown is without the rows afterwards, and with the names.
fn names_of(session: &Session, shown: &mut Shown<'_>, leaving: &[usize], text: &str) -> String {
    let tokens: u64 = leaving.iter().filter_map(|at| session.transcript.row(*at)).map(|r| u64::from(r.view_tokens())).sum();
    let room = (tokens / OF_ROWS).min(NAMES_TOKENS) as u32;
    let ids = take_out(session, shown, leaving);
    shown.put_text(text, true);
    let chosen = shown.choose(ids, room).names;
    shown.put(&chosen, true);
    shown.print(&chosen)
}

/// Takes rows, and the blocks that stand for some of them, out of what is shown; the names they held.
fn take_out(session: &Session, shown: &mut Shown<'_>, leaving: &[usize]) -> Vec<u32> {
    let mut ids = Vec::new();
    let mut positions: Vec<u64> = Vec::new();
    for (at, row) in leaving.iter().filter_map(|at| Some((*at, session.transcript.row(*at)?))) {
        let names: Vec<u32> = row.parts.iter().enumerate().flat_map(|(p, part)| shown_names(session, at, p, part)).collect();
        if !row.is_hidden() {
            shown.put(&names, false);
        }
        ids.extend(names);
        positions.extend(row.position);
    }
    let (first, last) = (positions.iter().min().copied(), positions.iter().max().copied());
    let inside = |b: &&Block| b.kind.gone().is_some() && first.is_some_and(|p| b.from >= p) && last.is_some_and(|p| b.to <= p);
    for block in session.state.blocks.iter().filter(inside) {
        shown.put_text(&block.text, false);
    }
    ids
}
