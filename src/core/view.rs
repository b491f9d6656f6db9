//! What stands in the view besides the host's rows: hidden rows and the texts in their place.
//!
//! Decides which rows a block hides and where its text goes, from durable positions alone, so that a
//! restart renders the same. Refuses to decide when blocks are made; the stages do.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Why a row is not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Gone {
    /// A fold covers it.
    Folded,
    /// It was dropped behind a group line.
    Dropped,
    /// A digest stands for it.
    Digested,
}

/// What a block is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum BlockKind {
    /// One line for a run of dropped rounds.
    Group,
    /// A rule-based summary of one closed turn.
    Turn,
    /// One digest for all closed turns; it stands in the head.
    Digest,
    /// A digest of the middle of the running turn.
    InTurn,
    /// Older messages brought back, on a user row.
    Recall,
    /// The plan, after the row that was last.
    Anchor,
    /// The host's brief of a chapter, until the host has stored it.
    Brief,
}

impl BlockKind {
    /// What becomes of the rows it covers.
    pub fn gone(self) -> Option<Gone> {
        match self {
            BlockKind::Group => Some(Gone::Dropped),
            BlockKind::Turn | BlockKind::Digest | BlockKind::InTurn => Some(Gone::Digested),
            BlockKind::Recall | BlockKind::Anchor | BlockKind::Brief => None,
        }
    }

    /// The origin of a row or part that carries it.
    pub fn origin(self) -> &'static str {
        match self {
            BlockKind::Group => "group",
            BlockKind::Turn | BlockKind::Digest | BlockKind::InTurn => "digest",
            BlockKind::Recall => "recall",
            BlockKind::Anchor => "anchor",
            BlockKind::Brief => "authority",
        }
    }
}

/// A text of ours in the view, byte for byte, until the next fold.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Block {
    /// What it is.
    pub kind: BlockKind,
    /// First and last position of the rows it hides; for texts that hide nothing, the row it follows.
    pub from: u64,
    /// Last position.
    pub to: u64,
    /// The exact text.
    pub text: String,
    /// Its tokens.
    pub tokens: u32,
    /// The handle that reads the rows back, if the host can.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
}

impl Block {
    /// Whether it hides the row at this position.
    pub fn hides(&self, position: u64) -> bool {
        self.kind.gone().is_some() && (self.from..=self.to).contains(&position)
    }
}

/// A fold made durable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Fold {
    /// The same plan has the same id, so an unknown outcome can be recognised.
    pub id: String,
    /// First position it covers, if any row had one.
    pub from: u64,
    /// Last position it covers.
    pub to: u64,
    /// Position of the newest row it was made on: what stayed visible was read, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newest: Option<u64>,
    /// Whether it is in force; a rewind or an unfold switches it off.
    pub active: bool,
    /// The briefing, without its frame.
    pub summary: String,
    /// The head's texts, byte for byte, in their order.
    pub head: Vec<HeadPart>,
    /// The user's orders it carries on, oldest first.
    #[serde(default)]
    pub orders: Vec<Order>,
    /// Call ids in its rows that may come again, with how often they occur: handles go on counting.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub ids: BTreeMap<String, u32>,
    /// Handles of stored outputs of its rows, with the position of their call: a branch copies them.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub stored: BTreeMap<String, u64>,
}

/// One text of the head.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HeadPart {
    /// What it is.
    pub origin: HeadOrigin,
    /// The exact text.
    pub text: String,
    /// Its tokens.
    pub tokens: u32,
}

/// Where a text of the head comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum HeadOrigin {
    /// The session context, captured once.
    Context,
    /// The briefing.
    Summary,
    /// The host's rules.
    Authority,
    /// The user's own instructions.
    Orders,
    /// A digest of closed turns.
    Digest,
}

/// A user message that outlives its row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Order {
    /// Where the row is stored.
    pub position: u64,
    /// The host's topic; a newer order with the same one replaces it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// The text, whole or with its middle left out.
    pub text: String,
}
