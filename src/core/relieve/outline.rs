//! Tells rounds in a few lines from their measurements: what was called on what, and how it ended.
//!
//! Decides what of a round survives when its rows go. Everything here is a value of the transcript, so
//! the same rows give the same lines in every process.

use std::collections::BTreeMap;

use super::text::ellipsis;
use crate::core::session::Session;
use crate::core::transcript::{Call, Flags, PartKind, Role};

/// Reads a part's text, at most so many UTF-16 code units of it.
pub type Tell<'a> = &'a dyn Fn((usize, usize), Option<u32>) -> String;

/// `read ×3, grep`: tools with how often each was called, in order of first use.
pub fn tools(session: &Session, rounds: &[usize]) -> String {
    tally(calls(session, rounds).map(|call| tool_name(session, call)))
}

/// The same with long names cut.
pub fn short_tools(session: &Session, rounds: &[usize]) -> String {
    tally(calls(session, rounds).map(|call| ellipsis(&tool_name(session, call), 40)))
}

fn tally(names: impl Iterator<Item = String>) -> String {
    let mut seen: Vec<(String, u32)> = Vec::new();
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    for name in names {
        match known.get(&name).and_then(|at| seen.get_mut(*at)) {
            Some((_, n)) => *n += 1,
            None => {
                known.insert(name.clone(), seen.len());
                seen.push((name, 1));
            }
        }
    }
    seen.into_iter().map(|(name, n)| if n > 1 { format!("{name} ×{n}") } else { name }).collect::<Vec<_>>().join(", ")
}

/// What the calls were about, each once, newest state first.
pub fn targets(session: &Session, rounds: &[usize], most: usize) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let all: Vec<&Call> = calls(session, rounds).collect();
    for call in all.into_iter().rev() {
        let target = session.transcript.part(call.row, call.part).map_or("", |p| &*p.target);
        if !target.is_empty() && target.len() <= 120 && !out.iter().any(|t| t == target) {
            out.push(target.to_owned());
        }
    }
    out.truncate(most);
    out
}

fn calls<'a>(session: &'a Session, rounds: &'a [usize]) -> impl Iterator<Item = &'a Call> {
    let index = session.transcript.index();
    rounds.iter().filter_map(|r| index.rounds().get(*r)).flat_map(move |r| (r.calls.0..r.calls.1).filter_map(|c| index.call(c)))
}

fn tool_name(session: &Session, call: &Call) -> String {
    session.transcript.part(call.row, call.part).map_or_else(String::new, |p| p.name.to_string())
}

/// One line for one call: tool, target, how it ended, the first line it said, and its handle.
pub fn call_line(session: &Session, call: &Call) -> String {
    let name = tool_name(session, call);
    let target = session.transcript.part(call.row, call.part).map_or("", |p| &*p.target);
    let mut line = format!("- {name}");
    if !target.is_empty() {
        line.push_str(&format!(" {}", ellipsis(target, 100)));
    }
    let Some(result) = call.result.and_then(|(r, p)| session.transcript.part(r, p)) else {
        line.push_str(": no result");
        return line;
    };
    let entry = session.state.entries.get(&call.key());
    line.push_str(if result.flags.has(Flags::ERROR) { ": error" } else { ": ok" });
    if let Some(code) = result.measure.exit {
        line.push_str(&format!(", exit {code}"));
    }
    line.push_str(&format!(", {} lines", result.measure.lines));
    if entry.is_none_or(|e| !e.redacted) && !result.measure.first_line.is_empty() {
        line.push_str(&format!(": {}", result.measure.first_line));
    }
    if let Some(handle) = entry.and_then(|e| e.handle.as_ref()) {
        line.push_str(&format!(" [{handle}]"));
    }
    line
}

/// Lines for rounds, oldest first: calls and the model's last sentence, within a budget of tokens.
///
/// When not everything fits, errors and the newest lines win, and what is left out is counted.
pub fn lines(session: &Session, rounds: &[usize], tell: Tell<'_>, budget: u32) -> Vec<String> {
    let mut all: Vec<(bool, String)> = Vec::new();
    for round in rounds.iter().filter_map(|r| session.transcript.index().rounds().get(*r)) {
        if let Some(said) = last_sentence(session, round.start, tell) {
            all.push((false, format!("- said: {said}")));
        }
        for call in (round.calls.0..round.calls.1).filter_map(|c| session.transcript.index().call(c)) {
            let failed = call
                .result
                .and_then(|(r, p)| session.transcript.part(r, p))
                .is_some_and(|p| p.flags.has(Flags::ERROR) || p.measure.exit.is_some_and(|e| e != 0));
            all.push((failed, call_line(session, call)));
        }
    }
    let mut chosen: BTreeMap<usize, String> = BTreeMap::new();
    let mut left = budget;
    let newest_first = (0..all.len()).rev();
    let failures = newest_first.clone().filter(|i| all.get(*i).is_some_and(|l| l.0));
    for i in failures.chain(newest_first) {
        let Some((_, line)) = all.get(i) else { continue };
        let cost = session.weigh(line) + 1;
        if chosen.contains_key(&i) || cost > left {
            continue;
        }
        left -= cost;
        chosen.insert(i, line.clone());
    }
    let missing = all.len() - chosen.len();
    let mut out: Vec<String> = chosen.into_values().collect();
    if missing > 0 {
        out.insert(0, format!("- {missing} more lines left out"));
    }
    out
}

/// The last sentence the model said in a row, at most 200 characters.
pub fn last_sentence(session: &Session, row: usize, tell: Tell<'_>) -> Option<String> {
    let parts = &session.transcript.row(row).filter(|r| r.role == Role::Assistant)?.parts;
    let at = parts.iter().rposition(|p| p.kind == PartKind::Text && !p.measure.blank)?;
    let text = tell((row, at), None);
    let text = text.trim();
    let body = text.trim_end_matches(['.', '!', '?', '。', '！', '？', ':']);
    let start = body.rfind(['\n', '。']).map(|i| i + body.get(i..).and_then(|s| s.chars().next()).map_or(1, char::len_utf8));
    let start =
        [start, body.rfind(". ").map(|i| i + 2), body.rfind("! ").map(|i| i + 2), body.rfind("? ").map(|i| i + 2)].into_iter().flatten().max().unwrap_or(0);
    let sentence = text.get(start..)?.trim();
    (!sentence.is_empty()).then(|| ellipsis(sentence, 200))
}
