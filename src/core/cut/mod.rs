//! Where a history may be cut, and why not elsewhere.
//!
//! A cut is an index: rows before it leave the view, rows from it on stay. Each rule names the positions
//! it forbids; the legal cuts are what no rule forbids. Decides positions only: whether to fold, what the
//! summary says and what is written down is the fold's business.

mod mirror;
mod plan;
mod rules;

pub use mirror::{Mirror, NoMirror, mirror, snap};
pub use plan::{CutPlan, Illegal, KeptBy, Options, TailOverBudget, plan};
pub use rules::{Rule, RuleSet};

#[cfg(test)]
mod tests;
