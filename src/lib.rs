//! Keeps a long agent conversation coherent inside a fixed model window.
//!
//! It measures what fills the window, relieves the pressure in a cascade (the cheapest, least destructive
//! step first), folds what must be folded at a safe cut, puts back what may never be lost, and shows all
//! of it. It performs no I/O: the host's callbacks do, so the same logic runs in a browser, a server and
//! an edge worker.
//!
//! # The picture
//!
//! ```text
//!   host's messages ──▶ projection (JS) ──▶ rows: measurements, no text      what the host keeps
//!                                             │                               ▲          ▲
//!            gauge ◀── real counts ───────────┤                               │ commit   │ raw outputs
//!                                             ▼                               │          │
//!                      ladder: clamp ▸ evict ▸ fold ▸ cascade ▸ digest ──▶ decision log ─┘
//!                                             │
//!                      assemble: recipe over the host's own objects, ledger, breakdown, prefix
//!                                             │
//!   view ◀── apply (JS): untouched messages are the host's objects
//! ```
//!
//! # The map
//!
//! *Decide in [`core`], wait in [`driver`], translate in `wasm`, load in `pkg-template`, show in `www`.*
//! Dependencies point one way: wasm → driver → formats → core; `tests/layers.rs` holds them to it.
//!
//! - [`core::transcript`] rows, rounds, turns, and which result answers which call
//! - [`core::measure`] tokens, real counts and their calibration, occupancy, thresholds, breakdown
//! - [`core::relieve`] what needs no model: shorten, evict, read back, drop, digest, and the verdict
//! - [`core::cut`] where a history may be cut, as an intersection of named rules
//! - [`core::fold`] a briefing from the host's summarizer: what is asked, how the answer is judged
//! - [`core::restore`] what is put back: authority, standing orders, the plan
//! - [`core::state`] what survives a restart; [`core::session`] what lives between two calls
//! - [`core::ladder`] the order of relief; [`core::assemble`] the recipe; [`core::ledger`] what became of each row
//! - [`formats`] what a provider rejects, and how a list is healed
//! - [`driver`] the order of effects, generic over a [`driver::Host`]
//!
//! With the feature `tokens` the wasm is the token counter alone, a file of its own for those who only count;
//! the core counts through it, where a program has loaded it.
//!
//! # What always holds
//!
//! 1. Every call and result in a view is complete, but for the open round.
//! 2. Original parts of tail, open round and unread rows are byte-identical and in place.
//! 3. Eviction keeps count, order and ids of messages; a second pass plans nothing.
//! 4. Every hidden byte is readable by its handle, or stub and ledger state the loss.
//! 5. A redacted output is never stored and offers no handle.
//! 6. A view is made of durable decisions only, where the host has a store.
//! 7. Same input, same bytes: no clock, no randomness, no floating-point functions, ordered maps.
//! 8. Buckets plus overhead are the total; the ledger accounts for every row.
//! 9. A host failure at any await leaves history as it was.
//!
//! # What this crate does not do
//!
//! It holds no text of results or of the assistant, talks to no model, writes nowhere and never changes
//! the host's durable history.

pub mod core;
pub mod driver;
pub mod formats;
#[cfg(all(target_arch = "wasm32", feature = "tokens"))]
mod tokens;
#[cfg(all(target_arch = "wasm32", not(feature = "tokens")))]
mod wasm;
