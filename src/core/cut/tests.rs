//! Hand-worked cuts: the acceptance examples, then each rule alone.

use super::*;
use crate::core::config::ReasoningBinding;
use crate::core::transcript::made::{call, conversation, flagged, part, result, text, transcript};
use crate::core::transcript::{Caller, Flags, Part, PartKind, Role, Transcript};

fn keep(rounds: usize, recent: usize) -> Options<'static> {
    Options { keep_rounds: rounds, keep_recent: recent, ..Options::default() }
}

fn plain(t: &Transcript) -> CutPlan {
    plan(t, RuleSet::ALL, &Options::default())
}

fn rules_at(t: &Transcript, at: usize) -> Vec<Rule> {
    plain(t).why(t, at).into_iter().map(|i| i.rule).collect()
}

#[test]
fn cu_1_the_safe_cut_keeps_the_rounds_and_the_messages_whichever_is_more() {
    let t = conversation("u at at at a");
    assert_eq!(t.len(), 8);
    let safe = |rounds, recent| plan(&t, RuleSet::ALL, &keep(rounds, recent)).safe;
    assert_eq!(safe(2, 0), Some(5));
    assert_eq!(safe(1, 0), Some(7));
    assert_eq!(safe(3, 0), Some(3));
    assert_eq!(safe(5, 0), None);
    let by_recent = plan(&t, RuleSet::ALL, &keep(2, 4));
    assert_eq!((by_recent.safe, by_recent.kept_by), (Some(3), KeptBy::KeepRecent));
    assert_eq!(plan(&t, RuleSet::ALL, &keep(2, 0)).kept_by, KeptBy::KeepRounds);
    assert_eq!(safe(2, 8), None, "the defaults keep all eight messages");
}

#[test]
fn cu_2_a_cut_inside_a_batch_names_the_pairs_and_the_batch() {
    let t = transcript(vec![
        (Role::User, vec![text("go")]),
        (Role::Assistant, vec![call("x"), call("y")]),
        (Role::Tool, vec![result("x")]),
        (Role::Tool, vec![result("y")]),
        (Role::Assistant, vec![text("both read")]),
    ]);
    let cuts = plain(&t);
    assert_eq!(cuts.legal().collect::<Vec<_>>(), [1, 4]);
    assert_eq!((cuts.next_up(1), cuts.next_down(4), cuts.next_up(2), cuts.next_down(3)), (Some(4), Some(1), Some(4), Some(1)));
    let two = cuts.why(&t, 2);
    assert_eq!(two.iter().map(|i| i.rule).collect::<Vec<_>>(), [Rule::Pair, Rule::Boundary]);
    assert!(two[0].why.contains("`x` and `y`"), "{}", two[0].why);
    let three = cuts.why(&t, 3);
    assert_eq!(three.iter().map(|i| i.rule).collect::<Vec<_>>(), [Rule::Pair, Rule::Batch, Rule::Boundary]);
    assert!(three[0].why.contains("`y`") && !three[0].why.contains("`x`"), "{}", three[0].why);
    assert!(three[1].why.contains("row 1"), "{}", three[1].why);
    assert!(cuts.why(&t, 1).is_empty());
    // The list for a panel says the same as asking one by one.
    let listed = cuts.illegal(&t);
    let asked: Vec<_> = (0..=t.len()).flat_map(|at| cuts.why(&t, at)).collect();
    assert_eq!(listed, asked);
}

#[test]
fn cu_2_ids_that_repeat_in_every_round_pair_by_occurrence() {
    let mut rows = vec![(Role::User, vec![text("go")])];
    for _ in 0..4 {
        rows.push((Role::Assistant, vec![call("call_0")]));
        rows.push((Role::Tool, vec![result("call_0")]));
    }
    let t = transcript(rows);
    assert!(t.index().strays().is_empty());
    assert_eq!(plain(&t).legal().collect::<Vec<_>>(), [1, 3, 5, 7]);
}

