//! How full the window is: the latest real count plus what was appended since.
//!
//! Decides the one number that the gauge shows and every stage compares. Refuses sums over steps: the
//! latest input is the buffer the model reasons over now, cumulative spend is not.

use serde::Serialize;

use super::family::{Family, Keeps};
use super::learning::{self, Growth, Tools};
use super::usage::Usage;
use crate::core::state::Calibration;

/// How far a number can be trusted; the worst of its parts when summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Provenance {
    /// The provider counted it.
    Exact,
    /// A real count plus or minus estimates.
    Anchored,
    /// Estimated.
    Estimated,
}

/// Tokens in the window now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Occupancy {
    /// The number.
    pub tokens: u32,
    /// How far it can be trusted.
    pub provenance: Provenance,
}

/// Measured sizes of a request, in counted tokens.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sent {
    /// Rows of the host's list it was made from.
    pub rows: usize,
    /// Frame and view, measured.
    pub measured: u64,
    /// The part of it that is priced by formula (media) and needs no correction.
    pub media: u64,
    /// The part of it that the provider leaves out: reasoning it does not keep.
    pub unkept: u64,
    /// The part of it that is the newest counted response's own rows.
    pub response: u64,
    /// The reasoning within the response.
    pub reasoning: u64,
    /// What stands behind the response, by tool.
    pub pieces: Vec<(Box<str>, u64)>,
    /// Results and user messages among that.
    pub units: u32,
    /// Whether the user spoke: the turn of the response is over.
    pub turn: bool,
}

impl Sent {
    fn texts(&self) -> f64 {
        self.measured.saturating_sub(self.media) as f64
    }

    /// What of the texts is in the window.
    fn kept(&self) -> f64 {
        self.measured.saturating_sub(self.media + self.unkept) as f64
    }

    fn appended(&self) -> f64 {
        self.pieces.iter().map(|p| p.1 as f64).sum()
    }
}

/// A real count and the request it belongs to.
#[derive(Clone, Debug, PartialEq)]
struct Anchor {
    tokens: u32,
    output: Option<u32>,
    reasoning: Option<u32>,
    /// Absent until the next `next` tells which rows the counted request was made of.
    sent: Option<Sent>,
}

/// Turns measurements and real counts into occupancy.
#[derive(Clone, Debug, Default)]
pub struct Gauge {
    anchor: Option<Anchor>,
    last_sent: Option<Sent>,
    fixed_ratio: Option<f64>,
    fixed_overhead: Option<i64>,
    family: Family,
    calibration: Calibration,
    tools: Tools,
    /// Reasoning of the running turn that is still in the window and goes when the user speaks.
    held: f64,
    /// Set between `settle` and the next `next`: the count is the response's own, exact.
    fresh: bool,
    /// A fold landed since the request went out: its count is of more than is in the window now.
    overtaken: bool,
    /// The anchor was counted by another model.
    foreign: bool,
    /// The history changed under the count (fold, branch): nothing is known until the next one.
    void: bool,
    /// The overhead that another model counted; better than none.
    other_overhead: Option<i64>,
    /// The ratio of the model before, while the anchor is not scaled to this one.
    unscaled: Option<f64>,
    /// How far the overhead jumped at the newest count, if it did.
    drift: Option<i64>,
    /// Rows of the anchor's request while everything is weighed anew.
    lifted: Option<usize>,
}

/// A response's own rows in later requests.
struct Own {
    kept: f64,
    /// Reasoning in it that goes when the turn ends.
    held: f64,
}

/// A jump of the overhead that is worth telling: at least this much, and this share of the window's content.
const DRIFT_TOKENS: i64 = 2_000;
const DRIFT_SHARE: f64 = 0.1;

impl Gauge {
    /// A gauge that starts from what was learned before and from what the host knows.
    pub fn new(calibration: Calibration, ratio: Option<f64>, overhead: Option<i64>) -> Self {
        Gauge { calibration, fixed_ratio: ratio, fixed_overhead: overhead, ..Gauge::default() }
    }

    /// Takes over what the host configured since.
    pub fn configure(&mut self, ratio: Option<f64>, overhead: Option<i64>) {
        self.fixed_ratio = ratio;
        self.fixed_overhead = overhead;
    }

    /// Takes the constants of the model's family.
    pub fn set_family(&mut self, family: Family) {
        self.family = family;
        if let Some(from) = self.unscaled.take().filter(|_| family != Family::default()) {
            self.rescale(self.ratio() / from);
        }
    }

