//! What survives a restart: one versioned blob behind one compare-and-swap.
//!
//! Decides which facts are durable. Refuses texts of the conversation: an entry holds a stub's exact
//! bytes or the parameters of a cut, never a result. Hosts store it and do not read it.

mod entry;

pub use entry::{Edit, Entry, Loss};

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::error::{Code, Error};
use super::restore::promote::Suggestion;
use super::shared::Shared;
use super::view::{Block, Fold};

/// The newest version this code writes.
pub const VERSION: u32 = 1;

/// Everything durable of one transcript.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct State {
    /// Format of this blob.
    pub v: u32,
    /// Last covered position; rows after it are what `messages` must hold.
    pub boundary: Option<u64>,
    /// How often the conversation was cleared.
    #[serde(default, skip_serializing_if = "is_none")]
    pub epoch: u32,
    /// The decision log: what became of each result, by call key.
    #[serde(default)]
    pub entries: Shared<BTreeMap<String, Entry>>,
    /// Handles of outputs that were stored for calls that are no more; no other call is given them.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub taken: Shared<BTreeSet<String>>,
    /// Texts of ours in the view since the boundary.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub blocks: Shared<Vec<Block>>,
    /// The folds, oldest first; the newest active one is in force.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub folds: Shared<Vec<Fold>>,
    /// The session context as it was captured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context: Option<String>,
    /// Failed folds in a row, and the occupancy at which the breaker opened.
    #[serde(default, skip_serializing_if = "Breaker::is_closed")]
    pub breaker: Breaker,
    /// Topics the host gave to the user's messages, by position.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub order_keys: Shared<BTreeMap<String, String>>,
    /// Positions that never leave the view.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub pins: Shared<BTreeSet<u64>>,
    /// The newest position at which the per-turn blocks were made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<u64>,
    /// The newest turn that looked for older messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recalled: Option<String>,
    /// Positions of rows that hold something redacted: never quoted, whatever a search finds.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub sealed: Shared<BTreeSet<u64>>,
    /// Facts that wait for the user's answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub suggestions: Shared<Vec<Suggestion>>,
    /// Keys of facts that were written, suggested or rejected before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Shared<Vec<String>>,
    /// Rows whose reasoning left the view with an edit before it, by position.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub stripped: Shared<BTreeSet<u64>>,
    /// Net tokens relieved so far.
    #[serde(default)]
    pub reclaimed: u64,
    /// The same by stage.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub reclaimed_by: BTreeMap<String, u64>,
    /// Deferred tools that are bound for good, in the order they were promoted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub promoted: Vec<String>,
    /// Occupancy after the last pass that could not go below its threshold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evict_rest: Option<u32>,
    /// How many arguments were shortened.
    #[serde(default, skip_serializing_if = "is_none")]
    pub inputs: u32,
    /// What carrying old results has cost since the last pass, at the host's prices.
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub carried: f64,
    /// What was learned of the estimate, for the model below.
    #[serde(default)]
    pub calibration: Calibration,
    /// The model it was learned for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What was learned for other models.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub calibrations: BTreeMap<String, Calibration>,
    /// The window an overflow or a larger success taught, by model id.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub windows: BTreeMap<String, u32>,
}

fn is_none(n: &u32) -> bool {
    *n == 0
}

fn is_nothing(n: &f64) -> bool {
    *n == 0.0
}

impl Default for State {
    fn default() -> Self {
        State {
            v: VERSION,
            boundary: None,
            epoch: 0,
            entries: Shared::default(),
            taken: Shared::default(),
            blocks: Shared::default(),
            folds: Shared::default(),
            context: None,
            breaker: Breaker::default(),
            order_keys: Shared::default(),
            pins: Shared::default(),
            turn: None,
            recalled: None,
            sealed: Shared::default(),
            suggestions: Shared::default(),
            facts: Shared::default(),
            stripped: Shared::default(),
            reclaimed: 0,
            reclaimed_by: BTreeMap::new(),
            promoted: Vec::new(),
            evict_rest: None,
            inputs: 0,
            carried: 0.0,
            calibration: Calibration::default(),
            model: None,
            calibrations: BTreeMap::new(),
            windows: BTreeMap::new(),
        }
    }
}

impl State {
    /// Counts what a stage freed.
    pub fn count_reclaimed(&mut self, stage: &str, tokens: u32) {
        self.reclaimed += u64::from(tokens);
        *self.reclaimed_by.entry(stage.to_owned()).or_default() += u64::from(tokens);
    }

    /// Reads a stored blob. A newer version is refused by the caller, not here: it stays readable.
    pub fn read(value: serde_json::Value) -> Result<State, Error> {
        serde_json::from_value(value).map_err(|_| Error::new(Code::BadInput, "`state` is not a state of this package"))
    }

    /// Puts what was learned for this model in force and the rest aside: models count differently.
    pub fn calibrate_for(&mut self, model: &str) {
        if self.model.as_deref() == Some(model) {
            return;
        }
        let unlearned = Calibration::default();
        let before = std::mem::take(&mut self.calibration);
        let other = self.model.take();
        // What is nobody's was learned with the model in force.
        let (aside, mine) = if other.is_some() { (before, unlearned) } else { (unlearned, before) };
        if let Some(other) = other.filter(|_| aside != unlearned) {
            self.calibrations.insert(other, aside);
        }
        self.calibration = if mine == unlearned { self.calibrations.remove(model).unwrap_or_default() } else { mine };
        self.model = (self.calibration != unlearned).then(|| model.to_owned());
    }

    /// The fold in force.
    pub fn fold(&self) -> Option<&Fold> {
        self.folds.iter().rev().find(|f| f.active)
    }

    /// Whether a newer version of this package wrote it.
    pub fn is_newer(&self) -> bool {
        self.v > VERSION
    }
}

/// Counts failed folds so that a broken summarizer is not called for ever.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Breaker {
    /// Failures in a row.
    pub failures: u32,
    /// Occupancy when it opened.
    pub opened_at: Option<u32>,
}

impl Breaker {
    fn is_closed(&self) -> bool {
        *self == Breaker::default()
    }
}

/// What real counts taught about the estimate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Calibration {
    /// Sum of real growth.
    pub real: f64,
    /// Sum of estimated growth.
    pub estimated: f64,
    /// Real minus estimated tokens at the newest count: what the messages do not show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overhead: Option<i64>,
    /// What results cost beside their texts, newest steps, in a ring.
    #[serde(skip_serializing_if = "no_steps")]
    pub steps: [Option<f64>; STEPS],
    /// How many of them were taken.
    #[serde(skip_serializing_if = "is_zero")]
    pub taken: u32,
}

/// Steps that are remembered.
pub const STEPS: usize = 9;

fn no_steps(steps: &[Option<f64>; STEPS]) -> bool {
    steps.iter().all(Option::is_none)
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}
