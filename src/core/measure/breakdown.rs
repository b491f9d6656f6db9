//! What fills the window, bucket by bucket, against the number the provider counted.
//!
//! Decides the buckets and that they add up: buckets plus overhead are the total, exactly. Refuses to
//! hide the difference: the overhead is signed and always there.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::occupancy::{Occupancy, Provenance};
use super::thresholds::{Model, Thresholds, WindowSource};
use crate::core::event::UsageThresholds;
use crate::core::next_relief::NextRelief;

/// One bucket of the window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bucket {
    /// Its stable id.
    pub id: String,
    /// What a person reads.
    pub label: String,
    /// Its tokens, estimated or counted.
    pub tokens: u32,
    /// What it is made of; sums to `tokens`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Item>,
    /// `false` for what is shown but not in the window.
    #[serde(default = "yes", skip_serializing_if = "is_true")]
    pub summed: bool,
}

/// A part of a bucket.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// What a person reads.
    pub label: String,
    /// Its tokens.
    pub tokens: u32,
    /// What it is made of, where that is more than one thing; sums to `tokens`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<Item>,
}

impl Item {
    /// An item of its own.
    pub fn new(label: impl Into<String>, tokens: u32) -> Self {
        Item { label: label.into(), tokens, items: Vec::new() }
    }
}

fn yes() -> bool {
    true
}

fn is_true(b: &bool) -> bool {
    *b
}

/// The whole picture.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Breakdown {
    /// The buckets in fixed order.
    pub buckets: Vec<Bucket>,
    /// Total minus what was measured, signed.
    pub overhead: i64,
    /// Occupancy.
    pub total: u32,
    /// The model's limit.
    pub window: u32,
    /// Window minus output reserve.
    pub usable: u32,
    /// Room below usable, never negative.
    pub free: u32,
    /// Total of the window in percent, unrounded; may exceed 100. Null while the total is not known, and
    /// while the window is a guess that a larger request proved wrong.
    pub percent: Option<f64>,
    /// Where the total comes from.
    pub provenance: Provenance,
    /// Net tokens relieved so far; not in the total.
    pub reclaimed: u64,
    /// The same by stage.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub reclaimed_by: BTreeMap<String, u64>,
    /// What the next relief would do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_relief: Option<NextRelief>,
    /// The total is an estimate nobody has confirmed since the history changed (fold, branch): show no number.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unknown: bool,
    /// The buckets were scaled so that they sum to the total.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub scaled: bool,
    /// The occupancies at which stages act.
    pub thresholds: UsageThresholds,
    /// Whether the window is a guess.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub assumed: bool,
}

/// The ids and labels, in order.
pub const BUCKETS: [(&str, &str); 7] = [
    ("system", "System prompt"),
    ("index", "Capability index"),
    ("tools", "Tools bound"),
    ("deferred", "Tools deferred"),
    ("context", "Session context"),
    ("messages", "Messages"),
    ("attachments", "Attachments"),
];

/// What the buckets measure together; deferred tools are in no window.
pub fn measured(buckets: &[Bucket]) -> u64 {
    buckets.iter().filter(|b| b.summed).map(|b| u64::from(b.tokens)).sum()
}

/// Lays the buckets against the occupancy.
pub fn breakdown(buckets: Vec<Bucket>, occupancy: Occupancy, model: &Model, thresholds: &Thresholds, reclaimed: u64) -> Breakdown {
    let measured = measured(&buckets) as i64;
    let total = occupancy.tokens;
    let proven_wrong = model.source == WindowSource::Assumed && occupancy.provenance == Provenance::Exact && total > model.window;
    Breakdown {
        overhead: i64::from(total) - measured,
        total,
        window: model.window,
        usable: thresholds.usable,
        free: thresholds.usable.saturating_sub(total),
        percent: (!proven_wrong).then(|| f64::from(total) * 100.0 / f64::from(model.window.max(1))),
        provenance: occupancy.provenance,
        reclaimed,
        reclaimed_by: BTreeMap::new(),
        next_relief: None,
        unknown: false,
        scaled: false,
        thresholds: UsageThresholds { evict: thresholds.evict, soft: thresholds.soft, hard: thresholds.hard },
        assumed: model.source == WindowSource::Assumed,
        buckets,
    }
}

