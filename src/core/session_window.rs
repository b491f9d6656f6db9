//! The part of a session that learns the model's real window: from an overflow, or from a larger success.
//!
//! Decides what a refused or an unexpectedly large request proves. A provider's own figure beats the
//! host's; a mere guess is never put over what the host said.

use serde::{Deserialize, Serialize};

use super::measure::occupancy::Provenance;
use super::measure::thresholds::WindowSource;
use super::measure::usage::Usage;
use super::session::Session;

/// What a provider's refusal says, as far as it says it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Overflow {
    /// The window it names.
    pub window: Option<u32>,
    /// The size of the refused request it names.
    pub requested: Option<u32>,
}

/// What was learned from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct OverflowView {
    /// The window in force from now on.
    pub window: u32,
    /// Tokens of the refused request, as counted or estimated.
    pub requested: u32,
    /// Where that number comes from.
    pub provenance: Provenance,
}

/// Windows that models have; a window that was proven wrong becomes the nearest that is not.
const WINDOWS: [u32; 13] = [4_096, 8_192, 16_384, 32_768, 65_536, 128_000, 200_000, 262_144, 400_000, 512_000, 1_000_000, 1_048_576, 2_097_152];

impl Session {
    /// A window that was learned for this model replaces an assumed one.
    pub(super) fn learned_window(&mut self) {
        if self.model.source == WindowSource::Assumed
            && let Some(window) = self.state.windows.get(&self.model.id)
        {
            self.model.window = *window;
            self.model.source = WindowSource::Learned;
        }
    }

    /// The provider refused a request as too long.
    pub fn learn_overflow(&mut self, overflow: Overflow) -> OverflowView {
        let estimate = self.occupancy();
        if let Some(requested) = overflow.requested {
            self.gauge.refused(requested);
        }
        let mut requested = overflow.requested.unwrap_or(estimate.tokens);
        // It names nothing and the estimate is close: the request was larger than it looked, and the known window is right.
        let usable = self.thresholds().usable;
        let near = self.model.source == WindowSource::Table && requested >= usable / 4 * 3;
        if overflow == Overflow::default() && near {
            requested = requested.max(usable);
            self.gauge.refused(requested);
        }
        let window = match overflow.window {
            Some(window) => Some(window),
            // All that is certain is that the request did not fit.
            None if self.model.source != WindowSource::Host && !near && requested <= self.model.window => {
                WINDOWS.iter().rev().copied().find(|w| *w < requested)
            }
            None => None,
        };
        if let Some(window) = window.filter(|w| *w > 0 && *w != self.model.window) {
            self.set_window(window);
        }
        let provenance = if overflow.requested.is_some() { Provenance::Exact } else { estimate.provenance };
        OverflowView { window: self.model.window, requested, provenance }
    }

    /// A response arrived: a request larger than a window that nobody stated proves it wrong.
    pub(super) fn learn_success(&mut self, usage: &Usage) {
        let Some(input) = usage.input_tokens else { return };
        let used = input.saturating_add(usage.output_tokens.unwrap_or(0));
        if used > self.model.window && matches!(self.model.source, WindowSource::Assumed | WindowSource::Learned) {
            let window = WINDOWS.iter().copied().find(|w| *w >= used).unwrap_or(used);
            self.set_window(window);
        }
    }

    fn set_window(&mut self, window: u32) {
        self.model.window = window;
        self.model.source = WindowSource::Learned;
        self.state.windows.insert(self.model.id.clone(), window);
        self.dirty = true;
    }

    /// A response arrived: the gauge moves, and what it teaches is kept.
    pub fn settle(&mut self, usage: &Usage) {
        let expected = self.occupancy();
        self.inconsistent = usage.inconsistent;
        if self.gauge.settle(usage) {
            self.learn_success(usage);
            self.notice_truncation(usage, expected.tokens, expected.provenance);
        }
        self.state.calibration = self.gauge.calibration();
        let model = self.model.id.clone();
        self.state.calibrate_for(&model);
    }

    /// A count far below what was sent, where nothing was relieved: the server cut the request silently.
    fn notice_truncation(&mut self, usage: &Usage, expected: u32, provenance: Provenance) {
        let Some(input) = usage.input_tokens else { return };
        let short = provenance == Provenance::Anchored && u64::from(input) * 2 < u64::from(expected) && expected - input > 2_000;
        // The second time at the same size it is the window, not chance.
        let again = self.cut_at.is_some_and(|at| at.abs_diff(input) * 20 <= input);
        if short && again && self.model.source != WindowSource::Host && input < self.model.window {
            self.set_window(input);
        }
        self.cut_at = short.then_some(input);
    }
}
