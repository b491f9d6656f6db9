//! A host for folds whose every effect waits for a turn, and whose answers follow a script.
#![allow(dead_code, reason = "each test file uses its own part")]

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use gentle_cascade::core::config::Counter;
use gentle_cascade::core::event::Event;
use gentle_cascade::core::fold::judge::Answer;
use gentle_cascade::core::fold::request::SummarizeRequest;
use gentle_cascade::core::measure::meter::{Measure, measure};
use gentle_cascade::core::relieve::clamp::{self, plan_clamp};
use gentle_cascade::core::relieve::text::Units;
use gentle_cascade::core::restore::authority::Authority;
use gentle_cascade::core::state::State;
use gentle_cascade::driver::{Commit, Driver, Gap, Host, Loaded, Method, Place};

use crate::common::{Message, row, texts};

pub const BRIEFING: &str = "## Objective\nport it\n\n## Next Step\ngo on";

/// What several processes share: the state, the raw outputs.
#[derive(Default)]
pub struct Shared {
    pub saved: RefCell<Option<(String, u64)>>,
    pub raw: RefCell<BTreeMap<String, String>>,
    pub commits: Cell<u32>,
    pub asked: Cell<u32>,
}

/// How a call to the host ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    Well,
    Rejects,
    /// The write happens, the answer is lost.
    AfterWriting,
}

pub struct FoldHost {
    pub shared: Rc<Shared>,
    pub messages: RefCell<Vec<Message>>,
    /// Whether effects wait for [`FoldHost::let_go`].
    pub stepwise: Cell<bool>,
    go: Cell<bool>,
    pub log: RefCell<Vec<&'static str>>,
    pub answers: RefCell<VecDeque<Result<Answer, String>>>,
    pub ends: RefCell<VecDeque<Ends>>,
    pub authority: RefCell<Option<Authority>>,
    pub summarizes: Cell<bool>,
    pub stores_raw: Cell<bool>,
    pub folding: RefCell<Option<Rc<Cell<bool>>>>,
}

impl FoldHost {
    pub fn new(shared: &Rc<Shared>) -> Self {
        FoldHost {
            shared: Rc::clone(shared),
            messages: RefCell::default(),
            stepwise: Cell::new(false),
            go: Cell::new(false),
            log: RefCell::default(),
            answers: RefCell::default(),
            ends: RefCell::default(),
            authority: RefCell::default(),
            summarizes: Cell::new(true),
            stores_raw: Cell::new(true),
            folding: RefCell::default(),
        }
    }

    /// The next effect may happen.
    pub fn let_go(&self) {
        self.go.set(true);
    }

    async fn effect(&self, name: &'static str) -> Result<Ends, String> {
        poll_fn(|_| if !self.stepwise.get() || self.go.replace(false) { Poll::Ready(()) } else { Poll::Pending }).await;
        self.log.borrow_mut().push(name);
        match self.ends.borrow_mut().pop_front().unwrap_or(Ends::Well) {
            Ends::Rejects => Err(format!("{name} is down")),
            other => Ok(other),
        }
    }
}

fn answered<T>(ends: Ends, value: T) -> Result<T, String> {
    if ends == Ends::AfterWriting { Err("the answer is lost".into()) } else { Ok(value) }
}

impl Host for FoldHost {
    type Error = String;
    type Output = String;

    fn has(&self, method: Method) -> bool {
        match method {
            Method::Summarize => self.summarizes.get(),
            Method::Authority => self.authority.borrow().is_some(),
            Method::Raw => self.stores_raw.get(),
            Method::Load | Method::Commit => true,
            Method::Rows => true,
            _ => false,
        }
    }

    fn cancel_reason(&self) -> Option<String> {
        None
    }

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

    fn excerpt(&self, at: Place, max: Option<u32>, _handle: Option<&str>) -> String {
        let text = texts(&self.messages.borrow()[at.row])[at.part].clone();
        max.map_or_else(|| text.clone(), |max| text.chars().take(max as usize).collect())
    }

    fn emit(&self, _event: &Event) {}

    async fn summarize(&self, _request: &SummarizeRequest) -> Result<Answer, String> {
        self.shared.asked.set(self.shared.asked.get() + 1);
        let ends = self.effect("summarize").await?;
        let answer = self.answers.borrow_mut().pop_front();
        answered(ends, answer.unwrap_or_else(|| Ok(Answer { text: BRIEFING.into(), finish_reason: None }))?)
    }

    async fn authority(&self) -> Result<Authority, String> {
        let ends = self.effect("authority").await?;
        answered(ends, self.authority.borrow().clone().unwrap_or_default())
    }

    async fn background(&self, _ms: u32) {
        // Waits for whoever folds, as the package does for the running promise.
        let folding = self.folding.borrow().clone();
        poll_fn(|_| if folding.as_ref().is_none_or(|f| f.get()) { Poll::Ready(()) } else { Poll::Pending }).await;
    }

    async fn load(&self) -> Result<Option<Loaded>, String> {
        let ends = self.effect("load").await?;
        let saved = self.shared.saved.borrow().clone();
        let loaded =
            saved.map(|(blob, version)| Loaded { state: State::read(serde_json::from_str(&blob).expect("what was committed")).expect("a state"), version });
        answered(ends, loaded)
    }

    async fn commit(&self, state: &State, expect: Option<u64>) -> Result<Commit, String> {
        let ends = self.effect("commit").await?;
        let mut saved = self.shared.saved.borrow_mut();
        let version = saved.as_ref().map(|s| s.1);
        if version != expect {
            return answered(ends, Commit::Conflict);
        }
        let next = version.unwrap_or(0) + 1;
        *saved = Some((serde_json::to_string(state).expect("json"), next));
        self.shared.commits.set(self.shared.commits.get() + 1);
        answered(ends, Commit::Done(next))
    }

    async fn redact(&self, _tool: &str, _output: &String) -> Result<Option<String>, String> {
        Ok(None)
    }

    async fn raw_has(&self, handle: &str) -> Result<bool, String> {
        let ends = self.effect("has").await?;
        answered(ends, self.shared.raw.borrow().contains_key(handle))
    }

    async fn raw_is(&self, handle: &str, output: &String) -> Result<bool, String> {
        Ok(self.shared.raw.borrow().get(handle) == Some(output) || output.contains(&format!("id: \"{handle}\"")))
    }

    async fn raw_put(&self, handle: &str, output: &String, _cap_bytes: u32) -> Result<bool, String> {
        let ends = self.effect("put").await?;
        self.shared.raw.borrow_mut().insert(handle.into(), output.clone());
        answered(ends, false)
    }
}

/// Hands a list in, positions from `first` on.
pub fn push(driver: &Driver<FoldHost>, messages: &[Message], first: u64) {
    *driver.host().messages.borrow_mut() = messages.to_vec();
    driver.with(|s| {
        s.rewind_rows(messages.len());
        for (at, message) in messages.iter().enumerate() {
            s.put_row(at, row(message, Some(first + at as u64)));
        }
    });
}

/// Polls once; the value if it is there.
pub fn step<T>(future: &mut Pin<Box<dyn Future<Output = T> + '_>>) -> Option<T> {
    match future.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}
