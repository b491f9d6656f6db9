//! Reads text as 64-bit words and hashes it.
//!
//! Decides the hash of a byte string, so that a prefix of up to 16 bytes costs two words and longer ones go
//! on from a kept state. Refuses to know what the hashes index.

const K1: u64 = 0x9e37_79b9_7f4a_7c15;
const K2: u64 = 0xd6e8_feb8_6659_fd93;

/// The eight bytes at `at`, the first in the lowest place; zeros past the end.
#[inline(always)]
pub(super) fn word(text: &[u8], at: usize) -> u64 {
    match text.get(at..).and_then(|rest| rest.first_chunk::<8>()) {
        Some(chunk) => u64::from_le_bytes(*chunk),
        None => short_word(text, at),
    }
}

#[cold]
fn short_word(text: &[u8], at: usize) -> u64 {
    let rest = text.get(at..).unwrap_or(&[]);
    rest.iter().take(8).enumerate().fold(0, |word, (i, byte)| word | u64::from(*byte) << (8 * i))
}

/// A mask of the lowest `n` bytes, `n` from 0 to 8 (more count as 8).
#[inline(always)]
pub(super) fn low_bytes(n: usize) -> u64 {
    if n >= 8 { !0 } else { (1u64 << (8 * n)) - 1 }
}

/// The first `n` bytes at `at` as two words, `n` at most 16.
#[inline(always)]
pub(super) fn two_words(text: &[u8], at: usize, n: usize) -> (u64, u64) {
    let low = word(text, at) & low_bytes(n);
    (low, if n > 8 { word(text, at + 8) & low_bytes(n - 8) } else { 0 })
}

#[inline(always)]
fn mix_two(low: u64, high: u64) -> u64 {
    low.wrapping_mul(K1) ^ high.wrapping_mul(K2).rotate_left(23)
}

#[inline(always)]
fn mix_next(state: u64, word: u64) -> u64 {
    let x = (state ^ word).wrapping_mul(K1);
    x ^ x >> 29
}

#[inline(always)]
fn seal(state: u64, n: usize) -> u64 {
    let x = state ^ (n as u64).wrapping_mul(K2);
    (x ^ x >> 29).wrapping_mul(K1)
}

/// Hash of a string of `n` bytes, at most 16, given as two words with zeros above.
#[inline(always)]
pub(super) fn hash_two(low: u64, high: u64, n: usize) -> u64 {
    seal(mix_two(low, high), n)
}

/// Hash of the `n` bytes at `at`.
#[inline(always)]
pub(super) fn hash(text: &[u8], at: usize, n: usize) -> u64 {
    if n <= 16 {
        let (low, high) = two_words(text, at, n);
        return hash_two(low, high, n);
    }
    let mut prefix = Prefix::new(text, at);
    prefix.hash(text, at, n)
}

/// Hashes of growing or shrinking prefixes of one place in a text.
pub(super) struct Prefix {
    low: u64,
    high: u64,
    /// State after 16, 24, 32 … bytes; as far as computed.
    states: [u64; 16],
    known: usize,
}

impl Prefix {
    /// Starts at `at`.
    #[inline(always)]
    pub(super) fn new(text: &[u8], at: usize) -> Self {
        Prefix { low: word(text, at), high: word(text, at + 8), states: [0; 16], known: 0 }
    }

    /// The first eight bytes.
    #[inline(always)]
    pub(super) fn first(&self) -> u64 {
        self.low
    }

    /// The hash of the first `n` bytes, the same as [`hash`]; `n` up to 143.
    #[inline(always)]
    pub(super) fn hash(&mut self, text: &[u8], at: usize, n: usize) -> u64 {
        if n <= 8 {
            return hash_two(self.low & low_bytes(n), 0, n);
        }
        if n <= 16 {
            return hash_two(self.low, self.high & low_bytes(n - 8), n);
        }
        self.long(text, at, n)
    }

    #[inline(never)]
    fn long(&mut self, text: &[u8], at: usize, n: usize) -> u64 {
        let whole = (n - 16) / 8;
        if self.known == 0 {
            self.known = 1;
            self.states = [mix_two(self.low, self.high); 16];
        }
        while self.known <= whole {
            let before = self.states.get(self.known - 1).copied().unwrap_or(0);
            let next = mix_next(before, word(text, at + 8 + 8 * self.known));
            match self.states.get_mut(self.known) {
                Some(state) => *state = next,
                None => break,
            }
            self.known += 1;
        }
        let state = self.states.get(whole).copied().unwrap_or(0);
        let rest = (n - 16) % 8;
        let state = if rest == 0 { state } else { mix_next(state, word(text, at + 16 + 8 * whole) & low_bytes(rest)) };
        seal(state, n)
    }
}

/// Whether the `n` bytes at `a` of one text are those at `b` of the other.
#[inline(always)]
pub(super) fn same(one: &[u8], a: usize, other: &[u8], b: usize, n: usize) -> bool {
    let mut i = 0;
    while i + 8 <= n {
        if word(one, a + i) != word(other, b + i) {
            return false;
        }
        i += 8;
    }
    (word(one, a + i) ^ word(other, b + i)) & low_bytes(n - i) == 0
}

/// A quick mix of two words whose high bits choose a place in a table.
#[inline(always)]
pub(super) fn place(low: u64, high: u64) -> u64 {
    low.wrapping_mul(K1) ^ high.wrapping_mul(K2)
}

/// Writes a word; nothing past the end.
#[inline(always)]
pub(super) fn put(text: &mut [u8], at: usize, word: u64) {
    if let Some(place) = text.get_mut(at..).and_then(|rest| rest.first_chunk_mut::<8>()) {
        *place = word.to_le_bytes();
    }
}