#[test]
fn a_second_result_keeps_its_call_too() {
    let t = transcript(vec![
        (Role::User, vec![text("go")]),
        (Role::Assistant, vec![call("x")]),
        (Role::Tool, vec![result("x")]),
        (Role::Assistant, vec![text("hm")]),
        (Role::Tool, vec![result("x")]),
        (Role::Assistant, vec![text("ok")]),
    ]);
    assert_eq!(plain(&t).legal().collect::<Vec<_>>(), [1, 5]);
    assert_eq!(rules_at(&t, 3), [Rule::Pair]);
}

#[test]
fn an_approval_is_one_atom_with_its_call_its_answer_and_its_result() {
    let t = transcript(vec![
        (Role::User, vec![text("delete it")]),
        (Role::Assistant, vec![call("t1"), part(PartKind::ApprovalRequest, "p1", "t1", "")]),
        (Role::Assistant, vec![text("waiting for you")]),
        (Role::Tool, vec![part(PartKind::ApprovalResponse, "p1", "", "")]),
        (Role::Assistant, vec![text("thanks")]),
        (Role::Tool, vec![result("t1")]),
        (Role::Assistant, vec![text("gone")]),
    ]);
    assert_eq!(plain(&t).legal().collect::<Vec<_>>(), [1, 6]);
    // The answer holds no tool name and no call id: found by the question it names.
    assert_eq!(rules_at(&t, 2), [Rule::Pair, Rule::Approval]);
    assert!(plain(&t).why(&t, 2)[1].why.contains("`p1`"));
}

#[test]
fn an_open_round_and_unread_rows_stay() {
    let t = transcript(vec![
        (Role::User, vec![text("go")]),
        (Role::Assistant, vec![text("on it")]),
        (Role::Assistant, vec![call("x"), call("y")]),
        (Role::Tool, vec![result("x")]),
        (Role::User, vec![text("and this")]),
    ]);
    assert_eq!(plain(&t).legal().collect::<Vec<_>>(), [1, 2]);
    assert_eq!(rules_at(&t, 4), [Rule::OpenRound, Rule::Unread, Rule::Boundary]);
    assert!(plain(&t).why(&t, 4)[0].why.contains("`y`"), "the call that waits is named");
    assert!(plain(&t).why(&t, 5)[1].why.contains("row 3"));
    // An open round is kept besides: one closed round means the text-only one before it.
    assert_eq!(plan(&t, RuleSet::ALL, &keep(1, 0)).safe, Some(1));
}

#[test]
fn a_provider_call_waits_for_its_late_result_while_its_turn_runs() {
    let search = || flagged(call("srv"), Flags::PROVIDER);
    let rows = |last: Vec<(Role, Vec<Part>)>| {
        let mut rows = vec![
            (Role::User, vec![text("go")]),
            (Role::Assistant, vec![search()]),
            (Role::Assistant, vec![text("meanwhile")]),
            (Role::Assistant, vec![text("still")]),
        ];
        rows.extend(last);
        transcript(rows)
    };
    let late = rows(vec![(Role::Assistant, vec![flagged(result("srv"), Flags::PROVIDER)]), (Role::Assistant, vec![text("found")])]);
    assert_eq!(plain(&late).legal().collect::<Vec<_>>(), [1, 5]);
    assert_eq!(rules_at(&late, 3), [Rule::LateResult]);
    assert_eq!(plain(&rows(vec![])).legal().collect::<Vec<_>>(), [1], "it may still come");
    let gone = rows(vec![(Role::User, vec![text("next")]), (Role::Assistant, vec![text("yes")])]);
    assert_eq!(plain(&gone).legal().collect::<Vec<_>>(), [1, 2, 3, 5], "its turn is over");
}

