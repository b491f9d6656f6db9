//! What a person or the package's own code may look at: gauge, inspection, cuts, and what is in force. Changes nothing.

use serde::Serialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::core::Core;
use super::cuts;
use super::value::to_js;
use crate::core::assemble;
use crate::core::config::Counter;
use crate::core::findings::{Finding, findings};
use crate::core::ladder;
use crate::core::ledger::LedgerEntry;
use crate::core::measure::breakdown::Breakdown;
use crate::core::measure::occupancy::Occupancy;
use crate::core::measure::thresholds::{Thresholds, WindowSource};
use crate::core::next_relief::{NextRelief, next_relief};
use crate::core::session::Session;
use crate::core::weights::weights;
use crate::driver::{Host as _, Method};

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
    source: WindowSource,
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
    counter: Counter,
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
    /// Occupancy and window, as `inspect` shows them.
    pub fn gauge(&self) -> Result<JsValue, JsValue> {
        self.driver.with(|s| to_js(&GaugeView { occupancy: s.occupancy(), window: WindowView::of(s) }))
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

    /// What each row weighs, part by part.
    pub fn weights(&self) -> Result<JsValue, JsValue> {
        self.driver.with(|s| to_js(&weights(s)))
    }

    /// Where the rows pushed so far may be cut, and why not elsewhere, as JSON text.
    pub fn cuts(&self) -> String {
        self.driver.with(|s| cuts::view(s))
    }

    /// How texts are counted: `{ counter, id, provider? }`, the last two the model's.
    pub fn counting(&self) -> Result<JsValue, JsValue> {
        self.driver.with(|s| to_js(&CountingView { counter: s.config.estimate.counter, id: &s.model.id, provider: s.model.provider.as_deref() }))
    }

    /// The configuration in force.
    pub fn config(&self) -> Result<JsValue, JsValue> {
        self.driver.with(|s| to_js(&s.config))
    }

    /// The durable state.
    pub fn state(&self) -> Result<JsValue, JsValue> {
        to_js(&self.driver.state())
    }

    /// Deferred tools that are bound for good, in their order.
    pub fn promoted(&self) -> Vec<String> {
        self.driver.with(|s| s.state.promoted.clone())
    }

    /// Whether the view names handles.
    #[wasm_bindgen(js_name = handlesShown)]
    pub fn handles_shown(&self) -> bool {
        self.driver.with(|s| s.shows_handles())
    }
}
