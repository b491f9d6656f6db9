//! Byte-pair encoding of one piece, exact and in linear time.
//!
//! Decides the tokens by search: the longest token that stays apart from the one before it
//! ([`Vocabulary::compatible`]) is taken, and taken back when nothing can follow. A sequence whose
//! neighbours are all compatible is the one that merging by rank gives, so no merge is ever played, and a
//! piece of repeated characters costs no more than another. Places from which the end cannot be reached are
//! remembered, so every place is tried once. Refuses to know where a piece begins or ends.

use std::ops::Range;

use super::vocab::Vocabulary;
use super::words::{self, Prefix};

/// One token on the path: its rank and where it ends.
pub(super) type Step = (u32, u32);

/// Tokens found so far: the first `kept` of a given path, then own ones.
pub(super) struct Path<'a> {
    pub(super) base: &'a [Step],
    pub(super) kept: usize,
    pub(super) own: &'a mut Vec<Step>,
}

impl Path<'_> {
    #[inline(always)]
    fn last(&self) -> Option<Step> {
        self.own.last().or_else(|| self.base.get(self.kept.wrapping_sub(1))).copied()
    }

    #[inline(always)]
    fn pop(&mut self) {
        if self.own.pop().is_none() {
            self.kept = self.kept.saturating_sub(1);
        }
    }
}

/// Room the search works in, kept between pieces.
#[derive(Clone, Default)]
pub(super) struct Scratch {
    steps: Vec<Step>,
    pub(super) hints: Hints,
}

impl Scratch {
    /// Number of tokens of a whole piece.
    #[inline]
    pub(super) fn count(&mut self, vocabulary: &Vocabulary, piece: &[u8]) -> u32 {
        self.tokens(vocabulary, piece).len() as u32
    }

    /// The tokens of a whole piece with their ends.
    pub(super) fn tokens(&mut self, vocabulary: &Vocabulary, piece: &[u8]) -> &[Step] {
        self.steps.clear();
        let path = Path { base: &[], kept: 0, own: &mut self.steps };
        self.hints.search(vocabulary, piece, path);
        &self.steps
    }
}

/// Places that were given up in one search, and answers worth keeping between searches: in runs of one
/// character the same few pairs are asked for again and again.
#[derive(Clone, Default)]
pub(super) struct Hints {
    dead: Vec<u64>,
    /// The words of `dead` that hold marks.
    marked: Range<usize>,
    /// `left << 19 | right << 1 | compatible`, plus 1 << 40.
    verdicts: Vec<u64>,
    /// A token and the longest token that is a true prefix of it, with its length.
    shorter: Vec<(u32, u32, u32)>,
}

const VERDICTS: usize = 1 << 13;
const SHORTER: usize = 1 << 12;

impl Hints {
    /// Goes on from the path to the end of the text; returns how many of the base's tokens stayed.
    pub(super) fn search(&mut self, vocabulary: &Vocabulary, text: &[u8], mut path: Path<'_>) -> usize {
        if let Some(words) = self.dead.get_mut(self.marked.clone()) {
            words.fill(0);
        }
        self.marked = 0..0;
        if self.dead.len() <= text.len() / 64 {
            self.dead.resize(text.len() / 64 + 1, 0);
        }
        loop {
            let last = path.last();
            let at = last.map_or(0, |(_, end)| end as usize);
            if at >= text.len() {
                return path.kept;
            }
            match self.next(vocabulary, text, at, last) {
                Some(step) => path.own.push(step),
                None => {
                    self.give_up(at);
                    if last.is_none() {
                        return 0;
                    }
                    path.pop();
                }
            }
        }
    }

