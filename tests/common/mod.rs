//! Messages in a few words, a host that lives in memory and counts its calls, and a conversation over both.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use gentle_cascade::core::assemble::{self, Step};
use gentle_cascade::core::config::{Config, Counter};
use gentle_cascade::core::event::Event;
use gentle_cascade::core::fold::judge::Answer;
use gentle_cascade::core::fold::request::SummarizeRequest;
use gentle_cascade::core::ledger::{self, LedgerEntry, RowState};
use gentle_cascade::core::measure::meter::{Measure, measure};
use gentle_cascade::core::measure::thresholds::{Model, WindowSource};
use gentle_cascade::core::measure::usage::Usage;
use gentle_cascade::core::relieve::clamp::{self, plan_clamp};
use gentle_cascade::core::relieve::text::Units;
use gentle_cascade::core::restore::authority::Authority;
use gentle_cascade::core::state::State;
use gentle_cascade::core::transcript::{Flags, Part, PartKind, Role, Row};
use gentle_cascade::driver::{Ask, Commit, Driver, Failure, Gap, Host, Loaded, Method, NextReport, Place};
use pollster::block_on;
use serde_json::Value;

/// One message.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    User(String),
    Say(String),
    /// Calls of one step: id and tool; the input is `{}`, one token.
    Calls(Vec<(String, String)>),
    /// One call of `read_tool_output`: its id, and the handle and offset it asks for.
    ReadBack(String, String),
    /// Results: call id and output.
    Results(Vec<(String, String)>),
}

pub fn user(text: &str) -> Message {
    Message::User(text.into())
}

pub fn say(text: &str) -> Message {
    Message::Say(text.into())
}

pub fn call(id: &str) -> Message {
    calls(&[id])
}

pub fn calls(ids: &[&str]) -> Message {
    Message::Calls(ids.iter().map(|id| ((*id).into(), "read".into())).collect())
}

pub fn result(id: &str, output: &str) -> Message {
    Message::Results(vec![(id.into(), output.into())])
}

/// A text of so many characters that no other number gives: dedupe finds nothing in it.
pub fn text(n: usize, chars: usize) -> String {
    let head = format!("{n} ");
    format!("{head}{}", "x".repeat(chars - head.len()))
}

/// A user row and `n` closed rounds with one result of `chars` characters each; ids c1, c2 …
pub fn rounds(n: usize, chars: usize) -> Vec<Message> {
    let mut list = vec![user("go")];
    for i in 1..=n {
        list.push(call(&format!("c{i}")));
        list.push(result(&format!("c{i}"), &text(i, chars)));
    }
    list
}

fn part(kind: PartKind, id: &str, name: &str, text: &str) -> Part {
    Part {
        kind,
        flags: Flags::default(),
        id: id.into(),
        name: name.into(),
        target: "".into(),
        measure: measure(Counter::Chars4, text),
        media_tokens: 0,
        stand_in: None,
    }
}

pub fn row(message: &Message, position: Option<u64>) -> Row {
    let (role, parts) = match message {
        Message::User(t) => (Role::User, vec![part(PartKind::Text, "", "", t)]),
        Message::Say(t) => (Role::Assistant, vec![part(PartKind::Text, "", "", t)]),
        Message::Calls(list) => (Role::Assistant, list.iter().map(|(id, tool)| part(PartKind::Call, id, tool, "{}")).collect()),
        Message::ReadBack(id, asks) => (Role::Assistant, vec![Part { target: asks.as_str().into(), ..part(PartKind::Call, id, "read_tool_output", "{}") }]),
        Message::Results(list) => (Role::Tool, list.iter().map(|(id, out)| part(PartKind::Result, id, "read", out)).collect()),
    };
    Row::new(role, position, parts)
}

/// What a store holds; two conversations may share one.
#[derive(Default)]
pub struct Store {
    /// The state as text, and its version.
    pub saved: RefCell<Option<(String, u64)>>,
    /// Full outputs by handle.
    pub raw: RefCell<BTreeMap<String, String>>,
    /// Every call, in order: `commit`, `put c1` …
    pub log: RefCell<Vec<String>>,
}

