//! The part of a session that measures the request for the gauge: texts, media, the response's own rows,
//! what was appended behind it, and the constants that stand around messages, calls and results.

use super::config::Counter;
use super::measure::family::{Family, Keeps};
use super::measure::meter::measure;
use super::measure::occupancy::Sent;
use super::relieve::aged;
use super::session::Session;
use super::transcript::{Part, PartKind, Role, Row, Totals};

impl Session {
    /// The constants in force; with the counter for hand-worked sizes there are none.
    pub fn constants(&self) -> Family {
        if self.config.estimate.counter == Counter::Chars4 { Family::default() } else { self.family }
    }

    /// Takes the constants of the model's family.
    pub fn set_family(&mut self, family: Family) {
        self.reframe(|session| {
            session.family = family;
            session.gauge.set_family(session.constants());
        });
    }

    /// Changes what the constants depend on and lays them anew.
    pub(super) fn reframe(&mut self, change: impl FnOnce(&mut Session)) {
        let before = (self.constants(), self.config.estimate.counter);
        change(self);
        let after = (self.constants(), self.config.estimate.counter);
        if before != after {
            self.aged = aged::Both::default();
            self.transcript.each_part(|role, first, calls, part| {
                let plain = part.measure.tokens.saturating_sub(around(before, role, first, calls, part));
                part.measure.tokens = plain + around(after, role, first, calls, part);
            });
        }
    }

    /// Adds what stands around the parts of a row that comes in.
    pub(super) fn frame_row(&self, row: &mut Row) {
        let (family, counter) = (self.constants(), self.config.estimate.counter);
        if family != Family::default() {
            let (role, framed, calls) = (row.role, row.framed(), row.calls());
            for (i, part) in row.parts.iter_mut().enumerate() {
                part.measure.tokens += around((family, counter), role, i == framed, calls, part);
            }
        }
    }

    /// Constants of the request that stand in no part: its own, and those of results whose text a stub replaced.
    pub(super) fn framing(&self, totals: &Totals) -> u64 {
        let family = self.constants();
        if family == Family::default() {
            return 0;
        }
        let result = u64::from(family.counted(family.result));
        u64::from(family.counted(family.base)) + totals.stand_ins * result
    }

    /// The request as it stands, for the gauge.
    pub fn sent(&self) -> Sent {
        let rows = self.transcript.rows();
        let mut sent = Sent { rows: rows.len(), measured: self.measured(usize::MAX), media: self.media(usize::MAX), unkept: self.unkept(), ..Sent::default() };
        let Some(from) = self.gauge.anchored_rows() else { return sent };
        let mut own = true;
        for (at, row) in rows.iter().enumerate().skip(from) {
            own &= row.role == Role::Assistant;
            if row.is_hidden() {
                continue;
            }
            let user = row.is_real_user();
            sent.turn |= user;
            sent.units += u32::from(user);
            for (i, part) in row.parts.iter().enumerate() {
                let tokens = u64::from(part.view_tokens()).saturating_sub(u64::from(part.view_media()));
                if own {
                    sent.response += tokens;
                    sent.reasoning += if part.kind == PartKind::Reasoning { tokens } else { 0 };
                } else {
                    let tool = if part.kind == PartKind::Result { self.tool_of(at, i) } else { "" };
                    sent.units += u32::from(part.kind == PartKind::Result);
                    match sent.pieces.iter_mut().find(|p| *p.0 == *tool) {
                        Some(piece) => piece.1 += tokens,
                        None => sent.pieces.push((tool.into(), tokens)),
                    }
                }
            }
        }
        sent
    }

    /// The first `rows` rows as a request of their own.
    pub(super) fn sent_before(&self, rows: usize) -> Sent {
        Sent { rows, measured: self.measured(rows), media: self.media(rows), ..Sent::default() }
    }

    /// Reasoning in the list that is not in the window any more, in measured tokens.
    pub fn unkept(&self) -> u64 {
        let all = self.transcript.totals().reasoning();
        match self.constants().reasoning {
            Keeps::All => 0,
            Keeps::None => all,
            Keeps::Turn if all == 0 => 0,
            Keeps::Turn => self.transcript.index().turns().last().map_or(0, |turn| self.transcript.reasoning_before(*turn)),
        }
    }

    /// The tool that answered, of a result.
    pub(super) fn tool_of(&self, row: usize, part: usize) -> &str {
        let index = self.transcript.index();
        let call = index.call_of_result(row, part).and_then(|c| index.call(c));
        call.and_then(|c| self.transcript.part(c.row, c.part)).map_or("", |p| &p.name)
    }

    fn media(&self, rows: usize) -> u64 {
        self.transcript.totals_before(rows).media
    }
}

/// Counted tokens around a part: the message's own at the part that stands for it, the answer's, the call's, the result's.
fn around((family, counter): (Family, Counter), role: Role, first: bool, calls: usize, part: &Part) -> u32 {
    let own = match part.kind {
        PartKind::Call => {
            let name = if family.spelled > 0.0 { f64::from(measure(counter, &part.name).tokens) * family.spelled } else { 0.0 };
            let beside = if calls > 1 { family.call + family.parallel } else { family.call };
            family.counted(beside) + name.round() as u32
        }
        PartKind::Result => family.counted(family.result),
        PartKind::Text if role == Role::Assistant => family.counted(family.answer),
        _ => 0,
    };
    own + if first { family.counted(family.message) } else { 0 }
}
