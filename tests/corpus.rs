//! Replays what fuzzing kept: inputs that once broke an invariant, and those that reach the most code.
#![allow(clippy::unwrap_used, reason = "a test may fail")]

#[path = "../fuzz/stages.rs"]
mod stages;

#[test]
fn the_corpus_of_histories_breaks_no_invariant() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/findings");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        stages::run(&std::fs::read(file).unwrap());
    }
}

#[test]
fn bytes_from_a_counter_break_no_invariant() {
    // A small generator of its own: the same bytes everywhere, no dependency.
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    for _ in 0..1_000 {
        let mut bytes = Vec::new();
        for _ in 0..(state % 400) {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            bytes.push((state >> 32) as u8);
        }
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        stages::run(&bytes);
    }
}
