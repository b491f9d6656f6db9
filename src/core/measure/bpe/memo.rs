//! Remembers how many tokens a piece has.
//!
//! Decides which pieces are kept: up to 15 bytes in two-way sets of 16-byte entries, up to 56 and up to
//! 120 bytes in entries of one and two cache lines; older ones give way. Keys are the bytes themselves, so a hit is never wrong.
//! Refuses to know where pieces come from.

use super::build::{char_bytes, char_len};
use super::merge::{Hints, Scratch};
use super::short::{SHORT, count_short};
use super::vocab::Vocabulary;
use super::words;

const SHORT_SETS: u32 = 15;
const MIDDLE_SLOTS: usize = 1 << 15;
const LONG_SLOTS: usize = 1 << 11;
/// Where the length (high four bits) and the tokens (low four) of a short piece lie in its second word.
const LENGTH_SHIFT: u32 = 60;
const COUNT_SHIFT: u32 = 56;
const COUNT_BITS: u64 = 15 << COUNT_SHIFT;

/// The remembered pieces and the room to count new ones.
pub(super) struct Memo {
    /// Sets of two entries: words one and two of the newer, then of the older.
    short: Vec<u64>,
    middle: Slots<8>,
    long: Slots<16>,
    scratch: Scratch,
}

/// Entries of `W` words, two to a place: the bytes, then the length and the tokens.
struct Slots<const W: usize> {
    /// Empty until the first one is put: a program that counts little never pays for the room.
    words: Vec<u64>,
    slots: usize,
}

impl<const W: usize> Slots<W> {
    fn new(slots: usize) -> Self {
        Slots { words: Vec::new(), slots }
    }

    /// The two entries for this hash, the newer first.
    #[inline(always)]
    fn pair(&mut self, hash: u64) -> Option<&mut [[u64; W]; 2]> {
        let (entries, _) = self.words.as_chunks_mut::<W>();
        let (pairs, _) = entries.as_chunks_mut::<2>();
        let places = pairs.len();
        pairs.get_mut(((hash >> 40) as usize).checked_rem(places)?)
    }

    #[inline(always)]
    fn get(&mut self, hash: u64, text: &[u8], at: usize, n: usize) -> Option<u32> {
        let entry = self.pair(hash)?.iter().find(|entry| {
            entry.last().is_some_and(|meta| *meta as u32 == n as u32)
                && entry.iter().take(n / 8).enumerate().all(|(i, word)| *word == words::word(text, at + 8 * i))
                && entry.get(n / 8).is_some_and(|word| n.is_multiple_of(8) || *word == part(text, at, n / 8, n))
        })?;
        entry.last().map(|meta| (*meta >> 32) as u32)
    }

    fn put(&mut self, hash: u64, text: &[u8], at: usize, n: usize, count: u32) {
        if self.words.is_empty() {
            self.words = vec![0; self.slots * W];
        }
        if let Some([newer, older]) = self.pair(hash) {
            *older = *newer;
            for (i, word) in newer.iter_mut().take(n.div_ceil(8)).enumerate() {
                *word = part(text, at, i, n);
            }
            if let Some(meta) = newer.last_mut() {
                *meta = u64::from(count) << 32 | n as u64;
            }
        }
    }
}

/// Word `i` of the `n` bytes at `at`, zeros above.
#[inline(always)]
fn part(text: &[u8], at: usize, i: usize, n: usize) -> u64 {
    words::word(text, at + 8 * i) & words::low_bytes(n - 8 * i)
}

impl Memo {
    pub(super) fn new() -> Self {
        Memo { short: vec![0; 4 << SHORT_SETS], middle: Slots::new(MIDDLE_SLOTS), long: Slots::new(LONG_SLOTS), scratch: Scratch::default() }
    }

    /// What the search for the tokens of long pieces keeps.
    pub(super) fn hints(&mut self) -> &mut Hints {
        &mut self.scratch.hints
    }

    /// Tokens of the `n` bytes at `at`, which must be one piece.
    #[inline(always)]
    pub(super) fn count(&mut self, vocabulary: &Vocabulary, text: &[u8], at: usize, n: usize) -> u32 {
        if n > SHORT { self.long(vocabulary, text, at, n) } else { self.short(vocabulary, text, at, n) }
    }

