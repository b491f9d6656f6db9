//! Cuts text into the pieces that byte-pair encoding never joins, one character at a time.
//!
//! Decides where the piece at a place ends, exactly as the encoding's regular expression does, for any
//! Unicode text, and whether text still to come could move that end. Refuses to count; `window.rs` does the
//! same for plain ASCII, 64 bytes at a time.

use super::classes::{CASELESS, Class, Classes, LINE_END, LOWER, MARK, NUMBER, OTHER, SPACE, UPPER, is_letter, is_letterish};
use super::encoding::Pattern;

/// Reads one piece.
pub(super) struct Splitter<'a> {
    classes: &'a Classes,
    text: &'a [u8],
    /// Whether the decision looked past the end of the text.
    open: bool,
}

/// Where the piece at `at` ends, and whether more text could change that.
#[inline]
pub(super) fn piece_end(pattern: Pattern, classes: &Classes, text: &[u8], at: usize) -> (usize, bool) {
    let mut splitter = Splitter { classes, text, open: false };
    let end = match pattern {
        Pattern::Camel => splitter.camel(at),
        Pattern::Words => splitter.words(at),
        Pattern::Plain => splitter.plain(at),
    };
    // Only a cut-off character can leave nothing: at the end of a text it is a piece of its own.
    (if end == at { text.len() } else { end }, splitter.open)
}

/// Length of the contraction (`'s 't 're 've 'm 'll 'd`) at `at`, 0 for none, and whether more text could
/// change that. `fold` takes both cases and the long s.
pub(super) fn contraction(text: &[u8], at: usize, fold: bool) -> (usize, bool) {
    let case = if fold { 0x20 } else { 0 };
    match text.get(at..).unwrap_or(&[]) {
        [] | [b'\''] => (0, true),
        [b'\'', 0xc5, more @ ..] if fold => (if more.first() == Some(&0xbf) { 3 } else { 0 }, more.is_empty()),
        [b'\'', letter, more @ ..] => {
            let second = match letter | case {
                b's' | b't' | b'm' | b'd' => return (2, false),
                b'r' | b'v' => b'e',
                b'l' => b'l',
                _ => return (0, false),
            };
            (if more.first().is_some_and(|b| b | case == second) { 3 } else { 0 }, more.is_empty())
        }
        _ => (0, false),
    }
}

