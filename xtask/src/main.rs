//! Build steps that need a Rust library instead of an installed tool.
//!
//! `cargo run -p xtask -- bindgen IN.wasm OUTDIR NAME` writes the JavaScript glue for the wasm, the same as
//! the wasm-bindgen command of that version, without having to install it.
//! `cargo run -p xtask -- vocab OUTDIR` writes the token vocabularies the package ships.

mod vocab;

use std::{env, error::Error, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let args: Vec<String> = env::args().skip(1).collect();
    match args.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["bindgen", input, out, name] => bindgen(Path::new(input), Path::new(out), name),
        ["vocab", ..] => vocab::run(args.get(1..).unwrap_or(&[])),
        _ => Err("usage: xtask bindgen IN.wasm OUTDIR NAME | vocab OUTDIR".into()),
    }
}

fn bindgen(input: &Path, out: &Path, name: &str) -> Result<(), Box<dyn Error>> {
    let mut bindgen = wasm_bindgen_cli_support::Bindgen::new();
    bindgen.input_path(input).bundler(true)?.out_name(name).typescript(true).generate(out)?;
    Ok(())
}
