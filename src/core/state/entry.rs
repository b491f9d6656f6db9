//! An entry of the decision log: what is known of one result, what stands in its place, and why it cannot be read back.
//!
//! Decides which facts of a result are durable. How one is written to the blob is not decided here.

use serde::{Deserialize, Serialize};

use crate::core::transcript::{Part, StandIn};
use crate::core::written::Written;

/// What is known of one result.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct Entry {
    /// The redact hook changed it: never spilled, no handle, in no stage.
    pub redacted: bool,
    /// The full text is in the raw store under this handle.
    pub handle: Option<String>,
    /// The stored text is itself cut at the store's limit.
    pub capped: bool,
    /// The result was shortened before it became a row.
    pub clamped: bool,
    /// What stands in its place.
    pub edit: Option<Edit>,
    /// Fingerprint of the result the edit was made for. Hosts reuse positions when a turn is taken back
    /// and run again; the new result must not get the old one's stub.
    pub of: String,
}

/// What stands in the view in place of a result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Edit {
    /// The same text, shortened to a cap; recomputed from the original, which the host still has.
    Clamp {
        /// The cap in UTF-16 code units.
        cap: u32,
        /// Tokens after the cut.
        tokens: u32,
        /// UTF-8 bytes after the cut.
        bytes: u64,
        /// Fingerprint of the text after the cut, so that a view that comes back is noticed.
        #[serde(default, skip_serializing_if = "String::is_empty")]
        hash: String,
        /// Whether a text stands in place of each of its images and files.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        media: bool,
    },
    /// A stub, byte for byte.
    Stub {
        /// The exact text.
        text: String,
        /// Its tokens.
        tokens: u32,
        /// Whether it names a newer result that says the same.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        dedupe: bool,
        /// The handle of that newer result.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        newer: Option<String>,
        /// Why it has no handle.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        loss: Option<Loss>,
    },
    /// Arguments whose long strings are left out; the short ones are recomputed from the original.
    Input {
        /// The exact marker in place of the longest string.
        text: String,
        /// Strings longer than this are left out, in UTF-16 code units.
        cap: u32,
        /// Tokens of the arguments that remain.
        tokens: u32,
        /// Their UTF-8 bytes as JSON.
        bytes: u64,
    },
}

impl Edit {
    /// Tokens of what stands in the view.
    pub fn tokens(&self) -> u32 {
        match self {
            Edit::Clamp { tokens, .. } | Edit::Stub { tokens, .. } | Edit::Input { tokens, .. } => *tokens,
        }
    }

    /// The size of what stands in the view in place of this part.
    pub fn stand_in(&self, part: Option<&Part>) -> StandIn {
        let keeps = matches!(self, Edit::Clamp { media: false, .. });
        StandIn { tokens: self.tokens(), bytes: self.bytes(), media: part.filter(|_| keeps).map_or(0, |p| p.media_tokens) }
    }

    /// UTF-8 bytes of what stands in the view.
    pub fn bytes(&self) -> u64 {
        match self {
            Edit::Clamp { bytes, .. } | Edit::Input { bytes, .. } => *bytes,
            Edit::Stub { text, .. } => text.len() as u64,
        }
    }
}

/// Why hidden bytes cannot be read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Loss {
    /// The host has no raw store.
    NoStore,
    /// The store's limit cut it.
    OverCap,
    /// The redact hook changed it.
    Redacted,
    /// `toolOutput.persistRaw` is off.
    PersistOff,
}

impl Loss {
    /// What the model is told.
    pub fn in_words(self) -> &'static str {
        match self {
            Loss::NoStore => "not stored; run the tool again if you need it",
            Loss::OverCap => "stored only in part; run the tool again if you need the rest",
            Loss::Redacted => "not stored because it was redacted; run the tool again if you need it",
            Loss::PersistOff => "not stored because outputs are not kept; run the tool again if you need it",
        }
    }
}
