//! Estimates tokens from character classes when no vocabulary is loaded.
//!
//! Decides how much a run of letters, digits, blanks, punctuation or another script weighs. Refuses to
//! know where the text stops: it is fed character by character and does not depend on chunks.
//!
//! What is counted follows how `o200k_base` splits: a line end merges with punctuation before it, one
//! mark with the word behind it, a blank with a word but not with a number. A stretch in which the kind of
//! character changes all the time is no words (base64, keys) and is counted by its length. The weights are
//! fitted by least relative deviation on recorded sessions of eight agents, 2026-11-30; on those of three
//! others and on JSON requests, which it did not see, a text is off by 3.2 % in the median and by 10 % at the
//! 95th percentile. Weights of other scripts are from their own texts.

/// Runs seen so far, by class.
#[derive(Clone, Debug, Default)]
pub struct Classes {
    run: Option<Class>,
    run_len: u32,
    /// Characters of the run that repeat the one before, and that one.
    repeats: u32,
    last: char,
    /// The run before.
    before: Option<Class>,
    counts: Counts,
    stretch: Stretch,
}

/// What the weights apply to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pieces of letters (camelCase splits).
    words: u32,
    /// Their letters beyond the fourth, beyond the twelfth (no word is that long), and letters said again and again.
    word_excess: u32,
    long_excess: u32,
    repeats: u32,
    /// Groups of up to three digits, and numbers behind a blank.
    digits: u32,
    numbers_apart: u32,
    /// Runs of two and more blanks, runs of line ends that are not behind punctuation.
    blanks: u32,
    line_ends: u32,
    /// Single marks before a word, other runs of punctuation, and their characters beyond the first.
    marks: u32,
    punct_runs: u32,
    punct_chars: u32,
    /// Characters of CJK scripts, letters of other scripts, everything else outside ASCII.
    cjk: u32,
    letters: u32,
    symbols: u32,
    /// Characters of stretches that are no words.
    dense: u32,
}

/// Letters and digits, and what base64 adds to them, without a break.
#[derive(Clone, Copy, Debug, Default)]
struct Stretch {
    len: u32,
    switches: u32,
    upper: u32,
    /// The counts before it.
    from: Counts,
}

impl Stretch {
    /// Where every third character begins another piece and capitals are everywhere, nobody wrote it. Hexadecimal
    /// digits have no capitals among small letters, and cost what their pieces cost.
    fn is_dense(&self) -> bool {
        self.len >= DENSE_FROM && self.switches.saturating_mul(3) >= self.len && self.upper.saturating_mul(6) >= self.len
    }
}

/// Shorter stretches are names and numbers.
const DENSE_FROM: u32 = 32;

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

impl Counts {
    /// Thousandths of a token.
    fn thousandths(&self) -> u64 {
        let weighed = [
            (self.words, 905),
            (self.word_excess, 60),
            (self.long_excess, 250),
            (self.repeats, 60),
            (self.digits, 1_000),
            (self.numbers_apart, 850),
            (self.blanks, 900),
            (self.line_ends, 1_400),
            (self.marks, 410),
            (self.punct_runs, 1_120),
            (self.punct_chars, 120),
            (self.cjk, 760),
            (self.letters, 380),
            (self.symbols, 1_100),
            (self.dense, 660),
        ];
        weighed.iter().map(|(n, weight)| u64::from(*n) * weight).sum()
    }
}

impl Classes {
    /// Takes the next character.
    #[inline]
    pub fn push(&mut self, c: char) {
        let class = classify(c);
        let inside = is_word(class) || self.stretch.len > 0 && matches!(c, '+' | '/' | '=');
        self.take(class, inside, 1, c == self.last, 0);
        self.last = c;
    }

    /// Takes a stretch of ASCII characters, all of one class.
    #[inline]
    pub(super) fn push_run(&mut self, class: Class, run: &[u8]) {
        let (Some(first), Some(last)) = (run.first(), run.last()) else { return };
        if class == Class::Punct {
            return run.iter().for_each(|b| self.push(char::from(*b)));
        }
        let inside = is_word(class);
        let repeats = if inside { run.iter().zip(run.iter().skip(1)).filter(|(a, b)| a == b).count() as u32 } else { 0 };
        self.take(class, inside, run.len() as u32, self.last == char::from(*first), repeats);
        self.last = char::from(*last);
    }

