//! One message of the host, reduced to what decisions need.

use crate::core::measure::meter::Measure;
use crate::core::view::Gone;

/// Who a message is from, as its format says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Role {
    /// Instructions in front of the conversation.
    System,
    /// The user; in some formats also the carrier of tool results.
    User,
    /// The model.
    Assistant,
    /// Tool results.
    Tool,
}

/// What a part is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum PartKind {
    /// Prose.
    Text,
    /// The model's reasoning.
    Reasoning,
    /// A tool call; its text is the arguments as JSON.
    Call,
    /// A tool result; its text is the output.
    Result,
    /// An image or file.
    Media,
    /// A request for consent; its id is the approval's, its name the call's id.
    ApprovalRequest,
    /// The answer to one; its id is the approval's.
    ApprovalResponse,
    /// A provider's own compaction item.
    Compaction,
    /// Anything this version does not know: kept, sized, never dropped.
    Opaque,
}

/// Properties of a part, as bits so that they cross cheaply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flags(pub u32);

impl Flags {
    /// The result reports a failure.
    pub const ERROR: Flags = Flags(1);
    /// The part carries a signature or encrypted content.
    pub const SIGNED: Flags = Flags(2);
    /// The provider runs the tool; its result may come late.
    pub const PROVIDER: Flags = Flags(4);
    /// The part names a provider-side item id.
    pub const ITEM_ID: Flags = Flags(8);
    /// The output is a JSON value.
    pub const JSON: Flags = Flags(16);
    /// The output is a list of items.
    pub const LIST: Flags = Flags(32);
    /// The value could not be written as JSON; its size is an estimate.
    pub const UNSERIALISABLE: Flags = Flags(64);
    /// The call was denied, or the part is a denied result.
    pub const DENIED: Flags = Flags(128);

    /// Ids may be missing in this format; the tool's name pairs then.
    pub const BY_NAME: Flags = Flags(256);
    /// The host wrote it, not a person: a reminder, the environment.
    pub const NOTICE: Flags = Flags(512);

    /// What it holds is encrypted: only the provider can read it.
    pub const SEALED: Flags = Flags(1 << 16);
    /// A cache breakpoint sits on the part.
    pub const CACHED: Flags = Flags(1 << 17);
    /// A field that its type requires is missing or of another type.
    pub const MALFORMED: Flags = Flags(1 << 18);
    /// The text ends with white space.
    pub const TRAILING: Flags = Flags(1 << 19);

    /// A call's arguments that may be shortened: an object, in a format whose assistant rows are not bound.
    pub const EDITABLE: Flags = Flags(1 << 20);

    /// The output has to stay what it is: a text is refused in its place.
    pub const FIXED: Flags = Flags(1 << 21);
    /// The provider gave no such item id: it lacks the prefix of its kind.
    pub const FOREIGN_ID: Flags = Flags(1 << 22);
    /// A result's text spells out an image or file.
    pub const SPELLED: Flags = Flags(1 << 23);

    /// Whether all bits of `other` are set.
    pub fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }
}

/// A piece of a message, measured.
#[derive(Clone, Debug)]
pub struct Part {
    /// What it is.
    pub kind: PartKind,
    /// Its properties.
    pub flags: Flags,
    /// Call id (calls and results), approval id, else empty.
    pub id: Box<str>,
    /// Tool name, media type, else empty.
    pub name: Box<str>,
    /// What a call is about: the path, command or pattern in its arguments; else empty.
    pub target: Box<str>,
    /// Its text, measured; all zero where there is none.
    pub measure: Measure,
    /// Tokens of media inside or instead of the text.
    pub media_tokens: u32,
    /// What stands in its place in the view, if anything does.
    pub stand_in: Option<StandIn>,
}

/// The size of what stands in a part's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StandIn {
    /// Its tokens.
    pub tokens: u32,
    /// Its UTF-8 bytes.
    pub bytes: u64,
    /// Tokens of media that stay beside it.
    pub media: u32,
}

impl Part {
    /// What the part weighs.
    pub fn tokens(&self) -> u32 {
        self.measure.tokens.saturating_add(self.media_tokens)
    }

