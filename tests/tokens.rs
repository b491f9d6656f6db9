//! Exact counts: the same as tiktoken-rs on every text, whatever the chunks, in linear time, without a panic.
//!
//! `FUZZ=100000 cargo test --release --test tokens` runs the long fuzz. Vocabularies are taken from
//! `target/vocab` and made there first when they are missing.
#![cfg(not(target_arch = "wasm32"))]
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, clippy::string_slice, clippy::disallowed_types, clippy::disallowed_methods)]

use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Once;
use std::time::{Duration, Instant};

use gentle_cascade::core::measure::bpe::{Builder, Counter, ENCODINGS, Encoding, Tokenizer};
use tiktoken_rs::CoreBPE;
use tiktoken_rs::tokenizer::{Tokenizer as Name, get_tokenizer};

#[allow(dead_code)]
#[path = "../xtask/src/vocab.rs"]
mod vocab;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn file(encoding: Encoding) -> Vec<u8> {
    static MADE: Once = Once::new();
    let folder = root().join("target/vocab");
    MADE.call_once(|| {
        if ENCODINGS.iter().any(|e| !folder.join(format!("{}.pairs", e.file())).exists()) {
            vocab::run(&[folder.display().to_string()]).unwrap();
        }
    });
    std::fs::read(folder.join(format!("{}.pairs", encoding.file()))).unwrap()
}

fn tokenizer(encoding: Encoding) -> Rc<Tokenizer> {
    Rc::new(Builder::new(encoding, file(encoding)).unwrap().finish().unwrap())
}

fn oracle(encoding: Encoding) -> &'static CoreBPE {
    match encoding {
        Encoding::O200kBase | Encoding::O200kHarmony => tiktoken_rs::o200k_base_singleton(),
        Encoding::Cl100kBase => tiktoken_rs::cl100k_base_singleton(),
        Encoding::P50kBase => tiktoken_rs::p50k_base_singleton(),
        Encoding::R50kBase => tiktoken_rs::r50k_base_singleton(),
    }
}

/// Reproducible noise (xorshift).
struct Noise(u64);

impl Noise {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % n
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn character(&mut self) -> char {
        loop {
            let end = [0x80, 0x800, 0x3000, 0x1_0000, 0x11_0000][self.below(5)];
            if let Some(c) = char::from_u32(self.below(end) as u32) {
                return c;
            }
        }
    }
}

/// What splits, joins and confuses.
const ATOMS: &[&str] = &[
    "a",
    "A",
    "b",
    "Z",
    "foo",
    "Bar",
    "HTTP",
    "s",
    "t",
    "re",
    "'",
    "'s",
    "'S",
    "'re",
    "'LL",
    "'ſ",
    "ſ",
    "'ve",
    "’",
    " ",
    "  ",
    "   ",
    "\t",
    "\n",
    "\r",
    "\r\n",
    "\n\n",
    " \n",
    "\n ",
    "\u{b}",
    "\u{c}",
    "\u{85}",
    "\u{a0}",
    "\u{2028}",
    "\u{3000}",
    "\u{feff}",
    "\u{200b}",
    "\u{200d}",
    "0",
    "12",
    "345",
    "6789",
    "½",
    "٣",
    "(",
    "((",
    "/",
    "//",
    "(\n/",
    "{\n",
    "=-",
    "_",
    "__",
    "*",
    "é",
    "É",
    "e\u{301}",
    "\u{301}",
    "\u{301}\u{302}",
    "ß",
    "ǅ",
    "ʰ",
    "日",
    "本語",
    "中文字",
    "的",
    "ひらがな",
    "カタカナ",
    "한국어",
    "Привет",
    "мир",
    "ЁЖ",
    "ไทย",
    "हिन्दी",
    "עברית",
    "العربية",
    "😀",
    "👨‍👩‍👧‍👦",
    "🇩🇪",
    "❤️",
    "\0",
    "\u{7f}",
    "<|endoftext|>",
    "<|",
    "|>",
    "\u{fffd}",
    "\u{10ffff}",
    "ϐ",
    "aaaaaaaa",
    "        ",
    "--------",
    "========",
    "\u{1}",
    "don't",
    "I'm",
    "camelCase",
    "XMLHttp",
    "x1y2",
    "的的的的",
    "\u{fe0f}",
    "א",
    "ᾈ",
    "ⅷ",
    "²",
];

