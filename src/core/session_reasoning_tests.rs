//! Reasoning that is bound to what an edit changes: postponed, stripped whole, or left alone.

use super::assemble::{self, Step};
use super::config::{Config, Counter, ReasoningBinding, ReasoningOnEdit};
use super::ladder;
use super::measure::thresholds::{Model, WindowSource};
use super::reasoning::{Decision, Stripped, policy};
use super::relieve::evict::{Declined, Keeping};
use super::session::Session;
use super::state::State;
use super::transcript::made::{call, flagged, part, text, transcript};
use super::transcript::{Flags, Part, PartKind, Role, Row};

fn think() -> Part {
    flagged(part(PartKind::Reasoning, "", "", "a long thought"), Flags::SIGNED)
}

fn big(id: &str) -> Part {
    part(PartKind::Result, id, "", &"x".repeat(4_000))
}

/// A closed turn of two reasoning steps, then a running one; `reasons` says whether that one reasons.
fn rows(reasons: bool) -> Vec<(Role, Vec<Part>)> {
    let step = |id: &str, reasons: bool| {
        vec![(Role::Assistant, [reasons.then(think), Some(flagged(call(id), Flags::ITEM_ID))].into_iter().flatten().collect()), (Role::Tool, vec![big(id)])]
    };
    let mut rows = vec![(Role::User, vec![text("one")])];
    rows.extend(step("a", true));
    rows.extend(step("b", true));
    rows.push((Role::Assistant, vec![think(), text("done")]));
    rows.push((Role::User, vec![text("two")]));
    rows.extend(step("c", reasons));
    rows.extend(step("d", reasons));
    rows
}

fn session(binding: ReasoningBinding, reasons: bool, state: Option<State>) -> Session {
    let mut config = Config::default();
    config.estimate.counter = Counter::Chars4;
    config.reasoning_binding = Some(binding);
    config.eviction.keep_recent_rounds = 0;
    config.eviction.clear_at_least = 100;
    let model = Model { id: "m".into(), provider: None, window: 5_000, source: WindowSource::Host, max_output: Some(0) };
    let mut session = Session::new(model, config, state);
    for (at, (role, parts)) in rows(reasons).into_iter().enumerate() {
        session.put_row(at, Row::new(role, Some(at as u64 + 10), parts));
    }
    session.take_rows().expect("positions increase");
    session
}

fn evict(session: &mut Session) -> Result<Vec<usize>, Declined> {
    let plan = ladder::plan_evict(session, Keeping::Store).expect("over the threshold")?;
    let at = plan.victims.iter().map(|v| v.at.0).collect();
    ladder::apply_evict(session, &plan.victims.into_iter().map(|v| (v, false)).collect::<Vec<_>>());
    Ok(at)
}

#[test]
fn the_policy_knows_three_bindings() {
    let t = transcript(rows(true));
    let strip = |row: usize| Stripped { row, cut: vec![0], unname: vec![1] };
    for from in [0, 2, 8] {
        assert_eq!(policy(&t, ReasoningBinding::None, ReasoningOnEdit::Strip, from), Decision::Free);
    }
    assert_eq!(policy(&t, ReasoningBinding::Turn, ReasoningOnEdit::Strip, 2), Decision::Free, "only the running turn is bound");
    assert_eq!(policy(&t, ReasoningBinding::Turn, ReasoningOnEdit::Strip, 8), Decision::Postpone);
    assert_eq!(policy(&t, ReasoningBinding::Turn, ReasoningOnEdit::ProviderDrop, 8), Decision::ProviderDrops);
    assert_eq!(policy(&t, ReasoningBinding::Prefix, ReasoningOnEdit::Strip, 2), Decision::Postpone, "the running turn reasons");
    let t = transcript(rows(false));
    assert_eq!(
        policy(&t, ReasoningBinding::Prefix, ReasoningOnEdit::Strip, 2),
        Decision::Strip(vec![strip(3), Stripped { row: 5, cut: vec![0], unname: vec![] }])
    );
    assert_eq!(policy(&t, ReasoningBinding::Prefix, ReasoningOnEdit::ProviderDrop, 2), Decision::ProviderDrops);
    assert_eq!(policy(&t, ReasoningBinding::Prefix, ReasoningOnEdit::Strip, 6), Decision::Free, "nothing reasons after it");
    assert_eq!(policy(&t, ReasoningBinding::Prefix, ReasoningOnEdit::Postpone, 2), Decision::Postpone, "closed reasoning stays, too");
    assert_eq!(policy(&t, ReasoningBinding::Prefix, ReasoningOnEdit::Postpone, 6), Decision::Free);
}

