//! One broken history per rule, in each format that has it; then what repair makes of it.

use super::*;
use crate::core::transcript::made::{call, flagged, part, result, text, transcript};
use crate::core::transcript::{Caller, Flags, Part, PartKind, Role, Transcript};
use Role::{Assistant as A, System as S, Tool as T, User as U};

fn wire(name: &str) -> &'static Wire {
    by_name(name).expect("a format")
}

fn history(name: &str, rows: &[(Role, &[Part])]) -> Transcript {
    let mut t = transcript(rows.iter().map(|(r, p)| (*r, p.to_vec())).collect());
    t.set_items(wire(name).profile.items);
    t.settle_index();
    t
}

/// `rule level at` of each finding of a stored history.
fn found(name: &str, rows: &[(Role, &[Part])]) -> Vec<String> {
    list(&validate(&history(name, rows), wire(name), Phase::Stored))
}

fn list(findings: &[Finding]) -> Vec<String> {
    findings.iter().map(|f| format!("{} {:?} {}", f.rule, f.level, f.at)).collect()
}

fn think(signed: bool) -> Part {
    flagged(part(PartKind::Reasoning, "", "", "hm"), if signed { Flags::SIGNED } else { Flags::default() })
}

/// Repairs, checks that nothing repairable is left and that a second repair does nothing; `rule at` of each repair.
fn healed(name: &str, rows: &[(Role, &[Part])]) -> (Transcript, Vec<String>) {
    let t = history(name, rows);
    let fix = repair(&t, wire(name));
    let after = laid(&t, &fix, wire(name));
    let left: Vec<Finding> = validate(&after, wire(name), Phase::Stored).into_iter().filter(|f| f.repairable).collect();
    assert_eq!(left, [], "{name}");
    assert_eq!(repair(&after, wire(name)).repaired, [], "{name}: a second pass finds nothing");
    (after, fix.repaired.iter().map(|r| format!("{} {}", r.rule, r.at)).collect())
}

fn shape(t: &Transcript) -> Vec<String> {
    let kind = |p: &Part| match p.kind {
        PartKind::Call => format!("call {}", p.id),
        PartKind::Result if p.flags.has(Flags::ERROR) => format!("interrupted {}", p.id),
        PartKind::Result => format!("result {}", p.id),
        other => format!("{other:?}").to_lowercase(),
    };
    t.rows().iter().map(|r| format!("{}: {}", format!("{:?}", r.role).to_lowercase(), r.parts.iter().map(kind).collect::<Vec<_>>().join(", "))).collect()
}

const FORMATS: [&str; 5] = ["ai-sdk", "anthropic", "openai-chat", "openai-responses", "gemini"];

fn named(id: &str, name: &str) -> Part {
    part(PartKind::Call, id, name, "{}")
}

#[test]
fn a_valid_history_draws_no_complaint_in_any_format() {
    for name in FORMATS {
        let rows: &[(Role, &[Part])] = match name {
            "openai-chat" | "openai-responses" => {
                &[(U, &[text("go")]), (A, &[call("x"), call("y")]), (T, &[result("y")]), (T, &[result("x")]), (A, &[text("done")]), (U, &[text("more")])]
            }
            _ => &[(U, &[text("go")]), (A, &[text("ok"), call("x"), call("y")]), (T, &[result("y"), result("x")]), (A, &[text("done")]), (U, &[text("more")])],
        };
        assert_eq!(found(name, rows), [] as [&str; 0], "{name}");
        assert_eq!(list(&validate(&history(name, rows), wire(name), Phase::Request)), [] as [&str; 0], "{name}");
    }
}

#[test]
fn an_empty_list_is_refused_everywhere() {
    let rules: Vec<String> = FORMATS.iter().flat_map(|name| found(name, &[])).collect();
    assert_eq!(rules, ["AM-1 E 0", "AN-1 E 0", "OC-1 E 0", "OR-schema E 0", "GE-1 E 0"]);
}

