//! One conversation between two calls: rows, frame, decisions, gauge.
//!
//! Holds the values that the ladder plans on and the assembly renders. Decides nothing itself; keeps the
//! view's sizes in step with the decision log.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::config::Config;
use super::error::{Code, Error};
use super::event::EvictedResult;
use super::fold::apply;
use super::frame::Frame;
use super::kept::Kept;
use super::measure::exact::Exact;
use super::measure::family::Family;
use super::measure::lexicon::Lexicon;
use super::measure::meter::measure;
use super::measure::occupancy::{Gauge, Occupancy};
use super::measure::thresholds::{Model, Thresholds, WindowSource};
use super::measure::usage::Usage;
use super::profile::Profile;
use super::relieve::aged;
use super::relieve::readback;
use super::restore::frames::escape;
use super::session_view::Placed;
use super::state::{Breaker, Edit, Entry, State};
use super::transcript::{CallId, PartKind, Role, Row, Totals, Transcript};
use super::view::HeadOrigin;

/// Why the view differs from the one before, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Row of the host's list.
    pub row: usize,
    /// What happened there.
    pub cause: &'static str,
}

/// What the last view looked like, as far as the next one is compared with it.
#[derive(Clone, Debug, Default)]
pub struct LastView {
    /// Rows of the host's list it was made from.
    pub rows: usize,
    /// The frame's fingerprint.
    pub frame: (Vec<u128>, Vec<(Box<str>, u128)>),
}

/// Where a plan started from.
#[derive(Clone, Debug)]
pub struct Mark {
    state: State,
    dirty: bool,
    change: Option<Change>,
}

/// One conversation.
#[derive(Debug)]
pub struct Session {
    /// The host's rows.
    pub transcript: Transcript,
    /// The names in them.
    pub lexicon: Lexicon,
    /// What surrounds them.
    pub frame: Frame,
    /// The configuration in force.
    pub config: Config,
    /// The model in force.
    pub model: Model,
    /// What the messages' format demands.
    pub profile: Profile,
    /// Constants of the model's family.
    pub family: Family,
    /// What is durable.
    pub state: State,
    /// What counts texts exactly, where a vocabulary is loaded and the configuration leaves the choice.
    pub(super) exact: Option<Rc<dyn Exact>>,
    /// Occupancy.
    pub gauge: Gauge,
    /// The last view, if this process made one.
    pub last: Option<LastView>,
    /// The first difference to it so far.
    pub change: Option<Change>,
    /// Whether the state came from a store: what was sent before is not known exactly then.
    pub resumed: bool,
    /// Where the blocks of the state stand.
    pub(super) placed: Vec<Placed>,
    /// What is kept from step to step.
    pub(super) kept: Kept,
    /// What old rounds could free, as far as it was summed up.
    pub aged: aged::Both,
    /// Rows at the last step that paid for carrying old results.
    pub carried_at: usize,
    /// Milliseconds since the last response, as the host says.
    pub idle_ms: Option<f64>,
    /// Whether the decision log differs from what was committed.
    pub dirty: bool,
    /// The newest usage contradicts itself.
    pub inconsistent: bool,
    /// The size at which the server seems to have cut the newest request.
    pub cut_at: Option<u32>,
    /// The model was switched since the last view.
    pub switched: bool,
}

impl Session {
    /// A session over a stored or a fresh state.
    pub fn new(model: Model, config: Config, state: Option<State>) -> Self {
        let resumed = state.is_some();
        let mut state = state.unwrap_or_default();
        state.calibrate_for(&model.id);
        let gauge = Gauge::new(state.calibration, config.estimate.ratio, config.estimate.overhead);
        let mut session = Session {
            transcript: Transcript::default(),
            lexicon: Lexicon::default(),
            frame: Frame::default(),
            config,
            model,
            profile: Profile::default(),
            family: Family::default(),
            state,
            exact: None,
            gauge,
            last: None,
            change: None,
            resumed,
            placed: Vec::new(),
            kept: Kept::default(),
            aged: aged::Both::default(),
            carried_at: 0,
            idle_ms: None,
            dirty: false,
            inconsistent: false,
            cut_at: None,
            switched: false,
        };
        session.learned_window();
        session.count_from_earlier();
        session
    }

