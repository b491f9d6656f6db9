//! Every name a session has seen, once, and how the agent used it.
//!
//! Decides ids (in the order names turn up, so the same rows give the same ids) and keeps, per name, how
//! often and how recently the agent itself wrote it. Refuses to know where a name stands; parts hold ids.

use std::collections::BTreeMap;

use xxhash_rust::xxh3::xxh3_64;

use super::names::{Found, Names};

/// Most names of one session; later ones are not remembered.
const MOST_NAMES: usize = 20_000;

/// The names of a session.
#[derive(Clone, Debug, Default)]
pub struct Lexicon {
    text: String,
    ends: Vec<u32>,
    ids: BTreeMap<u64, u32>,
    uses: Vec<Use>,
}

/// How the agent used a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Use {
    /// Parts written by the agent that hold it.
    pub times: u16,
    /// Row of the last of them.
    pub last: u32,
}

impl Lexicon {
    /// Number of names.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// A name.
    pub fn name(&self, id: u32) -> &str {
        let end = self.ends.get(id as usize).copied().unwrap_or(0) as usize;
        let start = (id as usize).checked_sub(1).and_then(|i| self.ends.get(i)).copied().unwrap_or(0) as usize;
        self.text.get(start..end).unwrap_or("")
    }

    /// How the agent used it.
    pub fn usage(&self, id: u32) -> Use {
        self.uses.get(id as usize).copied().unwrap_or_default()
    }

    /// The id of a name that was seen before.
    pub fn find(&self, name: &str) -> Option<u32> {
        self.ids.get(&hash(name)).copied()
    }

    /// Turns the names a text was found to hold into ids.
    pub fn take(&mut self, names: &mut Names) {
        if let Names::Found(found) = names {
            let ids: Vec<u32> = found.iter().filter_map(|name| self.intern(name)).collect();
            *names = Names::Known(ids.into());
        }
    }

    fn intern(&mut self, name: &str) -> Option<u32> {
        let hash = hash(name);
        if let Some(id) = self.ids.get(&hash) {
            return Some(*id);
        }
        if self.ends.len() >= MOST_NAMES {
            return None;
        }
        let id = self.ends.len() as u32;
        self.text.push_str(name);
        self.ends.push(self.text.len() as u32);
        self.uses.push(Use::default());
        self.ids.insert(hash, id);
        Some(id)
    }

    /// The agent wrote these names in this row.
    pub fn used(&mut self, ids: &[u32], row: usize) {
        for id in ids {
            if let Some(entry) = self.uses.get_mut(*id as usize) {
                entry.times = entry.times.saturating_add(1);
                entry.last = entry.last.max(row as u32);
            }
        }
    }

    /// Forgets all uses; rows were taken back and those that stay are told again.
    pub fn forget_uses(&mut self) {
        self.uses.fill(Use::default());
    }

    /// Ids of names that stand in a text of ours; names nobody saw before have none.
    pub fn known_in(&self, found: &Found) -> Vec<u32> {
        found.iter().filter_map(|name| self.find(name)).collect()
    }
}

/// The key of a name.
pub fn hash(name: &str) -> u64 {
    xxh3_64(name.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_keeps_its_id_and_its_uses_are_counted() {
        let mut lexicon = Lexicon::default();
        let mut names = Names::Found(Box::new(Names::of("src/a.rs readFile src/a.rs")));
        lexicon.take(&mut names);
        assert_eq!(names.ids(), [0, 1]);
        let mut again = Names::Found(Box::new(Names::of("writeFile readFile")));
        lexicon.take(&mut again);
        assert_eq!(again.ids(), [2, 1]);
        assert_eq!((lexicon.name(0), lexicon.name(2), lexicon.name(9)), ("src/a.rs", "writeFile", ""));
        lexicon.used(again.ids(), 4);
        lexicon.used(&[1], 2);
        assert_eq!(lexicon.usage(1), Use { times: 2, last: 4 });
        assert_eq!(lexicon.known_in(&Names::of("unseenName readFile")), [1]);
        lexicon.forget_uses();
        assert_eq!(lexicon.usage(1), Use::default());
    }
}
