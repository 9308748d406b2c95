//! AVX2: eight boxes or four triangles at a time.
//!
//! It lacks AVX-512's compress: a table of permutations puts the hit children side by side. A sorting network of
//! minima, maxima and blends orders their keys, 32 bits each, in which the slot stands for the child.

use super::order::ChildOrder;
use raywarp_lanes::Avx2;
use raywarp_lanes::avx2::{F8, PACKED_LANES, U8};
use std::arch::x86_64::*;

/// Returns the permutation that packs the lanes of `mask` to the front; the other lanes follow.
///
/// # Safety
/// The CPU has AVX2, and `mask` has eight bits.
#[inline(always)]
unsafe fn places(mask: u32) -> __m256i {
    // SAFETY: the caller saw the instructions; the load reads a row of the table, which has one for each eight bits.
    unsafe { _mm256_cvtepu8_epi32(_mm_loadl_epi64(PACKED_LANES.as_ptr().add(mask as usize).cast())) }
}

/// Returns the stack entries of the children that `mask` selects, packed from lane 0 on: entries 0 to 3, then 4 to 7.
/// Other lanes hold those of the other children, which lie behind the stack's new top.
///
/// # Safety
/// The CPU has AVX2, and `mask` has eight bits.
#[inline(always)]
unsafe fn entries(near: __m256, children: &[u32; 8], mask: u32) -> [__m256i; 2] {
    // SAFETY: the caller saw the instructions; the loads read whole arrays.
    unsafe {
        let places = places(mask);
        let near = _mm256_castps_si256(_mm256_permutevar8x32_ps(near, places));
        let children = _mm256_permutevar8x32_epi32(_mm256_loadu_si256(children.as_ptr().cast()), places);
        // Child into the lower half of an entry, distance into the upper one.
        let (even, odd) = (_mm256_unpacklo_epi32(children, near), _mm256_unpackhi_epi32(children, near));
        [_mm256_permute2x128_si256::<0x20>(even, odd), _mm256_permute2x128_si256::<0x31>(even, odd)]
    }
}

/// Sorts four keys, largest first.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn sort4(x: __m128i) -> __m128i {
    // SAFETY: the caller saw the instructions.
    unsafe {
        let y = _mm_shuffle_epi32::<0b10_11_00_01>(x);
        let x = _mm_blend_epi32::<0b1010>(_mm_max_epu32(x, y), _mm_min_epu32(x, y));
        let y = _mm_shuffle_epi32::<0b00_01_10_11>(x);
        let x = _mm_blend_epi32::<0b1100>(_mm_max_epu32(x, y), _mm_min_epu32(x, y));
        let y = _mm_shuffle_epi32::<0b10_11_00_01>(x);
        _mm_blend_epi32::<0b1010>(_mm_max_epu32(x, y), _mm_min_epu32(x, y))
    }
}

/// Sorts eight keys, largest first: each half, then a bitonic merge.
///
/// # Safety
/// The CPU has AVX2.
#[inline(always)]
unsafe fn sort8(x: __m256i) -> __m256i {
    // SAFETY: the caller saw the instructions.
    unsafe {
        let y = _mm256_shuffle_epi32::<0b10_11_00_01>(x);
        let x = _mm256_blend_epi32::<0b1010_1010>(_mm256_max_epu32(x, y), _mm256_min_epu32(x, y));
        let y = _mm256_shuffle_epi32::<0b00_01_10_11>(x);
        let x = _mm256_blend_epi32::<0b1100_1100>(_mm256_max_epu32(x, y), _mm256_min_epu32(x, y));
        let y = _mm256_shuffle_epi32::<0b10_11_00_01>(x);
        let x = _mm256_blend_epi32::<0b1010_1010>(_mm256_max_epu32(x, y), _mm256_min_epu32(x, y));
        let y = _mm256_permutevar8x32_epi32(x, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0));
        let x = _mm256_blend_epi32::<0b1111_0000>(_mm256_max_epu32(x, y), _mm256_min_epu32(x, y));
        let y = _mm256_shuffle_epi32::<0b01_00_11_10>(x);
        let x = _mm256_blend_epi32::<0b1100_1100>(_mm256_max_epu32(x, y), _mm256_min_epu32(x, y));
        let y = _mm256_shuffle_epi32::<0b10_11_00_01>(x);
        _mm256_blend_epi32::<0b1010_1010>(_mm256_max_epu32(x, y), _mm256_min_epu32(x, y))
    }
}

impl ChildOrder for Avx2 {
    const PACKS: bool = true;
    const FUSES: bool = true;

    #[inline(always)]
    unsafe fn push_sorted(self, stack: *mut u64, top: usize, keys: U8, children: &[u32; 8], mask: u32) -> usize {
        // SAFETY: `self` proves AVX2; eight entries from `top` on are writable by the caller's promise; the loads read
        // whole arrays.
        unsafe {
            let (first, count) = (stack.add(top), mask.count_ones() as usize);
            let children = _mm256_loadu_si256(children.as_ptr().cast());
            if count <= 4 {
                let places = places(mask);
                let keys = sort4(_mm256_castsi256_si128(_mm256_permutevar8x32_epi32(keys.register(), places)));
                // A permutation looks at the last three bits alone, a key's slot.
                let children = _mm256_permutevar8x32_epi32(children, _mm256_castsi128_si256(keys));
                let children = _mm256_castsi256_si128(children);
                _mm_storeu_si128(first.cast(), _mm_unpacklo_epi32(children, keys));
                _mm_storeu_si128(first.add(2).cast(), _mm_unpackhi_epi32(children, keys));
            } else {
                let keys = sort8(keys.register());
                let children = _mm256_permutevar8x32_epi32(children, keys);
                let (even, odd) = (_mm256_unpacklo_epi32(children, keys), _mm256_unpackhi_epi32(children, keys));
                _mm256_storeu_si256(first.cast(), _mm256_permute2x128_si256::<0x20>(even, odd));
                _mm256_storeu_si256(first.add(4).cast(), _mm256_permute2x128_si256::<0x31>(even, odd));
            }
            top + count
        }
    }

    #[inline(always)]
    unsafe fn push_unsorted(self, stack: *mut u64, top: usize, near: F8, children: &[u32; 8], mask: u32) -> usize {
        // SAFETY: as in `push_sorted`.
        unsafe {
            let [low, high] = entries(near.register(), children, mask);
            _mm256_storeu_si256(stack.add(top).cast(), low);
            _mm256_storeu_si256(stack.add(top + 4).cast(), high);
        }
        top + mask.count_ones() as usize
    }

    #[inline(always)]
    unsafe fn drop_farther(self, stack: *mut u64, top: usize, bound: i64) -> usize {
        let mut kept = 0;
        // SAFETY: `self` proves AVX2. `kept <= i`, so that nothing is overwritten before it is read; the
        // caller lets write eight past `top`.
        unsafe {
            let bound = _mm256_set1_epi64x(bound);
            for i in (0..top).step_by(4) {
                let entries = _mm256_loadu_si256(stack.add(i).cast());
                let far = _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi64(entries, bound))) as u32;
                // Two bits a lane, as the permutation moves halves. Not more: the instruction takes eight bits of the
                // count, and stacks of deep trees have hundreds of entries.
                let near = _bzhi_u32(!far & 255, 2 * (top - i).min(4) as u32);
                _mm256_storeu_si256(stack.add(kept).cast(), _mm256_permutevar8x32_epi32(entries, places(near)));
                kept += near.count_ones() as usize / 2;
            }
        }
        kept
    }
}
