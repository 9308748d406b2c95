//! AVX2 with FMA: four or eight lanes in a register, sixteen in two. A mask is a register too, with all bits of a lane
//! set or none.

use super::shared::{self, check_indices, from_halves, row};
use super::widths as w;
use crate::isa::{Avx2, Isa};
use crate::pair::Pair;
use crate::task::{InstructionSet, TaskOn, sealed};
use crate::vector::{Mask, Vector, Words};
use std::arch::x86_64::*;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

pub use super::shared::PACKED_LANES;

impl sealed::Sealed for Avx2 {}

impl InstructionSet for Avx2 {
    const NATIVE_LANES: usize = 8;
    type F4 = F4;
    type F8 = F8;
    type F16 = Pair<F8>;

    #[inline(always)]
    fn isa(self) -> Isa {
        Isa::Avx2(self)
    }

    #[inline]
    fn enter<T: TaskOn<Self>>(self, task: T) -> T::Output {
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
        fn entered<T: TaskOn<Avx2>>(set: Avx2, task: T) -> T::Output {
            task.run_on(set)
        }
        // SAFETY: `detect` saw all of these.
        unsafe { entered(self, task) }
    }

    #[inline(always)]
    fn prefetch(self, address: *const u8) {
        // SAFETY: a prefetch faults on no address, and SSE is part of x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) }
    }
}

macro_rules! avx2 {
    ($width:ident, $floats:ident, $words:ident, $mask:ident, $n:literal,
     lanes $lanes:expr, lane_bits $lane_bits:expr,
     cmp $cmp:ident, cmpeq $cmpeq:ident, cmpgt $cmpgt:ident, movemask $movemask:ident, blendv $blendv:ident, floor $floor:ident,
     zero $zero_ps:ident $zero_si:ident, gather $gather_ps:ident $gather_epi32:ident,
     widen $widen:ident, permute |$a:ident, $places:ident| $permute:expr,
     every_16 |$bytes:ident| $every_16:expr, rows |$rows:ident, $i:ident| $row:expr) => {
        shared::registers!(Avx2, $width, $floats, $words, $n);

        /// Mask in a vector register: a lane that is set has all bits 1, the others 0.
        #[derive(Debug, Clone, Copy)]
        #[repr(transparent)]
        pub struct $mask(w::$width::Words);

        shared::operators!($mask, $width, BitAnd bitand and_si, BitOr bitor or_si, BitXor bitxor xor_si);

        impl Not for $mask {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                // SAFETY: see the module `x86`.
                Self(unsafe { w::$width::xor_si(self.0, w::$width::set1_epi32(-1)) })
            }
        }

        impl Mask<$n> for $mask {
            type Set = Avx2;

            #[inline(always)]
            fn from_bits(_: Avx2, bits: u32) -> Self {
                // SAFETY: see the module `x86`.
                Self(unsafe {
                    let own = w::$width::and_si(w::$width::set1_epi32(bits.cast_signed()), $lane_bits);
                    $cmpeq(own, $lane_bits)
                })
            }
            #[inline(always)]
            fn bits(self) -> u32 {
                // SAFETY: see the module `x86`.
                unsafe { $movemask(w::$width::castsi_ps(self.0)).cast_unsigned() }
            }
        }

        impl Vector<$n> for $floats {
            type Set = Avx2;
            type Words = $words;
            type Mask = $mask;

            shared::vector_methods!(Avx2, $width, $words, $n);

            #[inline(always)]
            fn floor(self) -> Self {
                // SAFETY: see the module `x86`.
                Self(unsafe { $floor(self.0) })
            }
            #[inline(always)]
            fn lt(self, other: Self) -> $mask {
                // SAFETY: see the module `x86`.
                $mask(unsafe { w::$width::castps_si($cmp::<_CMP_LT_OQ>(self.0, other.0)) })
            }
            #[inline(always)]
            fn le(self, other: Self) -> $mask {
                // SAFETY: see the module `x86`.
                $mask(unsafe { w::$width::castps_si($cmp::<_CMP_LE_OQ>(self.0, other.0)) })
            }
            #[inline(always)]
            fn eq(self, other: Self) -> $mask {
                // SAFETY: see the module `x86`.
                $mask(unsafe { w::$width::castps_si($cmp::<_CMP_EQ_OQ>(self.0, other.0)) })
            }
            #[inline(always)]
            fn select(mask: $mask, yes: Self, no: Self) -> Self {
                // SAFETY: see the module `x86`.
                Self(unsafe { $blendv(no.0, yes.0, w::$width::castsi_ps(mask.0)) })
            }
            #[inline(always)]
            fn to_u32(self) -> $words {
                // The instruction knows signed numbers only. Zero for NaN and below; 2^31 less where that is too
                // little.
                let set = Vector::set(self);
                let half = Self::splat(set, 2_147_483_648.0);
                let x = Vector::max(self, Self::splat(set, 0.0));
                let (upper, beyond) = (half.le(x), (half + half).le(x));
                let low = Self::select(upper, x - half, x);
                // SAFETY: see the module `x86`.
                let low = $words(unsafe { w::$width::cvttps_epi32(low.0) });
                (low ^ ($words(upper.0) & $words::splat(set, 1 << 31))) | $words(beyond.0)
            }
            #[inline(always)]
            fn to_i32(self) -> $words {
                // The instruction gives the least number for all that it cannot: right below, its complement above.
                let above = Self::splat(Vector::set(self), 2_147_483_648.0).le(self);
                // SAFETY: see the module `x86`.
                let known = $words(unsafe { w::$width::cvttps_epi32(self.0) });
                (known ^ $words(above.0)) & $words(Vector::eq(self, self).0)
            }
            #[inline(always)]
            fn from_u32(words: $words) -> Self {
                from_halves(words)
            }
            #[inline(always)]
            fn compress(self, mask: $mask) -> Self {
                <Self as Vector<$n>>::from_bits(self.to_bits().compress(mask))
            }
            #[inline(always)]
            fn gather(table: &[f32], index: $words, mask: $mask) -> Self {
                check_indices(table.len(), index, mask);
                // SAFETY: the indices in the mask lie within the table; the other lanes are not read.
                Self(unsafe {
                    $gather_ps::<4>($zero_ps(), table.as_ptr(), index.0, w::$width::castsi_ps(mask.0))
                })
            }
        }

        impl Words<$n> for $words {
            type Set = Avx2;
            type Mask = $mask;

            shared::words_methods!(Avx2, $width, $n, |$bytes| $every_16);

            #[inline(always)]
            fn eq(self, other: Self) -> $mask {
                // SAFETY: see the module `x86`.
                $mask(unsafe { $cmpeq(self.0, other.0) })
            }
            #[inline(always)]
            fn lt(self, other: Self) -> $mask {
                // The instruction compares signed numbers.
                let sign = Self::splat(Words::set(self), 1 << 31);
                (self ^ sign).lt_signed(other ^ sign)
            }
            #[inline(always)]
            fn lt_signed(self, other: Self) -> $mask {
                // SAFETY: see the module `x86`.
                $mask(unsafe { $cmpgt(other.0, self.0) })
            }
            #[inline(always)]
            fn select(mask: $mask, yes: Self, no: Self) -> Self {
                let (yes, no) = ($floats::from_bits(yes), $floats::from_bits(no));
                $floats::select(mask, yes, no).to_bits()
            }
            #[inline(always)]
            fn keep(self, mask: $mask) -> Self {
                // One instruction, where a compiler makes three of a choice beside 0.
                self & Self(mask.0)
            }
            #[inline(always)]
            fn compress(self, mask: $mask) -> Self {
                let bits = mask.bits();
                // SAFETY: see the module `x86`; eight bytes are read of a row of eight.
                unsafe {
                    let $places = $widen(_mm_loadl_epi64(PACKED_LANES[bits as usize & 255].as_ptr().cast()));
                    let used = $cmpgt(w::$width::set1_epi32(bits.count_ones().cast_signed()), $lanes);
                    let $a = self.0;
                    Self(w::$width::and_si($permute, used))
                }
            }
            #[inline(always)]
            fn gather(self, table: &[u32], mask: $mask) -> Self {
                check_indices(table.len(), self, mask);
                // SAFETY: the indices in the mask lie within the table; the other lanes are not read.
                Self(unsafe { $gather_epi32::<4>($zero_si(), table.as_ptr().cast(), self.0, mask.0) })
            }
            #[inline(always)]
            fn transpose(_: Avx2, $rows: [&[u32; 4]; $n]) -> [Self; 4] {
                // SAFETY: see the module `x86`.
                unsafe {
                    let a = { let $i = 0; $row };
                    let b = { let $i = 1; $row };
                    let c = { let $i = 2; $row };
                    let d = { let $i = 3; $row };
                    shared::turned!($width, $words, [a, b, c, d])
                }
            }
        }
    };
}

