//! One conversation, as a class: it is opened, rows are pushed in, then `next`, `settle` and `result` are called.
//!
//! The other calls are beside it, a file for each kind: rows and frame in, folds, settings, what can be looked at.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::core_rows::Incoming;
use super::core_settings::read_config;
use super::host::JsHost;
use super::job::{Job, Line};
use super::model::ModelInput;
use super::projector::Projector;
use super::value::{from_js, js_error, js_failure, to_js};
use crate::core::config::Config;
use crate::core::error::Error;
use crate::core::measure::usage::RawUsage;
use crate::core::session_window::Overflow;
use crate::core::state::State;
use crate::driver::{Ask, Driver};

/// A conversation and the window its texts pass through.
#[wasm_bindgen]
pub struct Core {
    pub(super) driver: Rc<Driver<JsHost>>,
    pub(super) projector: Rc<RefCell<Projector>>,
    pub(super) incoming: Incoming,
    pub(super) line: Rc<Line>,
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

    /// Says what the window holds with the rows pushed so far, whatever the estimate says.
    #[wasm_bindgen(js_name = pinOccupancy)]
    pub fn pin_occupancy(&self, tokens: u32) -> Result<(), JsValue> {
        self.driver.with(|s| s.pin_occupancy(tokens)).map_err(|e| js_error(&e))
    }

    /// The event for a task boundary; undefined when there is nothing to say.
    pub fn handoff(&self) -> Result<JsValue, JsValue> {
        self.driver.suggest_handoff().map_or(Ok(JsValue::UNDEFINED), |event| to_js(&event))
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
}

impl Core {
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
        Ok(Core { driver: Rc::new(driver), projector, incoming: Incoming::default(), line })
    }
}

fn read_state(state: JsValue) -> Result<Option<State>, Error> {
    if state.is_undefined() || state.is_null() {
        return Ok(None);
    }
    from_js::<serde_json::Value>(state, "state").and_then(State::read).map(Some)
}
