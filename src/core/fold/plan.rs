//! Plans one fold: what it would cover, or why it is not made.
//!
//! Decides in order: is anything in the way (switch, breaker, cooldown, overhead), is there a safe cut,
//! do positions and rows agree. Nothing changes here and nobody is called.

use serde::{Deserialize, Serialize};

use crate::core::cut::{self, Mirror, Options};
use crate::core::session::Session;
use crate::core::state::Edit;
use crate::core::transcript::Role;

/// Why a fold is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Reason {
    /// Occupancy reached the soft threshold.
    Soft,
    /// Occupancy reached the hard threshold.
    Hard,
    /// The host's chapter boundary.
    Chapter,
    /// `compact()`.
    Asked,
    /// The new model's window is smaller.
    Model,
}

impl Reason {
    /// Whether thresholds, cooldown and breaker are ignored.
    pub fn forced(self) -> bool {
        matches!(self, Reason::Asked)
    }

    /// The word in requests and events.
    pub fn as_str(self) -> &'static str {
        match self {
            Reason::Soft => "soft",
            Reason::Hard => "hard",
            Reason::Chapter => "chapter",
            Reason::Asked => "asked",
            Reason::Model => "model",
        }
    }
}

/// What a fold would do; JSON, so that a queue can carry it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FoldPlan {
    /// The same plan has the same id.
    pub id: String,
    /// Why.
    pub reason: Reason,
    /// First position covered.
    pub from: u64,
    /// Last position covered.
    pub covered: u64,
    /// First position kept, if a kept row is stored.
    pub first_kept: Option<u64>,
    /// The boundary it starts from.
    pub boundary: Option<u64>,
    /// Hash of the covered rows.
    pub hash: String,
    /// Occupancy when it was planned.
    pub tokens: u32,
    /// How often the conversation had been cleared: a fold of what was cleared meanwhile does not land.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub epoch: u32,
}

fn is_zero(n: &u32) -> bool {
    *n == 0
}

/// Why a fold is not made.
pub type Decline = &'static str;

/// The index before which everything is covered, checked against the durable positions.
pub fn plan(session: &Session, reason: Reason) -> Result<FoldPlan, Decline> {
    let config = &session.config.summarize;
    if !config.enabled {
        return Err("unavailable");
    }
    let occupancy = session.guarded_tokens();
    if !reason.forced() {
        check_breaker(session, occupancy)?;
        check_overhead(session)?;
    }
    let cut = safe_cut(session).ok_or("nothing_to_fold")?;
    if !reason.forced() && session.state.fold().is_some() && coverable(session, cut) < u64::from(session.config.eviction.clear_at_least) {
        return Err("no_progress");
    }
    let positions: Vec<Option<u64>> = session.transcript.rows().iter().map(|r| r.position).collect();
    let Mirror { covered, first_kept } = cut::mirror(&positions, cut).map_err(|e| e.reason())?;
    if session.state.boundary.is_some_and(|b| covered <= b) {
        return Err("nothing_covered");
    }
    let from = positions.iter().flatten().copied().filter(|p| session.state.boundary.is_none_or(|b| *p > b)).min().unwrap_or(covered);
    let hash = prefix_hash(session, covered);
    Ok(FoldPlan {
        id: format!("{hash}-{covered}"),
        reason,
        from,
        covered,
        first_kept,
        boundary: session.state.boundary,
        hash,
        tokens: occupancy,
        epoch: session.state.epoch,
    })
}

/// The largest legal cut that keeps what is to be kept and covers something new.
pub fn safe_cut(session: &Session) -> Option<usize> {
    let pinned = session.pinned_rows();
    let scale = |n: u64| session.gauge.scale(n);
    let options = Options::of(session, &pinned, &scale);
    let plan = cut::plan(&session.transcript, session.profile.cuts, &options);
    plan.safe.filter(|cut| *cut > session.first_kept() && coverable(session, *cut) > 0)
}

/// The breaker opens after three failures and lets one try through when occupancy grew.
fn check_breaker(session: &Session, occupancy: u32) -> Result<(), Decline> {
    let breaker = session.state.breaker;
    if breaker.failures < 3 {
        return Ok(());
    }
    let grown = breaker.opened_at.is_none_or(|at| occupancy >= at.saturating_add(session.model.window / 20));
    if grown { Ok(()) } else { Err("breaker_open") }
}

/// Folding cannot help when what is not history fills the window already.
fn check_overhead(session: &Session) -> Result<(), Decline> {
    if fixed_tokens(session) >= i64::from(session.thresholds().soft) { Err("overhead_exceeds_budget") } else { Ok(()) }
}

/// Tokens of what is not history and no relief can touch.
pub fn fixed_tokens(session: &Session) -> i64 {
    let system: u64 = session.transcript.rows().iter().filter(|r| r.role == Role::System).map(|r| u64::from(r.view_tokens())).sum();
    i64::from(session.gauge.scale(session.frame.tokens() + system)) + session.signed_overhead()
}

/// Tokens that an eviction could free at most: the results that may go, less their stubs.
pub fn evictable(session: &Session) -> u32 {
    const STUB: u32 = 60;
    let config = &session.config.eviction;
    let index = session.transcript.index();
    let with_results: Vec<usize> = index.rounds().iter().filter(|r| r.is_closed() && r.has_results).map(|r| r.start).collect();
    let keep = with_results.len().saturating_sub(config.keep_recent_rounds as usize);
    let limit = with_results.get(keep).copied().unwrap_or(session.transcript.len()).min(session.transcript.first_unread());
    let tokens = session.results_from(session.first_kept()).into_iter().filter(|(_, row, _)| *row < limit).filter_map(|(call, row, part)| {
        let stubbed = matches!(session.entry(call).and_then(|e| e.edit.as_ref()), Some(Edit::Stub { .. }));
        let part = session.transcript.part(row, part).filter(|p| !stubbed && p.view_tokens() >= config.min_result_tokens)?;
        Some(u64::from(part.view_tokens().saturating_sub(STUB)))
    });
    session.gauge.scale(tokens.sum())
}

/// Tokens of the rows a cut would cover.
pub fn coverable(session: &Session, cut: usize) -> u64 {
    let from = session.first_kept();
    let rows = session.transcript.rows().iter().take(cut).skip(from);
    rows.filter(|r| r.role != Role::System).map(|r| u64::from(r.view_tokens())).sum()
}

/// Hash of everything up to a position: a late result lands only on the rows it was made from.
pub fn prefix_hash(session: &Session, covered: u64) -> String {
    let mut hash = xxhash_rust::xxh3::Xxh3::new();
    for row in session.transcript.rows() {
        let position = row.key_position();
        if row.role == Role::System || position.is_none_or(|p| p > covered) || session.state.boundary.is_some_and(|b| position.is_some_and(|p| p <= b)) {
            continue;
        }
        hash.update(&[row.role as u8]);
        for part in &row.parts {
            hash.update(&[part.kind as u8]);
            hash.update(part.name.as_bytes());
            hash.update(&part.measure.hash.to_le_bytes());
        }
    }
    format!("{:032x}", hash.digest128())
}
