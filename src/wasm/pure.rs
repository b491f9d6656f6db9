//! The pieces for hosts with their own loop: no conversation, no host, no await.

use js_sys::JsString;
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::text::JsText;
use super::value::{from_js, js_error, to_js};
use crate::core::config::Config;
use crate::core::measure::breakdown;
use crate::core::measure::occupancy::{Occupancy, Provenance};
use crate::core::measure::thresholds::Thresholds;
use crate::core::measure::usage::RawUsage;
use crate::core::relieve::clamp::{self, Gap};
use crate::core::relieve::readback::{self, Page};
use crate::core::state::Loss;

/// What the marker of a cut may say; see the core's `Gap`.
#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct GapInput {
    handle: Option<String>,
    loss: Option<Loss>,
    rendered_from: Option<u32>,
    exit: Option<i32>,
    error_line: Option<String>,
}

#[derive(Serialize)]
struct CutView {
    head: u32,
    tail: u32,
    marker: String,
    omitted: u32,
}

impl From<clamp::Cut> for CutView {
    fn from(cut: clamp::Cut) -> Self {
        CutView { head: cut.head, tail: cut.tail, marker: cut.marker, omitted: cut.omitted }
    }
}

/// Where to cut a text so that it fits `cap` UTF-16 code units; `undefined` when it fits.
#[wasm_bindgen(js_name = planClamp)]
pub fn plan_clamp(text: JsString, cap: u32, gap: JsValue) -> Result<JsValue, JsValue> {
    let gap: GapInput = from_js(gap, "gap").map_err(|e| js_error(&e))?;
    let gap = Gap { handle: gap.handle.as_deref(), loss: gap.loss, rendered_from: gap.rendered_from, exit: gap.exit, error_line: gap.error_line.as_deref() };
    clamp::plan_clamp(&JsText(text), cap, &gap).map_or(Ok(JsValue::UNDEFINED), |cut| to_js(&CutView::from(cut)))
}

/// Where to cut a text of `bytes` UTF-8 bytes so that it fits the raw store; `undefined` when it fits.
#[wasm_bindgen(js_name = planRawCap)]
pub fn plan_raw_cap(text: JsString, bytes: f64, cap: u32) -> Result<JsValue, JsValue> {
    clamp::plan_raw_cap(&JsText(text), bytes as u64, cap).map_or(Ok(JsValue::UNDEFINED), |cut| to_js(&CutView::from(cut)))
}

/// The reply to `read_tool_output` for a stored text, or for a handle the store does not know.
#[wasm_bindgen(js_name = readPage)]
pub fn read_page(text: Option<JsString>, id: &str, offset: Option<u32>, limit: Option<u32>, grep: Option<String>, max_chars: u32) -> String {
    match text {
        Some(text) => readback::page(&JsText(text), &Page { id, offset, limit, grep: grep.as_deref() }, max_chars),
        None => readback::not_found(id),
    }
}

/// One response's usage, normalised.
#[wasm_bindgen(js_name = readUsage)]
pub fn read_usage(usage: JsValue) -> Result<JsValue, JsValue> {
    let raw: RawUsage = from_js(usage, "usage").map_err(|e| js_error(&e))?;
    to_js(&raw.read())
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct BreakdownInput {
    buckets: Vec<breakdown::Bucket>,
    /// The provider's count; absent when there is none.
    real: Option<u32>,
    #[serde(default)]
    reclaimed: u64,
    /// Whether the buckets are scaled so that they sum to the total.
    #[serde(default)]
    scale: bool,
}

/// Lays measured buckets against a real count.
#[wasm_bindgen(js_name = breakdownOf)]
pub fn breakdown_of(input: JsValue, model: JsValue, config: JsValue) -> Result<JsValue, JsValue> {
    let run = || -> Result<breakdown::Breakdown, crate::core::error::Error> {
        let input: BreakdownInput = from_js(input, "breakdown")?;
        let model = from_js::<super::model::ModelInput>(model, "model")?.read()?;
        let config = if config.is_undefined() { Config::default() } else { Config::default().patched(&from_js(config, "config")?)? };
        let occupancy = match input.real {
            Some(tokens) => Occupancy { tokens, provenance: Provenance::Exact },
            None => Occupancy { tokens: breakdown::measured(&input.buckets).min(u64::from(u32::MAX)) as u32, provenance: Provenance::Estimated },
        };
        let thresholds = Thresholds::of(&model, &config);
        let whole = breakdown::breakdown(input.buckets, occupancy, &model, &thresholds, input.reclaimed);
        Ok(if input.scale { whole.to_sum() } else { whole })
    };
    to_js(&run().map_err(|e| js_error(&e))?)
}

/// The gauge as text: `ctx 80k/256k`.
#[wasm_bindgen(js_name = gaugeText)]
pub fn gauge_text(total: u32, window: u32) -> String {
    breakdown::gauge_text(total, window)
}
