//! Writes the token counter's data from the reference tokenizer.
//!
//! `cargo run -p xtask -- vocab OUTDIR [NAME…]` writes one `NAME.pairs` per encoding (build output, not
//! committed). `cargo run -p xtask -- vocab --classes FILE` writes the character class table that is
//! committed beside the splitter, from the same Unicode tables the reference's regular expressions use.
//!
//! Decides the file formats. Refuses to know how the counter uses them; `vocab.rs` and `classes.rs` of
//! the core read them and say what each byte means.
#![allow(clippy::disallowed_types, reason = "order does not matter here, speed does")]

use std::{collections::HashMap, error::Error, fs, path::Path};

use tiktoken_rs::CoreBPE;

type Failure = Box<dyn Error>;

/// File name, id byte in the header, number of ordinary tokens, constructor.
type Source = (&'static str, u8, u32, fn() -> Result<CoreBPE, Failure>);

const SOURCES: [Source; 4] = [
    ("o200k", 1, 199_998, || Ok(tiktoken_rs::o200k_base()?)),
    ("cl100k", 2, 100_256, || Ok(tiktoken_rs::cl100k_base()?)),
    ("p50k", 3, 50_281, || Ok(tiktoken_rs::p50k_base()?)),
    ("r50k", 4, 50_256, || Ok(tiktoken_rs::r50k_base()?)),
];

/// Runs the step: `OUTDIR [NAME…]` or `--classes FILE`.
pub fn run(args: &[String]) -> Result<(), Failure> {
    match args {
        [flag, file] if flag == "--classes" => Ok(fs::write(file, classes()?)?),
        [out, names @ ..] if !out.starts_with('-') => {
            fs::create_dir_all(out)?;
            for (name, id, tokens, open) in SOURCES {
                if names.is_empty() || names.iter().any(|n| n == name) {
                    let bytes = pairs(&open()?, id, tokens)?;
                    fs::write(Path::new(out).join(format!("{name}.pairs")), bytes)?;
                }
            }
            Ok(())
        }
        _ => Err("usage: xtask vocab OUTDIR [o200k|cl100k|p50k|r50k …] or xtask vocab --classes FILE".into()),
    }
}

/// The vocabulary as the pair of earlier tokens each token is merged from, in rank order.
///
/// Every token of these vocabularies that is not a single byte is the merge of exactly two earlier ones,
/// so the byte strings need not be shipped. One plane per byte of each number: planes compress better.
fn pairs(bpe: &CoreBPE, id: u8, tokens: u32) -> Result<Vec<u8>, Failure> {
    let mut index: HashMap<Vec<u8>, u32> = HashMap::new();
    let mut order = Vec::new();
    // Rank 50,256 of p50k is a special token: ranks here are consecutive, only their order counts.
    for rank in 0..tokens {
        let bytes = bpe.decode_bytes(&[rank])?;
        if bytes == b"<|endoftext|>" {
            continue;
        }
        index.insert(bytes.clone(), order.len() as u32);
        order.push(bytes);
    }
    let mut out = b"GCBP\x01".to_vec();
    out.push(id);
    out.extend((order.len() as u32 - 256).to_le_bytes());
    for byte in &order[..256] {
        let [one] = byte[..] else { return Err("the first 256 tokens must be the single bytes".into()) };
        out.push(one);
    }
    let merged: Vec<(u32, u32)> =
        order[256..].iter().map(|bytes| halves(bytes, &index)).collect::<Option<_>>().ok_or("a token is no merge of two earlier ones")?;
    for shift in [16, 8, 0] {
        out.extend(merged.iter().map(|(left, _)| (left >> shift) as u8));
    }
    for shift in [16, 8, 0] {
        out.extend(merged.iter().map(|(_, right)| (right >> shift) as u8));
    }
    Ok(out)
}

/// Merges the token's bytes by lower ranks only, until two parts are left.
fn halves(bytes: &[u8], index: &HashMap<Vec<u8>, u32>) -> Option<(u32, u32)> {
    let own = *index.get(bytes)?;
    let mut ends: Vec<usize> = (0..=bytes.len()).collect();
    while ends.len() > 3 {
        let (_, at) = (0..ends.len() - 2).filter_map(|i| index.get(&bytes[ends[i]..ends[i + 2]]).filter(|r| **r < own).map(|r| (*r, i))).min()?;
        ends.remove(at + 1);
    }
    Some((*index.get(&bytes[..ends[1]])?, *index.get(&bytes[ends[1]..])?))
}

/// The classes the splitter tells apart, in the order of their numbers from 1; 0 is everything else.
const CLASSES: [&str; 7] = [r"[\p{Lu}\p{Lt}]", r"\p{Ll}", r"[\p{Lm}\p{Lo}]", r"\p{M}", r"\p{N}", r"[\s&&[^\r\n]]", r"[\r\n]"];

/// Runs over all code points: class in the low 3 bits, length above, as a little-endian base-128 number.
fn classes() -> Result<Vec<u8>, Failure> {
    let mut table = vec![0u8; 0x11_0000];
    for (i, pattern) in CLASSES.iter().enumerate() {
        let hir = regex_syntax::parse(pattern)?;
        let regex_syntax::hir::HirKind::Class(regex_syntax::hir::Class::Unicode(class)) = hir.kind() else {
            return Err("not a character class".into());
        };
        for range in class.ranges() {
            table[range.start() as usize..=range.end() as usize].fill(i as u8 + 1);
        }
    }
    let mut out = Vec::new();
    for run in table.chunk_by(|a, b| a == b) {
        let mut n = run.len() << 3 | run[0] as usize;
        while n >= 128 {
            out.push(n as u8 | 128);
            n >>= 7;
        }
        out.push(n as u8);
    }
    Ok(out)
}
