//! Every knob with its unit, default and range, in one place.
//!
//! Decides what a valid configuration is: one strict object, read as a patch over the one in force.
//! Refuses to know what the stages do with it. An unknown key is an error that names the nearest known
//! one, because a typo that is silently ignored looks like a stage that does not work.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::error::{Code, Error};

/// The whole configuration. Fractions are of the model's window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Config {
    /// Old tool results become stubs.
    pub eviction: Eviction,
    /// Identical or superseded results become stubs when an eviction happens anyway.
    pub dedupe: Dedupe,
    /// Old rounds become a briefing.
    pub summarize: Summarize,
    /// The cap on one tool result, and whether the full text is kept.
    pub tool_output: ToolOutput,
    /// The rule-based relief used when no fold is possible.
    pub cascade: Switch,
    /// The digest inside one very long turn.
    pub digest: Digest,
    /// The `<plan>` block after a fold.
    pub recitation: OptIn,
    /// Facts lifted out of a span before it is folded.
    pub memory_promotion: MemoryPromotion,
    /// The event that suggests a new session.
    pub handoff_nudge: HandoffNudge,
    /// Older messages brought back for a new question.
    pub retrieval: Retrieval,
    /// The user's own instructions, kept verbatim.
    pub orders: Orders,
    /// Media prices the estimate falls back to.
    pub media: Media,
    /// Provider limits besides the window.
    pub limits: Limits,
    /// How tokens are estimated.
    pub estimate: Estimate,
    /// Cache prices, relative to one uncached input token.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prices: Option<Prices>,
    /// How long `next` waits for a fold that is already being made, in milliseconds.
    pub hard_wait_ms: HardWait,
    /// What the model binds its reasoning blocks to; absent means what the model table says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reasoning_binding: Option<ReasoningBinding>,
    /// What an edit does to bound reasoning behind it.
    pub reasoning_on_edit: ReasoningOnEdit,
}

macro_rules! section {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident : $ty:ty = $default:expr,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "camelCase", default)]
        pub struct $name { $($(#[$field_doc])* pub $field: $ty,)* }
        impl Default for $name {
            fn default() -> Self { $name { $($field: $default,)* } }
        }
    };
}

section! {
    /// Stage `evict`.
    Eviction {
        /// Off drops the stage.
        enabled: bool = true,
        /// Occupancy, as a fraction of the window, from which it acts.
        at_fraction: f64 = 0.5,
        /// Occupancy it goes down to in one batch; absent means half of `atFraction`.
        #[serde(skip_serializing_if = "Option::is_none")]
        to_fraction: Option<f64> = None,
        /// Newest closed rounds with results that stay whole.
        keep_recent_rounds: u32 = 3,
        /// Net tokens a pass must free, else it does not act.
        clear_at_least: u32 = 2_000,
        /// Smaller results are not worth a stub.
        min_result_tokens: u32 = 200,
        /// Tools whose newest result stays.
        protect: Vec<String> = Vec::new(),
        /// Whether oversized arguments of old calls may be shortened too.
        inputs: bool = false,
        /// Newest rounds that stay whole once occupancy is at hard; absent means `keepRecentRounds`.
        #[serde(skip_serializing_if = "Option::is_none")]
        keep_at_hard: Option<u32> = None,
        /// Whether, at hard, the oldest spent rounds may go behind one line that reads them back.
        rounds: bool = false,
    }
}

section! {
    /// Part of the evict pass.
    Dedupe {
        /// Off leaves duplicates to age like any other result.
        enabled: bool = true,
        /// Tools whose newer result replaces an older one on the same target.
        supersede: Vec<String> = Vec::new(),
    }
}

section! {
    /// Stage `fold`.
    Summarize {
        /// Off drops the stage.
        enabled: bool = true,
        /// Occupancy from which a fold is made in the background.
        soft_fraction: f64 = 0.6,
        /// Occupancy from which `next` waits for it.
        hard_fraction: f64 = 0.9,
        /// Off makes the fold synchronous at the soft threshold.
        background: bool = true,
        /// Newest messages that stay verbatim.
        keep_recent: u32 = 8,
        /// Newest closed assistant rounds that stay verbatim.
        keep_rounds: u32 = 2,
        /// Upper bound of the verbatim tail in tokens; absent means min(20,000, soft / 2).
        #[serde(skip_serializing_if = "Option::is_none")]
        tail_tokens: Option<u32> = None,
        /// Absolute occupancy that lowers both thresholds to itself.
        #[serde(skip_serializing_if = "Option::is_none")]
        ceiling_tokens: Option<u32> = None,
        /// Briefings longer than this are condensed.
        reflect_tokens: u32 = 4_000,
        /// The summarizer's own window; absent means the model's.
        #[serde(skip_serializing_if = "Option::is_none")]
        window: Option<u32> = None,
        /// Thresholds of single models, by id, in place of the ones above.
        models: BTreeMap<String, OwnThresholds> = BTreeMap::new(),
    }
}

/// Where one model folds; what is absent is as for all.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct OwnThresholds {
    /// As `softFraction`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub soft_fraction: Option<f64>,
    /// As `hardFraction`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hard_fraction: Option<f64>,
    /// As `ceilingTokens`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ceiling_tokens: Option<u32>,
}