    /// What the part weighs in the view.
    pub fn view_tokens(&self) -> u32 {
        self.stand_in.map_or_else(|| self.tokens(), |s| s.tokens.saturating_add(s.media))
    }

    /// Tokens of its media in the view.
    pub fn view_media(&self) -> u32 {
        self.stand_in.map_or(self.media_tokens, |s| s.media)
    }

    /// UTF-8 bytes of the part's text in the view.
    pub fn view_bytes(&self) -> u64 {
        self.stand_in.map_or(self.measure.bytes, |s| s.bytes)
    }
}

/// One durable message of the host.
#[derive(Clone, Debug)]
pub struct Row {
    /// Who it is from.
    pub role: Role,
    /// Where the host stores it; absent for rows it has not stored.
    pub position: Option<u64>,
    /// Where the host stores the message that became this row and others; absent when it is this row alone.
    pub message: Option<u64>,
    /// Its parts in order.
    pub parts: Vec<Part>,
    /// Why it is not sent, if it is not.
    pub gone: Option<Gone>,
}

impl Row {
    /// A row of its own, visible.
    pub fn new(role: Role, position: Option<u64>, parts: Vec<Part>) -> Self {
        Row { role, position, message: None, parts, gone: None }
    }

    /// What its calls are keyed by.
    pub fn key_position(&self) -> Option<u64> {
        self.message.or(self.position)
    }

    /// Whether another row says the same, wherever it is stored and whatever its media weigh.
    pub fn same_content(&self, other: &Row) -> bool {
        self.role == other.role
            && self.message == other.message
            && self.parts.len() == other.parts.len()
            && self.parts.iter().zip(&other.parts).all(|(a, b)| {
                a.kind == b.kind
                    && a.flags == b.flags
                    && a.id == b.id
                    && a.name == b.name
                    && a.measure.hash == b.measure.hash
                    && a.measure.tokens == b.measure.tokens
            })
    }

    /// How many calls it makes.
    pub fn calls(&self) -> usize {
        self.parts.iter().filter(|p| p.kind == PartKind::Call).count()
    }

    /// What the row weighs.
    pub fn tokens(&self) -> u32 {
        self.parts.iter().fold(0, |sum, p| sum.saturating_add(p.tokens()))
    }

    /// Whether the row is not sent: hidden by a decision, or all blank.
    pub fn is_hidden(&self) -> bool {
        self.gone.is_some() || self.is_blank() || self.is_bare()
    }

    /// The part that what stands around the message is counted with: reasoning may leave without it.
    pub fn framed(&self) -> usize {
        self.parts.iter().position(|p| p.kind != PartKind::Reasoning).unwrap_or(0)
    }

    /// What the row weighs in the view.
    pub fn view_tokens(&self) -> u32 {
        if self.is_hidden() { 0 } else { self.parts.iter().fold(0, |sum, p| sum.saturating_add(p.view_tokens())) }
    }

    /// UTF-8 bytes of the row's texts in the view.
    pub fn view_bytes(&self) -> u64 {
        if self.is_hidden() { 0 } else { self.parts.iter().map(Part::view_bytes).sum() }
    }

    /// Whether it held nothing but reasoning, and that left.
    pub fn is_bare(&self) -> bool {
        let left = |p: &Part| p.kind == PartKind::Reasoning && p.stand_in.is_some();
        self.parts.iter().any(left) && self.parts.iter().all(|p| left(p) || (p.kind == PartKind::Text && p.measure.blank))
    }

    /// Whether a person wrote it: a user row with something besides tool results.
    pub fn is_real_user(&self) -> bool {
        let said = |p: &Part| matches!(p.kind, PartKind::Text | PartKind::Media | PartKind::Opaque) && !p.flags.has(Flags::NOTICE);
        self.role == Role::User && (self.parts.is_empty() || self.parts.iter().any(said))
    }

    /// Whether every part is blank, unsigned text or reasoning: providers refuse such a message.
    pub fn is_blank(&self) -> bool {
        let bound = |p: &Part| p.flags.has(Flags::SIGNED) || p.flags.has(Flags::ITEM_ID);
        self.role != Role::System && self.parts.iter().all(|p| matches!(p.kind, PartKind::Text | PartKind::Reasoning) && p.measure.blank && !bound(p))
    }
}
