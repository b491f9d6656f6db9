//! Estimates tokens from character classes when no vocabulary is loaded.
//!
//! Decides how much a run of letters, digits, blanks, punctuation or another script weighs. Refuses to
//! know where the text stops: it is fed character by character and does not depend on chunks. The
//! weights are a least-squares fit against `o200k_base`; `make bench-estimate` prints the error.

/// Runs seen so far, by class.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    run: Option<Class>,
    run_len: u32,
    /// Pieces of letters (camelCase splits), and their letters beyond the fourth.
    words: u32,
    word_excess: u32,
    /// Groups of up to three digits.
    digits: u32,
    /// Runs of two and more blanks, runs of line ends.
    blanks: u32,
    line_ends: u32,
    punct_runs: u32,
    punct_chars: u32,
    /// Characters of CJK scripts, letters of other scripts, everything else outside ASCII.
    cjk: u32,
    letters: u32,
    symbols: u32,
}

/// What a character is to the estimate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Lower,
    Upper,
    Digit,
    Blank,
    LineEnd,
    Punct,
    Cjk,
    Letter,
    Symbol,
}

/// Thousandths of a token per count, in the order of [`Classes::counts`].
pub const WEIGHTS: [u32; 10] = [957, 113, 985, 830, 640, 640, 260, 760, 380, 1_100];

impl Classes {
    /// Takes the next character.
    #[inline]
    pub fn push(&mut self, c: char) {
        self.push_run(classify(c), 1);
    }

    /// Takes the next `n` characters, all of one class.
    #[inline]
    pub(super) fn push_run(&mut self, class: Class, n: u32) {
        let same = match (self.run, class) {
            (Some(a), b) if a == b => true,
            // "Word" is one piece; "wordWord" is two.
            (Some(Class::Upper), Class::Lower) => {
                self.run = Some(Class::Lower);
                true
            }
            _ => false,
        };
        if same {
            self.run_len += n;
        } else {
            self.close();
            self.run = Some(class);
            self.run_len = n;
        }
    }

    fn close(&mut self) {
        let Some(class) = self.run else { return };
        let n = self.run_len;
        match class {
            Class::Lower | Class::Upper => {
                self.words += 1;
                self.word_excess += n.saturating_sub(4);
            }
            Class::Digit => self.digits += n.div_ceil(3),
            Class::Blank => self.blanks += u32::from(n > 1),
            Class::LineEnd => self.line_ends += 1,
            Class::Punct => {
                self.punct_runs += 1;
                self.punct_chars += n - 1;
            }
            Class::Cjk => self.cjk += n,
            Class::Letter => self.letters += n,
            Class::Symbol => self.symbols += n,
        }
    }

    /// The counts the weights apply to, the open run included.
    pub fn counts(&self) -> [u32; 10] {
        let mut done = self.clone();
        done.close();
        [done.words, done.word_excess, done.digits, done.blanks, done.line_ends, done.punct_runs, done.punct_chars, done.cjk, done.letters, done.symbols]
    }

    /// Estimated tokens of everything pushed so far; at least 1 for a text that is not empty.
    pub fn tokens(&self) -> u32 {
        let thousandths: u64 = self.counts().iter().zip(WEIGHTS).map(|(n, w)| u64::from(*n) * u64::from(w)).sum();
        let tokens = u32::try_from(thousandths.div_ceil(1_000)).unwrap_or(u32::MAX);
        tokens.max(u32::from(self.run.is_some()))
    }
}

/// The class of a character.
#[inline]
pub(super) const fn classify(c: char) -> Class {
    match c {
        'a'..='z' => Class::Lower,
        'A'..='Z' => Class::Upper,
        '0'..='9' => Class::Digit,
        ' ' | '\t' => Class::Blank,
        '\n' | '\r' => Class::LineEnd,
        '\0'..='\u{7f}' => Class::Punct,
        // Kana, Han, Hangul and their full-width forms.
        '\u{3040}'..='\u{30ff}'
        | '\u{3400}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}'
        | '\u{ff00}'..='\u{ffef}'
        | '\u{20000}'..='\u{3ffff}' => Class::Cjk,
        '\u{a0}'..='\u{bf}' | '\u{2000}'..='\u{2fff}' | '\u{3000}'..='\u{303f}' | '\u{e000}'..='\u{f8ff}' | '\u{1f000}'..='\u{1ffff}' => Class::Symbol,
        _ => Class::Letter,
    }
}
