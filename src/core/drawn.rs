//! The recipe, drawn on from one step to the next: rows in front of the first one that may look different
//! keep their steps.
//!
//! Decides from which row on it is drawn anew, and says how many steps nobody needs to be told again.
//! What a step is and when a row gets which one is the assembly's.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Serialize, Serializer};

use super::assemble::{self, Pen, Step};
use super::error::{Code, Error};
use super::session::Session;
use super::session_view::Placed;
use super::shared::{Shared, Token};
use super::state::Entry;
use super::view::{Block, Fold, Gone};

/// The recipe as it was drawn last.
#[derive(Debug, Default)]
pub struct Drawn {
    steps: Shared<Vec<Step>>,
    /// The row at whose turn each step was added; ascending.
    at: Vec<usize>,
    /// Steps at the beginning that stand as they were handed out last.
    same: usize,
    source: Option<Source>,
}

/// What a recipe is drawn from besides rows.
#[derive(Debug)]
struct Source {
    entries: Token<BTreeMap<String, Entry>>,
    stripped: Token<BTreeSet<u64>>,
    blocks: Token<Vec<Block>>,
    folds: Token<Vec<Fold>>,
    context: Option<String>,
    placed: Vec<Placed>,
    persist_raw: bool,
    inputs: bool,
}

impl Source {
    fn of(session: &Session) -> Source {
        let state = &session.state;
        Source {
            entries: state.entries.token(),
            stripped: state.stripped.token(),
            blocks: state.blocks.token(),
            folds: state.folds.token(),
            context: state.context.clone(),
            placed: session.placed().to_vec(),
            persist_raw: session.config.tool_output.persist_raw,
            inputs: session.shows_inputs(),
        }
    }

    fn still_holds(&self, session: &Session) -> bool {
        let state = &session.state;
        state.entries.is(&self.entries)
            && state.stripped.is(&self.stripped)
            && state.blocks.is(&self.blocks)
            && state.folds.is(&self.folds)
            && state.context == self.context
            && session.placed() == self.placed
            && session.config.tool_output.persist_raw == self.persist_raw
            && session.shows_inputs() == self.inputs
    }
}

impl Drawn {
    /// Whether it was drawn from these entries.
    pub(super) fn knows(&self, entries: &Shared<BTreeMap<String, Entry>>) -> bool {
        self.source.as_ref().is_some_and(|f| entries.is(&f.entries))
    }

    /// The entries were written to, and the row that concerns was touched.
    pub(super) fn goes_on(&mut self, entries: &Shared<BTreeMap<String, Entry>>) {
        if let Some(source) = &mut self.source {
            source.entries = entries.token();
        }
    }
}

/// A recipe and how much of it is known to whoever got the one before.
#[derive(Clone, Debug)]
pub struct Drawing {
    steps: Shared<Vec<Step>>,
    same: usize,
}

impl PartialEq for Drawing {
    fn eq(&self, other: &Self) -> bool {
        self.steps == other.steps
    }
}

impl PartialEq<Vec<Step>> for Drawing {
    fn eq(&self, other: &Vec<Step>) -> bool {
        *self.steps == *other
    }
}

impl std::ops::Deref for Drawing {
    type Target = Vec<Step>;

    fn deref(&self) -> &Vec<Step> {
        &self.steps
    }
}

impl<'a> IntoIterator for &'a Drawing {
    type Item = &'a Step;
    type IntoIter = std::slice::Iter<'a, Step>;

    fn into_iter(self) -> Self::IntoIter {
        self.steps.iter()
    }
}

/// What crosses: the first `same` steps are those of the recipe before, `steps` follow.
#[derive(Serialize)]
struct Told<'a> {
    same: usize,
    steps: &'a [Step],
}

impl Serialize for Drawing {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Told { same: self.same, steps: self.steps.get(self.same..).unwrap_or_default() }.serialize(serializer)
    }
}

