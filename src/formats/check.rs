//! What can be wrong with a history, whatever its format, and how a finding is worded.

use serde::Serialize;

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Level {
    /// The provider or the SDK rejects the request.
    E,
    /// Something is silently dropped or rewritten.
    D,
    /// Accepted, but wrong or worse than it could be.
    S,
    /// Accepted, but the prefix cache or preserved reasoning is lost.
    C,
}

/// One thing that can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Check {
    /// No messages at all.
    EmptyList,
    /// More messages than a request may hold.
    TooMany,
    /// A role the format does not have, or a field of the wrong type.
    Malformed,
    /// A part in a message of a role that cannot hold it.
    Misplaced,
    /// A call without a result, in a step that is over.
    Unanswered,
    /// A call without a result at the very end.
    OpenCall,
    /// A result whose call is nowhere before it.
    OrphanResult,
    /// A second result for a call.
    DuplicateResult,
    /// A result that does not stand where it must, seen from its call.
    LateResult,
    /// Something in front of the results of a user turn.
    ResultsNotFirst,
    /// Two calls of one step, or two that wait at once, share an id.
    AmbiguousId,
    /// An id that an earlier call had already.
    RepeatedId,
    /// An id with characters or a length that are not accepted.
    BadId,
    /// A tool name with characters or a length that are not accepted.
    BadName,
    /// A result that names another tool than its call.
    WrongName,
    /// The first message has a role that may not stand first.
    FirstRow,
    /// The first message calls a tool.
    FirstCalls,
    /// The last message has a role that may not stand last.
    LastRow,
    /// The last text ends with white space.
    LastTrailing,
    /// A message without parts.
    EmptyContent,
    /// A part of text with nothing in it, beside others.
    BlankText,
    /// A user or assistant message of which nothing is left but blank text.
    BlankRow,
    /// An assistant step of nothing but reasoning.
    OnlyReasoning,
    /// Reasoning of the running turn without its signature.
    Unsigned,
    /// The first call of a step without its signature, where others have theirs.
    UnsignedCall,
    /// An item that kept its id without its reasoning.
    LostReasoning,
    /// System text in front, inside the list.
    LeadingSystem,
    /// System text between other messages.
    MiddleSystem,
    /// System text where even those who take it between others do not.
    SystemPlace,
    /// A question for consent without its call.
    RequestWithoutCall,
    /// An answer without its question.
    AnswerWithoutRequest,
    /// A provider's call whose result never came.
    ProviderUnanswered,
    /// The same where the turn behind it holds results and something else.
    MoreThanResults,
    /// A provider's result without its call.
    ProviderOrphan,
    /// A call from code whose running call is gone.
    CallerGone,
    /// A compaction that was asked for and does not open the conversation.
    CompactionPlace,
    /// Media inside a tool result.
    MediaInResult,
    /// Media written out as the text of a tool result.
    MediaAsText,
    /// An item id that the provider did not give.
    ForeignId,
    /// A cache breakpoint on reasoning.
    CachedReasoning,
    /// More than four cache breakpoints.
    Breakpoints,
    /// More images than a request may hold.
    ManyImages,
    /// A value that JSON cannot carry.
    NotJson,
}

impl Check {
    /// Whether `repair` can heal it without inventing anything.
    pub fn is_repairable(self) -> bool {
        matches!(
            self,
            Check::Unanswered
                | Check::OrphanResult
                | Check::DuplicateResult
                | Check::LateResult
                | Check::ResultsNotFirst
                | Check::AmbiguousId
                | Check::RepeatedId
                | Check::EmptyContent
                | Check::BlankText
                | Check::BlankRow
                | Check::OnlyReasoning
                | Check::LostReasoning
                | Check::ForeignId
                | Check::RequestWithoutCall
                | Check::AnswerWithoutRequest
                | Check::ProviderUnanswered
                | Check::MoreThanResults
                | Check::ProviderOrphan
        )
    }
}

impl Check {
    /// Whether `repair` heals it where the format takes it this seriously. What nobody minds stays as it is,
    /// but for emptiness, which always costs somebody.
    pub(super) fn is_healed_at(self, level: Level) -> bool {
        let empty = matches!(self, Check::EmptyContent | Check::BlankText | Check::BlankRow | Check::OnlyReasoning);
        self.is_repairable() && (empty || matches!(level, Level::E | Level::D))
    }
}

/// A format's word on one check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// The rule's id.
    pub rule: &'static str,
    /// How bad it is.
    pub level: Level,
    /// What the provider or the SDK says to it, in our words; follows "name: ".
    pub says: &'static str,
}

/// A ruling; for the tables of the formats.
pub(super) const fn ruling(rule: &'static str, level: Level, says: &'static str) -> Option<Ruling> {
    Some(Ruling { rule, level, says })
}

/// One thing that is wrong, in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// The rule's id.
    pub rule: &'static str,
    /// How bad it is.
    pub level: Level,
    /// Index of the message.
    pub at: usize,
    /// Index of the part in it, where it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<usize>,
    /// What is wrong here, and the complaint it draws. Ids and numbers, never transcript text.
    pub detail: String,
    /// Whether `repair` heals it.
    pub repairable: bool,
}
