//! The legal cuts of a transcript and the safe one among them.
//!
//! Safe is the largest legal cut that keeps the newest messages and rounds the host asked for, whichever
//! keeps more; a token bound may shorten that tail, to one closed round at least. Linear in the transcript.

use serde::Serialize;

use super::rules::{self, About, Ground, Rule, RuleSet, Span, Spans};
use crate::core::config::{ReasoningBinding, ReasoningOnEdit};
use crate::core::session::Session;
use crate::core::transcript::Transcript;

/// Most ids a sentence names.
const NAMED: usize = 3;
/// The tail's bound where the host sets none.
const TAIL_TOKENS: u32 = 20_000;

/// What a cut has to keep.
#[derive(Clone, Copy)]
pub struct Options<'a> {
    /// Newest messages that stay verbatim.
    pub keep_recent: usize,
    /// Newest closed assistant rounds that stay verbatim, those without calls included.
    pub keep_rounds: usize,
    /// Most tokens the tail may weigh before it is shortened.
    pub tail_tokens: u32,
    /// Rows the host pinned.
    pub pinned: &'a [usize],
    /// What the provider binds reasoning to.
    pub binding: ReasoningBinding,
    /// Whether the host has the provider drop reasoning that no longer fits.
    pub provider_drops: bool,
    /// From measured tokens to the provider's.
    pub scale: Option<&'a dyn Fn(u64) -> u32>,
}

impl Default for Options<'_> {
    /// Nothing to keep besides what the rules keep.
    fn default() -> Self {
        Options { keep_recent: 0, keep_rounds: 0, tail_tokens: u32::MAX, pinned: &[], binding: ReasoningBinding::None, provider_drops: false, scale: None }
    }
}

impl<'a> Options<'a> {
    /// What a session's configuration asks for; `scale` is the gauge's.
    pub fn of(session: &Session, pinned: &'a [usize], scale: &'a dyn Fn(u64) -> u32) -> Self {
        let summarize = &session.config.summarize;
        Options {
            keep_recent: summarize.keep_recent as usize,
            keep_rounds: summarize.keep_rounds as usize,
            tail_tokens: summarize.tail_tokens.unwrap_or_else(|| TAIL_TOKENS.min(session.thresholds().soft / 2)),
            pinned,
            binding: session.config.reasoning_binding.unwrap_or(ReasoningBinding::None),
            provider_drops: session.config.reasoning_on_edit == ReasoningOnEdit::ProviderDrop,
            scale: Some(scale),
        }
    }
}

/// What decided the size of the tail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum KeptBy {
    /// `summarize.keepRecent`.
    KeepRecent,
    /// `summarize.keepRounds`.
    KeepRounds,
    /// `summarize.tailTokens` shortened it.
    TailTokens,
    /// Neither; the rules alone.
    Rules,
}

/// The tail the host asked for weighs more than it may: finding `tail_over_budget`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TailOverBudget {
    /// Tokens of the tail that was asked for.
    pub asked: u32,
    /// Tokens of the tail that stays.
    pub kept: u32,
    /// The bound.
    pub bound: u32,
}

/// One rule that forbids one position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Illegal {
    /// The position.
    pub at: usize,
    /// The rule.
    pub rule: Rule,
    /// The rule in words, with the ids and rows it is about.
    pub why: String,
}

/// Every position of a transcript, judged.
#[derive(Clone, Debug)]
pub struct CutPlan {
    /// The safe cut; none means `nothing_to_fold`.
    pub safe: Option<usize>,
    /// What decided it.
    pub kept_by: KeptBy,
    /// Whether the tail is heavier than it may be.
    pub tail_over_budget: Option<TailOverBudget>,
    /// System rows in front, which stay: a fold takes the rows from here to the cut.
    pub leading: usize,
    legal: Vec<bool>,
    spans: Vec<Span>,
}

/// Judges every position and picks the safe cut.
pub fn plan(transcript: &Transcript, rules: RuleSet, options: &Options<'_>) -> CutPlan {
    let leading = transcript.leading();
    let ground = Ground { transcript, options, leading };
    let mut spans = Spans::new(rules);
    rules::structural(&ground, &mut spans);
    rules::guards(&ground, &mut spans);
    let mut legal = open_positions(transcript.len(), &spans.list);
    let tail = Tail::of(transcript, options, leading, &legal);
    if tail.cap < transcript.len() {
        spans.forbid(Rule::Tail, tail.cap + 1, transcript.len(), About::Number(transcript.len() - tail.cap));
        legal.iter_mut().skip(tail.cap + 1).for_each(|l| *l = !rules.has(Rule::Tail) && *l);
    }
    let safe = legal.iter().take(tail.cap + 1).rposition(|l| *l);
    CutPlan { safe, kept_by: tail.kept_by, tail_over_budget: tail.over, leading, legal, spans: spans.list }
}

/// Which positions no span covers.
pub(super) fn open_positions(len: usize, spans: &[Span]) -> Vec<bool> {
    let mut change = vec![0i32; len + 2];
    for span in spans {
        if let Some(n) = change.get_mut(span.from) {
            *n += 1;
        }
        if let Some(n) = change.get_mut(span.to + 1) {
            *n -= 1;
        }
    }
    let mut depth = 0;
    change
        .iter()
        .take(len + 1)
        .map(|n| {
            depth += n;
            depth == 0
        })
        .collect()
}

