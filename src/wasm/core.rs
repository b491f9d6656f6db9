//! One conversation, as a class: rows are pushed in, then `next`, `settle` and `result` are called.

use std::cell::RefCell;
use std::rc::Rc;

use serde::Serialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::cuts;
use super::host::JsHost;
use super::job::{Job, Line};
use super::model::ModelInput;
use super::projector::Projector;
use super::value::{from_js, js_error, js_failure, to_js};
use crate::core::assemble;
use crate::core::config::Config;
use crate::core::error::Error;
use crate::core::event::Outcome;
use crate::core::findings::{Finding, findings};
use crate::core::frame::{Frame, FrameItem, Slot};
use crate::core::ladder;
use crate::core::ledger::LedgerEntry;
use crate::core::measure::breakdown::Breakdown;
use crate::core::measure::meter::Measure;
use crate::core::measure::names::Names;
use crate::core::measure::occupancy::Occupancy;
use crate::core::measure::thresholds::{Model, Thresholds};
use crate::core::measure::usage::RawUsage;
use crate::core::next_relief::{NextRelief, next_relief};
use crate::core::session::Session;
use crate::core::session_window::Overflow;
use crate::core::state::State;
use crate::core::transcript::{Caller, Flags, Media, Part, PartKind, Role, Row};
use crate::core::weights::weights;
use crate::driver::{Ask, Driver, FoldEnd, Host as _, Method};
use crate::formats;

/// A conversation and the window its texts pass through.
#[wasm_bindgen]
pub struct Core {
    pub(super) driver: Rc<Driver<JsHost>>,
    projector: Rc<RefCell<Projector>>,
    frame: RefCell<Vec<FrameItem>>,
    row: RefCell<Option<Row>>,
    callers: RefCell<Vec<(usize, Box<str>)>>,
    media: RefCell<Vec<Media>>,
    pub(super) line: Rc<Line>,
}

/// What `inspect` shows.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Inspection {
    occupancy: Occupancy,
    window: WindowView,
    thresholds: Thresholds,
    breakdown: Breakdown,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_relief: Option<NextRelief>,
    ledger: Vec<LedgerEntry>,
    findings: Vec<Finding>,
    /// Session context whose source changed since it was captured.
    stale: Vec<String>,
    estimate: EstimateView,
}

#[derive(Serialize)]
struct WindowView {
    tokens: u32,
    source: crate::core::measure::thresholds::WindowSource,
    model: String,
}

impl WindowView {
    fn of(s: &Session) -> Self {
        WindowView { tokens: s.model.window, source: s.model.source, model: s.model.id.clone() }
    }
}

#[derive(Serialize)]
struct GaugeView {
    occupancy: Occupancy,
    window: WindowView,
}

#[derive(Serialize)]
struct CountingView<'a> {
    counter: crate::core::config::Counter,
    id: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    provider: Option<&'a str>,
}

#[derive(Serialize)]
struct EstimateView {
    counter: &'static str,
    ratio: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    overhead: Option<i64>,
}

#[wasm_bindgen]
impl Core {
    /// Opens a conversation; the job's result is the core. `measure(output)` streams an output's text
    /// through the window.
    pub fn open(bridge: JsValue, model: JsValue, config: JsValue, state: JsValue, measure: js_sys::Function) -> Job {
        let line = Rc::new(Line::default());
        let host_line = Rc::clone(&line);
        Job::new(&line, async move { Ok(Core::make(bridge, host_line, model, config, state, measure).await?.into()) })
    }

    /// Whether the view names handles.
    #[wasm_bindgen(js_name = handlesShown)]
    pub fn handles_shown(&self) -> bool {
        self.driver.with(|s| s.shows_handles())
    }

    /// Says what the window holds with the rows pushed so far, whatever the estimate says.
    #[wasm_bindgen(js_name = pinOccupancy)]
    pub fn pin_occupancy(&self, tokens: u32) -> Result<(), JsValue> {
        self.driver.with(|s| s.pin_occupancy(tokens)).map_err(|e| js_error(&e))
    }

