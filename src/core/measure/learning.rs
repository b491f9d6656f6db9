//! What real counts teach about the estimate: a ratio for texts and what each result costs beside its text.
//!
//! Decides how much one count may move it: by its size, clamped, never by one outlier. Refuses growth
//! that says nothing (hidden attachments, a provider that dropped reasoning).

use std::collections::BTreeMap;

use crate::core::state::{Calibration, STEPS};

/// Counted tokens the start value weighs as much as.
const PRIOR_TOKENS: f64 = 4_000.0;
/// The same for the ratio of one tool against that of all.
const TOOL_TOKENS: f64 = 1_500.0;
/// Older growth fades beyond this many counted tokens.
const MEMORY: f64 = 100_000.0;
/// Growth from which a step says something about the ratio, and below which about the step itself.
const ENOUGH: f64 = 100.0;
const SMALL: f64 = 400.0;

/// Growth of one step that was not the response itself.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Growth<'a> {
    /// Real tokens.
    pub real: f64,
    /// Counted tokens, by tool.
    pub pieces: &'a [(Box<str>, u64)],
    /// Results and user messages among it.
    pub units: u32,
}

impl Growth<'_> {
    fn counted(&self) -> f64 {
        self.pieces.iter().map(|p| p.1 as f64).sum()
    }
}

/// Ratios by tool, since the start of this process.
#[derive(Clone, Debug, Default)]
pub struct Tools(BTreeMap<Box<str>, (f64, f64)>);

impl Tools {
    /// The ratio of one tool's outputs.
    pub fn ratio(&self, tool: &str, all: f64) -> f64 {
        let (real, counted) = self.0.get(tool).copied().unwrap_or_default();
        ((all * TOOL_TOKENS + real) / (TOOL_TOKENS + counted)).clamp(0.2, 5.0)
    }

    fn learn(&mut self, growth: &Growth<'_>, ratio: f64) {
        for (tool, tokens) in growth.pieces {
            let entry = self.0.entry(tool.clone()).or_default();
            *entry = faded(entry.0 + ratio * *tokens as f64, entry.1 + *tokens as f64);
        }
    }
}

/// Real tokens per counted token.
pub fn ratio(calibration: &Calibration, start: f64) -> f64 {
    ((start * PRIOR_TOKENS + calibration.real) / (PRIOR_TOKENS + calibration.estimated)).clamp(0.2, 5.0)
}

/// Real tokens of a result or a user message beside what its text and constants say: the median of the
/// last steps, with the constants' own zero twice among them.
pub fn step(calibration: &Calibration) -> f64 {
    let mut all: Vec<f64> = calibration.steps.iter().flatten().copied().chain([0.0, 0.0]).collect();
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or(0.0)
}

/// Takes the growth of one step.
pub fn learn(calibration: &mut Calibration, tools: &mut Tools, start: f64, growth: &Growth<'_>) {
    let counted = growth.counted();
    let all = ratio(calibration, start);
    let expected: f64 = growth.pieces.iter().map(|(tool, n)| tools.ratio(tool, all) * *n as f64).sum();
    let beside = step(calibration);
    if growth.units > 0 && counted * all < SMALL {
        let each = (growth.real - expected) / f64::from(growth.units);
        if (-150.0..200.0).contains(&each) {
            let at = calibration.taken as usize % STEPS;
            if let Some(slot) = calibration.steps.get_mut(at) {
                *slot = Some(each.clamp(-60.0, 120.0).round());
            }
            calibration.taken = calibration.taken.wrapping_add(1);
        }
    }
    let real = growth.real - beside * f64::from(growth.units);
    // The first growth may say anything; later ones move what is known, step by step.
    let plausible = if calibration.estimated == 0.0 && start == 1.0 { 0.2..5.0 } else { all * 0.55..all * 1.75 };
    if counted >= ENOUGH && real > 0.0 && plausible.contains(&(real / counted)) {
        (calibration.real, calibration.estimated) = faded(calibration.real + real, calibration.estimated + counted);
        tools.learn(growth, real / counted);
    }
}

fn faded(real: f64, counted: f64) -> (f64, f64) {
    let keep = if counted > MEMORY { MEMORY / counted } else { 1.0 };
    (real * keep, counted * keep)
}
