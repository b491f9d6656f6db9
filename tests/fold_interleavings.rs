//! Two processes, or a request and a fold in the background, on one store: every order their effects can take.
#![allow(clippy::type_complexity, reason = "jobs are named where they are made")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice, reason = "a test may fail")]

mod common;
mod folding;

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use common::{Message, call, config, model, result, say, text, user};
use folding::{FoldHost, Shared, push, step};
use gentle_cascade::core::assemble::{self, Step};
use gentle_cascade::core::ledger::{self, RowState};
use gentle_cascade::core::restore::authority::Authority;
use gentle_cascade::core::state::State;
use gentle_cascade::driver::{Ask, Driver, Failure, NextReport};
use pollster::block_on;

const PATCH: &str = r#"{ "eviction": { "enabled": false }, "cascade": { "enabled": false }, "orders": { "enabled": false },
    "summarize": { "keepRecent": 0, "keepRounds": 1, "background": false } }"#;

fn list() -> Vec<Message> {
    let mut list = vec![user("go")];
    for i in 1..=4 {
        list.push(call(&format!("c{i}")));
        list.push(result(&format!("c{i}"), &text(i, 7_000)));
    }
    list.push(say("so far"));
    list
}

fn open(shared: &Rc<Shared>, patch: &str) -> Driver<FoldHost> {
    block_on(Driver::open(FoldHost::new(shared), model(10_000, 1_000), config(patch), None)).unwrap()
}

/// Whether calls and results of the view are complete and every row is in the ledger once.
fn legal(driver: &Driver<FoldHost>, report: &NextReport, rows: usize) {
    let lines = driver.with(|s| assemble::ledger(s));
    ledger::check(&lines, rows).expect("every row is accounted for");
    let mut shown = Vec::new();
    for step in &report.steps {
        match step {
            Step::Keep { from, to } => shown.extend(*from..*to),
            Step::Edit { row, .. } => shown.push(*row),
            Step::Insert { .. } | Step::Drop { .. } => {}
        }
    }
    for line in &lines {
        let hidden = line.state == RowState::Folded;
        assert_ne!(hidden, shown.contains(&line.index), "row {} is {:?}", line.index, line.state);
        assert!(!hidden || line.id.is_some());
    }
    // Row 2n+1 calls, row 2n+2 answers.
    for at in &shown {
        if *at > 0 && *at < 9 {
            assert!(shown.contains(&if at % 2 == 1 { at + 1 } else { at - 1 }), "a pair is broken at {at}: {shown:?}");
        }
    }
}

fn saved(shared: &Shared) -> State {
    State::read(serde_json::from_str(&shared.saved.borrow().as_ref().expect("a checkpoint").0).unwrap()).unwrap()
}

