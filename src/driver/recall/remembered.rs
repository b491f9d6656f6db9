//! What one process keeps of rows for its searches, brought up to the list and to folds whose rows are in the store.
//!
//! Rows that were taken back are forgotten; rows older than the list stay.

use std::collections::BTreeSet;

use super::super::Driver;
use super::super::host::{Host, Method, Place};
use super::{INDEX_CHARS, Memory};
use crate::core::restore::recall;

/// How much of a question counts for its answer, in characters.
const ASKED_CHARS: usize = 400;
/// Rows of earlier folds that are read back into the index, at most.
const OLD_ROWS: usize = 10_000;

impl<H: Host> Driver<H> {
    /// Indexes the rows of the list that are new or changed.
    pub(super) fn index_rows(&self) {
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

    pub(super) async fn index_old_rows(&self) {
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

    /// Folds in force whose rows are not in the list and were not read yet, newest first.
    pub(super) fn folds_without(&self, read: impl Fn(&Memory) -> &Vec<String>) -> Vec<(String, u64, u64)> {
        if !self.host.has(Method::Rows) {
            return Vec::new();
        }
        let session = self.session.borrow();
        let memory = self.memory.borrow();
        let first = recall::first_listed(&session).unwrap_or(u64::MAX);
        let folds = session.state.folds.iter().rev().filter(|f| f.active && f.to < first && !read(&memory).contains(&f.id));
        folds.map(|f| (f.id.clone(), f.from, f.to)).collect()
    }

    /// Rows that the list no longer holds were taken back, unless they are older than the list.
    pub(super) fn forget_taken_back(&self) {
        let (first, listed) = self.with(|s| (recall::first_listed(s), s.transcript.rows().iter().filter_map(|r| r.position).collect::<BTreeSet<u64>>()));
        let Some(first) = first else { return };
        let mut memory = self.memory.borrow_mut();
        memory.index.retain(|p| p < first || listed.contains(&p));
        memory.vectors.retain(|p| p < first || listed.contains(&p));
    }
}

/// As much of a question as its answer is found by.
fn beginning(text: &str) -> String {
    text.chars().take(ASKED_CHARS).collect()
}
