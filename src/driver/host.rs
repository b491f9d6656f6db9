//! What the driver asks of the outside. Every method is optional; absent means the stage does without.

use serde::Deserialize;

use crate::core::event::Event;
use crate::core::fold::judge::Answer;
use crate::core::fold::request::SummarizeRequest;
use crate::core::measure::meter::Measure;
use crate::core::restore::authority::Authority;
use crate::core::state::{Loss, State};

/// Methods a host may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Reading the state.
    Load,
    /// Writing the state.
    Commit,
    /// Keeping full outputs.
    Raw,
    /// Taking secrets out.
    Redact,
    /// Writing briefings.
    Summarize,
    /// The host's rules.
    Authority,
    /// Reading durable rows by position.
    Rows,
    /// Turning texts into vectors.
    Embed,
    /// Searching the store.
    Search,
    /// Finding facts in rows.
    Extract,
    /// Writing a fact.
    AddFact,
}

/// A row of the store as text.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct OldRow {
    /// Where it is stored.
    pub position: u64,
    /// `user`, `assistant` or `tool`.
    pub role: String,
    /// Its parts that say something.
    pub parts: Vec<OldPart>,
}

/// A part of one.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct OldPart {
    /// The tool, for calls and results; else empty.
    pub tool: String,
    /// Whether it is a result.
    pub result: bool,
    /// Its text, shortened to what is indexed.
    pub text: String,
}

/// What the host's own search found.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Found {
    /// Where the row is stored.
    pub position: u64,
    /// Its text, or the stretch of it that matched.
    pub text: String,
    /// 0 to 1.
    pub score: f64,
}

/// A stored state and the store's version of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    /// The state.
    pub state: State,
    /// The version to expect at the next commit.
    pub version: u64,
}

/// How a commit ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commit {
    /// Written; this is its version.
    Done(u64),
    /// Somebody else wrote in between.
    Conflict,
}

/// A result's place in the list of the running `next`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Row.
    pub row: usize,
    /// Part within the row.
    pub part: usize,
}

/// What the marker of a cut may say about the rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap<'a> {
    /// The handle that reads the full text back.
    pub handle: Option<&'a str>,
    /// Why there is none.
    pub loss: Option<Loss>,
    /// Whether images and files are left out, too.
    pub media: bool,
}

/// The outside, as the driver sees it.
#[allow(async_fn_in_trait, reason = "single-threaded: the futures need not be Send")]
pub trait Host {
    /// The host's own failure; handed through unchanged.
    type Error;
    /// A tool output in the host's own form. It may be large and is never copied here.
    type Output;

    /// Whether the host has this method.
    fn has(&self, method: Method) -> bool;
    /// Why the running call was cancelled, if it was; it then ends with this and changes nothing.
    fn cancel_reason(&self) -> Option<Self::Error>;
    /// The output of a result of the running `next`.
    fn output(&self, at: Place) -> Self::Output;
    /// Its text, measured.
    fn measure(&self, output: &Self::Output) -> Measure;
    /// The output shortened to a cap in UTF-16 code units, in its own form.
    fn shorten(&self, output: &Self::Output, cap: u32, gap: Gap<'_>) -> Self::Output;
    /// The text of a part of the running call's list, at most `max` UTF-16 code units of it.
    fn excerpt(&self, at: Place, max: Option<u32>, handle: Option<&str>) -> String;
    /// Tells the host at once; everything else is told when the call ends.
    fn emit(&self, event: &Event);
    /// Whether the running call was cancelled: then an error is no failure of the host's.
    fn cancelled(&self) -> bool {
        self.cancel_reason().is_some()
    }
    /// Asks the summarizer.
    async fn summarize(&self, request: &SummarizeRequest) -> Result<Answer, Self::Error>;
    /// The host's rules as they stand now.
    async fn authority(&self) -> Result<Authority, Self::Error>;
    /// Waits for the fold that is being made in the background, at most so many milliseconds.
    async fn background(&self, ms: u32);
    /// Durable rows between two positions, both included.
    async fn rows(&self, _from: u64, _to: u64) -> Result<Vec<OldRow>, Self::Error> {
        Ok(Vec::new())
    }
    /// One vector per text, all of one length.
    async fn embed(&self, _texts: &[String]) -> Result<Vec<Vec<f32>>, Self::Error> {
        Ok(Vec::new())
    }
    /// The host's search, with the query's vector.
    async fn search(&self, _query: &str, _max: u32) -> Result<Vec<Found>, Self::Error> {
        Ok(Vec::new())
    }
    /// Holds the host's own messages of these rows under an id, until they are extracted or let go. Of the
    /// parts in `redacted` the host must not see the original.
    fn capture(&self, _id: &str, _rows: &[usize], _redacted: &[Place]) {}
    /// Lets them go.
    fn release(&self, _id: &str) {}
    /// Facts in the captured rows.
    async fn extract(&self, _id: &str) -> Result<Vec<String>, Self::Error> {
        Ok(Vec::new())
    }
    /// Where facts go: the agent's name, or `global`.
    fn scope(&self) -> String {
        "global".to_owned()
    }
    /// Writes one fact.
    async fn add_fact(&self, _fact: &str, _scope: &str) -> Result<(), Self::Error> {
        Ok(())
    }
    /// The image or file that a part of the running `next` is, as a text to keep.
    fn media(&self, _at: Place) -> Option<Self::Output> {
        None
    }
    /// What stands in its place: type, size, and where it is.
    fn left_out(&self, _at: Place, _gap: Gap<'_>) -> Option<String> {
        None
    }
    /// The arguments of a call of the running `next`, as a text to keep; none where they must stay.
    fn input(&self, _at: Place) -> Option<Self::Output> {
        None
    }
    /// What those arguments measure with `marker` in the longest string and strings over `cap` left out.
    fn measure_short_input(&self, _at: Place, _cap: u32, _marker: &str) -> Option<Measure> {
        None
    }
    /// Reads the state.
    async fn load(&self) -> Result<Option<Loaded>, Self::Error>;
    /// Writes the state if the store is still at the expected version.
    async fn commit(&self, state: &State, expect: Option<u64>) -> Result<Commit, Self::Error>;
    /// The output with secrets taken out; none when nothing was changed.
    async fn redact(&self, tool: &str, output: &Self::Output) -> Result<Option<Self::Output>, Self::Error>;
    /// Whether the raw store has this handle.
    async fn raw_has(&self, handle: &str) -> Result<bool, Self::Error>;
    /// Whether what it has there is this output, or what this output is a shortened copy of.
    async fn raw_is(&self, handle: &str, output: &Self::Output) -> Result<bool, Self::Error>;
    /// Stores the full text, at most so many UTF-8 bytes of it. Returns whether it was cut.
    async fn raw_put(&self, handle: &str, output: &Self::Output, cap_bytes: u32) -> Result<bool, Self::Error>;
}