    /// Address of the window in wasm memory.
    #[wasm_bindgen(js_name = windowPtr)]
    pub fn window_ptr(&self) -> usize {
        self.projector.borrow().window().0
    }

    /// Its size in bytes.
    #[wasm_bindgen(js_name = windowLen)]
    pub fn window_len(&self) -> usize {
        self.projector.borrow().window().1
    }

    /// Takes `n` bytes of the window as the next piece of the running text.
    pub fn feed(&self, n: usize) {
        self.projector.borrow_mut().feed(n);
    }

    /// Forgets rows from `len` on.
    pub fn rewind(&self, len: usize) {
        self.driver.with(|s| s.rewind_rows(len));
    }

    /// Number of rows the core holds.
    pub fn rows(&self) -> usize {
        self.driver.with(|s| s.transcript.len())
    }

    /// Opens a row: 0 system, 1 user, 2 assistant, 3 tool; a negative position means none. `message` is the
    /// position of the message that became this row and others.
    pub fn row(&self, role: u32, position: f64, message: f64) {
        let role = role_of(role);
        let stored = |position: f64| (position >= 0.0).then_some(position as u64);
        *self.row.borrow_mut() = Some(Row { role, position: stored(position), message: stored(message), parts: Vec::new(), gone: None });
    }

    /// Ends the open row as row `at` of the list: the same content stays as it is, other content replaces
    /// everything from there on.
    #[wasm_bindgen(js_name = endRow)]
    pub fn end_row(&self, at: usize) {
        if let Some(row) = self.row.take() {
            let callers = self.callers.take();
            let media: Vec<Media> = self.media.take().into_iter().map(|m| Media { row: at, ..m }).collect();
            self.driver.with(|s| {
                // Other images beside the same texts are another row.
                if s.transcript.media_in(at) != media {
                    s.rewind_rows(at);
                }
                s.put_row(at, row);
                callers.into_iter().for_each(|(part, caller)| s.transcript.set_caller(Caller { row: at, part, caller }));
                media.into_iter().for_each(|m| s.transcript.set_media(m));
            });
        }
    }

    /// Gives a row the position it had not yet.
    #[wasm_bindgen(js_name = setPosition)]
    pub fn set_position(&self, row: usize, position: f64) {
        self.driver.with(|s| s.transcript.set_position(row, (position >= 0.0).then_some(position as u64)));
    }

    /// The next part of the open row is a call that code makes, run by the call with this id.
    pub fn caller(&self, id: &str) {
        let part = self.row.borrow().as_ref().map_or(0, |r| r.parts.len());
        self.callers.borrow_mut().push((part, id.into()));
    }

    /// The next part of the open row holds `count` images and files of `chars` characters, the longest of `longest`.
    pub fn media(&self, count: u32, chars: f64, longest: f64) {
        let part = self.row.borrow().as_ref().map_or(0, |r| r.parts.len());
        self.media.borrow_mut().push(Media { row: 0, part, count, chars: chars as u64, longest: longest as u64 });
    }

    /// Says which format the rows are in; before the first row.
    #[wasm_bindgen(js_name = setFormat)]
    pub fn set_format(&self, name: &str) -> Result<(), JsValue> {
        let wire = formats::by_name(name).map_err(|e| js_error(&e))?;
        self.driver.with(|s| s.set_profile(wire.profile));
        Ok(())
    }

    /// Where the rows pushed so far may be cut, and why not elsewhere, as JSON text.
    pub fn cuts(&self) -> String {
        self.driver.with(|s| cuts::view(s))
    }

    /// Ends the running text as a part of the newest row.
    pub fn part(&self, kind: u32, flags: u32, id: &str, name: &str, target: &str, media: f64) {
        let measure = self.projector.borrow_mut().finish();
        let media_tokens = self.media_tokens(media);
        let part =
            Part { kind: part_kind(kind), flags: Flags(flags), id: id.into(), name: name.into(), target: target.into(), measure, media_tokens, stand_in: None };
        if let Some(row) = self.row.borrow_mut().as_mut() {
            row.parts.push(part);
        }
    }

