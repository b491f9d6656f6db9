//! Builds a vocabulary from its `.pairs` file in slices.
//!
//! Decides the format (below) and what makes a file bad. Refuses to know the time: the caller asks for so
//! many tokens a step, and for an event loop stops between steps.
//!
//! Format: `GCBP`, version 1, encoding id, number of merged tokens (4 bytes, little-endian), the 256 single
//! bytes in rank order, then six planes of one byte per merged token: left rank (high, middle, low byte),
//! right rank (high, middle, low). The rank of merged token `i` is `i + 256`.

use super::classes::Classes;
use super::counter::Tokenizer;
use super::encoding::Encoding;
use super::vocab::{RANK_MASK, Reach, Table, Vocabulary};
use super::words;
use crate::core::error::Error;

const HEADER: usize = 10;
const PLANES: usize = HEADER + 256;
/// Longest token a vocabulary may hold, in bytes.
const LONGEST: usize = 128;
/// Most bytes of all tokens together: what a packed place can hold.
const LARGEST: usize = 1 << 24;
/// Bytes behind the arena, so that whole words can be read and written at its end.
const PADDING: usize = 16;
/// By how much the arena grows.
const GROWTH: usize = 64 << 10;

/// A vocabulary on its way.
pub struct Builder {
    file: Vec<u8>,
    merged: usize,
    done: usize,
    vocabulary: Vocabulary,
}

impl Builder {
    /// Checks the header and makes room. Fails with `bad_input` when the file is not this encoding's.
    pub fn new(encoding: Encoding, file: Vec<u8>) -> Result<Self, Error> {
        let bad = |what: &str| Err(Error::bad_input(format!("`vocabulary` {what}; it must be the file {}.pairs", encoding.file())));
        let (Some(b"GCBP\x01"), Some(&id), Some(count)) = (file.get(..5), file.get(5), file.get(6..).and_then(|rest| rest.first_chunk::<4>())) else {
            return bad("is not a vocabulary file of version 1");
        };
        if id != encoding.file_id() {
            return bad("belongs to another encoding");
        }
        let merged = u32::from_le_bytes(*count) as usize;
        if merged + 256 > RANK_MASK as usize || file.len() != PLANES + 6 * merged {
            return bad("is cut off or too long");
        }
        let mut bytes = [u32::MAX; 256];
        for (rank, byte) in (0..).zip(file.get(HEADER..PLANES).unwrap_or(&[])) {
            if let Some(slot) = bytes.get_mut(usize::from(*byte)) {
                *slot = rank;
            }
        }
        if bytes.contains(&u32::MAX) {
            return bad("lacks a single byte");
        }
        let mut arena = Vec::with_capacity(merged * 7 + GROWTH);
        arena.extend_from_slice(file.get(HEADER..PLANES).unwrap_or(&[]));
        arena.resize(arena.len() + PADDING, 0);
        let mut places = Vec::with_capacity(merged + 256);
        places.extend((0..256).map(|at| Vocabulary::packed(at, 1)));
        let vocabulary = Vocabulary {
            encoding,
            bytes,
            byte_pairs: vec![u32::MAX; 1 << 16],
            halves: Vec::with_capacity(merged),
            places,
            arena,
            tokens: Table::new(merged),
            reach: Reach::new(),
            longest: 1,
            classes: Classes::new(),
        };
        Ok(Builder { file, merged, done: 0, vocabulary })
    }

    /// How many tokens are still to come.
    pub fn left(&self) -> usize {
        self.merged - self.done
    }

    /// Takes the next tokens, `n` at most; true when none are left.
    ///
    /// One call must stay small at first: a WebAssembly engine replaces its quick first translation of this
    /// function between calls, never inside one.
    pub fn step(&mut self, n: usize) -> Result<bool, Error> {
        let to = self.merged.min(self.done.saturating_add(n));
        let plane = |k: usize| self.file.get(PLANES + k * self.merged + self.done..PLANES + k * self.merged + to).unwrap_or(&[]);
        let planes = plane(0).iter().zip(plane(1)).zip(plane(2)).zip(plane(3).iter().zip(plane(4)).zip(plane(5)));
        for (rank, (((a, b), c), ((d, e), f))) in ((self.done + 256) as u32..).zip(planes) {
            let left = u32::from(*a) << 16 | u32::from(*b) << 8 | u32::from(*c);
            let right = u32::from(*d) << 16 | u32::from(*e) << 8 | u32::from(*f);
            if left >= rank || right >= rank || !self.vocabulary.add(rank, left, right) {
                return Err(Error::bad_input(format!("`vocabulary` is damaged at token {rank}")));
            }
        }
        self.done = to;
        Ok(self.done == self.merged)
    }

