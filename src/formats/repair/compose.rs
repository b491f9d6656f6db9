//! A repaired history as rows, and two repairs as one.

use super::super::Wire;
use super::layout::fixed;
use super::{Fixed, Repair, Repaired, Source};
use crate::core::transcript::{Flags, Part, PartKind, Role, Row, Transcript};

/// The rows a repair describes.
pub fn laid(transcript: &Transcript, repair: &Repair, wire: &Wire) -> Transcript {
    let mut out = Transcript::default();
    out.set_items(wire.profile.items);
    for row in &repair.rows {
        let base = row.base.and_then(|b| transcript.row(b));
        let parts = match &row.parts {
            None => base.map_or_else(Vec::new, |b| b.parts.clone()),
            Some(sources) => sources.iter().filter_map(|s| piece(transcript, s)).collect(),
        };
        out.push_row(Row::new(base.map_or(Role::Tool, |b| b.role), base.and_then(|b| b.position), parts));
    }
    out.settle_index();
    out
}

fn piece(transcript: &Transcript, source: &Source) -> Option<Part> {
    let mut part = transcript.part(source.row, source.part)?.clone();
    if source.interrupted {
        part.kind = PartKind::Result;
        part.flags = Flags(Flags::ERROR.0 | (part.flags.0 & Flags::BY_NAME.0));
    }
    if source.unname {
        part.flags = Flags(part.flags.0 & !(Flags::ITEM_ID.0 | Flags::FOREIGN_ID.0));
    }
    match (&source.id, part.kind) {
        (Some(id), PartKind::ApprovalRequest) => part.name = id.as_str().into(),
        (Some(id), _) => part.id = id.as_str().into(),
        (None, _) => {}
    }
    Some(part)
}

/// `next` was planned on what `first` left; together they are one repair of the original.
pub(super) fn after(transcript: &Transcript, first: Repair, next: Repair) -> Repair {
    let origin = |row: usize, part: usize| -> Option<Source> {
        let made = first.rows.get(row)?;
        match &made.parts {
            Some(sources) => sources.get(part).cloned(),
            None => Some(Source { row: made.base?, part, interrupted: false, id: None, unname: false }),
        }
    };
    let base_of = |row: usize| first.rows.get(row).and_then(|f| f.base);
    let rows = next
        .rows
        .iter()
        .map(|f| {
            let sources: Vec<Source> = match &f.parts {
                None => match f.base.and_then(|b| first.rows.get(b)) {
                    Some(same) => return same.clone(),
                    None => Vec::new(),
                },
                Some(sources) => sources.iter().filter_map(|s| Some(joined(origin(s.row, s.part)?, s))).collect(),
            };
            fixed(transcript, f.base.and_then(base_of), sources)
        })
        .collect::<Vec<Fixed>>();
    let place = |row: usize| base_of(row).or_else(|| Some(origin(row, 0)?.row)).unwrap_or(0);
    let mut repaired = first.repaired.clone();
    repaired.extend(next.repaired.into_iter().map(|r| Repaired { at: place(r.at), ..r }));
    repaired.sort_by_key(|r| r.at);
    Repair { rows, repaired }
}

/// What a later source says of an earlier one. A new result takes the id its call has by now.
fn joined(first: Source, next: &Source) -> Source {
    Source {
        interrupted: first.interrupted || next.interrupted,
        id: next.id.clone().or(first.id),
        unname: !next.interrupted && (first.unname || next.unname),
        ..first
    }
}
