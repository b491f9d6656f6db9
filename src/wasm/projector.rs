//! Takes texts through one resident window and measures them on the way.
//!
//! JavaScript writes UTF-8 into the window with `encodeInto` and says how much; nothing else of a text
//! ever enters wasm memory, which only grows. Not safe to call from inside a getter of a message:
//! the walker reads a message's fields first and pushes then.

use std::rc::Rc;

use super::tokens::loaded;
use crate::core::config::Counter;
use crate::core::measure::bpe::{Encoding, Tokenizer};
use crate::core::measure::meter::{Measure, Meter};

/// Size of the window in bytes.
const WINDOW: usize = 64 * 1024;

/// The window and the text that is passing through it.
pub(super) struct Projector {
    window: Vec<u8>,
    meter: Meter,
    counter: Counter,
    vocabulary: Option<Rc<Tokenizer>>,
}

impl Projector {
    pub(super) fn new(counter: Counter, model: &str) -> Self {
        let vocabulary = vocabulary_of(model);
        Projector { window: vec![0; WINDOW], meter: Meter::with_vocabulary(counter, vocabulary.clone()), counter, vocabulary }
    }

    /// Where JavaScript writes.
    pub(super) fn window(&self) -> (usize, usize) {
        (self.window.as_ptr() as usize, self.window.len())
    }

    /// Texts from now on are weighed by this counter.
    pub(super) fn set_counter(&mut self, counter: Counter) {
        self.counter = counter;
        self.meter = Meter::with_vocabulary(counter, self.vocabulary.clone());
    }

    /// Takes the vocabulary that is loaded for the model by now. Returns whether texts weigh something else since.
    pub(super) fn take_vocabulary(&mut self, model: &str) -> bool {
        let now = vocabulary_of(model);
        if now.as_ref().map(Rc::as_ptr) == self.vocabulary.as_ref().map(Rc::as_ptr) {
            return false;
        }
        self.vocabulary = now;
        self.meter = Meter::with_vocabulary(self.counter, self.vocabulary.clone());
        self.counter == Counter::Auto
    }

    /// What texts are weighed by: an encoding, `classes` or `chars4`.
    pub(super) fn counted_by(&self) -> &'static str {
        match (self.counter, &self.vocabulary) {
            (Counter::Chars4, _) => "chars4",
            (Counter::Auto, Some(vocabulary)) => vocabulary.encoding().name(),
            (Counter::Auto | Counter::Classes, _) => "classes",
        }
    }

    /// Takes the first `n` bytes of the window.
    pub(super) fn feed(&mut self, n: usize) {
        let bytes = self.window.get(..n).unwrap_or(&[]);
        // `encodeInto` writes well-formed UTF-8 and never splits a code point.
        if let Ok(chunk) = std::str::from_utf8(bytes) {
            self.meter.feed(chunk);
        }
    }

    /// Ends the text.
    pub(super) fn finish(&mut self) -> Measure {
        let measure = self.meter.finish();
        self.meter = Meter::with_vocabulary(self.counter, self.vocabulary.clone());
        measure
    }
}

/// The model's own vocabulary, if it is loaded; for models of other houses the one that the constants of
/// their families were fitted with.
fn vocabulary_of(model: &str) -> Option<Rc<Tokenizer>> {
    Encoding::for_model(model).map_or_else(|| loaded(Encoding::O200kBase), loaded)
}
