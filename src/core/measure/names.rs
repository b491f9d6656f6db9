//! Finds the identifiers a text holds while it streams by: paths, file names, symbols, ids, long numbers.
//!
//! Decides what counts as an identifier, because a name that an agent uses again is what must survive
//! when a text leaves the view. Refuses prose words and single keywords. The result is bounded, does not
//! depend on where the chunks fall, and lists every name once, in the order of first occurrence.

use std::collections::BTreeSet;

use xxhash_rust::xxh3::xxh3_64;

/// Most different names of one text, and most bytes of them together.
const MOST_NAMES: usize = 512;
const MOST_BYTES: usize = 24 * 1024;
/// Shortest and longest name in bytes.
const LENGTHS: std::ops::RangeInclusive<usize> = 4..=200;

/// File endings that make `word.ending` a file name and not a member access.
const ENDINGS: [&str; 60] = [
    "ts", "tsx", "js", "jsx", "mjs", "cjs", "mts", "cts", "vue", "svelte", "py", "ipynb", "rs", "go", "java", "kt", "swift", "c", "h", "cc", "cpp", "hpp",
    "cs", "rb", "php", "pony", "ex", "exs", "lua", "zig", "sh", "bash", "ps1", "sql", "html", "htm", "css", "scss", "md", "mdx", "rst", "txt", "log", "csv",
    "json", "jsonl", "yaml", "yml", "toml", "xml", "lock", "cfg", "ini", "conf", "env", "svg", "png", "jpg", "pdf", "wasm",
];

/// The names of one text, or what became of them in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Names {
    /// As found: one text, names behind each other, and where each ends.
    Found(Box<Found>),
    /// As ids of the session's lexicon.
    Known(Box<[u32]>),
}

impl Default for Names {
    fn default() -> Self {
        Names::Known(Box::default())
    }
}

impl Names {
    /// Ids in the lexicon; empty until the text belongs to a session.
    pub fn ids(&self) -> &[u32] {
        match self {
            Names::Known(ids) => ids,
            Names::Found(_) => &[],
        }
    }

    /// The names of a text, in order.
    pub fn of(text: &str) -> Found {
        let mut finder = Finder::default();
        for c in text.chars() {
            finder.push(c);
        }
        finder.finish()
    }
}

/// Names in one allocation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    text: String,
    ends: Vec<u32>,
}

impl Found {
    /// The names in order of first occurrence.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let mut start = 0;
        self.ends.iter().filter_map(move |end| {
            let name = self.text.get(start..*end as usize);
            start = *end as usize;
            name
        })
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
}

/// Takes a text character by character.
#[derive(Clone, Debug, Default)]
pub struct Finder {
    /// The run of words and joints that is being read.
    run: String,
    joint: Option<char>,
    too_long: bool,
    escaped: bool,
    found: Found,
    seen: BTreeSet<u64>,
    full: bool,
}

impl Finder {
    /// Takes the next character.
    #[inline]
    pub fn push(&mut self, c: char) {
        if self.full {
            return;
        }
        // JSON escapes stand for white space or quotes: `\nname` holds `name`, not `nname`.
        if std::mem::take(&mut self.escaped) && matches!(c, 'n' | 'r' | 't' | 'b' | 'f' | '"' | '/') {
            return self.close();
        }
        match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => self.grow(c),
            '.' | '/' | '-' if !self.run.is_empty() && self.joint.is_none() => self.joint = Some(c),
            _ => {
                self.escaped = c == '\\';
                self.close();
            }
        }
    }

    fn grow(&mut self, c: char) {
        if self.run.len() > *LENGTHS.end() {
            self.too_long = true;
            return;
        }
        self.run.extend(self.joint.take());
        self.run.push(c);
    }

    fn close(&mut self) {
        self.joint = None;
        if self.run.is_empty() {
            return;
        }
        let run = std::mem::take(&mut self.run);
        // A run without end is encoded data, not a name.
        if !std::mem::take(&mut self.too_long) {
            if is_name(&run) {
                self.add(&run);
            } else if run.contains(['.', '/', '-']) {
                run.split(['.', '/', '-']).filter(|word| is_name(word)).for_each(|word| self.add(word));
            }
        }
        self.run = run;
        self.run.clear();
    }

    fn add(&mut self, name: &str) {
        if self.full || !self.seen.insert(xxh3_64(name.as_bytes())) {
            return;
        }
        self.found.text.push_str(name);
        self.found.ends.push(self.found.text.len() as u32);
        self.full = self.found.ends.len() >= MOST_NAMES || self.found.text.len() >= MOST_BYTES;
    }

    /// The names of everything pushed so far.
    pub fn finish(&self) -> Found {
        let mut last = self.clone();
        last.close();
        last.found
    }
}

