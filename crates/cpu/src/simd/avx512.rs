//! AVX-512 (F, VL, DQ) on 256-bit registers: compress puts the hit children side by side, and a
//! sorting network without branches orders them.
//!
//! 512-bit registers were tried and were slower: while one is in use, the core's second vector port
//! is closed to everything.

use super::order::ChildOrder;
use raywarp_lanes::Avx512;
use raywarp_lanes::avx512::F8;
use std::arch::x86_64::*;

/// Distances and children in `mask`, side by side from lane 0 on; zero in the other lanes.
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

/// The first four entries: child in the lower half, distance in the upper one.
///
/// # Safety
/// The CPU has AVX-512 F and VL.
#[inline(always)]
unsafe fn first_four((near, children): (__m256i, __m256i)) -> __m256i {
    // SAFETY: the caller saw the instructions.
    unsafe { _mm256_permutex2var_epi32(children, _mm256_setr_epi32(0, 8, 1, 9, 2, 10, 3, 11), near) }
}

/// The last four entries.
///
/// # Safety
/// The CPU has AVX-512 F and VL.
#[inline(always)]
unsafe fn last_four((near, children): (__m256i, __m256i)) -> __m256i {
    // SAFETY: the caller saw the instructions.
    unsafe { _mm256_permutex2var_epi32(children, _mm256_setr_epi32(4, 12, 5, 13, 6, 14, 7, 15), near) }
}

/// Lane by lane the smaller of `x` and `y` in `smaller`'s lanes, elsewhere the larger.
///
/// # Safety
/// The CPU has AVX-512 F and VL.
#[inline(always)]
unsafe fn exchange(x: __m256i, y: __m256i, smaller: u8) -> __m256i {
    // SAFETY: the caller saw the instructions.
    unsafe { _mm256_mask_min_epu64(_mm256_max_epu64(x, y), smaller, x, y) }
}

/// The last two stages of [`sort4`], which sort what is first up, then down.
///
/// # Safety
/// The CPU has AVX-512 F and VL.
#[inline(always)]
unsafe fn merge4(x: __m256i) -> __m256i {
    // SAFETY: the caller saw the instructions.
    unsafe {
        let x = exchange(x, _mm256_permute4x64_epi64::<0b01_00_11_10>(x), 0b1100);
        exchange(x, _mm256_shuffle_epi32::<0b01_00_11_10>(x), 0b1010)
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
        let x = merge4(x);
        exchange(x, _mm256_permute4x64_epi64::<0b11_01_10_00>(x), 0b0100)
    }
}

/// Sorts eight entries, largest first: each half, then a bitonic merge.
///
/// # Safety
/// The CPU has AVX-512 F and VL.
#[inline(always)]
unsafe fn sort8(low: __m256i, high: __m256i) -> [__m256i; 2] {
    // SAFETY: the caller saw the instructions.
    unsafe {
        let (low, high) = (sort4(low), _mm256_permute4x64_epi64::<0b00_01_10_11>(sort4(high)));
        [merge4(_mm256_max_epu64(low, high)), merge4(_mm256_min_epu64(low, high))]
    }
}

impl ChildOrder for Avx512 {
    #[inline(always)]
    unsafe fn push_sorted(self, stack: *mut u64, top: usize, near: F8, children: &[u32; 8], mask: u32) -> usize {
        // SAFETY: `self` proves AVX-512; eight entries from `top` on are writable by the caller's promise.
        unsafe {
            let hit = compress(near.register(), children, mask);
            let (first, count) = (stack.add(top), mask.count_ones() as usize);
            if count <= 4 {
                _mm256_storeu_si256(first.cast(), sort4(first_four(hit)));
            } else {
                let [low, high] = sort8(first_four(hit), last_four(hit));
                _mm256_storeu_si256(first.cast(), low);
                _mm256_storeu_si256(first.add(4).cast(), high);
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
                let near = _bzhi_u32(u32::from(near), (top - i) as u32);
                _mm256_storeu_si256(stack.add(kept).cast(), _mm256_maskz_compress_epi64(near as u8, entries));
                kept += near.count_ones() as usize;
            }
        }
        kept
    }
}
