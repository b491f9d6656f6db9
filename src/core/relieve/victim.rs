//! What may become a stub: old results and, where allowed, old arguments, and the text that would take their place.
//!
//! Refuses to touch what the model has not read, protected tools, pinned rows, small results and the provider's own.

use std::collections::BTreeSet;

use super::readback;
use super::stub::{Newer, Stub};
use crate::core::config::ReasoningBinding;
use crate::core::measure::meter::Measure;
use crate::core::session::Session;
use crate::core::state::{Edit, Entry, Loss};
use crate::core::transcript::{Call, CallId, Flags, Role, Transcript};

/// What a victim is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The result of a call.
    Result,
    /// Its arguments.
    Input,
}

/// A result or arguments that may become a stub.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Victim {
    /// Which of the two.
    pub what: What,
    /// The call.
    pub call: CallId,
    /// Row and part.
    pub at: (usize, usize),
    /// Tokens now.
    pub before: u32,
    /// The handle the full text has or will have.
    pub handle: String,
    /// Why there can be no handle, when that is known beforehand.
    pub loss: Option<Loss>,
    /// Whether the raw store has the full text already.
    pub stored: bool,
    /// The newer result that makes it superfluous.
    pub newer: Option<Newer>,
    /// The names its stub keeps.
    pub names: String,
    /// What arguments measure once they are shortened; the host knows.
    pub shortened: Option<Measure>,
}

/// Whether and why the host can keep full texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeping {
    /// Full texts go to the raw store.
    Store,
    /// They do not, for this reason.
    Nowhere(Loss),
}

/// Everything of these rounds that may become a stub, oldest first.
pub fn candidates(session: &Session, keeping: Keeping, rounds: &[usize]) -> Vec<Victim> {
    let index = session.transcript.index();
    let unread = session.transcript.first_unread();
    let protected = protected(session);
    let mut out = Vec::new();
    for round in rounds.iter().filter_map(|i| index.rounds().get(*i)) {
        for id in round.calls.0..round.calls.1 {
            let Some(call) = index.call(id) else { continue };
            if call.result.is_none_or(|at| at.0 >= unread) {
                continue;
            }
            out.extend(input_victim(session, keeping, id, call));
            if !protected.contains(&id) {
                out.extend(result_victim(session, keeping, id, call));
            }
        }
    }
    out
}

fn result_victim(session: &Session, keeping: Keeping, id: CallId, call: &Call) -> Option<Victim> {
    let at = call.result?;
    let part = session.transcript.part(at.0, at.1)?;
    let none = Entry::default();
    let entry = session.entry(id).unwrap_or(&none);
    if part.flags.has(Flags::FIXED) {
        return None;
    }
    let before = part.view_tokens();
    let spent = matches!(entry.edit, Some(Edit::Stub { .. }));
    // Results of the provider's own tools live inside the assistant row, which is never edited.
    let row = session.transcript.row(at.0)?;
    if spent || row.role == Role::Assistant || row.is_hidden() || before < session.config.eviction.min_result_tokens || is_pinned(session, at.0) {
        return None;
    }
    let loss = match (entry.redacted, keeping, entry.handle.is_some()) {
        (true, _, _) => Some(Loss::Redacted),
        (false, _, true) => entry.capped.then_some(Loss::OverCap),
        (false, Keeping::Nowhere(loss), false) => Some(loss),
        (false, Keeping::Store, false) => None,
    };
    let source = read_back_of(&session.transcript, call);
    let stored = entry.handle.is_some() || source.is_some();
    let handle = source.map(|(id, _)| id.to_owned()).or_else(|| entry.handle.clone()).unwrap_or_else(|| call.handle.to_string());
    Some(Victim { what: What::Result, call: id, at, before, handle, loss, stored, newer: None, names: String::new(), shortened: None })
}

/// Arguments are the model's own words: only where the format, the host and the reasoning allow it.
fn input_victim(session: &Session, keeping: Keeping, id: CallId, call: &Call) -> Option<Victim> {
    let binding = session.config.reasoning_binding.unwrap_or(ReasoningBinding::None);
    if !session.config.eviction.inputs || keeping != Keeping::Store || binding != ReasoningBinding::None || call.by_provider {
        return None;
    }
    let at = (call.row, call.part);
    let part = session.transcript.part(at.0, at.1)?;
    let free = part.flags.has(Flags::EDITABLE) && !part.flags.has(Flags::SIGNED) && !part.flags.has(Flags::ITEM_ID);
    let row = session.transcript.row(at.0)?;
    let before = part.view_tokens();
    if !free
        || part.stand_in.is_some()
        || row.is_hidden()
        || call.position.is_none()
        || before < session.config.eviction.min_result_tokens
        || is_pinned(session, at.0)
    {
        return None;
    }
    let handle = format!("{}#input", call.handle);
    Some(Victim { what: What::Input, call: id, at, before, handle, loss: None, stored: false, newer: None, names: String::new(), shortened: None })
}

pub(super) fn is_pinned(session: &Session, row: usize) -> bool {
    !session.state.pins.is_empty() && session.transcript.row(row).and_then(|r| r.position).is_some_and(|p| session.state.pins.contains(&p))
}

/// The newest result of each protected tool.
pub(super) fn protected(session: &Session) -> BTreeSet<CallId> {
    let index = session.transcript.index();
    session.config.eviction.protect.iter().filter_map(|tool| index.newest_answered(tool)).collect()
}

/// The handle and offset a read-back asked for: its stub names them, and its page is not stored again.
fn read_back_of<'a>(transcript: &'a Transcript, call: &Call) -> Option<(&'a str, Option<&'a str>)> {
    let asked = transcript.part(call.row, call.part).filter(|p| &*p.name == readback::TOOL && !p.target.is_empty())?;
    Some(asked.target.split_once('\n').map_or((&*asked.target, None), |(id, offset)| (id, Some(offset))))
}

/// The text that takes a victim's place: a stub, or the marker inside arguments.
pub fn stub_of(session: &Session, victim: &Victim, loss: Option<Loss>) -> Option<String> {
    let transcript = &session.transcript;
    let call = transcript.index().call(victim.call)?;
    let asked = transcript.part(call.row, call.part)?;
    let part = transcript.part(victim.at.0, victim.at.1)?;
    let handle = match loss {
        None | Some(Loss::OverCap) => Some(victim.handle.as_str()),
        Some(_) => None,
    };
    if victim.what == What::Input {
        let names = if victim.names.is_empty() { String::new() } else { format!("; names: {}", victim.names) };
        return Some(format!("[arguments of {} chars shortened{names}; read_tool_output({{ id: \"{}\" }}) returns them]", part.measure.len, handle?));
    }
    let read_back = read_back_of(transcript, call);
    let stub = Stub {
        tool: &asked.name,
        target: if read_back.is_some() { "" } else { &asked.target },
        result: &part.measure,
        error: part.flags.has(Flags::ERROR),
        names: &victim.names,
        handle,
        offset: read_back.and_then(|(_, offset)| offset),
        loss,
        newer: victim.newer.as_ref(),
    };
    Some(stub.render())
}
