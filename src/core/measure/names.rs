//! Finds the identifiers a text holds while it streams by: paths, file names, symbols, ids, long numbers.
//!
//! Decides what counts as an identifier, because a name that an agent uses again is what must survive
//! when a text leaves the view. Refuses prose words and single keywords. The result is bounded, does not
//! depend on where the chunks fall, and lists every name once, in the order of first occurrence.

use xxhash_rust::xxh3::xxh3_64;

/// Most different names of one text, and most bytes of them together.
const MOST_NAMES: usize = 512;
const MOST_BYTES: usize = 24 * 1024;
/// Shortest and longest name in bytes.
const LENGTHS: std::ops::RangeInclusive<usize> = 4..=200;
/// How much is kept of a run that goes on in the next chunk; above this it holds no name.
const KEPT: usize = 256;

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
        finder.feed(text);
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

/// What a byte is to a name, as bits.
mod bit {
    pub(super) const LOWER: u8 = 1;
    pub(super) const UPPER: u8 = 2;
    pub(super) const DIGIT: u8 = 4;
    pub(super) const UNDER: u8 = 8;
    pub(super) const JOINT: u8 = 16;
    /// A capital behind a small letter or a digit; no byte has it alone.
    pub(super) const HUMP: u8 = 32;
    pub(super) const WORD: u8 = LOWER | UPPER | DIGIT | UNDER;
}

#[allow(clippy::indexing_slicing, reason = "made when it is compiled")]
const BYTES: [u8; 256] = {
    let mut table = [0; 256];
    let mut at = 0;
    while at < table.len() {
        table[at] = match at as u8 {
            b'a'..=b'z' => bit::LOWER,
            b'A'..=b'Z' => bit::UPPER,
            b'0'..=b'9' => bit::DIGIT,
            b'_' => bit::UNDER,
            b'.' | b'/' | b'-' => bit::JOINT,
            _ => 0,
        };
        at += 1;
    }
    table
};

#[inline(always)]
fn bits(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).map_or(0, |b| BYTES.get(usize::from(*b)).copied().unwrap_or(0))
}

/// Takes a text in chunks.
#[derive(Clone, Debug, Default)]
pub struct Finder {
    /// The run of words and joints that a chunk ended in, a last joint included.
    open: String,
    /// Whether the chunk ended with a backslash.
    escaped: bool,
    found: Found,
    /// Hashes of the names, in order.
    seen: Vec<u64>,
    full: bool,
}

impl Finder {
    /// Takes the next chunk.
    pub fn feed(&mut self, chunk: &str) {
        if self.open.is_empty() {
            return self.scan(chunk);
        }
        // The run of the chunk before goes on, for a moment as a text of its own.
        let bytes = chunk.as_bytes();
        let mut joined = self.open.ends_with(['.', '/', '-']);
        let mut end = 0;
        loop {
            let b = bits(bytes, end);
            joined = match b {
                _ if b & bit::WORD != 0 => false,
                bit::JOINT if !joined => true,
                _ => break,
            };
            end += 1;
        }
        self.keep(chunk.get(..end).unwrap_or(""));
        if end == bytes.len() {
            return;
        }
        let open = std::mem::take(&mut self.open);
        self.run(open.trim_end_matches(['.', '/', '-']));
        self.scan(chunk.get(end..).unwrap_or(""));
    }