#[test]
fn a_call_without_a_result_is_an_error_once_its_step_is_over_and_gets_an_honest_result() {
    let rows: &[(Role, &[Part])] = &[(U, &[text("go")]), (A, &[call("d1")]), (U, &[text("are you there?")])];
    let expected = [("ai-sdk", "AM-4"), ("anthropic", "AN-5"), ("openai-chat", "OC-5"), ("openai-responses", "OR-2"), ("gemini", "GE-2")];
    for (name, rule) in expected {
        assert_eq!(found(name, rows), [format!("{rule} E 1")], "{name}");
        let (after, did) = healed(name, rows);
        assert_eq!(did, [format!("{rule} 1")]);
        assert_eq!(shape(&after), ["user: text", "assistant: call d1", "tool: interrupted d1", "user: text"], "{name}");
    }
    // At the end it may still run: worth a word in a stored history, an error in a request.
    let open: &[(Role, &[Part])] = &[(U, &[text("go")]), (A, &[call("d1")])];
    assert_eq!(found("ai-sdk", open), ["AM-4 S 1"]);
    assert_eq!(list(&validate(&history("ai-sdk", open), wire("ai-sdk"), Phase::Request)), ["AM-4 E 1"]);
    assert_eq!(healed("ai-sdk", open).1, [] as [&str; 0]);
}

#[test]
fn a_missing_result_joins_the_others_of_its_step() {
    let rows: &[(Role, &[Part])] = &[(U, &[text("go")]), (A, &[call("x"), call("y")]), (T, &[result("x")]), (A, &[text("hm")])];
    for name in ["ai-sdk", "anthropic", "gemini"] {
        assert_eq!(shape(&healed(name, rows).0)[2], "tool: result x, interrupted y", "{name}");
    }
    for name in ["openai-chat", "openai-responses"] {
        assert_eq!(shape(&healed(name, rows).0)[2..4], ["tool: interrupted y", "tool: result x"], "{name}");
    }
    // A user turn that holds the other result and what the user says takes it behind that result.
    let mixed: &[(Role, &[Part])] = &[(U, &[text("go")]), (A, &[call("x"), call("y")]), (U, &[result("x"), text("and?")])];
    assert_eq!(shape(&healed("anthropic", mixed).0)[2], "user: result x, interrupted y, text");
}

#[test]
fn an_orphan_goes_and_the_message_with_it_if_nothing_else_is_left() {
    let rows: &[(Role, &[Part])] = &[(U, &[text("go")]), (T, &[result("ghost")]), (A, &[text("done")]), (U, &[text("x")])];
    let expected = [("ai-sdk", "AM-6"), ("anthropic", "AN-6"), ("openai-chat", "OC-6"), ("openai-responses", "OR-1"), ("gemini", "GE-3")];
    for (name, rule) in expected {
        assert_eq!(found(name, rows), [format!("{rule} E 1")], "{name}");
        assert_eq!(shape(&healed(name, rows).0), ["user: text", "assistant: text", "user: text"]);
    }
}

#[test]
fn of_two_results_the_last_one_stays_in_the_place_of_the_first() {
    let rows: &[(Role, &[Part])] =
        &[(U, &[text("go")]), (A, &[call("x")]), (T, &[flagged(result("x"), Flags::JSON)]), (A, &[text("hm")]), (T, &[result("x")]), (A, &[text("ok")])];
    for (name, rule) in [("ai-sdk", "AM-6"), ("anthropic", "AN-6"), ("openai-chat", "OC-5"), ("openai-responses", "OR-1"), ("gemini", "GE-2")] {
        assert!(found(name, rows).contains(&format!("{rule} E 4")), "{name}");
        let (after, _) = healed(name, rows);
        assert_eq!(shape(&after), ["user: text", "assistant: call x", "tool: result x", "assistant: text", "assistant: text"], "{name}");
        assert!(!after.part(2, 0).expect("the result").flags.has(Flags::JSON), "the later one");
    }
}

