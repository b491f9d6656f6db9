//! How full the window is: the latest real count plus what was appended since.
//!
//! Decides the one number that the gauge shows and every stage compares. Refuses sums over steps: the
//! latest input is the buffer the model reasons over now, cumulative spend is not.

use serde::Serialize;

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

/// Measured sizes of a request, in the estimate's own unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sent {
    /// Rows of the host's list it was made from.
    pub rows: usize,
    /// Frame and view, measured.
    pub measured: u64,
    /// The part of it that is the newest counted response's own rows.
    pub response: u64,
}

/// A real count and the request it belongs to.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Anchor {
    tokens: u32,
    output: Option<u32>,
    /// Absent until the next `next` tells which rows the counted request was made of.
    sent: Option<Sent>,
    /// Another model counted it.
    foreign: bool,
}

/// Turns measurements and real counts into occupancy.
#[derive(Clone, Debug, Default)]
pub struct Gauge {
    anchor: Option<Anchor>,
    last_sent: Option<Sent>,
    fixed_ratio: Option<f64>,
    fixed_overhead: Option<i64>,
    calibration: Calibration,
    /// Set between `settle` and the next `next`: the count is the response's own, exact.
    fresh: bool,
    /// The overhead that another model counted; better than none.
    other_overhead: Option<i64>,
}

