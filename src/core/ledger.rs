//! Says once for every row what became of it.
//!
//! Decides the states. A plan that leaves a row out is refused: a row that vanishes is how other
//! systems lost history between two folds.

use serde::Serialize;

use super::error::{Code, Error};
use super::state::Loss;

/// What became of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum RowState {
    /// As the host wrote it.
    Kept,
    /// Shortened before its first send.
    Clamped,
    /// A stub stands in its place.
    Evicted,
    /// A fold covers it.
    Folded,
    /// It was dropped behind a group line.
    Dropped,
    /// A digest stands for it.
    Digested,
    /// The host pinned it.
    Pinned,
    /// All its parts were blank; it is not sent.
    Elided,
}

/// One line of the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LedgerEntry {
    /// Index in the host's list.
    pub index: usize,
    /// Durable position, if stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<u64>,
    /// What became of it.
    pub state: RowState,
    /// The fold, or the block whose line stands for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// How to read hidden bytes back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// Why they cannot be read back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<Loss>,
    /// The results one by one, where a row holds several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<LedgerPart>,
}

/// One result of a row that holds several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LedgerPart {
    /// Index of the part in its message.
    pub part: usize,
    /// What became of it.
    pub state: RowState,
    /// How to read hidden bytes back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// Why they cannot be read back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<Loss>,
}

/// Checks that every row of `rows` has exactly one line, in order, and that something stands for a folded one.
pub fn check(ledger: &[LedgerEntry], rows: usize) -> Result<(), Error> {
    let lost = |e: &LedgerEntry| e.state == RowState::Folded && e.id.is_none();
    let missing = (0..rows).find(|i| ledger.get(*i).is_none_or(|e| e.index != *i || lost(e)));
    match missing.or((ledger.len() > rows).then_some(rows)) {
        None => Ok(()),
        Some(row) => Err(Error::new(Code::UnaccountedRow, format!("the plan does not account for row {row} of {rows}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn le_1_a_plan_with_a_row_missing_is_refused() {
        let entry = |index| LedgerEntry { index, position: None, state: RowState::Kept, id: None, handle: None, loss: None, parts: Vec::new() };
        assert!(check(&[entry(0), entry(1), entry(2)], 3).is_ok());
        let error = check(&[entry(0), entry(2)], 3).expect_err("row 1 is missing");
        assert_eq!(error.code, Code::UnaccountedRow);
        assert!(error.message.contains("row 1"));
        assert!(check(&[entry(0), entry(1)], 1).is_err());
        let lost = LedgerEntry { state: RowState::Folded, ..entry(1) };
        assert!(check(&[entry(0), lost.clone()], 2).is_err(), "folded, but no fold stands for it");
        assert!(check(&[entry(0), LedgerEntry { id: Some("f".into()), ..lost }], 2).is_ok());
    }
}
