//! The order of effects, and what is left when one of them fails.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice, reason = "a test may fail")]

mod common;

use std::rc::Rc;

use common::{Chat, Fake, Message, Store, Trouble, call, result, rounds, say, text, user};
use gentle_cascade::core::error::Code;
use gentle_cascade::core::ledger::RowState;
use gentle_cascade::core::measure::occupancy::Provenance;
use gentle_cascade::core::state::State;
use gentle_cascade::driver::{Failure, Method};
use pollster::block_on;

fn open(store: &Rc<Store>) -> Chat {
    Chat::open(Fake::new(store), 40_000, 4_000, "{}")
}

/// A conversation of 20 rounds that is due for an eviction.
fn due() -> (Chat, Vec<Message>) {
    let chat = open(&Rc::new(Store::default()));
    let list = rounds(20, 4_000);
    chat.pin(&list, 21_000);
    (chat, list)
}

#[test]
fn commits_once_and_only_when_the_log_changed() {
    let (chat, list) = due();
    chat.next(&list[..5]);
    assert_eq!(chat.store().count("commit"), 0, "nothing was decided");
    chat.pin(&list, 21_000);
    chat.next(&list);
    assert_eq!(chat.store().count("commit"), 1);
    chat.next(&list);
    assert_eq!(chat.store().count("commit"), 1);
    let log = chat.store().log.borrow().clone();
    let commit = log.iter().position(|l| l == "commit").unwrap();
    assert!(log[commit..].iter().all(|l| !l.starts_with("put")), "texts are safe before the log says so");
}

#[test]
fn a_failed_commit_shows_no_eviction_and_the_next_call_tries_again() {
    let (chat, list) = due();
    chat.host().trouble.borrow_mut().push_back(Trouble::Fails);
    let turn = chat.next(&list);
    assert_eq!(turn.outcomes(), ["evict declined unavailable"]);
    assert_eq!(turn.untouched.len(), list.len());
    assert!(turn.report.events.is_empty() && turn.report.prefix.broken_by.is_none());
    assert_eq!(turn.report.occupancy.tokens, 21_000);
    let turn = chat.next(&list);
    assert_eq!(turn.evicted_event().map(|e| e.1), Some(12));
    assert_eq!(chat.store().count("put"), 12, "what is stored is not put again");
}

#[test]
fn a_failed_commit_does_not_bring_a_secret_back() {
    let store = Rc::new(Store::default());
    let host = Fake { redact: Some(|t| t.replace("SECRET", "[gone]")), ..Fake::new(&store) };
    host.trouble.borrow_mut().push_back(Trouble::Fails);
    let chat = Chat::open(host, 40_000, 4_000, "{}");
    let list = [user("go"), call("c1"), result("c1", "key SECRET")];
    assert_eq!(chat.next(&list).view[2], ["key [gone]"]);
    assert_eq!(chat.next(&list).view[2], ["key [gone]"]);
    assert_eq!(chat.store().count("commit"), 2, "tried again");
    assert_eq!(*chat.host().seen_by_redact.borrow(), [10]);
}

#[test]
fn a_failing_redactor_stops_the_view_and_changes_nothing() {
    let store = Rc::new(Store::default());
    let chat = Chat::open(Fake { redact: Some(|t| t.to_owned()), ..Fake::new(&store) }, 40_000, 4_000, "{}");
    chat.host().redact_fails.set(true);
    let list = [user("go"), call("c1"), result("c1", "x")];
    assert_eq!(chat.try_next(&list).unwrap_err(), Failure::Host("redactor down".into()));
    assert_eq!(chat.driver.state(), State::default());
}

#[test]
fn a_text_that_could_not_be_saved_stays() {
    let (chat, list) = due();
    chat.host().put_fails.set(true);
    let turn = chat.next(&list);
    assert_eq!(turn.outcomes(), ["evict declined unavailable"]);
    assert_eq!(turn.untouched.len(), list.len());
    let short = block_on(chat.driver.result("c99", "read", "z".repeat(30_000))).unwrap();
    assert!(short.handle.is_none() && !short.output.unwrap().contains("read_tool_output"), "no put, no handle");
}

#[test]
fn on_a_conflict_the_winner_is_read_and_planned_on_once() {
    // Somebody else evicted the same twelve a moment ago.
    let (other, list) = due();
    let theirs = other.next(&list);
    let state = other.driver.state();

    let (chat, list) = due();
    chat.host().trouble.borrow_mut().push_back(Trouble::Overtaken(Box::new(state)));
    let turn = chat.next(&list);
    assert_eq!(turn.view, theirs.view, "both send the same bytes");
    assert!(turn.evicted_event().is_none(), "what the other freed is not reported twice");
    assert_eq!((chat.store().count("commit"), chat.store().count("load")), (1, 2));
}