#[test]
fn results_move_to_where_the_format_looks_for_them() {
    let between: &[(Role, &[Part])] = &[(U, &[text("go")]), (A, &[call("x")]), (A, &[text("hm")]), (T, &[result("x")]), (A, &[text("ok")])];
    assert_eq!(found("ai-sdk", between), [] as [&str; 0], "the SDK tolerates an assistant message between");
    for (name, rule) in [("anthropic", "AN-5"), ("openai-chat", "OC-5"), ("gemini", "GE-2")] {
        assert_eq!(found(name, between), [format!("{rule} E 3")], "{name}");
        assert_eq!(shape(&healed(name, between).0)[1..4], ["assistant: call x", "tool: result x", "assistant: text"], "{name}");
    }
    let user: &[(Role, &[Part])] = &[(U, &[text("go")]), (A, &[call("x")]), (U, &[text("hurry")]), (T, &[result("x")]), (A, &[text("ok")])];
    assert_eq!(found("ai-sdk", user), ["AM-4 E 3"]);
    assert_eq!(found("anthropic", user), ["AN-7 E 3"], "one user turn, but the text comes first");
    for name in ["ai-sdk", "anthropic", "openai-chat", "gemini"] {
        assert_eq!(shape(&healed(name, user).0)[1..4], ["assistant: call x", "tool: result x", "user: text"], "{name}");
    }
    let inside: &[(Role, &[Part])] = &[(U, &[text("go")]), (A, &[call("x")]), (U, &[text("hurry"), result("x")]), (A, &[text("ok")])];
    assert_eq!(found("anthropic", inside), ["AN-7 E 2"]);
    assert_eq!(shape(&healed("anthropic", inside).0)[2], "user: result x, text");
    let split: &[(Role, &[Part])] = &[(U, &[text("go")]), (A, &[call("x"), call("y")]), (T, &[result("x")]), (T, &[result("y")]), (A, &[text("ok")])];
    assert_eq!(found("gemini", split), ["GE-2 E 3"]);
    assert_eq!(shape(&healed("gemini", split).0)[2..], ["tool: result x, result y", "assistant: text"]);
    for name in ["ai-sdk", "anthropic", "openai-chat", "openai-responses"] {
        assert_eq!(found(name, split), [] as [&str; 0], "{name}");
    }
}

#[test]
fn ids_that_repeat_are_kept_apart_where_the_format_needs_it() {
    let again: &[(Role, &[Part])] = &[(U, &[text("go")]), (A, &[call("c")]), (T, &[result("c")]), (A, &[call("c")]), (T, &[result("c")]), (A, &[text("ok")])];
    for name in ["ai-sdk", "openai-chat", "openai-responses", "gemini"] {
        assert_eq!(found(name, again), [] as [&str; 0], "{name}: pairs by occurrence");
    }
    assert_eq!(found("anthropic", again), ["AN-10 E 3"]);
    assert_eq!(shape(&healed("anthropic", again).0)[3..5], ["assistant: call c_2", "tool: result c_2"]);
    let beside: &[(Role, &[Part])] = &[(U, &[text("go")]), (A, &[call("c"), call("c")]), (T, &[result("c")]), (T, &[result("c")]), (A, &[text("ok")])];
    for (name, rule) in [("ai-sdk", "AM-6"), ("openai-chat", "OC-5"), ("openai-responses", "OR-1"), ("anthropic", "AN-10")] {
        assert_eq!(found(name, beside), [format!("{rule} E 1")], "{name}");
        assert_eq!(shape(&healed(name, beside).0)[1..4], ["assistant: call c, call c_2", "tool: result c", "tool: result c_2"], "{name}");
    }
}

#[test]
fn ids_and_names_have_to_look_as_the_format_wants_them() {
    let rows = |id: &str, name: &str| {
        let (c, r) = (named(id, name), part(PartKind::Result, id, "", "out"));
        (vec![text("go")], vec![c], vec![r], vec![text("ok")])
    };
    let check = |format: &str, id: &str, name: &str| {
        let (u, a, t, end) = rows(id, name);
        found(format, &[(U, &u), (A, &a), (T, &t), (A, &end)])
    };
    assert_eq!(check("anthropic", "call:1", "read"), ["AN-10 E 1", "AN-10 E 2"]);
    assert_eq!(check("anthropic", "call_1-A", "read file"), [] as [&str; 0]);
    assert_eq!(check("openai-chat", "call:1", "read file"), ["OC-4 E 1"]);
    assert_eq!(check("openai-chat", "x", &"n".repeat(65)), ["OC-4 E 1"]);
    assert_eq!(check("openai-responses", &"x".repeat(65), "read"), ["OR-1 E 1", "OR-1 E 2"]);
    assert_eq!(check("openai-responses", &"x".repeat(64), "read"), [] as [&str; 0]);
}

