//! Brings the hit children of a node to the stack in order, and drops entries that lie too far: each instruction set
//! does so in its own way. This file has the scalar code, for sets without one.

#[cfg(target_arch = "aarch64")]
use raywarp_lanes::Neon;
#[cfg(target_feature = "simd128")]
use raywarp_lanes::Simd128;
use raywarp_lanes::{InstructionSet, Portable, Vector};

/// Bits of a sort key that hold a child's slot in its node, so that sorting 32-bit keys moves both distance and child.
/// The distance is off by less than eight units in the last place, which orders children by slots that lie as near to
/// each other. What keys are compared with has all these bits set ([`bound`]), so that nothing is dropped for its slot.
pub(crate) const SLOT: u32 = 7;

/// The sort keys of a node's eight children; see [`ChildOrder::push_sorted`].
pub(crate) type Keys<S> = <<S as InstructionSet>::F8 as Vector<8>>::Words;

/// Sorting of a node's hit children for the stack, as each instruction set does it.
pub(crate) trait ChildOrder: InstructionSet {
    /// `true` if the set packs lanes in a few instructions, so that rays are sorted into queues by vectors too.
    const PACKS: bool = false;

    /// `true` if the set multiplies and subtracts in one instruction.
    const FUSES: bool = false;

    /// Pushes the children that `mask` selects, largest sort key (farthest) first, and returns the new stack height.
    /// The upper half of an entry is the key, the lower half the child. A key is the bits of the entry distance with
    /// the child's slot in place of the last three ([`SLOT`]), and 0 for the children that are not in `mask`. Keys are
    /// compared as unsigned numbers: by distance when no distance is negative, as with every `t_min >= 0`; else the
    /// order is any.
    ///
    /// # Safety
    /// Eight entries from `stack + top` on are writable, and `mask` has eight bits.
    #[inline(always)]
    unsafe fn push_sorted(
        self,
        stack: *mut u64,
        top: usize,
        keys: Keys<Self>,
        children: &[u32; 8],
        mask: u32,
    ) -> usize {
        // SAFETY: the caller's promise is these functions'; the entries from `top` on were just written.
        unsafe {
            let end = push_each(stack, top, &Self::F8::from_bits(keys).store(), children, mask);
            sort_many(stack.add(top), end - top);
            end
        }
    }

    /// Pushes the children that `mask` selects in any order, and returns the new stack height.
    ///
    /// # Safety
    /// As [`ChildOrder::push_sorted`].
    #[inline(always)]
    unsafe fn push_unsorted(
        self,
        stack: *mut u64,
        top: usize,
        near: Self::F8,
        children: &[u32; 8],
        mask: u32,
    ) -> usize {
        // SAFETY: the caller's promise is this function's.
        unsafe { push_each(stack, top, &near.store(), children, mask) }
    }

    /// Drops the stack entries below `top` that lie farther than `bound`, keeps the others in their order, and returns
    /// the new height. Entries of negative distance stay.
    ///
    /// # Safety
    /// `bound` is no negative integer. Entries up to `top` are readable, and eight more writable.
    #[inline(always)]
    unsafe fn drop_farther(self, stack: *mut u64, top: usize, bound: i64) -> usize {
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
}

impl ChildOrder for Portable {}

#[cfg(target_arch = "aarch64")]
impl ChildOrder for Neon {
    const FUSES: bool = true;
}

#[cfg(target_feature = "simd128")]
impl ChildOrder for Simd128 {}

/// Returns a stack entry: the child in the lower 32 bits, its distance's bits in the upper.
#[inline(always)]
pub(crate) fn entry(near: f32, child: u32) -> u64 {
    u64::from(near.to_bits()) << 32 | u64::from(child)
}

/// Returns the child of the stack entry at `place`. Read alone where it stands first: of a whole entry a compiler masks
/// it again.
///
/// # Safety
/// `place` is readable.
#[inline(always)]
pub(crate) unsafe fn child(place: *const u64) -> u32 {
    // SAFETY: the caller's promise.
    unsafe { if cfg!(target_endian = "little") { *place.cast() } else { *place as u32 } }
}

/// Returns the stack entry that [`ChildOrder::drop_farther`] compares with, so that entries up to distance `limit`
/// stay, whatever their child. The entries of negative distance stay anyhow.
#[inline(always)]
pub(crate) fn bound(limit: f32) -> i64 {
    i64::from(limit.max(0.0).to_bits() | SLOT) << 32 | i64::from(u32::MAX)
}

/// Pushes the children that `mask` selects in the order of their slots in the node, and returns the new stack height.
///
/// # Safety
/// Eight entries from `stack + top` on are writable.
#[inline(always)]
unsafe fn push_each(stack: *mut u64, mut top: usize, near: &[f32; 8], children: &[u32; 8], mut mask: u32) -> usize {
    while mask != 0 {
        let slot = mask.trailing_zeros() as usize & 7;
        mask &= mask - 1;
        // SAFETY: the mask has eight bits, so that at most eight entries are written from `top` on.
        unsafe { *stack.add(top) = entry(near[slot], children[slot]) };
        top += 1;
    }
    top
}

/// Sorts `count` stack entries from `first` on, largest first.
///
/// # Safety
/// They are readable and writable.
#[inline]
unsafe fn sort_many(first: *mut u64, count: usize) {
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