    fn media_tokens(&self, media: f64) -> u32 {
        // A negative number counts media of unknown size; the configuration prices them.
        let unknown = self.driver.with(|s| s.config.media.image_tokens);
        if media < 0.0 { unknown.saturating_mul((-media) as u32) } else { media as u32 }
    }

    /// Ends the running text as a piece of the frame: 0 system, 1 index, 2 tool, 3 deferred, 4 context.
    #[wasm_bindgen(js_name = framePart)]
    pub fn frame_part(&self, slot: u32, label: &str, source: &str, text: &str) {
        let measure = Measure { names: Names::default(), ..self.projector.borrow_mut().finish() };
        self.frame.borrow_mut().push(FrameItem { slot: Slot::from_code(slot), label: label.into(), source: source.into(), measure, text: text.into() });
    }

    /// Ends the running text as a piece that the provider adds, with `tokens` of its own beside the text.
    #[wasm_bindgen(js_name = frameConstant)]
    pub fn frame_constant(&self, slot: u32, label: &str, source: &str, tokens: f64) {
        let mut measure = self.projector.borrow_mut().finish();
        let own = self.driver.with(|s| s.constants().counted(tokens.abs()));
        measure.tokens = if tokens < 0.0 { measure.tokens.saturating_sub(own) } else { measure.tokens + own };
        measure.hash ^= u128::from(tokens.to_bits());
        measure.bytes = 0;
        self.frame.borrow_mut().push(FrameItem { slot: Slot::from_code(slot), label: label.into(), source: source.into(), measure, text: "".into() });
    }

    /// How texts are counted: `{ counter, id, provider? }`, the last two the model's.
    pub fn counting(&self) -> Result<JsValue, JsValue> {
        self.driver.with(|s| to_js(&CountingView { counter: s.config.estimate.counter, id: &s.model.id, provider: s.model.provider.as_deref() }))
    }

    /// Takes the pieces pushed since as the frame.
    #[wasm_bindgen(js_name = setFrame)]
    pub fn set_frame(&self) {
        let items = self.frame.take();
        self.driver.with(|s| s.frame = Frame { items });
    }

    /// Ends the running text and says what it weighs.
    #[wasm_bindgen(js_name = weigh)]
    pub fn weigh(&self) -> u32 {
        let measure: Measure = self.projector.borrow_mut().finish();
        measure.tokens
    }

    /// Runs the fold that `next` planned for the background: `{ outcome, reason? }`.
    pub fn background(&self) -> Job {
        let driver = Rc::clone(&self.driver);
        Job::new(&self.line, async move {
            let end = driver.background().await.map_err(js_failure)?;
            to_js(&ended(end))
        })
    }

    /// The fold to make before the next request, as a plan for a ticket; undefined when none is due.
    #[wasm_bindgen(js_name = foldDue)]
    pub fn fold_due(&self) -> Result<JsValue, JsValue> {
        self.driver.due_at_rest().map_or(Ok(JsValue::UNDEFINED), |plan| to_js(&plan))
    }

    /// The event for a task boundary; undefined when there is nothing to say.
    pub fn handoff(&self) -> Result<JsValue, JsValue> {
        self.driver.suggest_handoff().map_or(Ok(JsValue::UNDEFINED), |event| to_js(&event))
    }

    /// Carries out a ticket's plan on the rows pushed so far: `{ outcome, reason? }`.
    #[wasm_bindgen(js_name = foldTicket)]
    pub fn fold_ticket(&self, plan: JsValue) -> Job {
        let driver = Rc::clone(&self.driver);
        Job::new(&self.line, async move {
            let plan = from_js(plan, "ticket").map_err(|e| js_error(&e))?;
            let end = driver.fold_ticket(plan).await.map_err(js_failure)?;
            to_js(&ended(end))
        })
    }

    /// Says whether a fold of this conversation is being made elsewhere.
    #[wasm_bindgen(js_name = setFolding)]
    pub fn set_folding(&self, folding: bool) {
        self.driver.set_folding(folding);
    }

    /// Takes over what somebody else wrote.
    #[wasm_bindgen(js_name = catchUp)]
    pub fn catch_up(&self) -> Job {
        let driver = Rc::clone(&self.driver);
        Job::new(&self.line, async move {
            driver.catch_up().await.map_err(js_failure)?;
            Ok(JsValue::UNDEFINED)
        })
    }

