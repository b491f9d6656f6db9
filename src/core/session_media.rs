//! The part of a session that keeps what became of images and files of user messages: their entries and
//! their sizes in the view. Those inside results go with the result's own entry.

use super::session::Session;
use super::state::{Edit, Entry};
use super::transcript::StandIn;

impl Session {
    /// The key of a part in the decision log; only a stored row has one.
    fn media_key(&self, row: usize, part: usize) -> Option<String> {
        Some(format!("{}.{part}m", self.transcript.row(row)?.position?))
    }

    /// What became of an image or file.
    pub fn media_entry(&self, row: usize, part: usize) -> Option<&Entry> {
        self.state.entries.get(&self.media_key(row, part)?)
    }

    /// The handle its full content gets; nobody else's.
    pub fn media_handle(&self, row: usize, part: usize) -> Option<String> {
        let first = format!("media:{}.{part}", self.transcript.row(row)?.position?);
        let mut handle = first.clone();
        let mut n = 1;
        while self.is_taken(&handle) {
            n += 1;
            handle = format!("{first}~{n}");
        }
        Some(handle)
    }

    /// Puts a text in the place of an image or file.
    pub fn set_media_entry(&mut self, (row, part): (usize, usize), mut entry: Entry, cause: &'static str) {
        let Some(key) = self.media_key(row, part) else { return };
        entry.of = self.media_size(row, part);
        self.transcript.set_stand_in(row, part, stand_in(&entry));
        self.note_change(row, cause);
        self.log(row, |entries| entries.insert(key, entry));
        self.dirty = true;
    }

    /// Hosts reuse positions: the text stands for an image of this size.
    fn media_size(&self, row: usize, part: usize) -> String {
        self.transcript.media_in(row).iter().find(|m| m.part == part).map_or_else(String::new, |m| m.chars.to_string())
    }

    pub(super) fn lay_media(&mut self, row: usize, part: usize) {
        let Some(key) = self.media_key(row, part) else { return };
        let Some(entry) = self.state.entries.get(&key) else { return };
        if entry.of != self.media_size(row, part) {
            let handle = self.log(row, |entries| entries.remove(&key)).and_then(|e| e.handle);
            self.state.taken.extend(handle);
            self.dirty = true;
            return;
        }
        let stand_in = stand_in(entry);
        if self.transcript.part(row, part).is_some_and(|p| p.stand_in != stand_in) {
            self.transcript.set_stand_in(row, part, stand_in);
            self.note_change(row, "adopted");
        }
    }

    /// After another state was taken over: what it does not know stands there again.
    pub(super) fn lay_all_media(&mut self) {
        let places: Vec<(usize, usize)> = self.transcript.media().iter().map(|m| (m.row, m.part)).collect();
        for (row, part) in places {
            let user = self.transcript.part(row, part).is_some_and(|p| p.kind == super::transcript::PartKind::Media);
            if user && self.media_entry(row, part).is_none() {
                if self.transcript.part(row, part).is_some_and(|p| p.stand_in.is_some()) {
                    self.transcript.set_stand_in(row, part, None);
                    self.note_change(row, "adopted");
                }
            } else if user {
                self.lay_media(row, part);
            }
        }
    }
}

fn stand_in(entry: &Entry) -> Option<StandIn> {
    entry.edit.as_ref().map(|e: &Edit| e.stand_in(None))
}
