//! AVX-512 (F, VL, DQ): compress puts the hit children side by side, and a sorting network without
//! branches orders the usual one to four of them.

use super::vector::InstructionSet;
use super::x86::{Masked4, Masked8};
use std::arch::x86_64::*;

/// AVX-512 with vector lengths below 512 bits.
pub(crate) struct Avx512;

/// Entries of the children in `mask`, side by side from lane 0 on; zero in the other lanes.
///
/// # Safety
/// The CPU has AVX-512 F.
#[inline(always)]
unsafe fn entries(near: __m256, children: &[u32; 8], mask: u32) -> __m512i {
    // SAFETY: the caller saw the instructions; the load reads a whole array.
    unsafe {
        let children = _mm256_loadu_si256(children.as_ptr().cast());
        // Interleaves: child into the lower half of a lane, distance into the upper one.
        let places = _mm512_set_epi32(7, 23, 6, 22, 5, 21, 4, 20, 3, 19, 2, 18, 1, 17, 0, 16);
        let near = _mm512_castps_si512(_mm512_castps256_ps512(near));
        let pairs = _mm512_permutex2var_epi32(near, places, _mm512_castsi256_si512(children));
        _mm512_maskz_compress_epi64(mask as u8, pairs)
    }
}

/// Sorts four entries, largest first.
///
/// # Safety
/// The CPU has AVX-512 F and VL.
#[inline(always)]
unsafe fn sort4(x: __m256i) -> __m256i {
    // SAFETY: the caller saw the instructions.
    unsafe {
        let y = _mm256_permute4x64_epi64::<0b01_00_11_10>(x);
        let x = _mm256_blend_epi32::<0b1111_0000>(_mm256_max_epu64(x, y), _mm256_min_epu64(x, y));
        let y = _mm256_shuffle_epi32::<0b01_00_11_10>(x);
        let x = _mm256_blend_epi32::<0b1100_1100>(_mm256_max_epu64(x, y), _mm256_min_epu64(x, y));
        let y = _mm256_permute4x64_epi64::<0b11_01_10_00>(x);
        _mm256_blend_epi32::<0b0011_0000>(_mm256_max_epu64(x, y), _mm256_min_epu64(x, y))
    }
}

/// One stage of a sorting network: lane by lane the smaller of `x` and its partner in `smaller`'s
/// lanes, elsewhere the larger; a lane without a partner is its own.
///
/// # Safety
/// The CPU has AVX-512 F.
#[inline(always)]
unsafe fn exchange(x: __m512i, partners: [i64; 8], smaller: u8) -> __m512i {
    // SAFETY: the caller saw the instructions.
    unsafe {
        let [a, b, c, d, e, f, g, h] = partners;
        let y = _mm512_permutexvar_epi64(_mm512_setr_epi64(a, b, c, d, e, f, g, h), x);
        _mm512_mask_min_epu64(_mm512_max_epu64(x, y), smaller, x, y)
    }
}

/// Sorts eight entries, largest first, by Batcher's odd-even merges: five and more children are hit
/// where boxes overlap.
///
/// # Safety
/// The CPU has AVX-512 F.
#[inline(always)]
unsafe fn sort8(x: __m512i) -> __m512i {
    // SAFETY: the caller saw the instructions.
    unsafe {
        let x = exchange(x, [1, 0, 3, 2, 5, 4, 7, 6], 0b1010_1010);
        let x = exchange(x, [2, 3, 0, 1, 6, 7, 4, 5], 0b1100_1100);
        let x = exchange(x, [0, 2, 1, 3, 4, 6, 5, 7], 0b0100_0100);
        let x = exchange(x, [4, 5, 6, 7, 0, 1, 2, 3], 0b1111_0000);
        let x = exchange(x, [0, 1, 4, 5, 2, 3, 6, 7], 0b0011_0000);
        exchange(x, [0, 2, 1, 4, 3, 6, 5, 7], 0b0101_0100)
    }
}

impl InstructionSet for Avx512 {
    type Node = Masked8;
    type Leaf = Masked4;

    #[inline(always)]
    unsafe fn push_sorted(stack: *mut u64, top: usize, near: Masked8, children: &[u32; 8], mask: u32) -> usize {
        // SAFETY: kernels of this instruction set run only where `dispatch` saw it; eight entries
        // from `top` on are writable by the caller's promise.
        unsafe {
            let entries = entries(near.0, children, mask);
            let count = mask.count_ones() as usize;
            if count <= 4 {
                _mm256_storeu_si256(stack.add(top).cast(), sort4(_mm512_castsi512_si256(entries)));
            } else {
                _mm512_storeu_si512(stack.add(top).cast(), sort8(entries));
            }
            top + count
        }
    }

    #[inline(always)]
    unsafe fn push_unsorted(stack: *mut u64, top: usize, near: Masked8, children: &[u32; 8], mask: u32) -> usize {
        // SAFETY: as in `push_sorted`.
        unsafe {
            _mm512_storeu_si512(stack.add(top).cast(), entries(near.0, children, mask));
        }
        top + mask.count_ones() as usize
    }

    #[inline(always)]
    fn prefetch(address: *const u8) {
        // SAFETY: a prefetch faults on no address, and SSE is part of x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) }
    }
}