/// Runs of these become pieces of thousands of bytes.
const RUNS: &[&str] = &[
    "a",
    "A",
    "日A",
    "日",
    "AAAAB",
    " ",
    "\n",
    " \n",
    "\t",
    "   \n",
    "-",
    "=-",
    "\u{a0}",
    "Я",
    "я",
    "字",
    "\u{301}",
    "=\n",
    "/",
    "\n/",
    "0",
    "😀",
    "ab",
    "Ab",
    "A\u{301}",
    "===\u{301}",
    "\n\n   ",
    "1",
];

fn hostile(noise: &mut Noise, i: usize) -> String {
    let length = 1 + noise.below(if i.is_multiple_of(10) { 200 } else { 30 });
    let few: Vec<&str> = (0..1 + noise.below(6)).map(|_| noise.one(ATOMS)).collect();
    let kind = noise.below(4);
    let mut text = String::new();
    for _ in 0..length {
        match kind {
            0 => text.push_str(noise.one(ATOMS)),
            1 => text.push_str(noise.one(&few)),
            2 => text.push(noise.character()),
            _ => {
                text.push(noise.below(128) as u8 as char);
                if noise.below(3) == 0 {
                    text.push_str(noise.one(ATOMS));
                }
            }
        }
    }
    text
}

fn fuzz_strings() -> usize {
    std::env::var("FUZZ").ok().and_then(|n| n.parse().ok()).unwrap_or(2_000)
}

#[test]
fn hostile_strings_count_as_the_reference_counts_them() {
    for encoding in ENCODINGS {
        let (ours, reference) = (tokenizer(encoding), oracle(encoding));
        let strings = if matches!(encoding, Encoding::O200kBase | Encoding::Cl100kBase) { fuzz_strings() } else { fuzz_strings() / 4 };
        let mut noise = Noise(0x5eed + encoding as u64);
        for i in 0..strings {
            let text = hostile(&mut noise, i);
            assert_eq!(ours.count(text.as_bytes()) as usize, reference.count_ordinary(&text), "{} {text:?}", encoding.name());
        }
    }
}

#[test]
fn chunks_make_no_difference_even_inside_a_character() {
    let rounds = fuzz_strings() / 40;
    for encoding in ENCODINGS {
        let ours = tokenizer(encoding);
        let mut noise = Noise(0xc0de + encoding as u64);
        for i in 0..rounds {
            let mut text = String::new();
            for _ in 0..1 + noise.below(4) {
                for _ in 0..noise.below(6) {
                    text.push_str(noise.one(ATOMS));
                }
                if i.is_multiple_of(3) {
                    let unit = noise.one(RUNS);
                    text.push_str(&unit.repeat(noise.below(9_000 / unit.len())));
                }
            }
            let whole = ours.count(text.as_bytes());
            let most = [1, 3, 17, 300, 5_000][noise.below(5)];
            let mut counter = Counter::new(ours.clone());
            let mut at = 0;
            while at < text.len() {
                let to = text.len().min(at + 1 + noise.below(most));
                counter.feed(&text.as_bytes()[at..to]);
                at = to;
                if noise.below(60) == 0 && text.is_char_boundary(at) {
                    assert_eq!(counter.finish(), ours.count(&text.as_bytes()[..at]), "{} so far", encoding.name());
                }
            }
            assert_eq!(counter.finish(), whole, "{} in chunks up to {most}: {:?}…", encoding.name(), text.chars().take(40).collect::<String>());
            assert!(counter.settled() <= whole);
        }
    }
}

/// Texts of the project, and the transcripts beside it where they are.
fn corpora() -> Vec<(PathBuf, String)> {
    fn files(folder: &Path, out: &mut Vec<PathBuf>) {
        let mut entries: Vec<_> = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                files(&path, out);
            } else if path.extension().is_some_and(|e| ["rs", "md", "json", "jsonl", "js", "txt"].iter().any(|x| e == *x)) {
                out.push(path);
            }
        }
    }
    let mut found = Vec::new();
    files(&root().join("src"), &mut found);
    let data = root().join("../shared/data");
    if data.exists() {
        files(&data, &mut found);
    } else {
        eprintln!("SKIPPED: no transcripts at ../shared/data; only the project's own files are compared");
    }
    // The whole lot takes minutes without optimisation; the start of every file does by default.
    let most = if std::env::var("FUZZ").is_ok() { usize::MAX } else { 20_000 };
    found
        .into_iter()
        .filter_map(|path| {
            let bytes = std::fs::read(&path).ok()?;
            let text = String::from_utf8_lossy(&bytes[..bytes.len().min(most)]).into_owned();
            Some((path, text))
        })
        .collect()
}

