//! Finds older messages for the newest user message, once per turn, and puts quotes of them onto it.
//!
//! Where the host's store searches by vector, it does. Else the rows that left the view are embedded here, a
//! bounded number per turn, newest first; their texts come from the running call's list or from the host's
//! `rows`. By words the core searches itself. Whatever fails leaves the turn as it is, with one declined
//! outcome; it is not tried again in that turn.

use std::collections::BTreeMap;

use super::host::{Host, Method, OldRow, Place};
use super::next::Trail;
use super::{Driver, Failure};
use crate::core::config::RetrievalMode;
use crate::core::event::Outcome;
use crate::core::restore::lexical::Index;
use crate::core::restore::lexical::index::micro;
use crate::core::restore::lexical::snippet::{SNIPPET_UNITS, snippet};
use crate::core::restore::recall::{self, Piece, Quote, Turn};
use crate::core::restore::vectors::Vectors;
use crate::core::transcript::{PartKind, Role};
use crate::core::view::Block;

/// Longest text of a part that is indexed, in UTF-16 code units.
const INDEX_CHARS: u32 = 24_000;
/// How much of a question counts for its answer, in characters.
const ASKED_CHARS: usize = 400;
/// Longest query, in characters.
const QUERY_CHARS: usize = 2_000;
/// Passages that are embedded in one turn, at most; halved when the embedder fails, in case they are why.
const BATCH: usize = 96;
/// Rows of earlier folds that are read back into the index, at most.
const OLD_ROWS: usize = 10_000;

/// What one process knows of the rows that are out of view. Nothing of it is durable.
#[derive(Debug)]
pub(super) struct Memory {
    index: Index,
    vectors: Vectors,
    /// Folds whose rows were read back for the index.
    indexed: Vec<String>,
    /// Folds whose rows are embedded, all of them.
    embedded: Vec<String>,
    batch: usize,
    /// What the newest turn came to, for a plan that has to be made twice.
    last: Option<(String, Option<Block>, Outcome)>,
}

impl Default for Memory {
    fn default() -> Self {
        Memory { index: Index::default(), vectors: Vectors::default(), indexed: Vec::new(), embedded: Vec::new(), batch: BATCH, last: None }
    }
}

/// A row that may be quoted: its position and, where the search says so, which text of it.
struct Candidate {
    position: u64,
    text: Option<String>,
    passage: Option<usize>,
}

/// What a search is made with.
struct Search {
    query: String,
    max: usize,
    wide: usize,
    semantic: bool,
    lexical: bool,
}

impl<H: Host> Driver<H> {
    /// The recall stage of one `next`.
    pub(super) async fn recall(&self, trail: &mut Trail) -> Result<(), Failure<H::Error>> {
        self.with(recall::seal);
        let (on, mode, max) = self.with(|s| (s.config.retrieval.enabled, s.config.retrieval.mode, s.config.retrieval.max_results as usize));
        if !on || max == 0 {
            return Ok(());
        }
        let lexical = mode != RetrievalMode::Semantic;
        if lexical {
            self.index_rows();
        }
        let Some(turn) = self.with(|s| recall::due(s)) else { return Ok(()) };
        if self.with(|s| s.state.recalled.as_deref() == Some(turn.mark.as_str())) {
            return Ok(());
        }
        // The row was asked anew: what was quoted for its old text goes.
        self.with(|s| recall::clear(s, &turn));
        let known = self.memory.borrow().last.clone().filter(|(mark, _, _)| *mark == turn.mark);
        if let Some((_, block, outcome)) = known {
            trail.outcomes.push(outcome);
            self.with(|s| s.state.recalled = Some(turn.mark.clone()));
            if let Some(block) = block {
                self.with(|s| recall::put(s, block));
            }
            return Ok(());
        }
        let semantic = mode != RetrievalMode::Lexical && self.host.has(Method::Embed);
        let (block, outcome) = if semantic || lexical {
            let query: String = self.query(&turn).chars().take(QUERY_CHARS).collect();
            if query.trim().is_empty() {
                return Ok(());
            }
            let search = Search { query, max, wide: (max * 4 + 20).min(100), semantic, lexical };
            match self.find(&search).await {
                Ok(quotes) if quotes.is_empty() => (None, Outcome::declined("recall", "below_minimum")),
                Ok(quotes) => {
                    let block = self.with(|s| recall::show(s, &turn, recall::block(&quotes)));
                    let done = Outcome::done("recall", format!("{} of the older messages", quotes.len()));
                    let outcome = if block.is_some() { done } else { Outcome::declined("recall", "no_progress") };
                    (block, outcome)
                }
                Err(error) if self.host.cancelled() => return Err(Failure::Host(error)),
                Err(_) => (None, Outcome::declined("recall", "unavailable")),
            }
        } else {
            (None, Outcome::declined("recall", "unavailable"))
        };
        trail.outcomes.push(outcome.clone());
        self.with(|s| s.state.recalled = Some(turn.mark.clone()));
        self.memory.borrow_mut().last = Some((turn.mark, block, outcome));
        Ok(())
    }

