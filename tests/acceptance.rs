//! The worked examples, natively: `Driver` over a host in memory. The same examples run through the
//! package in `tests/js/acceptance.test.mjs`.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice, reason = "a test may fail")]

mod common;

use std::rc::Rc;

use common::{Chat, Fake, Message, Store, call, calls, config, model, result, rounds, say, text, texts, tokens, user};
use gentle_cascade::core::assemble;
use gentle_cascade::core::config::Counter;
use gentle_cascade::core::frame::{Frame, FrameItem, Slot};
use gentle_cascade::core::ledger::RowState;
use gentle_cascade::core::measure::meter::measure;
use gentle_cascade::core::measure::occupancy::{Occupancy, Provenance};
use gentle_cascade::core::measure::thresholds::Thresholds;
use gentle_cascade::core::state::Loss;
use gentle_cascade::core::transcript::{Flags, Part, PartKind, Role, Row};
use gentle_cascade::driver::{Ask, Method};
use pollster::block_on;

const QUIET: &str = r#"{ "eviction": { "enabled": false }, "summarize": { "enabled": false } }"#;

fn fake() -> Fake {
    Fake::new(&Rc::new(Store::default()))
}

fn w40(patch: &str) -> Chat {
    Chat::open(fake(), 40_000, 4_000, patch)
}

fn w10(patch: &str) -> Chat {
    Chat::open(fake(), 10_000, 1_000, patch)
}

#[test]
fn m_1_the_latest_count_then_what_was_appended() {
    for (output, expected) in [(None, 111_001), (Some(250), 111_250)] {
        let chat = Chat::open(fake(), 200_000, 64_000, QUIET);
        let mut list = vec![user("go")];
        chat.next(&list);
        chat.settle(73_000, None);
        chat.settle(110_000, output);
        let seen = chat.driver.with(|s| s.occupancy());
        assert_eq!(seen, Occupancy { tokens: 110_000, provenance: Provenance::Exact });
        list.extend([call("c1"), result("c1", &text(1, 4_000))]);
        let turn = chat.next(&list);
        assert_eq!(turn.report.occupancy, Occupancy { tokens: expected, provenance: Provenance::Anchored });
        chat.settle(0, None);
        assert_eq!(chat.next(&list).report.occupancy.tokens, expected, "zero is unknown");
    }
}

#[test]
fn m_1_eviction_compares_the_count_with_what_was_appended() {
    // 19,500 real and 1,000 appended: only together they reach 20,000.
    let chat = w40("{}");
    let mut list = rounds(10, 4_000);
    chat.next(&list);
    chat.settle(19_500, None);
    list.extend([call("c11"), result("c11", &text(11, 4_000))]);
    let turn = chat.next(&list);
    assert!(!turn.evicted().is_empty());
}

