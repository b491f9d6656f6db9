//! The order of relief: what is due at this step, cheapest first.
//!
//! Decides whether a stage acts, and applies what it planned to the session. Refuses the effects: the
//! driver spills and commits between a plan and its application.

mod arrivals;
mod by_rule;
mod evictions;

pub use arrivals::{Arrival, Arrived, apply_arrival, plan_arrivals};
pub use by_rule::{drop_spent, replace_blocks, results_of};
pub use evictions::{Evicted, INPUT_CHARS, apply_evict, drop_rounds, plan_evict};

use super::config::ToolOutput;
use super::relieve::evict::Keeping;
use super::restore::anchor;
use super::session::Session;
use super::state::Loss;
use super::view::{Block, BlockKind};

/// Whether the host keeps full texts.
pub fn keeping(tool_output: &ToolOutput, has_store: bool) -> Keeping {
    match (tool_output.persist_raw, has_store) {
        (false, _) => Keeping::Nowhere(Loss::PersistOff),
        (true, false) => Keeping::Nowhere(Loss::NoStore),
        (true, true) => Keeping::Store,
    }
}

/// The plan at the end of the prompt: once per turn and after a fold, and only when its text is new.
pub fn recite(session: &mut Session, folded: bool) {
    if !session.config.recitation.enabled {
        return;
    }
    let Some(text) = session.state.fold().and_then(|f| anchor::plan_block(&f.summary)) else { return };
    let turn = session.transcript.index().turns().last().and_then(|i| session.transcript.row(*i)).and_then(|r| r.position);
    let new_turn = turn != session.state.turn;
    let shown = session.state.blocks.iter().any(|b| b.kind == BlockKind::Anchor && b.text == text);
    if shown || !(new_turn || folded) {
        return;
    }
    session.state.turn = turn;
    let Some(at) = session.transcript.rows().iter().rev().find_map(|r| r.position) else { return };
    let tokens = session.weigh(&text);
    session.add_block(Block { kind: BlockKind::Anchor, from: at, to: at, text, tokens, handle: None }, "recited");
}