impl Breakdown {
    /// Scales what is in the window so that it sums to the total, for displays that want 100 %. What was
    /// measured is lost by that, and it says so.
    pub fn to_sum(mut self) -> Self {
        let measured = measured(&self.buckets);
        if measured == 0 {
            return self;
        }
        let mut shown = 0u64;
        let mut before = 0u64;
        for bucket in self.buckets.iter_mut().filter(|b| b.summed) {
            // Each takes what is between two points of the same scale, so that rounding cancels out.
            before += u64::from(bucket.tokens);
            let end = before * u64::from(self.total) / measured;
            bucket.tokens = (end - shown) as u32;
            bucket.items.clear();
            shown = end;
        }
        self.overhead = 0;
        self.scaled = true;
        self
    }
}

/// The gauge as text: `ctx 80k/256k`.
pub fn gauge_text(total: u32, window: u32) -> String {
    let k = |n: u32| if n < 1_000 { n.to_string() } else { format!("{}k", (u64::from(n) + 500) / 1_000) };
    format!("ctx {}/{}", k(total), k(window))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::config::Config;

    fn model(window: u32, max_output: u32) -> Model {
        Model { id: "m".into(), provider: None, window, source: WindowSource::Host, max_output: Some(max_output) }
    }

    fn buckets() -> Vec<Bucket> {
        BUCKETS
            .iter()
            .zip([1_200, 150, 3_000, 5_000, 400, 9_000, 1_560])
            .map(|((id, label), tokens)| Bucket { id: (*id).into(), label: (*label).into(), tokens, items: Vec::new(), summed: *id != "deferred" })
            .collect()
    }

    #[test]
    fn bd_1_overhead_is_signed_and_deferred_tools_are_not_summed() {
        let m = model(200_000, 64_000);
        let t = Thresholds::of(&m, &Config::default());
        let b = breakdown(buckets(), Occupancy { tokens: 15_900, provenance: Provenance::Exact }, &m, &t, 0);
        assert_eq!((b.overhead, b.total, b.free, b.percent.map(f64::round)), (590, 15_900, 120_100, Some(8.0)));
        let b = breakdown(buckets(), Occupancy { tokens: 15_000, provenance: Provenance::Exact }, &m, &t, 0);
        assert_eq!(b.overhead, -310);
    }

    #[test]
    fn scaled_buckets_sum_to_the_total_whatever_the_rounding() {
        let m = model(200_000, 64_000);
        let t = Thresholds::of(&m, &Config::default());
        for total in [0, 1, 7, 15_000, 15_900, 150_001] {
            let b = breakdown(buckets(), Occupancy { tokens: total, provenance: Provenance::Exact }, &m, &t, 0).to_sum();
            assert_eq!((measured(&b.buckets), b.overhead, b.scaled), (u64::from(total), 0, true));
            assert_eq!(b.buckets.iter().find(|b| !b.summed).map(|b| b.tokens), Some(5_000), "deferred tools stay what they are");
        }
    }

    #[test]
    fn a_guessed_window_that_was_proven_wrong_gives_no_percentage() {
        let m = Model { source: WindowSource::Assumed, ..model(32_768, 0) };
        let t = Thresholds::of(&m, &Config::default());
        let of = |provenance| breakdown(Vec::new(), Occupancy { tokens: 35_000, provenance }, &m, &t, 0).percent;
        assert_eq!(of(Provenance::Exact), None);
        assert!(of(Provenance::Estimated).is_some_and(|p| p > 100.0), "an estimate proves nothing");
    }

    #[test]
    fn bd_2_more_than_the_window_is_shown_as_such() {
        let m = model(256_000, 32_000);
        let t = Thresholds::of(&m, &Config::default());
        let b = breakdown(buckets(), Occupancy { tokens: 300_000, provenance: Provenance::Exact }, &m, &t, 0);
        assert_eq!((b.percent.map(f64::round), b.free), (Some(117.0), 0));
        assert_eq!(gauge_text(80_000, 256_000), "ctx 80k/256k");
        assert_eq!(gauge_text(950, 8_192), "ctx 950/8k");
    }
}
