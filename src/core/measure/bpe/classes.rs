//! Which of eight classes a character is in, as the pre-tokenizers tell them apart.
//!
//! Decides how the run-length table in `classes.bin` (written by `xtask vocab --classes` from the Unicode
//! tables of the reference's regular expressions) is unfolded and read. Refuses to know what a class means
//! for a piece: that is the splitter's.

/// A class number.
pub(super) type Class = u8;

/// Everything else: punctuation, symbols, controls, unassigned.
pub(super) const OTHER: Class = 0;
/// Upper-case and title-case letters.
pub(super) const UPPER: Class = 1;
/// Lower-case letters.
pub(super) const LOWER: Class = 2;
/// Letters without case, modifier letters.
pub(super) const CASELESS: Class = 3;
/// Combining marks.
pub(super) const MARK: Class = 4;
/// Numbers of every kind.
pub(super) const NUMBER: Class = 5;
/// White space except line ends.
pub(super) const SPACE: Class = 6;
/// Line feed and carriage return.
pub(super) const LINE_END: Class = 7;

const RUNS: &[u8] = include_bytes!("classes.bin");

const BLOCK: usize = 128;

/// Upper, lower, caseless letters and marks.
#[inline(always)]
pub(super) fn is_letterish(class: Class) -> bool {
    class.wrapping_sub(1) < 4
}

/// Letters proper, without marks.
#[inline(always)]
pub(super) fn is_letter(class: Class) -> bool {
    class.wrapping_sub(1) < 3
}

#[expect(clippy::indexing_slicing, reason = "runs when compiling")]
const fn ascii_table() -> [Class; 128] {
    let mut table = [OTHER; 128];
    let mut i = 0u8;
    while i < 128 {
        let class = match i {
            b'\n' | b'\r' => LINE_END,
            9..=13 | b' ' => SPACE,
            b'A'..=b'Z' => UPPER,
            b'a'..=b'z' => LOWER,
            b'0'..=b'9' => NUMBER,
            _ => OTHER,
        };
        table[i as usize] = class;
        i += 1;
    }
    table
}

const ASCII: &[Class; 128] = &ascii_table();

/// The class of an ASCII byte.
#[inline(always)]
pub(super) fn ascii(byte: u8) -> Class {
    ASCII.get(byte as usize).copied().unwrap_or(OTHER)
}

/// The table for all code points: a block number for every 128 of them, and the blocks.
pub(super) struct Classes {
    blocks: Vec<u16>,
    classes: Vec<Class>,
}

impl Classes {
    /// Unfolds the table; uniform blocks are shared.
    pub(super) fn new() -> Self {
        let mut classes: Vec<Class> = (0..8).flat_map(|class| [class; BLOCK]).collect();
        let mut blocks = Vec::with_capacity(0x11_0000 / BLOCK);
        let mut open = [OTHER; BLOCK];
        let mut filled = 0;
        let mut mixed = false;
        let (mut value, mut shift) = (0usize, 0);
        for byte in RUNS {
            value |= ((byte & 127) as usize) << shift;
            shift += 7;
            if byte & 128 != 0 {
                continue;
            }
            let class = (value & 7) as Class;
            let mut left = value >> 3;
            (value, shift) = (0, 0);
            while left > 0 {
                let n = left.min(BLOCK - filled);
                if n < BLOCK {
                    mixed = true;
                    open.iter_mut().skip(filled).take(n).for_each(|slot| *slot = class);
                }
                filled += n;
                left -= n;
                if filled == BLOCK {
                    blocks.push(if mixed { (classes.len() / BLOCK) as u16 } else { u16::from(class) });
                    if mixed {
                        classes.extend_from_slice(&open);
                    }
                    (filled, mixed) = (0, false);
                }
            }
        }
        Classes { blocks, classes }
    }

    /// The class of a code point; out of range is [`OTHER`].
    #[inline(always)]
    pub(super) fn of(&self, code_point: u32) -> Class {
        let block = self.blocks.get(code_point as usize / BLOCK).copied().unwrap_or(0) as usize;
        self.classes.get(block * BLOCK + code_point as usize % BLOCK).copied().unwrap_or(OTHER)
    }

    /// Class and length of the character at `at`; past the end, or where the bytes are cut off, length 0.
    ///
    /// Bytes that are no UTF-8 are taken as something of one to four bytes, never as a fault.
    #[inline(always)]
    pub(super) fn at(&self, text: &[u8], at: usize) -> (Class, usize) {
        match text.get(at) {
            None => (OTHER, 0),
            Some(&byte) if byte < 0x80 => (ascii(byte), 1),
            // U+5000 to U+8FFF and U+B000 to U+CFFF: ideographs and Hangul syllables, without exception.
            Some(0xe5..=0xe8 | 0xeb | 0xec) if at + 3 <= text.len() => (CASELESS, 3),
            Some(&byte) => self.wide(text, at, byte),
        }
    }

    #[inline(always)]
    fn wide(&self, text: &[u8], at: usize, first: u8) -> (Class, usize) {
        let Some(four) = text.get(at..).and_then(|rest| rest.first_chunk::<4>()) else {
            return self.wide_at_end(text, at, first);
        };
        let bytes = u32::from_be_bytes(*four);
        let (b, c, d) = (bytes >> 16 & 0x3f, bytes >> 8 & 0x3f, bytes & 0x3f);
        let first = u32::from(first);
        match first {
            0xe0..=0xef => (self.of((first & 15) << 12 | b << 6 | c), 3),
            0xc0..=0xdf => (self.of((first & 31) << 6 | b), 2),
            0xf0..=0xf7 => (self.of((first & 7) << 18 | b << 12 | c << 6 | d), 4),
            _ => (OTHER, 1),
        }
    }

    /// The last character of a text, which may be cut off.
    #[cold]
    fn wide_at_end(&self, text: &[u8], at: usize, first: u8) -> (Class, usize) {
        let n = match first {
            0xc0..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf7 => 4,
            _ => return (OTHER, 1),
        };
        let mut four = [0; 4];
        match (text.get(at..at + n), four.get_mut(..n)) {
            (Some(whole), Some(copy)) => {
                copy.copy_from_slice(whole);
                self.wide(&four, 0, first)
            }
            _ => (OTHER, 0),
        }
    }
}
