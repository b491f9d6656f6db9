//! The encodings by name, and which model uses which.
//!
//! Decides the model table: exact names and prefixes as OpenAI's own `tiktoken` 0.14 publishes them
//! (`tiktoken/model.py`, read through tiktoken-rs 0.12.1 in November 2026), after provider and fine-tuning
//! prefixes are taken off. Refuses to guess: a model of another house has no encoding here, its texts are
//! estimated.

/// How a text is cut into pieces before byte-pair encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Pattern {
    /// `o200k`: camelCase splits, contractions stay with their word, line ends and slashes with punctuation.
    Camel,
    /// `cl100k`: whole words, contractions apart, line ends with punctuation.
    Words,
    /// `p50k`, `r50k`: only a blank sticks to what follows, numbers are whole.
    Plain,
}

/// An encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Encoding {
    /// GPT-4o, GPT-4.1, GPT-5, o-series.
    O200kBase,
    /// gpt-oss; ordinary text counts as in `o200k_base`, the special tokens differ.
    O200kHarmony,
    /// GPT-4, GPT-3.5, the embedding models.
    Cl100kBase,
    /// Codex and the last GPT-3 models.
    P50kBase,
    /// GPT-3, GPT-2.
    R50kBase,
}

/// Every encoding.
pub const ENCODINGS: [Encoding; 5] = [Encoding::O200kBase, Encoding::O200kHarmony, Encoding::Cl100kBase, Encoding::P50kBase, Encoding::R50kBase];

impl Encoding {
    /// Its usual name, for example `o200k_base`.
    pub fn name(self) -> &'static str {
        match self {
            Encoding::O200kBase => "o200k_base",
            Encoding::O200kHarmony => "o200k_harmony",
            Encoding::Cl100kBase => "cl100k_base",
            Encoding::P50kBase => "p50k_base",
            Encoding::R50kBase => "r50k_base",
        }
    }

    /// By name; `_base` may be left out.
    pub fn by_name(name: &str) -> Option<Encoding> {
        ENCODINGS.into_iter().find(|e| e.name() == name || e.name().strip_suffix("_base") == Some(name))
    }

    /// Name of the vocabulary file, without `.pairs`.
    pub fn file(self) -> &'static str {
        match self {
            Encoding::O200kBase | Encoding::O200kHarmony => "o200k",
            Encoding::Cl100kBase => "cl100k",
            Encoding::P50kBase => "p50k",
            Encoding::R50kBase => "r50k",
        }
    }

    /// The id byte in that file.
    pub(super) fn file_id(self) -> u8 {
        match self {
            Encoding::O200kBase | Encoding::O200kHarmony => 1,
            Encoding::Cl100kBase => 2,
            Encoding::P50kBase => 3,
            Encoding::R50kBase => 4,
        }
    }

    pub(super) fn pattern(self) -> Pattern {
        match self {
            Encoding::O200kBase | Encoding::O200kHarmony => Pattern::Camel,
            Encoding::Cl100kBase => Pattern::Words,
            Encoding::P50kBase | Encoding::R50kBase => Pattern::Plain,
        }
    }

    /// The encoding of a model, `None` when it is not one of these.
    ///
    /// `openai/gpt-5`, `ft:gpt-4o:org:name:id` and Azure's `gpt-35-turbo` are understood.
    pub fn for_model(model: &str) -> Option<Encoding> {
        let model = model.rsplit('/').next().unwrap_or(model);
        let model = match model.strip_prefix("ft:") {
            Some(rest) => rest.split(':').next().unwrap_or(rest),
            None => model,
        };
        let exact = EXACT.iter().find(|(_, names)| names.contains(&model)).map(|(encoding, _)| *encoding);
        exact.or_else(|| PREFIXES.iter().find(|(prefix, _)| model.starts_with(prefix)).map(|(_, encoding)| *encoding))
    }
}

const EXACT: [(Encoding, &[&str]); 4] = [
    (Encoding::O200kBase, &["o1", "o3", "o4-mini", "gpt-5", "gpt-4.1", "gpt-4.5", "gpt-4o", "chatgpt-4o"]),
    (
        Encoding::Cl100kBase,
        &[
            "gpt-4",
            "gpt-3.5-turbo",
            "gpt-3.5",
            "gpt-35-turbo",
            "davinci-002",
            "babbage-002",
            "text-embedding-ada-002",
            "text-embedding-3-small",
            "text-embedding-3-large",
        ],
    ),
    (
        Encoding::P50kBase,
        &[
            "text-davinci-003",
            "text-davinci-002",
            "code-davinci-002",
            "code-davinci-001",
            "code-cushman-002",
            "code-cushman-001",
            "davinci-codex",
            "cushman-codex",
            "text-davinci-edit-001",
            "code-davinci-edit-001",
        ],
    ),
    (Encoding::R50kBase, &["text-davinci-001", "text-curie-001", "text-babbage-001", "text-ada-001", "davinci", "curie", "babbage", "ada", "gpt2", "gpt-2"]),
];

/// First match counts.
const PREFIXES: [(&str, Encoding); 14] = [
    ("o1-", Encoding::O200kBase),
    ("o3-", Encoding::O200kBase),
    ("o4-mini-", Encoding::O200kBase),
    ("gpt-5", Encoding::O200kBase),
    ("gpt-4.5-", Encoding::O200kBase),
    ("gpt-4.1-", Encoding::O200kBase),
    ("chatgpt-4o-", Encoding::O200kBase),
    ("gpt-4o-", Encoding::O200kBase),
    ("gpt-4-", Encoding::Cl100kBase),
    ("gpt-3.5-turbo-", Encoding::Cl100kBase),
    ("gpt-35-turbo-", Encoding::Cl100kBase),
    ("gpt-oss-", Encoding::O200kHarmony),
    ("codex-mini", Encoding::O200kBase),
    ("text-embedding-3-", Encoding::Cl100kBase),
];
