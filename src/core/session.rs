//! One conversation between two calls: rows, frame, decisions, gauge.
//!
//! Holds the values that the ladder plans on and the assembly renders, and takes others when the host has others.
//! Decides nothing itself. How rows, decision log, folds, view and numbers are kept in step is in `session_…`, a file
//! for each.

use std::rc::Rc;

use super::config::Config;
use super::frame::Frame;
use super::kept::Kept;
use super::measure::exact::Exact;
use super::measure::family::Family;
use super::measure::lexicon::Lexicon;
use super::measure::meter::measure;
use super::measure::occupancy::Gauge;
use super::measure::thresholds::{Model, Thresholds};
use super::profile::Profile;
use super::relieve::aged;
use super::session_view::Placed;
use super::state::{Breaker, State};
use super::transcript::Transcript;

/// Why the view differs from the one before, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Row of the host's list.
    pub row: usize,
    /// What happened there.
    pub cause: &'static str,
}

/// What the last view looked like, as far as the next one is compared with it.
#[derive(Clone, Debug, Default)]
pub struct LastView {
    /// Rows of the host's list it was made from.
    pub rows: usize,
    /// The frame's fingerprint.
    pub frame: (Vec<u128>, Vec<(Box<str>, u128)>),
}

/// One conversation.
#[derive(Debug)]
pub struct Session {
    /// The host's rows.
    pub transcript: Transcript,
    /// The names in them.
    pub lexicon: Lexicon,
    /// What surrounds them.
    pub frame: Frame,
    /// The configuration in force.
    pub config: Config,
    /// The model in force.
    pub model: Model,
    /// What the messages' format demands.
    pub profile: Profile,
    /// Constants of the model's family.
    pub family: Family,
    /// What is durable.
    pub state: State,
    /// What counts texts exactly, where a vocabulary is loaded and the configuration leaves the choice.
    pub(super) exact: Option<Rc<dyn Exact>>,
    /// Occupancy.
    pub gauge: Gauge,
    /// The last view, if this process made one.
    pub last: Option<LastView>,
    /// The first difference to it so far.
    pub change: Option<Change>,
    /// Whether the state came from a store: what was sent before is not known exactly then.
    pub resumed: bool,
    /// Where the blocks of the state stand.
    pub(super) placed: Vec<Placed>,
    /// What is kept from step to step.
    pub(super) kept: Kept,
    /// What old rounds could free, as far as it was summed up.
    pub aged: aged::Both,
    /// Rows at the last step that paid for carrying old results.
    pub carried_at: usize,
    /// Milliseconds since the last response, as the host says.
    pub idle_ms: Option<f64>,
    /// Whether the decision log differs from what was committed.
    pub dirty: bool,
    /// The newest usage contradicts itself.
    pub inconsistent: bool,
    /// The size at which the server seems to have cut the newest request.
    pub cut_at: Option<u32>,
    /// The model was switched since the last view.
    pub switched: bool,
}

impl Session {
    /// A session over a stored or a fresh state.
    pub fn new(model: Model, config: Config, state: Option<State>) -> Self {
        let resumed = state.is_some();
        let mut state = state.unwrap_or_default();
        state.calibrate_for(&model.id);
        let gauge = Gauge::new(state.calibration, config.estimate.ratio, config.estimate.overhead);
        let mut session = Session {
            transcript: Transcript::default(),
            lexicon: Lexicon::default(),
            frame: Frame::default(),
            config,
            model,
            profile: Profile::default(),
            family: Family::default(),
            state,
            exact: None,
            gauge,
            last: None,
            change: None,
            resumed,
            placed: Vec::new(),
            kept: Kept::default(),
            aged: aged::Both::default(),
            carried_at: 0,
            idle_ms: None,
            dirty: false,
            inconsistent: false,
            cut_at: None,
            switched: false,
        };
        session.learned_window();
        session.count_from_earlier();
        session
    }

    /// Takes another configuration; it counts from now on.
    pub fn configure(&mut self, config: Config) {
        self.gauge.configure(config.estimate.ratio, config.estimate.overhead);
        self.reframe(|s| {
            s.config = config;
            s.gauge.set_family(s.constants());
        });
        self.state.breaker = Breaker::default();
        self.aged = aged::Both::default();
    }

    /// Takes the demands of the messages' format.
    pub fn set_profile(&mut self, profile: Profile) {
        self.transcript.set_items(profile.items);
        self.profile = profile;
    }

    /// Takes another model. What is in the window is the same conversation, counted by somebody else: the last
    /// count is scaled where both ratios are known, and is an estimate until the new model answers.
    pub fn switch_model(&mut self, model: Model) {
        if model.id != self.model.id || model.provider != self.model.provider {
            self.state.calibration = self.gauge.calibration();
            self.state.calibrate_for(&self.model.id);
            self.state.calibrate_for(&model.id);
            self.gauge.switch(self.state.calibration);
            self.switched = true;
        }
        self.model = model;
        self.learned_window();
        self.state.breaker = Breaker::default();
    }

    /// Where the stages act.
    pub fn thresholds(&self) -> Thresholds {
        Thresholds::of(&self.model, &self.config)
    }

    /// Remembers the first row at which the view differs from the last one.
    pub fn note_change(&mut self, row: usize, cause: &'static str) {
        if self.change.as_ref().is_none_or(|c| row < c.row) {
            self.change = Some(Change { row, cause });
        }
    }

    /// Tokens the standing orders may have.
    pub fn order_budget(&self) -> u32 {
        self.config.orders.tokens.unwrap_or_else(|| 20_000.min(self.thresholds().usable / 10))
    }

    /// Tokens of a text of ours.
    pub fn weigh(&self, text: &str) -> u32 {
        self.exact.as_ref().map_or_else(|| measure(self.config.estimate.counter, text).tokens, |e| e.count(text))
    }

    /// From now on texts are counted by this, or estimated.
    pub fn set_exact(&mut self, exact: Option<Rc<dyn Exact>>) {
        self.exact = exact;
        self.kept.context.take();
    }
}
