//! The rules, each a small function that yields the positions it forbids.
//!
//! A rule says what it forbids as spans of positions and what each span is about; a sentence is made only
//! when somebody asks. Rules know nothing of each other and nothing of what is worth cutting.

mod approvals;
mod bounds;
mod guards;
mod pairs;

use serde::Serialize;

use super::plan::Options;
use crate::core::transcript::{CallId, Part, Transcript};

/// Why a position is no legal cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Rule {
    /// A call and its result.
    Pair,
    /// The results of one step's parallel calls.
    Batch,
    /// A call the provider runs, whose result comes in a later row.
    LateResult,
    /// A call made by code that another call runs.
    Caller,
    /// A call, the question whether it may run, and the answer.
    Approval,
    /// Reasoning and the call or text it led to.
    Reasoning,
    /// Reasoning of the running turn that is bound to what stands before it.
    ReasoningBound,
    /// The step that still waits for a result or for consent.
    OpenRound,
    /// What the model has not read yet.
    Unread,
    /// A row the host pinned.
    Pinned,
    /// The newest messages and rounds, which stay verbatim.
    Tail,
    /// A provider's own compaction of everything before it.
    Compaction,
    /// Nothing to take away: only system rows stand before.
    Leading,
    /// A view may only resume with an assistant row that begins a step.
    Boundary,
}

/// A set of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleSet(u32);

impl RuleSet {
    /// Every rule.
    pub const ALL: RuleSet = RuleSet(u32::MAX);

    /// The set without one rule.
    pub const fn without(self, rule: Rule) -> RuleSet {
        RuleSet(self.0 & !(1 << rule as u32))
    }

    /// Whether a rule is in the set.
    pub const fn has(self, rule: Rule) -> bool {
        self.0 & (1 << rule as u32) != 0
    }
}

/// What a forbidden span is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum About {
    /// A call.
    Call(CallId),
    /// An approval: row and part of its request or answer.
    Part(usize, usize),
    /// A row.
    Row(usize),
    /// A number the sentence names.
    Number(usize),
}

/// Positions `from..=to` that a rule forbids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub rule: Rule,
    pub from: usize,
    pub to: usize,
    pub about: About,
}

/// What the rules look at.
pub(super) struct Ground<'a> {
    pub transcript: &'a Transcript,
    pub options: &'a Options<'a>,
    /// Number of system rows in front, which stay.
    pub leading: usize,
}

/// Collects spans; empty ones vanish here, so that rules need not care.
pub(super) struct Spans {
    rules: RuleSet,
    pub list: Vec<Span>,
}

impl Spans {
    pub(super) fn new(rules: RuleSet) -> Self {
        Spans { rules, list: Vec::new() }
    }

    pub(super) fn forbid(&mut self, rule: Rule, from: usize, to: usize, about: About) {
        if from <= to && self.rules.has(rule) {
            self.list.push(Span { rule, from, to, about });
        }
    }
}

/// What holds a round together, whatever the host wants to keep.
pub(super) fn structural(ground: &Ground<'_>, spans: &mut Spans) {
    pairs::pairs(ground, spans);
    pairs::batches(ground, spans);
    pairs::callers(ground, spans);
    approvals::approvals(ground, spans);
    bounds::reasoning(ground, spans);
}

/// Everything else but the tail, whose size depends on what is legal.
pub(super) fn guards(ground: &Ground<'_>, spans: &mut Spans) {
    guards::reasoning_bound(ground, spans);
    guards::open_round(ground, spans);
    guards::unread(ground, spans);
    guards::pinned(ground, spans);
    bounds::compaction(ground, spans);
    bounds::leading(ground, spans);
    bounds::boundary(ground, spans);
}

/// The sentence for a position that `rule` forbids because of `subjects`; `more` further ones go unnamed.
pub(super) fn sentence(transcript: &Transcript, at: usize, rule: Rule, subjects: &[About], more: usize) -> String {
    let names = names(transcript, subjects, more);
    let many = subjects.len() + more > 1;
    let first_row = subjects.iter().find_map(|a| row_of(transcript, a)).unwrap_or(0);
    match rule {
        Rule::Pair if many => format!("the calls {names} stand before this point and their results after it"),
        Rule::Pair => format!("the call {names} stands before this point and its result after it"),
        Rule::Batch => format!("the results of the parallel calls in row {first_row} stay together"),
        Rule::LateResult => format!("the provider runs {names}, and a result that comes later needs its call"),
        Rule::Caller => format!("{names} is called by code that a call before this point runs"),
        Rule::Approval => format!("the approval {names}, its call and its answer stay together"),
        Rule::Reasoning => format!("the reasoning in row {first_row} belongs to the row after it"),
        Rule::ReasoningBound => "the running turn holds reasoning that the provider binds to everything before it; a new turn lifts this".into(),
        Rule::OpenRound => format!("the step in row {first_row} still waits for the result of {names}"),
        Rule::Unread => format!("row {first_row} has not been read by the model yet"),
        Rule::Pinned => format!("row {first_row} is pinned"),
        Rule::Tail => tail_sentence(subjects),
        Rule::Compaction if first_row >= at => format!("row {first_row} is the provider's own compaction of everything before it"),
        Rule::Compaction => format!("row {first_row} is the provider's encrypted compaction; no summary could say what it holds"),
        Rule::Leading => "nothing but system rows stands before this point".into(),
        Rule::Boundary if at >= transcript.len() => "nothing would be left of the conversation".into(),
        Rule::Boundary => format!("row {at} does not begin an assistant step, so the kept rows could not follow a summary"),
    }
}

fn tail_sentence(subjects: &[About]) -> String {
    match subjects.first() {
        Some(About::Number(n)) => format!("the newest {n} {} stay verbatim", if *n == 1 { "row" } else { "rows" }),
        _ => "the newest rows stay verbatim".into(),
    }
}

fn row_of(transcript: &Transcript, about: &About) -> Option<usize> {
    match about {
        About::Call(id) => transcript.index().call(*id).map(|c| c.row),
        About::Part(row, _) | About::Row(row) => Some(*row),
        About::Number(_) => None,
    }
}

/// `x`, `x and y`, `x, y and 3 more`. Names are ids, never what somebody wrote.
fn names(transcript: &Transcript, subjects: &[About], more: usize) -> String {
    let of_part = |p: Option<&Part>| p.map_or_else(String::new, |p| format!("`{}`", p.id));
    let mut names: Vec<String> = subjects
        .iter()
        .map(|about| match about {
            About::Call(id) => transcript.index().call(*id).map_or_else(String::new, |c| format!("`{}`", c.handle)),
            About::Part(row, part) => of_part(transcript.part(*row, *part)),
            About::Row(row) => format!("row {row}"),
            About::Number(n) => n.to_string(),
        })
        .collect();
    if more > 0 {
        names.push(format!("{more} more"));
    }
    match names.pop() {
        None => String::new(),
        Some(last) if names.is_empty() => last,
        Some(last) => format!("{} and {last}", names.join(", ")),
    }
}
