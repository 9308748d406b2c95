//! Code that AVX2 and AVX-512 share: arithmetic, bits, shifts and memory, of floats and of words of any width.

use crate::vector::{Mask, Vector, Words};
use std::arch::x86_64::{__m128i, _mm_loadu_si128};

/// Indices of the set bits of each 8-bit mask, lowest first: from where [`compress`] takes the lanes that it packs.
/// Behind them those of the bits that are not set.
///
/// [`compress`]: crate::Vector::compress
pub const PACKED_LANES: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut mask = 0usize;
    while mask < 256 {
        let (mut bit, mut place, mut behind) = (0, 0, mask.count_ones() as usize);
        while bit < 8 {
            if mask >> bit & 1 == 1 {
                table[mask][place] = bit as u8;
                place += 1;
            } else {
                table[mask][behind] = bit as u8;
                behind += 1;
            }
            bit += 1;
        }
        mask += 1;
    }
    table
};

/// Largest index that a gather accepts, since its instruction treats indices as signed.
const MAX_INDEX: u32 = i32::MAX as u32;

/// Declares vectors of f32 and of u32 that fill one register, with the operators that all widths share.
macro_rules! registers {
    ($set:ident, $width:ident, $floats:ident, $words:ident, $n:literal) => {
        /// Vector of f32 values in one register.
        #[derive(Debug, Clone, Copy)]
        #[repr(transparent)]
        pub struct $floats(w::$width::Floats);

        /// Vector of u32 values in one register.
        #[derive(Debug, Clone, Copy)]
        #[repr(transparent)]
        pub struct $words(w::$width::Words);

        impl $floats {
            /// Returns the register that holds the floats.
            #[inline(always)]
            pub fn register(self) -> w::$width::Floats {
                self.0
            }
        }

        impl $words {
            /// Returns the register that holds the words.
            #[inline(always)]
            pub fn register(self) -> w::$width::Words {
                self.0
            }
        }

        shared::operators!($floats, $width, Add add add_ps, Sub sub sub_ps, Mul mul mul_ps, Div div div_ps);
        shared::operators!($words, $width, Add add add_epi32, Sub sub sub_epi32, Mul mul mullo_epi32);
        shared::operators!($words, $width, BitAnd bitand and_si, BitOr bitor or_si, BitXor bitxor xor_si);

        impl Neg for $floats {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                <Self as Vector<$n>>::from_bits(self.to_bits() ^ <$words>::splat(self.set(), 1 << 31))
            }
        }

        impl Not for $words {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                self ^ <$words>::splat(self.set(), u32::MAX)
            }
        }
    };
}

macro_rules! operators {
    ($type:ident, $width:ident, $($trait:ident $method:ident $intrinsic:ident),*) => {
        $(impl $trait for $type {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                // SAFETY: see the module `x86`.
                Self(unsafe { w::$width::$intrinsic(self.0, other.0) })
            }
        })*
    };
}

/// Defines the methods of a [`Vector`](crate::Vector) that all widths share.
macro_rules! vector_methods {
    ($set:ident, $width:ident, $words:ident, $n:literal) => {
        #[inline(always)]
        fn set(self) -> $set {
            $set(())
        }
        #[inline(always)]
        fn splat(_: $set, x: f32) -> Self {
            // SAFETY: see the module `x86`.
            Self(unsafe { w::$width::set1_ps(x) })
        }
        #[inline(always)]
        fn load(_: $set, x: &[f32; $n]) -> Self {
            // SAFETY: see the module `x86`.
            Self(unsafe { w::$width::loadu_ps(x.as_ptr()) })
        }
        #[inline(always)]
        fn store(self) -> [f32; $n] {
            let mut x = [0.0; $n];
            // SAFETY: see the module `x86`.
            unsafe { w::$width::storeu_ps(x.as_mut_ptr(), self.0) };
            x
        }
        #[inline(always)]
        fn mul_add(self, b: Self, c: Self) -> Self {
            // SAFETY: see the module `x86`.
            Self(unsafe { w::$width::fmadd_ps(self.0, b.0, c.0) })
        }
        #[inline(always)]
        fn mul_sub(self, b: Self, c: Self) -> Self {
            // SAFETY: see the module `x86`.
            Self(unsafe { w::$width::fmsub_ps(self.0, b.0, c.0) })
        }
        #[inline(always)]
        fn neg_mul_add(self, b: Self, c: Self) -> Self {
            // SAFETY: see the module `x86`.
            Self(unsafe { w::$width::fnmadd_ps(self.0, b.0, c.0) })
        }
        #[inline(always)]
        fn sqrt(self) -> Self {
            // SAFETY: see the module `x86`.
            Self(unsafe { w::$width::sqrt_ps(self.0) })
        }
        #[inline(always)]
        fn abs(self) -> Self {
            <Self as Vector<$n>>::from_bits(self.to_bits() & <$words>::splat(self.set(), u32::MAX >> 1))
        }
        #[inline(always)]
        fn min(self, other: Self) -> Self {
            // SAFETY: see the module `x86`.
            Self(unsafe { w::$width::min_ps(self.0, other.0) })
        }
        #[inline(always)]
        fn max(self, other: Self) -> Self {
            // SAFETY: see the module `x86`.
            Self(unsafe { w::$width::max_ps(self.0, other.0) })
        }
        #[inline(always)]
        fn to_bits(self) -> $words {
            // SAFETY: see the module `x86`.
            $words(unsafe { w::$width::castps_si(self.0) })
        }
        #[inline(always)]
        fn from_bits(bits: $words) -> Self {
            // SAFETY: see the module `x86`.
            Self(unsafe { w::$width::castsi_ps(bits.0) })
        }
        #[inline(always)]
        fn from_i32(words: $words) -> Self {
            // SAFETY: see the module `x86`.
            Self(unsafe { w::$width::cvtepi32_ps(words.0) })
        }
    };
}

