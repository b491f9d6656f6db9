//! 64 bytes at once: which of them are equal to a byte or lie in a range, as bits.
//!
//! Decides the instructions: WebAssembly SIMD, elsewhere arithmetic on 64-bit words. Refuses to know what the
//! bits mean.

use super::words;

/// A window of text.
pub(super) const WINDOW: usize = 64;

#[cfg(target_arch = "wasm32")]
pub(super) mod arch {
    use core::arch::wasm32::{i8x16_bitmask, i8x16_lt, i8x16_splat, i8x16_sub, u8x16_eq, u8x16_splat, u64x2, v128, v128_or};

    pub(in super::super) type Lane = v128;

    #[inline]
    #[target_feature(enable = "simd128")]
    pub(in super::super) fn load(low: u64, high: u64) -> Lane {
        u64x2(low, high)
    }

    #[inline]
    #[target_feature(enable = "simd128")]
    pub(in super::super) fn equal(lane: Lane, byte: u8) -> u64 {
        u64::from(i8x16_bitmask(u8x16_eq(lane, u8x16_splat(byte))))
    }

    #[inline]
    #[target_feature(enable = "simd128")]
    pub(in super::super) fn within(lane: Lane, low: u8, n: u8) -> u64 {
        let moved = i8x16_sub(lane, u8x16_splat(low.wrapping_add(128)));
        u64::from(i8x16_bitmask(i8x16_lt(moved, i8x16_splat((n ^ 128) as i8))))
    }

    #[inline]
    #[target_feature(enable = "simd128")]
    pub(in super::super) fn letter(lane: Lane) -> u64 {
        within(v128_or(lane, u8x16_splat(0x20)), b'a', 26)
    }

    #[inline]
    #[target_feature(enable = "simd128")]
    pub(in super::super) fn high(lane: Lane) -> u64 {
        u64::from(i8x16_bitmask(lane))
    }
}

#[cfg(not(target_arch = "wasm32"))]
pub(super) mod arch {
    pub(in super::super) type Lane = [u64; 2];

    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;

    /// The high bit of every byte, as 16 bits.
    #[inline(always)]
    fn gather([a, b]: Lane) -> u64 {
        let eight = |word: u64| ((word & HIGHS) >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        eight(a) | eight(b) << 8
    }

    #[inline(always)]
    pub(in super::super) fn load(low: u64, high: u64) -> Lane {
        [low, high]
    }

    #[inline(always)]
    pub(in super::super) fn equal(lane: Lane, byte: u8) -> u64 {
        gather(lane.map(|word| {
            let zero = word ^ (ONES * u64::from(byte));
            !(((zero & !HIGHS) + !HIGHS) | zero)
        }))
    }

    /// `low + n` is at most 128.
    #[inline(always)]
    pub(in super::super) fn within(lane: Lane, low: u8, n: u8) -> u64 {
        gather(lane.map(|word| {
            let from = |least: u8| (word & !HIGHS) + ONES * u64::from(128 - least);
            from(low) & !from(low + n) & !word
        }))
    }

    #[inline(always)]
    pub(in super::super) fn letter(lane: Lane) -> u64 {
        within(lane.map(|word| word | (ONES * 0x20)), b'a', 26)
    }

    #[inline(always)]
    pub(in super::super) fn high(lane: Lane) -> u64 {
        gather(lane)
    }
}

/// The window in four lanes.
#[derive(Clone, Copy)]
pub(super) struct Lanes(pub(super) [arch::Lane; 4]);

impl Lanes {
    /// Reads the window.
    #[inline]
    #[cfg_attr(target_arch = "wasm32", target_feature(enable = "simd128"))]
    pub(super) fn load(bytes: &[u8; WINDOW]) -> Lanes {
        let at = |i: usize| arch::load(words::word(bytes, 16 * i), words::word(bytes, 16 * i + 8));
        Lanes([at(0), at(1), at(2), at(3)])
    }
}

/// `bits!(lanes, equal(byte))`, `within(low, n)`, `letter()`, `high()`: the bytes of the window for which that is so.
///
/// A macro, because functions with a target feature cannot be marked to be inlined always, and in code that is
/// optimised for size these are calls.
macro_rules! bits {
    ($lanes:expr, $test:ident($($arg:expr),*)) => {{
        let [a, b, c, d] = $lanes.0;
        arch::$test(a $(, $arg)*) | arch::$test(b $(, $arg)*) << 16 | arch::$test(c $(, $arg)*) << 32 | arch::$test(d $(, $arg)*) << 48
    }};
}
pub(super) use bits;
