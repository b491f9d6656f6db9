//! What an edit means for the reasoning after it.
//!
//! Some providers bind a reasoning block to what stands before it: change that, and the block is refused.
//! Decides, for the earliest row an edit touches, whether the edit is free, which reasoning of closed
//! turns has to go with it, or that it waits for the next turn. Reasoning of the running turn is never
//! touched, and a signature that sits on a call or a text stays on it.

use super::config::{ReasoningBinding, ReasoningOnEdit};
use super::transcript::{Flags, PartKind, Role, Transcript};

/// What an edit asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// No reasoning depends on what is edited.
    Free,
    /// The host has the provider drop what no longer fits; nothing to do here.
    ProviderDrops,
    /// These reasoning parts leave the view with the edit.
    Strip(Vec<Stripped>),
    /// The running turn holds reasoning that depends on it: the edit waits for the next turn.
    Postpone,
}

/// A row that loses its reasoning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stripped {
    /// The row.
    pub row: usize,
    /// Its reasoning parts.
    pub cut: Vec<usize>,
    /// Parts that lose their provider-side id, which is only valid beside the reasoning.
    pub unname: Vec<usize>,
}

/// Decides for an edit whose earliest row is `edit_from`.
pub fn policy(transcript: &Transcript, binding: ReasoningBinding, choice: ReasoningOnEdit, edit_from: usize) -> Decision {
    let open = open_turn(transcript).unwrap_or(transcript.len());
    let reaches_open = match binding {
        ReasoningBinding::None => return Decision::Free,
        ReasoningBinding::Turn => edit_from >= open,
        ReasoningBinding::Prefix => true,
    };
    let in_open = reaches_open && first_reasoning(transcript, open.max(edit_from)).is_some();
    if binding == ReasoningBinding::Turn {
        return match (in_open, choice) {
            (false, _) => Decision::Free,
            (true, ReasoningOnEdit::ProviderDrop) => Decision::ProviderDrops,
            (true, _) => Decision::Postpone,
        };
    }
    let closed: Vec<Stripped> = (edit_from..open).filter_map(|row| strip(transcript, row)).collect();
    match (in_open, closed.is_empty(), choice) {
        (false, true, _) => Decision::Free,
        (_, _, ReasoningOnEdit::ProviderDrop) => Decision::ProviderDrops,
        (true, _, _) | (false, _, ReasoningOnEdit::Postpone) => Decision::Postpone,
        (false, false, ReasoningOnEdit::Strip) => Decision::Strip(closed),
    }
}

/// The whole reasoning of an assistant row, and the ids that go with it.
fn strip(transcript: &Transcript, row: usize) -> Option<Stripped> {
    let parts = &transcript.row(row)?.parts;
    let cut: Vec<usize> = parts.iter().enumerate().filter(|(_, p)| p.kind == PartKind::Reasoning).map(|(i, _)| i).collect();
    if cut.is_empty() {
        return unnamed_after(transcript, row);
    }
    let unname = named(transcript, row);
    Some(Stripped { row, cut, unname })
}

/// An item whose reasoning stands in the row before it: it keeps everything but its id.
fn unnamed_after(transcript: &Transcript, row: usize) -> Option<Stripped> {
    let before = (0..row).rev().map_while(|r| transcript.row(r).filter(|x| x.role == Role::Assistant));
    let governed = before.into_iter().any(|r| r.parts.iter().any(|p| p.kind == PartKind::Reasoning));
    let unname = named(transcript, row);
    let own = transcript.row(row)?.role == Role::Assistant;
    (own && governed && !unname.is_empty()).then_some(Stripped { row, cut: Vec::new(), unname })
}

fn named(transcript: &Transcript, row: usize) -> Vec<usize> {
    let parts = transcript.row(row).map_or(&[][..], |r| r.parts.as_slice());
    parts.iter().enumerate().filter(|(_, p)| p.kind != PartKind::Reasoning && p.flags.has(Flags::ITEM_ID)).map(|(i, _)| i).collect()
}

/// First row of the running turn: the newest user row, unless a response without open calls ended its turn.
pub fn open_turn(transcript: &Transcript) -> Option<usize> {
    let start = *transcript.index().turns().last()?;
    let ended = transcript.rows().last().is_some_and(|r| r.role == Role::Assistant) && transcript.index().open_round().is_none();
    (!ended).then_some(start)
}

/// Last row from `from` on that holds reasoning.
pub fn last_reasoning(transcript: &Transcript, from: usize) -> Option<usize> {
    let rows = transcript.rows().iter().enumerate().skip(from);
    rows.filter(|(_, r)| r.role == Role::Assistant && r.parts.iter().any(|p| p.kind == PartKind::Reasoning)).map(|(at, _)| at).next_back()
}

/// First row from `from` on that holds reasoning.
pub fn first_reasoning(transcript: &Transcript, from: usize) -> Option<usize> {
    let rows = transcript.rows().iter().enumerate().skip(from);
    rows.filter(|(_, r)| r.role == Role::Assistant).find(|(_, r)| r.parts.iter().any(|p| p.kind == PartKind::Reasoning)).map(|(at, _)| at)
}
