//! What fills the window, bucket by bucket, against the number the provider counted.
//!
//! Decides the buckets and that they add up: buckets plus overhead are the total, exactly. Refuses to
//! hide the difference: the overhead is signed and always there.

use serde::{Deserialize, Serialize};

use super::occupancy::{Occupancy, Provenance};
use super::thresholds::{Model, Thresholds, WindowSource};
use crate::core::event::UsageThresholds;

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
}

fn yes() -> bool {
    true
}

fn is_true(b: &bool) -> bool {
    *b
}

/// The whole picture.
#[derive(Clone, Debug, PartialEq, Serialize)]
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
    /// Total of the window in percent, unrounded; may exceed 100.
    pub percent: f64,
    /// Where the total comes from.
    pub provenance: Provenance,
    /// Net tokens relieved so far; not in the total.
    pub reclaimed: u64,
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
    Breakdown {
        overhead: i64::from(total) - measured,
        total,
        window: model.window,
        usable: thresholds.usable,
        free: thresholds.usable.saturating_sub(total),
        percent: f64::from(total) * 100.0 / f64::from(model.window.max(1)),
        provenance: occupancy.provenance,
        reclaimed,
        thresholds: UsageThresholds { evict: thresholds.evict, soft: thresholds.soft, hard: thresholds.hard },
        assumed: model.source == WindowSource::Assumed,
        buckets,
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
        assert_eq!((b.overhead, b.total, b.free, b.percent.round()), (590, 15_900, 120_100, 8.0));
        let b = breakdown(buckets(), Occupancy { tokens: 15_000, provenance: Provenance::Exact }, &m, &t, 0);
        assert_eq!(b.overhead, -310);
    }

    #[test]
    fn bd_2_more_than_the_window_is_shown_as_such() {
        let m = model(256_000, 32_000);
        let t = Thresholds::of(&m, &Config::default());
        let b = breakdown(buckets(), Occupancy { tokens: 300_000, provenance: Provenance::Exact }, &m, &t, 0);
        assert_eq!((b.percent.round(), b.free), (117.0, 0));
        assert_eq!(gauge_text(80_000, 256_000), "ctx 80k/256k");
        assert_eq!(gauge_text(950, 8_192), "ctx 950/8k");
    }
}
