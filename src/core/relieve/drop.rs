//! The last resort without a model: the oldest spent rounds leave the view behind one line per run.
//!
//! Decides how many rounds go and what their line says: how many steps, which tools, the names that would
//! be lost, and the handle that reads the rows back. Refuses rounds that are open, unread, pinned, hold a
//! user's text or are not stored; only a position is recognised after a restart.

use std::collections::BTreeSet;

use super::outline;
use super::stub::PREFIX;
use super::worth::{Shown, shown_names};
use crate::core::measure::names::Names;
use crate::core::session::Session;
use crate::core::transcript::{Role, Round, Row};
use crate::core::view::{Block, BlockKind, Gone};

/// A line's names take at most this part of what its rows held, and of what they take in the view.
const OF_ROWS: u64 = 4;
const OF_VIEW: u64 = 2;
/// What a line needs besides names, in tokens.
const LINE: u64 = 48;

/// Rounds that may go, oldest first; the newest `keep` closed ones stay.
pub fn spent(session: &Session, keep: u32) -> Vec<usize> {
    let transcript = &session.transcript;
    let first = session.first_kept();
    let unread = transcript.first_unread();
    let closed: Vec<usize> = transcript.index().rounds().iter().enumerate().filter(|(_, r)| r.is_closed()).map(|(i, _)| i).collect();
    let old = closed.get(..closed.len().saturating_sub(keep as usize)).unwrap_or(&[]);
    let editable = session.first_editable();
    let may_go =
        |round: &Round| editable(round.start) && round.start >= first && round.end <= unread && (round.start..round.end).all(|at| may_row(session, at));
    old.iter().copied().filter(|i| transcript.index().rounds().get(*i).is_some_and(may_go)).collect()
}

fn may_row(session: &Session, at: usize) -> bool {
    let Some(row) = session.transcript.row(at) else { return false };
    let stored = row.position.is_some_and(|p| !session.state.pins.contains(&p));
    stored && row.gone.is_none() && !row.is_real_user() && row.role != Role::System
}

/// A line and the older lines it takes up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// The new line.
    pub block: Block,
    /// First row it stands for.
    pub row: usize,
    /// Lines it replaces: indexes of the state's blocks.
    pub absorbed: Vec<usize>,
}

/// Plans the lines that bring occupancy down to `target`; empty when nothing may go.
///
/// A run that follows an older line directly becomes one line with it. Where all lines, older ones too, would
/// leave more than `limit`, their names give way.
pub fn plan(session: &Session, readable: bool, keep: u32, target: u32, limit: u32) -> Vec<Line> {
    let occupancy = u64::from(session.occupancy().tokens);
    let after = |freed: u64| occupancy.saturating_sub(u64::from(session.gauge.scale(freed)));
    let may_go: BTreeSet<usize> = spent(session, keep).into_iter().collect();
    let mut runs: Vec<Run> = Vec::new();
    let mut freed = 0u64;
    for (i, round) in session.transcript.index().rounds().iter().enumerate() {
        let left_out = session.transcript.row(round.start).is_some_and(|r| r.gone == Some(Gone::Dropped));
        if !(left_out || may_go.contains(&i) && after(freed) > u64::from(target)) {
            continue;
        }
        if !runs.last().is_some_and(|run| (run.end..round.start).all(|at| session.transcript.row(at).is_none_or(|r| r.is_hidden()))) {
            runs.push(Run::at(round.start));
        }
        if let Some(run) = runs.last_mut() {
            freed -= run.gain();
            run.take(session, i, round, left_out);
            freed += run.gain();
        }
    }
    let room: u64 = runs.iter().map(Run::room).sum();
    let missing = after(freed).saturating_sub(u64::from(limit));
    // Where no names at all would not do either, giving them up is for nothing.
    let missing = if missing > room { 0 } else { missing };
    runs.retain(|run| run.gain() > 0 || (missing > 0 && !run.fresh));
    for run in &mut runs {
        run.room = run.room() * (room - missing) / room.max(1);
    }
    if freed + missing < u64::from(session.config.eviction.clear_at_least) { Vec::new() } else { lines(session, &runs, readable) }
}

