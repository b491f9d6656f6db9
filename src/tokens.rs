//! The token counter for JavaScript, a wasm of its own: a vocabulary that is built in slices, a window that
//! texts pass through, counters.
//!
//! Apart from the core because somebody who only counts should not download and compile a planner, and the
//! counter wants speed where the core wants to be small. Decides that one vocabulary is held per file, however often it is loaded, so that a server that asks
//! for a counter per request does not fill the memory. Refuses strings: texts are written into the window
//! by `encodeInto`, at most its size at a time, and counted there.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::core::error::Error;
use crate::core::measure::bpe::{Builder, Counter, Encoding, Tokenizer};

/// Bytes of text that cross at a time.
const WINDOW: usize = 64 << 10;

thread_local! {
    static LOADED: RefCell<Vec<Rc<Tokenizer>>> = const { RefCell::new(Vec::new()) };
    static TEXT: RefCell<Vec<u8>> = RefCell::new(vec![0; WINDOW]);
}

/// An `Error` with `name` and `code`.
fn js_error(error: &Error) -> JsValue {
    let js = js_sys::Error::new(&error.message);
    js.set_name("CascadeError");
    let _ = js_sys::Reflect::set(&js, &"code".into(), &error.code.as_str().into());
    js.into()
}

/// The tokenizer of this encoding, if its vocabulary is loaded.
fn loaded(encoding: Encoding) -> Option<Rc<Tokenizer>> {
    LOADED.with_borrow(|all| all.iter().find(|t| t.encoding().file() == encoding.file()).cloned())
}

fn encoding(name: &str) -> Result<Encoding, JsValue> {
    let known = "o200k_base, o200k_harmony, cl100k_base, p50k_base or r50k_base";
    Encoding::by_name(name).ok_or_else(|| js_error(&Error::bad_input(format!("`encoding` must be {known}"))))
}

fn tokenizer(name: &str) -> Result<Rc<Tokenizer>, JsValue> {
    let encoding = encoding(name)?;
    loaded(encoding).ok_or_else(|| {
        let file = encoding.file();
        js_error(&Error::bad_input(format!("the vocabulary `{file}` is not loaded; call loadVocabulary('{file}', bytes) first")))
    })
}

fn with_text<T>(n: usize, f: impl FnOnce(&[u8]) -> T) -> T {
    TEXT.with_borrow(|window| f(window.get(..n).unwrap_or(window)))
}

/// Address and size of the window.
#[wasm_bindgen(js_name = tokenWindow)]
pub fn token_window() -> Vec<usize> {
    TEXT.with_borrow(|window| vec![window.as_ptr() as usize, window.len()])
}

/// The encoding of a model by its name, if it is one of ours.
#[wasm_bindgen(js_name = encodingForModel)]
pub fn encoding_for_model(model: &str) -> Option<String> {
    Encoding::for_model(model).map(|e| e.name().to_owned())
}

/// The full name of an encoding, or an error that names the known ones.
#[wasm_bindgen(js_name = encodingName)]
pub fn encoding_name(name: &str) -> Result<String, JsValue> {
    encoding(name).map(|e| e.name().to_owned())
}

/// Whether the vocabulary of this encoding is loaded.
#[wasm_bindgen(js_name = hasVocabulary)]
pub fn has_vocabulary(name: &str) -> Result<bool, JsValue> {
    encoding(name).map(|e| loaded(e).is_some())
}

/// Counts the first `n` bytes of the window as a whole text.
#[wasm_bindgen(js_name = countWindow)]
pub fn count_window(name: &str, n: usize) -> Result<u32, JsValue> {
    let tokenizer = tokenizer(name)?;
    Ok(with_text(n, |text| tokenizer.count(text)))
}

/// A vocabulary on its way: call `step` until it is true, then `finish`.
#[wasm_bindgen]
pub struct VocabularyLoader {
    builder: Option<Builder>,
}

#[wasm_bindgen]
impl VocabularyLoader {
    /// Takes the bytes of a `.pairs` file.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str, bytes: Vec<u8>) -> Result<VocabularyLoader, JsValue> {
        let builder = Builder::new(encoding(name)?, bytes).map_err(|e| js_error(&e))?;
        Ok(VocabularyLoader { builder: Some(builder) })
    }

    /// Builds the next `n` tokens; true when none are left.
    pub fn step(&mut self, n: usize) -> Result<bool, JsValue> {
        self.builder.as_mut().map_or(Ok(true), |b| b.step(n).map_err(|e| js_error(&e)))
    }

    /// Makes the vocabulary available; one that was loaded meanwhile is kept.
    pub fn finish(&mut self) -> Result<(), JsValue> {
        if let Some(builder) = self.builder.take() {
            let tokenizer = builder.finish().map_err(|e| js_error(&e))?;
            if loaded(tokenizer.encoding()).is_none() {
                LOADED.with_borrow_mut(|all| all.push(Rc::new(tokenizer)));
            }
        }
        Ok(())
    }
}

/// A text that comes in chunks.
#[wasm_bindgen]
pub struct TokenCounter {
    counter: Counter,
}

#[wasm_bindgen]
impl TokenCounter {
    /// A counter at 0.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str) -> Result<TokenCounter, JsValue> {
        Ok(TokenCounter { counter: Counter::new(tokenizer(name)?) })
    }

    /// Takes the first `n` bytes of the window.
    pub fn feed(&mut self, n: usize) {
        with_text(n, |text| self.counter.feed(text));
    }

    /// A copy that goes its own way.
    pub fn copy(&self) -> TokenCounter {
        TokenCounter { counter: self.counter.clone() }
    }

    /// Tokens so far, as if the text ended here.
    pub fn tokens(&self) -> u32 {
        self.counter.finish()
    }

    /// A lower bound for `tokens` that costs nothing.
    pub fn settled(&self) -> u32 {
        self.counter.settled()
    }
}