impl Splitter<'_> {
    /// Class and length at `i`; length 0 at the end.
    #[inline(always)]
    fn at(&mut self, i: usize) -> (Class, usize) {
        let (class, n) = self.classes.at(self.text, i);
        self.open |= n == 0;
        (class, n)
    }

    #[inline(always)]
    fn byte(&mut self, i: usize) -> Option<u8> {
        let byte = self.text.get(i).copied();
        self.open |= byte.is_none();
        byte
    }

    fn camel(&mut self, at: usize) -> usize {
        let (class, n) = self.at(at);
        match class {
            UPPER | LOWER | CASELESS => self.cased_word(at),
            NUMBER => self.digits(at, 3),
            LINE_END => self.blanks(at, Pattern::Camel),
            _ => {
                let next = at + n;
                let (after, m) = self.at(next);
                if m > 0 && is_letterish(after) {
                    let (end, ends_low) = self.cased(next);
                    // A mark may also be the word itself, if the letters after it are no match of the first kind.
                    return if class == MARK && !ends_low { self.cased_word(at) } else { self.contraction(end, true) };
                }
                match class {
                    MARK => self.cased_word(at),
                    SPACE if m > 0 && after == OTHER && self.byte(at) == Some(b' ') => self.others(next, true, true),
                    SPACE => self.blanks(at, Pattern::Camel),
                    _ => self.others(at, true, true),
                }
            }
        }
    }

    fn cased_word(&mut self, at: usize) -> usize {
        let (end, _) = self.cased(at);
        self.contraction(end, true)
    }

    /// `[upper]*[lower]+`, else `[upper]+`, caseless letters and marks being both; true for the first.
    #[inline]
    fn cased(&mut self, at: usize) -> (usize, bool) {
        let mut i = at;
        let mut both = 0;
        loop {
            let (class, n) = self.at(i);
            match class {
                _ if n == 0 => break,
                UPPER => i += n,
                CASELESS | MARK => {
                    i += n;
                    both = i;
                }
                LOWER => return (self.lower(i), true),
                _ => break,
            }
        }
        if both > 0 { (both, true) } else { (i, false) }
    }

    #[inline]
    fn lower(&mut self, mut i: usize) -> usize {
        loop {
            while self.text.get(i).is_some_and(u8::is_ascii_lowercase) {
                i += 1;
            }
            match self.at(i) {
                (LOWER | CASELESS | MARK, n) if n > 0 => i += n,
                _ => return i,
            }
        }
    }

    fn words(&mut self, at: usize) -> usize {
        let (class, n) = self.at(at);
        let contracted = self.contraction(at, true);
        if contracted > at {
            return contracted;
        }
        match class {
            UPPER | LOWER | CASELESS => self.letters(at),
            NUMBER => self.digits(at, 3),
            LINE_END => self.blanks(at, Pattern::Words),
            _ => {
                let next = at + n;
                let (after, m) = self.at(next);
                match class {
                    _ if m > 0 && is_letter(after) => self.letters(next),
                    SPACE if m > 0 && matches!(after, OTHER | MARK) && self.byte(at) == Some(b' ') => self.others(next, true, false),
                    SPACE => self.blanks(at, Pattern::Words),
                    _ => self.others(at, true, false),
                }
            }
        }
    }

    fn plain(&mut self, at: usize) -> usize {
        let contracted = self.contraction(at, false);
        if contracted > at {
            return contracted;
        }
        let (first, n) = self.at(at);
        let (start, class) = if self.text.get(at) == Some(&b' ') {
            let (after, m) = self.at(at + n);
            if m > 0 { (at + n, after) } else { (at, SPACE) }
        } else {
            (at, first)
        };
        match class {
            UPPER | LOWER | CASELESS => self.letters(start),
            NUMBER => self.digits(start, usize::MAX),
            SPACE | LINE_END => self.blanks(at, Pattern::Plain),
            _ => self.others(start, false, false),
        }
    }

    fn letters(&mut self, mut i: usize) -> usize {
        loop {
            match self.at(i) {
                (class, n) if n > 0 && is_letter(class) => i += n,
                _ => return i,
            }
        }
    }

    fn digits(&mut self, mut i: usize, most: usize) -> usize {
        for _ in 0..most {
            match self.at(i) {
                (NUMBER, n) if n > 0 => i += n,
                _ => return i,
            }
        }
        i
    }

    /// Everything that is neither letter, number nor white space, then line ends and slashes as asked.
    fn others(&mut self, mut i: usize, line_ends: bool, slashes: bool) -> usize {
        loop {
            match self.at(i) {
                (OTHER | MARK, n) if n > 0 => i += n,
                _ => break,
            }
        }
        if !line_ends {
            return i;
        }
        loop {
            match self.byte(i) {
                Some(b'\n' | b'\r') => i += 1,
                Some(b'/') if slashes => i += 1,
                _ => return i,
            }
        }
    }

    /// A run of white space: up to its last line end, else without its last character, else whole.
    fn blanks(&mut self, at: usize, pattern: Pattern) -> usize {
        let (mut i, mut last, mut line_end) = (at, at, 0);
        let ended = loop {
            match self.at(i) {
                (_, 0) => break true,
                (class @ (SPACE | LINE_END), n) => {
                    last = i;
                    i += n;
                    if class == LINE_END && pattern != Pattern::Plain {
                        line_end = i;
                    }
                }
                _ => break false,
            }
        };
        match line_end {
            _ if ended && pattern != Pattern::Camel => i,
            0 if ended || last == at => i,
            0 => last,
            _ => line_end,
        }
    }

    /// Where the contraction at `i` ends, `i` when there is none.
    #[inline(always)]
    fn contraction(&mut self, i: usize, fold: bool) -> usize {
        if self.text.get(i).is_some_and(|byte| *byte != b'\'') {
            return i;
        }
        let (n, open) = contraction(self.text, i, fold);
        self.open |= open;
        i + n
    }
}