    /// The finished tokenizer; builds what is still missing.
    pub fn finish(mut self) -> Result<Tokenizer, Error> {
        self.step(usize::MAX)?;
        // Its room is free for what a tokenizer remembers.
        drop(self.file);
        Ok(Tokenizer::new(self.vocabulary))
    }
}

impl Vocabulary {
    /// Adds one merged token; false when it would be too long.
    #[inline(always)]
    fn add(&mut self, rank: u32, left: u32, right: u32) -> bool {
        let (left_at, left_n) = self.place(left);
        let (right_at, right_n) = self.place(right);
        let n = left_n + right_n;
        let (before_at, before_n) = self.place(rank - 1);
        let at = before_at + before_n;
        if n > LONGEST || at >= LARGEST {
            return false;
        }
        if self.arena.len() < at + LONGEST + PADDING {
            self.arena.resize(at + GROWTH, 0);
        }
        let (low, hash) = if n <= 8 {
            let low = words::word(&self.arena, left_at) & words::low_bytes(left_n);
            let low = low | (words::word(&self.arena, right_at) & words::low_bytes(right_n)) << (8 * left_n);
            words::put(&mut self.arena, at, low);
            (low, words::hash_two(low, 0, n))
        } else {
            self.long_token(at, (left_at, left_n), (right_at, right_n))
        };
        self.places.push(Vocabulary::packed(at, n));
        self.halves.push((left, right));
        if n >= 4
            && let Some(longest) = self.reach.longest.get_mut(Reach::first_four(low))
        {
            *longest = (*longest).max(n as u8);
        }
        if n == 2
            && let Some(slot) = self.byte_pairs.get_mut(low as usize)
        {
            *slot = rank;
        }
        self.tokens.insert(hash, rank);
        self.join(at, at + left_n, at + n);
        true
    }

    /// Writes a token of more than eight bytes; returns its first word and its hash.
    #[inline(never)]
    fn long_token(&mut self, at: usize, (left_at, left_n): (usize, usize), (right_at, right_n): (usize, usize)) -> (u64, u64) {
        let n = left_n + right_n;
        // Whole words, the right one over what the left one wrote too much.
        for (from, to, n) in [(left_at, at, left_n), (right_at, at + left_n, right_n)] {
            for i in (0..n).step_by(8) {
                let word = words::word(&self.arena, from + i);
                words::put(&mut self.arena, to + i, word);
            }
        }
        self.longest = self.longest.max(n);
        (words::word(&self.arena, at), words::hash(&self.arena, at, n))
    }

    /// Notes the two characters that meet at `middle` inside the token from `at` to `end`.
    #[inline(always)]
    fn join(&mut self, at: usize, middle: usize, end: usize) {
        let byte = |i: usize| self.arena.get(i).copied().unwrap_or(0);
        let (last, first) = (byte(middle - 1), byte(middle));
        if (last | first) < 0x80 || first & 0xc0 == 0x80 {
            return;
        }
        let whole_after = middle + char_len(first) <= end;
        let mut start = middle - 1;
        while start > at && byte(start) & 0xc0 == 0x80 {
            start -= 1;
        }
        let whole_before = start + char_len(byte(start)) == middle;
        if whole_before && whole_after {
            let (word, bit) = Reach::joined_bit(char_bytes(&self.arena, start), char_bytes(&self.arena, middle));
            if let Some(joined) = self.reach.joined.get_mut(word) {
                *joined |= bit;
            }
        } else {
            let (word, bit) = Reach::ragged_bit(last, first);
            if let Some(ragged) = self.reach.ragged.get_mut(word) {
                *ragged |= bit;
            }
        }
    }
}

/// Bytes of the character that starts with this byte; 0 for a byte that starts none.
#[inline(always)]
pub(super) fn char_len(first: u8) -> usize {
    match first {
        0..=0x7f => 1,
        0xc0..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xff => 4,
        _ => 0,
    }
}

/// The bytes of the character at `at` as one number.
#[inline(always)]
pub(super) fn char_bytes(text: &[u8], at: usize) -> u32 {
    let word = words::word(text, at) as u32;
    match word as u8 {
        0..=0x7f => word & 0xff,
        0x80..=0xdf => word & 0xffff,
        0xe0..=0xef => word & 0xff_ffff,
        _ => word,
    }
}
