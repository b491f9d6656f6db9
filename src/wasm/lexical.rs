//! The search by words on its own, for hosts that want it in their own `search`.

use std::cell::RefCell;

use serde::Serialize;
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::value::to_js;
use crate::core::restore::lexical::Index;
use crate::core::restore::lexical::snippet::{SNIPPET_UNITS, snippet};

/// Rows by their words.
#[wasm_bindgen]
#[derive(Default)]
pub struct Lexical {
    index: RefCell<Index>,
}

#[derive(Serialize)]
struct HitView {
    position: u64,
    score: f64,
}

#[wasm_bindgen]
impl Lexical {
    /// An empty index.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Lexical {
        Lexical::default()
    }

    /// Rows in it.
    pub fn size(&self) -> usize {
        self.index.borrow().len()
    }

    /// Indexes a text at a position, in place of what was there.
    pub fn add(&self, position: f64, text: String) {
        self.index.borrow_mut().add(position as u64, 0, &[text]);
    }

    /// Forgets a position.
    pub fn remove(&self, position: f64) {
        self.index.borrow_mut().remove(position as u64);
    }

    /// The best rows, best first.
    pub fn search(&self, query: &str, max: usize) -> Result<JsValue, JsValue> {
        let hits = self.index.borrow().search(query, max);
        to_js(&hits.into_iter().map(|h| HitView { position: h.position, score: f64::from(h.score) / 1e6 }).collect::<Vec<_>>())
    }

    /// The stretch of a text that answers a query best, at most 240 UTF-16 code units.
    pub fn snippet(&self, text: &str, query: &str) -> String {
        let weights = self.index.borrow().weights(query);
        snippet(text, &weights, SNIPPET_UNITS).0
    }
}
