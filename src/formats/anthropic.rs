//! Anthropic Messages. Results live in user messages, several in one; thinking is signed.

use super::check::{Check, Level, Ruling, ruling};
use super::{First, Placing, Wire};
use crate::core::cut::RuleSet;
use crate::core::profile::Profile;

pub(super) const WIRE: Wire = Wire {
    profile: Profile { name: "anthropic", items: false, signed_calls: false, cuts: RuleSet::ALL },
    placing: Placing::NextUserTurn,
    first: First::User,
    id_chars: Some(usize::MAX),
    ids_repeat: false,
    plain_names: false,
    signed_reasoning: true,
    governed_ids: false,
    demands,
};

fn demands(check: Check) -> Option<Ruling> {
    use Level::{E, S};
    match check {
        Check::EmptyList => ruling("AN-1", E, "the API wants at least one message"),
        Check::TooMany => ruling("AN-1", E, "the API takes at most 100,000 messages"),
        Check::Malformed => ruling("AN-11", E, "the API's schema refuses the block"),
        Check::Misplaced => ruling("AN-11", E, "the API has no such block for this role"),
        Check::Unanswered | Check::OpenCall => ruling("AN-5", E, "the API finds a tool_use without its tool_result right after it"),
        Check::LateResult => ruling("AN-5", E, "the API wants the tool_result in the message right after the tool_use"),
        Check::OrphanResult => ruling("AN-6", E, "the API finds a tool_result whose tool_use is not in the message before it"),
        Check::DuplicateResult => ruling("AN-6", E, "the API wants one tool_result for each tool_use"),
        Check::ResultsNotFirst => ruling("AN-7", E, "the API wants the tool_results first in their message and text after them"),
        Check::AmbiguousId | Check::RepeatedId => ruling("AN-10", E, "the API wants tool_use ids to be unique"),
        Check::BadId => ruling("AN-10", E, "the API takes letters, digits, _ and - in ids only"),
        Check::FirstRow => ruling("AN-2", E, "the API wants the first message to be the user's"),
        Check::LastRow => ruling("AN-3", E, "newer models refuse a list that ends with an assistant message"),
        Check::LastTrailing => ruling("AN-12", E, "the API refuses a last assistant text that ends with white space"),
        Check::BlankText | Check::BlankRow => ruling("AN-12", E, "the API wants text blocks with something besides white space in them"),
        Check::EmptyContent => ruling("AN-12", E, "the API wants content in every message but a last assistant one"),
        Check::OnlyReasoning => ruling("AM-11", E, "the API wants a block besides thinking in an assistant message"),
        Check::Unsigned => ruling("AN-20", E, "the API wants the thinking of a running tool loop back complete, with its signature"),
        Check::LeadingSystem => ruling("AN-4", E, "the API never takes a system message first; system text has its own field"),
        Check::MiddleSystem => ruling("AN-4", S, "only the newest models take system messages between others, after a user turn"),
        Check::SystemPlace => ruling("AN-4", E, "a system message has to follow a user turn and to be last or before an assistant message"),
        Check::ProviderUnanswered => ruling("AN-9", E, "the API finds a server tool's call without its result"),
        Check::MoreThanResults => ruling("AN-8", E, "while a server tool runs, the API takes nothing but tool_results in the user's message"),
        Check::ProviderOrphan => ruling("AN-9", E, "the API finds a server tool's result without its call"),
        Check::CallerGone => ruling("AM-13", E, "the API finds no source tool for the call"),
        Check::CompactionPlace => ruling("AN-42", E, "the API wants a compaction that was asked for as the first block of the conversation, and one"),
        Check::CachedReasoning => ruling("AN-25", E, "the API takes no cache_control on thinking"),
        Check::Breakpoints => ruling("AN-cache", E, "the API takes at most four cache breakpoints"),
        Check::ManyImages => ruling("AN-14", E, "the API takes at most 600 images in a request, 100 on smaller models"),
        Check::WrongName
        | Check::BadName
        | Check::FirstCalls
        | Check::UnsignedCall
        | Check::LostReasoning
        | Check::RequestWithoutCall
        | Check::AnswerWithoutRequest
        | Check::MediaInResult
        | Check::MediaAsText
        | Check::ForeignId
        | Check::NotJson => None,
    }
}
