//! What each row weighs in the window, part by part: what the breakdown's messages are made of.
//!
//! Decides nothing; weighs by the gauge's own ratio, so that rows and breakdown are one account. Refuses to
//! know texts: a row is named by its index and its position.

use serde::Serialize;

use super::measure::family::Keeps;
use super::session::Session;
use super::transcript::{Part, PartKind, Role, Row};

/// A row in the window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct RowWeight {
    /// Index in the list.
    pub index: usize,
    /// Where the host stores it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<u64>,
    /// Its tokens; 0 for what is not sent.
    pub tokens: u32,
    /// Its parts; their tokens sum to the row's.
    pub parts: Vec<PartWeight>,
}

/// A part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PartWeight {
    /// What it is, in the breakdown's kinds.
    pub kind: &'static str,
    /// The tool, of a call and of its result.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub tool: Box<str>,
    /// Its tokens in the view.
    pub tokens: u32,
}

/// Every row of the list.
pub fn weights(session: &Session) -> Vec<RowWeight> {
    let turn = session.transcript.index().turns().last().copied().unwrap_or(0);
    let kept_from = match session.constants().reasoning {
        Keeps::All => 0,
        Keeps::Turn => turn,
        Keeps::None => usize::MAX,
    };
    let rows = session.transcript.rows().iter().enumerate();
    rows.map(|(index, row)| {
        let parts: Vec<_> = row
            .parts
            .iter()
            .enumerate()
            .map(|(part, p)| {
                let left = row.is_hidden() || p.kind == PartKind::Reasoning && index < kept_from;
                let tokens = if left { 0 } else { weight(session, p) };
                PartWeight { kind: kind(row, p), tool: tool(session, index, part, p), tokens }
            })
            .collect();
        RowWeight { index, position: row.position, tokens: parts.iter().fold(0, |sum, p| sum.saturating_add(p.tokens)), parts }
    })
    .collect()
}

/// Media are priced in the provider's tokens already.
fn weight(session: &Session, part: &Part) -> u32 {
    let media = part.view_media();
    session.gauge.scale(u64::from(part.view_tokens().saturating_sub(media))).saturating_add(media)
}

fn tool(session: &Session, row: usize, part: usize, p: &Part) -> Box<str> {
    match p.kind {
        PartKind::Call => p.name.clone(),
        PartKind::Result => session.tool_of(row, part).into(),
        _ => "".into(),
    }
}

fn kind(row: &Row, part: &Part) -> &'static str {
    match (part.kind, row.role) {
        (PartKind::Reasoning, _) => "reasoning",
        (PartKind::Call, _) => "call",
        (PartKind::Result, _) => "result",
        (PartKind::Media, _) => "media",
        (PartKind::Text, Role::System) => "system",
        (PartKind::Text, Role::User) => "user",
        (PartKind::Text, _) => "assistant",
        _ => "other",
    }
}
