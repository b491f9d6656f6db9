//! Random histories: a script of what happened, laid out as each wire format wants it.
//!
//! The script is valid by construction; `broken` takes the laid-out rows and damages them.

use gentle_cascade::core::config::Counter;
use gentle_cascade::core::measure::meter::measure;
use gentle_cascade::core::transcript::{Flags, Part, PartKind, Role, Row, Transcript};
use gentle_cascade::formats::{self, Placing, Wire};
use proptest::prelude::*;

/// A call of a step.
#[derive(Clone, Debug)]
pub struct CallScript {
    /// Whether the provider runs it; its result then stands beside it.
    pub by_provider: bool,
    /// Whether consent was asked for and given.
    pub approved: bool,
    /// Tokens of its result, about.
    pub size: u8,
}

/// One assistant step.
#[derive(Clone, Debug)]
pub struct StepScript {
    /// Whether it reasons.
    pub reasons: bool,
    /// Whether it says something besides its calls.
    pub speaks: bool,
    /// Its calls.
    pub calls: Vec<CallScript>,
    /// How its results are ordered.
    pub order: u8,
    /// Whether its results stand in several rows, where they may.
    pub split: bool,
}

/// Something that happens.
#[derive(Clone, Debug)]
pub enum Beat {
    /// The user writes so many parts.
    User(u8),
    /// The model acts.
    Step(StepScript),
}

/// A whole history.
#[derive(Clone, Debug)]
pub struct Script {
    /// Whether a system row stands first, where it may.
    pub system: bool,
    /// Whether the server reuses ids in every step, where the format takes it.
    pub ids_repeat: bool,
    /// What happens, after a first user row.
    pub beats: Vec<Beat>,
    /// Whether the last step is still open.
    pub open: bool,
}

fn call_script() -> impl Strategy<Value = CallScript> {
    (prop::bool::weighted(0.1), prop::bool::weighted(0.1), any::<u8>()).prop_map(|(by_provider, approved, size)| CallScript { by_provider, approved, size })
}

fn step() -> impl Strategy<Value = StepScript> {
    (any::<bool>(), any::<bool>(), prop::collection::vec(call_script(), 0..4), any::<u8>(), any::<bool>())
        .prop_map(|(reasons, speaks, calls, order, split)| StepScript { reasons, speaks: speaks || calls.is_empty(), calls, order, split })
}

/// Histories of up to 14 beats.
pub fn script() -> impl Strategy<Value = Script> {
    let beat = prop_oneof![1 => (1u8..3).prop_map(Beat::User), 4 => step().prop_map(Beat::Step)];
    (any::<bool>(), any::<bool>(), prop::collection::vec(beat, 0..14), prop::bool::weighted(0.2)).prop_map(|(system, ids_repeat, beats, open)| Script {
        system,
        ids_repeat,
        beats,
        open,
    })
}

/// A part of this kind.
pub fn part(kind: PartKind, id: &str, name: &str, text: &str, flags: Flags) -> Part {
    Part { kind, flags, id: id.into(), name: name.into(), target: "".into(), measure: measure(Counter::Chars4, text), media_tokens: 0, stand_in: None }
}

fn with(a: Flags, b: Flags, on: bool) -> Flags {
    if on { Flags(a.0 | b.0) } else { a }
}

/// Lays a script out.
struct Layout<'a> {
    wire: &'a Wire,
    script: &'a Script,
    rows: Vec<Row>,
    calls: usize,
    steps: usize,
}

/// The rows of a script in a format.
pub fn rows(script: &Script, wire: &Wire) -> Vec<Row> {
    let mut layout = Layout { wire, script, rows: Vec::new(), calls: 0, steps: 0 };
    if script.system && matches!(wire.profile.name, "ai-sdk" | "openai-chat" | "openai-responses" | "ai-sdk-ui") {
        layout.row(Role::System, vec![part(PartKind::Text, "", "", "be brief", Flags::default())]);
    }
    layout.user(1);
    let last_step = script.beats.iter().rposition(|b| matches!(b, Beat::Step(_)));
    for (at, beat) in script.beats.iter().enumerate() {
        match beat {
            Beat::User(n) => layout.user(*n),
            Beat::Step(step) => {
                let open = script.open && Some(at) == last_step && at + 1 == script.beats.len();
                layout.step(step, open);
            }
        }
    }
    layout.rows
}

