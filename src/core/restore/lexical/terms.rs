//! Splits a text into terms without a dictionary of any language.
//!
//! Decides: a word is a run of letters and digits; `parseConfigFile`, `src/core/view.rs` and `max_chars` are
//! found by their whole and by their parts; scripts that put no spaces between words go by pairs of
//! characters. Words also give runs of four characters, so that `compiled` meets `compiling` in any language
//! that builds its forms at the ends. Refuses stemming and stop words: both are rules of one language.

use xxhash_rust::xxh3::xxh3_64;

/// What a term stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// A word, a part of a name, a whole name.
    Word,
    /// Four characters of a word.
    Gram,
}

/// One term and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Term {
    /// Field and spelling, hashed: postings hold no words.
    pub hash: u64,
    /// What it stands for.
    pub field: Field,
    /// First byte of the word it comes from.
    pub from: usize,
    /// Byte after the word.
    pub to: usize,
}

/// Characters of a run of four, the mark of a word's beginning included.
const GRAM: usize = 4;
/// Longer runs (hashes, encoded bytes) are one term without parts.
const LONGEST: usize = 64;

/// Calls `each` for every term of a text, in order.
pub fn terms(text: &str, each: &mut dyn FnMut(Term)) {
    let mut run: Option<(usize, usize)> = None;
    let mut pair: Option<(usize, char, bool)> = None;
    for (at, c) in text.char_indices() {
        let end = at + c.len_utf8();
        if is_spaceless(c) {
            flush(text, run.take(), each);
            let mut pair_of = String::with_capacity(8);
            if let Some((from, before, _)) = pair {
                pair_of.push(before);
                pair_of.push(c);
                each(Term { hash: hash(Field::Word, &pair_of), field: Field::Word, from, to: end });
            }
            pair = Some((at, c, pair.is_some()));
            continue;
        }
        alone(pair.take(), each);
        if is_word(c) {
            run = Some((run.map_or(at, |(from, _)| from), end));
        } else if let Some((from, to)) = run {
            // A joint inside a name keeps it together; anything else, or two joints, ends it.
            if !(is_joint(c) && to == at) {
                run = None;
                flush(text, Some((from, to)), each);
            }
        }
    }
    alone(pair.take(), each);
    flush(text, run, each);
}

/// A single character of a spaceless script is a term of its own.
fn alone(pair: Option<(usize, char, bool)>, each: &mut dyn FnMut(Term)) {
    if let Some((from, c, false)) = pair {
        each(Term { hash: hash(Field::Word, c.encode_utf8(&mut [0; 4])), field: Field::Word, from, to: from + c.len_utf8() });
    }
}

fn hash(field: Field, word: &str) -> u64 {
    let seed = match field {
        Field::Word => 0,
        Field::Gram => 1,
    };
    xxh3_64(word.as_bytes()).rotate_left(seed) ^ seed as u64
}

/// A run of word characters and joints: its parts, and the whole where it has parts.
fn flush(text: &str, run: Option<(usize, usize)>, each: &mut dyn FnMut(Term)) {
    let Some((from, to)) = run else { return };
    let Some(whole) = text.get(from..to) else { return };
    let mut parts = 0;
    let mut at = from;
    for piece in whole.split(is_joint) {
        if !piece.is_empty() {
            parts += 1;
            name(piece, at, each);
        }
        at += piece.len() + 1;
    }
    if parts > 1 && whole.len() <= LONGEST * 2 {
        let lower: String = folded(whole).replace('\\', "/");
        each(Term { hash: hash(Field::Word, &lower), field: Field::Word, from, to });
    }
}

/// A name without joints: its humps, and the whole where it has several.
fn name(piece: &str, from: usize, each: &mut dyn FnMut(Term)) {
    let mut humps = 0;
    let mut start = 0;
    let chars: Vec<(usize, char)> = piece.char_indices().collect();
    if chars.len() > LONGEST {
        return each(Term { hash: hash(Field::Word, &folded(piece)), field: Field::Word, from, to: from + piece.len() });
    }
    for (i, (at, c)) in chars.iter().enumerate().skip(1) {
        let before = chars.get(i - 1).map_or(' ', |p| p.1);
        let after = chars.get(i + 1).map_or(' ', |p| p.1);
        let hump = c.is_uppercase() && (before.is_lowercase() || (before.is_uppercase() && after.is_lowercase()));
        if hump {
            humps += 1;
            word(piece.get(start..*at).unwrap_or(""), from + start, each);
            start = *at;
        }
    }
    word(piece.get(start..).unwrap_or(""), from + start, each);
    if humps > 0 {
        each(Term { hash: hash(Field::Word, &folded(piece)), field: Field::Word, from, to: from + piece.len() });
    }
}

