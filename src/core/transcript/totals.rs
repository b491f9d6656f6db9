//! Sizes of a run of rows, as sums that are kept while rows come, go and change.
//!
//! Decides what counts where; the breakdown, the gauge and the prefix read the same numbers.

use super::row::{Part, PartKind, Role, Row};

/// Kinds of message content that the breakdown tells apart: user, assistant, reasoning, calls, results, other.
pub const KINDS: usize = 6;
const REASONING: usize = 2;

/// Sums over rows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Tokens in the view.
    pub view: u64,
    /// Tokens if nothing had been relieved.
    pub raw: u64,
    /// UTF-8 bytes of the texts in the view.
    pub bytes: u64,
    /// Tokens of media that the view shows.
    pub media: u64,
    /// Parts of the view that something stands in for.
    pub stand_ins: u64,
    /// Tokens of texts in the view, by kind.
    pub kinds: [u64; KINDS],
    /// Tokens of texts of system rows.
    pub system: u64,
}

impl Totals {
    /// Sizes of one row.
    pub fn of(row: &Row) -> Totals {
        let raw = u64::from(row.tokens());
        if row.is_hidden() {
            return Totals { raw, ..Totals::default() };
        }
        let mut out = Totals { raw, view: u64::from(row.view_tokens()), bytes: row.view_bytes(), ..Totals::default() };
        for part in &row.parts {
            let media = part.view_media();
            let text = u64::from(part.view_tokens().saturating_sub(media));
            out.media += u64::from(media);
            out.stand_ins += u64::from(part.stand_in.is_some());
            if row.role == Role::System {
                out.system += text;
            } else if let Some(kind) = out.kinds.get_mut(kind_of(row, part)) {
                *kind += text;
            }
        }
        out
    }

    /// Tokens of the model's reasoning in the view.
    pub fn reasoning(&self) -> u64 {
        self.kinds.get(REASONING).copied().unwrap_or(0)
    }

    /// Without reasoning that the provider does not keep.
    pub fn leave_out_reasoning(&mut self, tokens: u64) {
        for kind in self.kinds.iter_mut().skip(REASONING).take(1) {
            *kind = kind.saturating_sub(tokens);
        }
        self.view = self.view.saturating_sub(tokens);
    }

    /// Both together.
    pub fn plus(self, other: Totals) -> Totals {
        self.with(other, u64::saturating_add)
    }

    /// This without the other, which is part of it.
    pub fn minus(self, other: Totals) -> Totals {
        self.with(other, u64::saturating_sub)
    }

    fn with(mut self, other: Totals, f: fn(u64, u64) -> u64) -> Totals {
        self.view = f(self.view, other.view);
        self.raw = f(self.raw, other.raw);
        self.bytes = f(self.bytes, other.bytes);
        self.media = f(self.media, other.media);
        self.stand_ins = f(self.stand_ins, other.stand_ins);
        self.system = f(self.system, other.system);
        for (a, b) in self.kinds.iter_mut().zip(other.kinds) {
            *a = f(*a, b);
        }
        self
    }
}

fn kind_of(row: &Row, part: &Part) -> usize {
    match (part.kind, row.role) {
        (PartKind::Reasoning, _) => REASONING,
        (PartKind::Call, _) => 3,
        (PartKind::Result, _) => 4,
        (PartKind::Text, Role::User) => 0,
        (PartKind::Text, _) => 1,
        _ => 5,
    }
}