    /// A window that was learned for this model replaces an assumed one.
    fn learned_window(&mut self) {
        if self.model.source == WindowSource::Assumed
            && let Some(window) = self.state.windows.get(&self.model.id)
        {
            self.model.window = *window;
            self.model.source = WindowSource::Learned;
        }
    }

    /// Takes another configuration; it counts from now on.
    pub fn configure(&mut self, config: Config) {
        self.gauge.configure(config.estimate.ratio, config.estimate.overhead);
        self.reframe(|s| {
            s.config = config;
            s.gauge.set_family(s.constants());
        });
        self.state.breaker = Breaker::default();
        self.aged = aged::Both::default();
    }

    /// Takes the demands of the messages' format.
    pub fn set_profile(&mut self, profile: Profile) {
        self.transcript.set_items(profile.items);
        self.profile = profile;
    }

    /// Takes another model. What is in the window is the same conversation, counted by somebody else: the last
    /// count is scaled where both ratios are known, and is an estimate until the new model answers.
    pub fn switch_model(&mut self, model: Model) {
        if model.id != self.model.id || model.provider != self.model.provider {
            self.state.calibration = self.gauge.calibration();
            self.state.calibrate_for(&self.model.id);
            self.state.calibrate_for(&model.id);
            self.gauge.switch(self.state.calibration);
            self.switched = true;
        }
        self.model = model;
        self.learned_window();
        self.state.breaker = Breaker::default();
    }

    /// Where the stages act.
    pub fn thresholds(&self) -> Thresholds {
        Thresholds::of(&self.model, &self.config)
    }

    /// Takes rows back from `len` on, because the host's list changed there.
    pub fn rewind_rows(&mut self, len: usize) {
        if len < self.transcript.len() {
            self.note_change(len, "rewritten");
            self.transcript.truncate(len);
            self.recount_names();
            self.aged = aged::Both::default();
            self.carried_at = self.carried_at.min(len);
            if self.gauge.anchored_rows().is_some_and(|rows| rows > len) {
                self.gauge.void();
            }
        }
    }

    /// Says what the rows as they stand weigh; later rows and reliefs are counted from there.
    pub fn pin_occupancy(&mut self, tokens: u32) -> Result<(), Error> {
        self.take_rows()?;
        self.gauge.void();
        self.gauge.settle(&Usage { input_tokens: Some(tokens), ..Usage::default() });
        let sent = self.sent_before(self.transcript.len());
        self.gauge.place_anchor(sent.clone());
        self.gauge.sent(sent);
        Ok(())
    }

    /// Takes a row as row `at` of the host's list. A copy with the same content changes nothing.
    pub fn put_row(&mut self, at: usize, mut row: Row) {
        self.frame_row(&mut row);
        match self.transcript.row(at) {
            Some(old) if old.same_content(&row) => {
                self.transcript.set_position(at, row.position);
                if self.transcript.reprice(at, &row) {
                    self.aged = aged::Both::default();
                }
            }
            _ => {
                self.rewind_rows(at);
                let mut row = row;
                self.name_row(at, &mut row);
                self.transcript.push_row(row);
            }
        }
    }

    /// Remembers the first row at which the view differs from the last one.
    pub fn note_change(&mut self, row: usize, cause: &'static str) {
        if self.change.as_ref().is_none_or(|c| row < c.row) {
            self.change = Some(Change { row, cause });
        }
    }

