//! A session that is planned on from step to step shows what one opened cold on the same list would.
//!
//! What is kept between steps (sizes, hidden rows, places of blocks, the recipe) is derived; here it is derived
//! anew after every step, from the state and the rows alone, and everything a user sees has to be equal.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test may fail")]

mod common;
mod folding;

use std::rc::Rc;

use common::{Message, config, model, row};
use folding::{FoldHost, Shared};
use gentle_cascade::core::assemble::{self, Step};
use gentle_cascade::core::next_relief::next_relief;
use gentle_cascade::core::relieve::evict::Keeping;
use gentle_cascade::core::session::Session;
use gentle_cascade::driver::{Ask, Driver, Failure};
use pollster::block_on;
use proptest::prelude::*;

/// What happens next.
#[derive(Clone, Debug)]
enum Act {
    User(usize),
    /// Parallel calls of tool `read`, each with a result of so many characters.
    Round(Vec<usize>),
    /// The same with one answer missing, which comes later.
    Open(usize),
    /// The oldest missing answer comes.
    Late(usize),
    Say(usize),
    Compact,
    Background,
    /// The host passes the rows behind the boundary alone.
    Trim,
    /// Everything behind this share of the list is taken back.
    Rewind(u8),
    /// The newest row says something else now.
    Rewrite,
    Unfold,
    Pin(u8),
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        4 => (1usize..300).prop_map(Act::User),
        14 => prop::collection::vec(1usize..6_000, 1..4).prop_map(Act::Round),
        1 => (1usize..2_000).prop_map(Act::Open),
        1 => (1usize..2_000).prop_map(Act::Late),
        3 => (1usize..900).prop_map(Act::Say),
        1 => Just(Act::Compact),
        2 => Just(Act::Background),
        1 => Just(Act::Trim),
        1 => (60u8..100).prop_map(Act::Rewind),
        1 => Just(Act::Rewrite),
        1 => Just(Act::Unfold),
        1 => any::<u8>().prop_map(Act::Pin),
    ];
    prop::collection::vec(act, 1..60)
}

struct World {
    patch: String,
    driver: Driver<FoldHost>,
    list: Vec<Message>,
    first: usize,
    rows: Vec<Message>,
    missing: Vec<String>,
    calls: usize,
    /// Whether the newest row gets its position only with the next step.
    unstored: bool,
    repeats: bool,
    /// The recipe as somebody sees it who is told what is new alone.
    told: Vec<Step>,
}

fn open(patch: &str, shared: &Rc<Shared>, state: Option<gentle_cascade::core::state::State>) -> Driver<FoldHost> {
    block_on(Driver::open(FoldHost::new(shared), model(10_000, 1_000), config(patch), state)).unwrap()
}

impl World {
    fn new(patch: &str, unstored: bool, repeats: bool) -> World {
        let start = vec![Message::User("start".into())];
        let driver = open(patch, &Rc::default(), None);
        World { patch: patch.into(), driver, list: start.clone(), first: 0, rows: start, missing: Vec::new(), calls: 0, unstored, repeats, told: Vec::new() }
    }

    fn add(&mut self, message: Message) {
        self.list.push(message.clone());
        self.rows.push(message);
    }

    /// On some servers ids repeat, here every seven calls.
    fn id(&mut self) -> String {
        self.calls += 1;
        format!("call_{}", if self.repeats { self.calls % 7 } else { self.calls })
    }

    fn round(&mut self, sizes: &[usize], open: bool) {
        let ids: Vec<(String, String)> = sizes.iter().map(|n| (self.id(), ["read", "plan"][n % 2].into())).collect();
        let mut results: Vec<(String, String)> =
            ids.iter().zip(sizes).map(|((id, _), n)| (id.clone(), format!("src/{}.rs {}", n % 9, "r".repeat(*n)))).collect();
        self.add(Message::Calls(ids));
        if open {
            self.missing.extend(results.pop().map(|r| r.0));
        }
        if !results.is_empty() {
            self.add(Message::Results(results));
        }
    }