impl Store {
    pub fn count(&self, name: &str) -> usize {
        self.log.borrow().iter().filter(|l| l.split(' ').next() == Some(name)).count()
    }
}

/// What the next commits do instead of writing.
#[derive(Clone, Debug, PartialEq)]
pub enum Trouble {
    /// The store throws.
    Fails,
    /// Somebody else writes this state first.
    Overtaken(Box<State>),
}

/// A host in memory.
pub struct Fake {
    pub store: Rc<Store>,
    pub messages: RefCell<Vec<Message>>,
    pub lacks: RefCell<Vec<Method>>,
    pub redact: Option<fn(&str) -> String>,
    pub seen_by_redact: RefCell<Vec<usize>>,
    pub put_fails: Cell<bool>,
    pub redact_fails: Cell<bool>,
    pub trouble: RefCell<VecDeque<Trouble>>,
    pub cancelled: Cell<bool>,
    pub reads_rows: Cell<bool>,
}

impl Fake {
    pub fn new(store: &Rc<Store>) -> Self {
        Fake {
            store: Rc::clone(store),
            messages: RefCell::default(),
            lacks: RefCell::default(),
            redact: None,
            seen_by_redact: RefCell::default(),
            put_fails: Cell::new(false),
            redact_fails: Cell::new(false),
            trouble: RefCell::default(),
            cancelled: Cell::new(false),
            reads_rows: Cell::new(false),
        }
    }

    fn log(&self, line: String) {
        self.store.log.borrow_mut().push(line);
    }
}

impl Host for Fake {
    type Error = String;
    type Output = String;

    fn has(&self, method: Method) -> bool {
        match method {
            Method::Redact => self.redact.is_some(),
            Method::Load | Method::Commit | Method::Raw => !self.lacks.borrow().contains(&method),
            Method::Rows => self.reads_rows.get(),
            _ => false,
        }
    }

    fn cancel_reason(&self) -> Option<String> {
        self.cancelled.get().then(|| "cancelled".into())
    }

    fn excerpt(&self, at: Place, max: Option<u32>, _handle: Option<&str>) -> String {
        let text = texts(&self.messages.borrow()[at.row])[at.part].clone();
        max.map_or_else(|| text.clone(), |max| text.chars().take(max as usize).collect())
    }

    fn emit(&self, _event: &Event) {}

    async fn summarize(&self, _request: &SummarizeRequest) -> Result<Answer, String> {
        Err("no summarizer".into())
    }

    async fn authority(&self) -> Result<Authority, String> {
        Err("no authority".into())
    }

    async fn background(&self, _ms: u32) {}

    fn output(&self, at: Place) -> String {
        match self.messages.borrow().get(at.row) {
            Some(Message::Results(list)) => list[at.part].1.clone(),
            other => panic!("row {} holds no results: {other:?}", at.row),
        }
    }

    fn measure(&self, output: &String) -> Measure {
        measure(Counter::Chars4, output)
    }

    fn shorten(&self, output: &String, cap: u32, gap: Gap<'_>) -> String {
        let units = Units::from(output.as_str());
        let gap = clamp::Gap { handle: gap.handle, loss: gap.loss, ..clamp::Gap::default() };
        plan_clamp(&units, cap, &gap).map_or_else(|| output.clone(), |cut| cut.apply(&units))
    }

    async fn load(&self) -> Result<Option<Loaded>, String> {
        self.log("load".into());
        let saved = self.store.saved.borrow();
        Ok(saved
            .as_ref()
            .map(|(blob, version)| Loaded { state: State::read(serde_json::from_str(blob).expect("what was committed")).expect("a state"), version: *version }))
    }