#[test]
fn an_edit_that_would_break_the_running_turns_reasoning_waits_for_the_next_turn() {
    let mut bound = session(ReasoningBinding::Prefix, true, None);
    assert_eq!(evict(&mut bound), Err(Declined::ReasoningBound));
    assert!(bound.state.entries.is_empty());
    let mut turn = session(ReasoningBinding::Turn, true, None);
    assert_eq!(evict(&mut turn), Ok(vec![2, 4]), "closed turns may be edited");
    assert!(turn.state.stripped.is_empty());
}

#[test]
fn reasoning_of_closed_turns_leaves_whole_with_the_edit_and_stays_out_after_a_restart() {
    let mut first = session(ReasoningBinding::Prefix, false, None);
    assert_eq!(evict(&mut first), Ok(vec![2, 4, 8]));
    // Row 1 reasons before the first edit and keeps its thought; rows 3 and 5 lose theirs.
    assert_eq!(first.state.stripped.iter().copied().collect::<Vec<_>>(), [13, 15]);
    let edits = |s: &Session| -> Vec<(usize, Vec<usize>, Vec<usize>)> {
        let steps = assemble::recipe(s).expect("every row is accounted for");
        steps
            .into_iter()
            .filter_map(|step| match step {
                Step::Edit { row, cut, unname, .. } if !cut.is_empty() => Some((row, cut, unname)),
                _ => None,
            })
            .collect()
    };
    assert_eq!(edits(&first), [(3, vec![0], vec![1]), (5, vec![0], vec![])]);
    let again = session(ReasoningBinding::Prefix, false, Some(first.state.clone()));
    assert_eq!(edits(&again), edits(&first));
    assert_eq!(again.measured(usize::MAX), first.measured(usize::MAX));
    // The provider drops what no longer fits: the same edit, with every reasoning in its place. Or what would break some waits.
    let choose = |choice| {
        let mut chosen = session(ReasoningBinding::Prefix, false, None);
        chosen.config.reasoning_on_edit = choice;
        (evict(&mut chosen), chosen.state.stripped.len())
    };
    assert_eq!(choose(ReasoningOnEdit::ProviderDrop), (Ok(vec![2, 4, 8]), 0));
    assert_eq!(choose(ReasoningOnEdit::Postpone), (Ok(vec![8]), 0), "nothing reasons after row 5");
    // Nothing binds: nothing leaves.
    let mut free = session(ReasoningBinding::None, false, None);
    assert!(evict(&mut free).is_ok() && free.state.stripped.is_empty());
}

#[test]
fn a_step_of_nothing_but_reasoning_leaves_the_view_and_the_ledger_says_so() {
    let mut config = Config::default();
    config.estimate.counter = Counter::Chars4;
    config.reasoning_binding = Some(ReasoningBinding::Prefix);
    let model = Model { id: "m".into(), provider: None, window: 5_000, source: WindowSource::Host, max_output: Some(0) };
    let mut session = Session::new(model, config, None);
    session.set_profile(crate::core::profile::Profile { items: true, ..Default::default() });
    let items = [
        (Role::User, text("go")),
        (Role::Assistant, call("a")),
        (Role::Tool, big("a")),
        (Role::Assistant, think()),
        (Role::Assistant, flagged(text("done"), Flags::ITEM_ID)),
        (Role::User, text("more")),
    ];
    for (at, (role, part)) in items.into_iter().enumerate() {
        session.put_row(at, Row::new(role, Some(at as u64), vec![part]));
    }
    session.take_rows().expect("positions increase");
    assert_eq!(session.strip_reasoning(2), 2, "the thought, and the id of the item it led to");
    let steps = assemble::recipe(&session).expect("every row is accounted for");
    assert!(steps.contains(&Step::Drop { from: 3, to: 4 }));
    assert!(steps.contains(&Step::Edit { row: 4, set: vec![], cut: vec![], unname: vec![0], append: vec![] }));
    assert_eq!(assemble::ledger(&session)[3].state, crate::core::ledger::RowState::Elided);
}
