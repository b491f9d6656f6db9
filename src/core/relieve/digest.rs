//! Digests: one text by rule for everything left of the closed turns, or for the middle of the running one.
//!
//! Decides which rounds it tells and in how many tokens. A digest is never digested: one that grew is told anew from
//! the rows.

use super::lost_names::take_out;
use super::outline::{self, Tell};
use super::reach::{limit, pays, rounds_between, rows_of, span, stored, visible};
use super::worth::Shown;
use crate::core::restore::frames::frame;
use crate::core::restore::orders;
use crate::core::session::Session;
use crate::core::transcript::PartKind;
use crate::core::view::{Block, BlockKind, Gone, Order};

/// Most tokens of a digest.
pub const DIGEST_TOKENS: u32 = 1_500;

/// Stage 4: everything left of the closed turns as one digest for the head, the user's words verbatim.
pub fn whole_digest(session: &Session, tell: Tell<'_>, readable: bool) -> Option<Block> {
    let limit = limit(session);
    let first = session.first_kept().max(session.transcript.leading());
    let rows = session.transcript.rows();
    let covered: Vec<usize> = (first..limit).filter(|i| rows.get(*i).is_some_and(|r| r.position.is_some() && r.gone != Some(Gone::Folded))).collect();
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
