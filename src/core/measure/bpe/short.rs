//! Byte-pair encoding of a short piece by playing the merges.
//!
//! Decides the number of tokens of up to 15 bytes: the lowest rank of two neighbours merges first, the left
//! one of equals. At this length that is quicker than the search of `merge.rs`. Refuses longer pieces.

use std::cell::Cell;

use super::vocab::Vocabulary;
use super::words;

/// Longest piece, in bytes.
pub(super) const SHORT: usize = 15;
const NONE: u32 = u32::MAX;

/// Tokens of the `n` bytes at `at`, 1 to [`SHORT`] of them.
pub(super) fn count_short(vocabulary: &Vocabulary, text: &[u8], at: usize, n: usize) -> u32 {
    // Part i lies between starts i and i + 1; rank i is what it merges into with the next part.
    let mut starts: [u32; 18] = core::array::from_fn(|i| i as u32);
    let mut ranks = [NONE; 17];
    for (i, rank) in ranks.iter_mut().enumerate().take(n - 1) {
        *rank = vocabulary.byte_pair(words::word(text, at + i) as u16);
    }
    let mut parts = n;
    loop {
        let (mut lowest, mut left) = (NONE, 0);
        for (i, rank) in ranks.iter().enumerate().take(parts - 1) {
            if *rank < lowest {
                (lowest, left) = (*rank, i);
            }
        }
        if lowest == NONE {
            return parts as u32;
        }
        parts -= 1;
        if parts == 1 {
            return 1;
        }
        remove(&mut starts, left + 1, parts + 2);
        remove(&mut ranks, left, parts + 1);
        let mut join = |i: usize| {
            let from = starts.get(i).map_or(0, |s| *s as usize);
            let to = starts.get(i + 2).map_or(0, |s| *s as usize);
            if let Some(rank) = ranks.get_mut(i) {
                *rank =
                    if i + 1 < parts { vocabulary.token(words::hash(text, at + from, to - from), text, at + from, to - from).unwrap_or(NONE) } else { NONE };
            }
        };
        join(left);
        if left > 0 {
            join(left - 1);
        }
    }
}

/// Moves the items behind `at`, up to `end`, one place down. In WebAssembly a loop is quicker than a call to move memory.
#[inline(always)]
fn remove(items: &mut [u32], at: usize, end: usize) {
    if let Some(part) = items.get_mut(at..end) {
        for pair in Cell::from_mut(part).as_slice_of_cells().windows(2) {
            if let [a, b] = pair {
                a.set(b.get());
            }
        }
    }
}