#[test]
fn a_second_conflict_gives_up_this_stage_and_shows_what_is_durable() {
    let (chat, list) = due();
    let empty = || Trouble::Overtaken(Box::default());
    chat.host().trouble.borrow_mut().extend([empty(), empty()]);
    let turn = chat.next(&list);
    assert_eq!(turn.outcomes(), ["evict declined stale"]);
    assert_eq!(turn.untouched.len(), list.len());
    assert_eq!(chat.store().count("commit"), 2);
    assert_eq!(chat.next(&list).evicted_event().map(|e| e.1), Some(12), "the next call starts from the winner's version");
}

#[test]
fn a_conflict_without_load_is_stale() {
    let (chat, list) = due();
    chat.host().lacks.borrow_mut().push(Method::Load);
    chat.host().trouble.borrow_mut().push_back(Trouble::Overtaken(Box::default()));
    let turn = chat.next(&list);
    assert_eq!((turn.outcomes(), turn.untouched.len()), (vec!["evict declined stale".to_owned()], list.len()));
}

#[test]
fn a_store_that_goes_back_in_time_is_refused() {
    let (chat, list) = due();
    chat.next(&list);
    let more = rounds(40, 4_000);
    chat.pin(&more, 30_000);
    // A replica that lags: it refuses the write and shows an older version.
    let blob = chat.store().saved.borrow().clone().unwrap().0;
    *chat.store().saved.borrow_mut() = Some((blob, 0));
    let error = chat.try_next(&more).unwrap_err();
    assert!(matches!(&error, Failure::Ours(e) if e.code == Code::StaleStore), "{error:?}");
}

#[test]
fn what_arrived_here_survives_a_conflict() {
    let store = Rc::new(Store::default());
    let hook: fn(&str) -> String = |t| t.replace("SECRET", "[gone]");
    let chat = Chat::open(Fake { redact: Some(hook), ..Fake::new(&store) }, 40_000, 4_000, "{}");
    let clean = block_on(chat.driver.result("c1", "read", format!("SECRET {}", text(1, 4_000)))).unwrap().output.unwrap();
    let mut list = rounds(20, 4_000);
    list[2] = result("c1", &clean);
    chat.pin(&list, 21_000);
    chat.host().trouble.borrow_mut().push_back(Trouble::Overtaken(Box::default()));
    let turn = chat.next(&list);
    assert!(turn.view[2][0].contains("redacted"), "{}", turn.view[2][0]);
    assert!(!store.raw.borrow().contains_key("c1"));
}

#[test]
fn without_a_store_the_state_is_carried_by_the_host() {
    let host = Fake::new(&Rc::new(Store::default()));
    host.lacks.borrow_mut().extend([Method::Load, Method::Commit, Method::Raw]);
    let chat = Chat::open(host, 40_000, 4_000, "{}");
    let list = rounds(20, 4_000);
    chat.pin(&list, 21_000);
    let turn = chat.next(&list);
    assert!(!turn.evicted().is_empty());
    assert_eq!(chat.store().log.borrow().len(), 0);
    let again = Chat {
        driver: block_on(gentle_cascade::driver::Driver::open(
            Fake::new(&Rc::default()),
            common::model(40_000, 4_000),
            common::config("{}"),
            Some(chat.driver.state()),
        ))
        .unwrap(),
    };
    assert_eq!(again.next(&list).view, turn.view);
}