    /// Takes a chunk that begins outside a run.
    fn scan(&mut self, chunk: &str) {
        let bytes = chunk.as_bytes();
        let mut at = 0;
        while at < bytes.len() && !self.full {
            // JSON escapes stand for white space or quotes: `\nname` holds `name`, not `nname`.
            if std::mem::take(&mut self.escaped) && matches!(bytes.get(at), Some(b'n' | b'r' | b't' | b'b' | b'f' | b'"' | b'/')) {
                at += 1;
                continue;
            }
            let mut last = bits(bytes, at);
            if last & bit::WORD == 0 {
                self.escaped = bytes.get(at) == Some(&b'\\');
                at += 1;
                continue;
            }
            let (start, mut mask) = (at, last);
            loop {
                at += 1;
                let b = bits(bytes, at);
                if b & bit::WORD != 0 {
                    mask |= b | if b == bit::UPPER && last & (bit::LOWER | bit::DIGIT) != 0 { bit::HUMP } else { 0 };
                } else if b != bit::JOINT || (bits(bytes, at + 1) & bit::WORD == 0 && at + 1 < bytes.len()) {
                    break;
                } else {
                    mask |= b;
                }
                last = b;
            }
            let run = chunk.get(start..at).unwrap_or("");
            if at == bytes.len() {
                self.keep(run);
            } else if mask & bit::JOINT != 0 {
                self.run(run);
            } else if is_word_name(mask, run.len()) {
                self.add(run);
            }
        }
    }

    /// Keeps what a run begins with. Of a long one only its size and how it ends matter: nothing of it is a name.
    fn keep(&mut self, run: &str) {
        self.open.push_str(run);
        if self.open.len() > KEPT {
            let last = self.open.pop();
            self.open.truncate(KEPT - 1);
            self.open.extend(last);
        }
    }

    /// A whole run of words and joints.
    fn run(&mut self, run: &str) {
        // A run without end is encoded data, not a name.
        let end = run.len() - usize::from(run.len() > 1 && bits(run.as_bytes(), run.len() - 2) == bit::JOINT);
        if end > *LENGTHS.end() + 1 {
            return;
        }
        if is_name(run) {
            self.add(run);
        } else if run.contains(['.', '/', '-']) {
            run.split(['.', '/', '-']).filter(|word| is_name(word)).for_each(|word| self.add(word));
        }
    }

    fn add(&mut self, name: &str) {
        if self.full {
            return;
        }
        let hash = xxh3_64(name.as_bytes());
        let Err(place) = self.seen.binary_search(&hash) else { return };
        self.seen.insert(place, hash);
        self.found.text.push_str(name);
        self.found.ends.push(self.found.text.len() as u32);
        self.full = self.found.ends.len() >= MOST_NAMES || self.found.text.len() >= MOST_BYTES;
    }

    /// The names of everything fed.
    pub fn finish(&mut self) -> Found {
        let open = std::mem::take(&mut self.open);
        self.run(open.trim_end_matches(['.', '/', '-']));
        let mut found = std::mem::take(self).found;
        found.text.shrink_to_fit();
        found.ends.shrink_to_fit();
        found
    }
}

/// Whether a word without joints, made of these bytes, is an identifier.
fn is_word_name(mask: u8, len: usize) -> bool {
    LENGTHS.contains(&len)
        && (mask == bit::DIGIT
            || (len >= 5 && (mask & bit::HUMP != 0 || (mask & bit::UNDER != 0 && mask & (bit::LOWER | bit::UPPER) != 0)))
            || (len >= 6 && mask & bit::DIGIT != 0))
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

    #[test]
    fn chunks_change_nothing() {
        let long = "aB9_".repeat(51);
        let text = format!("{{\"code\":\"\\nfooBar\\\\tbarBaz é src/core/a.rs. and/or ..ab-1-y/ {long}/tail_name {} user-id-7\\", "Zz0/".repeat(90));
        let whole = names(&text);
        assert_eq!(whole, ["fooBar", "barBaz", "src/core/a.rs", "ab-1-y", "user-id-7"]);
        for (cut, _) in text.char_indices() {
            for more in [1, 7, 300] {
                let Some((head, rest)) = text.split_at_checked(cut) else { continue };
                let (middle, tail) = rest.split_at_checked(more).unwrap_or((rest, ""));
                let mut finder = Finder::default();
                [head, middle, tail].into_iter().for_each(|chunk| finder.feed(chunk));
                assert_eq!(finder.finish().iter().map(str::to_owned).collect::<Vec<_>>(), whole, "cut at {cut} and {more} behind");
            }
        }
    }
}
