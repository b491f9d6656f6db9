//! Postings of the rows and the ranking over them.
//!
//! Decides scores: the share of the query's weight that a row holds, 0 to 1, rounded to millionths before
//! anything compares them, so that every runtime ranks alike; among equals the newer row wins. Holds hashes
//! and counts only, four bytes per term and row.

use std::collections::BTreeMap;
use std::hash::{BuildHasherDefault, Hasher};

use indexmap::IndexMap;

use super::terms::{Field, terms};

const K1: f64 = 1.2;
const B: f64 = 0.5;
/// What a run of characters weighs beside a whole word.
const GRAM_WEIGHT: f64 = 0.3;
/// Bits of a posting that hold the count.
const COUNT_BITS: u32 = 6;
const MOST: u32 = (1 << COUNT_BITS) - 1;

/// A row that was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Where the row is stored.
    pub position: u64,
    /// Its score in millionths.
    pub score: u32,
}

#[derive(Clone, Copy, Debug)]
struct Doc {
    position: u64,
    words: u32,
    live: bool,
}

/// Terms are hashes already; hashing them again would only cost time.
#[derive(Clone, Copy, Debug, Default)]
struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, n: u64) {
        self.0 = n;
    }
}

/// The rows of one transcript by their words.
#[derive(Debug, Default)]
pub struct Index {
    docs: Vec<Doc>,
    /// Document and content of each position.
    places: BTreeMap<u64, (u32, u64)>,
    postings: IndexMap<u64, Vec<u32>, BuildHasherDefault<AsIs>>,
    words: u64,
}

impl Index {
    /// Rows that can be found.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether nothing can be found.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Whether this content is indexed at this position.
    pub fn has(&self, position: u64, content: u64) -> bool {
        self.places.get(&position).is_some_and(|(_, known)| *known == content)
    }

    /// Whether anything is indexed at this position.
    pub fn knows(&self, position: u64) -> bool {
        self.places.contains_key(&position)
    }

    /// Indexes a row, in place of what stood at its position.
    pub fn add(&mut self, position: u64, content: u64, texts: &[String]) {
        self.remove(position);
        let mut all: Vec<u64> = Vec::new();
        let mut words = 0u32;
        for text in texts {
            terms(text, &mut |t| {
                words += u32::from(t.field == Field::Word);
                all.push(t.hash);
            });
        }
        all.sort_unstable();
        let Ok(id) = u32::try_from(self.docs.len()) else { return };
        if id >= 1 << (32 - COUNT_BITS) {
            return;
        }
        self.docs.push(Doc { position, words, live: true });
        self.places.insert(position, (id, content));
        self.words += u64::from(words);
        for same in all.chunk_by(|a, b| a == b) {
            let Some(hash) = same.first() else { continue };
            self.postings.entry(*hash).or_default().push((id << COUNT_BITS) | (same.len() as u32).min(MOST));
        }
    }

    /// Forgets a row. Its postings go when they are half of all.
    pub fn remove(&mut self, position: u64) {
        let Some((id, _)) = self.places.remove(&position) else { return };
        if let Some(doc) = self.docs.get_mut(id as usize) {
            doc.live = false;
            self.words -= u64::from(doc.words);
        }
        if self.docs.len() > 64 && self.places.len() * 2 < self.docs.len() {
            self.compact();
        }
    }

    /// Forgets rows that `keep` does not want.
    pub fn retain(&mut self, keep: impl Fn(u64) -> bool) {
        let gone: Vec<u64> = self.places.keys().copied().filter(|p| !keep(*p)).collect();
        for position in gone {
            self.remove(position);
        }
    }

    fn compact(&mut self) {
        let mut ids: Vec<Option<u32>> = Vec::with_capacity(self.docs.len());
        let mut next = 0u32;
        for doc in &self.docs {
            ids.push(doc.live.then_some(next));
            next += u32::from(doc.live);
        }
        self.docs.retain(|d| d.live);
        let new_id = |old: u32| ids.get(old as usize).copied().flatten();
        for place in self.places.values_mut() {
            place.0 = new_id(place.0).unwrap_or(0);
        }
        self.postings.retain(|_, list| {
            *list = list.iter().filter_map(|p| Some((new_id(p >> COUNT_BITS)? << COUNT_BITS) | (p & MOST))).collect();
            !list.is_empty()
        });
    }

