//! Valid histories draw no complaint, and cuts keep them valid.

use gentle_cascade::core::config::ReasoningBinding;
use gentle_cascade::core::cut::{self, Options, RuleSet};
use gentle_cascade::core::transcript::{PartKind, Role, Transcript};
use gentle_cascade::formats::{Level, Phase, validate};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::cases;
use crate::history::{errors, head, rows, script, transcript, wire};

fn valid_is_clean(format: &str) {
    let wire = wire(format);
    TestRunner::new(cases())
        .run(&script(), |script| {
            let t = transcript(&rows(&script, wire), wire);
            let complaints: Vec<_> = validate(&t, wire, Phase::Stored).into_iter().filter(|f| matches!(f.level, Level::E | Level::D)).collect();
            prop_assert_eq!(complaints, vec![]);
            Ok(())
        })
        .unwrap();
}

crate::for_every_format!(valid_is_clean:
    valid_ai_sdk = "ai-sdk", valid_ai_sdk_ui = "ai-sdk-ui", valid_anthropic = "anthropic",
    valid_openai_chat = "openai-chat", valid_openai_responses = "openai-responses", valid_gemini = "gemini");

/// Closed rounds at or behind a row, counted without the index's help.
fn closed_rounds_from(t: &Transcript, from: usize) -> usize {
    t.index().rounds().iter().filter(|r| r.start >= from && r.is_closed()).count()
}

fn cuts_keep_it_valid(format: &str) {
    let wire = wire(format);
    let knobs = (
        0usize..10,
        0usize..4,
        prop_oneof![Just(u32::MAX), 0u32..400],
        prop_oneof![Just(ReasoningBinding::None), Just(ReasoningBinding::Turn), Just(ReasoningBinding::Prefix)],
    );
    TestRunner::new(cases())
        .run(&(script(), knobs), |(script, (keep_recent, keep_rounds, tail_tokens, binding))| {
            let rows = rows(&script, wire);
            let t = transcript(&rows, wire);
            let plan = cut::plan(&t, wire.profile.cuts, &Options { keep_recent, keep_rounds, tail_tokens, binding, ..Options::default() });
            let all = cut::plan(&t, RuleSet::ALL, &Options::default());
            for at in 0..=rows.len() {
                prop_assert_eq!(plan.is_legal(at), plan.why(&t, at).is_empty(), "a rule for every illegal position, none for a legal one");
                prop_assert!(!plan.is_legal(at) || all.is_legal(at), "knobs only take away");
                prop_assert!(plan.why(&t, at).iter().all(|i| !i.why.is_empty() && i.at == at));
            }
            let listed: Vec<usize> = plan.illegal(&t).into_iter().map(|i| i.at).collect();
            prop_assert!((0..=rows.len()).all(|at| listed.contains(&at) != plan.is_legal(at)));
            for at in all.legal() {
                prop_assert_eq!(rows[at].role, Role::Assistant, "cuts stand before an assistant row");
                let kept: Vec<_> = rows[..all.leading].iter().cloned().chain([head()]).chain(rows[at..].iter().cloned()).collect();
                prop_assert_eq!(errors(&kept, wire), vec![], "cut at {}", at);
                // Nothing unread and nothing that waits is folded.
                prop_assert!(
                    rows[..at].iter().flat_map(|r| &r.parts).filter(|p| p.kind == PartKind::Call).count()
                        == t.index().calls().iter().filter(|c| c.row < at).count()
                );
                prop_assert!(t.index().calls().iter().filter(|c| c.row < at && !c.by_provider).all(|c| c.result.is_some_and(|r| r.0 < at)));
            }
            if let Some(safe) = plan.safe {
                prop_assert!(plan.is_legal(safe) && plan.legal().all(|l| l <= safe));
                if plan.tail_over_budget.is_none() {
                    prop_assert!(rows.len() - safe >= keep_recent);
                    prop_assert!(closed_rounds_from(&t, safe) >= keep_rounds);
                } else {
                    prop_assert!(keep_rounds == 0 || closed_rounds_from(&t, safe) >= 1);
                }
            }
            let snapped: Vec<usize> = (0..=rows.len()).map(|at| cut::snap(&t, at)).collect();
            prop_assert!(snapped.iter().enumerate().all(|(at, s)| *s <= at && cut::snap(&t, *s) == *s));
            Ok(())
        })
        .unwrap();
}

crate::for_every_format!(cuts_keep_it_valid:
    cuts_ai_sdk = "ai-sdk", cuts_ai_sdk_ui = "ai-sdk-ui", cuts_anthropic = "anthropic",
    cuts_openai_chat = "openai-chat", cuts_openai_responses = "openai-responses", cuts_gemini = "gemini");
