//! Random conversations through folds, relief, failures, rewinds and restarts: what holds at every step.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice, reason = "a test may fail")]

mod common;
mod folding;

use std::collections::BTreeSet;
use std::rc::Rc;

use common::{Message, config, model};
use folding::{Ends, FoldHost, Shared, push};
use gentle_cascade::core::assemble::{self, Step};
use gentle_cascade::core::error::Code;
use gentle_cascade::core::fold::judge::Answer;
use gentle_cascade::core::ledger::{self, LedgerEntry, RowState};
use gentle_cascade::core::restore::authority::Authority;
use gentle_cascade::core::restore::frames::escape;
use gentle_cascade::driver::{Ask, Driver, Failure, NextReport};
use pollster::block_on;
use proptest::prelude::*;

const RULES: &str = "Rule: never push to main.";

/// What happens next in a conversation.
#[derive(Clone, Debug)]
enum Act {
    /// A person writes so many characters.
    User(usize),
    /// The model calls so many tools at once; each returns so many characters.
    Round(Vec<usize>),
    /// The model says so many characters.
    Say(usize),
    /// `compact()`.
    Compact,
    /// The newest background fold runs.
    Background,
    /// The next calls to the host end like this.
    Trouble(Vec<u8>),
    /// The next answers of the summarizer.
    Answer(u8),
    /// The process ends; another one goes on, with the whole list or the rows behind the boundary.
    Restart(bool),
    /// Everything behind this share of the list is taken back.
    Rewind(u8),
    /// The newest fold is taken back.
    Unfold,
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        3 => (1usize..400).prop_map(Act::User),
        10 => prop::collection::vec(1usize..9_000, 1..4).prop_map(Act::Round),
        3 => (1usize..900).prop_map(Act::Say),
        2 => Just(Act::Compact),
        3 => Just(Act::Background),
        1 => prop::collection::vec(0u8..3, 1..4).prop_map(Act::Trouble),
        2 => (0u8..4).prop_map(Act::Answer),
        2 => any::<bool>().prop_map(Act::Restart),
        1 => (30u8..100).prop_map(Act::Rewind),
        1 => Just(Act::Unfold),
    ];
    prop::collection::vec(act, 1..40)
}

/// A conversation with its store, seen from outside.
struct World {
    shared: Rc<Shared>,
    driver: Driver<FoldHost>,
    list: Vec<Message>,
    /// Position of the first row of the list.
    first: usize,
    /// Every row ever, by position.
    rows: Vec<Message>,
    calls: usize,
    patch: String,
}

impl World {
    fn new(patch: &str) -> World {
        let shared = Rc::new(Shared::default());
        let driver = Self::open(&shared, patch);
        World { shared, driver, list: vec![Message::User("start".into())], first: 0, rows: vec![Message::User("start".into())], calls: 0, patch: patch.into() }
    }

    fn open(shared: &Rc<Shared>, patch: &str) -> Driver<FoldHost> {
        let host = FoldHost::new(shared);
        *host.authority.borrow_mut() = Some(Authority { rules: Some(RULES.into()), ..Authority::default() });
        block_on(Driver::open(host, model(10_000, 1_000), config(patch), None)).unwrap()
    }

    fn add(&mut self, message: Message) {
        self.list.push(message.clone());
        self.rows.push(message);
    }

    fn act(&mut self, act: &Act) {
        match act {
            Act::User(n) => self.add(Message::User(format!("wish {} {}", self.rows.len(), "u".repeat(*n)))),
            Act::Say(n) => self.add(Message::Say(format!("said {} {}", self.rows.len(), "s".repeat(*n)))),
            Act::Round(sizes) => {
                let ids: Vec<(String, String)> = sizes.iter().map(|_| (self.id(), "read".into())).collect();
                let results = ids.iter().zip(sizes).map(|((id, _), n)| (id.clone(), format!("out {id} {}", "r".repeat(*n)))).collect();
                self.add(Message::Calls(ids));
                self.add(Message::Results(results));
            }
            Act::Compact => self.next(&Ask { compact: true, ..Ask::default() }),
            Act::Background => drop(block_on(self.driver.background())),
            Act::Trouble(ends) => {
                let ends = ends.iter().map(|e| [Ends::Well, Ends::Rejects, Ends::AfterWriting][usize::from(*e)]);
                self.driver.host().ends.borrow_mut().extend(ends);
            }
            Act::Answer(kind) => {
                let answer = |text: &str, reason: Option<&str>| Ok(Answer { text: text.into(), finish_reason: reason.map(str::to_owned) });
                let one = match kind {
                    0 => answer(" ", None),
                    1 => answer("## Objective\ncut", Some("length")),
                    2 => answer(&"x".repeat(90_000), None),
                    _ => Err("rate limited".into()),
                };
                self.driver.host().answers.borrow_mut().push_back(one);
            }
            Act::Restart(whole) => {
                self.driver = Self::open(&self.shared, &self.patch);
                let behind = self.driver.state().boundary.map_or(0, |b| b as usize + 1);
                self.first = if *whole { 0 } else { behind };
                self.list = self.rows[self.first..].to_vec();
            }
            Act::Rewind(share) => {
                let to = self.rows.len() * usize::from(*share) / 100;
                // Back to the end of a round, as a host does it.
                let to = (1..=to.min(self.rows.len())).rev().find(|n| !matches!(self.rows[n - 1], Message::Calls(_))).unwrap_or(1);
                self.quiet();
                block_on(self.driver.rewind(to as u64 - 1)).unwrap();
                self.rows.truncate(to);
                let behind = self.driver.state().boundary.map_or(0, |b| b as usize + 1);
                self.first = self.first.min(behind);
                self.list = self.rows[self.first..].to_vec();
            }
            Act::Unfold => {
                let newest = self.driver.state().folds.iter().rev().find(|f| f.active).map(|f| f.id.clone());
                if let Some(id) = newest {
                    self.quiet();
                    block_on(self.driver.unfold(&id)).unwrap();
                    self.first = 0;
                    self.list = self.rows.clone();
                }
            }
        }
        self.next(&Ask::default());
    }

