//! The one text cutter: where a long text may be cut, and how the gap is named.
//!
//! Decides cut points in UTF-16 code units of the host's own string, because that is what the host
//! slices by. Refuses to hold the text: it peeks at a few units around a cut, so a 40 MB string in
//! JavaScript stays there.

use std::ops::Range;

/// A text addressed by UTF-16 code units.
pub trait Utf16 {
    /// Length in code units.
    fn len(&self) -> u32;
    /// The units of a range; shorter where the text ends.
    fn units(&self, range: Range<u32>) -> Vec<u16>;
    /// Whether there is nothing in it.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// One unit, 0 beyond the end.
    fn unit(&self, at: u32) -> u16 {
        self.units(at..at.saturating_add(1)).first().copied().unwrap_or(0)
    }
    /// A range as text, unpaired surrogates replaced.
    fn slice(&self, range: Range<u32>) -> String {
        String::from_utf16_lossy(&self.units(range))
    }
}

/// A text held as code units; what native callers and tests use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Units(pub Vec<u16>);

impl From<&str> for Units {
    fn from(text: &str) -> Self {
        Units(text.encode_utf16().collect())
    }
}

impl Utf16 for Units {
    fn len(&self) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }

    fn units(&self, range: Range<u32>) -> Vec<u16> {
        let end = (range.end as usize).min(self.0.len());
        self.0.get(range.start as usize..end).unwrap_or(&[]).to_vec()
    }
}

const LF: u16 = 0x0a;
const CR: u16 = 0x0d;

fn is_high(unit: u16) -> bool {
    (0xd800..0xdc00).contains(&unit)
}

fn is_low(unit: u16) -> bool {
    (0xdc00..0xe000).contains(&unit)
}

/// Whether a cut at `at` would split a surrogate pair.
pub fn splits_pair(text: &impl Utf16, at: u32) -> bool {
    at > 0 && at < text.len() && is_low(text.unit(at)) && is_high(text.unit(at - 1))
}

/// The end of a head of at most `want` units: no pair split, a line end within the last 5 % preferred.
pub fn head_end(text: &impl Utf16, want: u32) -> u32 {
    let end = if splits_pair(text, want) { want - 1 } else { want };
    let floor = end - end / 20;
    let units = text.units(floor..end);
    match units.iter().rposition(|u| *u == LF) {
        Some(i) => floor + i as u32 + 1,
        None => end,
    }
}

/// The start of a tail of at most `want` units: no pair split, a line start within its first 5 % preferred.
pub fn tail_start(text: &impl Utf16, want: u32) -> u32 {
    let start = text.len().saturating_sub(want);
    let start = if splits_pair(text, start) { start + 1 } else { start };
    if start == 0 || text.unit(start - 1) == LF {
        return start;
    }
    let units = text.units(start..start + want / 20);
    match units.iter().position(|u| *u == LF) {
        Some(i) => start + i as u32 + 1,
        None => start,
    }
}

/// Whether both sides of a gap are whole lines, so that the marker may stand on a line of its own.
pub fn between_lines(text: &impl Utf16, head: u32, tail: u32) -> bool {
    let ends_line = |at: u32| at > 0 && matches!(text.unit(at - 1), LF | CR);
    ends_line(head) && ends_line(tail)
}

/// Text shortened to at most `max` characters, whole characters only, with an ellipsis when cut.
pub fn ellipsis(text: &str, max: usize) -> String {
    if text.chars().count() <= max {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(max.saturating_sub(1)).collect();
    cut.push('…');
    cut
}
