//! Turns the decision log into what is sent: a recipe over the host's own messages.
//!
//! Decides the order and what each message becomes. Refuses to touch a message that no decision names:
//! it goes out as the object the host passed in.

use serde::Serialize;

use super::error::Error;
use super::ledger::{self, LedgerEntry, LedgerPart, RowState};
use super::measure::breakdown::{Breakdown, Item, breakdown};
use super::session::{LastView, Session};
use super::session_view::Placed;
use super::state::{Edit, Entry, Loss};
use super::transcript::{PartKind, Role};
use super::view::{BlockKind, Gone, HeadOrigin};

/// One step of the recipe, in view order. `to` is exclusive; every row of the list is in exactly one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase", tag = "op")]
pub enum Step {
    /// These rows go out as they are.
    Keep {
        /// First row.
        from: usize,
        /// Row after the last one.
        to: usize,
    },
    /// This row goes out as a copy with these outputs replaced.
    Edit {
        /// The row.
        row: usize,
        /// The replacements.
        set: Vec<Replace>,
        /// Parts that leave: reasoning an edit before it broke.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        cut: Vec<usize>,
        /// Parts that keep everything but their provider-side id.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        unname: Vec<usize>,
        /// Texts appended as parts behind the row's own.
        #[serde(skip_serializing_if = "Vec::is_empty")]
        append: Vec<Text>,
    },
    /// A message of ours that is no row of the host.
    Insert {
        /// Its texts, one part each, with their origins.
        parts: Vec<Text>,
        /// The row's origin.
        origin: &'static str,
    },
    /// These rows are not sent.
    Drop {
        /// First row.
        from: usize,
        /// Row after the last one.
        to: usize,
    },
}

/// A text of ours and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Text {
    /// The exact text.
    pub text: String,
    /// Its origin.
    pub origin: &'static str,
}

/// A replacement of one result's output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Replace {
    /// Index of the part in its message, as it was projected.
    pub part: usize,
    /// The new text, byte for byte; absent for a clamp.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The cap to shorten the original to; absent for a stub.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cap: Option<u32>,
    /// The handle a clamp's marker names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handle: Option<String>,
    /// Why there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss: Option<Loss>,
    /// Whether the redact hook has to be applied again before the cut.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub redacted: bool,
    /// Whether the part is a call: `text` stands in its longest string, strings over `cap` are left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub input: bool,
    /// Whether a text stands in place of each image and file, or of the part that is one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub media: bool,
}

/// How much of the view the provider has seen in the same bytes before.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Prefix {
    /// Tokens of the common beginning.
    pub tokens: u32,
    /// UTF-8 bytes of the measured texts in it.
    pub bytes: u64,
    /// Where and why the view before is not a prefix of this one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken_by: Option<BrokenBy>,
}

/// Where a view leaves the one before.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BrokenBy {
    /// Row of the host's list, `system` or `tools`.
    pub at: At,
    /// What happened.
    pub cause: &'static str,
    /// The tool it happened to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

/// A place in a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum At {
    /// A row of the host's list.
    Row(usize),
    /// A part of the frame.
    Frame(&'static str),
}

/// The recipe of the view, checked: every row is accounted for.
pub fn recipe(session: &Session) -> Result<Vec<Step>, Error> {
    ledger::check(&ledger(session), session.transcript.len())?;
    let mut pen = Pen::default();
    pen.rows(session, 0);
    Ok(pen.steps)
}

/// Writes steps in view order.
#[derive(Debug, Default)]
pub(super) struct Pen {
    pub(super) steps: Vec<Step>,
    /// The row at whose turn each step was added.
    pub(super) at: Vec<usize>,
}

impl Pen {
    fn push(&mut self, at: usize, step: Step) {
        self.steps.push(step);
        self.at.push(at);
    }

    /// The steps of the rows from `from` on; those in front of it stand.
    pub(super) fn rows(&mut self, session: &Session, from: usize) {
        let placed = session.placed();
        let mut blocks = placed.iter().skip(placed.partition_point(|p| p.row < from)).peekable();
        let leading = session.transcript.leading();
        for (at, row) in session.transcript.rows().iter().enumerate().skip(from) {
            if at == leading {
                self.head(session, at);
            }
            while let Some(placed) = blocks.next_if(|p| p.row == at && !p.behind) {
                self.block(session, placed, at);
            }
            let mut append = Vec::new();
            let mut behind = Vec::new();
            while let Some(placed) = blocks.next_if(|p| p.row == at) {
                // A block goes onto the user's own row where there is one; elsewhere it is a row of its own.
                match session.block(placed).filter(|_| row.role == Role::User && !row.is_hidden()) {
                    Some(block) if block.kind != BlockKind::Brief => append.push(Text { text: block.text.clone(), origin: block.kind.origin() }),
                    _ => behind.push(*placed),
                }
            }
            self.row(session, at, append);
            for placed in behind {
                self.block(session, &placed, at);
            }
        }
        if session.transcript.len() <= leading {
            // Behind every row there may be: with the first other row it moves.
            self.head(session, usize::MAX);
        }
    }