#[test]
fn files_and_transcripts_count_as_the_reference_counts_them() {
    for encoding in [Encoding::O200kBase, Encoding::Cl100kBase] {
        let (ours, reference) = (tokenizer(encoding), oracle(encoding));
        for (path, text) in corpora() {
            let mut counter = Counter::new(ours.clone());
            text.as_bytes().chunks(64 << 10).for_each(|chunk| counter.feed(chunk));
            assert_eq!(counter.finish() as usize, reference.count_ordinary(&text), "{} {}", encoding.name(), path.display());
        }
    }
}

#[test]
fn known_counts() {
    let o200k = tokenizer(Encoding::O200kBase);
    let count = |text: &str| o200k.count(text.as_bytes());
    assert_eq!(count(""), 0);
    assert_eq!(count("hello world"), 2);
    assert_eq!(count("<|endoftext|>"), 7, "a special token's name is text");
    assert_eq!(count("don't"), 1);
    assert_eq!(count(&"a".repeat(100_000)), 12_500);
    assert_eq!(count(&" ".repeat(128)), 1);
    assert_eq!(tokenizer(Encoding::O200kHarmony).count(b"hello world"), 2);
    assert_eq!(tokenizer(Encoding::Cl100kBase).count(b"don't stop"), 3);
}

/// 20,000 underscores took other counters a third of a second, and a million blanks overflow the reference's stack.
#[test]
fn repeated_characters_cost_no_more_than_other_text() {
    let ours = tokenizer(Encoding::O200kBase);
    let time = |text: &str| {
        let begun = Instant::now();
        let tokens = ours.count(text.as_bytes());
        (tokens, begun.elapsed().max(Duration::from_millis(1)))
    };
    let prose: String = (0..40_000).map(|i| format!("The patient number {i} was stable. ")).collect();
    let (_, usual) = time(&prose[..1_000_000]);
    for unit in ["a", "_", " ", "^", "-", "=", "\n", "\t", "#", "=-", "AbCd", "\0"] {
        let text = unit.repeat(1_000_000 / unit.len());
        let (whole, took) = time(&text);
        assert!(took < usual * 40, "{unit:?} took {took:?}, prose {usual:?}");
        let mut counter = Counter::new(ours.clone());
        text.as_bytes().chunks(60_000).for_each(|chunk| counter.feed(chunk));
        assert_eq!(counter.finish(), whole, "{unit:?} in chunks");
    }
    assert_eq!(time(&"a".repeat(1_000_000)).0, 125_000);
    let blanks = 100_000;
    assert_eq!(time(&" ".repeat(blanks)).0 as usize, oracle(Encoding::O200kBase).count_ordinary(&" ".repeat(blanks)));
}

#[test]
fn bytes_that_are_no_text_are_no_fault() {
    for encoding in ENCODINGS {
        let ours = tokenizer(encoding);
        let mut noise = Noise(77);
        for _ in 0..300 {
            let bytes: Vec<u8> = (0..noise.below(300)).map(|_| noise.below(256) as u8).collect();
            assert!(ours.count(&bytes) as usize <= bytes.len());
            let mut counter = Counter::new(ours.clone());
            bytes.chunks(1 + noise.below(9)).for_each(|chunk| counter.feed(chunk));
            assert!(counter.finish() as usize <= bytes.len());
        }
        assert!(ours.count(&[0xe6, 0x97]) >= 1);
    }
}

