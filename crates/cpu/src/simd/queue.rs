//! The queues in which rays of a walk stand by what they want next, and how they are sorted into them.

use super::order::{ChildOrder, Keys};
use super::walk::END;
use raywarp_lanes::{Mask, Vector, Words};
use raywarp_layout::LEAF;

/// Number of rays traced interleaved: 16 are 1 to 4 % slower, 32 equal within 3 %, 64 up to 10 % slower
/// (docs/notebook/2026-11-26-cpu-rays.md, "Sorted out in lanes").
pub(super) const INTERLEAVED: usize = 24;

/// Number of lanes in which rays are sorted into queues.
const LANES: usize = 8;

/// Capacity of a queue: more than [`INTERLEAVED`], since whole vectors are written beyond its end.
pub(super) const ROOM: usize = INTERLEAVED + LANES;

/// Queue of the rays that visit the same kind of record next: nodes or leaves.
pub(super) struct Queue {
    /// Rays in the queue, as byte offsets from the first walker, which fit into 32-bit lanes.
    pub walkers: [u32; ROOM],
    /// Number of rays in the queue.
    pub len: usize,
}

impl Queue {
    /// Queue in which no ray waits.
    pub const EMPTY: Self = Self { walkers: [0; ROOM], len: 0 };

    /// Appends a ray, given by its `walker` offset.
    ///
    /// # Safety
    /// Fewer than [`INTERLEAVED`] stand here.
    #[inline(always)]
    pub unsafe fn push(&mut self, walker: u32) {
        // SAFETY: the caller's promise.
        unsafe { *self.walkers.get_unchecked_mut(self.len) = walker };
        self.len += 1;
    }
}

/// Keeps in `from` the rays that visit the same kind of record next (leaf blocks if `LEAVES`, else nodes), and puts
/// those of the other kind into `other`. Without a branch on what they visit, and in a loop of its own, since it was
/// slower to sort each ray right behind its visit (docs/notebook/2026-11-26-cpu-rays.md, "Sorted behind their visits").
/// `next` says what each visits.
///
/// # Safety
/// Each stands in one queue alone, so that all fit into each.
#[inline(always)]
pub(super) unsafe fn sort_out<S: ChildOrder, const LEAVES: bool>(
    set: S,
    next: &[u32; ROOM],
    from: &mut Queue,
    other: &mut Queue,
    at_end: &mut Queue,
) {
    // SAFETY: the caller's promise.
    unsafe {
        if S::PACKS {
            sort_lanes::<S, LEAVES>(set, next, [from, other, at_end]);
        } else {
            sort_each::<LEAVES>(next, [from, other, at_end]);
        }
    }
}

/// Does the work of [`sort_out`] with [`LANES`] rays at a time.
///
/// # Safety
/// As there.
#[inline(always)]
unsafe fn sort_lanes<S: ChildOrder, const LEAVES: bool>(
    set: S,
    next: &[u32; ROOM],
    [from, other, at_end]: [&mut Queue; 3],
) {
    let (leaf, end) = (Keys::<S>::splat(set, LEAF), Keys::<S>::splat(set, END));
    let mut kept = 0;
    for first in (0..from.len).step_by(LANES) {
        // SAFETY: the caller's promise: at most `INTERLEAVED` are packed, and there is room for as many lanes behind
        // them. In `from` nothing is written over before it is read.
        unsafe {
            let there = <S::F8 as Vector<8>>::Mask::first(set, from.len - first);
            let walkers = lanes::<S>(set, &from.walkers, first);
            let next = lanes::<S>(set, next, first);
            let is_leaf = (next & leaf).eq(leaf);
            let is_end = next.eq(end) & there;
            let (at_leaf, at_node) = (is_leaf & !is_end & there, !is_leaf & there);
            let (stays, goes) = if LEAVES { (at_leaf, at_node) } else { (at_node, at_leaf) };
            kept = pack::<S>(walkers, stays, &mut from.walkers, kept);
            other.len = pack::<S>(walkers, goes, &mut other.walkers, other.len);
            at_end.len = pack::<S>(walkers, is_end, &mut at_end.walkers, at_end.len);
        }
    }
    from.len = kept;
}

/// Does the work of [`sort_out`] ray by ray, for instruction sets that cannot pack lanes fast.
///
/// # Safety
/// As there.
#[inline(always)]
unsafe fn sort_each<const LEAVES: bool>(next: &[u32; ROOM], [from, other, at_end]: [&mut Queue; 3]) {
    let (mut kept, mut others, mut ends) = (0, other.len, at_end.len);
    // SAFETY: the caller's promise; nothing of `from` is written over before it is read, and a queue has a place behind
    // its last, for those that do not belong to it.
    unsafe {
        for i in 0..from.len {
            let (walker, next) = (*from.walkers.get_unchecked(i), *next.get_unchecked(i));
            let (is_leaf, is_end) = (next & LEAF != 0, next == END);
            *from.walkers.get_unchecked_mut(kept) = walker;
            *other.walkers.get_unchecked_mut(others) = walker;
            *at_end.walkers.get_unchecked_mut(ends) = walker;
            let (at_leaf, at_node) = (usize::from(is_leaf & !is_end), usize::from(!is_leaf));
            kept += if LEAVES { at_leaf } else { at_node };
            others += if LEAVES { at_node } else { at_leaf };
            ends += usize::from(is_end);
        }
    }
    (from.len, other.len, at_end.len) = (kept, others, ends);
}

/// Loads a vector of `row` from entry `first` on.
///
/// # Safety
/// There are so many.
#[inline(always)]
unsafe fn lanes<S: ChildOrder>(set: S, row: &[u32; ROOM], first: usize) -> Keys<S> {
    // SAFETY: the caller's promise.
    Keys::<S>::load(set, unsafe { &*row.as_ptr().add(first).cast() })
}

/// Packs the walkers that `mask` selects into `row` from index `place` on, and returns the index after the last one.
///
/// # Safety
/// There is room for all lanes.
#[inline(always)]
unsafe fn pack<S: ChildOrder>(
    walkers: Keys<S>,
    mask: <S::F8 as Vector<8>>::Mask,
    row: &mut [u32; ROOM],
    place: usize,
) -> usize {
    // SAFETY: the caller's promise.
    unsafe { *row.as_mut_ptr().add(place).cast::<[u32; LANES]>() = walkers.compress(mask).store() };
    place + mask.count()
}