    /// Another model counts from now on. The last count is scaled by what is known of the two, and is an
    /// estimate until the new model answers.
    pub fn switch(&mut self, calibration: Calibration) {
        let (from, known) = (self.ratio(), self.calibration.estimated > 0.0 || self.family != Family::default());
        self.other_overhead = self.overhead();
        self.calibration = calibration;
        self.tools = Tools::default();
        // A model nobody has seen counts like the last one until its family or a count says otherwise.
        self.unscaled = (known && calibration.estimated == 0.0).then_some(from);
        if known && calibration.estimated > 0.0 {
            self.rescale(self.ratio() / from);
        }
        self.foreign = self.anchor.is_some();
        self.last_sent = None;
        self.held = 0.0;
        self.fresh = false;
    }

    fn rescale(&mut self, factor: f64) {
        if let Some(anchor) = &mut self.anchor {
            for n in [Some(&mut anchor.tokens), anchor.output.as_mut(), anchor.reasoning.as_mut()].into_iter().flatten() {
                *n = to_tokens(f64::from(*n) * factor);
            }
        }
    }

    /// Rows that the host passes no more are gone from the request that was counted, too.
    pub fn drop_rows(&mut self, from: usize, n: usize) {
        for sent in [self.anchor.as_mut().and_then(|a| a.sent.as_mut()), self.last_sent.as_mut()].into_iter().flatten() {
            sent.rows = if sent.rows >= from + n { sent.rows - n } else { sent.rows.min(from) };
        }
    }

    /// What was learned.
    pub fn calibration(&self) -> Calibration {
        self.calibration
    }

    /// Real tokens per counted token.
    pub fn ratio(&self) -> f64 {
        learning::ratio(&self.calibration, self.fixed_ratio.unwrap_or(self.family.ratio))
    }

    /// Real tokens that the messages do not show, as far as known.
    pub fn overhead(&self) -> Option<i64> {
        self.calibration.overhead.or(self.fixed_overhead).or(self.other_overhead)
    }

    /// How far the overhead jumped at the newest count: something is in the window that the messages do
    /// not show, or is not in it although they do.
    pub fn drift(&self) -> Option<i64> {
        self.drift
    }

    /// A new request is being put together: from here on the response's own rows count too.
    pub fn begin(&mut self) {
        self.fresh = false;
    }

    /// The view that goes out now.
    pub fn sent(&mut self, sent: Sent) {
        self.last_sent = Some(sent);
        self.overtaken = false;
        self.begin();
    }

    /// A response arrived. Returns whether its count was usable.
    pub fn settle(&mut self, usage: &Usage) -> bool {
        let Some(tokens) = usage.input_tokens else { return false };
        let sent = self.last_sent.take();
        if let Some(now) = &sent {
            self.learn(tokens, now);
        }
        self.anchor = Some(Anchor { tokens, output: usage.output_tokens, reasoning: usage.reasoning_tokens, sent });
        self.fresh = !std::mem::take(&mut self.overtaken);
        self.foreign = false;
        self.void = false;
        true
    }

    /// Growth between two counts says how far the estimate is off.
    fn learn(&mut self, tokens: u32, now: &Sent) {
        let start = self.fixed_ratio.unwrap_or(self.family.ratio);
        if let Some(anchor) = self.anchor.clone().filter(|_| !self.foreign)
            && let Some(then) = anchor.sent.as_ref().filter(|then| now.rows > then.rows)
        {
            let own = self.own(&anchor, now);
            let elsewhere = now.texts() - then.texts() - now.response as f64 - now.appended();
            let gone = if now.turn { self.held + own.held } else { 0.0 };
            // Media are priced, not measured: a step with new ones says nothing about texts.
            if now.media <= then.media && elsewhere >= -0.5 {
                let whole = [("".into(), elsewhere.max(0.0) as u64)];
                let pieces = if now.pieces.is_empty() { &whole[..] } else { now.pieces.as_slice() };
                let real = f64::from(tokens) - f64::from(anchor.tokens) - own.kept + gone;
                learning::learn(&mut self.calibration, &mut self.tools, start, &Growth { real, pieces, units: now.units });
            }
            self.held = if now.turn { 0.0 } else { self.held + own.held };
        }
        let shown = (now.kept() * self.ratio()).round() as i64 + now.media as i64;
        let overhead = i64::from(tokens) - shown;
        let before = self.calibration.overhead.replace(overhead);
        self.drift = before.map(|b| overhead - b).filter(|d| d.abs() >= DRIFT_TOKENS && d.abs() as f64 >= DRIFT_SHARE * f64::from(tokens));
    }

