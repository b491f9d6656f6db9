//! Takes texts through one resident window and measures them on the way.
//!
//! JavaScript writes UTF-8 into the window with `encodeInto` and says how much; nothing else of a text
//! ever enters wasm memory, which only grows. Not safe to call from inside a getter of a message:
//! the walker reads a message's fields first and pushes then.

use std::rc::Rc;

use super::exact::exact_for;
use crate::core::config::Counter;
use crate::core::measure::exact::Exact;
use crate::core::measure::meter::{Measure, Meter};

/// Size of the window in bytes.
const WINDOW: usize = 64 * 1024;

/// The window and the text that is passing through it.
pub(super) struct Projector {
    window: Vec<u8>,
    meter: Meter,
    counter: Counter,
    exact: Option<Rc<dyn Exact>>,
}

impl Projector {
    pub(super) fn new(counter: Counter, model: &str) -> Self {
        let exact = exact_for(model);
        Projector { window: vec![0; WINDOW], meter: Meter::with_exact(counter, exact.clone()), counter, exact }
    }

    /// Where JavaScript writes.
    pub(super) fn window(&self) -> (usize, usize) {
        (self.window.as_ptr() as usize, self.window.len())
    }

    /// Texts from now on are weighed by this counter.
    pub(super) fn set_counter(&mut self, counter: Counter) {
        self.counter = counter;
        self.begin();
    }

    /// What counts exactly, where the counter leaves the choice.
    pub(super) fn exact(&self) -> Option<Rc<dyn Exact>> {
        self.exact.clone().filter(|_| self.counter == Counter::Auto)
    }

    /// Takes the vocabulary that is loaded for the model by now. Returns whether texts weigh something else since.
    pub(super) fn take_vocabulary(&mut self, model: &str) -> bool {
        let now = exact_for(model);
        if now.as_ref().map(|e| e.encoding()) == self.exact.as_ref().map(|e| e.encoding()) {
            return false;
        }
        self.exact = now;
        self.begin();
        self.counter == Counter::Auto
    }

    fn begin(&mut self) {
        self.meter = Meter::with_exact(self.counter, self.exact.clone());
    }

    /// What texts are weighed by: an encoding, `classes` or `chars4`.
    pub(super) fn counted_by(&self) -> &'static str {
        match (self.counter, &self.exact) {
            (Counter::Chars4, _) => "chars4",
            (Counter::Auto, Some(exact)) => exact.encoding().name(),
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
        self.begin();
        measure
    }
}
