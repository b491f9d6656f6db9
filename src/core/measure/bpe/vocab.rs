//! One vocabulary, ready to be looked up.
//!
//! Decides how tokens and the places where no token can lie are found fast: an open-addressed table of
//! tagged ranks behind a bit filter, the token bytes in one arena. Refuses to know how the tables are filled (`build.rs`) and what a piece of text is.
//!
//! A rank here is the position of a token in its vocabulary; 0 to 255 are the single bytes.

use super::classes::Classes;
use super::encoding::Encoding;
use super::words;

/// Low bits of a table slot that hold the rank; the rest is a tag from the hash.
pub(super) const RANK_BITS: u32 = 18;
pub(super) const RANK_MASK: u32 = (1 << RANK_BITS) - 1;

/// An open-addressed table of ranks: `tag << 18 | rank`, 0 is free (rank 0 is a single byte, never stored).
pub(super) struct Table {
    slots: Vec<u32>,
    filter: Vec<u64>,
    bits: u32,
}

impl Table {
    /// Room for so many ranks at about three quarters full; the filter has eight bits a slot.
    pub(super) fn new(ranks: usize) -> Self {
        let bits = (ranks * 5 / 4).next_power_of_two().trailing_zeros().clamp(6, 20);
        Table { slots: vec![0; 1 << bits], filter: vec![0; 1 << (bits - 3)], bits }
    }

    /// Whether something with this hash may be stored: false is certain.
    #[inline(always)]
    pub(super) fn maybe(&self, hash: u64) -> bool {
        let bit = hash >> (61 - self.bits);
        self.filter.get((bit >> 6) as usize).is_some_and(|word| word >> (bit & 63) & 1 == 1)
    }

    /// The first stored rank with this hash that `is_it` confirms.
    #[inline(always)]
    pub(super) fn find(&self, hash: u64, mut is_it: impl FnMut(u32) -> bool) -> Option<u32> {
        let tag = (hash as u32) << RANK_BITS;
        let mask = self.slots.len() - 1;
        let mut at = (hash >> (64 - self.bits)) as usize;
        loop {
            let slot = self.slots.get(at).copied().unwrap_or(0);
            if slot == 0 {
                return None;
            }
            if slot & !RANK_MASK == tag && is_it(slot & RANK_MASK) {
                return Some(slot & RANK_MASK);
            }
            at = (at + 1) & mask;
        }
    }

    /// Stores a rank; the table must have room.
    #[inline(always)]
    pub(super) fn insert(&mut self, hash: u64, rank: u32) {
        let bit = hash >> (61 - self.bits);
        if let Some(word) = self.filter.get_mut((bit >> 6) as usize) {
            *word |= 1 << (bit & 63);
        }
        let mask = self.slots.len() - 1;
        let mut at = (hash >> (64 - self.bits)) as usize;
        loop {
            match self.slots.get_mut(at) {
                Some(slot) if *slot == 0 => {
                    *slot = (hash as u32) << RANK_BITS | rank;
                    return;
                }
                Some(_) => at = (at + 1) & mask,
                None => return,
            }
        }
    }
}

/// Bits over the first four bytes and over pairs of characters.
pub(super) struct Reach {
    /// Longest token that begins with four bytes of this hash.
    pub(super) longest: Vec<u8>,
    /// Pairs of whole characters, one of them outside ASCII, that stand next to each other in some token.
    pub(super) joined: Vec<u64>,
    /// Byte pairs at which a token begins or ends inside a character: (last byte before, first byte after).
    pub(super) ragged: Vec<u64>,
}

impl Reach {
    pub(super) fn new() -> Self {
        Reach { longest: vec![0; 1 << 16], joined: vec![0; 1 << 15], ragged: vec![0; 1 << 10] }
    }

    #[inline(always)]
    pub(super) fn first_four(word: u64) -> usize {
        ((word as u32).wrapping_mul(0x9e37_79b1) >> 16) as usize
    }

