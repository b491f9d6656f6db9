//! A call that may have to wait: it runs until the host has to be asked and goes on with the answer.
//!
//! JavaScript runs it, step by step. A promise of our own would be polled from the microtask queue, where
//! a trap ends the process and leaves the caller waiting for ever; here it surfaces in the call that
//! caused it. It also makes one core serve hosts that answer at once.

use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

type Running = Pin<Box<dyn Future<Output = Result<JsValue, JsValue>>>>;

/// Where the core's questions and the host's answers pass, one of each per step. Jobs of one conversation
/// may run side by side (a fold in the background): a step takes its answer and leaves its question
/// before any other step begins.
#[derive(Default)]
pub(super) struct Line {
    question: Cell<Option<JsValue>>,
    answer: Cell<Option<Result<JsValue, JsValue>>>,
}

impl Line {
    /// Waits for whatever `question` turns out to be: a promise, or the answer itself.
    pub(super) async fn ask(&self, question: JsValue) -> Result<JsValue, JsValue> {
        // What a job was started with, or an answer that came too late, is not the answer to this.
        self.answer.take();
        self.question.set(Some(question));
        poll_fn(|_| self.answer.take().map_or(Poll::Pending, Poll::Ready)).await
    }
}

/// A running call.
#[wasm_bindgen]
pub struct Job {
    running: RefCell<Option<Running>>,
    line: Rc<Line>,
    value: Cell<JsValue>,
}

#[wasm_bindgen]
impl Job {
    /// Goes on with an answer (the first time there is none): 0 the value is a question, 1 the value is
    /// the result, 2 the value is what the call fails with.
    pub fn resume(&self, answer: JsValue, failed: bool) -> u32 {
        self.line.answer.set(Some(if failed { Err(answer) } else { Ok(answer) }));
        // Taken out while it runs: a host that calls back in finds no job, not a borrowed one.
        let Some(mut running) = self.running.take() else { return 2 };
        match running.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Pending => {
                self.running.replace(Some(running));
                self.value.set(self.line.question.take().unwrap_or(JsValue::UNDEFINED));
                0
            }
            Poll::Ready(Ok(value)) => {
                self.value.set(value);
                1
            }
            Poll::Ready(Err(value)) => {
                self.value.set(value);
                2
            }
        }
    }

    /// The value of the step that just ended; handed out once.
    pub fn take(&self) -> JsValue {
        self.value.replace(JsValue::UNDEFINED)
    }
}

impl Job {
    pub(super) fn new(line: &Rc<Line>, call: impl Future<Output = Result<JsValue, JsValue>> + 'static) -> Job {
        Job { running: RefCell::new(Some(Box::pin(call))), line: Rc::clone(line), value: Cell::new(JsValue::UNDEFINED) }
    }
}