    /// Indexes the rows that were added and lays the decision log over them.
    pub fn take_rows(&mut self) -> Result<(), Error> {
        if !self.transcript.is_settled() {
            self.reserve_handles();
        }
        let from = self.transcript.settle_index();
        let taken = self.take_from(from);
        if taken.is_err() {
            // Refused rows are looked at again when they come again.
            self.transcript.truncate(from);
        }
        taken
    }

    fn take_from(&mut self, from: usize) -> Result<(), Error> {
        self.transcript.check_positions()?;
        self.notice_rewind();
        self.settle_provisional();
        let taken = self.state.taken.len();
        for row in from..self.transcript.len() {
            let parts = self.transcript.row(row).map_or(0, |r| r.parts.len());
            for part in 0..parts {
                self.lay_entry(row, part)?;
            }
        }
        if self.state.taken.len() > taken {
            self.reserve_handles();
            self.transcript.reindex();
        }
        self.drop_stored_briefs();
        self.lay_stripped(if self.state.stripped.is_empty() { self.transcript.len() } else { from });
        self.lay_appended(from, "adopted");
        self.capture_context(false);
        self.place_anchor();
        Ok(())
    }

    fn lay_entry(&mut self, row: usize, part: usize) -> Result<(), Error> {
        match self.transcript.part(row, part).map(|p| p.kind) {
            Some(PartKind::Call) => {
                self.lay_input(row, part);
                return Ok(());
            }
            Some(PartKind::Media) => {
                self.lay_media(row, part);
                return Ok(());
            }
            _ => {}
        }
        let Some(id) = self.transcript.index().call_of_result(row, part) else { return Ok(()) };
        let Some((entry, edit)) = self.entry(id).and_then(|e| Some((e, e.edit.as_ref()?))) else { return Ok(()) };
        let Some(measured) = self.transcript.part(row, part).map(|p| &p.measure) else { return Ok(()) };
        let found = measured.fingerprint();
        let ours = match edit {
            Edit::Stub { text, .. } => measured.hash == measure(self.config.estimate.counter, text).hash,
            Edit::Clamp { hash, .. } => found == *hash,
            Edit::Input { .. } => false,
        };
        if !ours && !entry.of.is_empty() && entry.of != found {
            self.forget_entry(id);
            return Ok(());
        }
        if ours {
            return Err(Error::new(
                Code::ViewRecorded,
                format!("`messages[{row}]` holds what an earlier view showed; pass the rows as the host recorded them, not a previous view"),
            ));
        }
        let stand_in = edit.stand_in(self.transcript.part(row, part));
        self.transcript.set_stand_in(row, part, Some(stand_in));
        Ok(())
    }

    /// The result is another one than the entry was made for.
    fn forget_entry(&mut self, call: CallId) {
        if let Some(call) = self.transcript.index().call(call) {
            let (key, row) = (call.key(), call.result.map_or(call.row, |r| r.0));
            let handle = self.log(row, |entries| entries.remove(&key)).and_then(|e| e.handle);
            self.state.taken.extend(handle);
            self.dirty = true;
        }
    }

    /// Entries made before their row was stored get the row's key.
    fn settle_provisional(&mut self) {
        let provisional: Vec<String> = self.state.entries.range("~".to_owned()..).map(|(k, _)| k.clone()).collect();
        for key in provisional {
            let Some(handle) = key.strip_prefix('~') else { continue };
            let Some(call) = self.transcript.index().by_handle(handle).filter(|c| c.position.is_some()) else { continue };
            let (settled, row) = (call.key(), call.row);
            let moved = self.log(row, |entries| entries.remove(&key).map(|entry| entries.insert(settled, entry)));
            self.dirty |= moved.is_some();
        }
    }

