//! The kernels in plain Rust: for machines without AVX2, and what Miri can run.

use super::vector::{InstructionSet, Vector, push_unsorted_scalar, sort_many};
use raywarp_geom::fused_multiply_adds;
use raywarp_layout::BLOCK;

/// `N` floats in an array; the compiler may use whatever vectors the target has.
#[derive(Clone, Copy)]
pub(crate) struct Floats<const N: usize>([f32; N]);

impl<const N: usize> Floats<N> {
    #[inline(always)]
    fn zip(self, other: Self, f: impl Fn(f32, f32) -> f32) -> Self {
        Self(std::array::from_fn(|i| f(self.0[i], other.0[i])))
    }

    #[inline(always)]
    fn compare(self, other: Self, f: impl Fn(f32, f32) -> bool) -> u32 {
        (0..N).fold(0, |mask, i| mask | u32::from(f(self.0[i], other.0[i])) << i)
    }
}

impl<const N: usize> Vector<N> for Floats<N> {
    #[inline(always)]
    fn splat(x: f32) -> Self {
        Self([x; N])
    }
    #[inline(always)]
    fn load(x: &[f32; N]) -> Self {
        Self(*x)
    }
    #[inline(always)]
    fn store(self) -> [f32; N] {
        self.0
    }
    #[inline(always)]
    fn add(self, other: Self) -> Self {
        self.zip(other, |a, b| a + b)
    }
    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        self.zip(other, |a, b| a - b)
    }
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.zip(other, |a, b| a * b)
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        Self(fused_multiply_adds(self.0, b.0, c.0))
    }
    #[inline(always)]
    fn mul_sub(self, b: Self, c: Self) -> Self {
        Self(fused_multiply_adds(self.0, b.0, c.0.map(|x| -x)))
    }
    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        Self(fused_multiply_adds(self.0.map(|x| -x), b.0, c.0))
    }
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        self.zip(other, |a, b| a / b)
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        self.zip(other, |a, b| if a < b { a } else { b })
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        self.zip(other, |a, b| if a > b { a } else { b })
    }
    #[inline(always)]
    fn le(self, other: Self) -> u32 {
        self.compare(other, |a, b| a <= b)
    }
    #[inline(always)]
    fn eq(self, other: Self) -> u32 {
        self.compare(other, |a, b| a == b)
    }
    #[inline(always)]
    fn pick(self, mask: u32, other: Self) -> Self {
        Self(std::array::from_fn(|i| if mask >> i & 1 == 1 { self.0[i] } else { other.0[i] }))
    }
}

/// No instruction set in particular.
pub(crate) struct Portable;

impl InstructionSet for Portable {
    type Node = Floats<8>;
    type Leaf = Floats<BLOCK>;

    #[inline(always)]
    unsafe fn push_sorted(stack: *mut u64, top: usize, near: Floats<8>, children: &[u32; 8], mask: u32) -> usize {
        // SAFETY: the caller's promise is these functions'; the entries from `top` on were just written.
        unsafe {
            let end = push_unsorted_scalar(stack, top, &near.0, children, mask);
            sort_many(stack.add(top), end - top);
            end
        }
    }

    #[inline(always)]
    unsafe fn push_unsorted(stack: *mut u64, top: usize, near: Floats<8>, children: &[u32; 8], mask: u32) -> usize {
        // SAFETY: the caller's promise is this function's.
        unsafe { push_unsorted_scalar(stack, top, &near.0, children, mask) }
    }

    #[inline(always)]
    unsafe fn drop_farther(stack: *mut u64, top: usize, bound: i64) -> usize {
        let mut kept = 0;
        for i in 0..top {
            // SAFETY: `kept <= i < top`, where the caller lets read and write.
            unsafe {
                let entry = *stack.add(i);
                *stack.add(kept) = entry;
                kept += usize::from(entry.cast_signed() <= bound);
            }
        }
        kept
    }

    #[inline(always)]
    fn prefetch(_: *const u8) {}
}
