//! The host's own blocks, put back verbatim at every fold: a summary remembers work, it does not rule.
//!
//! Decides the order (rules, quality bar, lessons, workspace memory) and that memory is marked as
//! something to verify. Refuses to shorten: if the blocks do not fit, nothing does.

use serde::{Deserialize, Serialize};

use super::frames::frame;

/// The blocks as the host gives them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Authority {
    /// The human's rules.
    pub rules: Option<String>,
    /// The quality bar.
    pub quality: Option<String>,
    /// Lessons of earlier attempts.
    pub lessons: Option<String>,
    /// Curated workspace memory.
    pub memory: Option<String>,
}

const VERIFY: &str = "Workspace memory (verify before relying):";

impl Authority {
    /// The blocks in order, each as the model reads it; blank ones are left out.
    pub fn blocks(&self) -> Vec<String> {
        let present = |text: &Option<String>| text.clone().filter(|t| !t.trim().is_empty());
        let mut out: Vec<String> = [&self.rules, &self.quality, &self.lessons].into_iter().filter_map(present).collect();
        if let Some(memory) = present(&self.memory) {
            out.push(format!("{VERIFY}\n{memory}"));
        }
        out
    }

    /// The part of the head; none when there is nothing to say.
    pub fn head_part(&self) -> Option<String> {
        let blocks = self.blocks();
        (!blocks.is_empty()).then(|| frame("authority", &blocks.join("\n\n")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn re_1_blocks_stand_in_their_order_and_memory_is_marked() {
        let a = Authority { memory: Some("M".into()), rules: Some("R".into()), lessons: Some("L".into()), quality: Some("Q".into()) };
        assert_eq!(a.head_part().expect("blocks"), "<authority>\nR\n\nQ\n\nL\n\nWorkspace memory (verify before relying):\nM\n</authority>");
        assert!(Authority { rules: Some("  ".into()), ..Authority::default() }.head_part().is_none());
    }
}
