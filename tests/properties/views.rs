//! Relief leaves a history as valid as it was: random sizes, random thresholds, several passes.

use gentle_cascade::core::assemble;
use gentle_cascade::core::config::{Config, Counter};
use gentle_cascade::core::ladder;
use gentle_cascade::core::measure::thresholds::{Model, WindowSource};
use gentle_cascade::core::relieve::evict::Keeping;
use gentle_cascade::core::session::Session;
use gentle_cascade::core::transcript::{Part, PartKind, Role, Row};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::cases;
use crate::history::{errors, rows, script, wire};

fn session(window: u32, keep_recent_rounds: u32, at_fraction: f64) -> Session {
    let mut config = Config::default();
    config.estimate.counter = Counter::Chars4;
    config.eviction.keep_recent_rounds = keep_recent_rounds;
    config.eviction.at_fraction = at_fraction;
    config.eviction.clear_at_least = 0;
    config.eviction.min_result_tokens = 0;
    let model = Model { id: "m".into(), provider: None, window, source: WindowSource::Host, max_output: Some(0) };
    Session::new(model, config, None)
}

/// The rows the view shows: stubs are text where results stood.
fn shown(session: &Session) -> Vec<Row> {
    let blank = |p: &Part| p.stand_in.is_some_and(|s| s.bytes == 0);
    session
        .transcript
        .rows()
        .iter()
        .filter(|r| !r.is_hidden())
        .map(|r| Row { parts: r.parts.iter().filter(|p| !blank(p)).cloned().collect(), ..r.clone() })
        .collect()
}

fn relief_keeps_it_valid(format: &str) {
    let wire = wire(format);
    let knobs = (50u32..2_000, 0u32..4, prop_oneof![Just(0.1), Just(0.5)], 1usize..4);
    TestRunner::new(cases())
        .run(&(script(), knobs), |(script, (window, keep_recent, at_fraction, steps))| {
            let rows = rows(&script, wire);
            let mut session = session(window, keep_recent, at_fraction);
            session.set_profile(wire.profile);
            for step in 1..=steps {
                let upto = rows.len() * step / steps;
                for (at, row) in rows.iter().enumerate().take(upto) {
                    session.put_row(at, row.clone());
                }
                session.take_rows().unwrap();
                let unread = session.transcript.first_unread();
                if let Some(Ok(plan)) = ladder::plan_evict(&mut session, Keeping::Store) {
                    let victims: Vec<_> = plan.victims.into_iter().map(|v| (v, false)).collect();
                    ladder::apply_evict(&mut session, &victims);
                }
                prop_assert!(
                    ladder::plan_evict(&mut session, Keeping::Store).is_none_or(|again| again.is_err() || again.is_ok_and(|p| p.victims.is_empty())),
                    "a second pass plans nothing"
                );
                assemble::recipe(&session).unwrap();
                let before = errors(&rows[..upto], wire);
                let after = errors(&shown(&session), wire);
                prop_assert_eq!(after, before, "relief adds no complaint");
                for (at, row) in session.transcript.rows().iter().enumerate() {
                    for part in row.parts.iter().filter(|p| p.stand_in.is_some()) {
                        prop_assert_eq!(part.kind, PartKind::Result, "only results are ever replaced");
                        prop_assert!(at < unread && row.role != Role::Assistant, "what was read, and never inside an assistant row");
                        prop_assert!(part.view_tokens() <= part.tokens());
                    }
                }
            }
            Ok(())
        })
        .unwrap();
}

crate::for_every_format!(relief_keeps_it_valid:
    relief_ai_sdk = "ai-sdk", relief_anthropic = "anthropic", relief_openai_chat = "openai-chat",
    relief_openai_responses = "openai-responses", relief_gemini = "gemini");

/// Rows that come in the middle of a step, item by item: what a pass finds is what it finds in the whole list.
#[test]
fn a_step_that_grows_item_by_item_is_relieved_like_a_whole_one() {
    use crate::history::{Beat, CallScript, Script, StepScript};
    let step = |reasons, speaks, sizes: &[u8]| {
        let calls = sizes.iter().map(|size| CallScript { by_provider: false, approved: false, size: *size }).collect();
        Beat::Step(StepScript { reasons, speaks, calls, order: 0, split: false })
    };
    let beats = vec![
        step(false, false, &[0, 0]),
        step(true, false, &[0, 0]),
        step(false, true, &[0]),
        step(true, true, &[0]),
        step(true, false, &[0, 0, 48]),
        step(true, false, &[0, 0, 48]),
        step(false, false, &[0, 0, 0]),
    ];
    let wire = wire("openai-responses");
    let rows = rows(&Script { system: false, ids_repeat: false, beats, open: false }, wire);
    for cut in 0..rows.len() {
        let mut session = session(50, 0, 0.1);
        session.set_profile(wire.profile);
        let mut plan = None;
        for upto in [cut, rows.len()] {
            rows.iter().enumerate().take(upto).for_each(|(at, row)| session.put_row(at, row.clone()));
            session.take_rows().unwrap();
            plan = ladder::plan_evict(&mut session, Keeping::Store);
        }
        let victims: Vec<_> = plan.unwrap().unwrap().victims.into_iter().map(|v| (v, false)).collect();
        assert_eq!(victims.iter().map(|(v, _)| v.at.0).collect::<Vec<_>>(), [23, 30], "after {cut} rows");
        assert_eq!(ladder::apply_evict(&mut session, &victims).results, 2);
        assert!(ladder::plan_evict(&mut session, Keeping::Store).is_none_or(|again| again.is_err()), "a second pass plans nothing");
    }
}
