//! Exact token counts by byte-pair encoding, without a regular-expression engine.
//!
//! ```text
//! text ──window / split──▶ pieces ──memo──▶ known? its tokens
//!                                     └───▶ merge: search over the vocabulary
//! ```
//!
//! [`Builder`] turns a `.pairs` file into a [`Tokenizer`] in slices, [`Counter`] counts a text that comes in
//! chunks. Nothing here panics on any text, and nothing takes more than linear time: a run of a million
//! blanks is a text like another. The oracle is `tiktoken-rs`, in native tests only.

mod build;
mod classes;
mod counter;
mod encoding;
mod lanes;
mod memo;
mod merge;
mod piece;
mod run;
mod short;
mod split;
mod vocab;
mod walk;
mod window;
mod words;

pub use build::Builder;
pub use counter::{Counter, Tokenizer};
pub use encoding::{ENCODINGS, Encoding};
