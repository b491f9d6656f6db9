//! What stands in for parts of a row: the edits of the decision log, as the host's side carries them out.

use serde::Serialize;

use crate::core::session::Session;
use crate::core::state::{Edit, Entry, Loss};
use crate::core::transcript::PartKind;

/// A replacement of one result's output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Replace {
    /// Index of the part in its message, as it was projected.
    pub part: usize,
    /// The new text, byte for byte; absent for a clamp.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The cap to shorten the original to; absent for a stub.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cap: Option<u32>,
    /// The handle a clamp's marker names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<Loss>,
    /// Whether the redact hook has to be applied again before the cut.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub redacted: bool,
    /// Whether the part is a call: `text` stands in its longest string, strings over `cap` are left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub input: bool,
    /// Whether a text stands in place of each image and file, or of the part that is one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub media: bool,
}

/// Parts of a row that the log knows something of.
pub(super) fn edited_parts(session: &Session, row: usize) -> impl Iterator<Item = (usize, &Entry)> {
    let parts = session.transcript.row(row).map_or(&[][..], |r| r.parts.as_slice());
    let index = session.transcript.index();
    parts.iter().enumerate().filter_map(move |(i, part)| match part.kind {
        PartKind::Result => Some((i, session.entry(index.call_of_result(row, i)?)?)),
        PartKind::Call if part.stand_in.is_some() => Some((i, session.input_entry(index.call_at(row, i)?)?)),
        PartKind::Media if part.stand_in.is_some() => Some((i, session.media_entry(row, i)?)),
        _ => None,
    })
}

/// The replacements of a row that is edited.
pub(super) fn replacements(session: &Session, row: usize) -> Vec<Replace> {
    let file = |part| session.transcript.part(row, part).is_some_and(|p| p.kind == PartKind::Media);
    edited_parts(session, row)
        .filter_map(|(part, entry)| {
            Some(match entry.edit.as_ref()? {
                Edit::Stub { text, loss, .. } => Replace {
                    part,
                    text: Some(text.clone()),
                    cap: None,
                    handle: entry.handle.clone(),
                    loss: *loss,
                    redacted: entry.redacted,
                    input: false,
                    media: file(part),
                },
                Edit::Input { text, cap, .. } => Replace {
                    part,
                    text: Some(text.clone()),
                    cap: Some(*cap),
                    handle: entry.handle.clone(),
                    loss: None,
                    redacted: false,
                    input: true,
                    media: false,
                },
                Edit::Clamp { cap, media, .. } => Replace {
                    part,
                    text: None,
                    cap: Some(*cap),
                    handle: entry.handle.clone(),
                    loss: session.loss_of(entry),
                    redacted: entry.redacted,
                    input: false,
                    media: *media,
                },
            })
        })
        .collect()
}