/// Defines the methods of [`Words`](crate::Words) that all widths share. `$every_16` repeats 16 bytes over a register.
macro_rules! words_methods {
    ($set:ident, $width:ident, $n:literal, |$bytes:ident| $every_16:expr) => {
        #[inline(always)]
        fn set(self) -> $set {
            $set(())
        }
        #[inline(always)]
        fn splat(_: $set, x: u32) -> Self {
            // SAFETY: see the module `x86`.
            Self(unsafe { w::$width::set1_epi32(x.cast_signed()) })
        }
        #[inline(always)]
        fn load(_: $set, x: &[u32; $n]) -> Self {
            // SAFETY: see the module `x86`; any bits are words.
            Self(unsafe { x.as_ptr().cast::<w::$width::Words>().read_unaligned() })
        }
        #[inline(always)]
        fn store(self) -> [u32; $n] {
            let mut x = [0; $n];
            // SAFETY: the array is as large as the register.
            unsafe { x.as_mut_ptr().cast::<w::$width::Words>().write_unaligned(self.0) };
            x
        }
        #[inline(always)]
        fn shl(self, count: u32) -> Self {
            // SAFETY: see the module `x86`.
            Self(unsafe { w::$width::sll_epi32(self.0, _mm_cvtsi32_si128(count.cast_signed())) })
        }
        #[inline(always)]
        fn shr(self, count: u32) -> Self {
            // SAFETY: see the module `x86`.
            Self(unsafe { w::$width::srl_epi32(self.0, _mm_cvtsi32_si128(count.cast_signed())) })
        }
        #[inline(always)]
        fn shl_each(self, counts: Self) -> Self {
            // SAFETY: see the module `x86`.
            Self(unsafe { w::$width::sllv_epi32(self.0, counts.0) })
        }
        #[inline(always)]
        fn shr_each(self, counts: Self) -> Self {
            // SAFETY: see the module `x86`.
            Self(unsafe { w::$width::srlv_epi32(self.0, counts.0) })
        }
        #[inline(always)]
        fn reverse_bits(self) -> Self {
            // Bytes in the other order, then the two halves of each reversed by a table of 16 and exchanged.
            let half = Self::splat(self.set(), 0x0f0f_0f0f);
            // SAFETY: see the module `x86`.
            unsafe {
                let $bytes = _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
                let bytes = Self(w::$width::shuffle_epi8(self.0, $every_16));
                let $bytes = _mm_setr_epi8(0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15);
                let reversed = $every_16;
                let low = Self(w::$width::shuffle_epi8(reversed, (bytes & half).0));
                let high = Self(w::$width::shuffle_epi8(reversed, (bytes.shr(4) & half).0));
                low.shl(4) | high
            }
        }
        #[inline(always)]
        fn min(self, other: Self) -> Self {
            // SAFETY: see the module `x86`.
            Self(unsafe { w::$width::min_epu32(self.0, other.0) })
        }
        #[inline(always)]
        fn max(self, other: Self) -> Self {
            // SAFETY: see the module `x86`.
            Self(unsafe { w::$width::max_epu32(self.0, other.0) })
        }
    };
}

/// Transposes four registers of four 32-bit words, within each 128-bit part of wider registers.
macro_rules! turned {
    ($width:ident, $words:ident, [$a:expr, $b:expr, $c:expr, $d:expr]) => {{
        let (low_ab, high_ab) = (w::$width::unpacklo_epi32($a, $b), w::$width::unpackhi_epi32($a, $b));
        let (low_cd, high_cd) = (w::$width::unpacklo_epi32($c, $d), w::$width::unpackhi_epi32($c, $d));
        [
            $words(w::$width::unpacklo_epi64(low_ab, low_cd)),
            $words(w::$width::unpackhi_epi64(low_ab, low_cd)),
            $words(w::$width::unpacklo_epi64(high_ab, high_cd)),
            $words(w::$width::unpackhi_epi64(high_ab, high_cd)),
        ]
    }};
}

/// Converts each u32 to the nearest float, where only signed numbers have an instruction for it: by its 16-bit halves.
#[inline(always)]
pub(super) fn from_halves<const N: usize, F: Vector<N>>(words: F::Words) -> F {
    // Both halves of a word and the product are exact, so that the sum alone is rounded.
    let set = words.set();
    let (low, high) = (words & F::Words::splat(set, 0xffff), words.shr(16));
    F::from_i32(high) * F::splat(set, 65536.0) + F::from_i32(low)
}

/// Loads four words into a register.
#[inline(always)]
pub(super) fn row(words: &[u32; 4]) -> __m128i {
    // SAFETY: SSE2 is part of x86-64, and the array is as large as the register.
    unsafe { _mm_loadu_si128(words.as_ptr().cast()) }
}

/// Panics if an index in a lane of `mask` lies outside a table of `length` entries, or exceeds what a gather accepts.
#[inline(always)]
pub(super) fn check_indices<const N: usize, W: Words<N>>(length: usize, index: W, mask: W::Mask) {
    let end = length.min(MAX_INDEX as usize + 1) as u32;
    let outside = mask & !index.lt(W::splat(index.set(), end));
    if outside.any() {
        outside_of_table(outside.bits(), length);
    }
}

/// Panics for a gather whose lanes in `outside` have indices beyond a table of `length` entries.
#[cold]
#[inline(never)]
fn outside_of_table(outside: u32, length: usize) -> ! {
    panic!("the indices of lanes {outside:#b} lie outside of a table of {length}");
}

pub(super) use {operators, registers, turned, vector_methods, words_methods};
