//! Which names a view would lose, and which of them are worth a place in what stays.
//!
//! Decides by two things only: a name that still stands elsewhere in the view needs no second place, and
//! the agent most likely needs again what it used before, lately, or what is a symbol. A stub, a group
//! line and the marker of an argument all choose their names here.

use std::collections::{BTreeMap, BTreeSet};

use crate::core::measure::lexicon::{Lexicon, hash};
use crate::core::measure::names::{Names, is_symbol};
use crate::core::session::Session;
use crate::core::state::Edit;
use crate::core::transcript::{Part, PartKind};

/// Rows within which a use counts as recent.
const RECENT_ROWS: u32 = 60;

/// How often each name stands in the view.
#[derive(Debug)]
pub struct Shown<'a> {
    session: &'a Session,
    counts: Vec<u32>,
    /// Beginnings and ends of the paths that are shown: `src/a.rs` stands in `core/src/a.rs`.
    pieces: BTreeMap<u64, u32>,
}

/// Names chosen for a text, and the worth of those that found no place in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    /// In the order to print.
    pub names: Vec<u32>,
    /// Sum over the names that are lost.
    pub lost: u32,
}

impl<'a> Shown<'a> {
    /// Counts the names of the view as it stands.
    pub fn of(session: &'a Session) -> Self {
        let mut shown = Shown { session, counts: vec![0; session.lexicon.len()], pieces: BTreeMap::new() };
        for (at, row) in session.transcript.rows().iter().enumerate().filter(|(_, r)| !r.is_hidden()) {
            for (p, part) in row.parts.iter().enumerate() {
                shown.put(&shown_names(session, at, p, part), true);
            }
        }
        let head = session.head();
        let blocks = session.placed().iter().filter_map(|p| session.block(p)).map(|b| b.text.as_str());
        for text in head.iter().map(|p| p.text.as_str()).chain(blocks) {
            shown.put_text(text, true);
        }
        shown
    }

    fn lexicon(&self) -> &'a Lexicon {
        &self.session.lexicon
    }

    /// Names join the view or leave it.
    pub fn put(&mut self, ids: &[u32], joins: bool) {
        for id in ids {
            let Some(count) = self.counts.get_mut(*id as usize) else { continue };
            let before = *count;
            *count = if joins { before + 1 } else { before.saturating_sub(1) };
            if (before == 0) != (*count == 0) {
                self.put_pieces(*id, joins);
            }
        }
    }

    /// The names of a text of ours join the view or leave it.
    pub fn put_text(&mut self, text: &str, joins: bool) {
        let ids = self.lexicon().known_in(&Names::of(text));
        self.put(&ids, joins);
    }

    fn put_pieces(&mut self, id: u32, joins: bool) {
        for piece in pieces(self.lexicon().name(id)) {
            let count = self.pieces.entry(hash(piece)).or_default();
            *count = if joins { *count + 1 } else { count.saturating_sub(1) };
        }
    }

    /// Whether the view holds the name, by itself or inside a longer one.
    pub fn holds(&self, id: u32) -> bool {
        self.counts.get(id as usize).is_some_and(|n| *n > 0) || self.pieces.get(&hash(self.lexicon().name(id))).is_some_and(|n| *n > 0)
    }

    /// Of names that leave the view, those to keep within `room` tokens.
    pub fn choose(&self, leaving: impl IntoIterator<Item = u32>, room: u32) -> Chosen {
        let mut seen = BTreeSet::new();
        let mut list: Vec<(u32, u32, usize)> = Vec::new();
        for id in leaving {
            if seen.insert(id) && !self.holds(id) {
                list.push((id, self.worth(id), self.lexicon().name(id).len()));
            }
        }
        // At equal worth the longer name first: it may hold the shorter one.
        list.sort_by(|a, b| b.1.cmp(&a.1).then(b.2.cmp(&a.2)));
        let mut out = Chosen::default();
        let mut inside = BTreeSet::new();
        let mut left = room;
        for (id, worth, _) in list {
            let name = self.lexicon().name(id);
            if inside.contains(&hash(name)) {
                continue;
            }
            let cost = self.cost(name);
            if cost > left {
                out.lost += worth;
                continue;
            }
            left -= cost;
            inside.extend(pieces(name).map(hash));
            out.names.push(id);
        }
        out
    }

    fn cost(&self, name: &str) -> u32 {
        self.session.weigh(&format!(" {name}"))
    }

    /// How likely the agent is to need a name again: used before, used lately, or a symbol.
    fn worth(&self, id: u32) -> u32 {
        let usage = self.lexicon().usage(id);
        if usage.times == 0 {
            return if is_symbol(self.lexicon().name(id)) { 5 } else { 2 };
        }
        let age = (self.session.transcript.len() as u32).saturating_sub(usage.last);
        let worth = 12 + 4 * u32::from(usage.times.min(8));
        if age <= RECENT_ROWS { 2 * worth } else { worth }
    }

    /// The names as a text.
    pub fn print(&self, ids: &[u32]) -> String {
        ids.iter().map(|id| self.lexicon().name(*id)).collect::<Vec<_>>().join(" ")
    }
}

/// Names of a part as it stands in the view.
pub fn shown_names(session: &Session, row: usize, at: usize, part: &Part) -> Vec<u32> {
    if part.stand_in.is_none() {
        return part.measure.names.ids().to_vec();
    }
    if part.kind == PartKind::Reasoning {
        return Vec::new();
    }
    let index = session.transcript.index();
    let call = if part.kind == PartKind::Call { index.call_at(row, at) } else { index.call_of_result(row, at) };
    let entry = call.and_then(|c| if part.kind == PartKind::Call { session.input_entry(c) } else { session.entry(c) });
    // What was measured is the text before the hook.
    if entry.is_some_and(|e| e.redacted) {
        return Vec::new();
    }
    match entry.and_then(|e| e.edit.as_ref()) {
        Some(Edit::Stub { text, .. }) => session.lexicon.known_in(&Names::of(text)),
        Some(Edit::Input { text, .. }) => {
            let mut ids = session.lexicon.known_in(&Names::of(&part.target));
            ids.extend(session.lexicon.known_in(&Names::of(text)));
            ids
        }
        // A cut keeps most of a text's names; which ones is not known here.
        Some(Edit::Clamp { .. }) | None => part.measure.names.ids().to_vec(),
    }
}

/// The paths a path holds literally: what follows each slash, and the folders before it.
fn pieces(name: &str) -> impl Iterator<Item = &str> {
    let slashes = name.match_indices('/').map(|(i, _)| i);
    slashes.flat_map(move |i| [name.get(i + 1..), name.get(..i)]).flatten()
}