#[test]
fn a_call_made_by_code_keeps_the_call_that_runs_the_code() {
    let mut t = transcript(vec![
        (Role::User, vec![text("go")]),
        (Role::Assistant, vec![flagged(call("srvtoolu_1"), Flags::PROVIDER), flagged(result("srvtoolu_1"), Flags::PROVIDER)]),
        (Role::Assistant, vec![call("toolu_1")]),
        (Role::Tool, vec![result("toolu_1")]),
        (Role::Assistant, vec![text("done")]),
    ]);
    assert_eq!(plain(&t).legal().collect::<Vec<_>>(), [1, 2, 4]);
    t.set_caller(Caller { row: 2, part: 0, caller: "srvtoolu_1".into() });
    assert_eq!(plain(&t).legal().collect::<Vec<_>>(), [1, 4]);
    assert_eq!(rules_at(&t, 2), [Rule::Caller]);
}

#[test]
fn d_47_a_compaction_with_content_is_a_boundary_and_a_failed_one_is_nothing() {
    let with = |item: Part| {
        transcript(vec![
            (Role::User, vec![text("go")]),
            (Role::Assistant, vec![text("one")]),
            (Role::Assistant, vec![item, text("two")]),
            (Role::User, vec![text("on")]),
            (Role::Assistant, vec![text("three")]),
        ])
    };
    let legal = |item: Part| plain(&with(item)).legal().collect::<Vec<_>>();
    assert_eq!(legal(part(PartKind::Compaction, "", "", "")), [1, 2, 4], "null content: the provider did not compact");
    assert_eq!(legal(part(PartKind::Compaction, "", "", "what happened")), [4], "before it the provider already cut");
    assert_eq!(legal(flagged(part(PartKind::Compaction, "", "", ""), Flags::SEALED)), [] as [usize; 0], "nobody can summarise what is encrypted");
    let t = with(part(PartKind::Compaction, "", "", "what happened"));
    assert_eq!(rules_at(&t, 2), [Rule::Compaction]);
}

#[test]
fn pins_tails_and_system_rows_in_front_forbid_what_they_say() {
    let mut rows = vec![(Role::System, vec![text("be brief")])];
    rows.extend(conversation("u at at a").rows().iter().map(|r| (r.role, r.parts.clone())));
    let t = transcript(rows);
    assert_eq!(plain(&t).legal().collect::<Vec<_>>(), [2, 4, 6]);
    let pinned = plan(&t, RuleSet::ALL, &Options { pinned: &[3], ..Options::default() });
    assert_eq!(pinned.legal().collect::<Vec<_>>(), [2]);
    assert!(pinned.why(&t, 4).iter().any(|i| i.rule == Rule::Pinned && i.why.contains("row 3")));
    let tail = plan(&t, RuleSet::ALL, &keep(0, 4));
    assert_eq!((tail.safe, tail.legal().collect::<Vec<_>>()), (Some(2), vec![2]));
    assert!(tail.why(&t, 4).iter().any(|i| i.rule == Rule::Tail && i.why.contains("newest 4 rows")));
    // An assistant row in front: nothing but system rows before it.
    let bare = transcript(vec![(Role::System, vec![text("s")]), (Role::Assistant, vec![text("hi")]), (Role::Assistant, vec![text("ho")])]);
    assert_eq!(rules_at(&bare, 1), [Rule::Leading]);
}

#[test]
fn a_tail_over_its_token_bound_shrinks_to_one_closed_round_and_says_so() {
    let heavy = "x".repeat(4_000);
    let mut rows = vec![(Role::User, vec![text("go")])];
    for i in 0..4 {
        rows.push((Role::Assistant, vec![call(&format!("c{i}"))]));
        rows.push((Role::Tool, vec![part(PartKind::Result, &format!("c{i}"), "", &heavy)]));
    }
    rows.push((Role::Assistant, vec![text("done")]));
    let t = transcript(rows);
    let bound = |tail_tokens| plan(&t, RuleSet::ALL, &Options { keep_rounds: 4, tail_tokens, ..Options::default() });
    // A round weighs 1,001 tokens, the last row 1: three rounds and the text are 3,004.
    assert_eq!((bound(3_004).safe, bound(3_004).tail_over_budget), (Some(3), None));
    let shorter = bound(2_500);
    assert_eq!((shorter.safe, shorter.kept_by), (Some(5), KeptBy::TailTokens));
    assert_eq!(shorter.tail_over_budget, Some(TailOverBudget { asked: 3_004, kept: 2_003, bound: 2_500 }));
    assert_eq!(bound(0).safe, Some(9), "never less than one closed round");
    assert_eq!(bound(0).tail_over_budget.map(|o| o.kept), Some(1));
}

