//! The host, seen through the package's bridge: an object whose methods always settle.
//!
//! Deadlines, cancellation and odd return values are dealt with in the bridge (JavaScript has the
//! timers); here an answer is awaited and a rejection is handed through as the same object.

use std::rc::Rc;

use js_sys::{Function, Reflect};
use wasm_bindgen::{JsCast, JsValue};

use super::job::Line;
use super::value::{from_js, to_js};
use crate::core::event::Event;
use crate::core::fold::judge::Answer;
use crate::core::fold::request::SummarizeRequest;
use crate::core::measure::meter::Measure;
use crate::core::restore::authority::Authority;
use crate::core::state::State;
use crate::driver::{Commit, Found, Gap, Host, Loaded, Method, OldRow, Place};

/// The package's bridge to the host.
pub(super) struct JsHost {
    bridge: JsValue,
    /// Measures an output's text through the projector; set by the core that owns both.
    measure: Box<dyn Fn(&JsValue) -> Measure>,
    line: Rc<Line>,
}

impl JsHost {
    pub(super) fn new(bridge: JsValue, line: Rc<Line>, measure: Box<dyn Fn(&JsValue) -> Measure>) -> Self {
        JsHost { bridge, measure, line }
    }

    fn method(&self, name: &str) -> Option<Function> {
        Reflect::get(&self.bridge, &name.into()).ok()?.dyn_into().ok()
    }

    fn call(&self, name: &str, args: &[&JsValue]) -> Result<JsValue, JsValue> {
        let method = self.method(name).ok_or_else(|| JsValue::from(js_sys::Error::new(&format!("bridge has no `{name}`"))))?;
        let list = js_sys::Array::new();
        for arg in args {
            list.push(arg);
        }
        method.apply(&self.bridge, &list)
    }

    async fn wait(&self, name: &str, args: &[&JsValue]) -> Result<JsValue, JsValue> {
        let answer = self.call(name, args)?;
        self.line.ask(answer).await
    }
}

impl Host for JsHost {
    type Error = JsValue;
    type Output = JsValue;

    fn has(&self, method: Method) -> bool {
        let name = match method {
            Method::Load => "load",
            Method::Commit => "commit",
            Method::Raw => "raw",
            Method::Redact => "redact",
            Method::Summarize => "summarize",
            Method::Authority => "authority",
            Method::Rows => "rows",
            Method::Embed => "embed",
            Method::Search => "search",
            Method::Extract => "extract",
            Method::AddFact => "addFact",
        };
        self.call("has", &[&name.into()]).is_ok_and(|v| v.is_truthy())
    }

    fn cancel_reason(&self) -> Option<JsValue> {
        // The reason may be any value, `undefined` too, so it comes in a list.
        let reason = self.call("cancelled", &[]).ok()?.dyn_into::<js_sys::Array>().ok()?;
        Some(reason.get(0))
    }

    fn output(&self, at: Place) -> JsValue {
        self.call("output", &[&(at.row as u32).into(), &(at.part as u32).into()]).unwrap_or(JsValue::UNDEFINED)
    }

    fn measure(&self, output: &JsValue) -> Measure {
        (self.measure)(output)
    }

    fn shorten(&self, output: &JsValue, cap: u32, gap: Gap<'_>) -> JsValue {
        let handle = gap.handle.map_or(JsValue::UNDEFINED, JsValue::from);
        let loss = to_js(&gap.loss).unwrap_or(JsValue::UNDEFINED);
        self.call("shorten", &[output, &cap.into(), &handle, &loss, &gap.media.into()]).unwrap_or_else(|_| output.clone())
    }

    fn media(&self, at: Place) -> Option<JsValue> {
        self.call("media", &[&(at.row as u32).into(), &(at.part as u32).into()]).ok().filter(|v| v.is_object())
    }

    fn left_out(&self, at: Place, gap: Gap<'_>) -> Option<String> {
        let handle = gap.handle.map_or(JsValue::UNDEFINED, JsValue::from);
        let loss = to_js(&gap.loss).unwrap_or(JsValue::UNDEFINED);
        self.call("leftOut", &[&(at.row as u32).into(), &(at.part as u32).into(), &handle, &loss]).ok()?.as_string()
    }

    fn excerpt(&self, at: Place, max: Option<u32>, handle: Option<&str>) -> String {
        let max = max.map_or(JsValue::UNDEFINED, JsValue::from);
        let handle = handle.map_or(JsValue::UNDEFINED, JsValue::from);
        let text = self.call("excerpt", &[&(at.row as u32).into(), &(at.part as u32).into(), &max, &handle]);
        text.ok().and_then(|t| t.as_string()).unwrap_or_default()
    }

    fn emit(&self, event: &Event) {
        if let Ok(event) = to_js(event) {
            let _ = self.call("emit", &[&event]);
        }
    }

