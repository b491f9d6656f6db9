//! The lines of a row that are quoted: the stretch that holds most of the query, in whole words.
//!
//! Decides where the stretch begins and ends, in UTF-16 code units as the host counts. White space becomes
//! one space and control characters go, so that a quote is one line; nothing is ever cut inside a character.

use std::collections::BTreeMap;

use super::terms::terms;

/// Longest quote in UTF-16 code units, ellipses included.
pub const SNIPPET_UNITS: usize = 240;

/// The stretch of `text` that answers the weighted terms best, at most `max` UTF-16 code units.
///
/// The score is the sum of the weights of the terms in the stretch; 0 when it holds none, then the text's
/// beginning is taken. Empty for a blank text.
pub fn snippet(text: &str, weights: &BTreeMap<u64, f64>, max: usize) -> (String, f64) {
    let (flat, starts) = flatten(text);
    let chars: Vec<(usize, usize)> = flat
        .char_indices()
        .scan(0, |units, (at, c)| {
            let here = (at, *units);
            *units += c.len_utf16();
            Some(here)
        })
        .collect();
    let total = flat.encode_utf16().count();
    let units = |byte: usize| chars.partition_point(|c| c.0 < byte);
    let units = |byte: usize| chars.get(units(byte)).map_or(total, |c| c.1);
    let (from, to, score) = best(&flat, weights, max.saturating_sub(2), &units);
    if total <= max {
        return (flat, score);
    }
    let room = max.saturating_sub(2 + units(to) - units(from));
    let from = back(&flat, &starts, from, units(from), room, &units);
    let end_units = units(from) + max - 2;
    let mut to = chars.iter().rev().find(|c| c.1 <= end_units).map_or(0, |c| c.0).max(to);
    if units(flat.len()) <= end_units {
        to = flat.len();
    } else if let Some(space) = flat.get(from..to).and_then(|s| s.rfind(' '))
        && space > (to - from) / 2
    {
        to = from + space;
    }
    let body = flat.get(from..to).unwrap_or("").trim();
    let left = if from > 0 { "…" } else { "" };
    let right = if to < flat.len() { "…" } else { "" };
    (format!("{left}{body}{right}"), score)
}

/// One line of text, and the bytes at which a line or sentence begins.
fn flatten(text: &str) -> (String, Vec<usize>) {
    let mut flat = String::with_capacity(text.len());
    let mut starts = vec![0];
    let mut gap = false;
    let mut ends = false;
    for c in text.chars() {
        if c.is_whitespace() {
            gap = true;
            ends |= c == '\n' || flat.ends_with(['.', '!', '?', '。']);
            continue;
        }
        if c.is_control() {
            continue;
        }
        if gap && !flat.is_empty() {
            flat.push(' ');
            if ends {
                starts.push(flat.len());
            }
        }
        (gap, ends) = (false, false);
        flat.push(c);
    }
    (flat, starts)
}

/// The stretch of at most `max` units whose distinct terms weigh most; the earliest of equals.
fn best(flat: &str, weights: &BTreeMap<u64, f64>, max: usize, units: &dyn Fn(usize) -> usize) -> (usize, usize, f64) {
    let mut found: Vec<(usize, usize, u64, f64)> = Vec::new();
    terms(flat, &mut |t| {
        if let Some(weight) = weights.get(&t.hash) {
            found.push((t.from, t.to, t.hash, *weight));
        }
    });
    let mut held: BTreeMap<u64, u32> = BTreeMap::new();
    let (mut score, mut first) = (0.0, 0);
    let mut top = (0, 0, 0.0);
    for (from, to, hash, weight) in &found {
        if *held.entry(*hash).and_modify(|n| *n += 1).or_insert(1) == 1 {
            score += weight;
        }
        while let Some((at, _, old, lost)) = found.get(first)
            && units(*to) - units(*at) > max
            && at < from
        {
            if let Some(n) = held.get_mut(old) {
                *n -= 1;
                if *n == 0 {
                    held.remove(old);
                    score -= lost;
                }
            }
            first += 1;
        }
        let start = found.get(first).map_or(*from, |f| f.0);
        if units(*to) - units(start) <= max && score > top.2 + 1e-9 {
            top = (start, *to, score);
        }
    }
    top
}

/// Moves a beginning back to where its line or sentence starts, or else by a third of the room.
fn back(flat: &str, starts: &[usize], from: usize, at: usize, room: usize, units: &dyn Fn(usize) -> usize) -> usize {
    let line = starts.partition_point(|s| *s <= from).checked_sub(1).and_then(|i| starts.get(i)).copied().unwrap_or(0);
    if at - units(line) <= room {
        return line;
    }
    let want = at.saturating_sub(room / 3);
    flat.char_indices().filter(|(b, c)| *b < from && *c == ' ').map(|(b, _)| b + 1).find(|b| units(*b) >= want).unwrap_or(from)
}

#[cfg(test)]
mod tests {
    use super::super::index::Index;
    use super::*;

    fn quote(text: &str, query: &str) -> String {
        let mut index = Index::default();
        index.add(0, 0, &[text.to_owned()]);
        index.add(1, 0, &["another row altogether".into()]);
        snippet(text, &index.weights(query), SNIPPET_UNITS).0
    }

    #[test]
    fn a_short_text_is_quoted_whole_in_one_line() {
        assert_eq!(quote("  cache\n\tis  LRU\u{7} ", "cache"), "cache is LRU");
        assert_eq!(quote(" \n ", "cache"), "");
    }

    #[test]
    fn a_long_text_is_quoted_where_the_query_is_answered() {
        let text = format!("{}. The port of the gateway is 8443 since May. {}", "filler words ".repeat(80), "more filler ".repeat(80));
        let cut = quote(&text, "which port does the gateway use");
        assert!(cut.starts_with("…The port of the gateway is 8443"), "{cut}");
        assert!(cut.ends_with('…') && cut.encode_utf16().count() <= SNIPPET_UNITS);
    }

    #[test]
    fn no_character_is_split_and_the_length_counts_in_utf_16() {
        let text = "😀".repeat(500);
        let cut = quote(&text, "nothing");
        assert_eq!(cut.encode_utf16().count(), 239);
        let japanese = format!("{}設定は八千です{}", "猫".repeat(300), "犬".repeat(300));
        assert!(quote(&japanese, "設定").contains("設定は八千です"));
    }

    #[test]
    fn without_any_term_the_beginning_is_taken() {
        let cut = quote(&"lorem ipsum ".repeat(60), "zzz");
        assert!(cut.starts_with("lorem ipsum") && cut.ends_with('…'));
    }
}
