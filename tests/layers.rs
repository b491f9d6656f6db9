//! The shape of the crate: who may use whom, and what the pure half must not contain.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice, reason = "a test may fail")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn files(dir: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|e| e == "rs") {
            found.push(path);
        }
    }
    found
}

/// Code lines of a layer without comments: `(file:line, text)`.
fn code(layer: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(layer);
    let found: Vec<(String, String)> = files(&root)
        .into_iter()
        .flat_map(|path| {
            let name = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap().display().to_string();
            let text = fs::read_to_string(&path).unwrap();
            let lines: Vec<_> = text.lines().enumerate().map(|(i, l)| (format!("{name}:{}", i + 1), l.trim().to_owned())).collect();
            lines
        })
        .filter(|(_, l)| !l.starts_with("//"))
        .collect();
    assert!(found.len() > 50, "the layer `{layer}` is where it was");
    found
}

fn offenders(layer: &str, forbidden: &[&str]) -> Vec<String> {
    code(layer).into_iter().filter(|(_, l)| forbidden.iter().any(|f| l.contains(f))).map(|(at, l)| format!("{at}: {l}")).collect()
}

#[test]
fn dependencies_point_one_way() {
    assert_eq!(offenders("core", &["crate::driver", "crate::wasm"]), Vec::<String>::new());
    assert_eq!(offenders("driver", &["crate::wasm"]), Vec::<String>::new());
}

#[test]
fn only_the_wasm_layer_knows_javascript() {
    for layer in ["core", "driver"] {
        assert_eq!(offenders(layer, &["js_sys", "wasm_bindgen", "JsValue"]), Vec::<String>::new());
    }
}

#[test]
fn the_core_is_values_in_values_out() {
    let forbidden = ["async ", ".await", "thread_local!", "static ", "OnceLock", "LazyLock", "std::fs", "std::time", "std::env", "println!", "unsafe "];
    let found: Vec<String> = offenders("core", &forbidden)
        .into_iter()
        .filter(|l| !l.contains("&'static ") || l.matches("static ").count() > l.matches("'static ").count())
        .collect();
    assert_eq!(found, Vec::<String>::new());
}

#[test]
fn no_stage_calls_another() {
    let stages = ["clamp", "evict", "readback"];
    for stage in stages {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("src/core/relieve/{stage}.rs"));
        let text = fs::read_to_string(file).unwrap();
        for other in stages.iter().filter(|o| **o != stage) {
            // The quoting of a handle is shared wording, not a stage.
            let uses: Vec<&str> =
                text.lines().filter(|l| l.starts_with("use ") && l.contains(&format!("::{other}::")) && !l.ends_with("clamp::quoted;")).collect();
            assert_eq!(uses, Vec::<&str>::new(), "{stage} uses {other}");
        }
    }
}

fn tree(target: &str) -> String {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let out = Command::new(cargo)
        .args(["tree", "--offline", "--locked", "--edges", "normal,build,dev", "--prefix", "none", "--target", target])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap()
}

#[test]
fn neither_tokenizer_nor_regex_is_in_the_wasm_build() {
    let names: Vec<String> = tree("wasm32-unknown-unknown").lines().filter_map(|l| l.split(' ').next().map(str::to_owned)).collect();
    assert!(names.contains(&"wasm-bindgen".into()));
    for heavy in ["tiktoken-rs", "regex", "fancy-regex", "regex-automata", "proptest", "walrus"] {
        assert!(!names.contains(&heavy.into()), "{heavy}");
    }
}
