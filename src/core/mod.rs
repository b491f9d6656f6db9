//! The pure half: values in, values out. No async, clock, randomness, I/O, JavaScript or global state.
//!
//! In dependency order; a module may use only what stands above it, and no stage calls another stage:
//! [`ladder`] and [`assemble`] compose them.

pub mod assemble;
pub mod branch;
pub mod config;
pub mod cut;
pub mod drawn;
pub mod error;
pub mod event;
pub mod findings;
pub mod fold;
pub mod frame;
pub mod kept;
pub mod ladder;
pub mod ledger;
pub mod measure;
pub mod next_relief;
pub mod profile;
pub mod reasoning;
pub mod relieve;
pub mod restore;
pub mod session;
mod session_folds;
pub mod session_gauge;
mod session_handles;
mod session_head;
pub mod session_inputs;
mod session_log;
pub mod session_media;
pub mod session_names;
mod session_occupancy;
pub mod session_reasoning;
#[cfg(test)]
mod session_reasoning_tests;
mod session_rows;
pub mod session_state;
pub mod session_view;
pub mod session_window;
pub mod shared;
pub mod state;
pub mod transcript;
pub mod view;
pub mod weights;
mod written;
