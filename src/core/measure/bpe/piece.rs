//! Encodes one piece that comes in parts, in memory that does not grow with it.
//!
//! Decides when the tokens at the beginning are settled. After every part the tokens are those of the piece so
//! far. Once enough has come, the tokens that every continuation begins with are counted and forgotten:
//! whatever follows, some token ends in the last [`Vocabulary::longest_token`] bytes, so what the encodings of
//! all prefixes that end there share is settled. Refuses to know where the piece ends (`run.rs`).

use super::merge::{Hints, Path, Step};
use super::vocab::Vocabulary;

/// How much of a long piece is encoded before the settled part is let go.
const SETTLE: usize = 64 << 10;

/// The tokens of a piece so far.
#[derive(Clone, Default)]
pub(super) struct Piece {
    text: Vec<u8>,
    steps: Vec<Step>,
    settled: u32,
    next_settle: usize,
}

impl Piece {
    /// Adds bytes to the piece.
    pub(super) fn push(&mut self, vocabulary: &Vocabulary, hints: &mut Hints, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            let (part, rest) = bytes.split_at_checked(SETTLE).unwrap_or((bytes, &[]));
            self.text.extend_from_slice(part);
            bytes = rest;
            // The tokens so far are the base of nothing: they may all be taken back.
            hints.search(vocabulary, &self.text, Path { base: &[], kept: 0, own: &mut self.steps });
            if self.text.len() >= self.next_settle.max(SETTLE) {
                self.settle(vocabulary, hints);
            }
        }
    }

    /// Tokens of the piece as if it ended here.
    pub(super) fn count(&self) -> u32 {
        self.settled.saturating_add(self.steps.len() as u32)
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.steps.clear();
        self.settled = 0;
        self.next_settle = 0;
    }

    fn settle(&mut self, vocabulary: &Vocabulary, hints: &mut Hints) {
        let steps = &self.steps;
        let mut own = Vec::new();
        let mut shared = steps.len();
        for end in (self.text.len().saturating_sub(vocabulary.longest_token()).max(1)..self.text.len()).rev() {
            own.clear();
            let kept = steps.partition_point(|(_, e)| *e as usize <= end).min(shared);
            let text = self.text.get(..end).unwrap_or(&[]);
            shared = hints.search(vocabulary, text, Path { base: steps, kept, own: &mut own });
        }
        let at = steps.get(shared.wrapping_sub(1)).map_or(0, |(_, end)| *end);
        self.settled = self.settled.saturating_add(shared as u32);
        self.text.drain(..at as usize);
        self.steps.drain(..shared);
        for (_, end) in &mut self.steps {
            *end -= at;
        }
        // A text that settles nothing is kept whole; ask again when it has doubled.
        self.next_settle = self.text.len() * 2;
    }
}
