//! Turns the decision log into what is sent: a recipe over the host's own messages.
//!
//! Decides the order and what each message becomes. Refuses to touch a message that no decision names:
//! it goes out as the object the host passed in. What is told of a view besides is beside it: what became of
//! each row, how much of it the provider has seen before, what fills the window.

mod buckets;
mod edits;
mod ledger_lines;
mod prefix;

pub use buckets::buckets;
pub use edits::Replace;
pub use ledger_lines::ledger;
pub(super) use ledger_lines::ledger_entry;
pub use prefix::{At, BrokenBy, Prefix, take_prefix};

use serde::Serialize;

use super::error::Error;
use super::session::Session;
use super::session_view::Placed;
use super::transcript::Role;
use super::view::{BlockKind, HeadOrigin};
use edits::replacements;

/// One step of the recipe, in view order. `to` is exclusive; every row of the list is in exactly one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "op")]
pub enum Step {
    /// These rows go out as they are.
    Keep {
        /// First row.
        from: usize,
        /// Row after the last one.
        to: usize,
    },
    /// This row goes out as a copy with these outputs replaced.
    Edit {
        /// The row.
        row: usize,
        /// The replacements.
        set: Vec<Replace>,
        /// Parts that leave: reasoning an edit before it broke.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        cut: Vec<usize>,
        /// Parts that keep everything but their provider-side id.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        unname: Vec<usize>,
        /// Texts appended as parts behind the row's own.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        append: Vec<Text>,
    },
    /// A message of ours that is no row of the host.
    Insert {
        /// Its texts, one part each, with their origins.
        parts: Vec<Text>,
        /// The row's origin.
        origin: &'static str,
    },
    /// These rows are not sent.
    Drop {
        /// First row.
        from: usize,
        /// Row after the last one.
        to: usize,
    },
}

/// A text of ours and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Text {
    /// The exact text.
    pub text: String,
    /// Its origin.
    pub origin: &'static str,
}

/// The recipe of the view, checked: every row is accounted for.
pub fn recipe(session: &Session) -> Result<Vec<Step>, Error> {
    super::ledger::check(&ledger(session), session.transcript.len())?;
    let mut pen = Pen::default();
    pen.rows(session, 0);
    Ok(pen.steps)
}

/// Writes steps in view order.
#[derive(Debug, Default)]
pub(super) struct Pen {
    pub(super) steps: Vec<Step>,
    /// The row at whose turn each step was added.
    pub(super) at: Vec<usize>,
}

impl Pen {
    fn push(&mut self, at: usize, step: Step) {
        self.steps.push(step);
        self.at.push(at);
    }

    /// The steps of the rows from `from` on; those in front of it stand.
    pub(super) fn rows(&mut self, session: &Session, from: usize) {
        let placed = session.placed();
        let mut blocks = placed.iter().skip(placed.partition_point(|p| p.row < from)).peekable();
        let leading = session.transcript.leading();
        for (at, row) in session.transcript.rows().iter().enumerate().skip(from) {
            if at == leading {
                self.head(session, at);
            }
            while let Some(placed) = blocks.next_if(|p| p.row == at && !p.behind) {
                self.block(session, placed, at);
            }
            let mut append = Vec::new();
            let mut behind = Vec::new();
            while let Some(placed) = blocks.next_if(|p| p.row == at) {
                // A block goes onto the user's own row where there is one; elsewhere it is a row of its own.
                match session.block(placed).filter(|_| row.role == Role::User && !row.is_hidden()) {
                    Some(block) if block.kind != BlockKind::Brief => append.push(Text { text: block.text.clone(), origin: block.kind.origin() }),
                    _ => behind.push(*placed),
                }
            }
            self.row(session, at, append);
            for placed in behind {
                self.block(session, &placed, at);
            }
        }
        if session.transcript.len() <= leading {
            // Behind every row there may be: with the first other row it moves.
            self.head(session, usize::MAX);
        }
    }

    fn row(&mut self, session: &Session, at: usize, append: Vec<Text>) {
        let Some(row) = session.transcript.row(at) else { return };
        if row.is_hidden() {
            match self.steps.last_mut() {
                Some(Step::Drop { to, .. }) if *to == at => *to = at + 1,
                _ => self.push(at, Step::Drop { from: at, to: at + 1 }),
            }
            return;
        }
        let (cut, unname) = session.stripped_of(at);
        if !append.is_empty() || !unname.is_empty() || row.parts.iter().any(|p| p.stand_in.is_some()) {
            self.push(at, Step::Edit { row: at, set: replacements(session, at), cut, unname, append });
        } else {
            match self.steps.last_mut() {
                Some(Step::Keep { to, .. }) if *to == at => *to = at + 1,
                _ => self.push(at, Step::Keep { from: at, to: at + 1 }),
            }
        }
    }

    /// The head: one synthetic user row in front of the kept rows.
    fn head(&mut self, session: &Session, at: usize) {
        let parts: Vec<Text> = session.head().into_iter().map(|p| Text { text: p.text, origin: head_origin(p.origin) }).collect();
        if !parts.is_empty() {
            self.push(at, Step::Insert { parts, origin: "summary" });
        }
    }

    fn block(&mut self, session: &Session, placed: &Placed, at: usize) {
        if let Some(block) = session.block(placed) {
            self.push(at, Step::Insert { parts: vec![Text { text: block.text.clone(), origin: block.kind.origin() }], origin: block.kind.origin() });
        }
    }
}

fn head_origin(origin: HeadOrigin) -> &'static str {
    match origin {
        HeadOrigin::Context => "context",
        HeadOrigin::Summary => "summary",
        HeadOrigin::Authority => "authority",
        HeadOrigin::Orders => "orders",
        HeadOrigin::Digest => "digest",
    }
}