    fn act(&mut self, act: &Act) {
        match act {
            Act::User(n) => self.add(Message::User(format!("wish {} {}", self.rows.len(), "u".repeat(*n)))),
            Act::Say(n) => self.add(Message::Say(format!("said {} src/{}.rs {}", self.rows.len(), n % 9, "s".repeat(*n)))),
            Act::Round(sizes) => self.round(sizes, false),
            Act::Open(n) => self.round(&[*n, n / 2], true),
            Act::Late(n) => {
                if let Some(id) = self.missing.pop() {
                    self.add(Message::Results(vec![(id, "late ".repeat(n / 5))]));
                }
            }
            Act::Compact => self.next(&Ask { compact: true, ..Ask::default() }),
            Act::Background => drop(block_on(self.driver.background())),
            // Handles of repeated ids are told apart by what the process has seen.
            Act::Trim | Act::Rewind(_) if self.repeats => {}
            Act::Trim => {
                let behind = self.driver.state().boundary.map_or(0, |b| b as usize + 1);
                if behind > self.first && self.driver.with(|s| s.drop_covered(0, behind - self.first)) {
                    self.list.drain(..behind - self.first);
                    self.first = behind;
                }
            }
            Act::Rewind(share) => {
                let to = (self.rows.len() * usize::from(*share) / 100).clamp(1, self.rows.len());
                let to = (1..=to).rev().find(|n| !matches!(self.rows[n - 1], Message::Calls(_))).unwrap_or(1);
                block_on(self.driver.rewind(to as u64 - 1)).unwrap();
                self.rows.truncate(to);
                self.missing.clear();
                let behind = self.driver.state().boundary.map_or(0, |b| b as usize + 1);
                self.first = self.first.min(behind);
                self.list = self.rows[self.first..].to_vec();
            }
            Act::Rewrite => {
                if let Some(Message::Say(text) | Message::User(text)) = self.list.last_mut() {
                    text.push_str(" rewritten");
                    *self.rows.last_mut().unwrap() = self.list.last().unwrap().clone();
                }
            }
            Act::Unfold => {
                let newest = self.driver.state().folds.iter().rev().find(|f| f.active).map(|f| f.id.clone());
                if let Some(id) = newest {
                    block_on(self.driver.unfold(&id)).unwrap();
                    self.first = 0;
                    self.list = self.rows.clone();
                }
            }
            Act::Pin(share) => {
                let at = self.rows.len() * usize::from(*share) / 256;
                self.driver.with(|s| {
                    s.state.pins.insert(at as u64);
                    s.dirty = true;
                });
            }
        }
        self.next(&Ask::default());
    }

    fn position(&self, at: usize) -> Option<u64> {
        (!self.unstored || at + 1 < self.list.len()).then_some((self.first + at) as u64)
    }

    fn push(&self, driver: &Driver<FoldHost>) {
        *driver.host().messages.borrow_mut() = self.list.clone();
        driver.with(|s| self.hand_in(s));
    }

    fn hand_in(&self, session: &mut Session) {
        session.rewind_rows(self.list.len());
        for (at, message) in self.list.iter().enumerate() {
            session.put_row(at, row(message, self.position(at)));
        }
    }

    fn next(&mut self, ask: &Ask) {
        // The twin: the same state, the same stored outputs, nothing else.
        let shared = Shared { raw: self.driver.host().shared.raw.clone(), ..Shared::default() };
        let twin = open(&self.patch, &Rc::new(shared), Some(self.driver.state()));
        // What was sent before is no decision and in no state.
        let last = self.driver.with(|s| s.last.clone());
        twin.with(|s| s.last = last);
        self.push(&twin);
        self.push(&self.driver);
        let (report, cold) = match (block_on(self.driver.next(ask)), block_on(twin.next(ask))) {
            (Ok(report), Ok(cold)) => (report, cold),
            (Err(Failure::Ours(a)), Err(Failure::Ours(b))) => return assert_eq!(a, b),
            (a, b) => panic!("one plans, the other does not: {a:?} and {b:?}"),
        };
        assert_eq!(report.outcomes, cold.outcomes);
        assert_eq!(report.steps, cold.steps);
        assert_eq!((report.occupancy, report.before, &report.events), (cold.occupancy, cold.before, &cold.events));
        self.check_told(&report);
        self.check_kept();
    }

