//! Waits: loads, redacts, spills and commits in the right order around the core's decisions.
//!
//! Owns the order of effects and what happens when one of them fails. Knows no JavaScript: it is generic
//! over [`Host`], and native tests drive it with a plain struct. No borrow of the session is held while
//! it waits, because a host may call back in.

mod arrival;
mod by_rule;
mod evict;
mod fold;
mod fold_stage;
mod host;
mod media;
mod next;
mod promote;
mod recall;
mod ticket;

use std::cell::{Cell, RefCell};

pub use arrival::Shortened;
pub use fold::{FoldEnd, Prepared};
pub use host::{Commit, Found, Gap, Host, Loaded, Method, OldPart, OldRow, Place};
pub use next::{Ask, NextReport};

use crate::core::branch::{self, Positions};
use crate::core::config::Config;
use crate::core::error::{Code, Error};
use crate::core::event::Event;
use crate::core::measure::thresholds::Model;
use crate::core::measure::usage::Usage;
use crate::core::relieve::economy::Account;
use crate::core::session::Session;
use crate::core::state::State;

/// Runs one conversation against one host.
#[derive(Debug)]
pub struct Driver<H> {
    host: H,
    session: RefCell<Session>,
    version: Cell<Option<u64>>,
    writable: Cell<bool>,
    /// The account of the pass that was due in the running call.
    account: Cell<Option<Account>>,
    /// A planned background fold that nobody has started yet.
    planned: RefCell<Option<Prepared>>,
    /// Whether one is being made.
    folding: Cell<bool>,
    /// What this process knows of rows that are out of view.
    memory: RefCell<recall::Memory>,
}

/// A failure of ours, or the host's own, handed through as it is.
#[derive(Debug, PartialEq)]
pub enum Failure<E> {
    /// One of ours.
    Ours(Error),
    /// The host's.
    Host(E),
}

impl<E> From<Error> for Failure<E> {
    fn from(error: Error) -> Self {
        Failure::Ours(error)
    }
}

impl<H: Host> Driver<H> {
    /// Opens a conversation: from the state given, else from the host's store, else afresh.
    pub async fn open(host: H, model: Model, config: Config, given: Option<State>) -> Result<Self, Failure<H::Error>> {
        let mut version = None;
        let mut state = given;
        if state.is_none() && host.has(Method::Load) {
            match host.load().await.map_err(Failure::Host)? {
                Some(loaded) => {
                    version = Some(loaded.version);
                    state = Some(loaded.state);
                }
                None => version = None,
            }
        }
        let writable = !state.as_ref().is_some_and(State::is_newer);
        // A state of a newer version is left alone: nothing is read from it and nothing is written over it.
        let state = state.filter(|_| writable);
        Ok(Driver {
            host,
            session: RefCell::new(Session::new(model, config, state)),
            version: Cell::new(version),
            writable: Cell::new(writable),
            account: Cell::new(None),
            planned: RefCell::default(),
            folding: Cell::new(false),
            memory: RefCell::default(),
        })
    }

    /// The host.
    pub fn host(&self) -> &H {
        &self.host
    }

    /// Looks at or changes the session; never across an await.
    pub fn with<R>(&self, f: impl FnOnce(&mut Session) -> R) -> R {
        f(&mut self.session.borrow_mut())
    }

    /// Says how long ago the last response was, for the `next` that follows.
    pub fn set_idle(&self, ms: Option<f64>) {
        self.with(|s| s.idle_ms = ms);
    }

    /// A response arrived: the gauge moves.
    pub fn settle(&self, usage: &Usage) -> Vec<Event> {
        let mut session = self.session.borrow_mut();
        session.settle(usage);
        vec![usage_event(&session)]
    }

    /// The durable state, for hosts that carry it themselves.
    pub fn state(&self) -> State {
        self.session.borrow().state.clone()
    }

    /// Takes back what was decided after a row, folds included.
    pub async fn rewind(&self, to: u64) -> Result<(), Failure<H::Error>> {
        self.alter(|s| {
            s.rewind_to(to);
            Ok(())
        })
        .await
    }

