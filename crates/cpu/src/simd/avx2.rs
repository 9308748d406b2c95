//! AVX2: eight boxes or four triangles at a time.

use super::vector::{InstructionSet, Vector, push_sorted_scalar, push_unsorted_scalar};
use super::x86::{Avx8, Sse4};
use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

/// AVX2.
pub(crate) struct Avx2;

impl InstructionSet for Avx2 {
    type Node = Avx8;
    type Leaf = Sse4;

    #[inline(always)]
    unsafe fn push_sorted(stack: *mut u64, top: usize, near: Avx8, children: &[u32; 8], mask: u32) -> usize {
        if mask == 0 {
            return top;
        }
        // SAFETY: the caller's promise is this function's.
        unsafe { push_sorted_scalar(stack, top, &near.store(), children, mask) }
    }

    #[inline(always)]
    unsafe fn push_unsorted(stack: *mut u64, top: usize, near: Avx8, children: &[u32; 8], mask: u32) -> usize {
        // SAFETY: the caller's promise is this function's.
        unsafe { push_unsorted_scalar(stack, top, &near.store(), children, mask) }
    }

    #[inline(always)]
    fn prefetch(address: *const u8) {
        // SAFETY: a prefetch faults on no address, and SSE is part of x86-64.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address.cast()) }
    }
}
