//! The walk of one ray by itself, for callers who have no others: nothing is prepared for neighbours, and nothing is
//! allocated but, once a thread, the stack of a very deep tree.

use super::order::{ChildOrder, bound, child, entry};
use super::place::{InPlace, Place};
use super::walk::{END, Walker, address, boxes, push, stack_length, test_leaf};
use crate::batch::Task;
use crate::query::{OfRange, Query, Range};
use crate::ray::WalkRay;
use raywarp_geom::{HitKey, PrimitiveId, Ray};
use raywarp_lanes::{Mask, TaskOn, Vector};
use raywarp_layout::{LEAF, REFERENCE_BYTES, TriangleBlock, Wide8, Wide8Node};
use std::cell::Cell;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Entries of the stack that every call has; trees of ten million triangles need fewer than half of them.
pub(super) const ENTRIES: usize = 256;

thread_local! {
    /// Stack for trees that are deeper; taken while a ray uses it, so that a ray within another's callback gets its
    /// own.
    static DEEP: Cell<Vec<MaybeUninit<u64>>> = const { Cell::new(Vec::new()) };
}

/// Stack of a walk through a very deep tree, which goes back to the thread at the end.
pub(super) struct Deep(Vec<MaybeUninit<u64>>);

impl Deep {
    /// Returns the stack for a tree of this stack depth: none where [`ENTRIES`] are enough.
    #[inline(always)]
    pub fn of(depth: usize) -> Self {
        let length = stack_length(depth);
        if length <= ENTRIES { Self(Vec::new()) } else { Self::long(length) }
    }

    #[cold]
    fn long(length: usize) -> Self {
        let mut stack = DEEP.take();
        stack.resize(stack.len().max(length), MaybeUninit::uninit());
        Self(stack)
    }

    /// Returns the stack; `None` where [`ENTRIES`] are enough.
    #[inline(always)]
    pub fn stack(&mut self) -> Option<&mut [MaybeUninit<u64>]> {
        (!self.0.is_empty()).then_some(&mut self.0[..])
    }
}

impl Drop for Deep {
    #[inline(always)]
    fn drop(&mut self) {
        if !self.0.is_empty() {
            DEEP.set(std::mem::take(&mut self.0));
        }
    }
}

/// Task that asks one ray its query.
pub(super) struct Single<'a, A: OfRange<'a>> {
    pub tree: &'a Wide8,
    pub ids: &'a [PrimitiveId],
    pub ray: &'a Ray,
    /// Key that hits must come after.
    pub after: HitKey,
    pub query: PhantomData<A>,
}

impl<'a, S: ChildOrder, A: OfRange<'a>> TaskOn<S> for Single<'a, A> {
    type Output = Option<A>;

    #[inline(always)]
    fn run_on(self, set: S) -> Option<A> {
        let Self { tree, ids, ray, after, .. } = self;
        let prepared = WalkRay::new(ray, &after, tree.bounds())?;
        // Nothing comes after a NaN.
        if after.t.is_nan() || tree.lines().is_empty() {
            return None;
        }
        let query = A::of_range(Range { low: prepared.t_low, high: prepared.t_high, after, ids });
        let base = tree.lines().as_ptr().cast();
        // SAFETY: the leaves are of this tree, which is not empty.
        Some(unsafe {
            walk(set, base, tree.stack_depth(), Task { index: 0, ray: prepared, query }, &Triangles(&InPlace))
        })
    }
}

/// What a ray does at the leaves of a tree.
pub(super) trait Leaves<Q> {
    /// Visits the leaf that `reference` names, and returns the reference of what the ray visits next; [`END`] when the
    /// query is decided.
    ///
    /// # Safety
    /// The leaf is of the tree at `base`, for which the walker was made.
    unsafe fn visit<S: ChildOrder>(&self, set: S, base: *const u8, walker: &mut Walker<Q>, reference: u32) -> u32;
}

/// Leaves of triangles, with the place where they are.
pub(super) struct Triangles<'a, P>(pub &'a P);

impl<P: Place, Q: Query> Leaves<Q> for Triangles<'_, P> {
    #[inline(always)]
    unsafe fn visit<S: ChildOrder>(&self, set: S, base: *const u8, walker: &mut Walker<Q>, reference: u32) -> u32 {
        walker.record = address(base, reference);
        // SAFETY: the caller's promise.
        unsafe {
            let block = test_leaf::<S, Q, P, true>(set, walker, self.0);
            if walker.task.query.is_decided() {
                return END;
            }
            if block.has_more() {
                let offset = walker.record.offset_from_unsigned(base) + size_of::<TriangleBlock>();
                return (offset / REFERENCE_BYTES) as u32;
            }
            pop(walker)
        }
    }
}

