//! Rows told as text, for somebody who reads them instead of the model: what was said whole, tools in short.
//!
//! Nothing redacted is told, and no reasoning.

use super::super::Driver;
use super::super::host::{Host, Place};
use crate::core::fold::plan::FoldPlan;
use crate::core::fold::request::{CLIP_CHARS, Told};
use crate::core::session::Session;
use crate::core::transcript::{Flags, PartKind, Role, Row};
use crate::core::view::Order;

impl<H: Host> Driver<H> {
    /// Rows of a plan as text: what is covered, what stays and was read, who said what.
    pub(super) fn tell(&self, plan: &FoldPlan) -> (Vec<Told>, Vec<Told>, Vec<Order>, Option<String>) {
        let session = self.session.borrow();
        let unread = session.transcript.first_unread();
        let (mut covered, mut tail, mut users) = (Vec::new(), Vec::new(), Vec::new());
        let mut below = true;
        for (at, row) in session.transcript.rows().iter().enumerate().skip(session.transcript.leading()) {
            if row.is_blank() {
                continue;
            }
            if let Some(p) = row.key_position() {
                if plan.boundary.is_some_and(|b| p <= b) {
                    continue;
                }
                below = p <= plan.covered;
            }
            let told = self.tell_row(&session, at);
            if below {
                if row.is_real_user()
                    && let Some(position) = row.key_position()
                {
                    let text = self.user_text(row, at);
                    users.push(Order { position, key: None, text });
                }
                covered.push(told);
            } else if at < unread {
                tail.push(told);
            }
        }
        let previous = session.state.fold().map(|f| f.summary.clone());
        (covered, tail, users, previous)
    }

    /// What a person wrote in a row, whole.
    pub(in crate::driver) fn user_text(&self, row: &Row, at: usize) -> String {
        let texts = row.parts.iter().enumerate().filter(|(_, p)| p.kind == PartKind::Text && !p.measure.blank);
        texts.map(|(i, _)| self.host.excerpt(Place { row: at, part: i }, None, None)).collect::<Vec<_>>().join("\n\n")
    }

    fn tell_row(&self, session: &Session, at: usize) -> Told {
        let Some(row) = session.transcript.row(at) else { return Told { text: String::new(), tokens: 0, starts: false } };
        let who = match row.role {
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
            Role::System => "system",
        };
        let mut out = row.position.map_or_else(|| format!("[{who}]"), |p| format!("[{who}, row {p}]"));
        for (i, part) in row.parts.iter().enumerate() {
            let place = Place { row: at, part: i };
            let line = match part.kind {
                PartKind::Text => self.host.excerpt(place, None, None),
                PartKind::Reasoning => continue,
                // A provider's own summary of what stood before it: readable, or no cut is legal behind it.
                PartKind::Compaction if part.measure.blank || part.flags.has(Flags::SEALED) => continue,
                PartKind::Compaction => self.host.excerpt(place, None, None),
                PartKind::Call => format!("call {} {} {}", part.name, part.id, self.host.excerpt(place, Some(CLIP_CHARS), None)),
                PartKind::Result => self.tell_result(session, place),
                PartKind::Media => format!("[{} attached]", if part.name.is_empty() { "file" } else { &part.name }),
                PartKind::ApprovalRequest | PartKind::ApprovalResponse => continue,
                PartKind::Opaque => self.host.excerpt(place, Some(CLIP_CHARS), None),
            };
            out.push('\n');
            out.push_str(&line);
        }
        let starts = row.role == Role::Assistant || row.is_real_user();
        Told { tokens: session.weigh(&out), text: out, starts }
    }

    fn tell_result(&self, session: &Session, place: Place) -> String {
        let call = session.transcript.index().call_of_result(place.row, place.part);
        let entry = call.and_then(|c| session.entry(c));
        if entry.is_some_and(|e| e.redacted) {
            return "result: not shown, it was redacted".to_owned();
        }
        let handle = entry.and_then(|e| e.handle.as_deref());
        format!("result: {}", self.host.excerpt(place, Some(CLIP_CHARS), handle))
    }
}
