//! The sections of the configuration, one per stage: what can be set, in which unit, and what it is if nobody does.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::choices::{Counter, PromotionMode, RetrievalMode};

macro_rules! section {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident : $ty:ty = $default:expr,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase", default)]
        pub struct $name { $($(#[$field_doc])* pub $field: $ty,)* }
        impl Default for $name {
            fn default() -> Self { $name { $($field: $default,)* } }
        }
    };
}

section! {
    /// Stage `evict`.
    Eviction {
        /// Off drops the stage.
        enabled: bool = true,
        /// Occupancy, as a fraction of the window, from which it acts.
        at_fraction: f64 = 0.5,
        /// Occupancy it goes down to in one batch; absent means half of `atFraction`.
        #[serde(skip_serializing_if = "Option::is_none")]
        to_fraction: Option<f64> = None,
        /// Newest closed rounds with results that stay whole.
        keep_recent_rounds: u32 = 3,
        /// Net tokens a pass must free, else it does not act.
        clear_at_least: u32 = 2_000,
        /// Smaller results are not worth a stub.
        min_result_tokens: u32 = 200,
        /// Tools whose newest result stays.
        protect: Vec<String> = Vec::new(),
        /// Whether oversized arguments of old calls may be shortened too.
        inputs: bool = false,
        /// Newest rounds that stay whole once occupancy is at hard; absent means `keepRecentRounds`.
        #[serde(skip_serializing_if = "Option::is_none")]
        keep_at_hard: Option<u32> = None,
        /// Whether, at hard, the oldest spent rounds may go behind one line that reads them back.
        rounds: bool = false,
    }
}

section! {
    /// Part of the evict pass.
    Dedupe {
        /// Off leaves duplicates to age like any other result.
        enabled: bool = true,
        /// Tools whose newer result replaces an older one on the same target.
        supersede: Vec<String> = Vec::new(),
    }
}

section! {
    /// Stage `fold`.
    Summarize {
        /// Off drops the stage.
        enabled: bool = true,
        /// Occupancy from which a fold is made in the background.
        soft_fraction: f64 = 0.6,
        /// Occupancy from which `next` waits for it.
        hard_fraction: f64 = 0.9,
        /// Off makes the fold synchronous at the soft threshold.
        background: bool = true,
        /// Newest messages that stay verbatim.
        keep_recent: u32 = 8,
        /// Newest closed assistant rounds that stay verbatim.
        keep_rounds: u32 = 2,
        /// Upper bound of the verbatim tail in tokens; absent means min(20,000, soft / 2).
        #[serde(skip_serializing_if = "Option::is_none")]
        tail_tokens: Option<u32> = None,
        /// Absolute occupancy that lowers both thresholds to itself.
        #[serde(skip_serializing_if = "Option::is_none")]
        ceiling_tokens: Option<u32> = None,
        /// Briefings longer than this are condensed.
        reflect_tokens: u32 = 4_000,
        /// The summarizer's own window; absent means the model's.
        #[serde(skip_serializing_if = "Option::is_none")]
        window: Option<u32> = None,
        /// Thresholds of single models, by id, in place of the ones above.
        models: BTreeMap<String, OwnThresholds> = BTreeMap::new(),
    }
}

/// Where one model folds; what is absent is as for all.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OwnThresholds {
    /// As `softFraction`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub soft_fraction: Option<f64>,
    /// As `hardFraction`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hard_fraction: Option<f64>,
    /// As `ceilingTokens`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ceiling_tokens: Option<u32>,
}

section! {
    /// Stage `clamp`.
    ToolOutput {
        /// Longest result in UTF-16 code units.
        max_chars: u32 = 24_000,
        /// Most tokens of a result; absent, its length alone counts.
        max_tokens: Option<u32> = None,
        /// Whether full outputs are handed to the host's raw store.
        persist_raw: bool = true,
        /// Longest stored output in UTF-8 bytes.
        raw_cap_bytes: u32 = 2_000_000,
    }
}

section! {
    /// A stage that is on unless switched off.
    Switch {
        /// Off drops the stage.
        enabled: bool = true,
    }
}

section! {
    /// A stage that is off unless switched on.
    OptIn {
        /// On adds the stage.
        enabled: bool = false,
    }
}

section! {
    /// The in-turn digest.
    Digest {
        /// Occupancy from which it acts.
        at_fraction: f64 = 0.95,
    }
}

section! {
    /// What becomes of durable facts.
    MemoryPromotion {
        /// Off, suggest to the user, or write at once.
        mode: PromotionMode = PromotionMode::Off,
    }
}

section! {
    /// The handoff suggestion.
    HandoffNudge {
        /// On adds the event.
        enabled: bool = false,
        /// Occupancy from which it is sent at a task boundary.
        at_fraction: f64 = 0.7,
    }
}

section! {
    /// Stage `recall`.
    Retrieval {
        /// On adds the stage.
        enabled: bool = false,
        /// How older messages are found.
        mode: RetrievalMode = RetrievalMode::Semantic,
        /// Lowest score of a semantic hit.
        min_score: f64 = 0.7,
        /// Lowest score of a lexical hit.
        lexical_min_score: f64 = 0.15,
        /// Most hits; 0 switches the stage off.
        max_results: u32 = 3,
    }
}

section! {
    /// Standing orders.
    Orders {
        /// Off keeps none.
        enabled: bool = true,
        /// Budget in tokens; absent means min(20,000, 10 % of usable).
        #[serde(skip_serializing_if = "Option::is_none")]
        tokens: Option<u32> = None,
    }
}

section! {
    /// Media without readable dimensions.
    Media {
        /// Tokens of an image whose size is not known.
        image_tokens: u32 = 1_600,
    }
}

section! {
    /// Limits a provider enforces besides tokens; absent means none.
    Limits {
        /// Most images in one request.
        #[serde(skip_serializing_if = "Option::is_none")]
        max_images: Option<u32> = None,
        /// Largest request in bytes.
        #[serde(skip_serializing_if = "Option::is_none")]
        max_request_bytes: Option<u64> = None,
        /// Longest single string in UTF-16 code units.
        #[serde(skip_serializing_if = "Option::is_none")]
        max_string_chars: Option<u64> = None,
    }
}

section! {
    /// The estimate before a real count is known.
    Estimate {
        /// Which rule weighs a text.
        counter: Counter = Counter::Auto,
        /// Tokens of what the messages do not show (hidden system prompt, tools), known beforehand.
        #[serde(skip_serializing_if = "Option::is_none")]
        overhead: Option<i64> = None,
        /// Ratio of real to estimated tokens to start from.
        #[serde(skip_serializing_if = "Option::is_none")]
        ratio: Option<f64> = None,
    }
}

section! {
    /// Prices per token relative to each other.
    Prices {
        /// An uncached input token.
        input: f64 = 1.0,
        /// An input token read from the prefix cache.
        cache_read: f64 = 0.1,
        /// An input token written to the prefix cache.
        cache_write: f64 = 1.25,
        /// How long a cached prefix lives after its last use.
        ttl_seconds: u32 = 300,
    }
}

/// Milliseconds `next` waits at the hard threshold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HardWait(pub u32);

impl Default for HardWait {
    fn default() -> Self {
        HardWait(60_000)
    }
}

impl Limits {
    /// What of a window of tokens a text takes, where its length counts against a limit.
    pub fn share_of(&self, text: &str, window: u32) -> u32 {
        let share = |size: u64, most: Option<u64>| most.map_or(0, |most| (size * u64::from(window)).div_ceil(most.max(1)));
        let units = if self.max_string_chars.is_some() { text.encode_utf16().count() as u64 } else { 0 };
        let share = share(text.len() as u64, self.max_request_bytes).max(share(units, self.max_string_chars));
        u32::try_from(share).unwrap_or(u32::MAX)
    }
}
