//! Measures one text while it streams by, once, for every stage that comes later.
//!
//! Decides what the core remembers of a text: sizes, tokens, a hash, the first line, how it ended.
//! Refuses to keep the text: a session holds measurements, the host holds the words. The result does not
//! depend on where the chunks fall.

use std::rc::Rc;

use xxhash_rust::xxh3::Xxh3;

use super::classes::{Class, Classes, classify};
use super::exact::{Exact, Stream};
use super::names::{Finder, Names};
use crate::core::config::Counter;

/// Longest first line that is kept, in characters.
const LINE_CHARS: usize = 80;
/// How much of the end is looked at for an exit code, in characters.
const END_CHARS: usize = 160;

/// What is known of one text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measure {
    /// Tokens by the counter in force.
    pub tokens: u32,
    /// Length in UTF-16 code units.
    pub len: u32,
    /// Length in UTF-8 bytes, unpaired surrogates counted as U+FFFD.
    pub bytes: u64,
    /// Hash of the well-formed text (fixed keys).
    pub hash: u128,
    /// Length of the longest stretch without white space.
    pub run: u32,
    /// Lines: line ends plus one, 0 for an empty text.
    pub lines: u32,
    /// Whether nothing but white space was seen.
    pub blank: bool,
    /// The first line with something on it, control characters removed, at most 80 characters.
    pub first_line: Box<str>,
    /// An exit code the text begins or ends with.
    pub exit: Option<i32>,
    /// The identifiers it holds, bounded.
    pub names: Names,
}

impl Measure {
    /// The text's fingerprint as the state keeps it.
    pub fn fingerprint(&self) -> String {
        format!("{:016x}", self.hash as u64)
    }
}

/// Takes a text in chunks.
pub struct Meter {
    counter: Counter,
    exact: Option<Rc<dyn Exact>>,
    /// Opened by the first chunk.
    stream: Option<Box<dyn Stream>>,
    hash: Xxh3,
    classes: Classes,
    len: u32,
    bytes: u64,
    line_ends: u32,
    run: u32,
    longest_run: u32,
    blank: bool,
    first: String,
    first_chars: usize,
    first_done: bool,
    start: String,
    start_done: bool,
    end: String,
    names: Finder,
}

impl Meter {
    /// A meter that weighs texts by this counter.
    pub fn new(counter: Counter) -> Self {
        Meter {
            counter,
            exact: None,
            stream: None,
            hash: Xxh3::new(),
            classes: Classes::default(),
            len: 0,
            bytes: 0,
            line_ends: 0,
            run: 0,
            longest_run: 0,
            blank: true,
            first: String::new(),
            first_chars: 0,
            first_done: false,
            start: String::new(),
            start_done: false,
            end: String::new(),
            names: Finder::default(),
        }
    }

    /// The same where a vocabulary is loaded, which counts where the counter leaves the choice.
    pub fn with_exact(counter: Counter, exact: Option<Rc<dyn Exact>>) -> Self {
        Meter { exact: exact.filter(|_| counter == Counter::Auto), ..Meter::new(counter) }
    }

    /// Takes the next chunk.
    pub fn feed(&mut self, chunk: &str) {
        self.hash.update(chunk.as_bytes());
        self.bytes += chunk.len() as u64;
        let by_classes = self.counter != Counter::Chars4 && self.exact.is_none();
        if let Some(exact) = &self.exact {
            self.stream.get_or_insert_with(|| exact.stream()).feed(chunk);
        }
        for c in chunk.chars() {
            if self.first_done {
                break;
            }
            self.take_first(c);
        }
        self.take_runs(chunk, by_classes);
        self.names.feed(chunk);
        self.take_ends(chunk);
    }

    /// Sizes and classes: a stretch of one class at a time.
    fn take_runs(&mut self, chunk: &str, by_classes: bool) {
        let bytes = chunk.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            let from = at;
            let code = class_at(bytes, at);
            let (chars, units, white) = if let Some(class) = ASCII.get(usize::from(code)) {
                at += 1;
                while class_at(bytes, at) == code {
                    at += 1;
                }
                let run = bytes.get(from..at).unwrap_or(&[]);
                if by_classes {
                    self.classes.push_run(*class, run);
                }
                if *class == Class::LineEnd {
                    self.line_ends = self.line_ends.saturating_add(run.iter().filter(|b| **b == b'\n').count() as u32);
                }
                (run.len() as u32, run.len() as u32, matches!(class, Class::Blank | Class::LineEnd))
            } else {
                let Some(c) = chunk.get(at..).and_then(|rest| rest.chars().next()) else { return };
                at += c.len_utf8();
                if by_classes {
                    self.classes.push(c);
                }
                (1, c.len_utf16() as u32, c.is_whitespace())
            };
            self.len = self.len.saturating_add(units);
            if white {
                self.longest_run = self.longest_run.max(self.run);
                self.run = 0;
            } else {
                self.run = self.run.saturating_add(chars);
                self.blank = false;
            }
        }
    }

    fn take_first(&mut self, c: char) {
        if c == '\n' || c == '\r' {
            self.first_done = !self.first.trim().is_empty();
            if !self.first_done {
                self.first.clear();
                self.first_chars = 0;
            }
        } else if !c.is_control() && self.first_chars < LINE_CHARS {
            self.first.push(c);
            self.first_chars += 1;
        }
    }

    fn take_ends(&mut self, chunk: &str) {
        if !self.start_done {
            self.start.extend(chunk.chars().take(END_CHARS - self.start.chars().count().min(END_CHARS)));
            self.start_done = self.start.chars().count() >= END_CHARS;
        }
        let skip = chunk.char_indices().rev().nth(END_CHARS - 1).map_or(0, |(i, _)| i);
        let piece = chunk.get(skip..).unwrap_or("");
        self.end.push_str(piece);
        let extra = self.end.chars().count().saturating_sub(END_CHARS);
        if extra > 0 {
            self.end = self.end.chars().skip(extra).collect();
        }
    }

    /// The measurement of everything fed.
    pub fn finish(&mut self) -> Measure {
        let tokens = match self.counter {
            Counter::Chars4 => self.len.div_ceil(4),
            // A text without a chunk is empty to both.
            Counter::Auto | Counter::Classes => self.stream.as_ref().map_or_else(|| self.classes.tokens(), |s| s.finish()),
        };
        Measure {
            tokens,
            len: self.len,
            bytes: self.bytes,
            hash: self.hash.digest128(),
            run: self.longest_run.max(self.run),
            lines: if self.len == 0 { 0 } else { self.line_ends + 1 },
            blank: self.blank,
            first_line: self.first.trim().into(),
            exit: exit_code(&self.start).or_else(|| exit_code_at_end(&self.end)),
            names: Names::Found(Box::new(self.names.finish())),
        }
    }
}