/// Runs jobs effect by effect in the order `choose` gives; it is asked for one of the jobs that still run.
fn interleave<T>(jobs: &mut [(&Driver<FoldHost>, Pin<Box<dyn Future<Output = T> + '_>>)], choose: &mut dyn FnMut(usize) -> usize) -> Vec<T> {
    let mut done: Vec<Option<T>> = jobs.iter_mut().map(|(_, job)| step(job)).collect();
    for _ in 0..200 {
        let running: Vec<usize> = done.iter().enumerate().filter(|(_, d)| d.is_none()).map(|(i, _)| i).collect();
        if running.is_empty() {
            return done.into_iter().map(Option::unwrap).collect();
        }
        let pick = running[choose(running.len())];
        let (driver, job) = &mut jobs[pick];
        driver.host().let_go();
        done[pick] = step(job);
        // A job that waited for another one goes on when it can.
        for (i, (_, job)) in jobs.iter_mut().enumerate() {
            if done[i].is_none() {
                done[i] = step(job);
            }
        }
    }
    panic!("two jobs wait for each other");
}

/// Calls `run` with every sequence of choices it can ask for; how many there were.
fn every_order(run: &dyn Fn(&mut dyn FnMut(usize) -> usize)) -> usize {
    let mut path: Vec<(usize, usize)> = Vec::new();
    let mut orders = 0;
    loop {
        let mut at = 0;
        run(&mut |options| {
            if at == path.len() {
                path.push((0, options));
            }
            assert_eq!(path[at].1, options, "the same choices lead to the same place");
            at += 1;
            path[at - 1].0
        });
        orders += 1;
        path.truncate(at);
        while path.last().is_some_and(|(pick, options)| pick + 1 == *options) {
            path.pop();
        }
        match path.last_mut() {
            Some((pick, _)) => *pick += 1,
            None => return orders,
        }
    }
}

#[test]
fn two_processes_that_fold_at_once_make_one_checkpoint_and_lose_no_row() {
    let orders = every_order(&|choose| {
        let shared = Rc::new(Shared::default());
        let (a, b) = (open(&shared, PATCH), open(&shared, PATCH));
        let list = list();
        let ask = Ask::default();
        let mut jobs: Vec<(&Driver<FoldHost>, Pin<Box<dyn Future<Output = Result<NextReport, Failure<String>>> + '_>>)> = Vec::new();
        for driver in [&a, &b] {
            push(driver, &list, 0);
            *driver.host().authority.borrow_mut() = Some(Authority { rules: Some("be kind".into()), ..Authority::default() });
            driver.host().stepwise.set(true);
            jobs.push((driver, Box::pin(driver.next(&ask))));
        }
        let reports = interleave(&mut jobs, choose);
        drop(jobs);
        let state = saved(&shared);
        assert_eq!(state.folds.len(), 1, "one checkpoint");
        for (driver, report) in [&a, &b].into_iter().zip(&reports) {
            let report = report.as_ref().unwrap();
            legal(driver, report, list.len());
            assert_eq!(driver.state().folds, state.folds, "what is shown is what is stored");
        }
        assert_eq!(reports[0].as_ref().unwrap().steps, reports[1].as_ref().unwrap().steps);
        assert!(shared.asked.get() <= 2);
    });
    assert!(orders > 10, "{orders} orders");
}

#[test]
fn two_processes_one_of_which_loses_an_answer_still_agree() {
    use folding::Ends::{AfterWriting, Rejects, Well};
    for ends in [vec![Well, AfterWriting], vec![Well, Rejects], vec![Rejects], vec![Well, AfterWriting, Rejects]] {
        every_order(&|choose| {
            let shared = Rc::new(Shared::default());
            let (a, b) = (open(&shared, PATCH), open(&shared, PATCH));
            let list = list();
            let ask = Ask::default();
            let mut jobs: Vec<(&Driver<FoldHost>, Pin<Box<dyn Future<Output = Result<NextReport, Failure<String>>> + '_>>)> = Vec::new();
            a.host().ends.borrow_mut().extend(ends.iter().copied());
            for driver in [&a, &b] {
                push(driver, &list, 0);
                driver.host().stepwise.set(true);
                jobs.push((driver, Box::pin(driver.next(&ask))));
            }
            let reports = interleave(&mut jobs, choose);
            drop(jobs);
            let state = saved(&shared);
            assert_eq!(state.folds.len(), 1, "one checkpoint");
            for (driver, report) in [&a, &b].into_iter().zip(&reports) {
                legal(driver, report.as_ref().unwrap(), list.len());
                driver.host().stepwise.set(false);
                let again = block_on(driver.next(&ask)).unwrap();
                legal(driver, &again, list.len());
            }
            let views: Vec<_> = [&a, &b].map(|d| block_on(d.next(&ask)).unwrap().steps).into_iter().collect();
            // Whoever did not hear of the fold yet shows the whole list: legal, and larger.
            assert!(views[0] == views[1] || views.iter().any(|v| *v == vec![Step::Keep { from: 0, to: list.len() }]));
            let fresh = open(&shared, PATCH);
            push(&fresh, &list, 0);
            assert_eq!(block_on(fresh.next(&ask)).unwrap().steps.len(), 3, "drop, head, keep");
        });
    }
}

#[test]
fn a_fold_in_the_background_and_a_request_that_commits_go_past_each_other() {
    // Soft is reached, hard is not; the request beside the fold has a result of its own to shorten and store.
    let patch = r#"{ "eviction": { "enabled": false }, "cascade": { "enabled": false }, "orders": { "enabled": false },
        "summarize": { "keepRecent": 0, "keepRounds": 1 } }"#;
    let orders = every_order(&|choose| {
        let shared = Rc::new(Shared::default());
        let a = open(&shared, patch);
        let mut list = list();
        let ask = Ask::default();
        push(&a, &list, 0);
        a.driver_planned(&ask);
        list.extend([user("next"), call("c9"), result("c9", &text(9, 30_000))]);
        push(&a, &list, 0);
        a.host().stepwise.set(true);
        let folded = Rc::new(Cell::new(false));
        *a.host().folding.borrow_mut() = Some(Rc::clone(&folded));
        let fold = async {
            let end = a.background().await;
            folded.set(true);
            end.map(|_| None)
        };
        let mut jobs: Vec<(&Driver<FoldHost>, Pin<Box<dyn Future<Output = Result<Option<NextReport>, Failure<String>>> + '_>>)> =
            vec![(&a, Box::pin(fold)), (&a, Box::pin(async { a.next(&ask).await.map(Some) }))];
        let mut ends = interleave(&mut jobs, choose);
        drop(jobs);
        let report = ends.pop().unwrap().unwrap().unwrap();
        let lines = a.with(|s| assemble::ledger(s));
        ledger::check(&lines, list.len()).expect("every row is accounted for");
        assert_eq!(saved(&shared).folds.len(), 1);
        a.host().stepwise.set(false);
        let after = block_on(a.next(&ask)).unwrap();
        assert_eq!(a.state().folds.len(), 1);
        assert_eq!(saved(&shared).folds, a.state().folds);
        assert_eq!(saved(&shared).entries, a.state().entries, "what is shown is durable");
        let fresh = open(&shared, patch);
        push(&fresh, &list, 0);
        assert_eq!(block_on(fresh.next(&ask)).unwrap().steps, after.steps, "a restart shows the same");
        assert!(report.occupancy.tokens > 0);
    });
    assert!(orders > 5, "{orders} orders");
}

/// Plans the background fold.
trait Planned {
    fn driver_planned(&self, ask: &Ask);
}

impl Planned for Driver<FoldHost> {
    fn driver_planned(&self, ask: &Ask) {
        assert!(block_on(self.next(ask)).unwrap().background.is_some(), "soft is reached");
    }
}