    /// A real count that came before any view belongs to everything before the newest response.
    fn place_anchor(&mut self) {
        if self.gauge.is_anchored() && self.gauge.anchored_rows().is_none() {
            let rows = self.transcript.rows();
            let last = rows.iter().rposition(|r| r.role == Role::Assistant);
            let mut first = last.unwrap_or(rows.len());
            while first > 0 && rows.get(first - 1).is_some_and(|r| r.role == Role::Assistant) {
                first -= 1;
            }
            let counted = self.gauge.take_lifted().unwrap_or(first);
            let sent = self.sent_before(counted);
            self.gauge.place_anchor(sent);
        }
    }

    /// What is known of the result of a call.
    pub fn entry(&self, call: CallId) -> Option<&Entry> {
        self.state.entries.get(&self.transcript.index().call(call)?.key())
    }

    /// Writes to the decision log about a call whose rows begin at `row`.
    pub(super) fn log<R>(&mut self, row: usize, write: impl FnOnce(&mut BTreeMap<String, Entry>) -> R) -> R {
        self.aged.forget_at(row);
        let known = self.kept.drawn.knows(&self.state.entries);
        let done = write(&mut self.state.entries);
        if known {
            self.kept.drawn.goes_on(&self.state.entries);
            self.transcript.touch(row);
        }
        done
    }

    /// Keeps what is known of an output that arrives before its row.
    pub fn log_arrival(&mut self, handle: &str, entry: Entry) {
        let row = self.transcript.index().by_handle(handle).map_or(self.transcript.len(), |c| c.row);
        let key = self.provisional_key(handle);
        self.log(row, |entries| entries.insert(key, entry));
        self.dirty = true;
    }

    /// Writes an entry and keeps the view's sizes in step.
    pub fn set_entry(&mut self, call: CallId, mut entry: Entry, cause: &'static str) {
        let Some(call) = self.transcript.index().call(call).cloned() else { return };
        if let Some((row, part)) = call.result {
            entry.of = self.transcript.part(row, part).filter(|_| entry.edit.is_some()).map_or_else(String::new, |p| p.measure.fingerprint());
            let stand_in = entry.edit.as_ref().map(|e| e.stand_in(self.transcript.part(row, part)));
            let changed = self.transcript.part(row, part).is_some_and(|p| p.stand_in != stand_in);
            self.transcript.set_stand_in(row, part, stand_in);
            if changed {
                self.note_change(row, cause);
            }
        }
        self.log(call.result.map_or(call.row, |r| r.0), |entries| entries.insert(call.key(), entry));
        self.dirty = true;
    }

    /// Frame and the first `rows` rows of the view, in measured tokens.
    pub fn measured(&self, rows: usize) -> u64 {
        self.measured_with(&self.transcript.totals_before(rows), rows)
    }

    /// The same where the sizes of those rows are known.
    pub fn measured_with(&self, totals: &Totals, rows: usize) -> u64 {
        self.frame.tokens() + self.head_tokens() + totals.view + self.block_tokens(rows) + self.framing(totals)
    }

    /// Tokens in the window now.
    pub fn occupancy(&self) -> Occupancy {
        self.gauge.read(&self.sent())
    }

    /// What the host's list would weigh if nothing had been relieved.
    pub fn raw_tokens(&self) -> u32 {
        self.gauge.estimate(self.frame.tokens() + self.transcript.totals().raw + self.framing(&Totals::default()))
    }

    /// Takes over a state that somebody else wrote. What only this process knows of results that arrived
    /// here (redacted, stored, shortened before their first send) is kept.
    pub fn merge(&mut self, mut state: State) {
        let mut kept = false;
        for (key, mut entry) in std::mem::take(&mut self.state.entries).into_inner() {
            // A stub that was not committed never was; what is known of the text behind it still holds.
            if matches!(entry.edit, Some(Edit::Stub { .. } | Edit::Input { .. })) {
                entry.edit = None;
                entry.of.clear();
            }
            if entry != Entry::default() && !state.entries.contains_key(&key) {
                state.entries.insert(key, entry);
                kept = true;
            }
        }
        self.adopt(state);
        self.dirty |= kept;
    }