    fn row(&mut self, session: &Session, at: usize, append: Vec<Text>) {
        let Some(row) = session.transcript.row(at) else { return };
        if row.is_hidden() {
            match self.steps.last_mut() {
                Some(Step::Drop { to, .. }) if *to == at => *to = at + 1,
                _ => self.push(at, Step::Drop { from: at, to: at + 1 }),
            }
            return;
        }
        let (cut, unname) = session.stripped_of(at);
        if !append.is_empty() || !unname.is_empty() || row.parts.iter().any(|p| p.stand_in.is_some()) {
            self.push(at, Step::Edit { row: at, set: replacements(session, at), cut, unname, append });
        } else {
            match self.steps.last_mut() {
                Some(Step::Keep { to, .. }) if *to == at => *to = at + 1,
                _ => self.push(at, Step::Keep { from: at, to: at + 1 }),
            }
        }
    }

    /// The head: one synthetic user row in front of the kept rows.
    fn head(&mut self, session: &Session, at: usize) {
        let parts: Vec<Text> = session.head().into_iter().map(|p| Text { text: p.text, origin: head_origin(p.origin) }).collect();
        if !parts.is_empty() {
            self.push(at, Step::Insert { parts, origin: "summary" });
        }
    }

    fn block(&mut self, session: &Session, placed: &Placed, at: usize) {
        if let Some(block) = session.block(placed) {
            self.push(at, Step::Insert { parts: vec![Text { text: block.text.clone(), origin: block.kind.origin() }], origin: block.kind.origin() });
        }
    }
}

fn head_origin(origin: HeadOrigin) -> &'static str {
    match origin {
        HeadOrigin::Context => "context",
        HeadOrigin::Summary => "summary",
        HeadOrigin::Authority => "authority",
        HeadOrigin::Orders => "orders",
        HeadOrigin::Digest => "digest",
    }
}

fn edited_parts(session: &Session, row: usize) -> impl Iterator<Item = (usize, &Entry)> {
    let parts = session.transcript.row(row).map_or(&[][..], |r| r.parts.as_slice());
    let index = session.transcript.index();
    parts.iter().enumerate().filter_map(move |(i, part)| match part.kind {
        PartKind::Result => Some((i, session.entry(index.call_of_result(row, i)?)?)),
        PartKind::Call if part.stand_in.is_some() => Some((i, session.input_entry(index.call_at(row, i)?)?)),
        PartKind::Media if part.stand_in.is_some() => Some((i, session.media_entry(row, i)?)),
        _ => None,
    })
}

fn replacements(session: &Session, row: usize) -> Vec<Replace> {
    let file = |part| session.transcript.part(row, part).is_some_and(|p| p.kind == PartKind::Media);
    edited_parts(session, row)
        .filter_map(|(part, entry)| {
            Some(match entry.edit.as_ref()? {
                Edit::Stub { text, loss, .. } => Replace {
                    part,
                    text: Some(text.clone()),
                    cap: None,
                    handle: entry.handle.clone(),
                    loss: *loss,
                    redacted: entry.redacted,
                    input: false,
                    media: file(part),
                },
                Edit::Input { text, cap, .. } => Replace {
                    part,
                    text: Some(text.clone()),
                    cap: Some(*cap),
                    handle: entry.handle.clone(),
                    loss: None,
                    redacted: false,
                    input: true,
                    media: false,
                },
                Edit::Clamp { cap, media, .. } => Replace {
                    part,
                    text: None,
                    cap: Some(*cap),
                    handle: entry.handle.clone(),
                    loss: clamp_loss(session, entry),
                    redacted: entry.redacted,
                    input: false,
                    media: *media,
                },
            })
        })
        .collect()
}

/// Why a clamped result cannot be read back in full.
fn clamp_loss(session: &Session, entry: &Entry) -> Option<Loss> {
    if entry.redacted {
        Some(Loss::Redacted)
    } else if entry.capped {
        Some(Loss::OverCap)
    } else if entry.handle.is_some() {
        None
    } else if session.config.tool_output.persist_raw {
        Some(Loss::NoStore)
    } else {
        Some(Loss::PersistOff)
    }
}

