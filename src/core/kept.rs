//! What a session keeps from step to step so that a step costs what was appended, not what is there.
//!
//! Nothing here decides or is durable: each is derived from rows and state, says what it was derived from,
//! and is derived anew where that changed. A session without any of it plans the same.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use super::config::Counter;
use super::drawn::Drawn;
use super::shared::Token;
use super::state::Entry;
use super::view::Block;

/// Everything that is kept.
#[derive(Debug, Default)]
pub struct Kept {
    pub(super) covered: Cell<Option<Covered>>,
    pub(super) laid: Option<Laid>,
    /// Every block found its row, and appended rows leave it there.
    pub(super) firmly_placed: bool,
    /// Tokens of the blocks that have a row.
    pub(super) block_tokens: u64,
    pub(super) context: RefCell<Option<Weight>>,
    /// What the reserved handles were read from.
    pub(super) reserved: (Token<BTreeMap<String, Entry>>, Token<BTreeSet<String>>),
    pub(super) sealed: Sealed,
    pub(super) drawn: Drawn,
}

/// How many rows the boundary covers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Covered {
    pub(super) epoch: u64,
    pub(super) boundary: u64,
    /// Rows that were looked at.
    pub(super) rows: usize,
    /// The row behind the last covered one.
    pub(super) first: usize,
}

/// What the view was laid over.
#[derive(Debug)]
pub(super) struct Laid {
    pub(super) epoch: u64,
    pub(super) rows: usize,
    pub(super) boundary: Option<u64>,
    pub(super) kept: usize,
    pub(super) leading: usize,
    pub(super) live: usize,
    pub(super) beside: (Option<(usize, usize)>, bool, bool),
    pub(super) blocks: Token<Vec<Block>>,
    pub(super) pins: Token<BTreeSet<u64>>,
}

/// A text that was weighed.
#[derive(Debug)]
pub(super) struct Weight {
    pub(super) text: String,
    pub(super) counter: Counter,
    pub(super) tokens: u32,
}

/// Calls that were looked through for redacted results.
#[derive(Debug, Default)]
pub(super) struct Sealed {
    pub(super) epoch: u64,
    pub(super) rows: usize,
    pub(super) entries: Token<BTreeMap<String, Entry>>,
}