fn word(part: &str, from: usize, each: &mut dyn FnMut(Term)) {
    let to = from + part.len();
    let lower = folded(part);
    let mut chars: Vec<char> = Vec::with_capacity(lower.len() + 1);
    chars.push('^');
    chars.extend(lower.chars());
    let single = chars.len() == 2;
    if chars.len() < 2 || (single && lower.is_ascii() && !lower.as_bytes().iter().any(u8::is_ascii_digit)) {
        return;
    }
    each(Term { hash: hash(Field::Word, &lower), field: Field::Word, from, to });
    if chars.iter().skip(1).all(|c| c.is_numeric()) {
        return;
    }
    let mut gram = String::with_capacity(16);
    for four in chars.windows(GRAM) {
        gram.clear();
        gram.extend(four);
        each(Term { hash: hash(Field::Gram, &gram), field: Field::Gram, from, to });
    }
}

/// Lower case, without combining marks.
fn folded(text: &str) -> String {
    text.chars().filter(|c| !is_mark(*c)).flat_map(char::to_lowercase).collect()
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || is_mark(c)
}

fn is_mark(c: char) -> bool {
    ('\u{300}'..='\u{36f}').contains(&c)
}

fn is_joint(c: char) -> bool {
    matches!(c, '_' | '-' | '.' | '/' | '\\' | ':' | '@')
}

/// Thai, Lao, Burmese, Khmer, kana, Han: words are not set apart.
fn is_spaceless(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        let mut out = Vec::new();
        terms(text, &mut |t| {
            if t.field == Field::Word {
                out.push(text.get(t.from..t.to).unwrap_or("").to_owned());
            }
        });
        out
    }

    fn shared(a: &str, b: &str) -> usize {
        let of = |text: &str| {
            let mut set = std::collections::BTreeSet::new();
            terms(text, &mut |t| {
                set.insert(t.hash);
            });
            set
        };
        of(a).intersection(&of(b)).count()
    }

    #[test]
    fn names_and_paths_are_found_by_their_whole_and_their_parts() {
        assert_eq!(words("parseConfigFile()"), ["parse", "Config", "File", "parseConfigFile"]);
        assert_eq!(words("HTTPServer"), ["HTTP", "Server", "HTTPServer"]);
        assert_eq!(words("src/core/view.rs:12"), ["src", "core", "view", "rs", "12", "src/core/view.rs:12"]);
        assert_eq!(words("max_chars, a end."), ["max", "chars", "max_chars", "end"]);
        assert_eq!(words("a -- b"), Vec::<String>::new());
    }

    #[test]
    fn forms_of_a_word_share_runs_of_characters_in_any_language() {
        assert!(shared("compiled", "compiling") >= 4);
        assert!(shared("Übersetzungen", "übersetzung") >= 8);
        assert!(shared("настройка", "настройки") >= 6);
        assert_eq!(shared("bread", "timeout"), 0);
    }

    #[test]
    fn scripts_without_spaces_go_by_pairs() {
        assert_eq!(words("数据库"), ["数据", "据库"]);
        assert_eq!(words("猫 x1"), ["猫", "x1"]);
        assert!(shared("データベースの設定", "設定を変える") >= 1);
    }

    #[test]
    fn upper_case_of_any_script_meets_lower_case() {
        assert_eq!(shared("ΑΘΗΝΑ", "αθηνα"), shared("αθηνα", "αθηνα"));
        assert!(shared("Cafe\u{301}", "CAFE") > 0);
    }

    #[test]
    fn a_very_long_run_is_one_term() {
        assert_eq!(words(&"aB3".repeat(1_000)).len(), 1);
    }
}
