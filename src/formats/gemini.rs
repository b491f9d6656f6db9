//! Gemini contents. Responses of a step stand in one content right after the calls; signatures sit on the
//! calls themselves and stay there.

use super::check::{Check, Level, Ruling, ruling};
use super::{First, Placing, Wire};
use crate::core::cut::RuleSet;
use crate::core::profile::Profile;

pub(super) const WIRE: Wire = Wire {
    profile: Profile { name: "gemini", items: false, signed_calls: true, cuts: RuleSet::ALL },
    placing: Placing::NextRow,
    first: First::User,
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
        Check::EmptyList => ruling("GE-1", E, "the API wants at least one content"),
        Check::EmptyContent => ruling("GE-1", E, "the API wants at least one part in every content"),
        Check::BlankText | Check::BlankRow => ruling("GE-1", E, "the API takes a part without data for no part at all"),
        Check::Malformed => ruling("GE-10", E, "the API's schema refuses the part; a response must be an object"),
        Check::Misplaced => ruling("GE-3", E, "the API wants calls from the model and responses from the user"),
        Check::Unanswered | Check::OpenCall => ruling("GE-2", E, "the API counts fewer responses than calls"),
        Check::LateResult => ruling("GE-2", E, "the API wants the responses in the content right after their calls, all in one"),
        Check::OrphanResult => ruling("GE-3", E, "the API wants a response right after the turn that calls"),
        Check::DuplicateResult => ruling("GE-2", E, "the API counts more responses than calls"),
        Check::AmbiguousId => ruling("GE-2", E, "the API cannot tell which call a response answers"),
        Check::WrongName => ruling("GE-2", E, "the API wants a response to carry the name of its call"),
        Check::FirstRow => ruling("GE-3", S, "a conversation that starts with the model is suspect"),
        Check::FirstCalls => ruling("GE-3", E, "the API wants a calling turn right after a user turn or a response"),
        Check::UnsignedCall => ruling("GE-4", E, "the API misses the thought_signature of the step's first call"),
        Check::LastRow => ruling("GE-8", E, "Gemini 3 refuses a list that ends with a model turn"),
        Check::LeadingSystem | Check::MiddleSystem => ruling("GE-9", E, "the API takes system text in systemInstruction only"),
        Check::OnlyReasoning => ruling("AM-11", S, "a model turn of nothing but thought says nothing"),
        Check::ProviderUnanswered => ruling("GE-2", E, "the API sees a call without an answer"),
        Check::ProviderOrphan => ruling("GE-3", E, "the API sees an answer without its call"),
        _ => None,
    }
}