/// What became of each row.
pub fn ledger(session: &Session) -> Vec<LedgerEntry> {
    session.transcript.rows().iter().enumerate().map(|(at, _)| ledger_entry(session, at)).collect()
}

pub(super) fn ledger_entry(session: &Session, at: usize) -> LedgerEntry {
    let row = session.transcript.row(at);
    let position = row.and_then(|r| r.position);
    let plain = |state| LedgerEntry { index: at, position, state, id: None, handle: None, loss: None, parts: Vec::new() };
    match row.and_then(|r| r.gone) {
        Some(Gone::Folded) => {
            let id = position.and_then(|p| session.state.folds.iter().rev().find(|f| f.active && p >= f.from && p <= f.to)).or_else(|| session.state.fold());
            let provider = || (at < session.compacted_before()).then(|| "provider".to_owned());
            return LedgerEntry { id: id.map(|f| f.id.clone()).or_else(provider), ..plain(RowState::Folded) };
        }
        Some(gone) => {
            let block = position.and_then(|p| session.state.blocks.iter().find(|b| b.hides(p)));
            let handle = block.and_then(|b| b.handle.clone());
            let loss = handle.is_none().then_some(Loss::NoStore);
            let state = if gone == Gone::Dropped { RowState::Dropped } else { RowState::Digested };
            return LedgerEntry { id: block.map(|b| format!("rows:{}-{}", b.from, b.to)), handle, loss, ..plain(state) };
        }
        None => {}
    }
    if row.is_some_and(|r| r.is_blank() || r.is_bare()) {
        return plain(RowState::Elided);
    }
    if position.is_some_and(|p| session.state.pins.contains(&p)) {
        return plain(RowState::Pinned);
    }
    let parts: Vec<LedgerPart> = edited_parts(session, at)
        .filter_map(|(part, entry)| {
            let (state, loss) = match &entry.edit {
                Some(Edit::Stub { loss, .. }) => (RowState::Evicted, *loss),
                Some(Edit::Input { .. }) => (RowState::Evicted, entry.capped.then_some(Loss::OverCap)),
                Some(Edit::Clamp { media: true, .. }) => (RowState::Evicted, clamp_loss(session, entry)),
                Some(Edit::Clamp { .. }) => (RowState::Clamped, clamp_loss(session, entry)),
                None if entry.clamped => (RowState::Clamped, clamp_loss(session, entry)),
                None => return None,
            };
            Some(LedgerPart { part, state, handle: entry.handle.clone(), loss })
        })
        .collect();
    let Some(first) = parts.first().cloned() else { return plain(RowState::Kept) };
    let worst = parts.iter().map(|p| p.state).find(|s| *s == RowState::Evicted).unwrap_or(first.state);
    let several = parts.len() > 1 || row.is_some_and(|r| r.parts.iter().filter(|p| p.kind == PartKind::Result).count() > 1);
    LedgerEntry { index: at, position, state: worst, id: None, handle: first.handle.clone(), loss: first.loss, parts: if several { parts } else { Vec::new() } }
}

/// Compares with the view before and remembers this one.
pub fn take_prefix(session: &mut Session) -> Prefix {
    let frame = session.frame.fingerprint();
    let rows = session.transcript.len();
    let change = session.change.take();
    let prefix = match &session.last {
        None => Prefix::default(),
        Some(last) => {
            let broken_by = if last.frame.0 != frame.0 {
                Some(BrokenBy { at: At::Frame("system"), cause: "changed", name: None })
            } else if last.frame.1 != frame.1 {
                Some(tools_changed(&last.frame.1, &frame.1, &session.state.promoted))
            } else {
                change.filter(|c| c.row < last.rows).map(|c| BrokenBy { at: At::Row(c.row), cause: c.cause, name: None })
            };
            let common = match &broken_by {
                Some(BrokenBy { at: At::Frame(_), .. }) => None,
                Some(BrokenBy { at: At::Row(row), .. }) => Some(*row),
                None => Some(last.rows.min(rows)),
            };
            Prefix {
                tokens: common.map_or(0, |n| session.gauge.estimate(session.measured(n))),
                bytes: common.map_or(0, |n| session.frame.bytes() + session.transcript.totals_before(n).bytes),
                broken_by,
            }
        }
    };
    session.last = Some(LastView { rows, frame });
    prefix
}

