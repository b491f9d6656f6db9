//! What counts tokens exactly, as the core sees it.
//!
//! Decides nothing: where a vocabulary is loaded for the model, the host side hands in something that counts
//! with it, and every text is weighed by it, our own too. Refuses to know where the vocabulary lies; it is
//! several megabytes and is held once, beside the core and not in it.

use std::fmt;
use std::rc::Rc;

use super::bpe::{self, Encoding, Tokenizer};

/// Counts the tokens of texts.
pub trait Exact {
    /// The encoding it counts in.
    fn encoding(&self) -> Encoding;
    /// Tokens of a whole text.
    fn count(&self, text: &str) -> u32;
    /// A count at 0 of a text that comes in chunks.
    fn stream(&self) -> Box<dyn Stream>;
}

/// A text that is counted while it comes.
pub trait Stream {
    /// Takes the next chunk.
    fn feed(&mut self, chunk: &str);
    /// Tokens of everything fed, as if the text ended here.
    fn finish(&self) -> u32;
}

impl Exact for Rc<Tokenizer> {
    fn encoding(&self) -> Encoding {
        Tokenizer::encoding(self)
    }

    fn count(&self, text: &str) -> u32 {
        Tokenizer::count(self, text.as_bytes())
    }

    fn stream(&self) -> Box<dyn Stream> {
        Box::new(bpe::Counter::new(Rc::clone(self)))
    }
}

impl Stream for bpe::Counter {
    fn feed(&mut self, chunk: &str) {
        bpe::Counter::feed(self, chunk.as_bytes());
    }

    fn finish(&self) -> u32 {
        bpe::Counter::finish(self)
    }
}

impl fmt::Debug for dyn Exact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.encoding().name())
    }
}