#[test]
fn what_is_empty_where_the_provider_forbids_it_goes() {
    let rows: &[(Role, &[Part])] = &[(U, &[text("go"), text(" \n")]), (A, &[text("")]), (U, &[]), (A, &[text("ok")]), (U, &[text("more")])];
    assert_eq!(found("anthropic", rows), ["AN-12 E 0", "AN-12 E 1", "AN-12 E 2"]);
    assert_eq!(found("ai-sdk", rows), ["AM-8 D 0", "AM-8 S 1", "AM-8 S 2"]);
    assert_eq!(found("gemini", rows), ["GE-1 E 0", "GE-1 E 1", "GE-1 E 2"]);
    assert_eq!(found("openai-chat", rows), ["AM-8 S 1", "OC-2 E 2"]);
    for name in FORMATS {
        let (after, _) = healed(name, rows);
        assert_eq!(shape(&after)[1..], ["assistant: text", "user: text"], "{name}");
    }
    let signed: &[(Role, &[Part])] = &[(U, &[text("go")]), (A, &[flagged(text(""), Flags::SIGNED), call("x")]), (T, &[result("x")]), (A, &[text("ok")])];
    assert_eq!(found("gemini", signed), [] as [&str; 0], "an empty text that carries a signature is no blank");
}

#[test]
fn an_assistant_turn_of_nothing_but_reasoning_goes() {
    let rows: &[(Role, &[Part])] = &[(U, &[text("go")]), (A, &[think(true)]), (U, &[text("well?")])];
    for (name, rule) in [("ai-sdk", "AM-11 E"), ("anthropic", "AM-11 E"), ("openai-chat", "AM-11 S"), ("openai-responses", "OR-4 E"), ("gemini", "AM-11 S")] {
        assert_eq!(found(name, rows), [format!("{rule} 1")], "{name}");
        assert_eq!(shape(&healed(name, rows).0), ["user: text", "user: text"], "{name}");
    }
    let items: &[(Role, &[Part])] = &[(U, &[text("go")]), (A, &[think(true)]), (A, &[call("x")]), (T, &[result("x")]), (A, &[text("ok")])];
    assert_eq!(found("openai-responses", items), [] as [&str; 0], "the reasoning item led to the call item after it");
}

#[test]
fn first_and_last_messages_follow_the_format() {
    let answer: &[(Role, &[Part])] = &[(A, &[text("hi")]), (U, &[text("go")]), (A, &[text("ok")])];
    let request = |name: &str, rows: &[(Role, &[Part])]| list(&validate(&history(name, rows), wire(name), Phase::Request));
    assert_eq!(request("anthropic", answer), ["AN-2 E 0", "AN-3 E 2"]);
    assert_eq!(found("anthropic", answer), ["AN-2 E 0"], "a stored history may end with an answer");
    assert_eq!(request("gemini", answer), ["GE-3 S 0", "GE-8 E 2"]);
    assert_eq!(request("openai-chat", answer), [] as [&str; 0]);
    let calling: &[(Role, &[Part])] = &[(A, &[call("x")]), (T, &[result("x")])];
    assert_eq!(request("gemini", calling), ["GE-3 E 0"]);
    let compacted: &[(Role, &[Part])] = &[(A, &[part(PartKind::Compaction, "", "", "so far")]), (U, &[text("go")])];
    assert_eq!(request("anthropic", compacted), [] as [&str; 0], "a compaction block may stand first");
    let signed = || flagged(part(PartKind::Compaction, "", "", "so far"), Flags::SIGNED);
    assert_eq!(request("anthropic", &[(A, &[signed()]), (U, &[text("go")])]), [] as [&str; 0], "one that was asked for has to");
    let late: &[(Role, &[Part])] = &[(U, &[text("go")]), (A, &[signed(), text("ok"), signed()]), (U, &[text("on")])];
    assert_eq!(request("anthropic", late), ["AN-42 E 1", "AN-42 E 1"]);
    let own: &[(Role, &[Part])] = &[(U, &[text("go")]), (A, &[part(PartKind::Compaction, "", "", "so far"), text("ok")]), (U, &[text("on")])];
    assert_eq!(request("anthropic", own), [] as [&str; 0], "one the server made by itself stands in its answer");
    let trailing: &[(Role, &[Part])] = &[(U, &[text("go")]), (A, &[flagged(text("so "), Flags::TRAILING)])];
    assert_eq!(request("anthropic", trailing), ["AN-3 E 1", "AN-12 E 1"]);
}

#[test]
fn system_text_has_its_place() {
    let rows: &[(Role, &[Part])] = &[(S, &[text("be brief")]), (U, &[text("go")]), (A, &[text("ok")]), (S, &[text("now in French")]), (U, &[text("more")])];
    assert_eq!(found("ai-sdk", rows), ["AM-3 S 0", "AM-3 E 3"]);
    assert_eq!(found("anthropic", rows), ["AN-4 E 0", "AN-4 S 3", "AN-4 E 3"]);
    assert_eq!(found("gemini", rows), ["GE-9 E 0", "GE-9 E 3"]);
    assert_eq!(found("openai-chat", rows), [] as [&str; 0]);
    assert_eq!(found("openai-responses", rows), [] as [&str; 0]);
}

