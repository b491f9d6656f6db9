//! What of a state a branch takes along, and what a reset leaves.
//!
//! Decides by positions: a decision goes along when everything it is about does. Texts that name rows are
//! told anew, because the branch stores its rows under other positions.

use std::collections::BTreeMap;

use super::restore::orders;
use super::state::State;
use super::view::{Block, Fold, HeadOrigin};

/// Where the branch stores the rows it took over: position here → position there.
pub type Positions = BTreeMap<u64, u64>;

/// Position and ordinal of a call's key, where its row was stored.
fn place(key: &str) -> Option<(u64, &str)> {
    let (position, ordinal) = key.split_once('.')?;
    Some((position.parse().ok()?, ordinal))
}

/// Handles of stored outputs whose calls are in rows up to `at`; they are copied, not shared.
pub fn handles(state: &State, at: u64) -> Vec<String> {
    let folded = state.folds.iter().flat_map(|f| f.stored.iter()).filter(|(_, p)| **p <= at).map(|(h, _)| h.clone());
    let entries = state.entries.iter().filter(|(key, _)| place(key).is_some_and(|(p, _)| p <= at)).filter_map(|(_, e)| e.handle.clone());
    let mut all: Vec<String> = folded.chain(entries).collect();
    all.sort();
    all.dedup();
    all
}

/// The state of a branch that holds the rows up to `at`.
///
/// A fold goes along when it was made on rows of the branch alone; else its rows are there to fold again.
pub fn branch(state: &State, at: u64, positions: &Positions) -> State {
    let map = |p: u64| positions.get(&p).copied().unwrap_or(p);
    let folds: Vec<Fold> = state.folds.iter().take_while(|f| f.newest.unwrap_or(f.to) <= at && f.to < at).cloned().collect();
    let folds: Vec<Fold> = folds.into_iter().map(|f| moved_fold(f, &map)).collect();
    let boundary = folds.iter().rev().find(|f| f.active).map(|f| f.to);
    let entries = state.entries.iter().filter_map(|(key, entry)| {
        let (position, ordinal) = place(key).filter(|(p, _)| *p <= at)?;
        Some((format!("{}.{ordinal}", map(position)), entry.clone()))
    });
    let mut out = State {
        boundary,
        entries: entries.collect(),
        blocks: state.blocks.iter().filter(|b| b.to <= at).cloned().map(|b| moved_block(b, &map)).collect(),
        folds: folds.into(),
        taken: state.taken.clone(),
        stripped: state.stripped.iter().filter(|p| **p <= at).map(|p| map(*p)).collect(),
        context: state.context.clone(),
        order_keys: moved_keys(&state.order_keys, at, &map).into(),
        pins: state.pins.iter().filter(|p| **p <= at).map(|p| map(*p)).collect(),
        turn: state.turn.filter(|p| *p <= at).map(map),
        calibration: state.calibration,
        model: state.model.clone(),
        calibrations: state.calibrations.clone(),
        windows: state.windows.clone(),
        ..State::default()
    };
    if out.boundary != state.boundary.map(map) {
        // The context was captured with the fold that stayed behind.
        out.context = None;
    }
    out
}

fn moved_keys(keys: &BTreeMap<String, String>, at: u64, map: &dyn Fn(u64) -> u64) -> BTreeMap<String, String> {
    let known = keys.iter().filter_map(|(p, key)| Some((p.parse::<u64>().ok().filter(|p| *p <= at)?, key)));
    known.map(|(p, key)| (map(p).to_string(), key.clone())).collect()
}

fn moved_fold(mut fold: Fold, map: &dyn Fn(u64) -> u64) -> Fold {
    (fold.from, fold.to, fold.newest) = (map(fold.from), map(fold.to), fold.newest.map(map));
    for order in &mut fold.orders {
        order.position = map(order.position);
    }
    fold.stored.values_mut().for_each(|p| *p = map(*p));
    let told = orders::head_part(&fold.orders);
    for part in fold.head.iter_mut().filter(|p| p.origin == HeadOrigin::Orders) {
        if let Some(text) = &told {
            part.text.clone_from(text);
        }
    }
    fold
}