    /// What stays of a response: what was reported, less the reasoning that the provider drops.
    fn own(&self, anchor: &Anchor, now: &Sent) -> Own {
        let ratio = self.ratio();
        let reasoning = now.reasoning as f64 * ratio;
        let visible = now.response.saturating_sub(now.reasoning) as f64 * ratio;
        let reported = anchor.reasoning.map_or(0.0, f64::from);
        let keeps = self.family.reasoning;
        let output = anchor.output.map(f64::from).filter(|out| *out >= 0.7 * visible);
        let kept = match (keeps, output) {
            // Nothing was reported, or less than what is there (a figure from the start of a stream).
            (Keeps::None, None) => visible,
            (_, None) => visible + reasoning,
            (Keeps::None, Some(out)) if reported > 0.0 => out - reported.min(out),
            (Keeps::None, Some(_)) if reasoning > 0.0 => visible,
            (Keeps::None, Some(out)) if out > 2.5 * visible + 100.0 => visible,
            (_, Some(out)) => out,
        };
        let thought = if reported > 0.0 {
            reported
        } else if reasoning > 0.0 {
            reasoning * 1.6 + 60.0
        } else {
            0.0
        };
        Own { kept, held: if keeps == Keeps::Turn { (kept - visible).clamp(0.0, thought) } else { 0.0 } }
    }

    /// The provider refused the request and said what it counted.
    pub fn refused(&mut self, tokens: u32) {
        let sent = self.last_sent.clone().or_else(|| self.anchor.as_ref().and_then(|a| a.sent.clone()));
        self.anchor = Some(Anchor { tokens, output: None, reasoning: None, sent });
        self.fresh = false;
        self.foreign = false;
        self.held = 0.0;
    }

    /// The anchor no longer describes the history (fold, branch, rewritten list).
    pub fn void(&mut self) {
        self.void |= self.anchor.is_some();
        self.anchor = None;
        self.last_sent = None;
        self.overtaken = false;
        self.fresh = false;
        self.held = 0.0;
    }

    /// A fold landed. A request may be on its way all the same: its count is still to come, less what was folded.
    pub fn overtake(&mut self) {
        let sent = self.last_sent.take();
        self.void();
        self.overtaken = sent.is_some();
        self.last_sent = sent;
    }

    /// Whether a count was known and the history has changed since.
    pub fn is_void(&self) -> bool {
        self.void
    }

    /// Whether a real count is known.
    pub fn is_anchored(&self) -> bool {
        self.anchor.is_some()
    }

    /// A count whose request is not known belongs to everything before the newest response.
    pub fn place_anchor(&mut self, sent: Sent) {
        if let Some(anchor) = &mut self.anchor
            && anchor.sent.is_none()
        {
            anchor.sent = Some(sent);
        }
    }

    /// Everything is weighed anew, by another counter: the real count stays and finds its rows again.
    pub fn lift_anchor(&mut self) {
        self.lifted = self.anchor.as_mut().and_then(|a| a.sent.take()).map(|s| s.rows);
    }

    /// The rows it belonged to, once.
    pub fn take_lifted(&mut self) -> Option<usize> {
        self.lifted.take()
    }

    /// Rows of the request the last real count belongs to.
    pub fn anchored_rows(&self) -> Option<usize> {
        self.anchor.as_ref().and_then(|a| a.sent.as_ref()).map(|s| s.rows)
    }

    /// Occupancy of a request that measures this.
    pub fn read(&self, now: &Sent) -> Occupancy {
        let Some(anchor) = &self.anchor else {
            return Occupancy { tokens: self.estimate_of(now), provenance: Provenance::Estimated };
        };
        if self.fresh {
            return Occupancy { tokens: anchor.tokens, provenance: Provenance::Exact };
        }
        let ratio = self.ratio();
        let own = self.own(anchor, now);
        let rest: f64 = now.pieces.iter().map(|(tool, n)| self.tools.ratio(tool, ratio) * *n as f64).sum();
        let beside = learning::step(&self.calibration) * f64::from(now.units);
        let gone = if now.turn { self.held + own.held } else { 0.0 };
        let (texts, media) = anchor.sent.as_ref().map_or((now.texts(), now.media), |s| (s.texts(), s.media));
        let elsewhere = now.texts() - texts - now.response as f64 - now.appended();
        let media = now.media as f64 - media as f64;
        let tokens = f64::from(anchor.tokens) + own.kept - gone + rest + beside + elsewhere * ratio + media;
        let provenance = if self.foreign { Provenance::Estimated } else { Provenance::Anchored };
        Occupancy { tokens: to_tokens(tokens), provenance }
    }

