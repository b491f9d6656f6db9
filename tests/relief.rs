//! Relief that is worth its cost: duplicates, names in stubs, the order of victims, cache prices, dropped
//! rounds. The worked examples carry their ids.

mod common;

use std::rc::Rc;

use common::{Chat, Fake, Message, Store, call, result, rounds, say, text, tokens, user};
use gentle_cascade::core::assemble::At;
use gentle_cascade::core::config::Counter;
use gentle_cascade::core::ledger::RowState;
use gentle_cascade::core::measure::meter::measure;
use gentle_cascade::core::transcript::{Flags, Part, PartKind, Role, Row};

fn open(patch: &str) -> Chat {
    Chat::open(Fake::new(&Rc::new(Store::default())), 40_000, 4_000, patch)
}

/// Nine rounds: 1 and 5 return the same 8,000 characters.
fn nine(second: &str) -> Vec<Message> {
    let same = text(1, 8_000);
    let mut list = vec![user("go")];
    for i in 1..=9usize {
        let output = match i {
            1 => same.clone(),
            5 => second.to_owned(),
            2 | 3 | 4 | 6 => text(i, 12_000),
            _ => text(i, 4_000),
        };
        list.push(call(&format!("c{i}")));
        list.push(result(&format!("c{i}"), &output));
    }
    list
}

#[test]
fn dd_1_a_duplicate_goes_first_and_what_it_points_to_stays() {
    let chat = open("{}");
    let list = nine(&text(1, 8_000));
    chat.pin(&list, 20_500);
    let turn = chat.next(&list);
    assert_eq!(turn.evicted(), [2, 4, 6, 8]);
    let stub = &turn.view[2][0];
    assert!(stub.contains("the newer result \"c5\" says the same") && stub.contains("read_tool_output({ id: \"c1\" })"), "{stub}");
    let stubs: u32 = [2, 4, 6, 8].iter().map(|i| tokens(&turn.view[*i][0])).sum();
    assert_eq!(turn.evicted_event(), Some((u64::from(2_000 + 9_000 - stubs), 4)));
    assert!((9..=18).all(|i| turn.untouched.contains(&i)), "rounds 5 to 9 are the host's own");
    assert_eq!(chat.store().raw.borrow()["c1"], text(1, 8_000));
}

