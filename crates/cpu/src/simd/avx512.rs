//! AVX-512 (F, VL, DQ) on 256-bit registers: compress puts the hit children side by side, and a
//! sorting network without branches orders them.
//!
//! 512-bit registers were tried and were slower: while one is in use, the core's second vector port
//! is closed to everything.

use super::order::ChildOrder;
use raywarp_lanes::Avx512;
use raywarp_lanes::avx512::{F8, U8};
use std::arch::x86_64::*;

/// Returns the distances and indices of the children that `mask` selects, packed from lane 0 on; the other lanes are
/// zero.
///
/// # Safety
/// The CPU has AVX-512 F and VL.
#[inline(always)]
unsafe fn compress(near: __m256, children: &[u32; 8], mask: u32) -> (__m256i, __m256i) {
    // SAFETY: the caller saw the instructions; the load reads a whole array.
    unsafe {
        let children = _mm256_loadu_si256(children.as_ptr().cast());
        let near = _mm256_maskz_compress_epi32(mask as u8, _mm256_castps_si256(near));
        (near, _mm256_maskz_compress_epi32(mask as u8, children))
    }
}

/// Returns the first four of eight stack entries: child in the lower 32 bits, distance in the upper.
///
/// # Safety
/// The CPU has AVX-512 F and VL.
#[inline(always)]
unsafe fn first_four((near, children): (__m256i, __m256i)) -> __m256i {
    // SAFETY: the caller saw the instructions.
    unsafe { _mm256_permutex2var_epi32(children, _mm256_setr_epi32(0, 8, 1, 9, 2, 10, 3, 11), near) }
}

/// Returns the last four of eight stack entries: child in the lower 32 bits, distance in the upper.
///
/// # Safety
/// The CPU has AVX-512 F and VL.
#[inline(always)]
unsafe fn last_four((near, children): (__m256i, __m256i)) -> __m256i {
    // SAFETY: the caller saw the instructions.
    unsafe { _mm256_permutex2var_epi32(children, _mm256_setr_epi32(4, 12, 5, 13, 6, 14, 7, 15), near) }
}

/// Sorts four keys, largest first.
///
/// # Safety
/// The CPU has AVX-512 F and VL.
#[inline(always)]
unsafe fn sort4(x: __m128i) -> __m128i {
    // SAFETY: the caller saw the instructions.
    unsafe {
        let y = _mm_shuffle_epi32::<0b10_11_00_01>(x);
        let x = _mm_mask_min_epu32(_mm_max_epu32(x, y), 0b1010, x, y);
        let y = _mm_shuffle_epi32::<0b00_01_10_11>(x);
        let x = _mm_mask_min_epu32(_mm_max_epu32(x, y), 0b1100, x, y);
        let y = _mm_shuffle_epi32::<0b10_11_00_01>(x);
        _mm_mask_min_epu32(_mm_max_epu32(x, y), 0b1010, x, y)
    }
}

/// Sorts eight keys, largest first: each half, then a bitonic merge.
///
/// # Safety
/// The CPU has AVX-512 F and VL.
#[inline(always)]
unsafe fn sort8(x: __m256i) -> __m256i {
    // SAFETY: the caller saw the instructions.
    unsafe {
        let y = _mm256_shuffle_epi32::<0b10_11_00_01>(x);
        let x = _mm256_mask_min_epu32(_mm256_max_epu32(x, y), 0b1010_1010, x, y);
        let y = _mm256_shuffle_epi32::<0b00_01_10_11>(x);
        let x = _mm256_mask_min_epu32(_mm256_max_epu32(x, y), 0b1100_1100, x, y);
        let y = _mm256_shuffle_epi32::<0b10_11_00_01>(x);
        let x = _mm256_mask_min_epu32(_mm256_max_epu32(x, y), 0b1010_1010, x, y);
        let y = _mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0));
        let x = _mm256_mask_min_epu32(_mm256_max_epu32(x, y), 0b1111_0000, x, y);
        let y = _mm256_shuffle_epi32::<0b01_00_11_10>(x);
        let x = _mm256_mask_min_epu32(_mm256_max_epu32(x, y), 0b1100_1100, x, y);
        let y = _mm256_shuffle_epi32::<0b10_11_00_01>(x);
        _mm256_mask_min_epu32(_mm256_max_epu32(x, y), 0b1010_1010, x, y)
    }
}

impl ChildOrder for Avx512 {
    const PACKS: bool = true;
    const FUSES: bool = true;

    #[inline(always)]
    unsafe fn push_sorted(self, stack: *mut u64, top: usize, keys: U8, children: &[u32; 8], mask: u32) -> usize {
        // SAFETY: `self` proves AVX-512; eight entries from `top` on are writable by the caller's promise; the load
        // reads a whole array.
        unsafe {
            let (first, count) = (stack.add(top), mask.count_ones() as usize);
            let children = _mm256_loadu_si256(children.as_ptr().cast());
            // A permutation looks at the last three bits alone, a key's slot.
            if count <= 4 {
                let keys = _mm256_maskz_compress_epi32(mask as u8, keys.register());
                let keys = _mm256_zextsi128_si256(sort4(_mm256_castsi256_si128(keys)));
                let children = _mm256_permutevar8x32_epi32(children, keys);
                _mm256_storeu_si256(first.cast(), first_four((keys, children)));
            } else {
                let keys = sort8(keys.register());
                let hit = (keys, _mm256_permutevar8x32_epi32(children, keys));
                _mm256_storeu_si256(first.cast(), first_four(hit));
                _mm256_storeu_si256(first.add(4).cast(), last_four(hit));
            }
            top + count
        }
    }

    #[inline(always)]
    unsafe fn push_unsorted(self, stack: *mut u64, top: usize, near: F8, children: &[u32; 8], mask: u32) -> usize {
        // SAFETY: as in `push_sorted`.
        unsafe {
            let hit = compress(near.register(), children, mask);
            _mm256_storeu_si256(stack.add(top).cast(), first_four(hit));
            _mm256_storeu_si256(stack.add(top + 4).cast(), last_four(hit));
        }
        top + mask.count_ones() as usize
    }

    #[inline(always)]
    unsafe fn drop_farther(self, stack: *mut u64, top: usize, bound: i64) -> usize {
        let mut kept = 0;
        // SAFETY: `self` proves AVX-512. `kept <= i`, so that nothing is overwritten before it is read; the
        // caller lets write eight past `top`.
        unsafe {
            let bound = _mm256_set1_epi64x(bound);
            for i in (0..top).step_by(4) {
                let entries = _mm256_loadu_si256(stack.add(i).cast());
                let near = _mm256_cmple_epi64_mask(entries, bound);
                // Of the count the instruction takes eight bits, and stacks of deep trees have hundreds of entries.
                let near = _bzhi_u32(u32::from(near), (top - i).min(4) as u32);
                _mm256_storeu_si256(stack.add(kept).cast(), _mm256_maskz_compress_epi64(near as u8, entries));
                kept += near.count_ones() as usize;
            }
        }
        kept
    }
}
