//! What fills the window, by bucket: frame, head, blocks and rows as the view shows them, in the provider's tokens.

use crate::core::measure::breakdown::{Breakdown, Item, breakdown};
use crate::core::session::Session;
use crate::core::view::HeadOrigin;

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
