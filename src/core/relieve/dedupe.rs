//! Finds results that a newer one makes superfluous.
//!
//! Decides "the same" by the hash of the text and the tool, "replaced" by tool and target where the host
//! named the tool. Refuses to edit for that alone: duplicates ride along with an eviction, because every
//! edit costs the prefix cache.

use std::collections::{BTreeMap, BTreeSet};

use super::stub::Newer;
use super::victim::{Victim, What};
use crate::core::session::Session;
use crate::core::state::Edit;
use crate::core::transcript::{CallId, Flags};

/// Marks victims that a newer result repeats or replaces. Returns the results that stubs point to.
pub fn mark(session: &Session, victims: &mut [Victim]) -> BTreeSet<CallId> {
    let mut pointed = pointed_before(session);
    if !session.config.dedupe.enabled {
        return pointed;
    }
    let transcript = &session.transcript;
    let index = transcript.index();
    let mut same: BTreeMap<(u128, &str), CallId> = BTreeMap::new();
    let mut state: BTreeMap<(&str, &str), CallId> = BTreeMap::new();
    for (id, call) in index.calls().iter().enumerate() {
        let Some(at) = call.result else { continue };
        let (Some(row), Some(part), Some(asked)) = (transcript.row(at.0), transcript.part(at.0, at.1), transcript.part(call.row, call.part)) else { continue };
        let stubbed = session.entry(id).is_some_and(|e| matches!(e.edit, Some(Edit::Stub { .. })) || e.redacted);
        if row.is_hidden() || stubbed {
            continue;
        }
        same.insert((part.measure.hash, &asked.name), id);
        if !part.flags.has(Flags::ERROR) && !asked.target.is_empty() && session.config.dedupe.supersede.iter().any(|t| **t == *asked.name) {
            state.insert((&asked.name, &asked.target), id);
        }
    }
    for victim in victims.iter_mut().filter(|v| v.what == What::Result) {
        let Some(call) = index.call(victim.call) else { continue };
        let (Some(part), Some(asked)) = (transcript.part(victim.at.0, victim.at.1), transcript.part(call.row, call.part)) else { continue };
        let repeated = same.get(&(part.measure.hash, &*asked.name)).filter(|id| **id > victim.call);
        let replaced = state.get(&(&*asked.name, &*asked.target)).filter(|id| **id > victim.call);
        let Some(newest) = repeated.or(replaced).copied() else { continue };
        if let Some(handle) = index.call(newest).map(|c| c.handle.to_string()) {
            victim.newer = Some(Newer { handle, supersedes: repeated.is_none() });
            pointed.insert(newest);
        }
    }
    pointed
}

/// Results that stubs of earlier passes name.
fn pointed_before(session: &Session) -> BTreeSet<CallId> {
    let index = session.transcript.index();
    let named: BTreeSet<&str> = session
        .state
        .entries
        .values()
        .filter_map(|e| match &e.edit {
            Some(Edit::Stub { newer, .. }) => newer.as_deref(),
            _ => None,
        })
        .collect();
    if named.is_empty() {
        return BTreeSet::new();
    }
    index.calls().iter().enumerate().filter(|(_, c)| named.contains(&*c.handle)).map(|(i, _)| i).collect()
}
