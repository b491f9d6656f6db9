//! Finds older rows by their words: BM25 over postings, the texts themselves are not kept.
//!
//! Decides what a term is ([`terms`]), how rows are ranked ([`index`]) and which lines of a row are quoted
//! ([`snippet`]). Refuses to be durable: the index is made anew in every process, so that another version
//! of the Unicode tables never meets an old one.

pub mod index;
pub mod snippet;
pub mod terms;

pub use index::Index;
