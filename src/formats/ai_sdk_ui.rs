//! AI SDK UIMessage: display history. One message may hold many steps with their calls and results.

use super::check::{Check, Level, Ruling, ruling};
use super::{First, Placing, Wire};
use crate::core::cut::RuleSet;
use crate::core::profile::Profile;

pub(super) const WIRE: Wire = Wire {
    profile: Profile { name: "ai-sdk-ui", items: false, signed_calls: false, cuts: RuleSet::ALL },
    placing: Placing::BeforeUser,
    first: First::Any,
    id_chars: None,
    ids_repeat: true,
    plain_names: false,
    signed_reasoning: false,
    governed_ids: false,
    demands,
};

fn demands(check: Check) -> Option<Ruling> {
    use Level::{E, S};
    match check {
        Check::EmptyList => ruling("AU-1", E, "the SDK refuses an empty list of messages"),
        Check::EmptyContent => ruling("AU-1", E, "the SDK wants at least one part in every message that is not the assistant's"),
        Check::Malformed => ruling("AU-2", E, "the SDK's message schema refuses it; a finished tool part needs its input"),
        Check::Misplaced => ruling("AU-2", E, "the SDK's message schema has no such part for this role"),
        Check::Unanswered => ruling("AU-4", E, "the converted call has no result and the SDK stops, unless told to ignore incomplete calls"),
        Check::OpenCall => ruling("AU-4", E, "the converted call has no result yet"),
        Check::AmbiguousId => ruling("AM-6", E, "both are sent on and the provider cannot tell them apart"),
        Check::OnlyReasoning => ruling("AM-11", S, "it converts to an assistant turn of nothing but reasoning"),
        Check::BlankRow => ruling("AM-8", S, "it converts to an empty text, which Anthropic refuses"),
        Check::LeadingSystem => ruling("AM-3", S, "v7 refuses it unless allowed, v6 warns; pass it as instructions"),
        Check::MiddleSystem => ruling("AM-3", E, "v7 refuses system messages inside the list unless allowed"),
        Check::NotJson => ruling("AM-16", S, "JSON cannot carry the value as it is"),
        _ => None,
    }
}