    #[inline(always)]
    fn short(&mut self, vocabulary: &Vocabulary, text: &[u8], at: usize, n: usize) -> u32 {
        let (low, high) = words::two_words(text, at, n);
        let high = high | (n as u64) << LENGTH_SHIFT;
        let place = (words::place(low, high) >> (64 - SHORT_SETS)) as usize;
        let (sets, _) = self.short.as_chunks::<4>();
        if let Some([a, b, c, d]) = sets.get(place) {
            if *a == low && (*b ^ high) & !COUNT_BITS == 0 {
                return (*b >> COUNT_SHIFT) as u32 & 15;
            }
            if *c == low && (*d ^ high) & !COUNT_BITS == 0 {
                return (*d >> COUNT_SHIFT) as u32 & 15;
            }
        }
        self.short_miss(vocabulary, text, at, n, place)
    }

    #[inline(never)]
    fn short_miss(&mut self, vocabulary: &Vocabulary, text: &[u8], at: usize, n: usize, place: usize) -> u32 {
        let (low, high) = words::two_words(text, at, n);
        let hash = words::hash_two(low, high, n);
        let one = n < 2 || vocabulary.token(hash, text, at, n).is_some();
        let count = if one { 1 } else { count_short(vocabulary, text, at, n) };
        let (sets, _) = self.short.as_chunks_mut::<4>();
        if let Some(set) = sets.get_mut(place) {
            let [a, b, ..] = *set;
            *set = [low, high | (n as u64) << LENGTH_SHIFT | u64::from(count) << COUNT_SHIFT, a, b];
        }
        count
    }

    #[inline(never)]
    fn long(&mut self, vocabulary: &Vocabulary, text: &[u8], at: usize, n: usize) -> u32 {
        if n > 120 {
            return self.unknown(vocabulary, text, at, n, None);
        }
        let hash = words::hash(text, at, n);
        let known = if n <= 56 { self.middle.get(hash, text, at, n) } else { self.long.get(hash, text, at, n) };
        if let Some(count) = known {
            return count;
        }
        let count = self.unknown(vocabulary, text, at, n, Some(hash));
        if n <= 56 {
            self.middle.put(hash, text, at, n, count)
        } else {
            self.long.put(hash, text, at, n, count)
        }
        count
    }

    /// Counts a piece of more than 15 bytes.
    fn unknown(&mut self, vocabulary: &Vocabulary, text: &[u8], at: usize, n: usize, hash: Option<u64>) -> u32 {
        if n <= vocabulary.longest_token() {
            let hash = hash.unwrap_or_else(|| words::hash(text, at, n));
            if vocabulary.token(hash, text, at, n).is_some() {
                return 1;
            }
        }
        let wide = text.get(at..at + 2).is_some_and(|first| !first.is_ascii());
        if wide { self.parts(vocabulary, text, at, n) } else { self.merge(vocabulary, text, at, n) }
    }

    /// Cuts a piece where no token can lie and counts the parts, which repeat more often than the whole.
    fn parts(&mut self, vocabulary: &Vocabulary, text: &[u8], at: usize, n: usize) -> u32 {
        let end = at + n;
        let (mut start, mut i, mut count) = (at, at, 0u32);
        while i < end {
            let byte = text.get(i).copied().unwrap_or(0);
            let next = i + char_len(byte).max(1);
            let after = text.get(next).copied().unwrap_or(0);
            let part_ends = next >= end
                || (byte | after) >= 0x80 && vocabulary.parted(char_bytes(text, i), text.get(next - 1).copied().unwrap_or(0), char_bytes(text, next), after);
            i = next.min(end);
            if part_ends {
                let part = i - start;
                count += match part {
                    0..=SHORT => self.short(vocabulary, text, start, part),
                    _ if part == n => self.merge(vocabulary, text, start, part),
                    _ => self.long(vocabulary, text, start, part),
                };
                start = i;
            }
        }
        count
    }

    #[inline(never)]
    fn merge(&mut self, vocabulary: &Vocabulary, text: &[u8], at: usize, n: usize) -> u32 {
        self.scratch.count(vocabulary, text.get(at..at + n).unwrap_or(&[]))
    }
}
