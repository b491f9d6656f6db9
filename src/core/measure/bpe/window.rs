//! Cuts ASCII text into pieces, 64 bytes at a time, without a branch per character.
//!
//! Decides the same ends as `split.rs` with bit arithmetic over character classes. A window begins where a
//! piece begins, so nothing is carried over from before. Refuses what takes a longer look: text outside
//! ASCII, contractions, a slash after punctuation and a line end, blanks between two line ends. There the
//! window stops, and one piece is read by `split.rs`.

use super::lanes::{Lanes, WINDOW, arch, bits};

/// The pieces of one window.
pub(super) struct Window {
    /// A bit at the end of every piece that is known whole; pieces follow one another from the first byte on.
    pub(super) ends: u64,
    /// Whether the next piece must be read by the splitter.
    pub(super) hard: bool,
}

#[inline(always)]
fn below(bit: u32) -> u64 {
    if bit >= 64 { !0 } else { (1 << bit) - 1 }
}

/// Reads a window of which the first `valid` bytes are text. `CAMEL` is the o200k pattern, else cl100k.
#[inline]
#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
pub(super) fn window<const CAMEL: bool>(bytes: &[u8; WINDOW], valid: u32) -> Window {
    let lanes = Lanes::load(bytes);
    let unknown = bits!(lanes, high()) | !below(valid);
    // Nothing at or behind the first unknown byte counts.
    let edge = unknown.trailing_zeros();
    let known = below(edge);
    let letter = bits!(lanes, letter()) & known;
    let digit = bits!(lanes, within(b'0', 10)) & known;
    let blank = bits!(lanes, equal(b' ')) & known;
    let control = bits!(lanes, within(9, 5)) & known;
    let line_end = (bits!(lanes, equal(b'\n')) | bits!(lanes, equal(b'\r'))) & known;
    let quote = bits!(lanes, equal(b'\'')) & known;
    let space = blank | control & !line_end;
    let other = known & !(letter | digit | space | line_end);
    let at_edge = if edge == 0 { 0 } else { 1 << (edge - 1) };

    // Blanks: a run starts a piece, and so does its last one if anything but white space follows.
    let space_first = space & !(space << 1);
    let space_last = space & !((space | line_end) >> 1);
    // Others: a run starts a piece, except behind a blank, which it takes along.
    let other_first = other & !(other << 1) & !(blank << 1);
    // Line ends right behind others belong to them; adding 1 at the start of such a run clears it.
    let taken = line_end & !line_end.wrapping_add(other << 1 & line_end);
    let line_first = line_end & !((line_end | space | other) << 1);
    // Letters: a run starts a piece, except behind a blank or a single other, which it takes along.
    let mut starts = letter & !((letter | space | other_first) << 1);
    if CAMEL {
        let upper = bits!(lanes, within(b'A', 26)) & known;
        starts |= upper & ((letter & !upper) << 1);
    }
    // Digits: a run starts a piece, and so does every third one in it.
    let mut group = digit & !(digit << 1);
    let fourth = digit & digit << 1 & digit << 2 & digit << 3;
    while group != 0 {
        starts |= group;
        group = group << 3 & fourth;
    }
    starts |= space_first | space_last | other_first | line_first;

    // Where to stop: contractions, …
    let before_letter = letter >> 1 | at_edge;
    let mut hard = quote & before_letter & if CAMEL { letter << 1 } else { other_first };
    // … blanks between two line ends, which are one piece with them, …
    let between = space_first & (line_end & !taken) << 1;
    hard |= space.wrapping_add(between) & !space & line_end;
    // … and slashes behind line ends behind others.
    if CAMEL && taken << 1 & other != 0 {
        hard |= taken << 1 & bits!(lanes, equal(b'/')) & known;
    }
    let stop = edge.min(hard.trailing_zeros());
    // The last start must not depend on what follows it.
    let certain = starts & !between & !(space_last & !space_first) & below(stop);
    if certain == 0 {
        return Window { ends: 0, hard: true };
    }
    let next = 63 - certain.leading_zeros();
    Window { ends: starts & !1 & (!0 >> (63 - next)), hard: next == 0 || stop < WINDOW as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::measure::bpe::classes::Classes;
    use crate::core::measure::bpe::encoding::Pattern;
    use crate::core::measure::bpe::split::piece_end;

    /// Every end a window is sure of must be one of the splitter's, in order and without a gap.
    fn agrees(classes: &Classes, text: &[u8], valid: usize) {
        let mut bytes = [b'x'; WINDOW];
        bytes[..valid].copy_from_slice(&text[..valid]);
        for (pattern, found) in [(Pattern::Camel, window::<true>(&bytes, valid as u32)), (Pattern::Words, window::<false>(&bytes, valid as u32))] {
            let mut at = 0;
            for end in (1..WINDOW).filter(|i| found.ends >> i & 1 == 1) {
                assert_eq!(piece_end(pattern, classes, text, at).0, end, "{pattern:?} at {at} of {:?}", String::from_utf8_lossy(text));
                at = end;
            }
        }
    }

    #[test]
    fn every_end_is_the_splitters() {
        let classes = Classes::new();
        let mut noise = 0x9e37_79b9_u64;
        let mut below = |n: usize| {
            noise ^= noise << 13;
            noise ^= noise >> 7;
            noise ^= noise << 17;
            (noise >> 11) as usize % n
        };
        let alphabets: [&[u8]; 5] = [b"aB \n", b"ab'sStrelLvd ", b"({/\n\r \tx", b"x1 \n'/(A", b" \n\r\t\x0b\x0cab("];
        for round in 0..20_000 {
            let mut text: Vec<u8> = (0..80)
                .map(|_| match alphabets.get(round % 6) {
                    Some(alphabet) => alphabet[below(alphabet.len())],
                    None => below(128) as u8,
                })
                .collect();
            if round % 4 == 0 {
                let at = below(75);
                text.splice(at..at + 2, "é".bytes());
            }
            agrees(&classes, &text, if round % 3 == 0 { 1 + below(WINDOW) } else { WINDOW });
        }
    }

    #[test]
    fn a_window_of_prose_is_read_whole() {
        let text = b"The patient was stable. She said: wait (a bit), 12345 more days\nand then";
        let bytes = text.first_chunk::<WINDOW>().unwrap();
        let found = window::<true>(bytes, WINDOW as u32);
        assert!(!found.hard);
        // The| patient| was| stable|.| She| said|:| wait| (|a| bit|),| |123|45| more| days|, and the line end is still open.
        assert_eq!(found.ends.count_ones(), 18);
    }
}
