//! How a host's patch becomes the configuration in force: one strict object, laid over the one before.
//!
//! Decides what is refused and in which words. An unknown key is an error that names the nearest known one,
//! because a typo that is silently ignored looks like a stage that does not work. Refuses to know what a key is for.

use serde_json::{Map, Value};

use super::{Config, out_of_range};
use crate::core::error::{Code, Error};

/// Keys that are absent by default and therefore do not show in a serialised default.
const OPTIONAL: &[&str] = &[
    "eviction.toFraction",
    "eviction.keepAtHard",
    "summarize.tailTokens",
    "summarize.ceilingTokens",
    "summarize.window",
    "orders.tokens",
    "limits.maxImages",
    "limits.maxRequestBytes",
    "limits.maxStringChars",
    "estimate.overhead",
    "estimate.ratio",
    "prices",
    "prices.input",
    "prices.cacheRead",
    "prices.cacheWrite",
    "prices.ttlSeconds",
    "reasoningBinding",
];

/// A section whose keys are the host's own, and what each of them may hold.
const BY_MODEL: (&str, [&str; 3]) = ("summarize.models", ["softFraction", "hardFraction", "ceilingTokens"]);

impl Config {
    /// This configuration with `patch` laid over it. On an error nothing changes.
    ///
    /// Objects merge key by key, `null` puts a key back to its default, everything else replaces.
    pub fn patched(&self, patch: &Value) -> Result<Config, Error> {
        let Value::Object(patch) = patch else {
            return Err(Error::new(Code::BadConfig, "`config` must be an object"));
        };
        let default = to_value(&Config::default())?;
        let mut merged = to_value(self)?;
        let known = known_keys(&default);
        merge(&mut merged, patch, &default, "", &known)?;
        let config: Config = serde_json::from_value(merged.clone()).map_err(|e| type_error(patch, &e))?;
        config.check()?;
        Ok(config)
    }
}

fn to_value(config: &Config) -> Result<Value, Error> {
    serde_json::to_value(config).map_err(|e| Error::new(Code::Internal, e.to_string()))
}

fn type_error(patch: &Map<String, Value>, error: &serde_json::Error) -> Error {
    let mut names = Vec::new();
    leaf_names(patch, "", &mut names);
    // One wrong value is the usual case; then its name can be given for certain.
    for name in &names {
        if let Some(value) = lookup(patch, name)
            && let Some(single) = nest(name, value.clone())
            && let Ok(mut base) = to_value(&Config::default())
        {
            overlay(&mut base, &single);
            if let Err(e) = serde_json::from_value::<Config>(base) {
                return Error::new(Code::BadConfig, format!("`{name}` has the wrong type: {}", plain(&e)));
            }
        }
    }
    Error::new(Code::BadConfig, plain(error))
}

/// Serde's sentence without its talk of lines and Rust types.
fn plain(e: &serde_json::Error) -> String {
    let s = e.to_string();
    let s = s.split(" at line").next().unwrap_or(&s);
    s.replace("u32", "a whole number of at least 0").replace("u64", "a whole number of at least 0").replace("f64", "a number")
}

fn lookup<'a>(map: &'a Map<String, Value>, path: &str) -> Option<&'a Value> {
    let (head, rest) = path.split_once('.').map_or((path, None), |(h, r)| (h, Some(r)));
    match (map.get(head), rest) {
        (Some(v), None) => Some(v),
        (Some(Value::Object(inner)), Some(rest)) => lookup(inner, rest),
        _ => None,
    }
}

fn nest(path: &str, value: Value) -> Option<Value> {
    path.rsplit('.').try_fold(value, |v, key| {
        let mut map = Map::new();
        map.insert(key.to_owned(), v);
        Some(Value::Object(map))
    })
}