    /// What is told of a recipe adds up to it.
    fn check_told(&mut self, report: &gentle_cascade::driver::NextReport) {
        let json = serde_json::to_value(&report.steps).unwrap();
        let same = json["same"].as_u64().unwrap() as usize;
        self.told.truncate(same);
        self.told.extend(report.steps.iter().skip(same).cloned());
        assert_eq!(json["steps"].as_array().unwrap().len(), report.steps.len() - same);
        assert_eq!(report.steps, self.told, "the first {same} steps were not those told before");
    }

    /// Everything derived, derived anew.
    fn check_kept(&self) {
        let state = self.driver.state();
        let mut cold = Session::new(model(10_000, 1_000), config(&self.patch), Some(state.clone()));
        self.hand_in(&mut cold);
        cold.take_rows().unwrap();
        assert_eq!(cold.state.entries, state.entries);
        self.driver.with(|live| {
            assert_eq!(live.transcript.totals(), cold.transcript.totals());
            assert_eq!(live.placed(), cold.placed());
            assert_eq!((live.first_kept(), live.pinned_rounds()), (cold.first_kept(), cold.pinned_rounds()));
            assert_eq!(assemble::ledger(live), assemble::ledger(&cold));
            assert_eq!(assemble::recipe(live).unwrap(), assemble::recipe(&cold).unwrap());
            for rows in [0, 1, self.list.len() / 2, self.list.len(), usize::MAX] {
                assert_eq!(live.measured(rows), cold.measured(rows), "the first {rows} rows");
            }
            assert_eq!((live.raw_tokens(), live.occupancy()), (cold.raw_tokens(), cold.occupancy()));
            assert_eq!(serde_json::to_value(assemble::buckets(live)).unwrap(), serde_json::to_value(assemble::buckets(&cold)).unwrap());
            assert_eq!(next_relief(live, Keeping::Store), next_relief(&cold, Keeping::Store));
        });
    }
}

fn run(patch: &str, acts: &[Act], unstored: bool, repeats: bool) {
    let mut world = World::new(patch, unstored, repeats);
    for act in acts {
        world.act(act);
    }
}

fn cases() -> u32 {
    std::env::var("GENTLE_CASES").ok().and_then(|n| n.parse().ok()).unwrap_or(24)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), max_shrink_iters: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn with_stubs_and_folds(acts in acts(), unstored in any::<bool>(), repeats in any::<bool>()) {
        run(r#"{ "orders": { "tokens": 600 }, "eviction": { "keepRecentRounds": 2, "clearAtLeast": 300, "protect": ["plan"] }, "summarize": { "keepRecent": 3, "keepRounds": 1 } }"#, &acts, unstored, repeats);
    }

    #[test]
    fn with_folds_at_once_and_the_plan_recited(acts in acts(), unstored in any::<bool>(), repeats in any::<bool>()) {
        run(r#"{ "orders": { "tokens": 600 }, "recitation": { "enabled": true }, "eviction": { "inputs": true, "keepRecentRounds": 0 }, "summarize": { "keepRecent": 0, "keepRounds": 2, "background": false } }"#, &acts, unstored, repeats);
    }

    #[test]
    fn with_relief_by_rule_alone(acts in acts(), unstored in any::<bool>(), repeats in any::<bool>()) {
        run(r#"{ "orders": { "tokens": 600 }, "eviction": { "keepRecentRounds": 1 }, "summarize": { "enabled": false, "keepRecent": 2, "keepRounds": 1 } }"#, &acts, unstored, repeats);
    }
}

#[test]
fn a_late_result_whose_call_was_trimmed_away() {
    use Act::{Compact, Late, Open, Round, Trim};
    let acts = [Open(304), Round(vec![1]), Round(vec![3300, 3580]), Compact, Late(1675), Round(vec![708, 4680, 5272]), Trim];
    run(
        r#"{ "orders": { "tokens": 600 }, "recitation": { "enabled": true }, "eviction": { "inputs": true, "keepRecentRounds": 0 }, "summarize": { "keepRecent": 0, "keepRounds": 2, "background": false } }"#,
        &acts,
        false,
        false,
    );
}
