//! Keeps a long agent conversation coherent inside a fixed model window.

pub mod core;
pub mod driver;
pub mod formats;
#[cfg(target_arch = "wasm32")]
mod wasm;
