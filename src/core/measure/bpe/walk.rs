//! Walks over a text, piece by piece, and adds up their tokens.
//!
//! Decides when a piece is read by the window and when by the splitter, and which pieces are certain
//! although more text may come. Refuses to keep text: what is not certain is the caller's to keep.

use super::encoding::Pattern;
use super::lanes::WINDOW;
use super::memo::Memo;
use super::split::piece_end;
use super::vocab::Vocabulary;
use super::window::window;
use super::words;

/// Bytes that must be readable behind a place for a window and the words of its last piece.
const READABLE: usize = WINDOW + 16;

/// How far a walk got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Walked {
    /// Bytes of the pieces that were counted.
    pub(super) bytes: usize,
    /// Their tokens.
    pub(super) tokens: u32,
}

/// Counts the pieces of the text. With `last` the text ends here, else only pieces that no further text can
/// change are counted.
pub(super) fn walk(vocabulary: &Vocabulary, memo: &mut Memo, text: &[u8], last: bool) -> Walked {
    match vocabulary.encoding.pattern() {
        Pattern::Camel => windows::<true>(vocabulary, memo, text, last),
        Pattern::Words => windows::<false>(vocabulary, memo, text, last),
        Pattern::Plain => pieces(vocabulary, memo, text, last),
    }
}

#[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
fn windows<const CAMEL: bool>(vocabulary: &Vocabulary, memo: &mut Memo, text: &[u8], last: bool) -> Walked {
    let mut walked = Walked { bytes: 0, tokens: 0 };
    // The end of the text, with zeros behind it.
    let mut tail = [0; 2 * READABLE];
    let tail_from = text.len().saturating_sub(READABLE);
    if let (Some(copy), Some(rest)) = (tail.get_mut(..text.len() - tail_from), text.get(tail_from..)) {
        copy.copy_from_slice(rest);
    }
    loop {
        let at = walked.bytes;
        if at >= text.len() {
            return walked;
        }
        let (bytes, at_in) = if at + READABLE <= text.len() { (text, at) } else { (tail.as_slice(), at - tail_from) };
        // A window pays when it holds several pieces: where eight bytes are no ASCII, one piece is read by itself.
        let wide = words::word(bytes, at_in) & 0x8080_8080_8080_8080 != 0;
        if !wide && let Some(view) = bytes.get(at_in..).and_then(|rest| rest.first_chunk::<READABLE>()) {
            let valid = (text.len() - at).min(WINDOW) as u32;
            let Some(head) = view.first_chunk::<WINDOW>() else { return walked };
            let found = window::<CAMEL>(head, valid);
            let mut ends = found.ends;
            let mut from = 0;
            while ends != 0 {
                let to = ends.trailing_zeros() as usize;
                ends &= ends - 1;
                walked.tokens += memo.count(vocabulary, view, from, to - from);
                from = to;
            }
            walked.bytes += from;
            if !found.hard {
                continue;
            }
        }
        let at = walked.bytes;
        if at >= text.len() {
            return walked;
        }
        let pattern = if CAMEL { Pattern::Camel } else { Pattern::Words };
        let (end, open) = piece_end(pattern, &vocabulary.classes, text, at);
        if open && !last {
            return walked;
        }
        walked.tokens += memo.count(vocabulary, text, at, end - at);
        walked.bytes = end;
    }
}

fn pieces(vocabulary: &Vocabulary, memo: &mut Memo, text: &[u8], last: bool) -> Walked {
    let mut walked = Walked { bytes: 0, tokens: 0 };
    while walked.bytes < text.len() {
        let (end, open) = piece_end(vocabulary.encoding.pattern(), &vocabulary.classes, text, walked.bytes);
        if open && !last {
            break;
        }
        walked.tokens += memo.count(vocabulary, text, walked.bytes, end - walked.bytes);
        walked.bytes = end;
    }
    walked
}
