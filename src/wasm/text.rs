//! A JavaScript string as [`Utf16`]: peeked at, never copied whole.

use std::ops::Range;

use js_sys::JsString;

use crate::core::relieve::text::Utf16;

/// A string that stays in JavaScript.
pub(super) struct JsText(pub(super) JsString);

impl Utf16 for JsText {
    fn len(&self) -> u32 {
        self.0.length()
    }

    fn units(&self, range: Range<u32>) -> Vec<u16> {
        self.0.slice(range.start, range.end.min(self.0.length()).max(range.start)).iter().collect()
    }
}