section! {
    /// Stage `clamp`.
    ToolOutput {
        /// Longest result in UTF-16 code units.
        max_chars: u32 = 24_000,
        /// Whether full outputs are handed to the host's raw store.
        persist_raw: bool = true,
        /// Longest stored output in UTF-8 bytes.
        raw_cap_bytes: u32 = 2_000_000,
    }
}

section! {
    /// A stage that is on unless switched off.
    Switch {
        /// Off drops the stage.
        enabled: bool = true,
    }
}

section! {
    /// A stage that is off unless switched on.
    OptIn {
        /// On adds the stage.
        enabled: bool = false,
    }
}

section! {
    /// The in-turn digest.
    Digest {
        /// Occupancy from which it acts.
        at_fraction: f64 = 0.95,
    }
}

section! {
    /// What becomes of durable facts.
    MemoryPromotion {
        /// Off, suggest to the user, or write at once.
        mode: PromotionMode = PromotionMode::Off,
    }
}

section! {
    /// The handoff suggestion.
    HandoffNudge {
        /// On adds the event.
        enabled: bool = false,
        /// Occupancy from which it is sent at a task boundary.
        at_fraction: f64 = 0.7,
    }
}

section! {
    /// Stage `recall`.
    Retrieval {
        /// On adds the stage.
        enabled: bool = false,
        /// How older messages are found.
        mode: RetrievalMode = RetrievalMode::Semantic,
        /// Lowest score of a semantic hit.
        min_score: f64 = 0.7,
        /// Lowest score of a lexical hit.
        lexical_min_score: f64 = 0.15,
        /// Most hits; 0 switches the stage off.
        max_results: u32 = 3,
    }
}

section! {
    /// Standing orders.
    Orders {
        /// Off keeps none.
        enabled: bool = true,
        /// Budget in tokens; absent means min(20,000, 10 % of usable).
        #[serde(skip_serializing_if = "Option::is_none")]
        tokens: Option<u32> = None,
    }
}

section! {
    /// Media without readable dimensions.
    Media {
        /// Tokens of an image whose size is not known.
        image_tokens: u32 = 1_600,
    }
}

section! {
    /// Limits a provider enforces besides tokens; absent means none.
    Limits {
        /// Most images in one request.
        #[serde(skip_serializing_if = "Option::is_none")]
        max_images: Option<u32> = None,
        /// Largest request in bytes.
        #[serde(skip_serializing_if = "Option::is_none")]
        max_request_bytes: Option<u64> = None,
        /// Longest single string in UTF-16 code units.
        #[serde(skip_serializing_if = "Option::is_none")]
        max_string_chars: Option<u64> = None,
    }
}

section! {
    /// The estimate before a real count is known.
    Estimate {
        /// Which rule weighs a text.
        counter: Counter = Counter::Auto,
        /// Tokens of what the messages do not show (hidden system prompt, tools), known beforehand.
        #[serde(skip_serializing_if = "Option::is_none")]
        overhead: Option<i64> = None,
        /// Ratio of real to estimated tokens to start from.
        #[serde(skip_serializing_if = "Option::is_none")]
        ratio: Option<f64> = None,
    }
}

section! {
    /// Prices per token relative to each other.
    Prices {
        /// An uncached input token.
        input: f64 = 1.0,
        /// An input token read from the prefix cache.
        cache_read: f64 = 0.1,
        /// An input token written to the prefix cache.
        cache_write: f64 = 1.25,
        /// How long a cached prefix lives after its last use.
        ttl_seconds: u32 = 300,
    }
}

/// Milliseconds `next` waits at the hard threshold.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct HardWait(pub u32);