    /// What a plan starts from, to go back to when it cannot be made durable.
    pub fn mark(&self) -> Mark {
        Mark { state: self.state.clone(), dirty: self.dirty, change: self.change.clone() }
    }

    /// Goes back to where a plan started from.
    pub fn go_back(&mut self, mut mark: Mark) {
        // A fold that landed meanwhile is durable by its own commit; it stays.
        let known = mark.state.folds.len();
        if self.state.folds.get(..known).is_some_and(|folds| folds == mark.state.folds.as_slice()) {
            for fold in self.state.folds.iter().skip(known) {
                apply::record(&mut mark.state, fold.clone());
            }
        }
        self.adopt(mark.state);
        self.dirty |= mark.dirty;
        self.change = mark.change;
    }

    /// Goes on from another state.
    pub fn adopt(&mut self, state: State) {
        let moved = state.boundary != self.state.boundary;
        self.state = state;
        self.count_from_earlier();
        self.aged = aged::Both::default();
        self.dirty = false;
        if moved {
            self.gauge.overtake();
        }
        let taken = self.state.taken.len();
        self.lay_edits();
        self.reserve_handles();
        if self.state.taken.len() > taken {
            self.transcript.reindex();
        }
        self.lay_view(usize::MAX, "adopted");
    }

    /// Brings what stands in for parts in step with the decision log: what it does not name stands there itself.
    pub(super) fn lay_edits(&mut self) {
        self.lay_inputs();
        self.lay_all_media();
        self.lay_stripped(0);
        for (call, row, part) in self.results_from(0) {
            let foreign = |e: &Entry| self.transcript.part(row, part).is_some_and(|p| !e.of.is_empty() && e.of != p.measure.fingerprint());
            if self.entry(call).is_some_and(foreign) {
                self.forget_entry(call);
            }
            let stand_in = self.entry(call).and_then(|e| e.edit.as_ref()).map(|e| e.stand_in(self.transcript.part(row, part)));
            if self.transcript.part(row, part).is_some_and(|p| p.stand_in != stand_in) {
                self.transcript.set_stand_in(row, part, stand_in);
                self.note_change(row, "adopted");
            }
        }
    }

    /// Tokens the guard compares: the larger of the anchored number and the estimate of the whole request.
    pub fn guarded_tokens(&self) -> u32 {
        self.occupancy().tokens.max(self.gauge.estimate_of(&self.sent()))
    }

    /// What the provider counts beyond what is measured, signed.
    pub fn signed_overhead(&self) -> i64 {
        let sent = self.sent();
        i64::from(self.gauge.read(&sent).tokens) - i64::from(self.gauge.scale(sent.measured.saturating_sub(sent.unkept)))
    }

    /// Tokens the standing orders may have.
    pub fn order_budget(&self) -> u32 {
        self.config.orders.tokens.unwrap_or_else(|| 20_000.min(self.thresholds().usable / 10))
    }

    /// A fold landed: the last real count says nothing about what is sent from now on.
    pub fn after_fold(&mut self) {
        self.gauge.overtake();
        self.aged = aged::Both::default();
        self.count_from_earlier();
        self.lay_view(usize::MAX, "folded");
        // Decisions on covered rows are forgotten; should the rows be shown again, they are whole.
        self.lay_edits();
        let kept = self.first_kept();
        self.note_change(kept, "folded");
    }

    /// The host passes `n` covered rows from `from` on no more. Returns whether they were all covered; if not,
    /// nothing changes.
    pub fn drop_covered(&mut self, from: usize, n: usize) -> bool {
        let Some(boundary) = self.state.boundary else { return false };
        let leading = self.transcript.leading();
        let covered = |at: usize| self.transcript.row(at).is_some_and(|r| at >= leading && r.key_position().is_none_or(|p| p <= boundary));
        if n == 0 || !(from..from + n).all(covered) {
            return false;
        }
        self.transcript.drop_rows(from, n);
        self.release_orphans();
        // Uses are counted by row, and those of rows that are gone count no more: another process has not seen them.
        self.recount_names();
        self.gauge.drop_rows(from, n);
        let shift = |row: usize| if row >= from + n { row - n } else { row.min(from) };
        if let Some(last) = &mut self.last {
            last.rows = shift(last.rows);
        }
        if let Some(change) = &mut self.change {
            change.row = shift(change.row);
        }
        self.lay_view(usize::MAX, "folded");
        true
    }

