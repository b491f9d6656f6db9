//! Rounds and pairs of formats whose messages are items, carry no ids, or become several rows.

use super::*;
use crate::core::config::Counter;
use crate::core::measure::meter::measure;

fn part(kind: PartKind, id: &str, flags: Flags) -> Part {
    Part { kind, flags, id: id.into(), name: "read".into(), target: "".into(), measure: measure(Counter::Chars4, "text"), media_tokens: 0, stand_in: None }
}

/// `u` user, `r` reasoning, `m` assistant text, `s` system, `cX` call X, `oX` output X: one row each.
fn items(line: &str) -> Transcript {
    let mut t = Transcript::default();
    t.set_items(true);
    for (at, word) in line.split(' ').enumerate() {
        let (role, kind) = match word.get(..1) {
            Some("u") => (Role::User, PartKind::Text),
            Some("s") => (Role::System, PartKind::Opaque),
            Some("r") => (Role::Assistant, PartKind::Reasoning),
            Some("m") => (Role::Assistant, PartKind::Text),
            Some("c") => (Role::Assistant, PartKind::Call),
            _ => (Role::Tool, PartKind::Result),
        };
        let id = if matches!(kind, PartKind::Call | PartKind::Result) { word.get(1..).unwrap_or("") } else { "" };
        t.push_row(Row { role, position: Some(at as u64 + 10), message: None, gone: None, parts: vec![part(kind, id, Flags::default())] });
    }
    t.settle_index();
    t
}

fn rounds(t: &Transcript) -> Vec<(usize, usize)> {
    t.index().rounds().iter().map(|r| (r.start, r.end)).collect()
}

fn keys(t: &Transcript) -> Vec<String> {
    t.index().calls().iter().map(|c| c.key()).collect()
}

#[test]
fn items_of_one_response_are_one_round() {
    let t = items("u r m ca cb oa ob r cc oc m");
    assert_eq!(rounds(&t), [(1, 7), (7, 10), (10, 11)]);
    assert_eq!(keys(&t), ["11.0", "11.1", "17.0"]);
    assert!(t.index().rounds().iter().all(Round::is_closed));
    assert_eq!(t.first_unread(), 11);
}

#[test]
fn outputs_between_parallel_calls_do_not_end_the_round() {
    let t = items("u r ca cb oa cc ob oc m");
    assert_eq!(rounds(&t), [(1, 8), (8, 9)]);
    assert_eq!(keys(&t), ["11.0", "11.1", "11.2"]);
    // While the round is the last one, none of its outputs was read by it.
    assert_eq!(items("u r ca cb oa cc ob oc").first_unread(), 4);
}

#[test]
fn configuration_between_items_ends_no_round_but_a_user_does() {
    assert_eq!(rounds(&items("u r s m")), [(1, 4)]);
    assert_eq!(rounds(&items("u m u m")), [(1, 2), (3, 4)]);
}

#[test]
fn a_key_stays_when_rows_are_added() {
    let whole = items("u r ca oa r cb cb ob ob");
    assert_eq!(keys(&whole), ["11.0", "14.0", "14.1"]);
    assert_eq!(keys(&items("u r ca oa r cb")), ["11.0", "14.0"]);
    let handles: Vec<_> = whole.index().calls().iter().map(|c| &*c.handle).collect();
    assert_eq!(handles, ["a", "b", "b~2"]);
}

#[test]
fn without_ids_the_name_pairs_in_call_order() {
    let mut t = Transcript::default();
    let by_name = |kind, id| part(kind, id, Flags::BY_NAME);
    t.push_row(Row {
        role: Role::Assistant,
        position: Some(1),
        message: None,
        gone: None,
        parts: vec![by_name(PartKind::Call, ""), by_name(PartKind::Call, "x")],
    });
    // The first answer names no call, the second names the call that has an id.
    t.push_row(Row {
        role: Role::Tool,
        position: Some(2),
        message: None,
        gone: None,
        parts: vec![by_name(PartKind::Result, ""), by_name(PartKind::Result, "x")],
    });
    t.settle_index();
    let found: Vec<_> = t.index().calls().iter().map(|c| (c.handle.to_string(), c.result)).collect();
    assert_eq!(found, [("read".to_owned(), Some((1, 0))), ("x".to_owned(), Some((1, 1)))]);
    assert!(t.index().strays().is_empty());
}

#[test]
fn rows_of_one_message_share_its_position_and_count_on() {
    let mut t = Transcript::default();
    for (position, id) in [(None, "a"), (Some(7), "b"), (Some(8), "c")] {
        let message = Some(position.unwrap_or(7));
        t.push_row(Row { role: Role::Assistant, position, message, gone: None, parts: vec![part(PartKind::Call, id, Flags::default())] });
    }
    t.settle_index();
    assert_eq!(keys(&t), ["7.0", "7.1", "8.0"]);
}

#[test]
fn reasoning_in_front_of_a_row_is_what_counting_it_anew_gives() {
    let mut t = items("u r m r u r r m u r m");
    let anew = |t: &Transcript, rows: usize| t.rows().iter().take(rows).map(|r| Totals::of(r).reasoning()).sum::<u64>();
    let same = |t: &Transcript, rows: usize| assert_eq!(t.reasoning_before(rows), anew(t, rows), "{rows}");
    for rows in [4, 8, 5, 8, 8, 11, 0] {
        same(&t, rows);
    }
    assert_eq!((t.reasoning_before(4), t.reasoning_before(8), t.reasoning_before(99)), (2, 4, 5));
    for gone in [Some(crate::core::view::Gone::Folded), None] {
        same(&t, 8);
        t.set_gone(5, gone);
        same(&t, 8);
    }
    t.drop_rows(0, 4);
    same(&t, 4);
    t.truncate(3);
    assert_eq!(t.reasoning_before(4), 2);
}
