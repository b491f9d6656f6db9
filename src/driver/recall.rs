//! Finds older messages for the newest user message, once per turn, and puts quotes of them onto it.
//!
//! Where the host's store searches by vector, it does. Else the rows that left the view are embedded here, a
//! bounded number per turn, newest first; their texts come from the running call's list or from the host's
//! `rows`. By words the core searches itself. Whatever fails leaves the turn as it is, with one declined
//! outcome; it is not tried again in that turn.

mod quotes;
mod remembered;

use std::collections::BTreeMap;

use super::host::{Host, Method};
use super::next::Trail;
use super::{Driver, Failure};
use crate::core::config::RetrievalMode;
use crate::core::event::Outcome;
use crate::core::restore::lexical::Index;
use crate::core::restore::lexical::index::micro;
use crate::core::restore::recall::{self, Quote, Turn};
use crate::core::restore::vectors::Vectors;
use crate::core::view::Block;
use quotes::pieces_of;

/// Longest text of a part that is indexed, in UTF-16 code units.
const INDEX_CHARS: u32 = 24_000;
/// Longest query, in characters.
const QUERY_CHARS: usize = 2_000;
/// Passages that are embedded in one turn, at most; halved when the embedder fails, in case they are why.
const BATCH: usize = 96;

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
}
