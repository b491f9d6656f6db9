//! The verdict when a request cannot fit, whatever is relieved: which bound, by how much, what would help.

use crate::core::error::{Code, Error};
use crate::core::session::Session;
use crate::core::transcript::Role;

/// The error, if the request as it stands is over the limit. A request of exactly the limit fits.
pub fn verdict(session: &Session) -> Option<Error> {
    let thresholds = session.thresholds();
    let tokens = session.guarded_tokens();
    if tokens <= thresholds.limit {
        return None;
    }
    let over = tokens - thresholds.limit;
    let reserve = thresholds.window - thresholds.usable;
    let (bound, size, row) = bound(session);
    let fits_output = thresholds.window.checked_sub(tokens).filter(|n| *n > 0);
    let row_chars = row.map(|(len, weight)| {
        // What the others leave for this row, in its own characters.
        let left = thresholds.limit.saturating_sub(tokens.saturating_sub(weight));
        u64::from(len) * u64::from(left) / u64::from(weight.max(1))
    });
    let mut change = serde_json::Map::new();
    change.insert("window".into(), u64::from(tokens + reserve).into());
    if let Some(n) = fits_output {
        change.insert("maxOutput".into(), n.into());
    }
    if let Some(n) = row_chars {
        change.insert("rowChars".into(), n.into());
    }
    let message = format!("the request needs {tokens} tokens of {} that fit; the bound is {bound} with {size} tokens", thresholds.limit);
    Some(
        Error::new(Code::BudgetImpossible, message)
            .with("bound", bound)
            .with("tokens", size)
            .with("limit", thresholds.limit)
            .with("over", over)
            .with("change", change)
            .with("before", session.raw_tokens()),
    )
}

/// What takes the room: its name, its tokens, and the one row to shorten, if it is one.
fn bound(session: &Session) -> (String, u32, Option<(u32, u32)>) {
    let limit = session.thresholds().limit;
    let scale = |n: u64| session.gauge.scale(n);
    let fixed = i64::from(scale(session.frame.tokens())) + session.signed_overhead().max(0);
    if fixed > i64::from(limit) {
        return ("system prompt and tools".into(), fixed.clamp(0, i64::from(u32::MAX)) as u32, None);
    }
    let unread = session.transcript.first_unread();
    let rows = session.transcript.rows();
    let visible = || rows.iter().enumerate().filter(|(_, r)| !r.is_hidden());
    let pinned: u64 = visible().filter(|(_, r)| r.position.is_some_and(|p| session.state.pins.contains(&p))).map(|(_, r)| u64::from(r.view_tokens())).sum();
    if pinned * 2 > session.measured(usize::MAX) {
        return (format!("{} pinned rows", session.state.pins.len()), scale(pinned), None);
    }
    let Some((at, row)) = visible().max_by_key(|(_, r)| r.view_tokens()) else { return ("the head".into(), scale(session.head_tokens()), None) };
    let weight = scale(u64::from(row.view_tokens()));
    if u64::from(row.view_tokens()) * 2 < session.measured(usize::MAX) {
        return ("the protected tail".into(), scale(visible().map(|(_, r)| u64::from(r.view_tokens())).sum()), None);
    }
    let who = match row.role {
        Role::User => "user message",
        Role::Assistant => "assistant message",
        Role::Tool => "tool result",
        Role::System => "system message",
    };
    let name = if at >= unread { format!("unread {who}") } else { who.to_owned() };
    let len = row.parts.iter().map(|p| p.measure.len).max().unwrap_or(0);
    (name, weight, Some((len, weight)))
}