#[test]
fn reasoning_items_stay_with_what_they_led_to() {
    let rows = vec![
        (Role::User, vec![text("go")]),
        (Role::Assistant, vec![part(PartKind::Reasoning, "", "", "think")]),
        (Role::Assistant, vec![call("x")]),
        (Role::Assistant, vec![call("y")]),
        (Role::Tool, vec![result("x")]),
        (Role::Tool, vec![result("y")]),
        (Role::Assistant, vec![text("done")]),
    ];
    let mut t = transcript(rows);
    assert!(rules_at(&t, 2).contains(&Rule::Reasoning));
    assert!(plain(&t).is_legal(1));
    // Where messages are items, the three assistant rows are one step and its calls one batch.
    t.set_items(true);
    t.settle_index();
    assert_eq!(t.index().rounds().len(), 2);
    assert_eq!(plain(&t).legal().collect::<Vec<_>>(), [1, 6]);
    assert!(rules_at(&t, 5).contains(&Rule::Batch));
}

#[test]
fn bound_reasoning_of_the_running_turn_postpones_a_cut() {
    let think = || flagged(part(PartKind::Reasoning, "", "", "think"), Flags::SIGNED);
    let running = transcript(vec![
        (Role::User, vec![text("one")]),
        (Role::Assistant, vec![think(), text("done")]),
        (Role::User, vec![text("two")]),
        (Role::Assistant, vec![think(), call("x")]),
        (Role::Tool, vec![result("x")]),
        (Role::Assistant, vec![call("y")]),
        (Role::Tool, vec![result("y")]),
    ]);
    let legal =
        |t: &Transcript, binding, provider_drops| plan(t, RuleSet::ALL, &Options { binding, provider_drops, ..Options::default() }).legal().collect::<Vec<_>>();
    assert_eq!(legal(&running, ReasoningBinding::None, false), [1, 3, 5]);
    assert_eq!(legal(&running, ReasoningBinding::Turn, false), [1], "inside the running turn nothing moves");
    assert_eq!(legal(&running, ReasoningBinding::Prefix, false), [] as [usize; 0]);
    assert_eq!(legal(&running, ReasoningBinding::Prefix, true), [1, 3, 5], "the provider drops what no longer fits");
    let mut rows: Vec<_> = running.rows().iter().map(|r| (r.role, r.parts.clone())).collect();
    rows.push((Role::Assistant, vec![text("end")]));
    rows.push((Role::User, vec![text("three")]));
    assert_eq!(legal(&transcript(rows), ReasoningBinding::Prefix, false), [1, 3, 5, 7], "a new turn lifts it");
}

#[test]
fn d_57_a_stored_boundary_inside_a_round_moves_back_to_its_first_row() {
    let t = conversation("u at at a");
    assert_eq!((0..=t.len()).map(|at| snap(&t, at)).collect::<Vec<_>>(), [0, 1, 1, 3, 3, 5, 6]);
    // A user row is a place for a stored boundary, though not for a new cut.
    let two = conversation("u a u a");
    assert_eq!(snap(&two, 2), 2);
}

#[test]
fn ten_thousand_rows_are_judged_in_linear_time_with_the_same_answer() {
    let mut shape = String::from("u");
    shape.push_str(&"at".repeat(5_000));
    let t = conversation(&shape);
    let cuts = plain(&t);
    assert_eq!(cuts.legal().count(), 5_000);
    assert_eq!(cuts.illegal(&t).len(), cuts.illegal(&t).iter().map(|i| (i.at, i.rule)).collect::<std::collections::BTreeSet<_>>().len());
}