impl Default for HardWait {
    fn default() -> Self {
        HardWait(60_000)
    }
}

/// `memoryPromotion.mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PromotionMode {
    /// Nothing is lifted out.
    Off,
    /// The user is asked.
    Suggest,
    /// Facts are written at once.
    Auto,
}

/// `retrieval.mode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RetrievalMode {
    /// The host's embedder, else nothing.
    Semantic,
    /// BM25 in the core.
    Lexical,
    /// Both, where available.
    Auto,
}

/// `estimate.counter`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Counter {
    /// The loaded vocabulary of the model, else character classes.
    Auto,
    /// Character classes, whatever is loaded.
    Classes,
    /// ceil(UTF-16 length / 4), reproducible by hand; names, ids and roles weigh nothing.
    Chars4,
}

/// `reasoningBinding`: what an edit before a reasoning block does to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ReasoningBinding {
    /// Nothing.
    None,
    /// Blocks of the open turn become invalid.
    Turn,
    /// Every later block becomes invalid.
    Prefix,
}

/// `reasoningOnEdit`: what becomes of reasoning that an edit before it makes invalid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ReasoningOnEdit {
    /// That of closed turns leaves the view with the edit; before the running turn's the edit waits.
    #[default]
    Strip,
    /// The host has the provider drop what no longer fits: edit at once, leave reasoning as it is.
    ProviderDrop,
    /// Nothing leaves: the edit waits until no reasoning depends on it.
    Postpone,
}

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

impl Limits {
    /// What of a window of tokens a text takes, where its length counts against a limit.
    pub fn share_of(&self, text: &str, window: u32) -> u32 {
        let share = |size: u64, most: Option<u64>| most.map_or(0, |most| (size * u64::from(window)).div_ceil(most.max(1)));
        let units = if self.max_string_chars.is_some() { text.encode_utf16().count() as u64 } else { 0 };
        let share = share(text.len() as u64, self.max_request_bytes).max(share(units, self.max_string_chars));
        u32::try_from(share).unwrap_or(u32::MAX)
    }
}

impl Config {
    /// Longest result in the view, in UTF-16 code units.
    pub fn result_cap(&self) -> u32 {
        let string = self.limits.max_string_chars.map_or(u32::MAX, |n| u32::try_from(n).unwrap_or(u32::MAX));
        self.tool_output.max_chars.min(string)
    }

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

    fn check(&self) -> Result<(), Error> {
        let fraction = |name: &str, v: f64| {
            if (0.0..=1.0).contains(&v) { Ok(()) } else { Err(out_of_range(name, "a fraction between 0 and 1")) }
        };
        fraction("eviction.atFraction", self.eviction.at_fraction)?;
        fraction("eviction.toFraction", self.eviction.to_fraction.unwrap_or(0.0))?;
        fraction("summarize.softFraction", self.summarize.soft_fraction)?;
        fraction("summarize.hardFraction", self.summarize.hard_fraction)?;
        for (id, own) in &self.summarize.models {
            fraction(&format!("summarize.models.{id}.softFraction"), own.soft_fraction.unwrap_or(0.0))?;
            fraction(&format!("summarize.models.{id}.hardFraction"), own.hard_fraction.unwrap_or(0.0))?;
        }
        fraction("digest.atFraction", self.digest.at_fraction)?;
        fraction("handoffNudge.atFraction", self.handoff_nudge.at_fraction)?;
        fraction("retrieval.minScore", self.retrieval.min_score)?;
        fraction("retrieval.lexicalMinScore", self.retrieval.lexical_min_score)?;
        if self.retrieval.max_results > 10 {
            return Err(out_of_range("retrieval.maxResults", "a whole number from 0 to 10"));
        }
        if let Some(ratio) = self.estimate.ratio
            && !(0.2..=5.0).contains(&ratio)
        {
            return Err(out_of_range("estimate.ratio", "a number between 0.2 and 5"));
        }
        Ok(())
    }

    /// Occupancy the evict pass goes down to, as a fraction of the window.
    pub fn evict_to_fraction(&self) -> f64 {
        self.eviction.to_fraction.unwrap_or(self.eviction.at_fraction / 2.0)
    }
}

fn to_value(config: &Config) -> Result<Value, Error> {
    serde_json::to_value(config).map_err(|e| Error::new(Code::Internal, e.to_string()))
}

fn out_of_range(name: &str, expected: &str) -> Error {
    Error::new(Code::BadConfig, format!("`{name}` must be {expected}"))
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