    /// What each term of a query weighs here: rare terms more, runs of characters less than words.
    pub fn weights(&self, query: &str) -> BTreeMap<u64, f64> {
        let mut out = BTreeMap::new();
        let rows = self.places.len() as f64;
        terms(query, &mut |t| {
            let share = if t.field == Field::Gram { GRAM_WEIGHT } else { 1.0 };
            let rarity = if rows == 0.0 { 1.0 } else { self.rarity(t.hash, rows) };
            out.insert(t.hash, share * rarity * substance(query.get(t.from..t.to).unwrap_or("")));
        });
        out
    }

    /// A term that no row holds counts as one that a single row holds: it says little about this index.
    fn rarity(&self, hash: u64, rows: f64) -> f64 {
        let held = self.postings.get(&hash).map_or(1, Vec::len).max(1) as f64;
        let held = held.min(rows);
        libm::log(1.0 + (rows - held + 0.5) / (held + 0.5))
    }

    /// The best rows for a query, at most `max`, best first.
    pub fn search(&self, query: &str, max: usize) -> Vec<Hit> {
        if self.is_empty() {
            return Vec::new();
        }
        let weights = self.weights(query);
        let all: f64 = weights.values().sum();
        if all <= 0.0 {
            return Vec::new();
        }
        let average = (self.words as f64 / self.places.len() as f64).max(1.0);
        let norms: Vec<f64> = self.docs.iter().map(|d| K1 * (1.0 - B + B * f64::from(d.words) / average)).collect();
        let mut scores = vec![0.0f64; self.docs.len()];
        for (hash, weight) in &weights {
            for posting in self.postings.get(hash).map_or(&[][..], Vec::as_slice) {
                let doc = (posting >> COUNT_BITS) as usize;
                let count = f64::from(posting & MOST);
                if let (Some(score), Some(norm)) = (scores.get_mut(doc), norms.get(doc)) {
                    *score += weight * count * (K1 + 1.0) / (count + norm);
                }
            }
        }
        let mut hits: Vec<Hit> =
            self.docs.iter().zip(&scores).filter(|(d, s)| d.live && **s > 0.0).map(|(d, s)| Hit { position: d.position, score: micro(*s / all) }).collect();
        let order = |a: &Hit, b: &Hit| b.score.cmp(&a.score).then(b.position.cmp(&a.position));
        if max < hits.len() {
            hits.select_nth_unstable_by(max, order);
            hits.truncate(max);
        }
        hits.sort_unstable_by(order);
        hits
    }
}

/// How much a word of a question says by itself. The words that hold sentences together are short in every
/// script with an alphabet; a short one with a digit or a capital inside is a name.
fn substance(word: &str) -> f64 {
    let mut chars = word.chars();
    let long = word.len() > 16 || !word.chars().next().is_some_and(char::is_alphabetic);
    let named = chars.by_ref().skip(1).any(|c| c.is_numeric() || c.is_uppercase() || !c.is_alphanumeric());
    // Pairs of a script without spaces are two or three bytes a character; they are whole words.
    let spaceless = word.chars().all(|c| c as u32 >= 0x0e00 && !c.is_lowercase() && !c.is_uppercase());
    match word.chars().count() {
        _ if long || named || spaceless => 1.0,
        0..=2 => 0.15,
        3 => 0.3,
        4 => 0.5,
        5 => 0.8,
        _ => 1.0,
    }
}

