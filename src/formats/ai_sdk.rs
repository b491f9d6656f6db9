//! AI SDK ModelMessage, v5 to v7, and the provider prompts of the same shape.
//!
//! The SDK itself checks little; what it forwards and every provider then refuses is an error here too.

use super::check::{Check, Level, Ruling, ruling};
use super::{First, Placing, Wire};
use crate::core::cut::RuleSet;
use crate::core::profile::Profile;

pub(super) const WIRE: Wire = Wire {
    profile: Profile { name: "ai-sdk", items: false, signed_calls: false, cuts: RuleSet::ALL },
    placing: Placing::BeforeUser,
    first: First::Any,
    id_chars: None,
    ids_repeat: true,
    plain_names: false,
    signed_reasoning: false,
    governed_ids: true,
    demands,
};

fn demands(check: Check) -> Option<Ruling> {
    use Level::{D, E, S};
    match check {
        Check::EmptyList => ruling("AM-1", E, "the SDK refuses an empty list of messages"),
        Check::Malformed => ruling("AM-2", E, "the SDK's message schema refuses it (v5, v6); v7 sends it on and the provider fails"),
        Check::Misplaced => ruling("AM-2", E, "the SDK's message schema has no such part for this role"),
        Check::Unanswered | Check::OpenCall => ruling("AM-4", E, "the SDK stops with missing tool results"),
        Check::LateResult => ruling("AM-4", E, "the SDK wants every result before the next user or system message"),
        Check::OrphanResult => ruling("AM-6", E, "the SDK sends it on and the provider knows no such call"),
        Check::DuplicateResult => ruling("AM-6", E, "the SDK sends it on and the provider wants one result per call"),
        Check::AmbiguousId => ruling("AM-6", E, "the SDK sends both on and the provider cannot tell them apart"),
        Check::WrongName => ruling("AM-6", S, "Gemini takes the name of the result, which no call has"),
        Check::BlankRow => ruling("AM-8", S, "it becomes an empty text or an empty content, which Anthropic refuses"),
        Check::EmptyContent => ruling("AM-8", S, "it reaches the provider without content, which Anthropic and Gemini refuse"),
        Check::BlankText => ruling("AM-8", D, "the SDK drops it"),
        Check::OnlyReasoning => ruling("AM-11", E, "the provider wants something besides reasoning in an assistant turn"),
        Check::LeadingSystem => ruling("AM-3", S, "v7 refuses it unless allowed, v6 warns; pass it as instructions"),
        Check::MiddleSystem => ruling("AM-3", E, "v7 refuses system messages inside the list unless allowed"),
        Check::LostReasoning => ruling("OR-5", S, "OpenAI may miss the reasoning item that belongs to this item id"),
        Check::RequestWithoutCall => ruling("AM-14", E, "the question for consent has lost its call"),
        Check::AnswerWithoutRequest => ruling("AM-14", E, "the answer for consent has lost its question"),
        Check::ProviderUnanswered => ruling("OC-10", S, "OpenAI Chat and Gemini see a call without an answer"),
        Check::ProviderOrphan => ruling("AN-9", E, "the provider wants its own call before its own result"),
        Check::CallerGone => ruling("AM-13", E, "Anthropic finds no source tool for the call"),
        Check::NotJson => ruling("AM-16", S, "JSON cannot carry the value as it is"),
        Check::Breakpoints => ruling("AM-cache", D, "the SDK ignores breakpoints after the fourth"),
        Check::CompactionPlace
        | Check::TooMany
        | Check::ResultsNotFirst
        | Check::RepeatedId
        | Check::BadId
        | Check::BadName
        | Check::FirstRow
        | Check::SystemPlace
        | Check::FirstCalls
        | Check::LastRow
        | Check::LastTrailing
        | Check::Unsigned
        | Check::UnsignedCall
        | Check::MediaInResult
        | Check::CachedReasoning
        | Check::MoreThanResults
        | Check::MediaAsText
        | Check::ForeignId
        | Check::ManyImages => None,
    }
}