    /// The host passes `n` covered rows from `from` on no more; false when they are not covered.
    #[wasm_bindgen(js_name = dropCovered)]
    pub fn drop_covered(&self, from: usize, n: usize) -> bool {
        self.driver.with(|s| s.drop_covered(from, n))
    }

    /// Takes the folds back that cover more than the row at `to`, and every decision after it.
    #[wasm_bindgen(js_name = rewindTo)]
    pub fn rewind_to(&self, to: f64) -> Job {
        let driver = Rc::clone(&self.driver);
        Job::new(&self.line, async move {
            driver.rewind(to as u64).await.map_err(js_failure)?;
            Ok(JsValue::UNDEFINED)
        })
    }

    /// Takes a fold and those made on it back; its rows are shown again.
    pub fn unfold(&self, id: String) -> Job {
        let driver = Rc::clone(&self.driver);
        Job::new(&self.line, async move {
            driver.unfold(&id).await.map_err(js_failure)?;
            Ok(JsValue::UNDEFINED)
        })
    }

    /// `{ state, handles }` of a branch with the rows up to `at`; `positions` maps where it stores them.
    pub fn branch(&self, at: f64, positions: JsValue) -> Result<JsValue, JsValue> {
        let given: std::collections::BTreeMap<String, u64> = from_js(positions, "map").map_err(|e| js_error(&e))?;
        let positions = given.iter().filter_map(|(from, to)| Some((from.parse().ok()?, *to))).collect();
        let (state, handles) = self.driver.branch(at as u64, &positions);
        to_js(&serde_json::json!({ "state": state, "handles": handles }))
    }

    /// Forgets folds, relief and everything decided; with `all` also what was learned.
    pub fn reset(&self, all: bool) -> Job {
        let driver = Rc::clone(&self.driver);
        Job::new(&self.line, async move {
            driver.reset(all).await.map_err(js_failure)?;
            Ok(JsValue::UNDEFINED)
        })
    }

    /// Topics of the user's messages, by position.
    #[wasm_bindgen(js_name = setOrderKeys)]
    pub fn set_order_keys(&self, keys: JsValue) -> Result<(), JsValue> {
        let keys: std::collections::BTreeMap<String, String> = from_js(keys, "orderKeys").map_err(|e| js_error(&e))?;
        self.driver.with(|s| {
            for (position, key) in keys {
                if position.parse::<u64>().is_ok() {
                    s.state.order_keys.insert(position, key);
                    s.dirty = true;
                }
            }
        });
        Ok(())
    }

    /// Positions that stay in the view whatever happens.
    #[wasm_bindgen(js_name = setPins)]
    pub fn set_pins(&self, positions: Vec<f64>) {
        self.driver.with(|s| {
            s.state.pins = positions.into_iter().filter(|p| *p >= 0.0).map(|p| p as u64).collect();
            s.dirty = true;
        });
    }

    /// The session context is captured again at the next `next`.
    #[wasm_bindgen(js_name = recaptureContext)]
    pub fn recapture_context(&self) {
        self.driver.with(|s| s.capture_context(true));
    }

    /// Plans the view of the rows pushed so far.
    pub fn next(&self, ask: JsValue) -> Job {
        let driver = Rc::clone(&self.driver);
        Job::new(&self.line, async move {
            let ask: Ask = if ask.is_undefined() { Ask::default() } else { from_js(ask, "compact").map_err(|e| js_error(&e))? };
            let report = driver.next(&ask).await.map_err(js_failure)?;
            to_js(&report)
        })
    }

    /// Milliseconds since the last response, for the `next` that follows; a negative number means unknown.
    #[wasm_bindgen(js_name = setIdle)]
    pub fn set_idle(&self, ms: f64) {
        self.driver.set_idle((ms >= 0.0).then_some(ms));
    }

    /// A response arrived.
    pub fn settle(&self, usage: JsValue) -> Result<JsValue, JsValue> {
        let usage = if usage.is_undefined() || usage.is_null() { RawUsage::default() } else { from_js(usage, "usage").map_err(|e| js_error(&e))? };
        to_js(&self.driver.settle(&usage.read()))
    }