#[test]
fn a_newer_state_is_left_alone() {
    let store = Rc::new(Store::default());
    *store.saved.borrow_mut() = Some((r#"{"v":99,"boundary":null,"whatever":1}"#.into(), 7));
    let chat = open(&store);
    let list = rounds(20, 4_000);
    chat.pin(&list, 21_000);
    let turn = chat.next(&list);
    assert_eq!(turn.outcomes(), ["state declined state_newer"]);
    assert_eq!(turn.untouched.len(), list.len());
    assert_eq!((store.count("commit"), store.saved.borrow().as_ref().unwrap().1), (0, 7));
}

#[test]
fn redacts_once_with_the_full_text() {
    let store = Rc::new(Store::default());
    let chat = Chat::open(Fake { redact: Some(|t| t.replace("SECRET", "[gone]")), ..Fake::new(&store) }, 40_000, 4_000, "{}");
    let long = format!("{}SECRET{}", "p".repeat(15_000), "q".repeat(15_000));
    let mut list = vec![user("go"), call("c1"), result("c1", &long)];
    let turn = chat.next(&list);
    assert!(turn.view[2][0].len() <= 24_016 && !turn.view[2][0].contains("SECRET"));
    assert_eq!(turn.ledger[2].loss, Some(gentle_cascade::core::state::Loss::Redacted));
    list.push(say("seen"));
    assert_eq!(chat.next(&list).view[2], turn.view[2]);
    assert_eq!(*chat.host().seen_by_redact.borrow(), [30_006]);
    assert_eq!(store.count("put"), 0);
}

#[test]
fn a_cancelled_call_ends_with_the_reason_and_changes_nothing() {
    let (chat, list) = due();
    chat.host().cancelled.set(true);
    assert_eq!(chat.try_next(&list).unwrap_err(), Failure::Host("cancelled".into()));
    assert_eq!((chat.driver.state(), chat.store().count("commit")), (State::default(), 0));
    chat.host().cancelled.set(false);
    assert_eq!(chat.next(&list).evicted_event().map(|e| e.1), Some(12));
}

#[test]
fn settle_anchors_on_the_request_that_was_sent() {
    let chat = Chat::open(Fake::new(&Rc::new(Store::default())), 200_000, 8_000, r#"{ "eviction": { "enabled": false } }"#);
    let mut list = vec![user(&text(0, 4_000))];
    assert_eq!(chat.next(&list).report.occupancy.provenance, Provenance::Estimated);
    chat.settle(1_500, Some(10));
    list.extend([call("c1"), result("c1", &text(1, 4_000))]);
    let turn = chat.next(&list);
    assert_eq!((turn.report.occupancy.tokens, turn.report.occupancy.provenance), (1_500 + 10 + 1_000, Provenance::Anchored));
    // `before` is what the raw list would weigh: the overhead of 500 was learned.
    assert_eq!(turn.report.before, 1_000 + 1 + 1_000 + 500);
}

#[test]
fn a_rewritten_history_does_not_inherit_stubs() {
    let (chat, mut list) = due();
    chat.next(&list);
    // The host takes the conversation back to row 1 and runs it again; positions are reused.
    list.truncate(1);
    for i in 1..=20 {
        list.extend([call(&format!("d{i}")), result(&format!("d{i}"), &text(100 + i, 400))]);
    }
    let turn = chat.next(&list);
    assert_eq!(turn.untouched.len(), list.len());
    assert!(turn.ledger.iter().all(|e| e.state == RowState::Kept));
    // The same after a restart, where nobody saw the old rows.
    let (chat, old) = due();
    chat.next(&old);
    let reopened = open(&chat.host().store);
    assert_eq!(reopened.next(&list).untouched.len(), list.len());
}

#[test]
fn a_view_that_comes_back_is_noticed_by_its_content() {
    let (chat, list) = due();
    let turn = chat.next(&list);
    let mut back = list.clone();
    back[2] = result("c1", &turn.view[2][0]);
    let error = chat.try_next(&back).unwrap_err();
    assert!(matches!(&error, Failure::Ours(e) if e.code == Code::ViewRecorded && e.message.contains("messages[2]")), "{error:?}");
    assert!(!format!("{error:?}").contains("xxx"), "no transcript text in an error");
}

#[test]
fn positions_may_come_later_and_keep_what_was_decided() {
    let chat = open(&Rc::new(Store::default()));
    let list = rounds(20, 4_000);
    chat.push_at(&list, &vec![None; list.len()]);
    chat.driver.with(|s| s.pin_occupancy(21_000)).unwrap();
    let first = chat.try_plan().unwrap();
    assert_eq!(first.evicted().len(), 12);
    let positions: Vec<Option<u64>> = (100..100 + list.len() as u64).map(Some).collect();
    chat.push_at(&list, &positions);
    let second = chat.try_plan().unwrap();
    assert_eq!((second.evicted_event(), second.view), (None, first.view));
    assert!(chat.driver.state().entries.keys().all(|k| !k.starts_with('~')), "keys are final");
}

#[test]
fn positions_must_increase() {
    let chat = open(&Rc::new(Store::default()));
    let list = rounds(2, 100);
    chat.push_at(&list, &[Some(1), Some(2), Some(3), Some(3), Some(4)]);
    let error = chat.try_plan().unwrap_err();
    assert!(matches!(&error, Failure::Ours(e) if e.code == Code::BadInput && e.message.contains("positions[3]")), "{error:?}");
}