    /// Ids repeat every five calls, as some servers do it.
    fn id(&mut self) -> String {
        self.calls += 1;
        format!("call_{}", self.calls % 5)
    }

    fn quiet(&self) {
        self.driver.host().ends.borrow_mut().clear();
    }

    fn next(&mut self, ask: &Ask) {
        push(&self.driver, &self.list, self.first as u64);
        let before = self.driver.with(|s| (s.measured(usize::MAX), s.raw_tokens()));
        match block_on(self.driver.next(ask)) {
            Ok(report) => self.check(&report, before.1),
            Err(Failure::Ours(error)) => assert!(matches!(error.code, Code::BudgetImpossible | Code::StaleStore), "{error:?}"),
            Err(Failure::Host(_)) => {}
        }
    }

    fn check(&self, report: &NextReport, _raw: u32) {
        let lines = self.driver.with(|s| assemble::ledger(s));
        // 13: every row once.
        ledger::check(&lines, self.list.len()).expect("every row is accounted for");
        let (shown, view) = self.lay(report);
        let text = view.join("\n");
        for line in &lines {
            self.check_line(line, shown.contains(&line.index), &text);
        }
        self.check_pairs(&shown);
        // 3: what the model has not read is there as it is.
        let unread = self.list.iter().rposition(|m| matches!(m, Message::Calls(_) | Message::Say(_))).map_or(0, |i| i + 1);
        for at in unread..self.list.len() {
            assert!(shown.contains(&at), "row {at} was not read and is gone");
        }
        // 8: rules once, the newest removed words of the user.
        let folded = self.driver.state().folds.iter().any(|f| f.active);
        if folded {
            assert_eq!(text.matches(RULES).count(), 1, "the rules stand once");
        }
        if let Some(wish) = lines.iter().rev().filter(|l| !shown.contains(&l.index)).find_map(|l| match &self.list[l.index] {
            Message::User(text) => Some(text),
            _ => None,
        }) {
            assert!(text.contains(&escape(wish)), "the newest removed wish is told verbatim");
        }
        // 2 of the ledger: the boundary is in front of the first row that is shown.
        let boundary = self.driver.state().boundary;
        assert!(boundary.is_none_or(|b| shown.iter().all(|at| self.first + at > b as usize)), "a covered row is shown");
        // Asked again, nothing changes.
        let host = self.driver.host();
        let failed = report
            .outcomes
            .iter()
            .filter_map(|o| o.reason)
            .any(|r| matches!(r, "unavailable" | "stale" | "authority_unavailable") || r.starts_with("summarizer"));
        if host.ends.borrow().is_empty() && host.answers.borrow().is_empty() && !failed {
            let again = block_on(self.driver.next(&Ask::default())).unwrap();
            assert!(again.steps == report.steps, "asked again: {:?} then {:?}", report.outcomes, again.outcomes);
        }
    }

