//! What surrounds the messages: system prompt, capability index, tools, session context.
//!
//! Decides how it is grouped and hashed. Refuses to hold the texts; they stay with the host.

use super::measure::breakdown::{BUCKETS, Bucket, Item};
use super::measure::meter::Measure;

/// Which bucket a piece of the frame belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Slot {
    /// The static instructions.
    System,
    /// The discoverable-tool index.
    Index,
    /// A tool the model can call.
    Tool,
    /// A tool that is available but not loaded.
    Deferred,
    /// Memory, todos, integration status, recalled memories.
    Context,
}

impl Slot {
    /// The slot of a number from outside; unknown ones are session context.
    pub fn from_code(code: u32) -> Slot {
        match code {
            0 => Slot::System,
            1 => Slot::Index,
            2 => Slot::Tool,
            3 => Slot::Deferred,
            _ => Slot::Context,
        }
    }

    fn bucket(self) -> &'static str {
        match self {
            Slot::System => "system",
            Slot::Index => "index",
            Slot::Tool => "tools",
            Slot::Deferred => "deferred",
            Slot::Context => "context",
        }
    }
}

/// One piece of the frame, measured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FrameItem {
    /// Its bucket.
    pub slot: Slot,
    /// Tool name or kind of context.
    pub label: Box<str>,
    /// Where a tool comes from.
    pub source: Box<str>,
    /// Its text, measured.
    pub measure: Measure,
    /// The text itself; kept of the session context only, which goes into the head.
    pub text: Box<str>,
}

/// Everything in front of the messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The pieces in the order of the request.
    pub items: Vec<FrameItem>,
}

impl Frame {
    /// The session context as one text; empty when there is none.
    pub fn context(&self) -> String {
        self.sections().into_iter().map(|(_, text)| text).collect::<Vec<_>>().join("\n\n")
    }

    /// The session context piece by piece, each with its label.
    pub fn sections(&self) -> Vec<(String, String)> {
        let pieces = self.items.iter().filter(|i| i.slot == Slot::Context);
        pieces.map(|i| (i.label.to_string(), format!("## {}\n{}", i.label, i.text))).collect()
    }

    /// Tokens of system, index and tools; the session context counts in the head.
    pub fn tokens(&self) -> u64 {
        self.in_window().map(|i| u64::from(i.measure.tokens)).sum()
    }

    /// UTF-8 bytes of everything that is in the window.
    pub fn bytes(&self) -> u64 {
        self.in_window().map(|i| i.measure.bytes).sum()
    }

    fn in_window(&self) -> impl Iterator<Item = &FrameItem> {
        self.items.iter().filter(|i| !matches!(i.slot, Slot::Deferred | Slot::Context))
    }

    /// Fingerprints of the system part and of the tools part, in request order.
    pub fn fingerprint(&self) -> (Vec<u128>, Vec<(Box<str>, u128)>) {
        let of = |slots: &[Slot]| self.items.iter().filter(|i| slots.contains(&i.slot)).cloned().collect::<Vec<_>>();
        let system = of(&[Slot::System, Slot::Index]).into_iter().map(|i| i.measure.hash).collect();
        let tools = of(&[Slot::Tool]).into_iter().map(|i| (i.label, i.measure.hash)).collect();
        (system, tools)
    }

    /// The frame's buckets, every one of them, empty ones too.
    pub fn buckets(&self) -> Vec<Bucket> {
        BUCKETS
            .iter()
            .map(|(id, label)| {
                let mut items: Vec<Item> = Vec::new();
                for piece in self.items.iter().filter(|i| i.slot.bucket() == *id) {
                    let name = if piece.source.is_empty() { &piece.label } else { &piece.source };
                    let own = Item::new(&*piece.label, piece.measure.tokens);
                    match items.iter_mut().find(|i| *i.label == **name) {
                        Some(item) => {
                            item.tokens += own.tokens;
                            item.items.push(own);
                        }
                        None => items.push(Item { label: name.to_string(), tokens: own.tokens, items: vec![own] }),
                    }
                }
                // A source with one tool is that tool.
                for item in items.iter_mut().filter(|i| i.items.len() < 2) {
                    item.items.clear();
                }
                let tokens = items.iter().map(|i| i.tokens).sum();
                if *id == "system" || items.iter().all(|i| i.label.is_empty()) {
                    items.clear();
                }
                Bucket { id: (*id).into(), label: (*label).into(), tokens, items, summed: *id != "deferred" }
            })
            .collect()
    }
}
