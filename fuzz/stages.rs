//! Any bytes as a history, through every stage. Shared by the fuzz target and by the test that replays its corpus.
//!
//! What must hold whatever the bytes say: no panic; a second repair finds nothing; cuts split no pair; every row is
//! accounted for; no relief makes the view larger; the same blob renders the same view.

use gentle_cascade::core::assemble::{self, Step};
use gentle_cascade::core::config::{Config, Counter, ReasoningBinding};
use gentle_cascade::core::cut::{self, Options, RuleSet};
use gentle_cascade::core::ladder;
use gentle_cascade::core::measure::meter::measure;
use gentle_cascade::core::measure::thresholds::{Model, WindowSource};
use gentle_cascade::core::relieve::evict::Keeping;
use gentle_cascade::core::session::Session;
use gentle_cascade::core::transcript::{Flags, Part, PartKind, Role, Row, Transcript};
use gentle_cascade::formats::{self, Phase, WIRES, laid, repair, validate};

/// Most rows of one history; more only makes runs slow.
const MOST_ROWS: usize = 64;

struct Bytes<'a>(&'a [u8]);

impl Bytes<'_> {
    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(*first)
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> Option<T> {
        let at = usize::from(self.next()?) % from.len();
        from.get(at).copied()
    }
}

fn part(bytes: &mut Bytes<'_>) -> Option<Part> {
    let kind = bytes.pick(&[
        PartKind::Text,
        PartKind::Call,
        PartKind::Result,
        PartKind::Reasoning,
        PartKind::Media,
        PartKind::ApprovalRequest,
        PartKind::ApprovalResponse,
        PartKind::Compaction,
        PartKind::Opaque,
    ])?;
    let (low, high) = (u32::from(bytes.next()?), u32::from(bytes.next()?));
    // The rare bits only when the byte asks for them; else most histories would be malformed.
    let flags = Flags(low | if high & 0x80 != 0 { (high & 0x0f) << 16 | (high & 0x10) << 4 } else { 0 });
    let id = bytes.pick(&["", "a", "b", "c", "call:1", "a~2", "a_2"])?;
    let name = bytes.pick(&["", "a", "b", "read", "__proto__"])?;
    let text = "word ".repeat(usize::from(bytes.next()?));
    Some(Part {
        kind,
        flags,
        id: id.into(),
        name: name.into(),
        target: "".into(),
        measure: measure(Counter::Chars4, &text),
        media_tokens: u32::from(kind == PartKind::Media),
        stand_in: None,
    })
}

fn rows(bytes: &mut Bytes<'_>) -> Vec<Row> {
    let mut rows = Vec::new();
    while rows.len() < MOST_ROWS {
        let Some(role) = bytes.pick(&[Role::User, Role::Assistant, Role::Tool, Role::System]) else { break };
        let parts = (0..bytes.next().unwrap_or(0) % 5).map_while(|_| part(bytes)).collect();
        rows.push(Row::new(role, Some(rows.len() as u64), parts));
    }
    rows
}

/// Runs everything over one input.
pub fn run(data: &[u8]) {
    let mut bytes = Bytes(data);
    let (Some(wire), Some(binding), Some(window)) =
        (bytes.pick(&WIRES), bytes.pick(&[ReasoningBinding::None, ReasoningBinding::Turn, ReasoningBinding::Prefix]), bytes.next())
    else {
        return;
    };
    let mut rows = rows(&mut bytes);
    // Only one format pairs calls and results by name; in the others the flag cannot come up.
    if wire.profile.name != "gemini" {
        rows.iter_mut().flat_map(|r| &mut r.parts).for_each(|p| p.flags = Flags(p.flags.0 & !Flags::BY_NAME.0));
    }
    let mut transcript = Transcript::default();
    transcript.set_items(wire.profile.items);
    rows.iter().for_each(|r| transcript.push_row(r.clone()));
    transcript.settle_index();
    judge(&transcript, wire);
    cuts(&transcript, binding);
    relief(&rows, wire, binding, u32::from(window) * 64 + 64);
}

fn judge(transcript: &Transcript, wire: &formats::Wire) {
    for phase in [Phase::Stored, Phase::Request] {
        assert!(validate(transcript, wire, phase).iter().all(|f| f.at < transcript.len().max(1)));
    }
    // Display history is judged, never repaired.
    if wire.profile.name != "ai-sdk-ui" {
        let healed = laid(transcript, &repair(transcript, wire), wire);
        let again = repair(&healed, wire).repaired;
        assert!(again.is_empty(), "a second repair finds nothing, {}: {again:?}", wire.profile.name);
        let left: Vec<_> = validate(&healed, wire, Phase::Stored).into_iter().filter(|f| f.repairable).collect();
        assert!(left.is_empty(), "what can be repaired is, {}: {left:?}", wire.profile.name);
    }
}

fn cuts(transcript: &Transcript, binding: ReasoningBinding) {
    let plan = cut::plan(transcript, RuleSet::ALL, &Options { keep_recent: 1, keep_rounds: 1, tail_tokens: 500, binding, ..Options::default() });
    for at in plan.legal() {
        assert!(transcript.index().calls().iter().all(|c| c.result.is_none_or(|r| (c.row < at) == (r.0 < at))), "a legal cut splits no pair");
    }
    assert!((0..=transcript.len()).all(|at| plan.is_legal(at) == plan.why(transcript, at).is_empty()));
    assert!((0..=transcript.len()).all(|at| cut::snap(transcript, at) <= at));
}

fn relief(rows: &[Row], wire: &formats::Wire, binding: ReasoningBinding, window: u32) {
    let mut config = Config::default();
    config.estimate.counter = Counter::Chars4;
    config.reasoning_binding = Some(binding);
    config.eviction.keep_recent_rounds = 0;
    config.eviction.clear_at_least = 0;
    config.eviction.min_result_tokens = 0;
    let model = || Model { id: "m".into(), provider: None, window, source: WindowSource::Host, max_output: Some(0) };
    let fill = |session: &mut Session| {
        session.set_profile(wire.profile);
        rows.iter().enumerate().for_each(|(at, row)| session.put_row(at, row.clone()));
        session.take_rows().is_ok()
    };
    let mut session = Session::new(model(), config.clone(), None);
    if !fill(&mut session) {
        return;
    }
    let before = session.measured(usize::MAX);
    if let Some(Ok(plan)) = ladder::plan_evict(&mut session, Keeping::Store) {
        let victims: Vec<_> = plan.victims.into_iter().map(|v| (v, false)).collect();
        ladder::apply_evict(&mut session, &victims);
    }
    assert!(session.measured(usize::MAX) <= before, "no relief makes the view larger");
    ladder::drop_spent(&mut session, true);
    let steps = assemble::recipe(&session).expect("every row is accounted for");
    let named: usize = steps
        .iter()
        .map(|s| match s {
            Step::Keep { from, to } | Step::Drop { from, to } => to - from,
            Step::Edit { .. } => 1,
            Step::Insert { .. } => 0,
        })
        .sum();
    assert_eq!(named, rows.len(), "every row is in exactly one step");
    let mut again = Session::new(model(), config, Some(session.state.clone()));
    // A stub that is the very text of another result is taken for a view that came back; nothing to compare then.
    if fill(&mut again) {
        assert_eq!(assemble::recipe(&again).expect("every row is accounted for"), steps, "the same blob renders the same view");
    }
}
