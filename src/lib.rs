//! Keeps a long agent conversation coherent inside a fixed model window.

pub mod core;
pub mod driver;
#[cfg(target_arch = "wasm32")]
mod wasm;
