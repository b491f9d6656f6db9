//! Knobs that take one of a few words.

use serde::{Deserialize, Serialize};

/// `memoryPromotion.mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PromotionMode {
    /// Nothing is lifted out.
    Off,
    /// The user is asked.
    Suggest,
    /// Facts are written at once.
    Auto,
}

/// `retrieval.mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RetrievalMode {
    /// The host's embedder, else nothing.
    Semantic,
    /// BM25 in the core.
    Lexical,
    /// Both, where available.
    Auto,
}

/// `estimate.counter`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Counter {
    /// The loaded vocabulary of the model, else character classes.
    Auto,
    /// Character classes, whatever is loaded.
    Classes,
    /// ceil(UTF-16 length / 4), reproducible by hand; names, ids and roles weigh nothing.
    Chars4,
}

/// `reasoningBinding`: what an edit before a reasoning block does to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ReasoningBinding {
    /// Nothing.
    None,
    /// Blocks of the open turn become invalid.
    Turn,
    /// Every later block becomes invalid.
    Prefix,
}

/// `reasoningOnEdit`: what becomes of reasoning that an edit before it makes invalid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ReasoningOnEdit {
    /// That of closed turns leaves the view with the edit; before the running turn's the edit waits.
    #[default]
    Strip,
    /// The host has the provider drop what no longer fits: edit at once, leave reasoning as it is.
    ProviderDrop,
    /// Nothing leaves: the edit waits until no reasoning depends on it.
    Postpone,
}