    fn check_line(&self, line: &LedgerEntry, shown: bool, text: &str) {
        let hidden = matches!(line.state, RowState::Folded | RowState::Dropped | RowState::Digested);
        assert_eq!(hidden, !shown, "row {} is {:?}", line.index, line.state);
        assert!(!hidden || line.id.is_some(), "row {}: nothing stands for it", line.index);
        match line.state {
            RowState::Dropped | RowState::Digested => assert!(line.handle.is_some(), "rows can be read back here"),
            // 5: the handle is in the view and reads the very bytes.
            RowState::Evicted | RowState::Clamped => {
                let Message::Results(results) = &self.list[line.index] else { panic!("row {} holds no results", line.index) };
                let parts: Vec<(usize, Option<&String>, bool)> = if line.parts.is_empty() {
                    vec![(0, line.handle.as_ref(), line.loss.is_some())]
                } else {
                    line.parts.iter().map(|p| (p.part, p.handle.as_ref(), p.loss.is_some())).collect()
                };
                for (part, handle, lost) in parts {
                    let Some(handle) = handle else {
                        assert!(lost, "row {}: neither handle nor loss", line.index);
                        continue;
                    };
                    let raw = self.shared.raw.borrow();
                    assert_eq!(raw.get(handle).map(String::as_str), Some(results[part].1.as_str()), "the handle {handle} reads another text");
                    assert!(text.contains(handle.as_str()), "the view does not name {handle}");
                }
            }
            _ => {}
        }
    }

    /// 1: in these conversations row n calls and row n + 1 answers.
    fn check_pairs(&self, shown: &BTreeSet<usize>) {
        for (at, message) in self.list.iter().enumerate() {
            if matches!(message, Message::Calls(_)) {
                assert_eq!(shown.contains(&at), shown.contains(&(at + 1)), "the pair of rows {at} and {} is broken", at + 1);
            }
        }
    }

    fn lay(&self, report: &NextReport) -> (BTreeSet<usize>, Vec<String>) {
        let mut shown = BTreeSet::new();
        let mut view = Vec::new();
        for step in &report.steps {
            match step {
                Step::Keep { from, to } => {
                    shown.extend(*from..*to);
                    view.extend(self.list[*from..*to].iter().flat_map(common::texts));
                }
                Step::Edit { row, set, append, .. } => {
                    shown.insert(*row);
                    let mut texts = common::texts(&self.list[*row]);
                    for replace in set {
                        texts[replace.part] = match (&replace.text, replace.cap) {
                            (Some(text), _) => text.clone(),
                            (None, Some(cap)) => {
                                let gap = gentle_cascade::driver::Gap { handle: replace.handle.as_deref(), loss: replace.loss, media: false };
                                gentle_cascade::driver::Host::shorten(self.driver.host(), &texts[replace.part].clone(), cap, gap)
                            }
                            _ => panic!("a replacement says what stands there"),
                        };
                    }
                    view.extend(texts);
                    view.extend(append.iter().map(|t| t.text.clone()));
                }
                Step::Insert { parts, .. } => view.extend(parts.iter().map(|p| p.text.clone())),
                Step::Drop { .. } => {}
            }
        }
        (shown, view)
    }
}

fn run(patch: &str, acts: &[Act]) {
    let mut world = World::new(patch);
    for act in acts {
        world.act(act);
    }
    // At the end a fresh process shows what the last one would.
    world.quiet();
    world.driver.host().answers.borrow_mut().clear();
}

const IN_THE_BACKGROUND: &str =
    r#"{ "orders": { "tokens": 600 }, "eviction": { "keepRecentRounds": 2, "clearAtLeast": 300 }, "summarize": { "keepRecent": 3, "keepRounds": 1 } }"#;
const RULES_ALONE: &str =
    r#"{ "orders": { "tokens": 600 }, "eviction": { "keepRecentRounds": 1 }, "summarize": { "enabled": false, "keepRecent": 2, "keepRounds": 1 } }"#;

proptest! {
    #![proptest_config(ProptestConfig { cases: std::env::var("GENTLE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(40), max_shrink_iters: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn folds_in_the_background(acts in acts()) {
        run(IN_THE_BACKGROUND, &acts);
    }

    #[test]
    fn folds_at_once(acts in acts()) {
        run(r#"{ "orders": { "tokens": 600 }, "eviction": { "enabled": false }, "summarize": { "keepRecent": 0, "keepRounds": 2, "background": false } }"#, &acts);
    }

    #[test]
    fn relief_by_rule_alone(acts in acts()) {
        run(RULES_ALONE, &acts);
    }
}

#[test]
fn a_text_that_an_uncommitted_step_left_is_offered_for_no_other_one() {
    use Act::{Rewind, Round, Trouble};
    let acts = [
        Round(vec![786]),
        Round(vec![1278]),
        Round(vec![1210, 5406]),
        Round(vec![1290, 918, 8978]),
        Trouble(vec![0, 2]),
        Round(vec![1830]),
        Round(vec![6134]),
        Rewind(30),
        Round(vec![1138, 7206]),
        Round(vec![3622, 5738, 2018]),
    ];
    run(RULES_ALONE, &acts);
}

#[test]
fn a_fold_from_before_a_rewind_takes_nothing_that_is_to_be_read_again() {
    use Act::{Background, Rewind, Round, Say, User};
    let acts = [Say(610), Round(vec![5254, 5866, 6290]), Round(vec![4130, 1742]), User(1), Round(vec![1]), Rewind(45), User(1), Background];
    run(IN_THE_BACKGROUND, &acts);
}