/// The largest position that keeps what is to be kept.
struct Tail {
    cap: usize,
    kept_by: KeptBy,
    over: Option<TailOverBudget>,
}

impl Tail {
    fn of(transcript: &Transcript, options: &Options<'_>, leading: usize, legal: &[bool]) -> Tail {
        let len = transcript.len();
        let recent = len.saturating_sub(options.keep_recent);
        let rounds = if options.keep_rounds == 0 { len } else { nth_newest_closed(transcript, options.keep_rounds).unwrap_or(0) };
        let cap = recent.min(rounds);
        let kept_by = match cap {
            _ if cap >= len => KeptBy::Rules,
            _ if recent < rounds => KeptBy::KeepRecent,
            _ => KeptBy::KeepRounds,
        };
        Tail { cap, kept_by, over: None }.bounded(transcript, options, leading, legal)
    }

    /// Shortens a tail that is too heavy: to the smallest legal cut that fits, one closed round at least.
    fn bounded(self, transcript: &Transcript, options: &Options<'_>, leading: usize, legal: &[bool]) -> Tail {
        let scale = |n: u64| options.scale.map_or(n.min(u64::from(u32::MAX)) as u32, |f| f(n));
        let safe = legal.iter().take(self.cap + 1).rposition(|l| *l).unwrap_or(leading);
        let weight = |from: usize| transcript.rows().iter().skip(from).map(|r| u64::from(r.view_tokens())).sum::<u64>();
        let asked = scale(weight(safe));
        if asked <= options.tail_tokens {
            return self;
        }
        let most = nth_newest_closed(transcript, 1).unwrap_or(0).max(self.cap);
        let mut left = weight(safe);
        let mut best = (safe, asked);
        for (at, row) in transcript.rows().iter().enumerate().skip(safe).take((most + 1).saturating_sub(safe)) {
            if legal.get(at) == Some(&true) {
                best = (at, scale(left));
                if best.1 <= options.tail_tokens {
                    break;
                }
            }
            left -= u64::from(row.view_tokens());
        }
        let over = TailOverBudget { asked, kept: best.1, bound: options.tail_tokens };
        match best.0 > self.cap {
            true => Tail { cap: best.0, kept_by: KeptBy::TailTokens, over: Some(over) },
            false => Tail { over: Some(over), ..self },
        }
    }
}

/// First row of the n-th newest closed round; an open round is kept besides and not counted.
fn nth_newest_closed(transcript: &Transcript, n: usize) -> Option<usize> {
    let index = transcript.index();
    index.rounds().iter().rev().filter(|r| r.is_closed()).nth(n.checked_sub(1)?).map(|r| r.start)
}

impl CutPlan {
    /// Whether a cut at this position is legal.
    pub fn is_legal(&self, at: usize) -> bool {
        self.legal.get(at) == Some(&true)
    }

    /// Every legal position, ascending.
    pub fn legal(&self) -> impl Iterator<Item = usize> + '_ {
        self.legal.iter().enumerate().filter(|(_, l)| **l).map(|(at, _)| at)
    }

    /// The nearest legal position above.
    pub fn next_up(&self, at: usize) -> Option<usize> {
        self.legal.iter().enumerate().skip(at + 1).find(|(_, l)| **l).map(|(i, _)| i)
    }

    /// The nearest legal position below.
    pub fn next_down(&self, at: usize) -> Option<usize> {
        self.legal.iter().take(at).rposition(|l| *l)
    }

    /// The rules that forbid a position, none for a legal one.
    pub fn why(&self, transcript: &Transcript, at: usize) -> Vec<Illegal> {
        let mut here: Vec<&Span> = self.spans.iter().filter(|s| s.from <= at && at <= s.to).collect();
        here.sort_by_key(|s| s.rule);
        judged(transcript, at, &here)
    }

    /// Every illegal position with every rule that forbids it, ascending.
    pub fn illegal(&self, transcript: &Transcript) -> Vec<Illegal> {
        let mut order: Vec<&Span> = self.spans.iter().collect();
        order.sort_by_key(|s| s.from);
        let mut coming = order.into_iter().peekable();
        let mut here: Vec<&Span> = Vec::new();
        let mut out = Vec::new();
        for at in 0..self.legal.len() {
            here.retain(|s| s.to >= at);
            let mut grew = false;
            while let Some(span) = coming.next_if(|s| s.from <= at) {
                here.push(span);
                grew = true;
            }
            if grew {
                here.sort_by_key(|s| s.rule);
            }
            out.extend(judged(transcript, at, &here));
        }
        out
    }
}

/// One entry per rule over spans in the order of their rules.
fn judged(transcript: &Transcript, at: usize, here: &[&Span]) -> Vec<Illegal> {
    here.chunk_by(|a, b| a.rule == b.rule)
        .filter_map(|group| {
            let rule = group.first()?.rule;
            let subjects: Vec<About> = group.iter().take(NAMED).map(|s| s.about).collect();
            Some(Illegal { at, rule, why: rules::sentence(transcript, at, rule, &subjects, group.len() - subjects.len()) })
        })
        .collect()
}
