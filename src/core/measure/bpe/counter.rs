//! Exact token counts: of a text at once, or of one that comes in chunks.
//!
//! Decides what is kept between chunks (the bytes of the last pieces, as long as more text could change
//! them) and when a piece is so long that it is counted while it comes. The result does not depend on where
//! the chunks fall, not even inside a character. Refuses to know special tokens: `<|endoftext|>` is text.

use std::cell::RefCell;
use std::rc::Rc;

use super::encoding::Encoding;
use super::memo::Memo;
use super::run::Run;
use super::vocab::Vocabulary;
use super::walk::walk;

/// Above this, the bytes of a piece are no longer kept.
const LONG_PIECE: usize = 1 << 10;
/// How much of a chunk is first put behind the kept bytes.
const JOIN: usize = 256;

/// A vocabulary and the pieces it has met.
pub struct Tokenizer {
    vocabulary: Vocabulary,
    memo: RefCell<Memo>,
}

impl Tokenizer {
    pub(super) fn new(vocabulary: Vocabulary) -> Self {
        Tokenizer { vocabulary, memo: RefCell::new(Memo::new()) }
    }

    /// The encoding.
    pub fn encoding(&self) -> Encoding {
        self.vocabulary.encoding
    }

    /// Tokens of a text. Bytes that are no UTF-8 are no fault, but what they count is not defined.
    pub fn count(&self, text: &[u8]) -> u32 {
        walk(&self.vocabulary, &mut self.memo.borrow_mut(), text, true).tokens
    }
}

/// Counts a text that comes in chunks.
#[derive(Clone)]
pub struct Counter {
    tokenizer: Rc<Tokenizer>,
    /// Tokens of the pieces that are certain.
    tokens: u32,
    /// The bytes behind them.
    kept: Vec<u8>,
    run: Option<Box<Run>>,
}

impl Counter {
    /// A counter at 0.
    pub fn new(tokenizer: Rc<Tokenizer>) -> Self {
        Counter { tokenizer, tokens: 0, kept: Vec::new(), run: None }
    }

    /// Takes the next chunk.
    pub fn feed(&mut self, chunk: &[u8]) {
        self.take(chunk, false);
    }

    /// Tokens of everything fed, as if the text ended here. More may be fed afterwards.
    pub fn finish(&self) -> u32 {
        let mut end = Counter { tokenizer: self.tokenizer.clone(), tokens: self.tokens, kept: Vec::new(), run: self.run.clone() };
        end.take(&self.kept, true);
        end.tokens
    }

    /// A lower bound that costs nothing: the tokens of the pieces that are certain.
    pub fn settled(&self) -> u32 {
        self.tokens
    }

    fn take(&mut self, chunk: &[u8], last: bool) {
        let mut at = 0;
        loop {
            let rest = chunk.get(at..).unwrap_or(&[]);
            if self.kept.is_empty() {
                if rest.is_empty() && !(last && self.run.is_some()) {
                    return;
                }
                let (used, stalled) = self.step(rest, last);
                at += used;
                if stalled {
                    self.kept.extend_from_slice(chunk.get(at..).unwrap_or(&[]));
                    return;
                }
            } else {
                // A little of the chunk behind what was kept, until a piece ends inside the chunk.
                let joined = rest.len().min(self.kept.len().max(JOIN));
                self.kept.extend_from_slice(rest.get(..joined).unwrap_or(&[]));
                at += joined;
                let kept = std::mem::take(&mut self.kept);
                let (used, stalled) = self.step(&kept, last && joined == rest.len());
                self.kept = kept;
                let unused = self.kept.len() - used;
                if unused <= joined {
                    at -= unused;
                    self.kept.clear();
                } else {
                    self.kept.drain(..used);
                    if stalled && at == chunk.len() {
                        return;
                    }
                }
            }
        }
    }

    /// Counts what is certain in these bytes, of which the first begins a piece or goes on with the run.
    /// Returns how many were used, and whether the rest needs more text behind it.
    fn step(&mut self, bytes: &[u8], last: bool) -> (usize, bool) {
        let Tokenizer { vocabulary, memo } = &*self.tokenizer;
        let mut memo = memo.borrow_mut();
        if let Some(run) = &mut self.run {
            let fed = run.feed(vocabulary, memo.hints(), bytes, last);
            if let Some(tokens) = fed.tokens {
                self.tokens = self.tokens.saturating_add(tokens);
                self.run = None;
            }
            return (fed.used, fed.tokens.is_none());
        }
        let walked = walk(vocabulary, &mut memo, bytes, last);
        self.tokens = self.tokens.saturating_add(walked.tokens);
        let long = !last && bytes.len() - walked.bytes > LONG_PIECE;
        if long {
            self.run = Some(Box::new(Run::new()));
        }
        (walked.bytes, !long)
    }
}
