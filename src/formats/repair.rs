//! Heals a broken history where that needs no invention, and says what it did.
//!
//! A call that was never answered gets a result that says so; a result without a call, an empty turn, a
//! question without its call go; results move to where the format looks for them; ids that cannot be told
//! apart get a number. Refuses to write text for anybody, to claim success, and to touch what it cannot
//! heal. Decides an order of pieces; the package lays it over the host's own messages.

mod compose;
mod layout;
mod plan;

use serde::Serialize;

use super::Wire;
use super::check::{Check, Ruling};
use crate::core::transcript::{PartKind, Role, Transcript};
pub use compose::laid;
use plan::Plan;

/// Where a piece of a repaired message comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Source {
    /// Row of the part, or of the call that an interrupted result answers.
    pub row: usize,
    /// Part in it.
    pub part: usize,
    /// Whether this is a new result that says its call was interrupted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
    /// The call id it gets, where ids were kept apart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Whether it loses its provider-side item id.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unname: bool,
}

/// One message of the repaired history.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Fixed {
    /// The message it is, or is a changed copy of; absent for a new one that carries results.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<usize>,
    /// Its pieces; absent where the message is untouched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parts: Option<Vec<Source>>,
}

/// One thing that was healed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Repaired {
    /// The rule that was broken.
    pub rule: &'static str,
    /// Index of the message in the input.
    pub at: usize,
    /// What was done; ids and numbers, never transcript text.
    pub did: String,
}

/// A repaired history.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Repair {
    /// Its messages.
    pub rows: Vec<Fixed>,
    /// What was done.
    pub repaired: Vec<Repaired>,
}

/// Most passes: what one heals may show what another has to (a result that moved, an answer whose call is back).
const MOST_PASSES: usize = 8;

/// Heals what can be healed.
pub fn repair(transcript: &Transcript, wire: &Wire) -> Repair {
    let mut done = one_pass(transcript, wire);
    for _ in 1..MOST_PASSES {
        if done.repaired.is_empty() {
            break;
        }
        let so_far = compose::laid(transcript, &done, wire);
        let next = one_pass(&so_far, wire);
        if next.repaired.is_empty() {
            break;
        }
        done = compose::after(transcript, done, next);
    }
    done
}

fn one_pass(transcript: &Transcript, wire: &Wire) -> Repair {
    let mut plan = Plan::new(transcript, wire);
    plan.results();
    plan.approvals();
    plan.provider_calls();
    plan.ids();
    plan.blanks();
    plan.laid_out()
}

/// The ruling of a check, if the format minds enough for a repair.
fn minds(wire: &Wire, check: Check) -> Option<Ruling> {
    (wire.demands)(check).filter(|r| check.is_healed_at(r.level))
}

/// Whether several results share one message in this format.
fn shares_messages(wire: &Wire) -> bool {
    !matches!(wire.placing, super::Placing::Directly | super::Placing::After)
}

/// Whether a row carries results of a round.
fn carries(transcript: &Transcript, row: usize, round: usize) -> bool {
    let index = transcript.index();
    transcript.row(row).is_some_and(|r| {
        r.role != Role::Assistant
            && r.parts
                .iter()
                .enumerate()
                .any(|(p, part)| part.kind == PartKind::Result && index.call_of_result(row, p).and_then(|id| index.call(id)).is_some_and(|c| c.round == round))
    })
}