fn moved_block(mut block: Block, map: &dyn Fn(u64) -> u64) -> Block {
    let (from, to) = (map(block.from), map(block.to));
    if let Some(handle) = &mut block.handle {
        let moved = format!("rows:{from}-{to}");
        block.text = block.text.replace(handle.as_str(), &moved);
        *handle = moved;
    }
    (block.from, block.to) = (from, to);
    block
}

/// A fresh start on the same rows: no fold, no relief, nothing stored. What the redact hook changed stays as the
/// view showed it, because old rows do not pass the hook again; with `all` nothing stays.
pub fn reset(state: &State, all: bool) -> State {
    let epoch = state.epoch.wrapping_add(1);
    if all {
        return State { epoch, ..State::default() };
    }
    let redacted = state.entries.iter().filter(|(_, e)| e.redacted).map(|(k, e)| (k.clone(), e.clone()));
    State {
        epoch,
        entries: redacted.collect(),
        order_keys: state.order_keys.clone(),
        pins: state.pins.clone(),
        calibration: state.calibration,
        model: state.model.clone(),
        calibrations: state.calibrations.clone(),
        windows: state.windows.clone(),
        ..State::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::state::Entry;
    use crate::core::view::{BlockKind, HeadPart, Order};

    fn fold(to: u64, newest: u64) -> Fold {
        let orders = vec![Order { position: 3, key: None, text: "use tabs".into() }];
        let text = orders::head_part(&orders).expect("orders");
        let head = vec![HeadPart { origin: HeadOrigin::Orders, tokens: 1, text }];
        Fold {
            id: format!("f{to}"),
            from: 0,
            to,
            newest: Some(newest),
            active: true,
            summary: "s".into(),
            head,
            orders,
            ids: BTreeMap::new(),
            stored: [("c1".to_owned(), 12)].into(),
        }
    }

    fn state() -> State {
        let entry = |handle: &str| Entry { handle: Some(handle.into()), ..Entry::default() };
        State {
            boundary: Some(22),
            folds: vec![fold(15, 19), fold(22, 30)].into(),
            entries: BTreeMap::from([
                ("18.0".to_owned(), entry("c2")),
                ("25.0".to_owned(), entry("c3")),
                ("19.1".to_owned(), Entry { redacted: true, handle: None, ..entry("") }),
            ])
            .into(),
            blocks: vec![Block { kind: BlockKind::Group, from: 16, to: 17, text: "[… rows:16-17 …]".into(), tokens: 4, handle: Some("rows:16-17".into()) }]
                .into(),
            pins: [3, 40].into_iter().collect(),
            ..State::default()
        }
    }

    #[test]
    fn br_1_what_was_made_on_rows_of_the_branch_goes_along_under_its_positions() {
        let positions: Positions = (0..=20).map(|p| (p, p + 100)).collect();
        let child = branch(&state(), 20, &positions);
        assert_eq!((child.boundary, child.folds.len()), (Some(115), 1));
        assert!(child.folds[0].head[0].text.contains("[row 103]\nuse tabs"));
        assert_eq!(child.entries.keys().collect::<Vec<_>>(), ["118.0", "119.1"]);
        assert_eq!((child.blocks[0].from, child.blocks[0].handle.as_deref(), child.blocks[0].text.as_str()), (116, Some("rows:116-117"), "[… rows:116-117 …]"));
        assert_eq!(child.pins.iter().copied().collect::<Vec<_>>(), [103]);
        assert_eq!(handles(&state(), 20), ["c1", "c2"]);
    }

    #[test]
    fn a_fold_that_saw_later_rows_stays_behind() {
        assert_eq!(branch(&state(), 18, &Positions::new()).boundary, None);
        assert_eq!(branch(&state(), 19, &Positions::new()).boundary, Some(15));
    }

    #[test]
    fn a_reset_forgets_everything_but_what_was_redacted() {
        let fresh = reset(&state(), false);
        assert_eq!((fresh.boundary, fresh.folds.len(), fresh.entries.len(), fresh.pins.len()), (None, 0, 1, 2));
        assert_eq!(reset(&state(), true), State { epoch: 1, ..State::default() });
    }
}
