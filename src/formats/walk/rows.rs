//! What a message may hold, whatever its neighbours are: roles, parts, emptiness, media, signatures.

use super::super::check::Check;
use super::super::{First, Placing};
use super::Walk;
use crate::core::transcript::{Flags, Part, PartKind, Role, Row, Transcript};

/// Most messages a request may hold, where there is a limit.
const MOST_ROWS: usize = 100_000;
/// Most images a request may hold, where there is a limit.
const MOST_IMAGES: usize = 600;
/// Most cache breakpoints.
const MOST_BREAKPOINTS: usize = 4;
/// Longest tool name.
const NAME_CHARS: usize = 64;

pub(super) fn check(walk: &mut Walk<'_>) {
    let transcript = walk.transcript;
    let (mut images, mut breakpoints) = (0, 0);
    let mut leading = true;
    for (at, row) in transcript.rows().iter().enumerate() {
        if row.role == Role::System {
            let check = if leading { Check::LeadingSystem } else { Check::MiddleSystem };
            walk.report(check, at, None, || format!("message {at} is a system message"));
        }
        if row.role == Role::System && !leading && !system_place(transcript, at) {
            walk.report(Check::SystemPlace, at, None, || format!("message {at} is a system message"));
        }
        leading &= row.role == Role::System;
        emptiness(walk, at, row);
        for (p, part) in row.parts.iter().enumerate() {
            one_part(walk, at, p, row, part);
            images += usize::from(part.kind == PartKind::Media);
            if part.kind == PartKind::Media && images == MOST_IMAGES + 1 {
                walk.report(Check::ManyImages, at, Some(p), || format!("this is image or file number {images}"));
            }
            if part.flags.has(Flags::CACHED) {
                breakpoints += 1;
                if breakpoints == MOST_BREAKPOINTS + 1 {
                    walk.report(Check::Breakpoints, at, Some(p), || format!("this is cache breakpoint number {breakpoints}"));
                }
            }
        }
    }
    if transcript.len() > MOST_ROWS {
        walk.report(Check::TooMany, MOST_ROWS, None, || format!("the list holds {} messages", transcript.len()));
    }
    compactions(walk);
    ends(walk);
    signatures(walk);
    governed(walk);
}

/// Whether a system message between others follows a user turn and leads to an assistant message or the end.
fn system_place(transcript: &Transcript, at: usize) -> bool {
    let rows = transcript.rows();
    let other = |r: &&Row| r.role != Role::System;
    let before = rows.iter().take(at).rev().find(other).is_some_and(|r| matches!(r.role, Role::User | Role::Tool));
    before && rows.iter().skip(at + 1).find(other).is_none_or(|r| r.role == Role::Assistant)
}

fn one_part(walk: &mut Walk<'_>, at: usize, p: usize, row: &Row, part: &Part) {
    let name = kind_name(part.kind);
    if part.flags.has(Flags::MALFORMED) {
        walk.report(Check::Malformed, at, Some(p), || format!("message {at}, part {p}: a field of this {name} is missing or of another type"));
    }
    if part.flags.has(Flags::UNSERIALISABLE) {
        walk.report(Check::NotJson, at, Some(p), || format!("message {at}, part {p}: the value of this {name} is not plain JSON"));
    }
    if !holds(walk, at, p, row.role, part) {
        walk.report(Check::Misplaced, at, Some(p), || format!("message {at}, part {p}: a {name} in a {} message", role_name(row.role)));
    }
    if part.kind == PartKind::Reasoning && part.flags.has(Flags::CACHED) {
        walk.report(Check::CachedReasoning, at, Some(p), || format!("message {at}, part {p}: reasoning carries a cache breakpoint"));
    }
    if part.flags.has(Flags::FOREIGN_ID) {
        let known = walk.findings.len();
        walk.report(Check::ForeignId, at, Some(p), || format!("message {at}: the item id of this {name}"));
        if let Some(finding) = walk.findings.get_mut(known).filter(|_| part.kind == PartKind::Reasoning && !part.flags.has(Flags::SIGNED)) {
            finding.repairable = false;
        }
    }
    if part.flags.has(Flags::SPELLED) {
        walk.report(Check::MediaAsText, at, Some(p), || format!("message {at}: the result of `{}` spells out an image or file", part.id));
    }
    if part.kind == PartKind::Result && part.media_tokens > 0 {
        walk.report(Check::MediaInResult, at, Some(p), || format!("message {at}: the result of `{}` holds media", part.id));
    }
    if matches!(part.kind, PartKind::Call | PartKind::Result)
        && let Some(most) = walk.wire.id_chars
        && (part.id.is_empty() || part.id.len() > most || (most == usize::MAX && !part.id.bytes().all(plain)))
    {
        walk.report(Check::BadId, at, Some(p), || format!("message {at}, part {p}: the id of this {name}"));
    }
    if part.kind == PartKind::Call && walk.wire.plain_names && (part.name.is_empty() || part.name.len() > NAME_CHARS || !part.name.bytes().all(plain)) {
        walk.report(Check::BadName, at, Some(p), || format!("message {at}, part {p}: the tool name of call `{}`", part.id));
    }
}

