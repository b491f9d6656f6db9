//! The names that would be lost with rows that go: what a line, a summary or a digest in their place should still say.

use super::worth::{Shown, shown_names};
use crate::core::session::Session;
use crate::core::view::Block;

/// A line or a turn's summary names at most so much of what its rows show, and at most so many tokens of names.
const OF_ROWS: u64 = 8;
const NAMES_TOKENS: u64 = 200;

/// The names that would be lost with these rows, as far as they are worth it; `text` says some already. What is
/// shown is without the rows afterwards, and with the names.
pub(super) fn names_of(session: &Session, shown: &mut Shown<'_>, leaving: &[usize], text: &str) -> String {
    let tokens: u64 = leaving.iter().filter_map(|at| session.transcript.row(*at)).map(|r| u64::from(r.view_tokens())).sum();
    let room = (tokens / OF_ROWS).min(NAMES_TOKENS) as u32;
    let ids = take_out(session, shown, leaving);
    shown.put_text(text, true);
    let chosen = shown.choose(ids, room).names;
    shown.put(&chosen, true);
    shown.print(&chosen)
}

/// Takes rows, and the blocks that stand for some of them, out of what is shown; the names they held.
pub(super) fn take_out(session: &Session, shown: &mut Shown<'_>, leaving: &[usize]) -> Vec<u32> {
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