/// The recipe of the view, checked: every row is accounted for. Whoever gets it gets every one after it, too.
pub fn draw(session: &mut Session) -> Result<Drawing, Error> {
    let touched = session.transcript.take_touched();
    let mut drawn = std::mem::take(&mut session.kept.drawn);
    let holds = drawn.source.as_ref().is_some_and(|f| f.still_holds(session));
    let row = if holds { touched } else { 0 };
    let kept = drawn.at.partition_point(|at| *at < row);
    drawn.at.truncate(kept);
    drawn.same = drawn.same.min(kept);
    let last = kept.checked_sub(1).and_then(|i| drawn.steps.get(i)).cloned();
    let mut pen = Pen { steps: drawn.steps.into_inner(), at: drawn.at };
    pen.steps.truncate(kept);
    if let Some(Step::Keep { to, .. } | Step::Drop { to, .. }) = pen.steps.last_mut() {
        *to = (*to).min(row);
    }
    pen.rows(session, row);
    account(&pen.steps, kept, session.transcript.len())?;
    stood_for(session, row)?;
    if kept > 0 && pen.steps.get(kept - 1) != last.as_ref() {
        drawn.same = drawn.same.min(kept - 1);
    }
    let steps: Shared<Vec<Step>> = pen.steps.into();
    let same = drawn.same;
    let source = match drawn.source {
        Some(source) if holds => source,
        _ => Source::of(session),
    };
    session.kept.drawn = Drawn { same: steps.len(), steps: steps.clone(), at: pen.at, source: Some(source) };
    Ok(Drawing { steps, same })
}

/// Refuses a recipe that leaves a row out or names one twice: a row that vanishes is how other systems lost
/// history between two folds. Steps in front of `kept` were accounted for when they were drawn.
fn account(steps: &[Step], kept: usize, rows: usize) -> Result<(), Error> {
    let span = |step: &Step| match step {
        Step::Keep { from, to } | Step::Drop { from, to } => Some((*from, *to)),
        Step::Edit { row, .. } => Some((*row, *row + 1)),
        Step::Insert { .. } => None,
    };
    let first = steps.iter().take(kept).rposition(|s| span(s).is_some()).unwrap_or(0);
    let mut next = if first == 0 { 0 } else { steps.get(first).and_then(span).map_or(0, |s| s.0) };
    for (from, to) in steps.iter().skip(first).filter_map(span) {
        if from != next || to <= from {
            return Err(unaccounted(next, rows));
        }
        next = to;
    }
    if next == rows { Ok(()) } else { Err(unaccounted(next, rows)) }
}

/// Refuses folded rows that nothing stands for, among those drawn anew.
fn stood_for(session: &Session, from: usize) -> Result<(), Error> {
    let rows = session.transcript.rows();
    let folded = rows.iter().enumerate().skip(from).filter(|(_, r)| r.gone == Some(Gone::Folded));
    match folded.map(|(at, _)| at).find(|at| assemble::ledger_entry(session, *at).id.is_none()) {
        Some(at) => Err(unaccounted(at, rows.len())),
        None => Ok(()),
    }
}

fn unaccounted(row: usize, rows: usize) -> Error {
    Error::new(Code::UnaccountedRow, format!("the plan does not account for row {row} of {rows}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn le_1_a_recipe_that_leaves_a_row_out_is_refused() {
        let keep = |from, to| Step::Keep { from, to };
        let edit = Step::Edit { row: 3, set: Vec::new(), cut: Vec::new(), unname: Vec::new(), append: Vec::new() };
        assert!(account(&[Step::Drop { from: 0, to: 2 }, keep(2, 3), edit.clone(), keep(4, 6)], 0, 6).is_ok());
        for (steps, rows) in [(vec![keep(0, 2), edit.clone()], 4), (vec![keep(0, 3)], 4), (vec![keep(0, 4), edit], 4), (vec![keep(0, 5)], 4)] {
            assert_eq!(account(&steps, 0, rows).expect_err("a row is missing or there twice").code, Code::UnaccountedRow);
        }
    }
}
