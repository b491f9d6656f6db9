//! Results before their first send: which have to be looked at, how long they may be, what became of them.

use crate::core::measure::meter::Measure;
use crate::core::relieve::aged;
use crate::core::relieve::clamp::shared_cap;
use crate::core::relieve::evict::Keeping;
use crate::core::session::Session;
use crate::core::state::{Edit, Entry};
use crate::core::transcript::CallId;

/// A result that has to be looked at before its first send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The call it answers.
    pub call: CallId,
    /// Row and part of the result.
    pub at: (usize, usize),
    /// The tool's name, for the redact hook.
    pub tool: String,
    /// The handle its full text is stored under.
    pub handle: String,
    /// The cap in UTF-16 code units.
    pub cap: u32,
}

/// What became of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Arrived {
    /// The redact hook changed it.
    pub redacted: bool,
    /// The full text is stored.
    pub stored: bool,
    /// The stored text is cut at the store's limit.
    pub capped: bool,
    /// What it measures after the redact hook and the cut, if one of them changed it.
    pub clamped: Option<Measure>,
    /// The cap it was cut at, in UTF-16 code units.
    pub cap: u32,
}

/// Unsent results over the cap (or all of them, where a redact hook has to see them).
///
/// If the unsent results of one round would together lift occupancy to hard, they share what is left.
pub fn plan_arrivals(session: &mut Session, hook: bool) -> Vec<Arrival> {
    // Old results make room before a new one is cut: hard is where they go at the latest.
    let frees = if session.config.eviction.enabled { aged::catch_up(session, Keeping::Store).0.net } else { 0 };
    let frees = session.gauge.scale(frees);
    let session = &*session;
    let index = session.transcript.index();
    let cap = session.config.result_cap();
    let unsent: Vec<_> = session.results_from(session.first_unsent()).into_iter().filter(|(call, _, _)| session.entry(*call).is_none()).collect();
    let mut out = Vec::new();
    // Asked once: it sums over the whole list.
    let occupancy = session.occupancy().tokens;
    for group in unsent.chunk_by(|a, b| index.call(a.0).map(|c| c.round) == index.call(b.0).map(|c| c.round)) {
        let cap = share_below_hard(session, group, cap, occupancy.saturating_sub(frees));
        for (call, row, part) in group {
            let (Some(found), Some(result)) = (index.call(*call), session.transcript.part(*row, *part)) else { continue };
            let cap = session.config.cap_for(cap, &result.measure);
            if hook || result.measure.len > cap {
                let tool = session.transcript.part(found.row, found.part).map_or_else(String::new, |p| p.name.to_string());
                out.push(Arrival { call: *call, at: (*row, *part), tool, handle: found.handle.to_string(), cap });
            }
        }
    }
    out
}

fn share_below_hard(session: &Session, group: &[(CallId, usize, usize)], cap: u32, occupancy: u32) -> u32 {
    let sizes: Vec<(u32, u32)> = group.iter().filter_map(|(_, r, p)| session.transcript.part(*r, *p)).map(|p| (p.measure.len, p.tokens())).collect();
    let capped = |(len, tokens): &(u32, u32)| u64::from(*tokens) * u64::from((*len).min(cap)) / u64::from((*len).max(1));
    let tokens: u64 = sizes.iter().map(capped).sum();
    let whole: u64 = sizes.iter().map(|s| u64::from(s.1)).sum();
    let hard = u64::from(session.thresholds().hard);
    let without = u64::from(occupancy).saturating_sub(u64::from(session.gauge.scale(whole)));
    if without + u64::from(session.gauge.scale(tokens)) < hard {
        return cap;
    }
    let room_tokens = hard.saturating_sub(without);
    let chars: u64 = sizes.iter().map(|s| u64::from(s.0)).sum();
    let room_chars = room_tokens * chars / u64::from(session.gauge.scale(whole).max(1));
    let lengths: Vec<u32> = sizes.iter().map(|s| s.0).collect();
    shared_cap(&lengths, room_chars, cap)
}

/// Records what became of an unsent result.
pub fn apply_arrival(session: &mut Session, arrival: &Arrival, arrived: &Arrived) {
    let edit = arrived.clamped.as_ref().map(|m| Edit::Clamp { cap: arrived.cap, tokens: m.tokens, bytes: m.bytes, hash: m.fingerprint(), media: false });
    // Nothing to remember of a result that was looked at and left alone.
    if edit.is_none() && !arrived.redacted && !arrived.stored {
        return;
    }
    let entry = Entry {
        redacted: arrived.redacted,
        handle: arrived.stored.then(|| arrival.handle.clone()),
        capped: arrived.capped,
        clamped: edit.is_some(),
        edit,
        of: String::new(),
    };
    session.set_entry(arrival.call, entry, "clamped");
}
