//! Histories made by hand, for tests.

use super::{Flags, Part, PartKind, Role, Row, Transcript};
use crate::core::config::Counter;
use crate::core::measure::meter::measure;

/// A part of this kind, id, name and text.
pub fn part(kind: PartKind, id: &str, name: &str, text: &str) -> Part {
    Part {
        kind,
        flags: Flags::default(),
        id: id.into(),
        name: name.into(),
        target: "".into(),
        measure: measure(Counter::Chars4, text),
        media_tokens: 0,
        stand_in: None,
    }
}

/// Prose.
pub fn text(t: &str) -> Part {
    part(PartKind::Text, "", "", t)
}

/// A call of the tool `read`.
pub fn call(id: &str) -> Part {
    part(PartKind::Call, id, "read", "{}")
}

/// Its result.
pub fn result(id: &str) -> Part {
    part(PartKind::Result, id, "", "out")
}

/// The part with these bits set.
pub fn flagged(mut p: Part, flags: Flags) -> Part {
    p.flags = Flags(p.flags.0 | flags.0);
    p
}

/// Rows of these roles and parts, indexed.
pub fn transcript(rows: Vec<(Role, Vec<Part>)>) -> Transcript {
    let mut t = Transcript::default();
    for (role, parts) in rows {
        t.push_row(Row::new(role, None, parts));
    }
    t.settle_index();
    t
}

/// `u a t a t`: a user row, steps with one call, their results; a trailing `a` without `t` is text only.
pub fn conversation(shape: &str) -> Transcript {
    let letters: Vec<char> = shape.chars().filter(|c| !c.is_whitespace()).collect();
    let mut rows = Vec::new();
    for (at, letter) in letters.iter().enumerate() {
        rows.push(match letter {
            'u' => (Role::User, vec![text("go")]),
            't' => (Role::Tool, vec![result(&format!("c{}", at - 1))]),
            _ if letters.get(at + 1) == Some(&'t') => (Role::Assistant, vec![call(&format!("c{at}"))]),
            _ => (Role::Assistant, vec![text("done")]),
        });
    }
    transcript(rows)
}
