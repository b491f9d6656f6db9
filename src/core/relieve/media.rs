//! Limits a provider has besides tokens: how many images, how large a request, how long a string.
//!
//! Decides which images and files leave the view: above a limit the oldest that were read, down to half of it
//! in one batch, so that the next pass is far away; the newest half of the limit is what stays, recent rounds or
//! not. Refuses what the model has not read, what is pinned or protected, and the model's own rows. Texts are
//! shortened when they arrive; nothing here touches them.

use std::collections::BTreeSet;

use super::victim::{is_pinned, protected};
use crate::core::session::Session;
use crate::core::state::Edit;
use crate::core::transcript::{CallId, Flags, Media, PartKind, Role};

/// A part whose images and files leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left {
    /// Row and part.
    pub at: (usize, usize),
    /// The call it answers; none for an image of the user's.
    pub call: Option<CallId>,
    /// How many leave.
    pub count: u32,
}

/// What the view holds besides tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Load {
    images: u64,
    bytes: u64,
    longest: u64,
}

/// Why nothing leaves though a limit is exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stuck {
    /// Nothing may leave.
    Nothing,
    /// Not while reasoning of the running turn is bound to it.
    Reasoning,
}

/// What leaves, if a limit is exceeded; oldest first.
pub fn plan(session: &Session) -> Option<Result<Vec<Left>, Stuck>> {
    let limits = &session.config.limits;
    if limits.max_images.is_none() && limits.max_request_bytes.is_none() && limits.max_string_chars.is_none() {
        return None;
    }
    let mut load = load(session);
    let images = limits.max_images.map(u64::from).filter(|most| load.images > *most);
    let bytes = limits.max_request_bytes.filter(|most| load.bytes > *most);
    let too_long = |m: &Media| limits.max_string_chars.is_some_and(|most| m.longest > most);
    if images.is_none() && bytes.is_none() && !shown(session).any(too_long) {
        return None;
    }
    let editable = session.first_editable();
    let kept = protected(session);
    let may_go: Vec<(Left, Media)> = shown(session).filter_map(|m| Some((left(session, m, &kept)?, *m))).collect();
    let over = |now: u64, most: Option<u64>| most.is_some_and(|most| now > most / 2);
    let mut out = Vec::new();
    for (left, media) in may_go.iter().filter(|(l, _)| editable(l.at.0)) {
        if over(load.images, images) || over(load.bytes, bytes) || too_long(media) {
            load.images = load.images.saturating_sub(u64::from(media.count));
            load.bytes = load.bytes.saturating_sub(media.chars);
            out.push(*left);
        }
    }
    Some(match (out.is_empty(), may_go.is_empty()) {
        (false, _) => Ok(out),
        (true, true) => Err(Stuck::Nothing),
        (true, false) => Err(Stuck::Reasoning),
    })
}

/// The limits that the view exceeds, in words.
pub fn exceeded(session: &Session) -> Vec<String> {
    let limits = &session.config.limits;
    let mut load = load(session);
    let texts = session.transcript.rows().iter().filter(|r| !r.is_hidden()).flat_map(|r| &r.parts).filter(|p| p.stand_in.is_none());
    load.longest = texts.map(|p| u64::from(p.measure.len)).max().unwrap_or(0).max(load.longest);
    let mut out = Vec::new();
    let mut tell = |what: &str, now: u64, most: Option<u64>| {
        if let Some(most) = most.filter(|most| now > *most) {
            out.push(format!("{what}: {now} where {most} are allowed"));
        }
    };
    tell("images and files", load.images, limits.max_images.map(u64::from));
    tell("bytes of the request", load.bytes, limits.max_request_bytes);
    tell("characters of the longest string", load.longest, limits.max_string_chars);
    out
}

/// Images and files that stand in the view.
fn shown(session: &Session) -> impl Iterator<Item = &Media> {
    let media = session.transcript.media().iter();
    media.filter(|m| {
        let part = session.transcript.part(m.row, m.part);
        session.transcript.row(m.row).is_some_and(|r| !r.is_hidden()) && part.is_some_and(|p| p.stand_in.is_none() || keeps(session, m))
    })
}

/// Whether a result that something stands in for keeps its images: one that is only shortened does.
fn keeps(session: &Session, m: &Media) -> bool {
    let entry = session.transcript.index().call_of_result(m.row, m.part).and_then(|c| session.entry(c));
    matches!(entry.and_then(|e| e.edit.as_ref()), Some(Edit::Clamp { media: false, .. }))
}

fn load(session: &Session) -> Load {
    let ours = session.head().iter().map(|p| p.text.len() as u64).sum::<u64>()
        + session.placed().iter().filter_map(|p| session.block(p)).map(|b| b.text.len() as u64).sum::<u64>();
    let mut load = Load { bytes: session.frame.bytes() + ours + session.transcript.totals().bytes, ..Load::default() };
    for m in shown(session) {
        load.images += u64::from(m.count);
        load.bytes += m.chars;
        load.longest = load.longest.max(m.longest);
    }
    load
}

fn left(session: &Session, m: &Media, kept: &BTreeSet<CallId>) -> Option<Left> {
    let row = session.transcript.row(m.row)?;
    if m.row >= session.transcript.first_unread() || matches!(row.role, Role::Assistant | Role::System) || is_pinned(session, m.row) {
        return None;
    }
    let at = (m.row, m.part);
    let part = session.transcript.part(m.row, m.part)?;
    if part.flags.has(Flags::FIXED) {
        return None;
    }
    if part.kind == PartKind::Media {
        return row.position.map(|_| Left { at, call: None, count: m.count });
    }
    let call = session.transcript.index().call_of_result(m.row, m.part)?;
    (!kept.contains(&call)).then_some(Left { at, call: Some(call), count: m.count })
}