#[test]
fn a_vocabulary_that_is_not_one_is_refused() {
    let good = file(Encoding::Cl100kBase);
    let says = |encoding, bytes: &[u8]| match Builder::new(encoding, bytes.to_vec()).and_then(Builder::finish) {
        Ok(_) => "accepted".to_owned(),
        Err(error) => error.to_string(),
    };
    assert_eq!(says(Encoding::Cl100kBase, &good), "accepted");
    assert!(says(Encoding::O200kBase, &good).starts_with("bad_input: `vocabulary` belongs to another encoding"));
    assert!(says(Encoding::Cl100kBase, &good[..good.len() - 1]).contains("cut off"));
    assert!(says(Encoding::Cl100kBase, b"").contains("not a vocabulary file"));
    let mut doubled = good.clone();
    doubled[11] = doubled[10];
    assert!(says(Encoding::Cl100kBase, &doubled).contains("lacks a single byte"));
    let mut damaged = good.clone();
    damaged[266] = 9;
    assert!(says(Encoding::Cl100kBase, &damaged).contains("damaged at token 256"));
    // Any single wrong byte is refused or counted with, never a panic.
    let mut noise = Noise(3);
    for _ in 0..20 {
        let mut bytes = good.clone();
        let at = noise.below(bytes.len());
        bytes[at] = noise.below(256) as u8;
        if let Ok(tokenizer) = Builder::new(Encoding::Cl100kBase, bytes).and_then(Builder::finish) {
            assert!(tokenizer.count(b"The quick brown fox; aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa") > 0);
        }
    }
}

#[test]
fn slices_of_any_size_build_the_same() {
    let mut builder = Builder::new(Encoding::O200kBase, file(Encoding::O200kBase)).unwrap();
    let mut steps = 0;
    while !builder.step(777 + steps).unwrap() {
        steps += 1;
    }
    assert_eq!(builder.left(), 0);
    assert!(steps > 100);
    let sliced = builder.finish().unwrap();
    let at_once = tokenizer(Encoding::O200kBase);
    let mut noise = Noise(5);
    for i in 0..300 {
        let text = hostile(&mut noise, i);
        assert_eq!(sliced.count(text.as_bytes()), at_once.count(text.as_bytes()));
    }
}

#[test]
fn the_class_table_is_the_reference_s_unicode_version() {
    let made = std::env::temp_dir().join(format!("classes-{}.bin", std::process::id()));
    vocab::run(&["--classes".to_owned(), made.display().to_string()]).unwrap();
    let fresh = std::fs::read(&made).unwrap();
    std::fs::remove_file(&made).unwrap();
    assert!(fresh == std::fs::read(root().join("src/core/measure/bpe/classes.bin")).unwrap(), "run `cargo run -p xtask -- vocab --classes` again");
}

#[test]
fn models_use_the_encodings_the_reference_says() {
    let names = [
        "gpt-5",
        "gpt-5-mini",
        "gpt-5.2-codex",
        "gpt-4.1",
        "gpt-4.1-mini",
        "gpt-4o",
        "gpt-4o-2024-05-13",
        "chatgpt-4o-latest",
        "o1",
        "o1-mini",
        "o3",
        "o3-pro",
        "o4-mini",
        "o4-mini-high",
        "codex-mini-latest",
        "gpt-4",
        "gpt-4-turbo-2024-04-09",
        "gpt-4-32k",
        "gpt-3.5-turbo",
        "gpt-35-turbo-16k",
        "text-embedding-3-large",
        "text-embedding-ada-002",
        "gpt-oss-20b",
        "text-davinci-003",
        "code-davinci-002",
        "davinci",
        "gpt2",
        "ft:gpt-4o:org:name:id",
        "claude-opus-4",
        "gemini-3-pro",
        "gpt-6",
        "foo",
        "",
    ];
    for name in names {
        let theirs = get_tokenizer(name).map(|t| match t {
            Name::O200kBase => Encoding::O200kBase,
            Name::O200kHarmony => Encoding::O200kHarmony,
            Name::Cl100kBase => Encoding::Cl100kBase,
            Name::P50kBase | Name::P50kEdit => Encoding::P50kBase,
            Name::R50kBase | Name::Gpt2 => Encoding::R50kBase,
        });
        assert_eq!(Encoding::for_model(name), theirs, "{name}");
    }
    assert_eq!(Encoding::for_model("openai/gpt-5"), Some(Encoding::O200kBase));
    assert_eq!(Encoding::for_model("azure/gpt-35-turbo"), Some(Encoding::Cl100kBase));
}