    /// The provider refused the request as too long: `{ window, requested, provenance }`.
    pub fn overflowed(&self, overflow: JsValue) -> Result<JsValue, JsValue> {
        let overflow: Overflow = from_js(overflow, "error").map_err(|e| js_error(&e))?;
        self.driver.with(|s| to_js(&s.learn_overflow(overflow)))
    }

    /// Deferred tools that are bound for good, in their order.
    pub fn promoted(&self) -> Vec<String> {
        self.driver.with(|s| s.state.promoted.clone())
    }

    /// Binds deferred tools for good.
    pub fn promote(&self, names: Vec<String>) {
        self.driver.with(|s| {
            for name in names {
                if !s.state.promoted.contains(&name) {
                    s.state.promoted.push(name);
                    s.dirty = true;
                }
            }
        });
    }

    /// A tool ran: `{ output?, clamped, handle? }`, the output only when it changed.
    pub fn result(&self, call_id: String, tool: String, output: JsValue) -> Job {
        let driver = Rc::clone(&self.driver);
        Job::new(&self.line, async move {
            let short = driver.result(&call_id, &tool, output).await.map_err(js_failure)?;
            let out = js_sys::Object::new();
            if let Some(output) = short.output {
                js_sys::Reflect::set(&out, &"output".into(), &output)?;
            }
            js_sys::Reflect::set(&out, &"clamped".into(), &short.clamped.into())?;
            if let Some(handle) = short.handle {
                js_sys::Reflect::set(&out, &"handle".into(), &handle.into())?;
            }
            Ok(out.into())
        })
    }

    /// Occupancy and window, as `inspect` shows them.
    pub fn gauge(&self) -> Result<JsValue, JsValue> {
        self.driver.with(|s| to_js(&GaugeView { occupancy: s.occupancy(), window: WindowView::of(s) }))
    }

    /// What each row weighs, part by part.
    pub fn weights(&self) -> Result<JsValue, JsValue> {
        self.driver.with(|s| to_js(&weights(s)))
    }

    /// Everything a person may want to see, as plain JSON; `scale`: the buckets sum to the total.
    pub fn inspect(&self, scale: Option<bool>) -> Result<JsValue, JsValue> {
        let inspection = self.driver.with(|s| {
            let buckets = assemble::buckets(s);
            let buckets = if scale == Some(true) { buckets.to_sum() } else { buckets };
            let keeping = ladder::keeping(&s.config.tool_output, self.driver.host().has(Method::Raw));
            let next = next_relief(s, keeping);
            Inspection {
                occupancy: s.occupancy(),
                window: WindowView::of(s),
                thresholds: s.thresholds(),
                breakdown: Breakdown { next_relief: next, ..buckets },
                next_relief: next,
                ledger: assemble::ledger(s),
                findings: findings(s),
                stale: s.stale_context(),
                estimate: EstimateView { counter: self.projector.borrow().counted_by(), ratio: s.gauge.ratio(), overhead: s.gauge.overhead() },
            }
        });
        to_js(&inspection)
    }

    /// Lays a patch over the configuration; on an error nothing changes. Returns whether the rows have to
    /// be weighed again.
    pub fn configure(&self, patch: JsValue) -> Result<bool, JsValue> {
        let config = self.patched(patch)?;
        self.projector.borrow_mut().set_counter(config.estimate.counter);
        Ok(self.driver.with(|s| {
            s.set_exact(self.projector.borrow().exact());
            let recount = config.estimate.counter != s.config.estimate.counter;
            if recount {
                s.gauge.lift_anchor();
            }
            s.configure(config);
            recount
        }))
    }

    /// Takes a vocabulary that was loaded since. Returns whether the rows have to be weighed again.
    #[wasm_bindgen(js_name = takeVocabulary)]
    pub fn take_vocabulary(&self) -> bool {
        self.driver.with(|s| {
            let recount = self.projector.borrow_mut().take_vocabulary(&s.model.id);
            if recount {
                s.set_exact(self.projector.borrow().exact());
                s.gauge.lift_anchor();
            }
            recount
        })
    }