    /// A result whose call left the list has no entry any more: it stands there itself.
    fn release_orphans(&mut self) {
        let index = self.transcript.index();
        let rows = self.transcript.rows().iter().enumerate().filter(|(_, r)| r.role != Role::Assistant);
        let parts = rows.flat_map(|(at, r)| r.parts.iter().enumerate().map(move |(i, p)| (at, i, p)));
        let orphans = parts.filter(|(at, i, p)| p.kind == PartKind::Result && p.stand_in.is_some() && index.call_of_result(*at, *i).is_none());
        for (row, part) in orphans.map(|(at, i, _)| (at, i)).collect::<Vec<_>>() {
            self.transcript.set_stand_in(row, part, None);
        }
    }

    /// Labels of session context that changed since it was captured: the model still sees what was captured.
    pub fn stale_context(&self) -> Vec<String> {
        let head = self.head();
        let Some(captured) = head.iter().find(|p| p.origin == HeadOrigin::Context) else { return Vec::new() };
        let current = self.frame.sections();
        let stale = current.into_iter().filter(|(_, text)| !captured.text.contains(&escape(text)));
        stale.map(|(label, _)| label).collect()
    }

    /// The handle a result that arrives now is stored under: the call id, or `id~2` where it repeats.
    pub fn handle_for(&self, call_id: &str) -> String {
        let index = self.transcript.index();
        let waiting = index.calls().iter().rev().find(|c| c.result.is_none() && self.transcript.part(c.row, c.part).is_some_and(|p| &*p.id == call_id));
        if let Some(call) = waiting {
            return call.handle.to_string();
        }
        let mut occurrence = index.occurrences(call_id) + 1;
        loop {
            let handle = if occurrence == 1 { call_id.to_owned() } else { format!("{call_id}~{occurrence}") };
            if !self.is_taken(&handle) {
                return handle;
            }
            occurrence += 1;
        }
    }

    /// The key of an entry whose row is not stored yet, or already is.
    pub fn provisional_key(&self, handle: &str) -> String {
        self.transcript.index().by_handle(handle).map_or_else(|| format!("~{handle}"), |c| c.key())
    }

    /// A result as the host is told of it: whose it was and what about.
    pub fn evicted(&self, call: CallId) -> Option<EvictedResult> {
        let call = self.transcript.index().call(call)?;
        let part = self.transcript.part(call.row, call.part)?;
        let target = if &*part.name == readback::TOOL { String::new() } else { part.target.to_string() };
        Some(EvictedResult { tool_call_id: part.id.to_string(), tool_name: part.name.to_string(), target })
    }

    /// Results that no view has carried yet.
    pub fn first_unsent(&self) -> usize {
        match &self.last {
            Some(last) => last.rows,
            None if self.resumed => self.transcript.first_unread(),
            None => 0,
        }
    }

    /// Calls whose result stands in rows from `row` on, with the place of the result.
    pub fn results_from(&self, row: usize) -> Vec<(CallId, usize, usize)> {
        let index = self.transcript.index();
        let mut out = Vec::new();
        for (at, r) in self.transcript.rows().iter().enumerate().skip(row) {
            for (p, part) in r.parts.iter().enumerate() {
                if part.kind == PartKind::Result
                    && r.role != Role::Assistant
                    && let Some(call) = index.call_of_result(at, p)
                {
                    out.push((call, at, p));
                }
            }
        }
        out
    }
}