/// A score between 0 and 1 in millionths.
pub fn micro(score: f64) -> u32 {
    libm::round(score.clamp(0.0, 1.0) * 1e6) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(rows: &[&str]) -> Index {
        let mut index = Index::default();
        for (i, text) in rows.iter().enumerate() {
            index.add(i as u64, i as u64, &[(*text).to_owned()]);
        }
        index
    }

    fn found(index: &Index, query: &str) -> Vec<u64> {
        index.search(query, 10).iter().map(|h| h.position).collect()
    }

    #[test]
    fn a_row_with_the_rare_word_comes_before_rows_with_the_common_ones() {
        let i = index(&["the cache is full", "the cache is LRU with 64 entries", "the build is green", "the bread is warm"]);
        assert_eq!(found(&i, "which eviction does the LRU cache use")[..2], [1, 0]);
        assert_eq!(found(&i, "lru"), [1]);
        assert!(found(&i, "kubernetes").is_empty());
    }

    #[test]
    fn a_row_with_every_word_of_the_query_scores_high_and_half_of_them_half() {
        let i = index(&["alpha beta", "alpha gamma", "delta epsilon", "zeta eta"]);
        let hits = i.search("delta epsilon", 10);
        assert!(hits[0].position == 2 && hits[0].score > 900_000, "{hits:?}");
        let half = i.search("epsilon omicron", 10);
        assert!(half[0].score > 450_000 && half[0].score < 550_000, "{half:?}");
    }

    #[test]
    fn among_equals_the_newer_row_wins() {
        let i = index(&["same words here", "same words here", "other"]);
        let hits = i.search("same words", 10);
        assert_eq!(hits.iter().map(|h| h.position).collect::<Vec<_>>(), [1, 0]);
        assert_eq!(hits[0].score, hits[1].score);
    }

    #[test]
    fn a_rewritten_row_is_found_by_its_new_words_only() {
        let mut i = index(&["old words", "filler"]);
        i.add(0, 9, &["new phrase".into()]);
        assert!(found(&i, "old words").is_empty());
        assert_eq!(found(&i, "phrase"), [0]);
        assert!(i.has(0, 9) && !i.has(0, 0));
        i.retain(|p| p > 0);
        assert!(found(&i, "phrase").is_empty());
    }

    #[test]
    fn what_was_removed_is_let_go_and_the_rest_is_still_found() {
        let mut i = Index::default();
        for n in 0..200u64 {
            i.add(n, n, &[format!("row{n} shared")]);
        }
        let full: usize = i.postings.values().map(Vec::len).sum();
        i.retain(|p| p >= 150);
        assert_eq!(i.len(), 50);
        assert!(i.postings.values().map(Vec::len).sum::<usize>() < full * 6 / 10);
        assert_eq!(found(&i, "row163")[0], 163);
        assert_eq!(i.search("shared", 100).len(), 50);
    }

    /// The same corpus, queries and hash are in `tests/js/lexical.test.mjs`: native and wasm must agree.
    #[test]
    fn t_8_a_thousand_rankings_hash_to_the_same_number_everywhere() {
        let mut seed = 7u32;
        let mut word = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let n = (seed >> 8) % 900;
            format!("{}{}{}", ["ka", "lo", "mi", "ne", "ru"][n as usize % 5], ["ba", "Du", "fi", "go"][n as usize % 4], n % 45)
        };
        let mut index = Index::default();
        for position in 0..500 {
            let text: Vec<String> = (0..12 + position % 7).map(|_| word()).collect();
            index.add(position, 0, &[text.join(" ")]);
        }
        let mut hash = 0x811c_9dc5u32;
        for _ in 0..1_000 {
            let query = [word(), word(), word()].join(" ");
            for hit in index.search(&query, 10) {
                for byte in format!("{}:{};", hit.position, hit.score).bytes() {
                    hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
                }
            }
        }
        assert_eq!(hash, 1_317_528_011);
    }

    #[test]
    fn the_same_rows_rank_alike_in_any_order_of_arrival() {
        let rows = ["red fox", "red hen", "red dog runs", "blue fox"];
        let forward = index(&rows);
        let mut backward = Index::default();
        for (i, text) in rows.iter().enumerate().rev() {
            backward.add(i as u64, i as u64, &[(*text).to_owned()]);
        }
        assert_eq!(forward.search("red fox", 4), backward.search("red fox", 4));
    }
}
