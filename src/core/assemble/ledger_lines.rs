//! The ledger of a session: what the decision log made of each row, and how to read it back.

use super::edits::edited_parts;
use crate::core::ledger::{LedgerEntry, LedgerPart, RowState};
use crate::core::session::Session;
use crate::core::state::{Edit, Loss};
use crate::core::transcript::PartKind;
use crate::core::view::Gone;

/// What became of each row.
pub fn ledger(session: &Session) -> Vec<LedgerEntry> {
    session.transcript.rows().iter().enumerate().map(|(at, _)| ledger_entry(session, at)).collect()
}

/// What became of one row.
pub(in crate::core) fn ledger_entry(session: &Session, at: usize) -> LedgerEntry {
    let row = session.transcript.row(at);
    let position = row.and_then(|r| r.position);
    let plain = |state| LedgerEntry { index: at, position, state, id: None, handle: None, loss: None, parts: Vec::new() };
    match row.and_then(|r| r.gone) {
        Some(Gone::Folded) => {
            let id = position.and_then(|p| session.state.folds.iter().rev().find(|f| f.active && p >= f.from && p <= f.to)).or_else(|| session.state.fold());
            let provider = || (at < session.compacted_before()).then(|| "provider".to_owned());
            return LedgerEntry { id: id.map(|f| f.id.clone()).or_else(provider), ..plain(RowState::Folded) };
        }
        Some(gone) => {
            let block = position.and_then(|p| session.state.blocks.iter().find(|b| b.hides(p)));
            let handle = block.and_then(|b| b.handle.clone());
            let loss = handle.is_none().then_some(Loss::NoStore);
            let state = if gone == Gone::Dropped { RowState::Dropped } else { RowState::Digested };
            return LedgerEntry { id: block.map(|b| format!("rows:{}-{}", b.from, b.to)), handle, loss, ..plain(state) };
        }
        None => {}
    }
    if row.is_some_and(|r| r.is_blank() || r.is_bare()) {
        return plain(RowState::Elided);
    }
    if position.is_some_and(|p| session.state.pins.contains(&p)) {
        return plain(RowState::Pinned);
    }
    let parts: Vec<LedgerPart> = edited_parts(session, at)
        .filter_map(|(part, entry)| {
            let (state, loss) = match &entry.edit {
                Some(Edit::Stub { loss, .. }) => (RowState::Evicted, *loss),
                Some(Edit::Input { .. }) => (RowState::Evicted, entry.capped.then_some(Loss::OverCap)),
                Some(Edit::Clamp { media: true, .. }) => (RowState::Evicted, session.loss_of(entry)),
                Some(Edit::Clamp { .. }) => (RowState::Clamped, session.loss_of(entry)),
                None if entry.clamped => (RowState::Clamped, session.loss_of(entry)),
                None => return None,
            };
            Some(LedgerPart { part, state, handle: entry.handle.clone(), loss })
        })
        .collect();
    let Some(first) = parts.first().cloned() else { return plain(RowState::Kept) };
    let worst = parts.iter().map(|p| p.state).find(|s| *s == RowState::Evicted).unwrap_or(first.state);
    let several = parts.len() > 1 || row.is_some_and(|r| r.parts.iter().filter(|p| p.kind == PartKind::Result).count() > 1);
    LedgerEntry { index: at, position, state: worst, id: None, handle: first.handle.clone(), loss: first.loss, parts: if several { parts } else { Vec::new() } }
}