    fn query(&self, turn: &Turn) -> String {
        let session = self.session.borrow();
        session.transcript.row(turn.row).map_or_else(String::new, |row| self.user_text(row, turn.row))
    }

    async fn find(&self, search: &Search) -> Result<Vec<Quote>, H::Error> {
        let mut semantic = Vec::new();
        if search.semantic {
            match self.by_meaning(search).await {
                Ok(found) => semantic = found,
                // By words it may still be found.
                Err(_) if search.lexical && !self.host.cancelled() => {}
                Err(error) => return Err(error),
            }
        }
        if search.lexical {
            self.index_old_rows().await;
        }
        let least = self.with(|s| micro(s.config.retrieval.lexical_min_score));
        let lexical: Vec<u64> = match search.lexical {
            true => self.memory.borrow().index.search(&search.query, search.wide).into_iter().filter(|h| h.score >= least).map(|h| h.position).collect(),
            false => Vec::new(),
        };
        let order = if search.lexical && search.semantic { recall::join(&semantic.iter().map(|c| c.position).collect::<Vec<_>>(), &lexical) } else { lexical };
        let candidates = if search.lexical {
            let mut known: BTreeMap<u64, Candidate> = semantic.into_iter().rev().map(|c| (c.position, c)).collect();
            order.into_iter().map(|position| known.remove(&position).unwrap_or(Candidate { position, text: None, passage: None })).collect()
        } else {
            semantic
        };
        self.quotes(search, candidates).await
    }

    /// Rows near in meaning, best first, newer first among equals.
    async fn by_meaning(&self, search: &Search) -> Result<Vec<Candidate>, H::Error> {
        let least = self.with(|s| micro(s.config.retrieval.min_score));
        if self.host.has(Method::Search) {
            let mut found = self.host.search(&search.query, search.wide as u32).await?;
            found.retain(|f| micro(f.score) >= least);
            found.sort_by(|a, b| micro(b.score).cmp(&micro(a.score)).then(b.position.cmp(&a.position)));
            return Ok(found
                .into_iter()
                .map(|f| Candidate { position: f.position, text: Some(f.text).filter(|t| !t.trim().is_empty()), passage: None })
                .collect());
        }
        self.forget_taken_back();
        let waiting = self.waiting().await;
        let mut texts = vec![search.query.clone()];
        texts.extend(waiting.iter().flat_map(|w| w.2.iter().cloned()));
        let embedded = self.host.embed(&texts).await;
        let mut memory = self.memory.borrow_mut();
        let vectors = match embedded {
            Ok(vectors) => vectors,
            Err(error) => {
                memory.batch /= 2;
                return Err(error);
            }
        };
        memory.batch = (memory.batch * 2).clamp(1, BATCH);
        let mut vectors = vectors.into_iter();
        let query = vectors.next().unwrap_or_default();
        for (position, content, passages) in waiting {
            let row: Vec<Vec<f32>> = vectors.by_ref().take(passages.len()).collect();
            memory.vectors.add(position, content, &row);
        }
        let hits = memory.vectors.search(&query, search.wide).into_iter().filter(|(h, _)| h.score >= least);
        Ok(hits.map(|(h, passage)| Candidate { position: h.position, text: None, passage: Some(passage) }).collect())
    }

