//! Everything that is counted: texts, usage, occupancy, thresholds, the breakdown.

pub mod bpe;
pub mod breakdown;
pub mod classes;
pub mod exact;
pub mod family;
pub mod learning;
pub mod lexicon;
pub mod meter;
pub mod names;
pub mod occupancy;
pub mod thresholds;
pub mod usage;