avx2!(
    w128, F4, U4, M4, 4,
    lanes _mm_setr_epi32(0, 1, 2, 3),
    lane_bits _mm_setr_epi32(1, 2, 4, 8),
    cmp _mm_cmp_ps, cmpeq _mm_cmpeq_epi32, cmpgt _mm_cmpgt_epi32,
    movemask _mm_movemask_ps, blendv _mm_blendv_ps, floor _mm_floor_ps,
    zero _mm_setzero_ps _mm_setzero_si128, gather _mm_mask_i32gather_ps _mm_mask_i32gather_epi32,
    widen _mm_cvtepu8_epi32,
    permute |a, places| _mm_castps_si128(_mm_permutevar_ps(_mm_castsi128_ps(a), places)),
    every_16 |bytes| bytes,
    rows |rows, i| row(rows[i])
);
avx2!(
    w256, F8, U8, M8, 8,
    lanes _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
    lane_bits _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128),
    cmp _mm256_cmp_ps, cmpeq _mm256_cmpeq_epi32, cmpgt _mm256_cmpgt_epi32,
    movemask _mm256_movemask_ps, blendv _mm256_blendv_ps, floor _mm256_floor_ps,
    zero _mm256_setzero_ps _mm256_setzero_si256, gather _mm256_mask_i32gather_ps _mm256_mask_i32gather_epi32,
    widen _mm256_cvtepu8_epi32,
    permute |a, places| _mm256_permutevar8x32_epi32(a, places),
    every_16 |bytes| _mm256_broadcastsi128_si256(bytes),
    rows |rows, i| _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(row(rows[i])), row(rows[i + 4]))
);