#[test]
fn thinking_of_the_running_turn_needs_its_signature() {
    let rows: &[(Role, &[Part])] =
        &[(U, &[text("one")]), (A, &[think(false), text("ok")]), (U, &[text("two")]), (A, &[think(false), call("x")]), (T, &[result("x")])];
    assert_eq!(found("anthropic", rows), ["AN-20 E 3"], "a turn that is over may come without");
    assert_eq!(found("ai-sdk", rows), [] as [&str; 0]);
    let cached: &[(Role, &[Part])] = &[(U, &[text("one")]), (A, &[flagged(think(true), Flags::CACHED), text("ok")])];
    assert_eq!(found("anthropic", cached), ["AN-25 E 1"]);
}

#[test]
fn gemini_signatures_sit_on_the_first_call_of_each_step_of_the_running_turn() {
    let signed = || flagged(call("s"), Flags::SIGNED);
    let rows: &[(Role, &[Part])] = &[(U, &[text("go")]), (A, &[signed(), call("y")]), (T, &[result("s"), result("y")]), (A, &[call("z")]), (T, &[result("z")])];
    assert_eq!(found("gemini", rows), ["GE-4 E 3"]);
    let unsigned: &[(Role, &[Part])] = &[(U, &[text("go")]), (A, &[call("y")]), (T, &[result("y")])];
    assert_eq!(found("gemini", unsigned), [] as [&str; 0], "older models sign nothing");
}

#[test]
fn an_item_id_without_its_reasoning_is_told_where_the_history_reasons() {
    let id = |p: Part| flagged(p, Flags::ITEM_ID);
    let rows: &[(Role, &[Part])] = &[
        (U, &[text("go")]),
        (A, &[id(think(true))]),
        (A, &[id(call("x"))]),
        (T, &[result("x")]),
        (A, &[id(call("y"))]),
        (T, &[result("y")]),
        (A, &[text("ok")]),
    ];
    assert_eq!(found("openai-responses", rows), ["OR-3 S 4"]);
    let plain: &[(Role, &[Part])] = &[(U, &[text("go")]), (A, &[id(call("y"))]), (T, &[result("y")])];
    assert_eq!(found("openai-responses", plain), [] as [&str; 0], "models that do not reason have ids, too");
}

#[test]
fn approvals_need_their_other_half() {
    let request = |id: &str, call: &str| part(PartKind::ApprovalRequest, id, call, "");
    let response = |id: &str| part(PartKind::ApprovalResponse, id, "", "");
    let rows: &[(Role, &[Part])] = &[(U, &[text("go")]), (A, &[text("a"), request("p1", "gone")]), (T, &[response("p2")]), (A, &[text("ok")])];
    assert_eq!(found("ai-sdk", rows), ["AM-14 E 1", "AM-14 E 2"]);
    let (after, did) = healed("ai-sdk", rows);
    assert_eq!((shape(&after).join(" | "), did), ("user: text | assistant: text | assistant: text".into(), vec!["AM-14 1".into(), "AM-14 2".into()]));
    let whole: &[(Role, &[Part])] = &[(U, &[text("go")]), (A, &[call("t1"), request("p1", "t1")]), (T, &[response("p1"), result("t1")]), (A, &[text("ok")])];
    assert_eq!(found("ai-sdk", whole), [] as [&str; 0]);
}

#[test]
fn the_providers_own_calls_and_results_belong_together() {
    let own = |p: Part| flagged(p, Flags::PROVIDER);
    let dead: &[(Role, &[Part])] = &[(U, &[text("go")]), (A, &[think(true), own(call("s")), text("well")]), (U, &[text("next")]), (A, &[text("ok")])];
    for (name, rule) in [("anthropic", "AN-9 E"), ("openai-chat", "OC-10 E"), ("gemini", "GE-2 E"), ("ai-sdk", "OC-10 S")] {
        assert!(found(name, dead).contains(&format!("{rule} 1")), "{name}");
    }
    assert_eq!(shape(&healed("anthropic", dead).0)[1], "assistant: text", "its reasoning goes with it");
    assert_eq!(shape(&healed("ai-sdk", dead).0)[1], "assistant: reasoning, call s, text", "the SDK minds nothing");
    let orphan: &[(Role, &[Part])] = &[(U, &[text("go")]), (A, &[own(result("s")), text("well")]), (U, &[text("next")])];
    assert_eq!(found("anthropic", orphan), ["AN-9 E 1"]);
    assert_eq!(shape(&healed("anthropic", orphan).0)[1], "assistant: text");
    let mut t = history("anthropic", &[(U, &[text("go")]), (A, &[call("x")]), (T, &[result("x")])]);
    t.set_caller(Caller { row: 1, part: 0, caller: "srvtoolu_1".into() });
    assert_eq!(list(&validate(&t, wire("anthropic"), Phase::Request)), ["AM-13 E 1"]);
}

