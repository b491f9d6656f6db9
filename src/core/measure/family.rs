//! What a family of models makes of a text that was counted with `o200k_base`.
//!
//! Numbers only; which model belongs to which family, with source and date, is the package's table. The
//! neutral family changes nothing, so that hand-worked examples stay exact.

use serde::Deserialize;

/// Constants of one family. All but `ratio` are tokens of the provider.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Family {
    /// The provider's tokens per counted token, to start from.
    pub ratio: f64,
    /// Tokens of a request beside its messages.
    pub base: f64,
    /// Tokens of a message beside its parts.
    pub message: f64,
    /// Tokens of an assistant's text beside it, where answers are marked as such.
    pub answer: f64,
    /// Tokens of a tool call beside its arguments.
    pub call: f64,
    /// Tokens of a result beside its output.
    pub result: f64,
    /// Tokens of each call of a message that holds several.
    pub parallel: f64,
    /// How often a call's tool name is spelled out.
    pub spelled: f64,
    /// What becomes of the model's reasoning in later requests.
    pub reasoning: Keeps,
}

/// What a provider keeps of earlier reasoning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Keeps {
    /// Everything that was generated stays in the window.
    #[default]
    All,
    /// It stays until the user speaks again.
    Turn,
    /// It never comes back.
    None,
}

impl Default for Family {
    fn default() -> Self {
        Family { ratio: 1.0, base: 0.0, message: 0.0, answer: 0.0, call: 0.0, result: 0.0, parallel: 0.0, spelled: 0.0, reasoning: Keeps::All }
    }
}

impl Family {
    /// A constant in counted tokens, so that it scales with the rest.
    pub fn counted(&self, tokens: f64) -> u32 {
        (tokens / self.ratio.clamp(0.2, 5.0)).round().clamp(0.0, f64::from(u16::MAX)) as u32
    }
}
