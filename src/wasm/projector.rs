//! Takes texts through one resident window and measures them on the way.
//!
//! JavaScript writes UTF-8 into the window with `encodeInto` and says how much; nothing else of a text
//! ever enters wasm memory, which only grows. Not safe to call from inside a getter of a message:
//! the walker reads a message's fields first and pushes then.

use crate::core::config::Counter;
use crate::core::measure::meter::{Measure, Meter};

/// Size of the window in bytes.
const WINDOW: usize = 64 * 1024;

/// The window and the text that is passing through it.
pub(super) struct Projector {
    window: Vec<u8>,
    meter: Meter,
    counter: Counter,
}

impl Projector {
    pub(super) fn new(counter: Counter) -> Self {
        Projector { window: vec![0; WINDOW], meter: Meter::new(counter), counter }
    }

    /// Where JavaScript writes.
    pub(super) fn window(&self) -> (usize, usize) {
        (self.window.as_ptr() as usize, self.window.len())
    }

    /// Texts from now on are weighed by this counter.
    pub(super) fn set_counter(&mut self, counter: Counter) {
        self.counter = counter;
        self.meter = Meter::new(counter);
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
        self.meter = Meter::new(self.counter);
        measure
    }
}
