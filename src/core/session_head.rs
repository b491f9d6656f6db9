//! The part of a session that keeps the head: captured session context, the fold's own texts, digests, in this order.

use super::kept::Weight;
use super::restore::frames::{context, escape};
use super::session::Session;
use super::view::{BlockKind, HeadOrigin, HeadPart};

impl Session {
    /// The texts of the head in their order.
    pub fn head(&self) -> Vec<HeadPart> {
        let mut parts = Vec::new();
        let folded = self.state.fold();
        let captured = folded.is_some_and(|f| f.head.iter().any(|p| p.origin == HeadOrigin::Context));
        if let Some(text) = self.state.context.as_ref().filter(|_| !captured) {
            let text = context(text);
            parts.push(HeadPart { origin: HeadOrigin::Context, tokens: self.weigh(&text), text });
        }
        if let Some(fold) = folded {
            parts.extend(fold.head.iter().cloned());
        }
        for block in self.state.blocks.iter().filter(|b| b.kind == BlockKind::Digest) {
            parts.push(HeadPart { origin: HeadOrigin::Digest, text: block.text.clone(), tokens: block.tokens });
        }
        parts
    }

    /// What the head weighs.
    pub fn head_tokens(&self) -> u64 {
        let folded = self.state.fold();
        let own = folded.iter().flat_map(|f| &f.head).map(|p| u64::from(p.tokens)).sum::<u64>();
        let captured = folded.is_some_and(|f| f.head.iter().any(|p| p.origin == HeadOrigin::Context));
        let context = self.state.context.as_ref().filter(|_| !captured).map_or(0, |text| u64::from(self.context_tokens(text)));
        let digests = self.state.blocks.iter().filter(|b| b.kind == BlockKind::Digest).map(|b| u64::from(b.tokens)).sum::<u64>();
        context + own + digests
    }

    /// Captures the session context once; a fold or a new frame captures it again.
    pub fn capture_context(&mut self, again: bool) {
        let text = self.frame.context();
        if (self.state.context.is_none() || again) && !text.is_empty() && self.state.context.as_deref() != Some(&text) {
            if self.last.is_some() {
                self.note_change(0, "context");
            }
            self.state.context = Some(text);
            self.dirty = true;
        }
    }

    /// Tokens of the session context in its frame, weighed once per text.
    fn context_tokens(&self, text: &str) -> u32 {
        let counter = self.config.estimate.counter;
        if let Some(weight) = self.kept.context.borrow().as_ref().filter(|w| w.counter == counter && w.text == text) {
            return weight.tokens;
        }
        let tokens = self.weigh(&context(text));
        *self.kept.context.borrow_mut() = Some(Weight { text: text.to_owned(), counter, tokens });
        tokens
    }

    /// Labels of session context that changed since it was captured: the model still sees what was captured.
    pub fn stale_context(&self) -> Vec<String> {
        let head = self.head();
        let Some(captured) = head.iter().find(|p| p.origin == HeadOrigin::Context) else { return Vec::new() };
        let current = self.frame.sections();
        let stale = current.into_iter().filter(|(_, text)| !captured.text.contains(&escape(text)));
        stale.map(|(label, _)| label).collect()
    }
}
