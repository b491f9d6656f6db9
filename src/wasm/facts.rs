//! Facts: the gate, and the user's answers to what was suggested.

use std::rc::Rc;

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::core::Core;
use super::job::Job;
use super::value::{from_js, js_error, js_failure, to_js};
use crate::core::restore::promote;

/// One fact, clean; `undefined` when it is refused.
#[wasm_bindgen(js_name = sanitizeFact)]
pub fn sanitize_fact(text: &str) -> Option<String> {
    promote::sanitize_fact(text).ok()
}

#[wasm_bindgen]
impl Core {
    /// Suggestions that wait for an answer: `{ id, scope, facts }[]`.
    pub fn suggestions(&self) -> Result<JsValue, JsValue> {
        self.driver.with(|s| to_js(&s.state.suggestions))
    }

    /// Writes facts through the gate; the job's result is those that were written.
    pub fn accept(&self, id: Option<String>, facts: JsValue, scope: Option<String>) -> Job {
        let driver = Rc::clone(&self.driver);
        Job::new(&self.line, async move {
            let facts = if facts.is_undefined() { None } else { Some(from_js(facts, "facts").map_err(|e| js_error(&e))?) };
            let written = driver.accept(id.as_deref(), facts, scope).await.map_err(js_failure)?;
            to_js(&written)
        })
    }

    /// Lets a suggestion go.
    pub fn reject(&self, id: String) -> Job {
        let driver = Rc::clone(&self.driver);
        Job::new(&self.line, async move {
            driver.reject(&id).await.map_err(js_failure)?;
            Ok(JsValue::UNDEFINED)
        })
    }
}