fn plain(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b == b'_' || b == b'-'
}

/// Whether a message of this role may hold this part.
fn holds(walk: &Walk<'_>, at: usize, p: usize, role: Role, part: &Part) -> bool {
    let in_user = matches!(walk.wire.placing, Placing::NextUserTurn | Placing::NextRow);
    let one_message = walk.wire.profile.name == "ai-sdk-ui";
    match (role, part.kind) {
        (_, PartKind::Opaque) | (Role::System, PartKind::Text) | (Role::User, PartKind::Text | PartKind::Media) => true,
        (Role::User, PartKind::Result) => in_user,
        (Role::User, PartKind::Compaction) => true,
        (Role::Tool, PartKind::Result | PartKind::ApprovalResponse) => true,
        // A result in an assistant message is the provider's own; one without a call is reported as that.
        (Role::Assistant, PartKind::Result) => {
            one_message || walk.transcript.index().call_of_result(at, p).is_none_or(|id| walk.transcript.index().call(id).is_none_or(|c| c.by_provider))
        }
        (Role::Assistant, PartKind::ApprovalResponse) => one_message,
        (Role::Assistant, _) => true,
        _ => false,
    }
}

/// Whether a part is text of nothing but white space that nothing else hangs on.
pub(in crate::formats) fn is_blank(part: &Part) -> bool {
    part.kind == PartKind::Text && part.measure.blank && !part.flags.has(Flags::SIGNED)
}

fn emptiness(walk: &mut Walk<'_>, at: usize, row: &Row) {
    if row.role == Role::System {
        return;
    }
    if row.parts.is_empty() {
        let display = walk.wire.profile.name == "ai-sdk-ui" && row.role == Role::Assistant;
        if !display {
            walk.report(Check::EmptyContent, at, None, || format!("message {at} has no content"));
        }
        return;
    }
    let blank = row.parts.iter().filter(|p| is_blank(p)).count();
    if blank == row.parts.len() {
        walk.report(Check::BlankRow, at, None, || format!("message {at} holds nothing but blank text"));
        return;
    }
    if blank > 0 {
        for (p, _) in row.parts.iter().enumerate().filter(|(_, part)| is_blank(part)) {
            walk.report(Check::BlankText, at, Some(p), || format!("message {at}, part {p} is blank text"));
        }
    }
    if only_reasoning(row) && !led_to_something(walk, at) {
        walk.report(Check::OnlyReasoning, at, None, || format!("message {at} holds nothing but reasoning"));
    }
}

/// An assistant message of reasoning, blank text aside.
pub(in crate::formats) fn only_reasoning(row: &Row) -> bool {
    row.role == Role::Assistant
        && row.parts.iter().any(|p| p.kind == PartKind::Reasoning)
        && row.parts.iter().all(|p| p.kind == PartKind::Reasoning || is_blank(p))
}

/// Where messages are items, reasoning stands alone and what it led to follows it.
fn led_to_something(walk: &Walk<'_>, at: usize) -> bool {
    let rest = walk.transcript.rows().iter().skip(at + 1);
    walk.wire.profile.items && rest.take_while(|r| r.role == Role::Assistant).any(|r| !only_reasoning(r) && !r.is_blank())
}

/// A compaction that was asked for is signed and stands for everything before it, which is gone.
fn compactions(walk: &mut Walk<'_>) {
    let rows = walk.transcript.rows();
    let opens = rows.iter().position(|r| r.role != Role::System);
    let signed = |(p, part): &(usize, &Part)| (part.kind == PartKind::Compaction && part.flags.has(Flags::SIGNED)).then_some(*p);
    for (at, row) in rows.iter().enumerate() {
        for p in row.parts.iter().enumerate().filter_map(|x| signed(&x)).filter(|p| Some(at) != opens || *p > 0) {
            walk.report(Check::CompactionPlace, at, Some(p), || format!("message {at}, part {p} is a compaction that does not open the conversation"));
        }
    }
}