    /// The calibrated estimate of a whole request.
    pub fn estimate_of(&self, now: &Sent) -> u32 {
        to_tokens(now.kept() * self.ratio() + now.media as f64 + self.overhead().unwrap_or(0) as f64)
    }

    /// The calibrated estimate of a whole request that measures `measured`.
    pub fn estimate(&self, measured: u64) -> u32 {
        to_tokens(measured as f64 * self.ratio() + self.overhead().unwrap_or(0) as f64)
    }

    /// Counted tokens in the provider's unit.
    pub fn scale(&self, measured: u64) -> u32 {
        to_tokens(measured as f64 * self.ratio())
    }
}

fn to_tokens(n: f64) -> u32 {
    n.round().clamp(0.0, f64::from(i32::MAX)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(input: u32, output: Option<u32>) -> Usage {
        Usage { input_tokens: (input > 0).then_some(input), output_tokens: output, ..Usage::default() }
    }

    fn sent(rows: usize, measured: u64, response: u64) -> Sent {
        Sent { rows, measured, response, ..Sent::default() }
    }

    #[test]
    fn m_1_the_latest_count_and_what_was_appended() {
        let mut g = Gauge::default();
        g.settle(&usage(73_000, None));
        g.settle(&usage(110_000, None));
        assert_eq!(g.read(&Sent::default()), Occupancy { tokens: 110_000, provenance: Provenance::Exact });
        g.place_anchor(sent(1, 10, 0));
        let now = sent(3, 1_011, 1);
        g.sent(now.clone());
        assert_eq!(g.read(&now), Occupancy { tokens: 111_001, provenance: Provenance::Anchored });
        assert!(!g.settle(&usage(0, None)));
        assert_eq!(g.read(&now).tokens, 111_001);
    }

    #[test]
    fn m_1_a_reported_output_replaces_the_estimate_of_the_response() {
        let mut g = Gauge::default();
        g.settle(&usage(110_000, Some(250)));
        g.place_anchor(sent(1, 10, 0));
        g.sent(sent(3, 1_011, 1));
        assert_eq!(g.read(&sent(3, 1_011, 1)).tokens, 111_250);
    }

    #[test]
    fn m_3_an_eviction_is_subtracted_from_the_last_count() {
        let mut g = Gauge::default();
        g.sent(sent(5, 51_000, 0));
        g.settle(&usage(52_000, None));
        g.sent(sent(5, 51_000, 0));
        assert_eq!(g.read(&sent(5, 51_000, 0)).tokens, 52_000);
        assert_eq!(g.read(&sent(5, 1_000, 0)), Occupancy { tokens: 2_000, provenance: Provenance::Anchored });
    }

    #[test]
    fn another_model_counts_by_its_own_ratio_and_teaches_only_itself() {
        let mut g = Gauge::new(Calibration { real: 12_000.0, estimated: 10_000.0, overhead: Some(500), ..Calibration::default() }, None, None);
        g.sent(sent(5, 100_000, 0));
        g.settle(&usage(300_000, None));
        g.sent(sent(5, 100_000, 0));
        let mut unknown = g.clone();
        unknown.switch(Calibration::default());
        assert_eq!(unknown.read(&sent(5, 100_000, 0)), Occupancy { tokens: 300_000, provenance: Provenance::Estimated });
        assert_eq!(unknown.overhead(), g.overhead(), "the other model's is better than none");
        // Ratios 16,000/14,000 and 5,000/14,000.
        g.switch(Calibration { real: 1_000.0, estimated: 10_000.0, overhead: None, ..Calibration::default() });
        assert_eq!(g.read(&sent(5, 100_000, 0)).tokens, 93_750);
        let before = g.ratio();
        g.sent(sent(7, 110_000, 0));
        g.settle(&usage(40_000, None));
        assert_eq!(g.ratio(), before, "growth from one model's count to another's says nothing");
        assert_eq!(g.read(&sent(7, 110_000, 0)).provenance, Provenance::Exact);
    }

    #[test]
    fn growth_teaches_the_ratio_by_its_size() {
        let mut g = Gauge::default();
        for (rows, measured, real) in [(1, 10_000, 13_000), (3, 20_000, 26_000), (5, 120_000, 156_000)] {
            g.sent(sent(rows, measured, 0));
            g.settle(&usage(real, None));
        }
        assert!((1.28..=1.30).contains(&g.ratio()), "{}", g.ratio());
    }

    fn grown(rows: usize, measured: u64, tool: &str, tokens: u64) -> Sent {
        Sent { pieces: vec![(tool.into(), tokens)], units: 1, ..sent(rows, measured, 0) }
    }

    #[test]
    fn each_tool_has_its_own_ratio_and_a_hidden_attachment_teaches_nothing() {
        let mut g = Gauge::default();
        g.sent(sent(1, 1_000, 0));
        g.settle(&usage(1_000, None));
        let (mut real, mut measured) = (1_000, 1_000);
        for step in 0..20u32 {
            let (tool, per_mille) = if step % 2 == 0 { ("read", 1_000) } else { ("bash", 1_400) };
            measured += 2_000;
            real += 2_000 * per_mille / 1_000;
            g.sent(grown(step as usize + 2, measured, tool, 2_000));
            g.settle(&usage(real, None));
        }
        let before = g.ratio();
        assert!((1.1..1.25).contains(&before), "{before}");
        g.sent(grown(30, measured, "read", 0));
        let next = |tool| f64::from(g.read(&grown(31, measured + 10_000, tool, 10_000)).tokens - real);
        assert!((next("read") / 10_000.0 - 1.0).abs() < 0.03, "{}", next("read"));
        assert!((next("bash") / 10_000.0 - 1.4).abs() < 0.04, "{}", next("bash"));
        // 40,000 tokens that no text explains.
        g.sent(grown(32, measured + 200, "read", 200));
        g.settle(&usage(real + 40_200, None));
        assert_eq!(g.ratio(), before);
        assert!(g.drift().is_some_and(|d| (39_800..40_200).contains(&d)), "{:?}", g.drift());
    }

    #[test]
    fn what_results_cost_beside_their_texts_is_learned_from_small_steps() {
        let mut g = Gauge::default();
        g.sent(sent(1, 5_000, 0));
        g.settle(&usage(5_000, None));
        for step in 1..12u32 {
            let measured = 5_000 + u64::from(step) * 10;
            g.sent(grown(step as usize + 1, measured, "read", 10));
            g.settle(&usage(5_000 + step * 40, None));
        }
        g.sent(grown(13, 5_120, "read", 10));
        assert_eq!(g.read(&grown(13, 5_120, "read", 10)).tokens, 5_000 + 12 * 40);
    }

    #[test]
    fn reasoning_goes_with_the_turn_or_at_once_or_never() {
        let of = |reasoning, turn| {
            let mut g = Gauge::default();
            g.set_family(Family { reasoning, ..Family::default() });
            g.sent(sent(1, 1_000, 0));
            g.settle(&Usage { input_tokens: Some(1_000), output_tokens: Some(600), reasoning_tokens: Some(500), ..Usage::default() });
            g.begin();
            g.read(&Sent { reasoning: 480, turn, ..sent(3, 1_580, 580) }).tokens
        };
        assert_eq!([of(Keeps::All, true), of(Keeps::Turn, false), of(Keeps::Turn, true), of(Keeps::None, false)], [1_600, 1_600, 1_100, 1_100]);
    }

    #[test]
    fn an_output_below_what_is_there_is_a_figure_from_the_start_of_a_stream() {
        let mut g = Gauge::default();
        g.sent(sent(1, 1_000, 0));
        g.settle(&usage(1_000, Some(3)));
        g.begin();
        assert_eq!(g.read(&sent(2, 1_400, 400)).tokens, 1_400);
    }

    #[test]
    fn media_are_priced_and_not_corrected() {
        let mut g = Gauge::new(Calibration { real: 130_000.0, estimated: 96_000.0, ..Calibration::default() }, None, None);
        g.sent(sent(1, 1_000, 0));
        g.settle(&usage(1_300, None));
        g.begin();
        assert_eq!(g.read(&Sent { media: 1_560, ..sent(2, 2_560, 0) }).tokens, 2_860);
    }
}