    async fn summarize(&self, request: &SummarizeRequest) -> Result<Answer, JsValue> {
        let answer = self.wait("summarize", &[&to_js(request)?]).await?;
        let field = |name: &str| Reflect::get(&answer, &name.into()).ok().and_then(|v| v.as_string());
        Ok(Answer { text: field("text").unwrap_or_default(), finish_reason: field("finishReason") })
    }

    async fn authority(&self) -> Result<Authority, JsValue> {
        let blocks = self.wait("authority", &[]).await?;
        from_js(blocks, "authority").map_err(|e| super::value::js_error(&e))
    }

    async fn background(&self, ms: u32) {
        let _ = self.wait("background", &[&ms.into()]).await;
    }

    async fn rows(&self, from: u64, to: u64) -> Result<Vec<OldRow>, JsValue> {
        let rows = self.wait("rows", &[&JsValue::from_f64(from as f64), &JsValue::from_f64(to as f64)]).await?;
        from_js(rows, "rows").map_err(|e| super::value::js_error(&e))
    }

    async fn embed(&self, texts: &[String]) -> Result<Vec<Vec<f32>>, JsValue> {
        let vectors = js_sys::Array::from(&self.wait("embed", &[&to_js(&texts)?]).await?);
        Ok(vectors.iter().map(|v| js_sys::Float32Array::new(&v).to_vec()).collect())
    }

    async fn search(&self, query: &str, max: u32) -> Result<Vec<Found>, JsValue> {
        let found = self.wait("search", &[&query.into(), &max.into()]).await?;
        from_js(found, "search").map_err(|e| super::value::js_error(&e))
    }

    fn capture(&self, id: &str, rows: &[usize], redacted: &[Place]) {
        let rows = js_sys::Array::from_iter(rows.iter().map(|r| JsValue::from(*r as u32)));
        let redacted = js_sys::Array::from_iter(redacted.iter().flat_map(|p| [JsValue::from(p.row as u32), JsValue::from(p.part as u32)]));
        let _ = self.call("capture", &[&id.into(), &rows, &redacted]);
    }

    fn release(&self, id: &str) {
        let _ = self.call("release", &[&id.into()]);
    }

    async fn extract(&self, id: &str) -> Result<Vec<String>, JsValue> {
        let facts = self.wait("extract", &[&id.into()]).await?;
        from_js(facts, "extract").map_err(|e| super::value::js_error(&e))
    }

    fn scope(&self) -> String {
        self.call("scope", &[]).ok().and_then(|s| s.as_string()).unwrap_or_else(|| "global".to_owned())
    }

    async fn add_fact(&self, fact: &str, scope: &str) -> Result<(), JsValue> {
        self.wait("addFact", &[&fact.into(), &scope.into()]).await.map(|_| ())
    }

    fn input(&self, at: Place) -> Option<JsValue> {
        self.call("input", &[&(at.row as u32).into(), &(at.part as u32).into()]).ok().filter(|v| v.is_object())
    }

    fn measure_short_input(&self, at: Place, cap: u32, marker: &str) -> Option<Measure> {
        let short = self.call("shortInput", &[&(at.row as u32).into(), &(at.part as u32).into(), &cap.into(), &marker.into()]).ok()?;
        short.is_object().then(|| (self.measure)(&short))
    }

    async fn load(&self) -> Result<Option<Loaded>, JsValue> {
        let loaded = self.wait("load", &[]).await?;
        if loaded.is_null() || loaded.is_undefined() {
            return Ok(None);
        }
        let state = Reflect::get(&loaded, &"state".into())?;
        let version = Reflect::get(&loaded, &"version".into())?.as_f64().unwrap_or(0.0);
        let state = from_js::<serde_json::Value>(state, "state").and_then(State::read).map_err(|e| super::value::js_error(&e))?;
        Ok(Some(Loaded { state, version: version as u64 }))
    }

    async fn commit(&self, state: &State, expect: Option<u64>) -> Result<Commit, JsValue> {
        let expect = expect.map_or(JsValue::NULL, |v| JsValue::from_f64(v as f64));
        let version = self.wait("commit", &[&to_js(state)?, &expect]).await?;
        Ok(version.as_f64().map_or(Commit::Conflict, |v| Commit::Done(v as u64)))
    }

    async fn redact(&self, tool: &str, output: &JsValue) -> Result<Option<JsValue>, JsValue> {
        let clean = self.wait("redact", &[&tool.into(), output]).await?;
        Ok((!clean.is_undefined() && !clean.is_null()).then_some(clean))
    }

    async fn raw_has(&self, handle: &str) -> Result<bool, JsValue> {
        Ok(self.wait("rawHas", &[&handle.into()]).await?.is_truthy())
    }

    async fn raw_is(&self, handle: &str, output: &JsValue) -> Result<bool, JsValue> {
        Ok(self.wait("rawIs", &[&handle.into(), output]).await?.is_truthy())
    }

    async fn raw_put(&self, handle: &str, output: &JsValue, cap_bytes: u32) -> Result<bool, JsValue> {
        Ok(self.wait("rawPut", &[&handle.into(), output, &cap_bytes.into()]).await?.is_truthy())
    }
}
