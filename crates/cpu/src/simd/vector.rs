//! The operations that kernels are written in, so that one text serves every instruction set.

use raywarp_layout::BLOCK;

/// `N` floats side by side. Comparisons give a bit a lane, lane 0 lowest; one with a NaN is false.
///
/// Products and sums are fused only where a kernel says so, so that every instruction set computes
/// the same bits.
pub(crate) trait Vector<const N: usize>: Copy {
    /// All lanes `x`.
    fn splat(x: f32) -> Self;
    /// Lane `i` from `x[i]`.
    fn load(x: &[f32; N]) -> Self;
    /// Lane `i` to entry `i`.
    fn store(self) -> [f32; N];
    /// `self + other`.
    fn add(self, other: Self) -> Self;
    /// `self - other`.
    fn sub(self, other: Self) -> Self;
    /// `self * other`.
    fn mul(self, other: Self) -> Self;
    /// `self * b + c`, rounded once.
    fn mul_add(self, b: Self, c: Self) -> Self;
    /// `self * b - c`, rounded once.
    fn mul_sub(self, b: Self, c: Self) -> Self;
    /// `c - self * b`, rounded once.
    fn neg_mul_add(self, b: Self, c: Self) -> Self;
    /// `self / other`, correctly rounded.
    fn div(self, other: Self) -> Self;
    /// `if self < other { self } else { other }`: a NaN gives `other`.
    fn min(self, other: Self) -> Self;
    /// `if self > other { self } else { other }`: a NaN gives `other`.
    fn max(self, other: Self) -> Self;
    /// `self <= other`.
    fn le(self, other: Self) -> u32;
    /// `self == other`.
    fn eq(self, other: Self) -> u32;
    /// The lanes in `mask` from `self`, the others from `other`.
    fn pick(self, mask: u32, other: Self) -> Self;
}

/// What an instruction set brings: a vector for the boxes of a node, one for the triangles of a
/// block, and its way to order the hit children.
pub(crate) trait InstructionSet {
    /// Eight boxes.
    type Node: Vector<8>;
    /// The triangles of a block.
    type Leaf: Vector<BLOCK>;

    /// Pushes the children in `mask`, farthest first, and returns the new top. The upper half of an
    /// entry is the bits of the entry distance, the lower half the child. The bits order like
    /// integers when no distance is negative, as with every `t_min >= 0`; else the order is any.
    ///
    /// # Safety
    /// Eight entries from `stack + top` on are writable.
    unsafe fn push_sorted(stack: *mut u64, top: usize, near: Self::Node, children: &[u32; 8], mask: u32) -> usize;

    /// The same in any order.
    ///
    /// # Safety
    /// As [`InstructionSet::push_sorted`].
    unsafe fn push_unsorted(stack: *mut u64, top: usize, near: Self::Node, children: &[u32; 8], mask: u32) -> usize;

    /// Drops the entries below `top` that lie farther than `bound`, an entry too; keeps the others in
    /// their order and returns the new top. Entries of negative distance stay.
    ///
    /// # Safety
    /// `bound` is no negative integer. Entries up to `top` are readable, and eight more writable.
    unsafe fn drop_farther(stack: *mut u64, top: usize, bound: i64) -> usize;

    /// Asks the cache for the line at `address`, which may be anything: no access is made.
    fn prefetch(address: *const u8);
}

/// A stack entry.
#[inline(always)]
pub(crate) fn entry(near: f32, child: u32) -> u64 {
    u64::from(near.to_bits()) << 32 | u64::from(child)
}

/// Sorts the `count` entries from `first` on, largest first.
///
/// # Safety
/// They are readable and writable.
#[inline]
pub(crate) unsafe fn sort_many(first: *mut u64, count: usize) {
    // SAFETY: `first` and `count` bound the slice by the caller's promise.
    let entries = unsafe { std::slice::from_raw_parts_mut(first, count) };
    for sorted in 1..count {
        let new = entries[sorted];
        let mut place = sorted;
        while place > 0 && entries[place - 1] < new {
            entries[place] = entries[place - 1];
            place -= 1;
        }
        entries[place] = new;
    }
}

/// [`InstructionSet::push_unsorted`] with scalar code.
///
/// # Safety
/// Eight entries from `stack + top` on are writable.
#[inline(always)]
pub(crate) unsafe fn push_unsorted_scalar(
    stack: *mut u64,
    mut top: usize,
    near: &[f32; 8],
    children: &[u32; 8],
    mut mask: u32,
) -> usize {
    while mask != 0 {
        let slot = mask.trailing_zeros() as usize & 7;
        mask &= mask - 1;
        // SAFETY: the mask has eight bits, so that at most eight entries are written from `top` on.
        unsafe { *stack.add(top) = entry(near[slot], children[slot]) };
        top += 1;
    }
    top
}
