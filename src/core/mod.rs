//! The pure half: values in, values out. No async, clock, randomness, I/O, JavaScript or global state.
//!
//! In dependency order; a module may use only what stands above it, and no stage calls another stage:
//! [`ladder`] and [`assemble`] compose them.

pub mod error;
pub mod branch;
pub mod config;
pub mod measure;
pub mod transcript;
pub mod profile;
pub mod reasoning;
pub mod frame;
pub mod view;
pub mod state;
pub mod relieve;
pub mod session;
pub mod session_gauge;
pub mod session_inputs;
pub mod session_names;
pub mod session_window;
pub mod session_view;
pub mod session_reasoning;
#[cfg(test)]
mod session_reasoning_tests;
pub mod restore;
pub mod cut;
pub mod findings;
pub mod fold;
pub mod ladder;
pub mod next_relief;
pub mod assemble;
pub mod ledger;
pub mod event;
