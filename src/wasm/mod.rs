//! Translates: decode, call, encode. The only code that knows JavaScript.
//!
//! Exports are plain functions, one class, and the jobs its calls become; all of them take `&self`, so
//! that a call from inside a callback and a `free` in flight are harmless. Parameters cross as `JsValue` and are decoded
//! inside the body, where a failure is a value.

mod core;
mod core_folds;
mod core_rows;
mod core_settings;
mod core_views;
mod cuts;
mod exact;
mod facts;
mod history;
mod host;
mod job;
mod lexical;
mod model;
mod projector;
mod pure;
mod text;
mod value;

use wasm_bindgen::prelude::wasm_bindgen;

/// Runs once when the module is linked.
#[wasm_bindgen(start)]
pub fn start() {
    #[cfg(debug_assertions)]
    console_error_panic_hook::set_once();
}

/// The version of the core.
#[wasm_bindgen(js_name = coreVersion)]
pub fn core_version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}