    /// Refuses what `configure` would refuse.
    #[wasm_bindgen(js_name = checkConfig)]
    pub fn check_config(&self, patch: JsValue) -> Result<(), JsValue> {
        self.patched(patch).map(|_| ())
    }

    /// Takes another model.
    #[wasm_bindgen(js_name = setModel)]
    pub fn set_model(&self, model: JsValue) -> Result<(), JsValue> {
        let input: ModelInput = from_js(model, "model").map_err(|e| js_error(&e))?;
        let family = input.family;
        let model: Model = input.read().map_err(|e| js_error(&e))?;
        self.driver.with(|s| {
            s.switch_model(model);
            s.set_family(family);
        });
        Ok(())
    }

    /// The configuration in force.
    pub fn config(&self) -> Result<JsValue, JsValue> {
        self.driver.with(|s| to_js(&s.config))
    }

    /// The durable state.
    pub fn state(&self) -> Result<JsValue, JsValue> {
        to_js(&self.driver.state())
    }
}

impl Core {
    fn patched(&self, patch: JsValue) -> Result<Config, JsValue> {
        // Decoded before the session is borrowed: a getter of the patch may call back in.
        let base = self.driver.with(|s| s.config.clone());
        read_config(&base, patch).map_err(|e| js_error(&e))
    }

    async fn make(bridge: JsValue, line: Rc<Line>, model: JsValue, config: JsValue, state: JsValue, measure: js_sys::Function) -> Result<Core, JsValue> {
        let input: ModelInput = from_js(model, "model").map_err(|e| js_error(&e))?;
        let family = input.family;
        let model = input.read().map_err(|e| js_error(&e))?;
        let config = read_config(&Config::default(), config).map_err(|e| js_error(&e))?;
        let state = read_state(state).map_err(|e| js_error(&e))?;
        let projector = Rc::new(RefCell::new(Projector::new(config.estimate.counter, &model.id)));
        let streamed = Rc::clone(&projector);
        let measure = Box::new(move |output: &JsValue| {
            // The bridge feeds the projector while this runs; no borrow is held across the call.
            let _ = measure.call1(&JsValue::UNDEFINED, output);
            streamed.borrow_mut().finish()
        });
        let host = JsHost::new(bridge, Rc::clone(&line), measure);
        let driver = Driver::open(host, model, config, state).await.map_err(js_failure)?;
        driver.with(|s| {
            s.set_family(family);
            s.set_exact(projector.borrow().exact());
        });
        Ok(Core {
            driver: Rc::new(driver),
            projector,
            frame: RefCell::default(),
            row: RefCell::default(),
            callers: RefCell::default(),
            media: RefCell::default(),
            line,
        })
    }
}

fn ended(end: FoldEnd) -> Outcome {
    match end {
        FoldEnd::Done(_) => Outcome { stage: "fold", outcome: "done", reason: None, until: None, detail: None },
        FoldEnd::Declined(reason) => Outcome::declined("fold", reason),
    }
}

pub(super) fn role_of(code: u32) -> Role {
    match code {
        0 => Role::System,
        1 => Role::User,
        2 => Role::Assistant,
        _ => Role::Tool,
    }
}

pub(super) fn part_kind(code: u32) -> PartKind {
    match code {
        0 => PartKind::Text,
        1 => PartKind::Reasoning,
        2 => PartKind::Call,
        3 => PartKind::Result,
        4 => PartKind::Media,
        5 => PartKind::ApprovalRequest,
        6 => PartKind::ApprovalResponse,
        7 => PartKind::Compaction,
        _ => PartKind::Opaque,
    }
}

fn read_config(base: &Config, patch: JsValue) -> Result<Config, Error> {
    if patch.is_undefined() || patch.is_null() {
        return Ok(base.clone());
    }
    base.patched(&from_js(patch, "config")?)
}

fn read_state(state: JsValue) -> Result<Option<State>, Error> {
    if state.is_undefined() || state.is_null() {
        return Ok(None);
    }
    from_js::<serde_json::Value>(state, "state").and_then(State::read).map(Some)
}
