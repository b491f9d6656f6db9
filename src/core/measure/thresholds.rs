//! Where each stage starts to act, as integers of the window.
//!
//! Decides the arithmetic (whole numbers, clamped, ordered). Refuses floating point for the products: in
//! doubles .7 of 90 is one token short, and the stages would disagree with the gauge.

use serde::Serialize;

use crate::core::config::Config;

/// What the host knows of the model.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Model {
    /// The model's name as the host gives it.
    pub id: String,
    /// The provider's name, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The window in tokens.
    pub window: u32,
    /// Where the window comes from.
    pub source: WindowSource,
    /// Most tokens of one response; absent when unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_output: Option<u32>,
}

/// Where a window comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum WindowSource {
    /// The host said so.
    Host,
    /// The model table says so.
    Table,
    /// An overflow error or a larger success taught it.
    Learned,
    /// Nobody knows; a guess.
    Assumed,
}

/// The window assumed when nobody knows it.
pub const ASSUMED_WINDOW: u32 = 128_000;
/// The output reserve when the response limit is not known.
const ASSUMED_OUTPUT: u32 = 4_096;
/// Room kept free below usable, at most.
pub const HEADROOM: u32 = 16_000;

/// Occupancies in tokens; a stage acts at or above its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Thresholds {
    /// The model's limit.
    pub window: u32,
    /// Window minus the output reserve.
    pub usable: u32,
    /// The evict pass starts.
    pub evict: u32,
    /// The evict pass stops.
    pub to: u32,
    /// A fold is made in the background.
    pub soft: u32,
    /// A fold is waited for.
    pub hard: u32,
    /// The in-turn digest starts.
    pub digest: u32,
    /// A request above this cannot be sent; the only one compared with `>`.
    pub limit: u32,
}

impl Thresholds {
    /// The thresholds of this model under this configuration.
    pub fn of(model: &Model, config: &Config) -> Self {
        let window = model.window;
        let reserve = model.max_output.unwrap_or(ASSUMED_OUTPUT).min(window / 2);
        let usable = window - reserve;
        let headroom = HEADROOM.min(usable / 10);
        let all = &config.summarize;
        let own = all.models.get(&model.id);
        let ceiling = own.and_then(|o| o.ceiling_tokens).or(all.ceiling_tokens).unwrap_or(u32::MAX);
        let hard = share(own.and_then(|o| o.hard_fraction).unwrap_or(all.hard_fraction), window).min(usable - headroom).min(ceiling);
        let soft = share(own.and_then(|o| o.soft_fraction).unwrap_or(all.soft_fraction), window).min(hard).min(ceiling);
        let digest = hard.max(share(config.digest.at_fraction, window).min(usable - headroom / 2));
        let evict = share(config.eviction.at_fraction, window).min(soft);
        let to = evict_target(evict, config);
        Thresholds { window, usable, evict, to, soft, hard, digest, limit: usable }
    }
}

fn evict_target(evict: u32, config: &Config) -> u32 {
    let at = millionths(config.eviction.at_fraction);
    if at == 0 {
        return 0;
    }
    let to = millionths(config.evict_to_fraction()).min(at);
    u32::try_from(u64::from(evict) * to / at).unwrap_or(evict)
}

fn millionths(fraction: f64) -> u64 {
    // A fraction is within 0..=1, so the product is small and exact enough to round.
    (fraction * 1_000_000.0 + 0.5) as u64
}

/// `floor(fraction * of)` in whole millionths.
pub fn share(fraction: f64, of: u32) -> u32 {
    u32::try_from(millionths(fraction) * u64::from(of) / 1_000_000).unwrap_or(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(window: u32, max_output: u32, ceiling: Option<u32>) -> [u32; 5] {
        let model = Model { id: "m".into(), provider: None, window, source: WindowSource::Host, max_output: Some(max_output) };
        let mut config = Config::default();
        config.summarize.ceiling_tokens = ceiling;
        let t = Thresholds::of(&model, &config);
        [t.evict, t.soft, t.hard, t.digest, t.usable]
    }

    #[test]
    fn worked_examples() {
        assert_eq!(of(200_000, 64_000, None), [100_000, 120_000, 122_400, 129_200, 136_000]);
        assert_eq!(of(256_000, 32_000, Some(80_000)), [80_000, 80_000, 80_000, 216_000, 224_000]);
        assert_eq!(of(8_192, 8_192, None), [3_687, 3_687, 3_687, 3_892, 4_096]);
        assert_eq!(of(40_000, 4_000, None), [20_000, 24_000, 32_400, 34_200, 36_000]);
        assert_eq!(of(10_000, 1_000, None), [5_000, 6_000, 8_100, 8_550, 9_000]);
    }

    #[test]
    fn d_19_a_model_may_have_thresholds_of_its_own() {
        let patch = serde_json::json!({ "summarize": { "models": { "gpt-4.1": { "ceilingTokens": 80_000 }, "m": { "softFraction": 0.5 } } } });
        let config = Config::default().patched(&patch).expect("a valid patch");
        let of = |id: &str| {
            let t = Thresholds::of(&Model { id: id.into(), provider: None, window: 200_000, source: WindowSource::Host, max_output: Some(64_000) }, &config);
            [t.evict, t.soft, t.hard]
        };
        assert_eq!(of("m"), [100_000, 100_000, 122_400]);
        assert_eq!(of("gpt-4.1"), [80_000, 80_000, 80_000]);
        assert_eq!(of("other"), [100_000, 120_000, 122_400]);
        let back = config.patched(&serde_json::json!({ "summarize": { "models": { "m": null } } })).expect("valid");
        assert_eq!(back.summarize.models.keys().collect::<Vec<_>>(), ["gpt-4.1"]);
        for (own, name) in [
            (serde_json::json!({ "softFractoin": 1 }), "`summarize.models.m.softFractoin`"),
            (serde_json::json!({ "hardFraction": 2 }), "`summarize.models.m.hardFraction`"),
            (serde_json::json!(3), "`summarize.models.m`"),
        ] {
            let error = config.patched(&serde_json::json!({ "summarize": { "models": { "m": own } } })).expect_err(name);
            assert!(error.message.contains(name), "{}", error.message);
        }
    }

    #[test]
    fn shares_are_exact_where_doubles_are_one_short() {
        for of in [90, 170, 180, 330] {
            assert_eq!(share(0.7, of), of * 7 / 10);
        }
    }
}