    /// Rows out of view without a vector, newest first, as many passages as this turn may embed.
    async fn waiting(&self) -> Vec<(u64, u64, Vec<String>)> {
        let mut room = self.memory.borrow().batch;
        let mut out = Vec::new();
        let rows = self.with(|s| s.transcript.len());
        for row in (0..rows).rev() {
            let Some((position, content, pieces)) = self.hidden_row(row) else { continue };
            if self.memory.borrow().vectors.has(position, content) {
                continue;
            }
            let passages = recall::passages(&pieces);
            if passages.len() > room {
                return out;
            }
            room -= passages.len();
            out.push((position, content, passages));
        }
        for (id, from, to) in self.folds_without(|m| &m.embedded) {
            let Ok(mut old) = self.host.rows(from, to).await else { return out };
            old.sort_by_key(|r| std::cmp::Reverse(r.position));
            for row in &old {
                if self.memory.borrow().vectors.knows(row.position) || !self.may_quote(row.position) {
                    continue;
                }
                let passages = recall::passages(&pieces_of(row));
                if passages.len() > room {
                    return out;
                }
                room -= passages.len();
                out.push((row.position, 0, passages));
            }
            self.memory.borrow_mut().embedded.push(id);
        }
        out
    }

    /// Folds in force whose rows are not in the list and were not read yet, newest first.
    fn folds_without(&self, read: impl Fn(&Memory) -> &Vec<String>) -> Vec<(String, u64, u64)> {
        if !self.host.has(Method::Rows) {
            return Vec::new();
        }
        let session = self.session.borrow();
        let memory = self.memory.borrow();
        let first = recall::first_listed(&session).unwrap_or(u64::MAX);
        let folds = session.state.folds.iter().rev().filter(|f| f.active && f.to < first && !read(&memory).contains(&f.id));
        folds.map(|f| (f.id.clone(), f.from, f.to)).collect()
    }

    async fn index_old_rows(&self) {
        for (id, from, to) in self.folds_without(|m| &m.indexed) {
            if self.memory.borrow().index.len() >= OLD_ROWS {
                return;
            }
            let Ok(mut old) = self.host.rows(from, to).await else { return };
            old.sort_by_key(|r| r.position);
            let mut asked = String::new();
            for row in &old {
                let mut texts: Vec<String> = row.parts.iter().map(|p| p.text.clone()).collect();
                if row.role == "user" {
                    asked = beginning(&texts.join(" "));
                } else if row.role == "assistant" && row.parts.iter().all(|p| p.tool.is_empty()) {
                    texts.push(asked.clone());
                }
                let mut memory = self.memory.borrow_mut();
                if !memory.index.knows(row.position) && self.may_quote(row.position) {
                    memory.index.add(row.position, 0, &texts);
                }
            }
            self.memory.borrow_mut().indexed.push(id);
        }
    }

    /// Indexes the rows of the list that are new or changed.
    fn index_rows(&self) {
        self.forget_taken_back();
        let rows = self.with(|s| s.transcript.len());
        for row in 0..rows {
            let Some((position, content)) = self.with(|s| Some((s.transcript.row(row)?.position?, recall::content(s, row)))) else { continue };
            if self.memory.borrow().index.has(position, content) {
                continue;
            }
            let parts = self.with(|s| recall::searchable(s, row));
            let mut texts: Vec<String> = parts.into_iter().map(|part| self.host.excerpt(Place { row, part }, Some(INDEX_CHARS), None)).collect();
            if let Some(asked) = self.with(|s| recall::asked(s, row)) {
                texts.extend(self.with(|s| s.transcript.row(asked).cloned()).map(|r| beginning(&self.user_text(&r, asked))));
            }
            self.memory.borrow_mut().index.add(position, content, &texts);
        }
    }

    /// Rows that the list no longer holds were taken back, unless they are older than the list.
    fn forget_taken_back(&self) {
        let (first, listed) =
            self.with(|s| (recall::first_listed(s), s.transcript.rows().iter().filter_map(|r| r.position).collect::<std::collections::BTreeSet<u64>>()));
        let Some(first) = first else { return };
        let mut memory = self.memory.borrow_mut();
        memory.index.retain(|p| p < first || listed.contains(&p));
        memory.vectors.retain(|p| p < first || listed.contains(&p));
    }

    /// A row of the list that the view does not show as it is.
    fn hidden_row(&self, row: usize) -> Option<(u64, u64, Vec<Piece>)> {
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
    fn may_quote(&self, position: u64) -> bool {
        self.with(|s| !s.state.sealed.contains(&position))
    }

    async fn quotes(&self, search: &Search, candidates: Vec<Candidate>) -> Result<Vec<Quote>, H::Error> {
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
}

/// As much of a question as its answer is found by.
fn beginning(text: &str) -> String {
    text.chars().take(ASKED_CHARS).collect()
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

fn pieces_of(row: &OldRow) -> Vec<Piece> {
    let of = |p: &super::host::OldPart| {
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
