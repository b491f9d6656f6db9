//! Pairs calls with results by occurrence and groups rows into rounds and turns, row by row.
//!
//! Decides which result answers which call: the newest round that still waits for that id, in call
//! order. Refuses to pair by "the id occurs somewhere": servers reuse ids in every round.

use super::super::row::{Flags, Part, PartKind, Role, Row};
use super::{Call, CallId, Index, Round, Stray};

impl Index {
    /// Adds a row. `items`: a message is an item of a step instead of a step.
    pub(in crate::core::transcript) fn push(&mut self, at: usize, row: &Row, items: bool) {
        if row.is_real_user() {
            self.turns.push(at);
        }
        match row.role {
            Role::Assistant if items && self.continues() => {
                if let Some(round) = self.rounds.last_mut() {
                    round.end = at + 1;
                }
            }
            Role::Assistant => self.open(at, row),
            // Configuration may stand between two items of one step.
            Role::System => {}
            Role::User | Role::Tool => self.answered = true,
        }
        for (part_at, part) in row.parts.iter().enumerate() {
            match part.kind {
                PartKind::Call => self.push_call(at, part_at, row, part),
                PartKind::Result => self.push_result(at, part_at, part),
                _ => {}
            }
        }
    }

    /// Whether an assistant item belongs to the step before it: nobody answered since, or answers are still out
    /// (parallel calls may come with results in between).
    fn continues(&self) -> bool {
        self.rounds.last().is_some_and(|r| !self.answered || !r.is_closed())
    }

    fn open(&mut self, at: usize, row: &Row) {
        self.answered = false;
        self.key = row.key_position();
        let first = self.calls.len();
        self.rounds.push(Round { start: at, end: at + 1, calls: (first, first), waiting: 0, has_results: false, turn: self.turns.len().saturating_sub(1) });
    }

    fn push_call(&mut self, row_at: usize, part_at: usize, row: &Row, part: &Part) {
        // A call in a row that opened no round has nothing but its own row to be known by.
        let position = if self.rounds.is_empty() { row.key_position() } else { self.key };
        let ordinal = self.calls.last().filter(|c| c.position == position).map_or(0, |c| c.ordinal + 1);
        // Some servers give no ids: then the tool's name is all there is to pair by.
        let (id, flags): (&str, Flags) = (if part.id.is_empty() { &part.name } else { &part.id }, part.flags);
        let call_id = self.calls.len();
        let covered = self.earlier.0.is_some_and(|b| position.is_some_and(|p| p <= b));
        let mut occurrence = 1 + if covered { self.by_id.get(id).map_or(0, |v| v.len() as u32) } else { self.occurrences(id) };
        self.by_id.entry(id.into()).or_default().push(call_id);
        let handle = loop {
            let name: Box<str> = if occurrence == 1 { id.into() } else { format!("{id}~{occurrence}").into() };
            if self.is_free(&name, || position.map_or_else(String::new, |p| format!("{p}.{ordinal}"))) {
                break name;
            }
            occurrence += 1;
        };
        self.handles.insert(handle.clone(), call_id);
        self.ids_repeat |= occurrence > 1;
        if part.flags.has(Flags::BY_NAME) {
            self.by_name.entry(part.name.clone()).or_default().push(call_id);
        }
        let by_provider = flags.has(Flags::PROVIDER);
        if let Some(round) = self.rounds.last_mut() {
            round.calls.1 = call_id + 1;
            round.waiting += u32::from(!by_provider);
        }
        let tool = match self.tools.get(&part.name) {
            Some(tool) => *tool,
            None => {
                let tool = self.answers.len();
                self.tools.insert(part.name.clone(), tool);
                self.answers.push(None);
                tool
            }
        };
        self.calls.push(Call {
            row: row_at,
            part: part_at,
            position,
            ordinal,
            round: self.rounds.len().saturating_sub(1),
            occurrence,
            result: None,
            by_provider,
            nameless: part.id.is_empty(),
            tool,
            handle,
        });
    }

    /// Where either side has no id, calls of the same tool are what a result may answer.
    fn same_name(&self, part: &Part) -> Option<Vec<CallId>> {
        // A call with neither id nor name is known by nothing; no result means it.
        if !part.flags.has(Flags::BY_NAME) || (!part.id.is_empty() && self.by_id.contains_key(&part.id)) {
            return None;
        }
        let named = self.by_name.get(&part.name).map_or(&[][..], Vec::as_slice);
        let without_id = |id: &CallId| part.id.is_empty() || self.call(*id).is_some_and(|c| c.nameless);
        Some(named.iter().copied().filter(without_id).collect())
    }

    fn push_result(&mut self, row: usize, at: usize, part: &Part) {
        let same_name = self.same_name(part);
        let candidates = same_name.as_deref().unwrap_or_else(|| self.by_id.get(&part.id).map_or(&[][..], Vec::as_slice));
        // The newest round that waits for this id; inside it the first call that is not answered.
        let newest = candidates.iter().rev().filter_map(|c| self.calls.get(*c)).find(|c| c.result.is_none()).map(|c| c.round);
        let found = newest.and_then(|round| candidates.iter().copied().find(|c| self.calls.get(*c).is_some_and(|c| c.round == round && c.result.is_none())));
        let Some(id) = found else {
            self.strays.push(Stray { row, part: at, duplicate: !candidates.is_empty() });
            return;
        };
        self.by_result.insert((row, at), id);
        let Some(call) = self.calls.get_mut(id) else { return };
        call.result = Some((row, at));
        let (of, by_provider) = (call.round, call.by_provider);
        if let Some(newest) = self.answers.get_mut(call.tool) {
            *newest = (*newest).max(Some(id));
        }
        let next = self.rounds.get(of + 1).map(|r| r.start);
        if let Some(round) = self.rounds.get_mut(of) {
            round.waiting = round.waiting.saturating_sub(u32::from(!by_provider));
            round.has_results = true;
            round.end = round.end.max(row + 1);
            if next.is_some_and(|start| round.end > start)
                && let Err(place) = self.late.binary_search(&of)
            {
                self.late.insert(place, of);
            }
        }
    }

    /// Whether a call with this key may be known by the handle.
    fn is_free(&self, handle: &str, key: impl Fn() -> String) -> bool {
        // An output that arrived before its row waits under a provisional key.
        !self.handles.contains_key(handle) && self.reserved.get(handle).is_none_or(|owner| owner.starts_with('~') || *owner == key())
    }
}
