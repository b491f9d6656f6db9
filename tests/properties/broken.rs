//! Damaged histories: never a panic, every repair reported, nothing repairable left, nobody's words lost.

use gentle_cascade::core::config::{ReasoningBinding, ReasoningOnEdit};
use gentle_cascade::core::cut::{self, Options, RuleSet};
use gentle_cascade::core::reasoning;
use gentle_cascade::core::transcript::{Flags, PartKind, Role, Row};
use gentle_cascade::formats::{self, Phase, Wire, laid, repair, validate};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::cases;
use crate::history::{part, rows, script, transcript, wire};

/// One thing done to a history.
#[derive(Clone, Debug)]
pub enum Damage {
    DropRow(usize),
    DropPart(usize, usize),
    RepeatRow(usize, usize),
    Swap(usize, usize),
    Rename(usize, usize, u8),
    Role(usize, u8),
    Blank(usize, usize),
    Orphan(usize, u8),
    Flag(usize, usize, u32),
    Kind(usize, usize, u8),
    Empty(usize),
    Strip(usize),
}

fn damage() -> impl Strategy<Value = Damage> {
    let at = || any::<usize>();
    prop_oneof![
        at().prop_map(Damage::DropRow),
        (at(), at()).prop_map(|(r, p)| Damage::DropPart(r, p)),
        (at(), at()).prop_map(|(r, to)| Damage::RepeatRow(r, to)),
        (at(), at()).prop_map(|(a, b)| Damage::Swap(a, b)),
        (at(), at(), any::<u8>()).prop_map(|(r, p, id)| Damage::Rename(r, p, id)),
        (at(), any::<u8>()).prop_map(|(r, role)| Damage::Role(r, role)),
        (at(), at()).prop_map(|(r, p)| Damage::Blank(r, p)),
        (at(), any::<u8>()).prop_map(|(r, id)| Damage::Orphan(r, id)),
        (at(), at(), any::<u32>()).prop_map(|(r, p, f)| Damage::Flag(r, p, f)),
        (at(), at(), any::<u8>()).prop_map(|(r, p, k)| Damage::Kind(r, p, k)),
        at().prop_map(Damage::Empty),
        at().prop_map(Damage::Strip),
    ]
}

pub fn kind(code: u8) -> PartKind {
    [
        PartKind::Text,
        PartKind::Reasoning,
        PartKind::Call,
        PartKind::Result,
        PartKind::Media,
        PartKind::ApprovalRequest,
        PartKind::ApprovalResponse,
        PartKind::Compaction,
        PartKind::Opaque,
    ][usize::from(code) % 9]
}

pub fn role(code: u8) -> Role {
    [Role::System, Role::User, Role::Assistant, Role::Tool][usize::from(code) % 4]
}

/// Does it; places are taken modulo what is there.
pub fn apply(rows: &mut Vec<Row>, damage: &Damage) {
    if rows.is_empty() {
        return;
    }
    let n = rows.len();
    let at = |i: usize| i % n;
    let place = |rows: &[Row], r: usize, p: usize| (!rows[r % n].parts.is_empty()).then(|| (r % n, p % rows[r % n].parts.len()));
    match damage {
        Damage::DropRow(r) => drop(rows.remove(at(*r))),
        Damage::DropPart(r, p) => {
            if let Some((r, p)) = place(rows, *r, *p) {
                rows[r].parts.remove(p);
            }
        }
        Damage::RepeatRow(r, to) => {
            let row = rows[at(*r)].clone();
            rows.insert(to % (n + 1), row);
        }
        Damage::Swap(a, b) => rows.swap(at(*a), at(*b)),
        Damage::Rename(r, p, id) => {
            if let Some((r, p)) = place(rows, *r, *p) {
                rows[r].parts[p].id = format!("call_{}", id % 4).as_str().into();
            }
        }
        Damage::Role(r, code) => rows[at(*r)].role = role(*code),
        Damage::Blank(r, p) => {
            if let Some((r, p)) = place(rows, *r, *p) {
                rows[r].parts[p] = part(PartKind::Text, "", "", " ", Flags::default());
            }
        }
        Damage::Orphan(r, id) => {
            rows.insert(at(*r), Row::new(Role::Tool, None, vec![part(PartKind::Result, &format!("call_{}", id % 6), "read", "out", Flags::default())]))
        }
        Damage::Flag(r, p, bits) => {
            if let Some((r, p)) = place(rows, *r, *p) {
                rows[r].parts[p].flags = Flags(*bits);
            }
        }
        Damage::Kind(r, p, code) => {
            if let Some((r, p)) = place(rows, *r, *p) {
                rows[r].parts[p].kind = kind(*code);
            }
        }
        Damage::Empty(r) => rows[at(*r)].parts.clear(),
        Damage::Strip(r) => rows[at(*r)].parts.retain(|p| p.kind == PartKind::Reasoning),
    }
}