/// Whether a run of words is an identifier.
fn is_name(run: &str) -> bool {
    if !LENGTHS.contains(&run.len()) {
        return false;
    }
    let bytes = run.as_bytes();
    let count = |class: fn(&u8) -> bool| bytes.iter().filter(|b| class(b)).count();
    let digits = count(u8::is_ascii_digit);
    let joints = count(|b| matches!(b, b'.' | b'/' | b'-'));
    if digits + joints == run.len() {
        // A number, a date, a version.
        return digits >= 4;
    }
    if run.contains('/') {
        // `and/or` is prose; a path has depth or something that words do not have.
        return run.len() >= 6
            && (run.matches('/').count() > 1 || bytes.iter().any(|b| b.is_ascii_uppercase() || b.is_ascii_digit() || matches!(b, b'.' | b'_' | b'-')));
    }
    if let Some((_, ending)) = run.rsplit_once('.') {
        return ENDINGS.iter().any(|e| e.eq_ignore_ascii_case(ending));
    }
    if run.contains('-') {
        return run.len() >= 6 && (digits > 0 || run.matches('-').count() > 1);
    }
    let letters = count(u8::is_ascii_alphabetic);
    if run.len() >= 5 && letters > 0 && run.contains('_') {
        return true;
    }
    let humps = bytes.windows(2).any(|w| matches!(w, [a, b] if (a.is_ascii_lowercase() || a.is_ascii_digit()) && b.is_ascii_uppercase()));
    if run.len() >= 5 && humps {
        return true;
    }
    digits > 0 && run.len() >= 6
}

/// Whether a name is a plain symbol: one word with a letter.
pub fn is_symbol(name: &str) -> bool {
    name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') && name.bytes().any(|b| b.is_ascii_alphabetic() || b == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        Names::of(text).iter().map(str::to_owned).collect()
    }

    #[test]
    fn paths_files_symbols_ids_and_numbers_are_names_and_prose_is_not() {
        assert_eq!(
            names("See src/core/a.rs and/or lib.rs, then call readFile(max_len) on commit 4f2a9c1 in 2026; the API is fine. v1.2"),
            ["src/core/a.rs", "lib.rs", "readFile", "max_len", "4f2a9c1", "2026"]
        );
        assert_eq!(names("client.sendMessage(user-id-7) error-code x.y.z"), ["sendMessage", "user-id-7"]);
        assert_eq!(names("hello world, nothing here. twice twice"), Vec::<String>::new());
    }

    #[test]
    fn each_name_once_in_order_and_json_escapes_are_white_space() {
        assert_eq!(names(r#"{"code":"\nfooBar\tbarBaz \"fooBar\""}"#), ["fooBar", "barBaz"]);
        assert_eq!(names("bB_cc aA_aa bB_cc"), ["bB_cc", "aA_aa"]);
    }

    #[test]
    fn the_collection_is_bounded() {
        let text: String = (0..5_000).map(|i| format!("name_{i} ")).collect();
        assert_eq!(names(&text).len(), MOST_NAMES);
        assert_eq!(names(&"aB".repeat(50_000)), Vec::<String>::new());
    }

    #[test]
    fn a_symbol_is_one_word() {
        assert!(is_symbol("readFile") && is_symbol("max_len"));
        assert!(!is_symbol("a/b.ts") && !is_symbol("2026") && !is_symbol("a-b-c"));
    }
}