/// The classes that ASCII characters have, in the order of their numbers.
const ASCII: [Class; 6] = [Class::Lower, Class::Upper, Class::Digit, Class::Blank, Class::LineEnd, Class::Punct];
/// No ASCII character, or white space that the estimate takes for punctuation.
const SINGLE: u8 = u8::MAX;

/// The classes of ASCII characters as numbers.
#[allow(clippy::indexing_slicing, reason = "made when it is compiled")]
const CLASSES: [u8; 256] = {
    let mut table = [SINGLE; 256];
    let mut at = 0;
    while at < 128 {
        if !matches!(at as u8, 0x0b | 0x0c) {
            table[at] = classify(at as u8 as char) as u8;
        }
        at += 1;
    }
    table
};

#[inline(always)]
fn class_at(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).map_or(SINGLE, |b| CLASSES.get(usize::from(*b)).copied().unwrap_or(SINGLE))
}

/// Measures a text in one go.
pub fn measure(counter: Counter, text: &str) -> Measure {
    let mut meter = Meter::new(counter);
    meter.feed(text);
    meter.finish()
}

/// Words tools put before an exit code, lower-case.
const EXIT_WORDS: [&str; 6] = ["process exited with code", "exited with code", "exit code", "exit status", "exit_code", "exitcode"];

/// An exit code in the first line that names one.
fn exit_code(text: &str) -> Option<i32> {
    text.lines().take(3).find_map(exit_in_line)
}

fn exit_code_at_end(text: &str) -> Option<i32> {
    text.lines().rev().take(3).find_map(exit_in_line)
}

fn exit_in_line(line: &str) -> Option<i32> {
    // Nearly every line says nothing of the kind, and this is cheaper than looking for each word.
    if !line.as_bytes().windows(4).any(|w| w.eq_ignore_ascii_case(b"exit")) {
        return None;
    }
    let lower = line.to_ascii_lowercase();
    let (at, word) = EXIT_WORDS.iter().find_map(|w| lower.find(w).map(|at| (at, *w)))?;
    let rest = lower.get(at + word.len()..)?.trim_start_matches([':', '=', ' ', '"', '\'', '(']);
    let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '-')).unwrap_or(rest.len());
    rest.get(..end)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn does_not_depend_on_chunks() {
        let text = "Exit code: 2\n  Compiling größe v1 😀\nfooBar12345   x\r\n\n\u{b}\u{a0}error[E0308]: mismatched\n";
        let whole = measure(Counter::Classes, text);
        for cut in text.char_indices().map(|(i, _)| i) {
            let mut m = Meter::new(Counter::Classes);
            let (a, b) = text.split_at(cut);
            m.feed(a);
            m.feed(b);
            assert_eq!(m.finish(), whole);
        }
        assert_eq!(whole.exit, Some(2));
        assert_eq!(whole.lines, 6);
        assert_eq!(&*whole.first_line, "Exit code: 2");
    }

    #[test]
    fn chars4_is_a_quarter_of_the_utf16_length_rounded_up() {
        assert_eq!(measure(Counter::Chars4, "").tokens, 0);
        assert_eq!(measure(Counter::Chars4, "{}").tokens, 1);
        assert_eq!(measure(Counter::Chars4, &"a".repeat(4_001)).tokens, 1_001);
        assert_eq!(measure(Counter::Chars4, "😀😀😀").tokens, 2);
    }

    #[test]
    fn first_line_skips_empty_lines_and_control_characters() {
        assert_eq!(&*measure(Counter::Classes, "\n \r\n\u{1b}[1mok\u{7}\nrest").first_line, "[1mok");
        assert_eq!(measure(Counter::Classes, &"x".repeat(200)).first_line.len(), 80);
    }

    #[test]
    fn the_numbers_of_classes_are_their_places() {
        assert!(ASCII.iter().enumerate().all(|(at, class)| *class as usize == at));
    }
}
