#![no_main]
//! Bytes to a history to every stage; `fuzz/stages.rs` says what must hold.

#[path = "../stages.rs"]
mod stages;

libfuzzer_sys::fuzz_target!(|data: &[u8]| stages::run(data));
