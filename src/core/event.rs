//! What the host is told, as values it may store or send on.
//!
//! Decides names and payloads (the first four are the wire words of the context panel's users). Refuses
//! transcript text, but for the facts of a suggestion. `seq` and delivery belong to the driver.

use serde::Serialize;

use super::measure::breakdown::Item;
use super::measure::occupancy::Provenance;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type")]
pub enum Event {
    /// The window at a settled response.
    #[serde(rename = "context.usage", rename_all = "camelCase")]
    Usage {
        /// The window in tokens.
        context_limit: u32,
        /// Occupancy; reclaimed tokens are not in it.
        used: u32,
        /// Room below usable.
        free: u32,
        /// Room kept free below usable before a fold is forced.
        autocompact_buffer: u32,
        /// Whether any of it is estimated.
        approximate: bool,
        /// What fills the window; with the overhead the sum is `used`.
        segments: Vec<Segment>,
        /// Signed difference between `used` and what was measured.
        overhead: i64,
        /// Where `used` comes from.
        provenance: Provenance,
        /// Window minus output reserve.
        usable: u32,
        /// Cumulative net tokens relieved; absent when nothing was.
        #[serde(skip_serializing_if = "Option::is_none")]
        reclaimed: Option<u64>,
        /// The occupancies at which stages act.
        thresholds: UsageThresholds,
        /// Whether the window is a guess.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        assumed: bool,
    },
    /// A pass that replaced results by stubs.
    #[serde(rename = "context.evicted", rename_all = "camelCase")]
    Evicted {
        /// Net tokens freed, more than 0.
        reclaimed_tokens: u32,
        /// Results replaced, more than 0.
        result_count: u32,
        /// What the evicted results were about (paths and the like), so that read caches can be dropped.
        targets: Vec<String>,
        /// The evicted results one by one.
        results: Vec<EvictedResult>,
    },
    /// The window fills up at a task boundary.
    #[serde(rename = "context.handoff_suggested", rename_all = "camelCase")]
    HandoffSuggested {
        /// Occupancy as a fraction of the window.
        used_fraction: f64,
        /// The configured threshold.
        at_fraction: f64,
    },
    /// A fold is being made; a request may be held up by it.
    #[serde(rename = "context.folding", rename_all = "camelCase")]
    Folding {
        /// Why.
        reason: &'static str,
        /// Occupancy.
        tokens: u32,
    },
    /// A fold is in force.
    #[serde(rename = "context.folded", rename_all = "camelCase")]
    Folded {
        /// The fold.
        id: String,
        /// Why.
        reason: &'static str,
        /// Occupancy before.
        before: u32,
        /// Estimated occupancy after.
        after: u32,
        /// Last position covered.
        covered: u64,
        /// What is odd about the briefing that is in force all the same.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        warnings: Vec<&'static str>,
    },
    /// A fold that was due was not made; history is as it was.
    #[serde(rename = "context.declined", rename_all = "camelCase")]
    Declined {
        /// The stage.
        stage: &'static str,
        /// Why not.
        reason: &'static str,
    },
    /// Facts worth remembering; the user decides.
    #[serde(rename = "memory.suggestion", rename_all = "camelCase")]
    MemorySuggestion {
        /// What `accept` and `reject` take.
        id: String,
        /// Where accepted facts go: the agent's name, or `global`.
        scope: String,
        /// The facts, each clean; at least one.
        facts: Vec<String>,
    },
}

/// An evicted result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EvictedResult {
    /// The call's id, as the message holds it.
    pub tool_call_id: String,
    /// The tool.
    pub tool_name: String,
    /// What the call was about; absent where it says nothing short.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub target: String,
}

/// A slice of the window.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Segment {
    /// The bucket's id.
    pub category: String,
    /// What a person reads.
    pub label: String,
    /// Its tokens.
    pub tokens: u32,
    /// What it is made of; sums to `tokens`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Item>,
    /// `false` for what is shown but not in the window.
    #[serde(skip_serializing_if = "is_true")]
    pub summed: bool,
}

fn is_true(b: &bool) -> bool {
    *b
}

/// Ticks on the gauge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct UsageThresholds {
    /// The evict pass starts.
    pub evict: u32,
    /// A fold is made in the background.
    pub soft: u32,
    /// A fold is waited for.
    pub hard: u32,
}

impl Event {
    /// Whether the event belongs into the host's history.
    pub fn persist(&self) -> bool {
        matches!(self, Event::MemorySuggestion { .. })
    }
}

/// How a stage ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// The stage.
    pub stage: &'static str,
    /// `done`, `declined` or `deferred`.
    pub outcome: &'static str,
    /// Why it was declined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// What a deferred stage waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<&'static str>,
    /// Numbers for a person.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

impl Outcome {
    /// The stage did what it is for.
    pub fn done(stage: &'static str, detail: String) -> Self {
        Outcome { stage, outcome: "done", reason: None, until: None, detail: Some(detail) }
    }

    /// The stage is due and waits.
    pub fn deferred(stage: &'static str, until: &'static str, reason: &'static str) -> Self {
        Outcome { stage, outcome: "deferred", reason: Some(reason), until: Some(until), detail: None }
    }

    /// The stage is due and waits because that is cheaper.
    pub fn waits(stage: &'static str, detail: String) -> Self {
        Outcome { stage, outcome: "deferred", reason: None, until: Some("response"), detail: Some(detail) }
    }

    /// The stage was due and did nothing, for this reason.
    pub fn declined(stage: &'static str, reason: &'static str) -> Self {
        Outcome { stage, outcome: "declined", reason: Some(reason), until: None, detail: None }
    }
}
