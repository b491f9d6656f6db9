//! What a wire format asks of a history, as far as stages depend on it.
//!
//! Data only: the constants live beside each format in `formats`. Stages read a profile and never ask
//! which format it is.

use super::cut::RuleSet;

/// The demands of one format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// The format's name, as hosts write it.
    pub name: &'static str,
    /// Whether a message is an item rather than a step: consecutive assistant rows then form one round.
    pub items: bool,
    /// Whether signatures sit on calls and texts instead of on reasoning: nothing is stripped then.
    pub signed_calls: bool,
    /// The rules a cut has to obey.
    pub cuts: RuleSet,
}

impl Default for Profile {
    /// AI SDK messages: every rule holds, a message is a step.
    fn default() -> Self {
        Profile { name: "ai-sdk", items: false, signed_calls: false, cuts: RuleSet::ALL }
    }
}
