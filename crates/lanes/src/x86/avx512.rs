//! AVX-512 (F, VL, DQ, BW): four, eight or sixteen lanes in a register, with a bit a lane for masks.

use super::shared::{self, check_indices, from_halves, row};
use super::widths as w;
use crate::isa::{Avx512, Isa};
use crate::task::{InstructionSet, TaskOn, sealed};
use crate::vector::{Mask, Vector, Words};
use std::arch::x86_64::*;
use std::ops::{Add, BitAnd, BitOr, BitXor, Div, Mul, Neg, Not, Sub};

impl sealed::Sealed for Avx512 {}

impl InstructionSet for Avx512 {
    const NATIVE_LANES: usize = 16;
    type F4 = F4;
    type F8 = F8;
    type F16 = F16;

    #[inline(always)]
    fn isa(self) -> Isa {
        Isa::Avx512(self)
    }

    #[inline]
    fn enter<T: TaskOn<Self>>(self, task: T) -> T::Output {
        #[target_feature(enable = "avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
        fn entered<T: TaskOn<Avx512>>(set: Avx512, task: T) -> T::Output {
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

/// Rounding mode for floor: down, without floating-point exceptions.
const DOWN: i32 = _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC;

macro_rules! avx512 {
    ($width:ident, $floats:ident, $words:ident, $mask:ident, $bits:ident, $n:literal,
     cmp $cmp:ident, cmpeq $cmpeq:ident, cmplt $cmplt:ident, cmplt_signed $cmplt_signed:ident,
     blend $blend_ps:ident $blend_epi32:ident, floor $floor:ident,
     compress $compress_ps:ident $compress_epi32:ident, to_u32 $to_u32:ident, from_u32 |$unsigned:ident| $from_u32:expr, keep $keep:ident,
     gather |$zero:ident, $bits_in:ident, $index:ident, $table:ident| $gather_ps:expr, $gather_epi32:expr,
     every_16 |$bytes:ident| $every_16:expr, rows |$rows:ident, $i:ident| $row:expr) => {
        shared::registers!(Avx512, $width, $floats, $words, $n);

        /// Mask with one bit for each lane.
        #[derive(Debug, Clone, Copy)]
        #[repr(transparent)]
        pub struct $mask($bits);

        impl BitAnd for $mask {
            type Output = Self;
            #[inline(always)]
            fn bitand(self, other: Self) -> Self {
                Self(self.0 & other.0)
            }
        }

        impl BitOr for $mask {
            type Output = Self;
            #[inline(always)]
            fn bitor(self, other: Self) -> Self {
                Self(self.0 | other.0)
            }
        }

        impl BitXor for $mask {
            type Output = Self;
            #[inline(always)]
            fn bitxor(self, other: Self) -> Self {
                Self(self.0 ^ other.0)
            }
        }

        impl Not for $mask {
            type Output = Self;
            #[inline(always)]
            fn not(self) -> Self {
                Self(!self.0 & $bits::MAX >> ($bits::BITS - $n))
            }
        }

        impl Mask<$n> for $mask {
            type Set = Avx512;

            #[inline(always)]
            fn from_bits(_: Avx512, bits: u32) -> Self {
                Self(bits as $bits & $bits::MAX >> ($bits::BITS - $n))
            }
            #[inline(always)]
            fn bits(self) -> u32 {
                u32::from(self.0)
            }
        }

        impl Vector<$n> for $floats {
            type Set = Avx512;
            type Words = $words;
            type Mask = $mask;

            shared::vector_methods!(Avx512, $width, $words, $n);

            #[inline(always)]
            fn floor(self) -> Self {
                // SAFETY: see the module `x86`.
                Self(unsafe { $floor::<DOWN>(self.0) })
            }
            #[inline(always)]
            fn lt(self, other: Self) -> $mask {
                // SAFETY: see the module `x86`.
                $mask(unsafe { $cmp::<_CMP_LT_OQ>(self.0, other.0) })
            }
            #[inline(always)]
            fn le(self, other: Self) -> $mask {
                // SAFETY: see the module `x86`.
                $mask(unsafe { $cmp::<_CMP_LE_OQ>(self.0, other.0) })
            }
            #[inline(always)]
            fn eq(self, other: Self) -> $mask {
                // SAFETY: see the module `x86`.
                $mask(unsafe { $cmp::<_CMP_EQ_OQ>(self.0, other.0) })
            }
            #[inline(always)]
            fn select(mask: $mask, yes: Self, no: Self) -> Self {
                // SAFETY: see the module `x86`.
                Self(unsafe { $blend_ps(mask.0, no.0, yes.0) })
            }
            #[inline(always)]
            fn to_u32(self) -> $words {
                // Zero for NaN and below; the instruction gives the largest above.
                let x = Vector::max(self, Self::splat(Vector::set(self), 0.0));
                // SAFETY: see the module `x86`.
                $words(unsafe { $to_u32(x.0) })
            }
            #[inline(always)]
            fn to_i32(self) -> $words {
                // The instruction gives the least number for all that it cannot: right below, wrong above.
                let set = Vector::set(self);
                let above = Self::splat(set, 2_147_483_648.0).le(self);
                // SAFETY: see the module `x86`.
                let known = $words(unsafe { w::$width::cvttps_epi32(self.0) });
                let known = $words::select(above, $words::splat(set, u32::MAX >> 1), known);
                // SAFETY: see the module `x86`.
                $words(unsafe { $keep(Vector::eq(self, self).0, known.0) })
            }
            #[inline(always)]
            fn from_u32(words: $words) -> Self {
                let $unsigned = words;
                $from_u32
            }
            #[inline(always)]
            fn compress(self, mask: $mask) -> Self {
                // SAFETY: see the module `x86`.
                Self(unsafe { $compress_ps(mask.0, self.0) })
            }
            #[inline(always)]
            fn gather(table: &[f32], index: $words, mask: $mask) -> Self {
                check_indices(table.len(), index, mask);
                let $zero = Self::splat(Words::set(index), 0.0).0;
                let ($bits_in, $index, $table) = (mask.0, index.0, table.as_ptr());
                // SAFETY: the indices in the mask lie within the table; the other lanes are not read.
                Self(unsafe { $gather_ps })
            }
        }

        impl Words<$n> for $words {
            type Set = Avx512;
            type Mask = $mask;

            shared::words_methods!(Avx512, $width, $n, |$bytes| $every_16);

            #[inline(always)]
            fn eq(self, other: Self) -> $mask {
                // SAFETY: see the module `x86`.
                $mask(unsafe { $cmpeq(self.0, other.0) })
            }
            #[inline(always)]
            fn lt(self, other: Self) -> $mask {
                // SAFETY: see the module `x86`.
                $mask(unsafe { $cmplt(self.0, other.0) })
            }
            #[inline(always)]
            fn lt_signed(self, other: Self) -> $mask {
                // SAFETY: see the module `x86`.
                $mask(unsafe { $cmplt_signed(self.0, other.0) })
            }
            #[inline(always)]
            fn select(mask: $mask, yes: Self, no: Self) -> Self {
                // SAFETY: see the module `x86`.
                Self(unsafe { $blend_epi32(mask.0, no.0, yes.0) })
            }
            #[inline(always)]
            fn compress(self, mask: $mask) -> Self {
                // SAFETY: see the module `x86`.
                Self(unsafe { $compress_epi32(mask.0, self.0) })
            }
            #[inline(always)]
            fn gather(self, table: &[u32], mask: $mask) -> Self {
                check_indices(table.len(), self, mask);
                let $zero = Self::splat(Words::set(self), 0).0;
                let ($bits_in, $index, $table) = (mask.0, self.0, table.as_ptr().cast());
                // SAFETY: the indices in the mask lie within the table; the other lanes are not read.
                Self(unsafe { $gather_epi32 })
            }
            #[inline(always)]
            fn transpose(_: Avx512, $rows: [&[u32; 4]; $n]) -> [Self; 4] {
                // SAFETY: see the module `x86`.
                unsafe {
                    let a = {
                        let $i = 0;
                        $row
                    };
                    let b = {
                        let $i = 1;
                        $row
                    };
                    let c = {
                        let $i = 2;
                        $row
                    };
                    let d = {
                        let $i = 3;
                        $row
                    };
                    shared::turned!($width, $words, [a, b, c, d])
                }
            }
        }
    };
}

avx512!(
    w128, F4, U4, M4, u8, 4,
    cmp _mm_cmp_ps_mask, cmpeq _mm_cmpeq_epi32_mask, cmplt _mm_cmplt_epu32_mask, cmplt_signed _mm_cmplt_epi32_mask,
    blend _mm_mask_blend_ps _mm_mask_blend_epi32, floor _mm_roundscale_ps,
    compress _mm_maskz_compress_ps _mm_maskz_compress_epi32, to_u32 _mm_cvttps_epu32, from_u32 |words| from_halves(words),
    keep _mm_maskz_mov_epi32,
    gather |zero, bits, index, table| _mm_mmask_i32gather_ps::<4>(zero, bits, index, table),
    _mm_mmask_i32gather_epi32::<4>(zero, bits, index, table),
    every_16 |bytes| bytes,
    rows |rows, i| row(rows[i])
);
avx512!(
    w256, F8, U8, M8, u8, 8,
    cmp _mm256_cmp_ps_mask, cmpeq _mm256_cmpeq_epi32_mask, cmplt _mm256_cmplt_epu32_mask,
    cmplt_signed _mm256_cmplt_epi32_mask,
    blend _mm256_mask_blend_ps _mm256_mask_blend_epi32, floor _mm256_roundscale_ps,
    compress _mm256_maskz_compress_ps _mm256_maskz_compress_epi32, to_u32 _mm256_cvttps_epu32, from_u32 |words| from_halves(words),
    keep _mm256_maskz_mov_epi32,
    gather |zero, bits, index, table| _mm256_mmask_i32gather_ps::<4>(zero, bits, index, table),
    _mm256_mmask_i32gather_epi32::<4>(zero, bits, index, table),
    every_16 |bytes| _mm256_broadcastsi128_si256(bytes),
    rows |rows, i| _mm256_inserti128_si256::<1>(_mm256_castsi128_si256(row(rows[i])), row(rows[i + 4]))
);
avx512!(
    w512, F16, U16, M16, u16, 16,
    cmp _mm512_cmp_ps_mask, cmpeq _mm512_cmpeq_epi32_mask, cmplt _mm512_cmplt_epu32_mask,
    cmplt_signed _mm512_cmplt_epi32_mask,
    blend _mm512_mask_blend_ps _mm512_mask_blend_epi32, floor _mm512_roundscale_ps,
    compress _mm512_maskz_compress_ps _mm512_maskz_compress_epi32, to_u32 _mm512_cvttps_epu32, from_u32 |words| {
        // SAFETY: see the module `x86`.
        F16(unsafe { _mm512_cvtepu32_ps(words.0) })
    },
    keep _mm512_maskz_mov_epi32,
    gather |zero, bits, index, table| _mm512_mask_i32gather_ps::<4>(zero, bits, index, table),
    _mm512_mask_i32gather_epi32::<4>(zero, bits, index, table),
    every_16 |bytes| _mm512_broadcast_i32x4(bytes),
    rows |rows, i| {
        let low = _mm512_castsi128_si512(row(rows[i]));
        let low = _mm512_inserti32x4::<1>(low, row(rows[i + 4]));
        _mm512_inserti32x4::<3>(_mm512_inserti32x4::<2>(low, row(rows[i + 8])), row(rows[i + 12]))
    }
);
