//! Counts one very long piece while it comes, in memory that does not grow with it.
//!
//! Decides, for a piece of which a thousand bytes are known and no end, what kind of run it is and where
//! it ends, by the same rules as `split.rs`. Two kinds may end earlier than they look: upper-case letters
//! behind a caseless one, and blanks behind a line end, belong to the piece only if the right character
//! follows. Both readings are counted until it is known. Refuses short pieces.

use super::classes::{CASELESS, Class, LINE_END, LOWER, MARK, NUMBER, OTHER, SPACE, UPPER, is_letter, is_letterish};
use super::encoding::Pattern;
use super::merge::Hints;
use super::piece::Piece;
use super::split::contraction;
use super::vocab::Vocabulary;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Letters of the o200k pattern before a lower-case one came.
    Cased,
    /// … and after.
    Low,
    Letters,
    Numbers,
    Others,
    /// Line ends, and slashes, behind others.
    Tail,
    Blanks,
}

/// What the last characters mean for the end of the piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// Nothing that could end it came yet.
    Open,
    /// The last character is one the piece may end with.
    Anchored,
    /// Characters followed that may be a piece of their own.
    Tentative,
}

/// A piece on its way.
#[derive(Clone)]
pub(super) struct Run {
    kind: Kind,
    phase: Phase,
    /// Everything so far, read as one piece.
    whole: Piece,
    /// What came behind the last anchor, read as a piece.
    since: Piece,
    /// Tokens of the piece if it ended at the last anchor.
    anchored: u32,
    started: bool,
}

/// How far a feed got.
pub(super) struct Fed {
    /// Bytes taken; the rest must come again, in front of what follows.
    pub(super) used: usize,
    /// The tokens, once the piece has ended.
    pub(super) tokens: Option<u32>,
}

impl Run {
    pub(super) fn new() -> Self {
        Run { kind: Kind::Others, phase: Phase::Open, whole: Piece::default(), since: Piece::default(), anchored: 0, started: false }
    }

    /// Chooses the kind by the first two characters; returns the length of a first one that is no part of
    /// the run itself.
    fn start(&mut self, vocabulary: &Vocabulary, text: &[u8]) -> usize {
        self.started = true;
        let pattern = vocabulary.encoding.pattern();
        let (first, n) = vocabulary.classes.at(text, 0);
        let (second, _) = vocabulary.classes.at(text, n);
        let blank = text.first() == Some(&b' ');
        let is_word: fn(Class) -> bool = if pattern == Pattern::Camel { is_letterish } else { is_letter };
        let word = if pattern == Pattern::Camel { Kind::Cased } else { Kind::Letters };
        let takes_along = if pattern == Pattern::Plain { blank } else { matches!(first, SPACE | OTHER | MARK) };
        let (kind, skip) = match first {
            _ if is_word(first) => (word, 0),
            _ if takes_along && is_word(second) => (word, n),
            NUMBER => (Kind::Numbers, 0),
            SPACE if blank && second == NUMBER && pattern == Pattern::Plain => (Kind::Numbers, n),
            SPACE if blank && matches!(second, OTHER | MARK) => (Kind::Others, n),
            SPACE | LINE_END => (Kind::Blanks, 0),
            _ => (Kind::Others, 0),
        };
        self.kind = kind;
        skip
    }

    fn stays(&self, class: Class, byte: Option<&u8>, pattern: Pattern) -> bool {
        match self.kind {
            Kind::Cased => is_letterish(class),
            Kind::Low => matches!(class, LOWER | CASELESS | MARK),
            Kind::Letters => is_letter(class),
            Kind::Numbers => class == NUMBER,
            Kind::Others => matches!(class, OTHER | MARK),
            Kind::Tail => class == LINE_END || pattern == Pattern::Camel && byte == Some(&b'/'),
            Kind::Blanks => matches!(class, SPACE | LINE_END),
        }
    }

