//! What each wire format demands of a history: one file per format, all checked by the same walk.
//!
//! A format names, for each thing that can be wrong, its rule, how bad it is and the complaint it draws.
//! What a message looks like is not known here: the package's format files project it.

mod ai_sdk;
mod ai_sdk_ui;
mod anthropic;
mod check;
mod gemini;
mod openai_chat;
mod openai_responses;
mod repair;
mod walk;

pub use check::{Check, Finding, Level, Ruling};
pub use repair::{Fixed, Repair, Repaired, Source, laid, repair};
pub use walk::{Phase, validate};

use crate::core::error::Error;
use crate::core::profile::Profile;

/// Where a result has to stand, seen from its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placing {
    /// Anywhere after the call.
    After,
    /// Before the next user or system row.
    BeforeUser,
    /// With nothing but other results between.
    Directly,
    /// In the user turn that follows, before anything else in it.
    NextUserTurn,
    /// In the very next row, all of a step in one.
    NextRow,
}

/// Which roles may stand first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum First {
    /// Any.
    Any,
    /// A user row.
    User,
}

/// One wire format.
#[derive(Debug)]
pub struct Wire {
    /// What stages ask of it.
    pub profile: Profile,
    /// Where results stand.
    pub placing: Placing,
    /// What may stand first.
    pub first: First,
    /// Longest call id; ids are letters, digits, `_` and `-` where this is set.
    pub id_chars: Option<usize>,
    /// Whether a call id may come back in a later step.
    pub ids_repeat: bool,
    /// Whether a tool name is limited to 64 letters, digits, `_` and `-`.
    pub plain_names: bool,
    /// Whether reasoning of the running turn needs its signature.
    pub signed_reasoning: bool,
    /// Whether an item keeps its id only beside its reasoning.
    pub governed_ids: bool,
    /// What a broken demand is called, how bad it is and what the provider says; none where it is fine.
    pub demands: fn(Check) -> Option<Ruling>,
}

/// Every format, in the order errors list them.
pub const WIRES: [&Wire; 6] = [&ai_sdk::WIRE, &ai_sdk_ui::WIRE, &anthropic::WIRE, &openai_chat::WIRE, &openai_responses::WIRE, &gemini::WIRE];

/// The format of this name.
pub fn by_name(name: &str) -> Result<&'static Wire, Error> {
    WIRES.into_iter().find(|w| w.profile.name == name).ok_or_else(|| {
        let names: Vec<&str> = WIRES.iter().map(|w| w.profile.name).collect();
        Error::bad_input(format!("`format` must be one of {}", names.join(", ")))
    })
}

#[cfg(test)]
mod tests;