    /// A token at `at` that can follow `last` and does not end at a dead place: the same once more, as in runs
    /// of one character, else the longest.
    #[inline(always)]
    fn next(&mut self, vocabulary: &Vocabulary, text: &[u8], at: usize, last: Option<Step>) -> Option<Step> {
        if let Some((before, _)) = last
            && let Some(end) = self.again(vocabulary, text, at, before)
        {
            return Some((before, end as u32));
        }
        let mut prefix = Prefix::new(text, at);
        let left = text.len() - at;
        let longest = if left > 3 { left.min(vocabulary.reach(prefix.first())) } else { left };
        let (rank, n) = longest_token(vocabulary, &mut prefix, text, at, longest);
        let end = at + n;
        if !self.is_dead(end) && last.is_none_or(|(before, _)| vocabulary.compatible(text, at, before, rank)) {
            return Some((rank, end as u32));
        }
        self.next_shorter(vocabulary, text, at, last, prefix, (rank, n))
    }

    fn give_up(&mut self, at: usize) {
        let word = at / 64;
        if let Some(marks) = self.dead.get_mut(word) {
            *marks |= 1 << (at % 64);
        }
        self.marked = if self.marked.is_empty() { word..word + 1 } else { self.marked.start.min(word)..self.marked.end.max(word + 1) };
    }

    #[inline(always)]
    fn is_dead(&self, end: usize) -> bool {
        self.dead.get(end / 64).is_some_and(|word| word >> (end % 64) & 1 == 1)
    }

    /// Where the token before `at` ends if it comes once more and can.
    #[inline(always)]
    fn again(&mut self, vocabulary: &Vocabulary, text: &[u8], at: usize, before: u32) -> Option<usize> {
        let (_, n) = vocabulary.place(before);
        let repeats = text.get(at) == text.get(at.wrapping_sub(n)) && at + n <= text.len() && words::same(text, at, text, at - n, n);
        (repeats && !self.is_dead(at + n) && self.compatible(vocabulary, text, at, before, before)).then_some(at + n)
    }

    /// As `next`, for the tokens shorter than this one.
    #[inline(never)]
    fn next_shorter(
        &mut self,
        vocabulary: &Vocabulary,
        text: &[u8],
        at: usize,
        last: Option<Step>,
        mut prefix: Prefix,
        (mut rank, mut n): (u32, usize),
    ) -> Option<Step> {
        if self.shorter.is_empty() {
            self.shorter.resize(SHORTER, (u32::MAX, 0, 0));
        }
        while n > 1 {
            (rank, n) = match self.shorter.get_mut(rank as usize % SHORTER) {
                Some((whole, rank_of, n_of)) if *whole == rank => (*rank_of, *n_of as usize),
                Some(link) => {
                    let found = longest_token(vocabulary, &mut prefix, text, at, n - 1);
                    *link = (rank, found.0, found.1 as u32);
                    found
                }
                None => return None,
            };
            let end = at + n;
            if !self.is_dead(end) && last.is_none_or(|(before, _)| self.compatible(vocabulary, text, at, before, rank)) {
                return Some((rank, end as u32));
            }
        }
        None
    }

    fn compatible(&mut self, vocabulary: &Vocabulary, text: &[u8], at: usize, left: u32, right: u32) -> bool {
        let key = 1 << 40 | u64::from(left) << 19 | u64::from(right) << 1;
        let place = (left.wrapping_mul(31) ^ right) as usize % VERDICTS;
        if self.verdicts.is_empty() {
            self.verdicts.resize(VERDICTS, 0);
        }
        let Some(verdict) = self.verdicts.get_mut(place) else { return vocabulary.compatible(text, at, left, right) };
        if *verdict & !1 != key {
            *verdict = key | u64::from(vocabulary.compatible(text, at, left, right));
        }
        *verdict & 1 == 1
    }
}

/// The longest token of at most `longest` bytes at `at`, and its length.
#[inline(always)]
fn longest_token(vocabulary: &Vocabulary, prefix: &mut Prefix, text: &[u8], at: usize, longest: usize) -> (u32, usize) {
    for n in (2..=longest).rev() {
        let hash = prefix.hash(text, at, n);
        if let Some(rank) = vocabulary.token(hash, text, at, n) {
            return (rank, n);
        }
    }
    (vocabulary.byte(text.get(at).copied().unwrap_or(0)), 1)
}