/// Walks a ray from the root of a tree to its end, and returns its query with what it found.
///
/// # Safety
/// At `base` lies a tree that is not empty, with `depth` as its stack's depth, and `leaves` are its own.
#[inline(always)]
pub(super) unsafe fn walk<S: ChildOrder, Q: Query, L: Leaves<Q>>(
    set: S,
    base: *const u8,
    depth: usize,
    task: Task<Q>,
    leaves: &L,
) -> Q {
    let length = stack_length(depth);
    // SAFETY: the caller's promise; the stacks are long enough.
    unsafe {
        if length <= ENTRIES {
            let mut stack = [MaybeUninit::uninit(); ENTRIES];
            return walk_with(set, base, task, leaves, &mut stack);
        }
        let mut stack = DEEP.take();
        stack.resize(stack.len().max(length), MaybeUninit::uninit());
        let query = walk_with(set, base, task, leaves, &mut stack);
        DEEP.set(stack);
        query
    }
}

/// Walks a ray as [`walk`] does, with a stack as long as the tree needs.
///
/// A ray by itself waits for each result before it can go on. So the usual cases, none or one or two children hit, are
/// branches, which a processor guesses and goes on beyond, and the nearest child goes through no stack. (Where many
/// rays walk interleaved nobody waits, and wrong guesses are what costs: [`walk_all`](super::walk::walk_all).)
///
/// # Safety
/// As [`walk`]; the stack has [`stack_length`] entries.
#[inline(always)]
unsafe fn walk_with<S: ChildOrder, Q: Query, L: Leaves<Q>>(
    set: S,
    base: *const u8,
    task: Task<Q>,
    leaves: &L,
    stack: &mut [MaybeUninit<u64>],
) -> Q {
    // SAFETY: the caller's promise; only entries that were pushed are read. The walker stands at a node at first, and
    // then at what its last visit returned.
    unsafe {
        let mut walker = Walker::new(task, base, stack.as_mut_ptr().cast());
        loop {
            let mut next = at_node(set, &mut walker);
            while next & LEAF != 0 {
                if next == END {
                    return walker.task.query;
                }
                next = leaves.visit(set, base, &mut walker, next);
            }
            walker.record = address(base, next);
        }
    }
}

/// Visits the node at `walker.record`: pushes its hit children but one, and returns the reference of what the ray
/// visits next.
///
/// # Safety
/// As [`visit_node`](super::walk::visit_node).
#[inline(always)]
unsafe fn at_node<S: ChildOrder, Q: Query>(set: S, walker: &mut Walker<Q>) -> u32 {
    // SAFETY: the caller's promise.
    unsafe {
        let (near, hit) = boxes(set, walker);
        let children = &(*walker.record.cast::<Wide8Node>()).children;
        let mask = hit.bits();
        if mask == 0 {
            return pop(walker);
        }
        let first = mask.trailing_zeros() as usize;
        let others = mask & (mask - 1);
        if others == 0 {
            return *children.get_unchecked(first);
        }
        if others & (others - 1) == 0 {
            let second = others.trailing_zeros() as usize;
            let nears = near.store();
            let [mut next, mut later] = [second, first];
            if Q::ORDERED && nears.get_unchecked(first) <= nears.get_unchecked(second) {
                [next, later] = [first, second];
            }
            *walker.top = entry(*nears.get_unchecked(later), *children.get_unchecked(later));
            walker.top = walker.top.add(1);
            return *children.get_unchecked(next);
        }
        let count = push::<S, Q>(set, walker.top, 0, near, hit, children);
        walker.top = walker.top.add(count - 1);
        child(walker.top)
    }
}

/// Pops the entries that are too far, and the first that is not, whose reference it returns.
///
/// # Safety
/// The stack holds an entry below `top` that is not too far, as its bottom is none.
#[inline(always)]
pub(super) unsafe fn pop<Q: Query>(walker: &mut Walker<Q>) -> u32 {
    let bound = bound(walker.limit);
    loop {
        // SAFETY: the caller's promise.
        unsafe {
            walker.top = walker.top.sub(1);
            if !Q::ORDERED || (*walker.top).cast_signed() <= bound {
                return child(walker.top);
            }
        }
    }
}