#[test]
fn misplaced_malformed_and_oversized_things_are_named_and_left_alone() {
    let rows: &[(Role, &[Part])] = &[
        (U, &[text("go"), call("x")]),
        (T, &[result("x"), text("?")]),
        (A, &[flagged(text("ok"), Flags::MALFORMED)]),
        (U, &[flagged(text("z"), Flags::UNSERIALISABLE)]),
    ];
    assert_eq!(found("ai-sdk", rows), ["AM-2 E 0", "AM-2 E 1", "AM-2 E 2", "AM-16 S 3"]);
    assert_eq!(healed("ai-sdk", rows).1, [] as [&str; 0]);
    let mut image = result("x");
    image.media_tokens = 1_600;
    assert_eq!(found("openai-chat", &[(U, &[text("go")]), (A, &[call("x")]), (T, &[image]), (A, &[text("ok")])]), ["OC-3 E 2"]);
    let cached = || flagged(text("t"), Flags::CACHED);
    assert_eq!(found("anthropic", &[(U, &[cached(), cached(), cached(), cached(), cached()])]), ["AN-cache E 0"]);
    let other = part(PartKind::Result, "x", "write", "out");
    assert_eq!(found("gemini", &[(U, &[text("go")]), (A, &[call("x")]), (T, &[other]), (A, &[text("ok")])]), ["GE-2 E 2"]);
}

#[test]
fn a_finding_says_what_and_why_without_transcript_text() {
    let rows: &[(Role, &[Part])] = &[(U, &[text("the secret word")]), (A, &[call("d1")]), (U, &[text("hello?")])];
    let findings = validate(&history("anthropic", rows), wire("anthropic"), Phase::Stored);
    assert_eq!(findings[0].detail, "call `d1` in message 1 has no result: the API finds a tool_use without its tool_result right after it");
    assert!(findings[0].repairable);
    assert_eq!(
        by_name("antropic").expect_err("no such format").message,
        "`format` must be one of ai-sdk, ai-sdk-ui, anthropic, openai-chat, openai-responses, gemini"
    );
}

#[test]
fn many_rounds_between_a_call_and_its_result_are_kept_apart_at_once() {
    // As servers do that number calls anew in every round: one result was lost, and one stands behind the last round.
    let mut rows: Vec<(Role, Vec<Part>)> = vec![(U, vec![text("go")]), (A, vec![call("c0"), call("c1")]), (T, vec![result("c1")])];
    for _ in 0..12 {
        rows.extend([(A, vec![call("c0")]), (T, vec![result("c0")])]);
    }
    rows.extend([(T, vec![result("c0")]), (A, vec![text("done")]), (U, vec![text("on")])]);
    let rows: Vec<(Role, &[Part])> = rows.iter().map(|(r, p)| (*r, p.as_slice())).collect();
    let (after, repaired) = healed("ai-sdk", &rows);
    assert_eq!(repaired.iter().filter(|r| r.starts_with("AM-6")).count(), 12);
    assert_eq!(shape(&after)[3..5], ["assistant: call c0_2", "tool: result c0_2"]);
}

#[test]
fn a_call_that_was_never_answered_costs_later_ones_no_id() {
    let rows: &[(Role, &[Part])] =
        &[(U, &[text("go")]), (A, &[call("c0")]), (U, &[text("stop")]), (A, &[call("c0")]), (T, &[result("c0")]), (A, &[text("ok")]), (U, &[text("on")])];
    for (name, rule) in [("ai-sdk", "AM-4"), ("openai-chat", "OC-5")] {
        assert_eq!(found(name, rows), [format!("{rule} E 1")], "{name}");
        assert_eq!(shape(&healed(name, rows).0)[4..6], ["assistant: call c0", "tool: result c0"], "{name}");
    }
}
