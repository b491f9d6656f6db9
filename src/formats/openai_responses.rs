//! OpenAI Responses. A message is an item: reasoning, a message, a call or an output each stand alone, and
//! consecutive items of the model form one step.

use super::check::{Check, Level, Ruling, ruling};
use super::{First, Placing, Wire};
use crate::core::cut::RuleSet;
use crate::core::profile::Profile;

pub(super) const WIRE: Wire = Wire {
    profile: Profile { name: "openai-responses", items: true, signed_calls: false, cuts: RuleSet::ALL },
    placing: Placing::After,
    first: First::Any,
    id_chars: Some(64),
    ids_repeat: true,
    plain_names: false,
    signed_reasoning: false,
    governed_ids: true,
    demands,
};

fn demands(check: Check) -> Option<Ruling> {
    use Level::{E, S};
    match check {
        Check::EmptyList => ruling("OR-schema", E, "the API wants at least one input item"),
        Check::Malformed | Check::Misplaced => ruling("OR-schema", E, "the API's schema refuses the item"),
        Check::OrphanResult => ruling("OR-1", E, "the API finds no call for the output's call_id"),
        Check::ProviderOrphan => ruling("OR-1", E, "the API finds no call for the tool's output"),
        Check::DuplicateResult => ruling("OR-1", E, "the API wants one output per call"),
        Check::Unanswered | Check::OpenCall => ruling("OR-2", E, "the API finds no output for the call"),
        Check::ProviderUnanswered => ruling("OR-2", S, "the API may want an output for the provider's own call"),
        Check::LostReasoning => ruling("OR-3", S, "the API may ask for the reasoning item that belongs to this item id"),
        Check::ForeignId => ruling("OR-7", E, "the API takes only item ids it gave: msg_, fc_ or rs_ in front; leave the id out"),
        Check::OnlyReasoning => ruling("OR-4", E, "the API wants the item that followed the reasoning"),
        Check::AmbiguousId => ruling("OR-1", E, "the API cannot tell which call an output answers"),
        Check::BadId => ruling("OR-1", E, "the API takes a call_id of 1 to 64 characters"),
        Check::BlankRow | Check::EmptyContent => ruling("AM-8", S, "it costs an item and says nothing"),
        Check::NotJson => ruling("AM-16", S, "JSON cannot carry the value as it is"),
        _ => None,
    }
}