impl Layout<'_> {
    fn row(&mut self, role: Role, parts: Vec<Part>) {
        let position = Some(self.rows.len() as u64 + 1);
        self.rows.push(Row::new(role, position, parts));
    }

    fn user(&mut self, parts: u8) {
        let n = self.rows.len();
        let parts = (0..parts).map(|i| part(PartKind::Text, "", "", &format!("please do number {n}.{i}"), Flags::default())).collect();
        self.row(Role::User, parts);
    }

    fn step(&mut self, step: &StepScript, open: bool) {
        self.steps += 1;
        let own = with(Flags::default(), Flags::ITEM_ID, self.wire.governed_ids);
        let reason = || part(PartKind::Reasoning, "", "", "hm, let me think", with(own, Flags::SIGNED, true));
        let mut head: Vec<Part> = Vec::new();
        if step.reasons {
            head.push(reason());
        }
        // Without its reasoning an item must not keep its id.
        let own = if step.reasons { own } else { Flags::default() };
        if step.speaks {
            head.push(part(PartKind::Text, "", "", "I will look at it now", own));
        }
        let mut calls: Vec<Part> = Vec::new();
        let mut results: Vec<Part> = Vec::new();
        let mut answers: Vec<Part> = Vec::new();
        let ids_repeat = self.script.ids_repeat && self.wire.ids_repeat;
        let approvals = matches!(self.wire.profile.name, "ai-sdk" | "ai-sdk-ui");
        for (i, script) in step.calls.iter().enumerate() {
            let by_provider = script.by_provider && self.wire.profile.name != "openai-chat" && self.wire.profile.name != "gemini";
            let id = if ids_repeat && !by_provider { format!("call_{i}") } else { format!("call_{}_x", self.calls) };
            self.calls += 1;
            let provider = with(Flags::default(), Flags::PROVIDER, by_provider);
            let signed = with(own, Flags::SIGNED, self.wire.profile.signed_calls && i == 0);
            calls.push(part(PartKind::Call, &id, "read", "{\"path\":\"a\"}", Flags(signed.0 | provider.0)));
            if script.approved && approvals && !by_provider {
                let approval = format!("approval_{}", self.calls);
                calls.push(part(PartKind::ApprovalRequest, &approval, &id, "", Flags::default()));
                answers.push(part(PartKind::ApprovalResponse, &approval, "", "", Flags::default()));
            }
            let text = format!("result {}: {}", self.calls, "line of output ".repeat(usize::from(script.size) / 4));
            let result = part(PartKind::Result, &id, "read", &text, provider);
            match by_provider {
                true => calls.push(result),
                false => results.push(result),
            }
        }
        if !results.is_empty() {
            let by = usize::from(step.order) % results.len();
            results.rotate_left(by);
        }
        if open && !results.is_empty() {
            results.pop();
        }
        self.lay(step, head, calls, answers, results);
    }

    fn lay(&mut self, step: &StepScript, head: Vec<Part>, calls: Vec<Part>, answers: Vec<Part>, results: Vec<Part>) {
        if self.wire.profile.name == "ai-sdk-ui" {
            let parts = head.into_iter().chain(calls).chain(answers).chain(results).collect();
            return self.row(Role::Assistant, parts);
        }
        if self.wire.profile.items {
            for item in head {
                self.row(Role::Assistant, vec![item]);
            }
            let mut calls = calls.into_iter().peekable();
            while let Some(call) = calls.next() {
                // The provider's result is inside the item of its call.
                let own = calls.next_if(|p| p.kind == PartKind::Result);
                self.row(Role::Assistant, std::iter::once(call).chain(own).collect());
            }
            for result in results {
                self.row(Role::Tool, vec![result]);
            }
            return;
        }
        self.row(Role::Assistant, head.into_iter().chain(calls).collect());
        if !answers.is_empty() {
            self.row(Role::Tool, answers);
        }
        match self.wire.placing {
            Placing::NextRow if !results.is_empty() => self.row(Role::Tool, results),
            Placing::Directly | Placing::After => results.into_iter().for_each(|r| self.row(Role::Tool, vec![r])),
            _ if step.split => results.into_iter().for_each(|r| self.row(Role::Tool, vec![r])),
            _ if !results.is_empty() => self.row(Role::Tool, results),
            _ => {}
        }
    }
}

/// A transcript of rows in a format.
pub fn transcript(rows: &[Row], wire: &Wire) -> Transcript {
    let mut t = Transcript::default();
    t.set_items(wire.profile.items);
    for row in rows {
        t.push_row(row.clone());
    }
    t.settle_index();
    t
}

/// The format of this name.
pub fn wire(name: &str) -> &'static Wire {
    formats::by_name(name).unwrap()
}

/// A user row of ours in front of what a fold keeps.
pub fn head() -> Row {
    Row::new(Role::User, None, vec![part(PartKind::Text, "", "", "what happened so far", Flags::default())])
}

/// What would stand in the way of sending these rows.
pub fn errors(rows: &[Row], wire: &Wire) -> Vec<formats::Finding> {
    let t = transcript(rows, wire);
    formats::validate(&t, wire, formats::Phase::Stored).into_iter().filter(|f| f.level == formats::Level::E).collect()
}
