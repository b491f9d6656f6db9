//! From an index in the list to a position in the host's store, and back.
//!
//! Decides which position a fold covers and which is the first it keeps. Refuses a pair that cannot be
//! told apart in the store: a checkpoint that covers a kept row loses it at the next load.

use serde::Serialize;

use super::plan::{Options, open_positions};
use super::rules::{self, Ground, RuleSet, Spans};
use crate::core::transcript::Transcript;

/// What a fold at some cut would write down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Mirror {
    /// The largest position before the cut.
    pub covered: u64,
    /// The smallest one from the cut on; none while no kept row is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first_kept: Option<u64>,
}

/// Why a cut has no mirror in the store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoMirror {
    /// No row before the cut is stored.
    NothingCovered,
    /// The store could not tell the covered rows from the kept ones.
    MirrorMismatch,
}

impl NoMirror {
    /// The reason a fold declines with.
    pub fn reason(self) -> &'static str {
        match self {
            NoMirror::NothingCovered => "nothing_covered",
            NoMirror::MirrorMismatch => "mirror_mismatch",
        }
    }
}

/// The positions on both sides of a cut; rows without one are skipped.
pub fn mirror(positions: &[Option<u64>], cut: usize) -> Result<Mirror, NoMirror> {
    let (before, from) = positions.split_at_checked(cut).unwrap_or((positions, &[]));
    let covered = before.iter().flatten().max().copied().ok_or(NoMirror::NothingCovered)?;
    let first_kept = from.iter().flatten().min().copied();
    if first_kept.is_some_and(|kept| covered >= kept) {
        return Err(NoMirror::MirrorMismatch);
    }
    Ok(Mirror { covered, first_kept })
}

/// Where a stored boundary really is: one inside a round, or between what belongs together, moves back to
/// the first row of it. Rows are shown twice rather than lost; the caller reports `boundary_snapped`.
pub fn snap(transcript: &Transcript, at: usize) -> usize {
    let options = Options::default();
    let ground = Ground { transcript, options: &options, leading: 0 };
    let mut spans = Spans::new(RuleSet::ALL);
    rules::structural(&ground, &mut spans);
    let open = open_positions(transcript.len(), &spans.list);
    open.iter().take(at + 1).rposition(|o| *o).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cu_3_the_mirror_names_both_positions_or_declines() {
        let stored = |list: &[i64]| list.iter().map(|p| u64::try_from(*p).ok()).collect::<Vec<_>>();
        assert_eq!(mirror(&stored(&[-1, 10, 11, 12, 13]), 3), Ok(Mirror { covered: 11, first_kept: Some(12) }));
        assert_eq!(mirror(&stored(&[-1, 10, 12, 12, 13]), 3), Err(NoMirror::MirrorMismatch));
        assert_eq!(mirror(&stored(&[-1, 10, 11]), 1), Err(NoMirror::NothingCovered));
        assert_eq!(NoMirror::NothingCovered.reason(), "nothing_covered");
        assert_eq!(NoMirror::MirrorMismatch.reason(), "mirror_mismatch");
        // Parallel results stored out of order: the largest before, the smallest after.
        assert_eq!(mirror(&stored(&[1, 2, 4, 3, 5]), 4), Ok(Mirror { covered: 4, first_kept: Some(5) }));
        assert_eq!(mirror(&stored(&[1, 2, 4, 3, 5]), 3), Err(NoMirror::MirrorMismatch));
        // Rows the host has not stored yet are kept without a position.
        assert_eq!(mirror(&stored(&[7, 8, -1, -1]), 2), Ok(Mirror { covered: 8, first_kept: None }));
    }
}