#[test]
fn m_3_an_eviction_is_subtracted_and_no_summarizer_is_asked() {
    let chat = Chat::open(fake(), 100_000, 4_000, r#"{ "eviction": { "toFraction": 0 } }"#);
    // 53 results of 1,000 tokens: 50 may go. The stubs are counted, so 50,000 net needs slightly larger ones.
    let stub = stub_tokens("c1", 1, 4_000);
    let chars = (1_000 + stub as usize) * 4;
    let list = rounds(53, chars);
    chat.pin(&list, 52_000);
    let turn = chat.next(&list);
    let spare = turn.evicted().iter().zip(1..).map(|(_, i)| stub_tokens(&format!("c{i}"), i, chars)).sum::<u32>();
    assert_eq!(turn.evicted().len(), 50);
    assert_eq!(turn.report.occupancy, Occupancy { tokens: 52_000 + spare - 50 * (1_000 + stub), provenance: Provenance::Anchored });
    assert!(turn.report.occupancy.tokens.abs_diff(2_000) <= 100);
}

/// Tokens of the stub of the n-th result of [`rounds`].
fn stub_tokens(id: &str, n: usize, chars: usize) -> u32 {
    let first: String = text(n, chars).chars().take(80).collect();
    tokens(&format!("[context-cleared] read: ok, 1 line, {chars} chars: {first} [read_tool_output({{ id: \"{id}\" }}) returns it]"))
}

#[test]
fn cl_1_a_long_result_is_stored_whole_and_cut() {
    let chat = w40("{}");
    let long = "a".repeat(30_000);
    let short = block_on(chat.driver.result("c1", "read", long.clone())).unwrap();
    let out = short.output.unwrap();
    assert!(short.clamped && short.handle.as_deref() == Some("c1"));
    assert!(out.starts_with(&"a".repeat(16_660)) && out.ends_with(&"a".repeat(7_140)) && out.len() <= 24_000 + 16);
    assert!(out.encode_utf16().count() <= 24_000);
    assert!(out.contains(r#"6200 of 30000 characters omitted; read_tool_output({ id: "c1", offset: 16660, limit: 6200 })"#), "{}", &out[16_600..17_000]);
    assert_eq!(chat.store().raw.borrow().get("c1"), Some(&long));
    // The host records it; it goes out as it is and is never cut or stored again.
    let list = [user("go"), call("c1"), Message::Results(vec![("c1".into(), out.clone())])];
    let turn = chat.next(&list);
    assert_eq!(turn.untouched, [0, 1, 2]);
    assert_eq!(turn.ledger[2].state, RowState::Clamped);
    assert_eq!(turn.ledger[2].handle.as_deref(), Some("c1"));
    assert_eq!(chat.store().count("put"), 1);
}

#[test]
fn cl_2_the_cap_itself_is_untouched() {
    let chat = w40("{}");
    let same = block_on(chat.driver.result("c1", "read", "a".repeat(24_000))).unwrap();
    assert!(same.output.is_none() && !same.clamped && same.handle.is_none());
    assert_eq!(chat.store().count("put"), 0);
    let one_more = block_on(chat.driver.result("c2", "read", "a".repeat(24_001))).unwrap().output.unwrap();
    assert_eq!(one_more.matches('a').count() - one_more[one_more.find('[').unwrap()..=one_more.find(']').unwrap()].matches('a').count(), 23_800);
    assert!(one_more.contains("201 of 24001") && one_more.encode_utf16().count() <= 24_000);
}

#[test]
fn cl_3_no_pair_is_split_and_the_gap_reads_back() {
    let chat = w40("{}");
    let long = format!("a{}", "😀".repeat(15_000));
    let out = block_on(chat.driver.result("c1", "read", long)).unwrap().output.unwrap();
    assert!(out.contains("offset: 16659, limit: 6202"));
    assert_eq!(out.chars().filter(|c| *c == '😀').count(), 8_329 + 3_570);
    let stored = gentle_cascade::core::relieve::text::Units::from(chat.store().raw.borrow()["c1"].as_str());
    let ask = gentle_cascade::core::relieve::readback::Page { id: "c1", offset: Some(16_659), limit: Some(6_202), grep: None };
    let page = gentle_cascade::core::relieve::readback::page(&stored, &ask, 24_000);
    let (shown, trailer) = page.rsplit_once('\n').unwrap();
    assert_eq!(shown, "😀".repeat(3_101));
    assert!(trailer.contains("next offset: 22861"), "{trailer}");
}

fn hide(text: &str) -> String {
    text.replace("SECRET", "[gone]")
}

fn with_hook(store: &Rc<Store>) -> Fake {
    Fake { redact: Some(hide), ..Fake::new(store) }
}

/// 100,000 characters with a secret in the middle.
fn with_secret() -> String {
    let half = "b".repeat(50_000);
    format!("{half}SECRET{}", "b".repeat(49_994))
}

#[test]
fn rr_1_a_redacted_result_is_never_stored_and_offers_no_handle() {
    let store = Rc::new(Store::default());
    let chat = Chat::open(with_hook(&store), 40_000, 4_000, "{}");
    let short = block_on(chat.driver.result("c1", "read", with_secret())).unwrap();
    let out = short.output.unwrap();
    assert_eq!(*chat.host().seen_by_redact.borrow(), [100_000]);
    assert!(short.clamped && short.handle.is_none());
    assert!(!out.contains("SECRET") && !out.contains("read_tool_output") && out.contains("redacted"));
    // Later it is old enough to be evicted, and after a restart it still is not stored.
    let mut list = vec![user("go"), call("c1"), result("c1", &out)];
    for i in 2..=30 {
        list.extend([call(&format!("c{i}")), result(&format!("c{i}"), &text(i, 4_000))]);
    }
    chat.pin(&list[..3], 6_000);
    chat.next(&list[..3]);
    let reopened = Chat::open(with_hook(&store), 40_000, 4_000, "{}");
    reopened.pin(&list, 35_000);
    let turn = reopened.next(&list);
    assert!(turn.evicted().contains(&2));
    assert!(turn.view[2][0].starts_with("[context-cleared]") && turn.view[2][0].contains("redacted") && !turn.view[2][0].contains("c1"));
    assert_eq!(turn.ledger[2].loss, Some(Loss::Redacted));
    assert!(store.log.borrow().iter().all(|l| l != "put c1"));
    assert!(!reopened.host().seen_by_redact.borrow().contains(&100_000), "the full text is seen once");
}

#[test]
fn rr_1_a_short_redacted_row_survives_a_restart() {
    let store = Rc::new(Store::default());
    let list = [user("go"), call("c1"), result("c1", "key SECRET end"), say("ok")];
    let chat = Chat::open(with_hook(&store), 40_000, 4_000, "{}");
    let first = chat.next(&list);
    assert_eq!(first.view[2], ["key [gone] end"]);
    let reopened = Chat::open(with_hook(&store), 40_000, 4_000, "{}");
    assert_eq!(reopened.next(&list).view, first.view);
}

#[test]
fn rr_2_a_read_back_is_not_stored_and_its_stub_names_the_original() {
    // 900 lines, 3 of them with ERR.
    let raw: String = (0..900).map(|i| format!("{}{}\n", if i % 400 == 50 { "ERR " } else { "    " }, text(i, 62))).collect();
    let units = gentle_cascade::core::relieve::text::Units::from(raw.as_str());
    let found = gentle_cascade::core::relieve::readback::page(
        &units,
        &gentle_cascade::core::relieve::readback::Page { id: "c1", grep: Some("ERR"), ..Default::default() },
        24_000,
    );
    assert_eq!(found.lines().filter(|l| l.starts_with("ERR")).count(), 3);
    assert_eq!(found.lines().count(), 4);
    let page = gentle_cascade::core::relieve::readback::page(
        &units,
        &gentle_cascade::core::relieve::readback::Page { id: "c1", offset: Some(0), limit: Some(60_000), grep: None },
        24_000,
    );
    assert!(page.starts_with(&raw[..23_800]) && page.ends_with("next offset: 23800]"));
    assert!(page.encode_utf16().count() <= 24_000);

    // The page is a result like any other until it is old: then its stub names what it was read from.
    let chat = w10("{}");
    let mut list = vec![user("go"), Message::ReadBack("r1".into(), "c0\n23800".into()), result("r1", &text(77, 4_000))];
    list.extend_from_slice(&rounds(5, 4_000)[1..]);
    chat.pin(&list, 5_900);
    let turn = chat.next(&list);
    assert!(turn.view[2][0].ends_with(r#"[read_tool_output({ id: "c0", offset: 23800 }) returns it]"#), "{}", turn.view[2][0]);
    assert_eq!(turn.ledger[2].handle.as_deref(), Some("c0"));
    assert!(chat.store().log.borrow().iter().all(|l| l != "put r1" && l != "put c0"));
}

#[test]
fn rr_3_nothing_is_kept_with_persist_off() {
    let chat = w40(r#"{ "toolOutput": { "persistRaw": false } }"#);
    let short = block_on(chat.driver.result("c1", "read", "a".repeat(30_000))).unwrap();
    let out = short.output.unwrap();
    assert!(short.clamped && short.handle.is_none() && out.encode_utf16().count() <= 24_000);
    assert!(out.contains("run the tool again") && !out.contains("read_tool_output"));
    assert_eq!(chat.store().count("put"), 0);
}

#[test]
fn ev_1_exactly_the_oldest_twelve_become_stubs() {
    let chat = w40("{}");
    let list = rounds(20, 4_000);
    chat.pin(&list, 21_000);
    let turn = chat.next(&list);
    assert_eq!(turn.view.len(), 41);
    assert_eq!(turn.evicted(), (1..=12).map(|i| 2 * i).collect::<Vec<_>>());
    let kept: Vec<usize> = (0..41).filter(|i| i % 2 == 1 || *i == 0 || *i > 24).collect();
    assert_eq!(turn.untouched, kept);
    let stubs: Vec<u32> = (1..=12).map(|i| tokens(&turn.view[2 * i][0])).collect();
    assert!(stubs.iter().all(|s| (1..=83).contains(s)), "{stubs:?}");
    let freed = 12_000 - stubs.iter().sum::<u32>();
    assert_eq!(turn.evicted_event(), Some((u64::from(freed), 12)));
    assert_eq!(turn.report.occupancy, Occupancy { tokens: 21_000 - freed, provenance: Provenance::Anchored });
    assert_eq!(chat.store().count("put"), 12);
    assert_eq!(chat.store().raw.borrow()["c3"], text(3, 4_000));
    // The same list again: nothing is planned, nothing is called, the same bytes go out.
    let calls = chat.store().log.borrow().len();
    let again = chat.next(&list);
    assert_eq!((again.evicted_event(), &again.view, &again.report.steps), (None, &turn.view, &turn.report.steps));
    assert_eq!(chat.store().log.borrow().len(), calls);
}

#[test]
fn ev_1_a_restart_sends_the_same_bytes() {
    let store = Rc::new(Store::default());
    let list = rounds(20, 4_000);
    let chat = Chat::open(Fake::new(&store), 40_000, 4_000, "{}");
    chat.pin(&list, 21_000);
    let first = chat.next(&list);
    let reopened = Chat::open(Fake::new(&store), 40_000, 4_000, "{}");
    let second = reopened.next(&list);
    assert_eq!(first.view, second.view);
    assert!(second.evicted_event().is_none());
}

#[test]
fn ev_2_net_below_the_minimum_is_declined() {
    let chat = w10("{}");
    let list = rounds(5, 4_000);
    chat.pin(&list, 5_900);
    let turn = chat.next(&list);
    assert_eq!(turn.outcomes(), ["evict declined below_minimum"]);
    assert_eq!(turn.untouched.len(), list.len());
    assert!(turn.report.events.is_empty());
    assert_eq!((chat.store().count("put"), chat.store().count("commit")), (0, 0));

    let chat = w10("{}");
    let list = rounds(6, 4_000);
    chat.pin(&list, 5_900);
    let turn = chat.next(&list);
    let stubs: u32 = [2, 4, 6].iter().map(|i| tokens(&turn.view[*i][0])).sum();
    assert_eq!(turn.evicted(), [2, 4, 6]);
    assert_eq!(turn.evicted_event(), Some((u64::from(3_000 - stubs), 3)));
    assert!(turn.report.occupancy.tokens > 2_500, "the candidates ran out");
}

/// An old round with parallel results of 100, 4,000 and 8,000 characters and enough newer rounds.
fn parallel() -> Vec<Message> {
    let mut list = vec![
        user("go"),
        calls(&["p1", "p2", "p3"]),
        Message::Results(vec![("p1".into(), text(101, 100)), ("p2".into(), text(102, 4_000)), ("p3".into(), text(103, 8_000))]),
    ];
    list.extend_from_slice(&rounds(3, 4_000)[1..]);
    list
}

#[test]
fn ev_3_of_parallel_results_only_the_large_ones_go() {
    let chat = w10("{}");
    let list = parallel();
    chat.pin(&list, 7_000);
    let turn = chat.next(&list);
    assert_eq!(turn.view[2][0], text(101, 100));
    assert!(turn.view[2][1].starts_with("[context-cleared]") && turn.view[2][2].starts_with("[context-cleared]"));
    assert!(turn.untouched.contains(&1), "the message with the three calls");
    assert_eq!(turn.evicted_event().map(|e| e.1), Some(2));
    let parts: Vec<(usize, Option<&str>)> = turn.ledger[2].parts.iter().map(|p| (p.part, p.handle.as_deref())).collect();
    assert_eq!(parts, [(1, Some("p2")), (2, Some("p3"))]);
}

#[test]
fn ev_3_without_recent_rounds_all_that_was_read_may_go() {
    let chat = w10(r#"{ "eviction": { "keepRecentRounds": 0, "toFraction": 0 } }"#);
    let mut list = rounds(5, 4_000);
    chat.pin(&list, 5_900);
    assert_eq!(chat.next(&list).evicted(), [2, 4, 6, 8], "the fifth was not read yet");

    // The sixth round is open: its second call has no result yet. The first five were read.
    list.extend([calls(&["o1", "o2"]), result("o1", &text(9, 4_000))]);
    let chat = w10(r#"{ "eviction": { "keepRecentRounds": 0, "toFraction": 0 } }"#);
    chat.pin(&list, 6_900);
    assert_eq!(chat.next(&list).evicted(), [2, 4, 6, 8, 10]);
}

#[test]
fn ev_3_a_real_result_may_look_like_a_stub_and_a_stored_one_is_not_put_again() {
    let chat = w10("{}");
    let looks = format!("[context-cleared] {}", text(1, 4_000));
    let mut list = rounds(6, 4_000);
    list[2] = result("c1", &looks);
    chat.store().raw.borrow_mut().insert("c2".into(), "full".into());
    chat.pin(&list, 5_900);
    let turn = chat.next(&list);
    assert_eq!(turn.evicted(), [2, 4, 6]);
    assert_eq!(chat.store().raw.borrow()["c1"], looks);
    assert_eq!(chat.store().raw.borrow()["c2"], "full");
    let log = chat.store().log.borrow().clone();
    assert!(log.contains(&"has c2".into()) && !log.contains(&"put c2".into()));
}

#[test]
fn ev_handles_of_repeated_call_ids_differ() {
    let chat = w10("{}");
    let mut list = vec![user("go")];
    for i in 1..=6 {
        list.extend([call("call_0"), result("call_0", &text(i, 4_000))]);
    }
    chat.pin(&list, 5_900);
    let turn = chat.next(&list);
    let handles: Vec<_> = turn.ledger.iter().filter_map(|e| e.handle.as_deref()).collect();
    assert_eq!(handles, ["call_0", "call_0~2", "call_0~3"]);
    assert_eq!(chat.store().raw.borrow()["call_0~2"], text(2, 4_000));
    assert!(turn.view[4][0].contains(r#"id: "call_0~2""#));
}

fn frame() -> Frame {
    let item = |slot, label: &str, source: &str, tokens: usize| {
        let text = "y".repeat(tokens * 4);
        let measure = measure(Counter::Chars4, &text);
        // Only the session context is held as text: it goes into the head.
        FrameItem { slot, label: label.into(), source: source.into(), text: if slot == Slot::Context { text.into() } else { "".into() }, measure }
    };
    Frame {
        items: vec![
            item(Slot::System, "", "", 1_200),
            item(Slot::Index, "", "", 150),
            item(Slot::Tool, "read", "builtin", 1_000),
            item(Slot::Tool, "issues", "github", 1_500),
            item(Slot::Tool, "pulls", "github", 500),
            item(Slot::Deferred, "z", "other", 5_000),
            // What frames it in the head counts, too: 12 tokens.
            item(Slot::Context, "memory", "", 388),
        ],
    }
}

/// A user row of 9,000 tokens with an image of 1,560.
fn with_image() -> Row {
    let part = |kind, text: &str, media| Part {
        kind,
        flags: Flags::default(),
        id: "".into(),
        name: "".into(),
        target: "".into(),
        measure: measure(Counter::Chars4, text),
        media_tokens: media,
        stand_in: None,
    };
    Row::new(Role::User, Some(0), vec![part(PartKind::Text, &"m".repeat(36_000), 0), part(PartKind::Media, "", 1_560)])
}

#[test]
fn bd_1_buckets_and_overhead_are_the_total() {
    for (real, overhead) in [(15_900, 590), (15_000, -310)] {
        let chat = Chat::open(fake(), 200_000, 64_000, "{}");
        chat.driver.with(|s| {
            s.frame = frame();
            s.put_row(0, with_image());
        });
        block_on(chat.driver.next(&Ask::default())).unwrap();
        chat.settle(real, None);
        let b = chat.driver.with(|s| assemble::buckets(s));
        let by_id: Vec<(&str, u32)> = b.buckets.iter().map(|b| (b.id.as_str(), b.tokens)).collect();
        assert_eq!(
            by_id,
            [("system", 1_200), ("index", 150), ("tools", 3_000), ("deferred", 5_000), ("context", 400), ("messages", 9_000), ("attachments", 1_560)]
        );
        let tools: Vec<(&str, u32)> = b.buckets[2].items.iter().map(|i| (i.label.as_str(), i.tokens)).collect();
        assert_eq!(tools, [("builtin", 1_000), ("github", 2_000)]);
        assert!(!b.buckets[3].summed);
        assert_eq!((b.overhead, b.total, b.provenance), (overhead, real, Provenance::Exact));
        if real == 15_900 {
            assert_eq!((b.free, b.percent.map(f64::round)), (120_100, Some(8.0)));
        }
        let sum: i64 = b.buckets.iter().filter(|b| b.summed).map(|b| i64::from(b.tokens)).sum();
        assert_eq!(sum + b.overhead, i64::from(b.total));
    }
}

#[test]
fn bd_2_without_a_real_count_there_is_no_overhead() {
    let chat = Chat::open(fake(), 200_000, 64_000, "{}");
    chat.driver.with(|s| {
        s.frame = frame();
        s.put_row(0, with_image());
    });
    block_on(chat.driver.next(&Ask::default())).unwrap();
    let b = chat.driver.with(|s| assemble::buckets(s));
    assert_eq!((b.overhead, b.total, b.provenance), (0, 15_310, Provenance::Estimated));
    assert_eq!(b.reclaimed, 0);
}

#[test]
fn bd_3_reclaimed_is_shown_and_not_in_the_total() {
    let chat = w40("{}");
    let list = rounds(20, 4_000);
    chat.pin(&list, 21_000);
    let turn = chat.next(&list);
    let b = chat.driver.with(|s| assemble::buckets(s));
    let freed = turn.evicted_event().unwrap().0;
    assert_eq!((b.reclaimed, u64::from(b.total)), (freed, 21_000 - freed));
}

#[test]
fn le_1_the_states_of_all_rows_add_up() {
    let chat = w40("{}");
    let mut list = rounds(20, 4_000);
    list.push(say(" \n "));
    list.push(user("more"));
    chat.pin(&list, 21_000);
    let turn = chat.next(&list);
    let of = |state| turn.ledger.iter().filter(|e| e.state == state).count();
    assert_eq!((of(RowState::Evicted), of(RowState::Kept), of(RowState::Elided)), (12, 30, 1));
    assert_eq!(turn.view.len(), 42, "a message of blank parts is not sent");
    assert_eq!(turn.ledger.iter().map(|e| e.position).collect::<Vec<_>>(), (0..43).map(Some).collect::<Vec<_>>());
}

#[test]
fn le_3_evicted_without_a_store_states_the_loss() {
    for (patch, lacks, loss, words) in [
        (r#"{ "toolOutput": { "persistRaw": false } }"#, false, Loss::PersistOff, "outputs are not kept"),
        ("{}", true, Loss::NoStore, "not stored; run the tool again"),
    ] {
        let host = fake();
        if lacks {
            host.lacks.borrow_mut().push(Method::Raw);
        }
        let chat = Chat::open(host, 40_000, 4_000, patch);
        let list = rounds(20, 4_000);
        chat.pin(&list, 21_000);
        let turn = chat.next(&list);
        let entry = &turn.ledger[2];
        assert_eq!((entry.state, entry.handle.as_deref(), entry.loss), (RowState::Evicted, None, Some(loss)));
        assert!(turn.view[2][0].contains(words) && !turn.view[2][0].contains("read_tool_output"), "{}", turn.view[2][0]);
        assert_eq!(chat.store().count("put"), 0);
    }
}

#[test]
fn thresholds_of_the_examples() {
    let of = |window, out| {
        let t = Thresholds::of(&model(window, out), &config("{}"));
        [t.evict, t.to, t.soft, t.hard, t.digest, t.usable]
    };
    assert_eq!(of(40_000, 4_000), [20_000, 10_000, 24_000, 32_400, 34_200, 36_000]);
    assert_eq!(of(10_000, 1_000), [5_000, 2_500, 6_000, 8_100, 8_550, 9_000]);
}

#[test]
fn thresholds_compare_with_at_least() {
    for (tokens, acts) in [(19_999, false), (20_000, true)] {
        let chat = w40("{}");
        let list = rounds(20, 4_000);
        chat.pin(&list, tokens);
        assert_eq!(!chat.next(&list).evicted().is_empty(), acts, "{tokens}");
    }
}

#[test]
fn unsent_results_of_one_round_share_what_is_left_below_hard() {
    // Hard is 8,100; 2,000 are there. Four results of 20,000 characters would bring 20,000 tokens.
    let chat = w10(QUIET);
    let list = vec![
        user(&"u".repeat(8_000)),
        calls(&["a", "b", "c", "d"]),
        Message::Results((0..4).map(|i| (["a", "b", "c", "d"][i].into(), text(i, 20_000))).collect()),
    ];
    let turn = chat.next(&list);
    let chars: Vec<usize> = turn.view[2].iter().map(String::len).collect();
    assert!(turn.report.occupancy.tokens < 8_100, "{}", turn.report.occupancy.tokens);
    assert!(chars.iter().all(|c| (800..=6_100).contains(c)), "{chars:?}");
    assert_eq!(chat.store().count("put"), 4);
    assert_eq!(turn.outcomes()[0], "clamp done");
    assert_eq!(texts(&list[2]).len(), 4);
}