/// The first tool that is not where and what it was.
fn tools_changed(before: &[(Box<str>, u128)], now: &[(Box<str>, u128)], promoted: &[String]) -> BrokenBy {
    let at = before.iter().zip(now).take_while(|(a, b)| a == b).count();
    let (was, is) = (before.get(at), now.get(at));
    let (cause, name) = match (was, is) {
        (None, Some((name, _))) if promoted.iter().any(|p| **p == **name) => ("promoted", name),
        (None, Some((name, _))) => ("added", name),
        (Some((name, _)), None) => ("removed", name),
        (Some((old, _)), Some((new, _))) if old == new => ("changed", new),
        (Some((old, _)), Some((new, _))) => {
            if now.iter().any(|(n, _)| n == old) {
                ("added", new)
            } else {
                ("removed", old)
            }
        }
        (None, None) => return BrokenBy { at: At::Frame("tools"), cause: "changed", name: None },
    };
    BrokenBy { at: At::Frame("tools"), cause, name: Some(name.to_string()) }
}

/// The breakdown of the window as it stands.
pub fn buckets(session: &Session) -> Breakdown {
    let mut buckets = session.frame.buckets();
    let mut by_kind: [(&str, u32); 7] =
        [("User", 0), ("Assistant", 0), ("Reasoning", 0), ("Tool calls", 0), ("Tool results", 0), ("Other", 0), ("Briefing and notes", 0)];
    let mut totals = session.transcript.totals();
    totals.leave_out_reasoning(session.unkept());
    let whole = |n: u64| n.min(u64::from(u32::MAX)) as u32;
    let (media, system) = (whole(totals.media), whole(totals.system));
    for (kind, tokens) in by_kind.iter_mut().zip(totals.kinds) {
        kind.1 = whole(tokens);
    }
    let mut context = 0u32;
    for part in session.head() {
        if part.origin == HeadOrigin::Context {
            context += part.tokens;
        } else if let Some(kind) = by_kind.get_mut(6) {
            kind.1 = kind.1.saturating_add(part.tokens);
        }
    }
    for placed in session.placed() {
        if let (Some(block), Some(kind)) = (session.block(placed), by_kind.get_mut(6)) {
            kind.1 = kind.1.saturating_add(block.tokens);
        }
    }
    for bucket in &mut buckets {
        match bucket.id.as_str() {
            // Captured once and sent in the head; the frame's own text may have changed since.
            "context" => {
                bucket.tokens = context;
                let listed: u32 = bucket.items.iter().map(|i| i.tokens).sum();
                match context.checked_sub(listed) {
                    // What was captured is not what the frame holds now.
                    None => bucket.items.clear(),
                    Some(0) => {}
                    Some(around) if context > 0 && listed > 0 => bucket.items.push(Item::new("Frame", around)),
                    Some(_) => bucket.items.clear(),
                }
            }
            "system" => bucket.tokens += system,
            "messages" => {
                bucket.items = by_kind.iter().filter(|(_, n)| *n > 0).map(|(label, tokens)| Item::new(*label, *tokens)).collect();
                bucket.tokens = bucket.items.iter().map(|i| i.tokens).sum();
            }
            "attachments" => bucket.tokens = media,
            _ => {}
        }
    }
    let framing = session.framing(&totals) as u32;
    if let Some(messages) = buckets.iter_mut().find(|b| b.id == "messages").filter(|_| framing > 0) {
        messages.items.push(Item::new("Framing", framing));
        messages.tokens += framing;
    }
    // What is shown is in the provider's tokens; media are priced in them already.
    for bucket in buckets.iter_mut().filter(|b| b.id != "attachments") {
        calibrate(&mut bucket.items, session);
        bucket.tokens = if bucket.items.is_empty() { session.gauge.scale(u64::from(bucket.tokens)) } else { bucket.items.iter().map(|i| i.tokens).sum() };
    }
    let mut breakdown = breakdown(buckets, session.occupancy(), &session.model, &session.thresholds(), session.state.reclaimed);
    breakdown.reclaimed_by.clone_from(&session.state.reclaimed_by);
    if session.gauge.is_void() {
        breakdown.unknown = true;
        breakdown.percent = None;
    }
    breakdown
}

fn calibrate(items: &mut [Item], session: &Session) {
    for item in items {
        calibrate(&mut item.items, session);
        item.tokens = if item.items.is_empty() { session.gauge.scale(u64::from(item.tokens)) } else { item.items.iter().map(|i| i.tokens).sum() };
    }
}
