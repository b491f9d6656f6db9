//! How much of the view the provider has seen in the same bytes before, and what broke the rest.
//!
//! Compares with the one view before; what changed in between is noted by whoever changed it.

use serde::Serialize;

use crate::core::session::{LastView, Session};

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