/// Estimated growth from which a step says something about the ratio, and the weight of the start value.
const ENOUGH: f64 = 200.0;
const PRIOR_TOKENS: f64 = 4_000.0;

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

    /// What was learned.
    pub fn calibration(&self) -> Calibration {
        self.calibration
    }

    /// Real tokens per estimated token.
    pub fn ratio(&self) -> f64 {
        let start = self.fixed_ratio.unwrap_or(1.0);
        let c = self.calibration;
        ((start * PRIOR_TOKENS + c.real) / (PRIOR_TOKENS + c.estimated)).clamp(0.2, 5.0)
    }

    /// Real tokens that the messages do not show, as far as known.
    pub fn overhead(&self) -> Option<i64> {
        self.calibration.overhead.or(self.fixed_overhead).or(self.other_overhead)
    }

    /// Another model counts from now on. What the last one counted is scaled by the two ratios where both are
    /// known, and only an estimate.
    pub fn switch(&mut self, calibration: Calibration) {
        let known = |c: Calibration| c.estimated > 0.0;
        let (from, both) = (self.ratio(), known(self.calibration) && known(calibration));
        self.other_overhead = self.overhead();
        self.calibration = calibration;
        let factor = if both { self.ratio() / from } else { 1.0 };
        if let Some(anchor) = &mut self.anchor {
            let scaled = |n: u32| to_tokens(f64::from(n) * factor);
            *anchor = Anchor { tokens: scaled(anchor.tokens), output: anchor.output.map(scaled), foreign: true, ..*anchor };
        }
        self.last_sent = None;
        self.fresh = false;
    }

    /// The host's list lost `n` rows from `from` on, which are in no request any more.
    pub fn drop_rows(&mut self, from: usize, n: usize) {
        let shift = |sent: &mut Sent| sent.rows = if sent.rows >= from + n { sent.rows - n } else { sent.rows.min(from) };
        self.last_sent.iter_mut().for_each(shift);
        self.anchor.iter_mut().filter_map(|a| a.sent.as_mut()).for_each(shift);
    }

    /// A new request is being put together: from here on the response's own rows count too.
    pub fn begin(&mut self) {
        self.fresh = false;
    }

    /// The view that goes out now.
    pub fn sent(&mut self, sent: Sent) {
        self.last_sent = Some(sent);
        self.begin();
    }

    /// A response arrived. Returns whether its count was usable.
    pub fn settle(&mut self, usage: &Usage) -> bool {
        let Some(tokens) = usage.input_tokens else { return false };
        let sent = self.last_sent.take();
        if let Some(now) = sent {
            self.learn(tokens, now);
        }
        self.anchor = Some(Anchor { tokens, output: usage.output_tokens, sent, foreign: false });
        self.fresh = true;
        true
    }

    /// Growth between two counts says how far the estimate is off.
    fn learn(&mut self, tokens: u32, now: Sent) {
        match self.anchor {
            Some(Anchor { tokens: before, output, sent: Some(then), foreign: false }) if now.rows > then.rows && now.measured > then.measured => {
                // A response whose output was reported is not estimated, so it teaches nothing.
                let own = output.map_or(0, |_| now.response);
                let estimated = now.measured.saturating_sub(then.measured + own) as f64;
                let real = f64::from(tokens) - f64::from(before) - f64::from(output.unwrap_or(0));
                if estimated >= ENOUGH && real > 0.0 {
                    let real = real.clamp(estimated * 0.2, estimated * 5.0);
                    self.calibration.real += real;
                    self.calibration.estimated += estimated;
                }
            }
            _ => {}
        }
        let shown = (now.measured as f64 * self.ratio()).round() as i64;
        self.calibration.overhead.get_or_insert(i64::from(tokens) - shown);
    }

    /// The anchor no longer describes the history (fold, branch, rewritten list).
    pub fn void(&mut self) {
        self.anchor = None;
        self.last_sent = None;
        self.fresh = false;
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

    /// Rows of the request the last real count belongs to.
    pub fn anchored_rows(&self) -> Option<usize> {
        self.anchor.and_then(|a| a.sent).map(|s| s.rows)
    }

    /// Occupancy of a request that measures this.
    pub fn read(&self, now: Sent) -> Occupancy {
        let Some(anchor) = self.anchor else {
            return Occupancy { tokens: self.estimate(now.measured), provenance: Provenance::Estimated };
        };
        if self.fresh {
            return Occupancy { tokens: anchor.tokens, provenance: Provenance::Exact };
        }
        let then = anchor.sent.map_or(now.measured, |s| s.measured);
        let grown = now.measured as f64 - then as f64;
        let (appended, own) = match anchor.output {
            Some(output) => (grown - now.response as f64, f64::from(output)),
            None => (grown, 0.0),
        };
        let tokens = f64::from(anchor.tokens) + own + appended * self.ratio();
        let provenance = if anchor.foreign { Provenance::Estimated } else { Provenance::Anchored };
        Occupancy { tokens: to_tokens(tokens), provenance }
    }

    /// The calibrated estimate of a whole request that measures `measured`.
    pub fn estimate(&self, measured: u64) -> u32 {
        to_tokens(measured as f64 * self.ratio() + self.overhead().unwrap_or(0) as f64)
    }

    /// Estimated tokens in the provider's unit.
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
        Sent { rows, measured, response }
    }

    #[test]
    fn m_1_the_latest_count_and_what_was_appended() {
        let mut g = Gauge::default();
        g.settle(&usage(73_000, None));
        g.settle(&usage(110_000, None));
        assert_eq!(g.read(Sent::default()), Occupancy { tokens: 110_000, provenance: Provenance::Exact });
        g.place_anchor(sent(1, 10, 0));
        let now = sent(3, 1_011, 1);
        g.sent(now);
        assert_eq!(g.read(now), Occupancy { tokens: 111_001, provenance: Provenance::Anchored });
        assert!(!g.settle(&usage(0, None)));
        assert_eq!(g.read(now).tokens, 111_001);
    }

    #[test]
    fn m_1_a_reported_output_replaces_the_estimate_of_the_response() {
        let mut g = Gauge::default();
        g.settle(&usage(110_000, Some(250)));
        g.place_anchor(sent(1, 10, 0));
        g.sent(sent(3, 1_011, 1));
        assert_eq!(g.read(sent(3, 1_011, 1)).tokens, 111_250);
    }

    #[test]
    fn m_3_an_eviction_is_subtracted_from_the_last_count() {
        let mut g = Gauge::default();
        g.sent(sent(5, 51_000, 0));
        g.settle(&usage(52_000, None));
        g.sent(sent(5, 51_000, 0));
        assert_eq!(g.read(sent(5, 51_000, 0)).tokens, 52_000);
        assert_eq!(g.read(sent(5, 1_000, 0)), Occupancy { tokens: 2_000, provenance: Provenance::Anchored });
    }

    #[test]
    fn another_model_counts_by_its_own_ratio_and_teaches_only_itself() {
        let mut g = Gauge::new(Calibration { real: 12_000.0, estimated: 10_000.0, overhead: Some(500) }, None, None);
        g.sent(sent(5, 100_000, 0));
        g.settle(&usage(300_000, None));
        g.sent(sent(5, 100_000, 0));
        let mut unknown = g.clone();
        unknown.switch(Calibration::default());
        assert_eq!(unknown.read(sent(5, 100_000, 0)), Occupancy { tokens: 300_000, provenance: Provenance::Estimated });
        assert_eq!(unknown.overhead(), g.overhead(), "the other model's is better than none");
        // Ratios 16,000/14,000 and 5,000/14,000.
        g.switch(Calibration { real: 1_000.0, estimated: 10_000.0, overhead: None });
        assert_eq!(g.read(sent(5, 100_000, 0)).tokens, 93_750);
        let before = g.ratio();
        g.sent(sent(7, 110_000, 0));
        g.settle(&usage(40_000, None));
        assert_eq!(g.ratio(), before, "growth from one model's count to another's says nothing");
        assert_eq!(g.read(sent(7, 110_000, 0)).provenance, Provenance::Exact);
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
}