/// What people and the model said, and what was called.
fn words(rows: &[Row]) -> Vec<(Role, u128)> {
    rows.iter()
        .filter(|r| r.role != Role::Tool)
        .flat_map(|r| r.parts.iter().filter(|p| p.kind == PartKind::Text && !p.measure.blank).map(|p| (r.role, p.measure.hash)))
        .collect()
}

/// Everything that must hold of a damaged history.
pub fn check(rows: &[Row], wire: &Wire) -> Result<(), TestCaseError> {
    let t = transcript(rows, wire);
    for phase in [Phase::Stored, Phase::Request] {
        let found = validate(&t, wire, phase);
        prop_assert!(found.iter().all(|f| f.at < rows.len().max(1) && !f.detail.is_empty()));
        prop_assert!(found.windows(2).all(|w| w[0].at <= w[1].at));
    }
    let fix = repair(&t, wire);
    let repaired = laid(&t, &fix, wire);
    let left: Vec<_> = validate(&repaired, wire, Phase::Stored).into_iter().filter(|f| f.repairable).collect();
    prop_assert_eq!(left, vec![], "what can be repaired is");
    let again = repair(&repaired, wire);
    prop_assert_eq!(again.repaired, vec![], "a second repair finds nothing");
    prop_assert_eq!(words(repaired.rows()), words(rows), "nobody's words are lost, added or moved");
    prop_assert!(
        fix.rows.iter().filter_map(|f| f.base).collect::<std::collections::BTreeSet<_>>().len() == fix.rows.iter().filter(|f| f.base.is_some()).count(),
        "no message twice"
    );
    let untouched = fix.rows.iter().filter(|f| f.parts.is_none()).count();
    prop_assert!(!fix.repaired.is_empty() || untouched == rows.len(), "what is fine stays");
    if !fix.repaired.is_empty() {
        prop_assert!(fix.repaired.iter().all(|r| !r.did.is_empty() && !r.did.contains("success")));
    }
    // Cuts of broken histories are judged, never panicked over, and still split no pair.
    for binding in [ReasoningBinding::None, ReasoningBinding::Turn, ReasoningBinding::Prefix] {
        let plan = cut::plan(&t, RuleSet::ALL, &Options { keep_recent: 2, keep_rounds: 1, binding, ..Options::default() });
        for at in plan.legal() {
            prop_assert!(t.index().calls().iter().all(|c| c.result.is_none_or(|r| (c.row < at) == (r.0 < at))));
        }
        prop_assert_eq!(plan.illegal(&t).iter().map(|i| i.at).collect::<std::collections::BTreeSet<_>>().len() + plan.legal().count(), rows.len() + 1);
        for from in [0, rows.len() / 2, rows.len()] {
            let _ = reasoning::policy(&t, binding, ReasoningOnEdit::Strip, from);
        }
    }
    let _ = cut::snap(&t, rows.len() / 2);
    Ok(())
}

fn broken_is_told_and_healed(format: &str) {
    let wire = wire(format);
    TestRunner::new(cases())
        .run(&(script(), prop::collection::vec(damage(), 1..6)), |(script, damages)| {
            let mut rows = rows(&script, wire);
            damages.iter().for_each(|d| apply(&mut rows, d));
            check(&rows, wire)
        })
        .unwrap();
}

crate::for_every_format!(broken_is_told_and_healed:
    broken_ai_sdk = "ai-sdk", broken_anthropic = "anthropic", broken_openai_chat = "openai-chat",
    broken_openai_responses = "openai-responses", broken_gemini = "gemini");

#[test]
fn no_format_panics_over_a_display_history() {
    let wire = wire("ai-sdk-ui");
    TestRunner::new(cases())
        .run(&(script(), prop::collection::vec(damage(), 1..6)), |(script, damages)| {
            let mut rows = rows(&script, wire);
            damages.iter().for_each(|d| apply(&mut rows, d));
            let t = transcript(&rows, wire);
            for phase in [Phase::Stored, Phase::Request] {
                prop_assert!(formats::validate(&t, wire, phase).iter().all(|f| f.at < rows.len().max(1)));
            }
            Ok(())
        })
        .unwrap();
}

/// A call in a tool message is never answered; it must not make every later call of its name look ambiguous.
#[test]
fn a_misplaced_call_does_not_wait_beside_the_calls_that_reuse_its_id() {
    use crate::history::{Beat, CallScript, Script, StepScript};
    let call = CallScript { by_provider: false, approved: false, size: 0 };
    let step = || Beat::Step(StepScript { reasons: false, speaks: false, calls: vec![call.clone(), call.clone()], order: 0, split: false });
    let script = Script { system: false, ids_repeat: true, beats: (0..12).map(|_| step()).collect(), open: false };
    let wire = wire("openai-chat");
    let mut history = rows(&script, wire);
    apply(&mut history, &Damage::Orphan(2, 0));
    apply(&mut history, &Damage::Kind(2, 0, 2));
    check(&history, wire).expect("everything repairable is repaired");
    assert!(repair(&transcript(&history, wire), wire).repaired.is_empty(), "ids may come back in later steps");
}