    /// Takes more of the text. With `last` the text ends with it.
    pub(super) fn feed(&mut self, vocabulary: &Vocabulary, hints: &mut Hints, text: &[u8], last: bool) -> Fed {
        let pattern = vocabulary.encoding.pattern();
        let mut i = if self.started { 0 } else { self.start(vocabulary, text) };
        let mut from = 0;
        let mut before = i;
        loop {
            let (class, n) = vocabulary.classes.at(text, i);
            if n == 0 && !last {
                break;
            }
            if n == 0 || !self.stays(class, text.get(i), pattern) {
                if self.kind == Kind::Others && pattern != Pattern::Plain {
                    self.kind = Kind::Tail;
                    continue;
                }
                return self.end(vocabulary, hints, text, (from, before, i), last);
            }
            match (self.kind, class) {
                (Kind::Cased, LOWER) => {
                    self.flush(vocabulary, hints, text, from, i);
                    from = i;
                    self.since.clear();
                    (self.kind, self.phase) = (Kind::Low, Phase::Open);
                }
                (Kind::Cased, CASELESS | MARK) => self.anchor(vocabulary, hints, text, &mut from, i),
                (Kind::Blanks, LINE_END) if pattern != Pattern::Plain => self.anchor(vocabulary, hints, text, &mut from, i),
                (Kind::Cased, UPPER) | (Kind::Blanks, _) if self.phase == Phase::Anchored => {
                    self.flush(vocabulary, hints, text, from, i);
                    from = i;
                    self.anchored = self.whole.count();
                    self.since.clear();
                    self.phase = Phase::Tentative;
                }
                _ => {}
            }
            before = i;
            i += n;
        }
        // The last blank may belong to the next piece: it comes again.
        let used = if self.kind == Kind::Blanks && self.phase != Phase::Anchored { before } else { i };
        self.flush(vocabulary, hints, text, from, used);
        Fed { used, tokens: None }
    }

    /// An anchor begins at `i`, if the last character was none.
    fn anchor(&mut self, vocabulary: &Vocabulary, hints: &mut Hints, text: &[u8], from: &mut usize, i: usize) {
        if self.phase != Phase::Anchored {
            self.flush(vocabulary, hints, text, *from, i);
            *from = i;
            self.phase = Phase::Anchored;
        }
    }

    fn flush(&mut self, vocabulary: &Vocabulary, hints: &mut Hints, text: &[u8], from: usize, to: usize) {
        let bytes = text.get(from..to).unwrap_or(&[]);
        self.whole.push(vocabulary, hints, bytes);
        if self.phase == Phase::Tentative {
            self.since.push(vocabulary, hints, bytes);
        }
    }

    /// The run ends at `i`; its last character begins at `before`.
    fn end(&mut self, vocabulary: &Vocabulary, hints: &mut Hints, text: &[u8], (from, before, i): (usize, usize, usize), last: bool) -> Fed {
        let at_end = last && i >= text.len();
        let pattern = vocabulary.encoding.pattern();
        let mut used = i;
        match self.kind {
            Kind::Blanks if at_end => {
                if pattern != Pattern::Camel {
                    self.phase = Phase::Open;
                }
                self.flush(vocabulary, hints, text, from, i);
            }
            Kind::Blanks => {
                used = if self.phase == Phase::Anchored { i } else { before };
                self.flush(vocabulary, hints, text, from, used);
            }
            Kind::Cased | Kind::Low => {
                self.flush(vocabulary, hints, text, from, i);
                let (n, open) = if pattern == Pattern::Camel { contraction(text, i, true) } else { (0, false) };
                if open && !last {
                    return Fed { used: i, tokens: None };
                }
                self.flush(vocabulary, hints, text, i, i + n);
                used = i + n;
            }
            _ => self.flush(vocabulary, hints, text, from, i),
        }
        let tokens = if self.phase == Phase::Tentative { self.anchored.saturating_add(self.since.count()) } else { self.whole.count() };
        Fed { used, tokens: Some(tokens) }
    }
}