fn ends(walk: &mut Walk<'_>) {
    let rows = walk.transcript.rows();
    let first = rows.iter().enumerate().find(|(_, r)| r.role != Role::System);
    if let Some((at, row)) = first
        && walk.wire.first == First::User
        && row.role == Role::Assistant
        && row.parts.first().is_none_or(|p| p.kind != PartKind::Compaction)
    {
        let calls = row.parts.iter().any(|p| p.kind == PartKind::Call) && (walk.wire.demands)(Check::FirstCalls).is_some();
        let check = if calls { Check::FirstCalls } else { Check::FirstRow };
        walk.report(check, at, None, || format!("message {at} is the first one and the model's"));
    }
    if let Some(row) = rows.last()
        && row.role == Role::Assistant
        && walk.transcript.index().open_round().is_none()
    {
        let at = rows.len() - 1;
        walk.report(Check::LastRow, at, None, || format!("message {at} is the last one and the model's"));
        if row.parts.last().is_some_and(|p| p.kind == PartKind::Text && p.flags.has(Flags::TRAILING)) {
            walk.report(Check::LastTrailing, at, Some(row.parts.len() - 1), || format!("message {at} ends with white space"));
        }
    }
}

/// Inside the running turn the provider wants its signatures back.
fn signatures(walk: &mut Walk<'_>) {
    let transcript = walk.transcript;
    let from = walk.running;
    let running = || transcript.rows().iter().enumerate().skip(from).filter(|(_, r)| r.role == Role::Assistant);
    if walk.wire.signed_reasoning {
        let missing: Vec<(usize, usize)> = running()
            .flat_map(|(at, row)| row.parts.iter().enumerate().map(move |(p, part)| (at, p, part)))
            .filter(|(_, _, part)| part.kind == PartKind::Reasoning && !part.flags.has(Flags::SIGNED))
            .map(|(at, p, _)| (at, p))
            .collect();
        for (at, p) in missing {
            walk.report(Check::Unsigned, at, Some(p), || format!("message {at}, part {p}: reasoning without its signature"));
        }
    }
    // Older models sign nothing; a missing signature shows only beside others.
    let signs = |row: &Row| row.parts.iter().any(|p| p.kind == PartKind::Call && p.flags.has(Flags::SIGNED));
    if walk.wire.profile.signed_calls && transcript.rows().iter().any(signs) {
        let missing: Vec<(usize, usize)> = running()
            .filter_map(|(at, row)| Some((at, row.parts.iter().position(|p| p.kind == PartKind::Call)?)))
            .filter(|(at, p)| transcript.part(*at, *p).is_some_and(|part| !part.flags.has(Flags::SIGNED)))
            .collect();
        for (at, p) in missing {
            walk.report(Check::UnsignedCall, at, Some(p), || format!("message {at}, part {p}: the first call of its step has no signature"));
        }
    }
}

/// Rounds whose items kept their ids though their reasoning is gone, in a history that reasons.
pub(in crate::formats) fn lost_reasoning(transcript: &Transcript) -> Vec<(usize, usize)> {
    let named = |p: &Part| p.flags.has(Flags::ITEM_ID);
    let reasons = |row: &Row| row.parts.iter().any(|p| p.kind == PartKind::Reasoning);
    if !transcript.rows().iter().any(|r| r.parts.iter().any(|p| p.kind == PartKind::Reasoning && named(p))) {
        return Vec::new();
    }
    let mut lost = Vec::new();
    for round in transcript.index().rounds() {
        let rows = || transcript.rows().iter().enumerate().take(round.end).skip(round.start).filter(|(_, r)| r.role == Role::Assistant);
        if rows().any(|(_, r)| reasons(r)) {
            continue;
        }
        lost.extend(rows().flat_map(|(at, r)| r.parts.iter().enumerate().filter(|(_, p)| named(p) && p.kind != PartKind::Result).map(move |(p, _)| (at, p))));
    }
    lost
}

fn governed(walk: &mut Walk<'_>) {
    if !walk.wire.governed_ids {
        return;
    }
    for (at, p) in lost_reasoning(walk.transcript) {
        walk.report(Check::LostReasoning, at, Some(p), || format!("message {at}, part {p} kept its item id, but its step has no reasoning"));
    }
}

fn kind_name(kind: PartKind) -> &'static str {
    match kind {
        PartKind::Text => "text",
        PartKind::Reasoning => "reasoning",
        PartKind::Call => "call",
        PartKind::Result => "result",
        PartKind::Media => "media part",
        PartKind::ApprovalRequest => "request for consent",
        PartKind::ApprovalResponse => "answer for consent",
        PartKind::Compaction => "compaction",
        PartKind::Opaque => "part",
    }
}

fn role_name(role: Role) -> &'static str {
    match role {
        Role::System => "system",
        Role::User => "user",
        Role::Assistant => "assistant",
        Role::Tool => "tool",
    }
}