    #[inline(always)]
    pub(super) fn joined_bit(left: u32, right: u32) -> (usize, u64) {
        let hash = (u64::from(left) << 32 | u64::from(right)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((hash >> 49) as usize, 1 << (hash >> 43 & 63))
    }

    #[inline(always)]
    pub(super) fn ragged_bit(last: u8, first: u8) -> (usize, u64) {
        (usize::from(last) << 2 | usize::from(first >> 6), 1 << (first & 63))
    }
}

/// Low bits of a place in the arena that hold the length of the token.
const LENGTH_BITS: u32 = 8;

/// A loaded vocabulary.
pub(super) struct Vocabulary {
    pub(super) encoding: Encoding,
    /// Rank of every byte.
    pub(super) bytes: [u32; 256],
    /// Rank of every token of two bytes, by these bytes; `u32::MAX` for none.
    pub(super) byte_pairs: Vec<u32>,
    /// The two ranks a token is merged from; index is rank - 256.
    pub(super) halves: Vec<(u32, u32)>,
    /// For every rank where its bytes begin in the arena and how many they are: `begin << 8 | length`.
    pub(super) places: Vec<u32>,
    pub(super) arena: Vec<u8>,
    pub(super) tokens: Table,
    pub(super) reach: Reach,
    pub(super) longest: usize,
    pub(super) classes: Classes,
}

impl Vocabulary {
    /// How many bytes the longest token has.
    pub(super) fn longest_token(&self) -> usize {
        self.longest
    }

    /// A place as it is stored.
    pub(super) fn packed(at: usize, n: usize) -> u32 {
        (at as u32) << LENGTH_BITS | n as u32
    }

    /// Where the bytes of a token begin, and how many they are.
    #[inline(always)]
    pub(super) fn place(&self, rank: u32) -> (usize, usize) {
        let place = self.places.get(rank as usize).copied().unwrap_or(0) as usize;
        (place >> LENGTH_BITS, place & ((1 << LENGTH_BITS) - 1))
    }

    /// The token that is exactly the `n` bytes at `at`, whose hash is given.
    #[inline(always)]
    pub(super) fn token(&self, hash: u64, text: &[u8], at: usize, n: usize) -> Option<u32> {
        if !self.tokens.maybe(hash) {
            return None;
        }
        self.tokens.find(hash, |rank| {
            let (from, length) = self.place(rank);
            length == n && words::same(&self.arena, from, text, at, n)
        })
    }

    /// Rank of a single byte.
    #[inline(always)]
    pub(super) fn byte(&self, byte: u8) -> u32 {
        self.bytes.get(byte as usize).copied().unwrap_or(0)
    }

    /// Rank of a token of two bytes, `u32::MAX` when there is none.
    #[inline(always)]
    pub(super) fn byte_pair(&self, bytes: u16) -> u32 {
        self.byte_pairs.get(bytes as usize).copied().unwrap_or(u32::MAX)
    }

    #[inline(always)]
    fn halves_of(&self, rank: u32) -> Option<(u32, u32)> {
        self.halves.get((rank as usize).wrapping_sub(256)).copied()
    }

    /// Whether byte-pair encoding leaves these two tokens, which meet at `at` in the text, side by side.
    ///
    /// Takes the later merge of the two back, step by step, and asks at each step whether the two parts that
    /// then face each other would have merged before it; equal ranks merge from the left.
    #[inline]
    pub(super) fn compatible(&self, text: &[u8], at: usize, mut left: u32, mut right: u32) -> bool {
        let mut limit = u32::MAX;
        let (mut before, mut after) = (self.place(left).1, self.place(right).1);
        loop {
            let (from, n) = (at - before, before + after);
            if n <= self.longest && self.token(words::hash(text, from, n), text, from, n).is_some_and(|rank| rank < limit) {
                return false;
            }
            if left > right {
                limit = left;
                match self.halves_of(left) {
                    Some((_, half)) => left = half,
                    None => return true,
                }
                before = self.place(left).1;
            } else {
                limit = right + 1;
                match self.halves_of(right) {
                    Some((half, _)) => right = half,
                    None => return true,
                }
                after = self.place(right).1;
            }
        }
    }

    /// Whether no token can hold both the character that ends with `last` and the one that starts with
    /// `first`: byte-pair encoding then treats the two sides apart. The numbers are the characters' bytes.
    #[inline(always)]
    pub(super) fn parted(&self, left: u32, last: u8, right: u32, first: u8) -> bool {
        let (word, bit) = Reach::joined_bit(left, right);
        if self.reach.joined.get(word).is_none_or(|w| w & bit != 0) {
            return false;
        }
        let (word, bit) = Reach::ragged_bit(last, first);
        self.reach.ragged.get(word).is_some_and(|w| w & bit == 0)
    }

    /// Upper bound for the length of a token that begins with the bytes of this word.
    #[inline(always)]
    pub(super) fn reach(&self, word: u64) -> usize {
        self.reach.longest.get(Reach::first_four(word)).map_or(0, |n| usize::from(*n)).max(3)
    }
}