fn overlay(base: &mut Value, patch: &Value) {
    match (base, patch) {
        (Value::Object(b), Value::Object(p)) => {
            for (k, v) in p {
                overlay(b.entry(k.clone()).or_insert(Value::Null), v);
            }
        }
        (b, p) => *b = p.clone(),
    }
}

fn leaf_names(map: &Map<String, Value>, prefix: &str, out: &mut Vec<String>) {
    for (k, v) in map {
        let path = join(prefix, k);
        match v {
            Value::Object(inner) => leaf_names(inner, &path, out),
            _ => out.push(path),
        }
    }
}

fn join(prefix: &str, key: &str) -> String {
    if prefix.is_empty() { key.to_owned() } else { format!("{prefix}.{key}") }
}

fn known_keys(default: &Value) -> Vec<String> {
    fn walk(v: &Value, prefix: &str, out: &mut Vec<String>) {
        if let Value::Object(map) = v {
            for (k, v) in map {
                let path = join(prefix, k);
                walk(v, &path, out);
                out.push(path);
            }
        }
    }
    let mut keys = Vec::new();
    walk(default, "", &mut keys);
    keys.extend(OPTIONAL.iter().map(|k| (*k).to_owned()));
    keys
}

fn merge(base: &mut Value, patch: &Map<String, Value>, default: &Value, prefix: &str, known: &[String]) -> Result<(), Error> {
    let Value::Object(map) = base else { return Ok(()) };
    for (key, value) in patch {
        let path = join(prefix, key);
        if !known.contains(&path) {
            let near = nearest(&path, known);
            return Err(Error::new(Code::BadConfig, format!("`{path}` is not a configuration key; the nearest is `{near}`")));
        }
        let usual = default.get(key).cloned().unwrap_or(Value::Null);
        match value {
            Value::Object(models) if path == BY_MODEL.0 => {
                let slot = map.entry(key.clone()).or_insert_with(|| Value::Object(Map::new()));
                merge_models(slot, models)?;
            }
            Value::Null if usual.is_null() => {
                map.remove(key);
            }
            Value::Null => {
                map.insert(key.clone(), usual);
            }
            Value::Object(inner) => {
                let slot = map.entry(key.clone()).or_insert_with(|| Value::Object(Map::new()));
                merge(slot, inner, &usual, &path, known)?;
            }
            other => {
                map.insert(key.clone(), other.clone());
            }
        }
    }
    Ok(())
}

/// The host's own names on the first level, known keys below; `null` takes a model's entry away.
fn merge_models(base: &mut Value, patch: &Map<String, Value>) -> Result<(), Error> {
    let Value::Object(map) = base else { return Ok(()) };
    let known: Vec<String> = BY_MODEL.1.iter().map(|k| (*k).to_owned()).collect();
    for (id, own) in patch {
        match own {
            Value::Null => {
                map.remove(id);
            }
            Value::Object(own) => {
                let slot = map.entry(id.clone()).or_insert_with(|| Value::Object(Map::new()));
                merge(slot, own, &Value::Null, "", &known).map_err(|e| Error::new(e.code, e.message.replacen('`', &format!("`{}.{id}.", BY_MODEL.0), 1)))?;
            }
            _ => return Err(out_of_range(&format!("{}.{id}", BY_MODEL.0), "an object with softFraction, hardFraction or ceilingTokens")),
        }
    }
    Ok(())
}

fn nearest<'a>(key: &str, known: &'a [String]) -> &'a str {
    known.iter().min_by_key(|k| distance(key, k)).map_or("", String::as_str)
}

/// Edits that turn one key into the other; keys are short, so the plain table will do.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut last = i;
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
        for (j, cb) in b.iter().enumerate() {
            let left = row.get(j).copied().unwrap_or(0);
            if let Some(cell) = row.get_mut(j + 1) {
                let next = if ca == *cb { last } else { 1 + last.min(*cell).min(left) };
                last = std::mem::replace(cell, next);
            }
        }
    }
    row.last().copied().unwrap_or(0)
}
