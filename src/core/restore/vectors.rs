//! Embeddings of rows that are out of view, for hosts whose store cannot search by itself.
//!
//! Decides how a vector is kept (one signed byte per dimension, so that a session stays small) and how near
//! two are (the cosine, in integers until the last division, the same in every runtime). Holds at most
//! [`MOST_BYTES`]; the oldest rows go first.

use std::collections::BTreeMap;

use super::lexical::index::{Hit, micro};

/// Bytes of vectors one conversation may hold.
pub const MOST_BYTES: usize = 2_000_000;

#[derive(Clone, Debug)]
struct Vector {
    bytes: Vec<i8>,
    /// Length of the bytes as a vector.
    norm: f64,
}

/// The vectors of one transcript: several per row, one for each passage.
#[derive(Debug, Default)]
pub struct Vectors {
    rows: BTreeMap<u64, (u64, Vec<Vector>)>,
    dimensions: usize,
    bytes: usize,
}

impl Vectors {
    /// Whether this content is embedded at this position.
    pub fn has(&self, position: u64, content: u64) -> bool {
        self.rows.get(&position).is_some_and(|(known, _)| *known == content)
    }

    /// Whether anything is embedded at this position.
    pub fn knows(&self, position: u64) -> bool {
        self.rows.contains_key(&position)
    }

    /// Keeps the vectors of a row's passages, in order. Another model's vectors replace all of these.
    pub fn add(&mut self, position: u64, content: u64, passages: &[Vec<f32>]) {
        if let Some(first) = passages.first()
            && first.len() != self.dimensions
        {
            *self = Vectors { dimensions: first.len(), ..Vectors::default() };
        }
        self.remove(position);
        let kept: Vec<Vector> = passages.iter().filter(|p| p.len() == self.dimensions).map(|p| quantize(p)).collect();
        self.bytes += kept.len() * self.dimensions;
        self.rows.insert(position, (content, kept));
        while self.bytes > MOST_BYTES
            && let Some((oldest, _)) = self.rows.first_key_value()
        {
            let oldest = *oldest;
            self.remove(oldest);
        }
    }

    fn remove(&mut self, position: u64) {
        if let Some((_, gone)) = self.rows.remove(&position) {
            self.bytes -= gone.len() * self.dimensions;
        }
    }

    /// Forgets rows that `keep` does not want.
    pub fn retain(&mut self, keep: impl Fn(u64) -> bool) {
        let gone: Vec<u64> = self.rows.keys().copied().filter(|p| !keep(*p)).collect();
        for position in gone {
            self.remove(position);
        }
    }

    /// The nearest rows, at most `max`, best first, with the passage that is nearest.
    pub fn search(&self, query: &[f32], max: usize) -> Vec<(Hit, usize)> {
        if query.len() != self.dimensions {
            return Vec::new();
        }
        let query = quantize(query);
        let mut hits: Vec<(Hit, usize)> = self
            .rows
            .iter()
            .filter_map(|(position, (_, passages))| {
                let scored = passages.iter().enumerate().map(|(i, p)| (micro(cosine(&query, p)), i));
                let (score, passage) = scored.max_by(|a, b| a.0.cmp(&b.0).then(b.1.cmp(&a.1)))?;
                (score > 0).then_some((Hit { position: *position, score }, passage))
            })
            .collect();
        hits.sort_by(|a, b| b.0.score.cmp(&a.0.score).then(b.0.position.cmp(&a.0.position)));
        hits.truncate(max);
        hits
    }
}

/// The vector scaled to its largest component, in whole steps.
fn quantize(vector: &[f32]) -> Vector {
    let top = vector.iter().fold(0f32, |top, v| top.max(v.abs()));
    let scale = if top > 0.0 { 127.0 / top } else { 0.0 };
    let bytes: Vec<i8> = vector.iter().map(|v| libm::roundf(v * scale) as i8).collect();
    let square: i64 = bytes.iter().map(|b| i64::from(*b) * i64::from(*b)).sum();
    Vector { norm: (square as f64).sqrt(), bytes }
}

fn cosine(a: &Vector, b: &Vector) -> f64 {
    let dot: i64 = a.bytes.iter().zip(&b.bytes).map(|(x, y)| i64::from(*x) * i64::from(*y)).sum();
    let norms = a.norm * b.norm;
    if norms > 0.0 { dot as f64 / norms } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_row_comes_first_and_opposite_ones_do_not_come() {
        let mut v = Vectors::default();
        v.add(1, 0, &[vec![1.0, 0.0, 0.0]]);
        v.add(2, 0, &[vec![0.6, 0.8, 0.0], vec![0.0, 0.0, 1.0]]);
        v.add(3, 0, &[vec![-1.0, 0.0, 0.0]]);
        let hits = v.search(&[1.0, 0.1, 0.0], 10);
        assert_eq!(hits.iter().map(|(h, p)| (h.position, *p)).collect::<Vec<_>>(), [(1, 0), (2, 0)]);
        assert!((i64::from(hits[0].0.score) - 995_037).abs() < 5_000, "{hits:?}");
        assert!((i64::from(hits[1].0.score) - 676_625).abs() < 5_000, "{hits:?}");
        assert_eq!(v.search(&[0.0, 0.1, 0.9], 1)[0].1, 1);
    }

    #[test]
    fn memory_is_bounded_and_the_oldest_go_first() {
        let mut v = Vectors::default();
        for n in 0..2_500u64 {
            v.add(n, n, &[vec![0.5; 1_000]]);
        }
        assert!(v.bytes <= MOST_BYTES && !v.knows(0) && v.has(2_499, 2_499));
        v.retain(|p| p < 2_499);
        assert!(!v.knows(2_499));
    }

    #[test]
    fn vectors_of_another_size_replace_the_old_ones() {
        let mut v = Vectors::default();
        v.add(1, 0, &[vec![1.0, 0.0]]);
        v.add(2, 0, &[vec![1.0, 0.0, 0.0]]);
        assert!(!v.knows(1) && v.knows(2) && v.search(&[1.0, 0.0], 5).is_empty());
    }
}