    async fn commit(&self, state: &State, expect: Option<u64>) -> Result<Commit, String> {
        self.log("commit".into());
        let write = |state: &State, version: u64| {
            *self.store.saved.borrow_mut() = Some((serde_json::to_string(state).expect("json"), version));
        };
        let version = self.store.saved.borrow().as_ref().map(|s| s.1);
        match self.trouble.borrow_mut().pop_front() {
            Some(Trouble::Fails) => return Err("disk full".into()),
            Some(Trouble::Overtaken(other)) => write(&other, version.unwrap_or(0) + 1),
            None => {}
        }
        let version = self.store.saved.borrow().as_ref().map(|s| s.1);
        if version != expect {
            return Ok(Commit::Conflict);
        }
        let next = version.unwrap_or(0) + 1;
        write(state, next);
        Ok(Commit::Done(next))
    }

    async fn redact(&self, _tool: &str, output: &String) -> Result<Option<String>, String> {
        self.seen_by_redact.borrow_mut().push(output.chars().count());
        if self.redact_fails.get() {
            return Err("redactor down".into());
        }
        let clean = self.redact.expect("has redact")(output);
        Ok((clean != *output).then_some(clean))
    }

    async fn raw_has(&self, handle: &str) -> Result<bool, String> {
        self.log(format!("has {handle}"));
        Ok(self.store.raw.borrow().contains_key(handle))
    }

    async fn raw_is(&self, handle: &str, output: &String) -> Result<bool, String> {
        Ok(self.store.raw.borrow().get(handle) == Some(output) || output.contains(&format!("id: \"{handle}\"")))
    }

    async fn raw_put(&self, handle: &str, output: &String, cap_bytes: u32) -> Result<bool, String> {
        self.log(format!("put {handle}"));
        if self.put_fails.get() {
            return Err("no room".into());
        }
        let units = Units::from(output.as_str());
        let cut = clamp::plan_raw_cap(&units, output.len() as u64, cap_bytes);
        let kept = cut.as_ref().map_or_else(|| output.clone(), |c| c.apply(&units));
        self.store.raw.borrow_mut().insert(handle.into(), kept);
        Ok(cut.is_some())
    }
}

/// A conversation.
pub struct Chat {
    pub driver: Driver<Fake>,
}

/// What one `next` gave.
#[derive(Debug)]
pub struct Turn {
    pub report: NextReport,
    /// Texts of the view, row by row and part by part; a row that is not sent is missing.
    pub view: Vec<Vec<String>>,
    /// Rows of the view that are the host's own.
    pub untouched: Vec<usize>,
    pub ledger: Vec<LedgerEntry>,
}

impl Turn {
    pub fn evicted(&self) -> Vec<usize> {
        self.ledger.iter().filter(|e| e.state == RowState::Evicted).map(|e| e.index).collect()
    }

    /// `stage outcome reason`, for comparing at a glance.
    pub fn outcomes(&self) -> Vec<String> {
        self.report.outcomes.iter().map(|o| [o.stage, o.outcome, o.reason.unwrap_or("")].join(" ").trim().to_owned()).collect()
    }

    /// Reclaimed tokens and result count of the one event of an eviction.
    pub fn evicted_event(&self) -> Option<(u64, u64)> {
        let json = serde_json::to_value(&self.report.events).expect("json");
        let found: Vec<&Value> = json.as_array().expect("list").iter().filter(|e| e["type"] == "context.evicted").collect();
        assert!(found.len() < 2, "one event per pass");
        found.first().map(|e| (e["reclaimedTokens"].as_u64().expect("number"), e["resultCount"].as_u64().expect("number")))
    }
}

pub fn model(window: u32, max_output: u32) -> Model {
    Model { id: "m".into(), provider: None, window, source: WindowSource::Host, max_output: Some(max_output) }
}

/// `chars4` and a patch on the defaults.
pub fn config(patch: &str) -> Config {
    let base = Config::default().patched(&serde_json::json!({ "estimate": { "counter": "chars4" } })).expect("config");
    base.patched(&serde_json::from_str(patch).expect("test json")).expect("config")
}

impl Chat {
    pub fn open(host: Fake, window: u32, max_output: u32, patch: &str) -> Chat {
        Chat { driver: block_on(Driver::open(host, model(window, max_output), config(patch), None)).expect("opens") }
    }

    pub fn host(&self) -> &Fake {
        self.driver.host()
    }