    /// `n` characters of a class: whether they belong to a stretch, whether the first repeats the one before, and how many
    /// of the others do.
    #[inline]
    fn take(&mut self, class: Class, inside: bool, n: u32, again: bool, repeats: u32) {
        if !inside && self.stretch.len > 0 {
            self.end_stretch();
        }
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
            self.repeats += u32::from(again) + repeats;
        } else {
            self.close(Some(class));
            self.before = self.run;
            self.run = Some(class);
            self.run_len = n;
            self.repeats = repeats;
        }
        if inside {
            if self.stretch.len == 0 {
                self.stretch = Stretch { from: self.counts, ..Stretch::default() };
            }
            self.stretch.len += n;
            self.stretch.switches += u32::from(!same);
            self.stretch.upper += if class == Class::Upper { n } else { 0 };
        }
    }

    /// A stretch that is no words is taken back and counted by its length.
    fn end_stretch(&mut self) {
        if self.stretch.is_dense() {
            self.counts = self.stretch.from;
            self.counts.dense += self.stretch.len;
            self.run = None;
            self.run_len = 0;
            self.before = None;
        }
        self.stretch.len = 0;
    }

    fn close(&mut self, next: Option<Class>) {
        let Some(class) = self.run else { return };
        let n = self.run_len;
        let counts = &mut self.counts;
        match class {
            Class::Lower | Class::Upper => {
                counts.words += 1;
                counts.word_excess += n.saturating_sub(4);
                counts.long_excess += (n - self.repeats).saturating_sub(12);
                counts.repeats += self.repeats.saturating_sub(3);
            }
            Class::Digit => {
                counts.digits += n.div_ceil(3);
                counts.numbers_apart += u32::from(self.before == Some(Class::Blank));
            }
            Class::Blank => counts.blanks += u32::from(n > 1),
            Class::LineEnd => counts.line_ends += u32::from(self.before != Some(Class::Punct)),
            Class::Punct if n == 1 && matches!(next, Some(Class::Lower | Class::Upper)) => counts.marks += 1,
            Class::Punct => {
                counts.punct_runs += 1;
                counts.punct_chars += n - 1;
            }
            Class::Cjk => counts.cjk += n,
            Class::Letter => counts.letters += n,
            Class::Symbol => counts.symbols += n,
        }
    }

    /// The counts the weights apply to, what is open included.
    pub fn counts(&self) -> Counts {
        let mut done = self.clone();
        done.end_stretch();
        done.close(None);
        done.counts
    }

    /// Estimated tokens of everything pushed so far; at least 1 for a text that is not empty.
    pub fn tokens(&self) -> u32 {
        let counts = self.counts();
        let tokens = u32::try_from(counts.thousandths().div_ceil(1_000)).unwrap_or(u32::MAX);
        tokens.max(u32::from(counts != Counts::default() || self.run.is_some()))
    }
}

#[inline]
fn is_word(class: Class) -> bool {
    matches!(class, Class::Lower | Class::Upper | Class::Digit)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(text: &str) -> Counts {
        let mut classes = Classes::default();
        text.chars().for_each(|c| classes.push(c));
        classes.counts()
    }

    #[test]
    fn runs_are_counted_as_the_encoding_splits_them() {
        let none = Counts::default();
        assert_eq!(counts("fooBar letters"), Counts { words: 3, word_excess: 3, ..none });
        assert_eq!(counts("in 2024, at 12345"), Counts { words: 2, digits: 4, numbers_apart: 2, punct_runs: 1, ..none });
        assert_eq!(counts("x2024"), Counts { words: 1, digits: 2, ..none });
        assert_eq!(counts("a\n    b;\nc"), Counts { words: 3, blanks: 1, line_ends: 1, punct_runs: 1, ..none });
        assert_eq!(counts("a.b (c) => {"), Counts { words: 3, marks: 2, punct_runs: 3, punct_chars: 1, ..none });
        assert_eq!(counts("."), Counts { punct_runs: 1, ..none }, "nothing follows");
        assert_eq!(counts("xxxxxxxxxxxxxxxxxxxxxxxx"), Counts { words: 1, word_excess: 20, repeats: 20, ..none });
        assert_eq!(counts("donaudampfschifffahrt"), Counts { words: 1, word_excess: 17, long_excess: 7, ..none }, "two of its letters repeat the one before");
    }

    #[test]
    fn other_scripts_are_counted_by_character() {
        let Counts { cjk, letters, symbols, .. } = counts("漢字かな Größe Ω🎉");
        assert_eq!((cjk, letters, symbols), (4, 3, 1));
    }

    #[test]
    fn base64_is_counted_by_its_length_and_what_stands_around_it_as_ever() {
        let base64 = "pKvURIxJVi2CgRXROh/M6pJ/UrTVRZKX+LQ+QtqJI4vBNibkPcs43bCCSIkn7JBPtCBXRDmD6IWFF51QVRr+YqH85DY4VP+IjP9Ljnh11gDCaCOQQSqM95s30LERSLD6";
        let key = "QmFzZTY0IGlzIG5vdCB3cml0dGVuIGJ5IGhhbmQ7IG5vYm9keQ";
        for text in [key, base64] {
            let quoted = counts(&format!("data: \"{text}\", end"));
            let (plain, dense) = (counts("data: \"\", end"), text.len() as u32);
            assert_eq!(quoted.dense, dense, "{text}");
            assert_eq!((quoted.words, quoted.digits), (plain.words, plain.digits));
        }
        for text in [
            "src/components/FeatureList2/renderAllOfTheRows/index",
            "aVeryLongIdentifierThatSomebodyWroteInCamelCaseByHand",
            "0123456789012345678901234567890123456789",
            "9e107d9d372bb6826bd81d3542a419d6e4d909c2",
        ] {
            assert_eq!(counts(text).dense, 0, "{text}");
        }
    }

    #[test]
    fn where_chunks_fall_does_not_matter() {
        let text = "x = \"QmFzZTY0IGlzIG5vdCB3cml0dGVuIGJ5IGhhbmQ7\";\n  y += 12 345; // näher";
        let mut classes = Classes::default();
        for (at, c) in text.chars().enumerate() {
            assert_eq!(classes.counts(), counts(&text.chars().take(at).collect::<String>()));
            classes.push(c);
        }
    }

    #[test]
    fn a_stretch_at_a_time_counts_the_same() {
        let text = "x = \"QmFzZTY0IGlzIG5vdCB3cml0dGVuIGJ5IGhhbmQ7+/==\";\n\n  YYYYyyyyzzz aa bb=+1234 5;\t}}\r\n";
        let mut by_run = Classes::default();
        for run in text.as_bytes().chunk_by(|a, b| classify(char::from(*a)) == classify(char::from(*b))) {
            by_run.push_run(classify(char::from(run[0])), run);
        }
        assert_eq!((by_run.counts(), by_run.tokens() > 20), (counts(text), true));
    }
}
