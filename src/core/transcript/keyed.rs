//! Maps from ids and names, for looking up alone.
//!
//! Decides how a short text is hashed: the same everywhere, a word at a time, since ids share long beginnings and a
//! sorted map would compare those again and again. Keeps the order of insertion, which nobody reads.

use std::hash::{BuildHasherDefault, Hasher};

use indexmap::IndexMap;

/// A map by text.
pub(super) type Keyed<T> = IndexMap<Box<str>, T, BuildHasherDefault<Words>>;

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Hashes eight bytes at a time.
#[derive(Clone, Debug, Default)]
pub(super) struct Words(u64);

impl Hasher for Words {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word.iter_mut().zip(chunk).for_each(|(to, from)| *to = *from);
            self.0 = (self.0.rotate_left(5) ^ u64::from_le_bytes(word)).wrapping_mul(FACTOR);
        }
    }

    fn finish(&self) -> u64 {
        // The table looks at the highest bits and at the lowest.
        self.0 ^ (self.0 >> 29)
    }
}
