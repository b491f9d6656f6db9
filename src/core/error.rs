//! Errors a caller can act on: a stable code, a sentence, and the field it is about.
//!
//! Decides the wording. Refuses to carry transcript text: a message may name a tool, an id, an index or
//! a number, never what a user, a model or a tool said.

use std::fmt;

/// What went wrong, as a stable word hosts can switch on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// The request cannot fit the window, whatever is relieved.
    BudgetImpossible,
    /// `messages` contains an object that an earlier view handed out.
    ViewRecorded,
    /// A plan does not say what becomes of some row.
    UnaccountedRow,
    /// The store answered with an older version than it did before.
    StaleStore,
    /// The configuration has an unknown key or a value out of range.
    BadConfig,
    /// The messages, positions or another argument are not what the call expects.
    BadInput,
    /// The session was closed.
    Closed,
    /// A defect of this package; reopen the session from its state.
    Internal,
}

impl Code {
    /// The word that crosses into JavaScript.
    pub fn as_str(self) -> &'static str {
        match self {
            Code::BudgetImpossible => "budget_impossible",
            Code::ViewRecorded => "view_recorded",
            Code::UnaccountedRow => "unaccounted_row",
            Code::StaleStore => "stale_store",
            Code::BadConfig => "bad_config",
            Code::BadInput => "bad_input",
            Code::Closed => "closed",
            Code::Internal => "internal_error",
        }
    }
}

/// A failure with its code and a sentence: lower-case, no full stop, names in backticks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// The stable code.
    pub code: Code,
    /// What is wrong and what would be right.
    pub message: String,
    /// Numbers and names a program may act on.
    pub fields: serde_json::Map<String, serde_json::Value>,
}

impl Error {
    /// An error of this code with this sentence.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Error { code, message: message.into(), fields: serde_json::Map::new() }
    }

    /// The error with one more field.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<serde_json::Value>) -> Self {
        self.fields.insert(name.to_owned(), value.into());
        self
    }

    /// Shorthand for the commonest code.
    pub fn bad_input(message: impl Into<String>) -> Self {
        Error::new(Code::BadInput, message)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.message)
    }
}

impl std::error::Error for Error {}
