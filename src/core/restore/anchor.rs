//! The plan, recited at the end of the prompt: what is open and what comes next, out of the briefing.

use super::frames::frame;
use crate::core::fold::briefing::section;

/// The `<plan>` block of a briefing; none when it has neither section.
pub fn plan_block(summary: &str) -> Option<String> {
    let parts: Vec<String> =
        ["Open Tasks", "Next Step"].into_iter().filter_map(|name| section(summary, name).map(|body| format!("## {name}\n{body}"))).collect();
    (!parts.is_empty()).then(|| frame("plan", &parts.join("\n\n")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_1_only_the_open_tasks_and_the_next_step() {
        let s = "## Objective\nship it\n\n## Open Tasks\n- fix parser\n- add tests\n\n## Next Step\nRun cargo test\n";
        assert_eq!(plan_block(s).expect("a plan"), "<plan>\n## Open Tasks\n- fix parser\n- add tests\n\n## Next Step\nRun cargo test\n</plan>");
    }

    #[test]
    fn an_2_nothing_without_the_sections_and_one_alone_stands_alone() {
        assert!(plan_block("## Objective\nx\n## Open Tasks\n\n## Next Step\n  \n").is_none());
        assert_eq!(plan_block("## Next Step\ngo").expect("a plan"), "<plan>\n## Next Step\ngo\n</plan>");
    }
}