#[test]
fn dd_1_the_pointed_to_result_outlives_an_older_one_in_a_later_pass() {
    let chat = open(r#"{ "eviction": { "keepRecentRounds": 0 } }"#);
    let list = nine(&text(1, 8_000));
    chat.pin(&list, 20_500);
    let first = chat.next(&list);
    assert_eq!(first.evicted(), [2, 4, 6, 8]);
    // Again over the threshold, little is needed: round 6 is younger than round 5 and goes before it.
    chat.driver.with(|s| s.configure(common::config(r#"{ "eviction": { "keepRecentRounds": 0, "toFraction": 0.45 } }"#)));
    let mut list = list;
    list.extend([say("on"), user("go on")]);
    chat.pin(&list, 20_500);
    let second = chat.next(&list);
    assert_eq!(second.evicted(), [2, 4, 6, 8, 12]);
}

/// Rows of rounds that read the same path, for a host that says what a call is about.
fn about(chat: &Chat, list: &[Message], target: &str) {
    let part = |kind, id: &str, target: &str, content: &str| Part {
        kind,
        flags: Flags::default(),
        id: id.into(),
        name: "read".into(),
        target: target.into(),
        measure: measure(Counter::Chars4, content),
        media_tokens: 0,
        stand_in: None,
    };
    chat.driver.with(|s| {
        for (at, message) in list.iter().enumerate() {
            let position = Some(at as u64);
            match message {
                Message::Calls(calls) if matches!(calls[0].0.as_str(), "c1" | "c5") => {
                    s.put_row(at, Row::new(Role::Assistant, position, vec![part(PartKind::Call, &calls[0].0, target, "{}")]))
                }
                _ => {}
            }
            if s.transcript.len() <= at {
                let (role, parts) = match message {
                    Message::User(t) => (Role::User, vec![Part { name: "".into(), ..part(PartKind::Text, "", "", t) }]),
                    Message::Calls(calls) => (Role::Assistant, vec![part(PartKind::Call, &calls[0].0, "", "{}")]),
                    Message::Results(list) => (Role::Tool, vec![part(PartKind::Result, &list[0].0, "", &list[0].1)]),
                    _ => panic!("not in this list"),
                };
                s.put_row(at, Row::new(role, position, parts));
            }
        }
    });
}

#[test]
fn dd_2_another_output_of_the_same_target_replaces_only_where_the_host_said_so() {
    for (patch, first) in [("{}", "[context-cleared] read: ok"), (r#"{ "dedupe": { "supersede": ["read"] } }"#, "the newer result \"c5\" replaces it")] {
        let chat = open(patch);
        let list = nine(&text(99, 8_000));
        about(&chat, &list, "a.rs");
        chat.pin(&list, 20_500);
        let turn = chat.next(&list);
        assert!(turn.view[2][0].contains(first), "{}", turn.view[2][0]);
        assert_eq!(turn.view[2][0].contains("newer result"), patch != "{}");
    }
}

#[test]
fn dd_3_below_the_threshold_duplicates_stay() {
    let chat = open("{}");
    let list = nine(&text(1, 8_000));
    chat.pin(&list, 19_999);
    let turn = chat.next(&list);
    assert_eq!((turn.untouched.len(), turn.outcomes().len()), (list.len(), 0));
}

#[test]
fn as_2_an_eviction_at_message_four_breaks_the_prefix_there() {
    let chat = open("{}");
    let mut list = rounds(20, 4_000);
    list[2] = result("c1", &text(1, 400));
    chat.pin(&list, 15_000);
    assert_eq!(chat.next(&list).report.prefix.broken_by, None);
    chat.pin(&list, 21_000);
    let turn = chat.next(&list);
    assert_eq!(turn.evicted().first(), Some(&4));
    let broken = turn.report.prefix.broken_by.clone().expect("the prefix breaks");
    assert_eq!((broken.at, broken.cause), (At::Row(4), "evicted"));
    // "go", `{}`, 400 characters, `{}`.
    assert_eq!(turn.report.prefix.bytes, 406);
    assert_eq!(chat.next(&list).report.prefix.broken_by, None, "and only once");
}

/// A result of 4,000 characters that begins with these names.
fn naming(n: usize, names: &str) -> String {
    let head = format!("{n}\n{names} ");
    format!("{head}{}", "x".repeat(4_000 - head.len()))
}

#[test]
fn a_stub_keeps_the_names_that_would_leave_the_view_and_no_others() {
    let chat = open("{}");
    let mut list = rounds(20, 4_000);
    list[2] = result("c1", &naming(1, "src/core/parser.rs openWindow max_depth"));
    list[4] = result("c2", &naming(2, "src/core/parser.rs parser.rs readAll"));
    list.push(say("Next I call openWindow."));
    chat.pin(&list, 21_000);
    let turn = chat.next(&list);
    let (one, two) = (&turn.view[2][0], &turn.view[4][0]);
    assert!(one.contains("max_depth") && !one.contains("openWindow"), "{one}");
    assert!(two.contains("readAll"), "{two}");
    // The path stands in one of the two stubs, its file name inside it.
    assert_eq!(usize::from(one.contains("src/core/parser.rs")) + usize::from(two.contains("src/core/parser.rs")), 1, "{one}\n{two}");
    assert_eq!(one.matches("parser.rs").count() + two.matches("parser.rs").count(), 1);
}

#[test]
fn the_names_of_a_stub_take_a_quarter_of_the_result_at_most() {
    let chat = open("{}");
    let mut list = rounds(20, 4_000);
    let names: String = (0..350).map(|i| format!("name_{i:03}_x ")).collect();
    list[2] = result("c1", &names);
    chat.pin(&list, 21_000);
    let turn = chat.next(&list);
    let stub = turn.view.iter().flatten().find(|t| t.starts_with("[context-cleared]") && t.contains("name_000_x"));
    // So many names make it the worst victim: the others go first, and it stays.
    assert!(stub.is_none() && turn.untouched.contains(&2));

    let chat = open(r#"{ "eviction": { "toFraction": 0 } }"#);
    chat.pin(&list, 21_000);
    let turn = chat.next(&list);
    let stub = &turn.view[2][0];
    assert!(stub.starts_with("[context-cleared]") && tokens(stub) < tokens(&names) / 4 + 60, "{} of {}", tokens(stub), tokens(&names));
    assert!(stub.contains("name_000_x"));
}

const PRICES: &str = r#"{ "prices": {}, "eviction": { "toFraction": 0 } }"#;

#[test]
fn with_prices_a_pass_waits_until_carrying_was_dearer_than_the_edit() {
    let chat = open(PRICES);
    let mut list = rounds(20, 4_000);
    chat.pin(&list, 21_000);
    let turn = chat.next(&list);
    assert_eq!(turn.outcomes(), ["evict deferred"]);
    let account = turn.report.cache.expect("an account");
    // 17 results of 1,000 tokens are old; each leaves about a quarter and some words.
    assert_eq!(account.saving, 17.0 * 70.2);
    assert_eq!(account.cost, (f64::from(account.rewritten) * 115.0).round() / 100.0);
    assert_eq!(account.break_even, Some((account.cost / account.saving).ceil() as u32));
    // The same list again is the same response: nothing more was paid.
    assert_eq!(chat.next(&list).report.cache, Some(account));
    let mut waited = 1;
    loop {
        list.extend([say("thinking"), user("go on")]);
        let turn = chat.next(&list);
        if turn.evicted_event().is_some() {
            break;
        }
        waited += 1;
        assert!(waited < 60, "it never pays");
    }
    let expected = (2.0 * account.cost / account.saving).ceil() as i32;
    assert!((waited - expected).abs() <= 1, "{waited} of {expected}");
}

#[test]
fn a_cold_cache_or_a_full_window_does_not_wait() {
    let list = rounds(20, 4_000);
    let chat = open(PRICES);
    chat.pin(&list, 21_000);
    chat.driver.set_idle(Some(300_000.0));
    let turn = chat.next(&list);
    assert!(turn.evicted_event().is_some());
    assert_eq!(turn.report.cache.map(|a| (a.cold, a.cost)), Some((true, 0.0)));

    let chat = open(PRICES);
    chat.pin(&list, 32_400);
    assert!(chat.next(&list).evicted_event().is_some());
}

const DROP: &str =
    r#"{ "eviction": { "rounds": true, "keepAtHard": 1 }, "cascade": { "enabled": false }, "summarize": { "enabled": false }, "digest": { "atFraction": 1 } }"#;

/// A user row and rounds whose results are too small for a stub.
fn small(n: usize) -> Vec<Message> {
    let mut list = rounds(n, 700);
    list[2] = result("c1", &format!("src/first.rs {}", "x".repeat(680)));
    list
}

#[test]
fn at_hard_the_oldest_rounds_go_behind_one_line_that_names_what_would_be_lost() {
    let store = Rc::new(Store::default());
    let reads = || {
        let fake = Fake::new(&store);
        fake.reads_rows.set(true);
        fake
    };
    let chat = Chat::open(reads(), 40_000, 4_000, DROP);
    let list = small(190);
    chat.pin(&list, 32_399);
    assert_eq!(chat.next(&list).view.len(), list.len(), "below hard nothing is dropped");
    chat.pin(&list, 33_500);
    let turn = chat.next(&list);
    assert!(turn.outcomes().contains(&"drop done".to_owned()), "{:?}", turn.outcomes());
    let line = &turn.view[1][0];
    assert!(line.starts_with("[context-cleared] ") && line.contains("earlier steps left out: read ×") && line.contains("src/first.rs"), "{line}");
    let dropped: Vec<_> = turn.ledger.iter().filter(|e| e.state == RowState::Dropped).collect();
    assert_eq!((dropped[0].index, dropped.len() % 2), (1, 0), "whole rounds, from the oldest on; the user's row stays");
    let handle = dropped[0].handle.clone().expect("a handle");
    assert_eq!(handle, format!("rows:1-{}", dropped.len()));
    assert!(line.contains(&format!("read_tool_output({{ id: \"{handle}\" }})")));
    assert!(turn.report.occupancy.tokens <= 24_000, "down to soft");
    // Durable: another process sends the same bytes.
    let again = Chat::open(reads(), 40_000, 4_000, DROP).next(&list);
    assert_eq!(again.view, turn.view);
}

#[test]
fn a_later_run_takes_up_the_line_before_it() {
    let chat = open(DROP);
    let mut list = small(190);
    chat.pin(&list, 33_500);
    let first = chat.next(&list);
    for i in 191..=260usize {
        list.extend([call(&format!("c{i}")), result(&format!("c{i}"), &text(i, 700))]);
    }
    chat.pin(&list, 33_500);
    let second = chat.next(&list);
    let lines: Vec<&String> = second.view.iter().flatten().filter(|t| t.contains("left out")).collect();
    assert_eq!(lines.len(), 1, "one line per run");
    assert!(lines[0].contains("src/first.rs") && *lines[0] != first.view[1][0]);
    assert!(second.ledger.iter().filter(|e| e.state == RowState::Dropped).count() > first.ledger.iter().filter(|e| e.state == RowState::Dropped).count());
}

#[test]
fn without_rows_of_the_host_the_line_states_the_loss() {
    let chat = open(DROP);
    let list = small(190);
    chat.pin(&list, 33_500);
    let turn = chat.next(&list);
    assert!(turn.view[1][0].contains("not readable from here") && !turn.view[1][0].contains("read_tool_output"));
    let dropped = turn.ledger.iter().find(|e| e.state == RowState::Dropped).expect("dropped");
    assert_eq!(serde_json::to_value(dropped).expect("json")["loss"], "no_store");
}
