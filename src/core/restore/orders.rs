//! The user's own messages that were removed from the view, put back verbatim: newest wins.
//!
//! Decides which fit the budget and how they read. Refuses to guess which message is an instruction:
//! every message of a person is one. Topics come from the host alone.

use super::frames::escape;
use crate::core::relieve::text::{Units, Utf16, head_end, tail_start};
use crate::core::view::Order;

/// Chooses what is carried on: newest first, whole, until the budget is spent.
///
/// `weigh` gives tokens of a text. An order larger than the whole budget keeps its beginning and end.
/// `readable`: rows can be read back by their position.
pub fn choose(mut orders: Vec<Order>, budget: u32, readable: bool, weigh: &dyn Fn(&str) -> u32) -> Vec<Order> {
    orders.sort_by_key(|o| o.position);
    orders.dedup_by_key(|o| o.position);
    let mut left = budget;
    let mut kept: Vec<Order> = Vec::new();
    for order in orders.iter().rev() {
        let superseded = order.key.is_some() && kept.iter().any(|k| k.key == order.key);
        if superseded {
            kept.push(Order { text: String::new(), ..order.clone() });
            continue;
        }
        let tokens = weigh(&order.text);
        if tokens <= left {
            left -= tokens;
            kept.push(order.clone());
        } else if tokens > budget && left > budget / 4 {
            let text = elide(order, left, tokens, readable);
            left = left.saturating_sub(weigh(&text));
            kept.push(Order { text, ..order.clone() });
        }
    }
    kept.reverse();
    kept
}

/// The beginning and the end of an order that is larger than the budget, with the count of what is missing.
fn elide(order: &Order, left: u32, tokens: u32, readable: bool) -> String {
    let text = Units::from(order.text.as_str());
    let len = u64::from(text.len());
    let room = (len * u64::from(left) / u64::from(tokens.max(1)) * 9 / 10).saturating_sub(120) as u32;
    let head = head_end(&text, 7 * room / 10);
    let tail = tail_start(&text, room - 7 * room / 10);
    let gone = tail.saturating_sub(head);
    let at = order.position;
    let whole =
        if readable { format!("read_tool_output({{ id: \"rows:{at}-{at}\" }}) reads the whole message") } else { format!("the whole message is row {at}") };
    format!("{}\n[… {gone} characters left out; {whole} …]\n{}", text.slice(0..head), text.slice(tail..text.len()))
}

/// The part of the head; none when there are no orders.
pub fn head_part(orders: &[Order]) -> Option<String> {
    if orders.is_empty() {
        return None;
    }
    let mut out = String::from("<standing_orders>\nThe user's own messages, oldest first. Where two disagree the newer one holds.\n");
    for order in orders {
        match (&order.key, order.text.is_empty()) {
            (Some(key), true) => out.push_str(&format!("\nsuperseded: {key} (row {})\n", order.position)),
            (_, true) => {}
            _ => out.push_str(&format!("\n[row {}]\n{}\n", order.position, escape(&order.text))),
        }
    }
    out.push_str("</standing_orders>");
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(position: u64, key: Option<&str>, text: &str) -> Order {
        Order { position, key: key.map(str::to_owned), text: text.to_owned() }
    }

    fn chars4(text: &str) -> u32 {
        text.len().div_ceil(4) as u32
    }

    #[test]
    fn re_2_a_newer_order_with_the_same_topic_replaces_the_text_of_the_older() {
        let kept = choose(vec![order(3, Some("indent"), "use tabs"), order(40, Some("indent"), "use spaces")], 100, false, &chars4);
        let text = head_part(&kept).expect("orders");
        assert!(text.contains("use spaces") && !text.contains("use tabs") && text.contains("superseded: indent (row 3)"));
    }

    #[test]
    fn re_3_a_huge_order_keeps_both_ends_and_small_newer_ones_stay_whole() {
        let kept = choose(vec![order(1, None, &"x".repeat(100_000)), order(2, None, "short one"), order(3, None, "short two")], 1_000, false, &chars4);
        assert_eq!(kept.len(), 3);
        assert!(kept[0].text.contains("characters left out") && chars4(&kept[0].text) <= 1_000);
        assert_eq!((kept[1].text.as_str(), kept[2].text.as_str()), ("short one", "short two"));
    }

    #[test]
    fn the_newest_come_first_when_the_budget_is_short() {
        let kept = choose(vec![order(1, None, &"a".repeat(400)), order(2, None, &"b".repeat(400))], 150, false, &chars4);
        assert_eq!(kept.iter().map(|o| o.position).collect::<Vec<_>>(), [2]);
    }
}
