//! Every knob with its unit, default and range, in one place.
//!
//! Decides what a configuration holds and which values are in range. Refuses to know what the stages do with
//! them, and how a host's patch becomes one (`patch`).

mod choices;
mod patch;
mod sections;

pub use choices::{Counter, PromotionMode, ReasoningBinding, ReasoningOnEdit, RetrievalMode};
pub use sections::{
    Dedupe, Digest, Estimate, Eviction, HandoffNudge, HardWait, Limits, Media, MemoryPromotion, OptIn, Orders, OwnThresholds, Prices, Retrieval, Summarize,
    Switch, ToolOutput,
};

use serde::{Deserialize, Serialize};

use super::error::{Code, Error};
use super::measure::meter::Measure;

/// The whole configuration. Fractions are of the model's window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Config {
    /// Old tool results become stubs.
    pub eviction: Eviction,
    /// Identical or superseded results become stubs when an eviction happens anyway.
    pub dedupe: Dedupe,
    /// Old rounds become a briefing.
    pub summarize: Summarize,
    /// The cap on one tool result, and whether the full text is kept.
    pub tool_output: ToolOutput,
    /// The rule-based relief used when no fold is possible.
    pub cascade: Switch,
    /// The digest inside one very long turn.
    pub digest: Digest,
    /// The `<plan>` block after a fold.
    pub recitation: OptIn,
    /// Facts lifted out of a span before it is folded.
    pub memory_promotion: MemoryPromotion,
    /// The event that suggests a new session.
    pub handoff_nudge: HandoffNudge,
    /// Older messages brought back for a new question.
    pub retrieval: Retrieval,
    /// The user's own instructions, kept verbatim.
    pub orders: Orders,
    /// Media prices the estimate falls back to.
    pub media: Media,
    /// Provider limits besides the window.
    pub limits: Limits,
    /// How tokens are estimated.
    pub estimate: Estimate,
    /// Cache prices, relative to one uncached input token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prices: Option<Prices>,
    /// How long `next` waits for a fold that is already being made, in milliseconds.
    pub hard_wait_ms: HardWait,
    /// What the model binds its reasoning blocks to; absent means what the model table says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_binding: Option<ReasoningBinding>,
    /// What an edit does to bound reasoning behind it.
    pub reasoning_on_edit: ReasoningOnEdit,
}

impl Config {
    /// Longest result in the view, in UTF-16 code units.
    pub fn result_cap(&self) -> u32 {
        let string = self.limits.max_string_chars.map_or(u32::MAX, |n| u32::try_from(n).unwrap_or(u32::MAX));
        self.tool_output.max_chars.min(string)
    }

    /// How long a result of this size may be under a cap: where its tokens are too many, it is shortened in proportion.
    pub fn cap_for(&self, cap: u32, result: &Measure) -> u32 {
        match self.tool_output.max_tokens {
            Some(most) if result.tokens > most => cap.min((u64::from(result.len) * u64::from(most) / u64::from(result.tokens)) as u32),
            _ => cap,
        }
    }

    /// Occupancy the evict pass goes down to, as a fraction of the window.
    pub fn evict_to_fraction(&self) -> f64 {
        self.eviction.to_fraction.unwrap_or(self.eviction.at_fraction / 2.0)
    }

    fn check(&self) -> Result<(), Error> {
        let fraction = |name: &str, v: f64| {
            if (0.0..=1.0).contains(&v) { Ok(()) } else { Err(out_of_range(name, "a fraction between 0 and 1")) }
        };
        fraction("eviction.atFraction", self.eviction.at_fraction)?;
        fraction("eviction.toFraction", self.eviction.to_fraction.unwrap_or(0.0))?;
        fraction("summarize.softFraction", self.summarize.soft_fraction)?;
        fraction("summarize.hardFraction", self.summarize.hard_fraction)?;
        for (id, own) in &self.summarize.models {
            fraction(&format!("summarize.models.{id}.softFraction"), own.soft_fraction.unwrap_or(0.0))?;
            fraction(&format!("summarize.models.{id}.hardFraction"), own.hard_fraction.unwrap_or(0.0))?;
        }
        fraction("digest.atFraction", self.digest.at_fraction)?;
        fraction("handoffNudge.atFraction", self.handoff_nudge.at_fraction)?;
        fraction("retrieval.minScore", self.retrieval.min_score)?;
        fraction("retrieval.lexicalMinScore", self.retrieval.lexical_min_score)?;
        if self.retrieval.max_results > 10 {
            return Err(out_of_range("retrieval.maxResults", "a whole number from 0 to 10"));
        }
        if let Some(ratio) = self.estimate.ratio
            && !(0.2..=5.0).contains(&ratio)
        {
            return Err(out_of_range("estimate.ratio", "a number between 0.2 and 5"));
        }
        Ok(())
    }
}

fn out_of_range(name: &str, expected: &str) -> Error {
    Error::new(Code::BadConfig, format!("`{name}` must be {expected}"))
}