    pub fn store(&self) -> &Store {
        &self.host().store
    }

    pub fn push(&self, messages: &[Message]) {
        let positions: Vec<Option<u64>> = (0..messages.len() as u64).map(Some).collect();
        self.push_at(messages, &positions);
    }

    pub fn push_at(&self, messages: &[Message], positions: &[Option<u64>]) {
        *self.host().messages.borrow_mut() = messages.to_vec();
        self.driver.with(|s| {
            s.rewind_rows(messages.len());
            for (at, (message, position)) in messages.iter().zip(positions).enumerate() {
                s.put_row(at, row(message, *position));
            }
        });
    }

    /// Says what the rows weigh, as if the provider had counted them.
    pub fn pin(&self, messages: &[Message], tokens: u32) {
        self.push(messages);
        self.driver.with(|s| s.pin_occupancy(tokens)).expect("pins");
    }

    pub fn try_next(&self, messages: &[Message]) -> Result<Turn, Failure<String>> {
        self.push(messages);
        self.try_plan()
    }

    pub fn try_plan(&self) -> Result<Turn, Failure<String>> {
        let report = block_on(self.driver.next(&Ask::default()))?;
        let ledger = self.driver.with(|s| assemble::ledger(s));
        let messages = self.host().messages.borrow().clone();
        // LE-1: every row has exactly one line, at every step of every test.
        ledger::check(&ledger, messages.len()).expect("every row is accounted for");
        let (view, untouched) = self.lay(&report, &messages);
        Ok(Turn { report, view, untouched, ledger })
    }

    pub fn next(&self, messages: &[Message]) -> Turn {
        self.try_next(messages).expect("plans")
    }

    pub fn settle(&self, input: u32, output: Option<u32>) {
        self.driver.settle(&Usage { input_tokens: (input > 0).then_some(input), output_tokens: output, ..Usage::default() });
    }

    /// What the package's `apply` does, in a few words.
    fn lay(&self, report: &NextReport, messages: &[Message]) -> (Vec<Vec<String>>, Vec<usize>) {
        let mut view = Vec::new();
        let mut untouched = Vec::new();
        let mut at = 0;
        for step in &report.steps {
            match step {
                Step::Keep { from, to } => {
                    assert_eq!(*from, at, "every row in exactly one step");
                    for (i, message) in messages.iter().enumerate().take(*to).skip(*from) {
                        untouched.push(i);
                        view.push(texts(message));
                    }
                    at = *to;
                }
                Step::Drop { from, to } => {
                    assert_eq!(*from, at);
                    at = *to;
                }
                Step::Insert { parts, .. } => view.push(parts.iter().map(|p| p.text.clone()).collect()),
                Step::Edit { row, set, .. } => {
                    assert_eq!(*row, at);
                    let mut parts = texts(&messages[*row]);
                    for replace in set {
                        let original = &parts[replace.part];
                        parts[replace.part] = match (&replace.text, replace.cap) {
                            (Some(text), _) => text.clone(),
                            (None, Some(cap)) => {
                                let clean = self.host().redact.filter(|_| replace.redacted).map_or_else(|| original.clone(), |f| f(original));
                                self.host().shorten(&clean, cap, Gap { handle: replace.handle.as_deref(), loss: replace.loss, media: false })
                            }
                            _ => panic!("a replacement says what stands there"),
                        };
                    }
                    view.push(parts);
                    at += 1;
                }
            }
        }
        assert_eq!(at, messages.len(), "every row in exactly one step");
        (view, untouched)
    }
}

pub fn texts(message: &Message) -> Vec<String> {
    match message {
        Message::User(t) | Message::Say(t) => vec![t.clone()],
        Message::Calls(list) => list.iter().map(|_| "{}".to_owned()).collect(),
        Message::ReadBack(..) => vec!["{}".to_owned()],
        Message::Results(list) => list.iter().map(|(_, out)| out.clone()).collect(),
    }
}

pub fn tokens(text: &str) -> u32 {
    measure(Counter::Chars4, text).tokens
}
