//! Relief by rule: blocks take the place of rounds, as long as that makes the view smaller.

use crate::core::relieve::cascade;
use crate::core::relieve::reach::round_tokens;
use crate::core::relieve::worth::Shown;
use crate::core::session::Session;
use crate::core::transcript::CallId;
use crate::core::view::Block;

/// Cascade, stage 2: drops the oldest spent rounds behind group lines until occupancy is at soft, at most
/// half of what all spent rounds weigh. Returns whether anything was dropped.
pub fn drop_spent(session: &mut Session, readable: bool) -> bool {
    let (rounds, most) = cascade::spent(session);
    let soft = session.thresholds().soft;
    let now = session.guarded_tokens();
    let mut taken: Vec<usize> = Vec::new();
    let mut freed = 0u64;
    for round in rounds {
        let tokens = round_tokens(session, round);
        if freed + tokens > most {
            break;
        }
        freed += tokens;
        taken.push(round);
        if now.saturating_sub(session.gauge.scale(freed)) <= soft {
            let lines: u64 = groups(session, &taken, readable).iter().map(|b| u64::from(b.tokens)).sum();
            if now.saturating_sub(session.gauge.scale(freed.saturating_sub(lines))) <= soft {
                break;
            }
        }
    }
    let mut any = false;
    for block in groups(session, &taken, readable) {
        any |= replace_blocks(session, block, "dropped");
    }
    any
}

fn groups(session: &Session, rounds: &[usize], readable: bool) -> Vec<Block> {
    let mut shown = Shown::of(session);
    cascade::runs(session, rounds).iter().filter_map(|run| cascade::group(session, run, &mut shown, readable)).collect()
}

/// Adds a block; what it covers whole is in it and goes. A block that would not make the view smaller is
/// not added.
pub fn replace_blocks(session: &mut Session, block: Block, cause: &'static str) -> bool {
    let mark = session.mark();
    let before = session.measured(usize::MAX);
    session.state.blocks.retain(|b| b.kind.gone().is_none() || b.from < block.from || b.to > block.to);
    session.add_block(block, cause);
    let smaller = session.measured(usize::MAX) < before;
    if !smaller {
        session.go_back(mark);
    }
    smaller
}

/// Results of rounds, with their places.
pub fn results_of(session: &Session, rounds: &[usize]) -> Vec<(CallId, (usize, usize))> {
    let index = session.transcript.index();
    let calls = rounds.iter().filter_map(|r| index.rounds().get(*r)).flat_map(|r| r.calls.0..r.calls.1);
    calls.filter_map(|c| Some((c, index.call(c)?.result?))).collect()
}