/// Puts the lines in place.
pub fn apply(session: &mut Session, lines: Vec<Line>) {
    let absorbed: BTreeSet<usize> = lines.iter().flat_map(|l| l.absorbed.iter().copied()).collect();
    let mut at = 0..;
    session.state.blocks.retain(|_| at.next().is_none_or(|i| !absorbed.contains(&i)));
    for line in lines {
        session.note_change(line.row, "dropped");
        session.add_block(line.block, "dropped");
    }
}

/// Rounds that stand together.
#[derive(Debug, Default)]
struct Run {
    start: usize,
    end: usize,
    rounds: Vec<usize>,
    /// Tokens in the view and without any relief.
    view: u64,
    raw: u64,
    absorbed: Vec<usize>,
    fresh: bool,
    room: u64,
}

impl Run {
    fn at(row: usize) -> Self {
        Run { start: row, end: row, ..Run::default() }
    }

    fn take(&mut self, session: &Session, index: usize, round: &Round, left_out: bool) {
        let size = |f: fn(&Row) -> u32| (round.start..round.end).filter_map(|at| session.transcript.row(at)).map(|r| u64::from(f(r))).sum::<u64>();
        self.end = round.end;
        self.rounds.push(index);
        self.raw += size(Row::tokens);
        if !left_out {
            self.fresh = true;
            self.view += size(Row::view_tokens);
        } else if let Some(position) = session.transcript.row(round.start).and_then(|r| r.position) {
            let line = session.state.blocks.iter().position(|b| b.kind == BlockKind::Group && b.hides(position));
            if let Some(line) = line.filter(|l| !self.absorbed.contains(l)) {
                self.view += session.state.blocks.get(line).map_or(0, |b| u64::from(b.tokens));
                self.absorbed.push(line);
            }
        }
    }

    /// Tokens the line's names may take.
    fn room(&self) -> u64 {
        if self.fresh { (self.raw / OF_ROWS).min(self.view / OF_VIEW) } else { self.view.saturating_sub(LINE) }
    }

    fn gain(&self) -> u64 {
        if self.fresh { self.view.saturating_sub(self.room() + LINE) } else { 0 }
    }
}

fn lines(session: &Session, runs: &[Run], readable: bool) -> Vec<Line> {
    let mut shown = Shown::of(session);
    let mut leaving: Vec<Vec<u32>> = Vec::new();
    for run in runs {
        let mut ids = Vec::new();
        for text in run.absorbed.iter().filter_map(|b| session.state.blocks.get(*b)).map(|b| &b.text) {
            ids.extend(session.lexicon.known_in(&Names::of(text)));
        }
        for at in run.start..run.end {
            let Some(row) = session.transcript.row(at).filter(|r| !r.is_hidden()) else { continue };
            ids.extend(row.parts.iter().enumerate().flat_map(|(p, part)| shown_names(session, at, p, part)));
        }
        shown.put(&ids, false);
        leaving.push(ids);
    }
    let mut out = Vec::new();
    for (run, ids) in runs.iter().zip(leaving) {
        let chosen = shown.choose(ids, u32::try_from(run.room).unwrap_or(u32::MAX));
        let names = shown.print(&chosen.names);
        if let Some(block) = block(session, run, &names, readable) {
            shown.put_text(&block.text, true);
            out.push(Line { block, row: run.start, absorbed: run.absorbed.clone() });
        }
    }
    out
}

fn block(session: &Session, run: &Run, names: &str, readable: bool) -> Option<Block> {
    let positions: Vec<u64> = (run.start..run.end).filter_map(|at| session.transcript.row(at)?.position).collect();
    let (from, to) = (*positions.iter().min()?, *positions.iter().max()?);
    let steps = run.rounds.len();
    let tools = outline::short_tools(session, &run.rounds);
    let tools = if tools.is_empty() { "no tools" } else { &tools };
    let mut text = format!("{PREFIX} {steps} earlier {} left out: {tools}", if steps == 1 { "step" } else { "steps" });
    if !names.is_empty() {
        text.push_str("; names: ");
        text.push_str(names);
    }
    let handle = readable.then(|| format!("rows:{from}-{to}"));
    text.push_str(&match &handle {
        Some(id) => format!(" [read_tool_output({{ id: \"{id}\" }}) returns the rows]"),
        None => format!(" [rows {from} to {to}; not readable from here]"),
    });
    Some(Block { kind: BlockKind::Group, from, to, tokens: session.weigh(&text), text, handle })
}
