//! OpenAI Chat Completions. A result is a message of its own, right after the message that asks for it.

use super::check::{Check, Level, Ruling, ruling};
use super::{First, Placing, Wire};
use crate::core::cut::RuleSet;
use crate::core::profile::Profile;

pub(super) const WIRE: Wire = Wire {
    profile: Profile { name: "openai-chat", items: false, signed_calls: false, cuts: RuleSet::ALL },
    placing: Placing::Directly,
    first: First::Any,
    id_chars: None,
    ids_repeat: true,
    plain_names: true,
    signed_reasoning: false,
    governed_ids: false,
    demands,
};

fn demands(check: Check) -> Option<Ruling> {
    use Level::{E, S};
    match check {
        Check::EmptyList => ruling("OC-1", E, "the API wants at least one message"),
        Check::Malformed => ruling("OC-1", E, "the API's schema refuses the message"),
        Check::Misplaced => ruling("OC-1", E, "the API has no such part for this role"),
        Check::EmptyContent => ruling("OC-2", E, "the API wants content unless the message calls tools"),
        Check::MediaInResult => ruling("OC-3", E, "the API takes nothing but text in a tool message"),
        Check::MediaAsText => ruling("OC-9", S, "the model reads the bytes as text, at many times the tokens of the image or file"),
        Check::BadName => ruling("OC-4", E, "the API takes at most 64 letters, digits, _ and - in a function's name"),
        Check::Unanswered | Check::OpenCall => ruling("OC-5", E, "the API wants a tool message for each tool_call_id right after the calls"),
        Check::LateResult => ruling("OC-5", E, "the API wants the tool messages right after the message with the calls"),
        Check::AmbiguousId => ruling("OC-5", E, "the API cannot tell which call a tool message answers"),
        Check::DuplicateResult => ruling("OC-5", E, "the API wants one tool message per call"),
        Check::OrphanResult => ruling("OC-6", E, "the API wants a tool message to follow the message with its call"),
        Check::ProviderUnanswered => ruling("OC-10", E, "the API sees a call without an answer"),
        Check::ProviderOrphan => ruling("OC-6", E, "the API sees an answer without its call"),
        Check::OnlyReasoning => ruling("AM-11", S, "an assistant turn of nothing but reasoning becomes an empty text"),
        Check::BlankRow => ruling("AM-8", S, "it costs a message and says nothing"),
        Check::NotJson => ruling("AM-16", S, "JSON cannot carry the value as it is"),
        _ => None,
    }
}
