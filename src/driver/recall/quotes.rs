//! What is quoted of a row that a search found: which of its texts are out of view, the best stretch, who said it.

use std::collections::BTreeMap;

use super::super::Driver;
use super::super::host::{Host, Method, OldPart, OldRow, Place};
use super::{Candidate, INDEX_CHARS, Search};
use crate::core::restore::lexical::snippet::{SNIPPET_UNITS, snippet};
use crate::core::restore::recall::{self, Piece, Quote};
use crate::core::transcript::{PartKind, Role};

impl<H: Host> Driver<H> {
    pub(super) async fn quotes(&self, search: &Search, candidates: Vec<Candidate>) -> Result<Vec<Quote>, H::Error> {
        let weights = self.memory.borrow().index.weights(&search.query);
        let mut quotes: Vec<Quote> = Vec::new();
        for candidate in candidates {
            if quotes.len() >= search.max {
                break;
            }
            let position = candidate.position;
            if !self.may_quote(position) || quotes.iter().any(|q| q.position == position) {
                continue;
            }
            let Some(pieces) = self.pieces_at(position, candidate.text.is_some()).await? else { continue };
            let Some((who, handle, text)) = quote(pieces, &candidate, &weights) else { continue };
            if !quotes.iter().any(|q| q.text == text) && !self.with(|s| recall::shown_already(s, &text)) {
                quotes.push(Quote { position, who, handle, text });
            }
        }
        Ok(quotes)
    }

    /// What of a stored row is out of view; none when the view shows it, or when it was taken back. A row
    /// that only the store has need not be fetched where the search brought its text.
    async fn pieces_at(&self, position: u64, has_text: bool) -> Result<Option<Vec<Piece>>, H::Error> {
        let (row, first) = self.with(|s| (s.transcript.rows().iter().position(|r| r.position == Some(position)), recall::first_listed(s)));
        if let Some(row) = row {
            return Ok(self.hidden_row(row).map(|r| r.2));
        }
        if first.is_some_and(|first| position >= first) {
            return Ok(None);
        }
        if has_text {
            return Ok(Some(Vec::new()));
        }
        if !self.host.has(Method::Rows) {
            return Ok(None);
        }
        let old = self.host.rows(position, position).await?;
        Ok(old.iter().find(|r| r.position == position).map(pieces_of))
    }

    /// A row of the list that the view does not show as it is.
    pub(super) fn hidden_row(&self, row: usize) -> Option<(u64, u64, Vec<Piece>)> {
        let (position, content, parts) = self.with(|s| Some((s.transcript.row(row)?.position?, recall::content(s, row), recall::out_of_view(s, row))))?;
        let pieces: Vec<Piece> = parts.into_iter().map(|part| self.piece(row, part)).collect();
        (!pieces.is_empty()).then_some((position, content, pieces))
    }

    fn piece(&self, row: usize, part: usize) -> Piece {
        let text = self.host.excerpt(Place { row, part }, Some(INDEX_CHARS), None);
        let session = self.session.borrow();
        let role = session.transcript.row(row).map_or(Role::User, |r| r.role);
        let who = session.transcript.part(row, part).map_or_else(String::new, |p| said_by(role, p.kind, &p.name));
        let call = session.transcript.index().call_of_result(row, part);
        let handle = call.and_then(|c| session.entry(c)).and_then(|e| e.handle.clone());
        Piece { who, handle, text }
    }

    /// Whether a row may be quoted at all.
    pub(super) fn may_quote(&self, position: u64) -> bool {
        self.with(|s| !s.state.sealed.contains(&position))
    }
}

/// The stretch of a row that is quoted.
fn quote(pieces: Vec<Piece>, candidate: &Candidate, weights: &BTreeMap<u64, f64>) -> Option<(String, Option<String>, String)> {
    if let Some(text) = &candidate.text {
        let (text, _) = snippet(text, weights, SNIPPET_UNITS);
        let piece = pieces.into_iter().next();
        let (who, handle) = piece.map_or_else(|| ("earlier".to_owned(), None), |p| (p.who, p.handle));
        return (!text.is_empty()).then_some((who, handle, text));
    }
    let passage = candidate.passage.and_then(|n| recall::passages(&pieces).into_iter().nth(n));
    let mut best: Option<(f64, Piece, String)> = None;
    for piece in pieces {
        let source = match &passage {
            Some(passage) if !piece.text.contains(passage.as_str()) => continue,
            Some(passage) => passage.as_str(),
            None => piece.text.as_str(),
        };
        let (text, score) = snippet(source, weights, SNIPPET_UNITS);
        if !text.is_empty() && best.as_ref().is_none_or(|b| score > b.0) {
            best = Some((score, piece, text));
        }
    }
    best.map(|(_, piece, text)| (piece.who, piece.handle, text))
}

pub(super) fn pieces_of(row: &OldRow) -> Vec<Piece> {
    let of = |p: &OldPart| {
        let role = match row.role.as_str() {
            "assistant" => Role::Assistant,
            "tool" => Role::Tool,
            _ => Role::User,
        };
        let kind = match (p.result, p.tool.is_empty()) {
            (true, _) => PartKind::Result,
            (false, false) => PartKind::Call,
            (false, true) => PartKind::Text,
        };
        Piece { who: said_by(role, kind, &p.tool), handle: None, text: p.text.clone() }
    };
    row.parts.iter().map(of).collect()
}

fn said_by(role: Role, kind: PartKind, tool: &str) -> String {
    let tool: String = tool.chars().filter(|c| !c.is_control() && !matches!(c, '[' | ']')).take(60).collect();
    match (kind, role) {
        (PartKind::Result, _) if tool.is_empty() => "tool result".to_owned(),
        (PartKind::Result, _) => format!("result of {tool}"),
        (PartKind::Call, _) => format!("call of {tool}"),
        (_, Role::Assistant) => "assistant".to_owned(),
        _ => "user".to_owned(),
    }
}
