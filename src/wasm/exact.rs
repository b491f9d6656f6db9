//! The token counter as the core calls it: another wasm, reached through JavaScript.
//!
//! Decides which vocabulary counts for a model: its own; for models of other houses the one that the
//! constants of their families were fitted with. Refuses to load one: a program that wants exact counts
//! does that, and until then nothing answers.

use std::rc::Rc;

use wasm_bindgen::prelude::wasm_bindgen;

use crate::core::measure::bpe::Encoding;
use crate::core::measure::exact::{Exact, Stream};

#[wasm_bindgen(raw_module = "./exact.js")]
extern "C" {
    /// Counts in one encoding.
    type JsExact;
    /// A text on its way.
    type JsStream;

    /// What counts in this encoding, if its vocabulary is loaded.
    #[wasm_bindgen(js_name = exactCounter)]
    fn exact_counter(encoding: &str) -> Option<JsExact>;

    #[wasm_bindgen(method)]
    fn count(this: &JsExact, text: &[u8]) -> u32;
    #[wasm_bindgen(method)]
    fn stream(this: &JsExact) -> JsStream;

    #[wasm_bindgen(method)]
    fn feed(this: &JsStream, chunk: &[u8]);
    #[wasm_bindgen(method)]
    fn tokens(this: &JsStream) -> u32;
    #[wasm_bindgen(method)]
    fn free(this: &JsStream);
}

struct Loaded {
    encoding: Encoding,
    js: JsExact,
}

impl Exact for Loaded {
    fn encoding(&self) -> Encoding {
        self.encoding
    }

    fn count(&self, text: &str) -> u32 {
        self.js.count(text.as_bytes())
    }

    fn stream(&self) -> Box<dyn Stream> {
        Box::new(Open(self.js.stream()))
    }
}

/// A text that is given back when it is done with.
struct Open(JsStream);

impl Stream for Open {
    fn feed(&mut self, chunk: &str) {
        self.0.feed(chunk.as_bytes());
    }

    fn finish(&self) -> u32 {
        self.0.tokens()
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.0.free();
    }
}

/// What counts the texts of a model, if the vocabulary is there.
pub(super) fn exact_for(model: &str) -> Option<Rc<dyn Exact>> {
    let encoding = Encoding::for_model(model).unwrap_or(Encoding::O200kBase);
    Some(Rc::new(Loaded { encoding, js: exact_counter(encoding.name())? }))
}