    /// Takes a fold back, and those made on it.
    pub async fn unfold(&self, id: &str) -> Result<(), Failure<H::Error>> {
        self.alter(|s| if s.unfold(id) { Ok(()) } else { Err(Error::bad_input("`id` is not the id of a fold that is in force")) }).await
    }

    /// A fold and a `next` may commit side by side; the store's newest version counts, whoever hears of it last.
    fn saw(&self, version: u64) {
        self.version.set(self.version.get().max(Some(version)));
    }

    /// The state of a branch with the rows up to `at`, and the handles whose outputs it needs copies of.
    pub fn branch(&self, at: u64, positions: &Positions) -> (State, Vec<String>) {
        self.with(|s| (branch::branch(&s.state, at, positions), branch::handles(&s.state, at)))
    }

    /// Starts afresh on the same rows; with `all` nothing is remembered at all.
    pub async fn reset(&self, all: bool) -> Result<(), Failure<H::Error>> {
        self.planned.take();
        self.alter(|s| {
            let state = branch::reset(&s.state, all);
            s.adopt(state);
            s.note_change(0, "reset");
            s.dirty = true;
            Ok(())
        })
        .await
    }

    /// Changes the state and commits; when somebody else wrote meanwhile, their state is changed. A failure
    /// leaves everything as it was.
    async fn alter(&self, apply: impl Fn(&mut Session) -> Result<(), Error>) -> Result<(), Failure<H::Error>> {
        for last in [false, true] {
            let mark = self.with(|s| s.mark());
            self.with(&apply)?;
            match self.write().await {
                Err(Failure::Ours(error)) if error.code == Code::StaleStore && !last && self.host.has(Method::Load) => {
                    self.with(|s| s.go_back(mark));
                    self.reload().await?;
                }
                Err(failure) => {
                    self.with(|s| s.go_back(mark));
                    return Err(failure);
                }
                Ok(()) => return Ok(()),
            }
        }
        Ok(())
    }

    /// Commits what a call other than `next` changed.
    async fn write(&self) -> Result<(), Failure<H::Error>> {
        if !self.host.has(Method::Commit) {
            return Ok(());
        }
        match self.host.commit(&self.state(), self.version.get()).await.map_err(Failure::Host)? {
            Commit::Done(version) => {
                self.saw(version);
                self.with(|s| s.dirty = false);
                Ok(())
            }
            Commit::Conflict => Err(Error::new(Code::StaleStore, "the state was changed elsewhere; open the session again").into()),
        }
    }

    /// Reads the store again after somebody else wrote.
    async fn reload(&self) -> Result<(), Failure<H::Error>> {
        let Some(loaded) = self.host.load().await.map_err(Failure::Host)? else { return Ok(()) };
        if self.version.get().is_some_and(|seen| loaded.version < seen) {
            return Err(Error::new(
                Code::StaleStore,
                format!("the store answered with version {} after version {}", loaded.version, self.version.get().unwrap_or(0)),
            )
            .into());
        }
        self.version.set(Some(loaded.version));
        self.session.borrow_mut().merge(loaded.state);
        Ok(())
    }
}

/// The event that feeds the panel.
fn usage_event(session: &Session) -> Event {
    let b = crate::core::assemble::buckets(session);
    let t = session.thresholds();
    Event::Usage {
        context_limit: b.window,
        used: b.total,
        free: b.free,
        autocompact_buffer: crate::core::measure::thresholds::HEADROOM.min(t.usable / 10),
        approximate: b.provenance != crate::core::measure::occupancy::Provenance::Exact,
        segments: b
            .buckets
            .iter()
            .map(|b| crate::core::event::Segment { category: b.id.clone(), label: b.label.clone(), tokens: b.tokens, items: b.items.clone(), summed: b.summed })
            .collect(),
        overhead: b.overhead,
        provenance: b.provenance,
        usable: b.usable,
        reclaimed: (b.reclaimed > 0).then_some(b.reclaimed),
        thresholds: b.thresholds,
        assumed: b.assumed,
    }
}
