//! The walk of one ray by itself, for callers who have no others: nothing is prepared for neighbours, and nothing is
//! allocated but, once a thread, the stack of a very deep tree.

use super::order::{ChildOrder, bound, child, entry};
use super::place::{InPlace, Place};
use super::usual::{Usual, three};
use super::walk::{END, address, push, rows, stack_length, test_leaf};
use crate::ids::LentIds;
use crate::levels::ROOT;
use crate::probe::Probe;
use crate::query::{OfRange, Query, Range};
use crate::ray::WalkRay;
use raywarp_geom::{HitKey, Ray};
use raywarp_lanes::{Mask, TaskOn, Vector};
use raywarp_layout::{LEAF, REFERENCE_BYTES, TriangleBlock, Wide8, Wide8Node};
use std::cell::Cell;
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

    /// Returns a stack of at least so many entries, or several stacks one behind the other.
    #[cold]
    pub fn long(length: usize) -> Self {
        let mut stack = DEEP.take();
        stack.resize(stack.len().max(length), MaybeUninit::uninit());
        Self(stack)
    }

    /// Returns all entries; none where [`ENTRIES`] are enough.
    pub fn all(&mut self) -> &mut [MaybeUninit<u64>] {
        &mut self.0
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

/// Task that asks one ray its question.
pub(super) struct Single<'a, 'r, A> {
    pub tree: &'a Wide8,
    pub ids: LentIds<'a>,
    pub ray: &'r Ray,
    /// Key that hits must come after.
    pub after: HitKey,
    pub question: A,
}

impl<'a, A: OfRange<'a>> Single<'a, '_, A> {
    /// Asks the ray with its interval, a usual one where that is known.
    #[inline(always)]
    fn ask<'q, S: ChildOrder, R: Prepare<'q>>(
        self,
        set: S,
        (ray, [low, high]): (R, [f32; 2]),
        usual: Option<Usual<S::F4>>,
    ) -> Option<A::Answer> {
        let Self { tree, ids, after, question, .. } = self;
        // Nothing comes after a NaN.
        if after.t.is_nan() || tree.lines().is_empty() {
            return None;
        }
        let mut query = question.of_range(Range { low, high, after, ids });
        let base = tree.lines().as_ptr().cast();
        // SAFETY: the leaves are of this tree, which is not empty.
        unsafe { walk_of(set, (base, ROOT), tree.stack_depth(), usual, (ray, &mut query), &Triangles(&InPlace)) };
        A::answer(&query)
    }
}

impl<'a, S: ChildOrder, A: OfRange<'a>> TaskOn<S> for Single<'a, '_, A> {
    type Output = Option<A::Answer>;

    #[inline(always)]
    fn run_on(self, set: S) -> Option<A::Answer> {
        let Some(usual) = Usual::<S::F4>::new(set, self.ray, self.tree.bounds()) else {
            return set.enter(Unusual(self));
        };
        let (ray, after) = (self.ray, self.after);
        let interval = Usual::<S::F4>::interval(ray, &after);
        let mut room = MaybeUninit::uninit();
        self.ask(set, (Later { usual, ray, after, low: interval[0], room: &mut room }, interval), Some(usual))
    }
}

/// Task that asks a ray of unusual numbers its question.
struct Unusual<'a, 'r, A>(Single<'a, 'r, A>);

impl<'a, S: ChildOrder, A: OfRange<'a>> TaskOn<S> for Unusual<'a, '_, A> {
    type Output = Option<A::Answer>;

    #[inline(always)]
    fn run_on(self, set: S) -> Option<A::Answer> {
        let Self(single) = self;
        let prepared = WalkRay::new(single.ray, &single.after, single.tree.bounds())?;
        single.ask(set, (&prepared, [prepared.t_low, prepared.t_high]), None)
    }
}

/// What a walk does after a leaf.
pub(super) enum Visited {
    /// Ends: the query is decided.
    Decided,
    /// Visits this leaf too, which comes before all others.
    More(u32),
    /// Goes on to what was put aside.
    Done,
}

/// A ray and its query, which stay where they are while it walks: to move what was just written takes as long as a
/// node.
pub(super) type Asking<'q, Q> = (&'q WalkRay, &'q mut Q);

/// A ray that is prepared in full for its first leaf: until then its boxes are enough, and many rays come to no leaf.
pub(super) trait Prepare<'q>: Sized {
    /// Smallest `t` of a hit.
    fn low(&self) -> f32;

    /// Returns what [`WalkRay::box_high`] does.
    fn box_high(&self, t: f32) -> f32;

    /// Returns the ray in full.
    fn ray(self) -> &'q WalkRay;
}

impl<'q> Prepare<'q> for &'q WalkRay {
    #[inline(always)]
    fn low(&self) -> f32 {
        self.t_low
    }

    #[inline(always)]
    fn box_high(&self, t: f32) -> f32 {
        WalkRay::box_high(self, t)
    }

    #[inline(always)]
    fn ray(self) -> &'q WalkRay {
        self
    }
}

/// Usual ray that is not prepared yet, and the room where it will be.
struct Later<'q, V> {
    usual: Usual<V>,
    ray: &'q Ray,
    after: HitKey,
    low: f32,
    room: &'q mut MaybeUninit<WalkRay>,
}

impl<'q, V: Vector<4>> Prepare<'q> for Later<'q, V> {
    #[inline(always)]
    fn low(&self) -> f32 {
        self.low
    }

    #[inline(always)]
    fn box_high(&self, t: f32) -> f32 {
        // The scale of a usual ray is 1, and its interval finite.
        t
    }

    #[inline(always)]
    fn ray(self) -> &'q WalkRay {
        self.room.write(self.usual.prepared(self.ray, &self.after))
    }
}

/// What a ray does at the leaves of a tree.
pub(super) trait Leaves<S: ChildOrder, Q> {
    /// Visits the leaf that `reference` names; `limit` is the distance beyond which boxes are too far from then on.
    ///
    /// # Safety
    /// The leaf is of the tree at `base`.
    unsafe fn visit(&self, set: S, base: *const u8, asked: Asking<'_, Q>, limit: &mut f32, reference: u32) -> Visited;
}

/// Leaves of triangles, with the place where they are.
pub(super) struct Triangles<'a, P>(pub &'a P);

impl<S: ChildOrder, P: Place, Q: Query> Leaves<S, Q> for Triangles<'_, P> {
    #[inline(always)]
    unsafe fn visit(
        &self,
        set: S,
        base: *const u8,
        (ray, query): Asking<'_, Q>,
        limit: &mut f32,
        reference: u32,
    ) -> Visited {
        let record = address(base, reference);
        // SAFETY: the caller's promise.
        let block = unsafe { test_leaf::<S, Q, P, true>(set, record, (ray, query), limit, self.0) };
        if query.is_decided() {
            return Visited::Decided;
        }
        if !block.has_more() {
            return Visited::Done;
        }
        let offset = record.addr() - base.addr() + size_of::<TriangleBlock>();
        Visited::More((offset / REFERENCE_BYTES) as u32)
    }
}

/// Walks a ray through a tree, or through the part of it that the child reference `start` names.
///
/// # Safety
/// At `base` lies a tree that is not empty, with `depth` as its stack's depth; `start` and `leaves` are its own.
#[inline(always)]
pub(super) unsafe fn walk<S: ChildOrder, Q: Query, L: Leaves<S, Q>>(
    set: S,
    (base, start): (*const u8, u32),
    depth: usize,
    asked: Asking<'_, Q>,
    leaves: &L,
) {
    if !S::FUSES || !asked.0.fuses() {
        return set.enter(Otherwise { base, start, depth, asked, leaves });
    }
    // SAFETY: the caller's promise.
    unsafe { walk_by(set, (base, start), depth, Fused::new(set, asked.0), asked, leaves) }
}

/// Walks a ray as [`walk`] does, a usual one where that is known.
///
/// # Safety
/// As [`walk`].
#[inline(always)]
pub(super) unsafe fn walk_of<'q, S: ChildOrder, Q: Query, L: Leaves<S, Q>>(
    set: S,
    (base, start): (*const u8, u32),
    depth: usize,
    usual: Option<Usual<S::F4>>,
    (ray, query): (impl Prepare<'q>, &mut Q),
    leaves: &L,
) {
    // SAFETY: the caller's promise.
    unsafe {
        match usual {
            Some(usual) if S::FUSES => {
                walk_by(set, (base, start), depth, Fused::of_usual(set, usual, ray.low()), (ray, query), leaves);
            }
            Some(usual) => {
                walk_by(set, (base, start), depth, Differences::of_usual(set, usual, ray.low()), (ray, query), leaves);
            }
            None => walk(set, (base, start), depth, (ray.ray(), query), leaves),
        }
    }
}

/// Task that walks a ray whose boxes are not tested in fused form.
struct Otherwise<'a, Q, L> {
    base: *const u8,
    start: u32,
    depth: usize,
    asked: Asking<'a, Q>,
    leaves: &'a L,
}

impl<S: ChildOrder, Q: Query, L: Leaves<S, Q>> TaskOn<S> for Otherwise<'_, Q, L> {
    type Output = ();

    #[inline(always)]
    fn run_on(self, set: S) {
        let Self { base, start, depth, asked, leaves } = self;
        // SAFETY: the promise of `walk`, which alone makes this.
        unsafe { walk_by(set, (base, start), depth, Differences::new(set, asked.0), asked, leaves) }
    }
}

/// Walks a ray as [`walk`] does, with boxes tested by `slabs`.
///
/// # Safety
/// As [`walk`].
#[inline(always)]
unsafe fn walk_by<'q, S: ChildOrder, Q: Query, L: Leaves<S, Q>, B: Slabs<S>>(
    set: S,
    (base, start): (*const u8, u32),
    depth: usize,
    slabs: B,
    asked: (impl Prepare<'q>, &mut Q),
    leaves: &L,
) {
    let length = stack_length(depth);
    // SAFETY: the caller's promise; the stacks are long enough.
    unsafe {
        if length <= ENTRIES {
            let mut stack = [MaybeUninit::uninit(); ENTRIES];
            return walk_with(set, (base, start), slabs, asked, leaves, &mut stack);
        }
        let mut stack = DEEP.take();
        stack.resize(stack.len().max(length), MaybeUninit::uninit());
        walk_with(set, (base, start), slabs, asked, leaves, &mut stack);
        DEEP.set(stack);
    }
}

/// Walks a ray as [`walk`] does, with a stack as long as the tree needs.
///
/// A ray by itself waits for each result before it can go on. So the usual cases, none or one or two children hit, are
/// branches, which a processor guesses and goes on beyond, and the nearest child goes through no stack. (Where many
/// rays walk interleaved nobody waits, and wrong guesses are what costs: [`walk_all`](super::walk::walk_all).) What the
/// walk has in hand are variables of its own, whose addresses nobody gets, so that they stay in registers.
///
/// # Safety
/// As [`walk`]; the stack has [`stack_length`] entries.
#[inline(always)]
unsafe fn walk_with<'q, S: ChildOrder, Q: Query, L: Leaves<S, Q>, B: Slabs<S>>(
    set: S,
    (base, start): (*const u8, u32),
    slabs: B,
    (ray, query): (impl Prepare<'q>, &mut Q),
    leaves: &L,
    stack: &mut [MaybeUninit<u64>],
) {
    // SAFETY: the caller's promise; only entries that were pushed are read, the lowest of which names no record. The
    // walk stands at what it starts with, and then at what its last visit returned.
    unsafe {
        let mut top: *mut u64 = stack.as_mut_ptr().cast();
        *top = entry(f32::NEG_INFINITY, END);
        top = top.add(1);
        let mut limit = ray.box_high(query.limit());
        let mut next = start;
        while next & LEAF == 0 {
            let record = address(base, next);
            query.probe().node();
            (next, top) = at_node::<S, Q>(set, record, slabs.test(record, limit), limit, top);
        }
        if next == END {
            return;
        }
        let ray = ray.ray();
        loop {
            while next & LEAF != 0 {
                if next == END {
                    return;
                }
                match leaves.visit(set, base, (ray, &mut *query), &mut limit, next) {
                    Visited::Decided => return,
                    Visited::More(leaf) => next = leaf,
                    Visited::Done => (next, top) = pop::<Q>(top, limit),
                }
            }
            let record = address(base, next);
            query.probe().node();
            (next, top) = at_node::<S, Q>(set, record, slabs.test(record, limit), limit, top);
        }
    }
}

/// Box tests of a ray, with its numbers in lanes.
trait Slabs<S: ChildOrder>: Copy {
    /// Tests the boxes of the node at `record`: returns where the ray enters each, and which it hits before `limit`.
    ///
    /// # Safety
    /// At `record` lies a node.
    unsafe fn test(self, record: *const u8, limit: f32) -> (S::F8, <S::F8 as Vector<8>>::Mask);
}

/// Where a ray's planes are in a node, and from where on boxes count.
#[derive(Clone, Copy)]
struct Planes<V> {
    enter: [usize; 3],
    leave: [usize; 3],
    inverse: [V; 3],
    low: V,
}

impl<V: Vector<8>> Planes<V> {
    #[inline(always)]
    fn new(set: V::Set, ray: &WalkRay) -> Self {
        let [enter, leave] = rows(ray.inverse);
        Self { enter, leave, inverse: lanes(set, ray.inverse), low: V::splat(set, ray.box_low()) }
    }

    /// As [`Planes::new`], of a usual ray, whose boxes are those of `usual`.
    #[inline(always)]
    fn of_usual<W: Vector<4>>(set: V::Set, usual: Usual<W>, low: f32) -> Self {
        let bit = |axis: usize| (usual.negative as usize >> axis & 1) * 32;
        let enter = [bit(0), 64 + bit(1), 128 + bit(2)];
        Self {
            enter,
            leave: enter.map(|row| row ^ 32),
            inverse: lanes(set, three(usual.inverse)),
            low: V::splat(set, low),
        }
    }

    /// Returns by axis the planes through which the ray enters the boxes of the node at `record`, and those through
    /// which it leaves.
    ///
    /// # Safety
    /// At `record` lies a node.
    #[inline(always)]
    unsafe fn load(&self, record: *const u8) -> [[V; 3]; 2] {
        let set = self.low.set();
        // SAFETY: the caller's promise; rows are whole and lie within a node.
        unsafe {
            let [[ex, ey, ez], [lx, ly, lz]] = [self.enter, self.leave];
            [
                [row(set, record.add(ex)), row(set, record.add(ey)), row(set, record.add(ez))],
                [row(set, record.add(lx)), row(set, record.add(ly)), row(set, record.add(lz))],
            ]
        }
    }

    /// Returns where the ray enters boxes, and which it hits.
    #[inline(always)]
    fn hits(self, [ex, ey, ez]: [V; 3], [lx, ly, lz]: [V; 3], limit: f32) -> (V, V::Mask) {
        let near = ex.max(ey).max(ez.max(self.low));
        let far = lx.min(ly).min(lz.min(V::splat(self.low.set(), limit)));
        (near, near.le(far))
    }
}

/// Loads a row of planes.
///
/// # Safety
/// There it lies.
#[inline(always)]
unsafe fn row<V: Vector<8>>(set: V::Set, at: *const u8) -> V {
    // SAFETY: the caller's promise.
    V::load(set, unsafe { &*at.cast() })
}

/// Returns three numbers in lanes.
#[inline(always)]
fn lanes<V: Vector<8>>(set: V::Set, [x, y, z]: [f32; 3]) -> [V; 3] {
    [V::splat(set, x), V::splat(set, y), V::splat(set, z)]
}

/// Box tests `plane * inverse - origin * inverse`, for rays that allow it ([`WalkRay::fuses`]): one instruction a
/// plane, and one wait. [`PaddedRay`](raywarp_geom::PaddedRay)'s pads hold its rounding too.
struct Fused<S: ChildOrder> {
    planes: Planes<S::F8>,
    enter_over: [S::F8; 3],
    leave_over: [S::F8; 3],
}

impl<S: ChildOrder> Clone for Fused<S> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: ChildOrder> Copy for Fused<S> {}

impl<S: ChildOrder> Fused<S> {
    #[inline(always)]
    fn new(set: S, ray: &WalkRay) -> Self {
        let [near, far] = ray.over();
        Self { planes: Planes::new(set, ray), enter_over: lanes(set, near), leave_over: lanes(set, far) }
    }

    /// As [`Fused::new`], of a usual ray, whose boxes are those of `usual`.
    #[inline(always)]
    fn of_usual(set: S, usual: Usual<S::F4>, low: f32) -> Self {
        let (near, far) = (usual.near_origin * usual.inverse, usual.far_origin * usual.inverse);
        Self {
            planes: Planes::of_usual(set, usual, low),
            enter_over: lanes(set, three(near)),
            leave_over: lanes(set, three(far)),
        }
    }
}

impl<S: ChildOrder> Slabs<S> for Fused<S> {
    #[inline(always)]
    unsafe fn test(self, record: *const u8, limit: f32) -> (S::F8, <S::F8 as Vector<8>>::Mask) {
        let Self { planes, enter_over: [ex, ey, ez], leave_over: [lx, ly, lz] } = self;
        let [ix, iy, iz] = planes.inverse;
        // SAFETY: the caller's promise.
        let [[nx, ny, nz], [fx, fy, fz]] = unsafe { planes.load(record) };
        planes.hits(
            [nx.mul_sub(ix, ex), ny.mul_sub(iy, ey), nz.mul_sub(iz, ez)],
            [fx.mul_sub(ix, lx), fy.mul_sub(iy, ly), fz.mul_sub(iz, lz)],
            limit,
        )
    }
}

/// Box tests `(plane - origin) * inverse`, for every ray.
struct Differences<S: ChildOrder> {
    planes: Planes<S::F8>,
    near_origin: [S::F8; 3],
    far_origin: [S::F8; 3],
}

impl<S: ChildOrder> Clone for Differences<S> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: ChildOrder> Copy for Differences<S> {}

impl<S: ChildOrder> Differences<S> {
    #[inline(always)]
    fn new(set: S, ray: &WalkRay) -> Self {
        let planes = Planes::new(set, ray);
        Self { planes, near_origin: lanes(set, ray.near_origin), far_origin: lanes(set, ray.far_origin) }
    }

    /// As [`Differences::new`], of a usual ray, whose boxes are those of `usual`.
    #[inline(always)]
    fn of_usual(set: S, usual: Usual<S::F4>, low: f32) -> Self {
        Self {
            planes: Planes::of_usual(set, usual, low),
            near_origin: lanes(set, three(usual.near_origin)),
            far_origin: lanes(set, three(usual.far_origin)),
        }
    }
}

impl<S: ChildOrder> Slabs<S> for Differences<S> {
    #[inline(always)]
    unsafe fn test(self, record: *const u8, limit: f32) -> (S::F8, <S::F8 as Vector<8>>::Mask) {
        let Self { planes, near_origin: [ex, ey, ez], far_origin: [lx, ly, lz] } = self;
        let [ix, iy, iz] = planes.inverse;
        // SAFETY: the caller's promise.
        let [[nx, ny, nz], [fx, fy, fz]] = unsafe { planes.load(record) };
        planes.hits(
            [(nx - ex) * ix, (ny - ey) * iy, (nz - ez) * iz],
            [(fx - lx) * ix, (fy - ly) * iy, (fz - lz) * iz],
            limit,
        )
    }
}

/// Takes what a ray hits of the node at `record`: pushes its hit children but one, and returns the reference of what
/// the ray visits next, and the stack's new end.
///
/// # Safety
/// At `record` lies a node, and at `top` the end of the ray's stack, which has room for eight entries.
#[inline(always)]
unsafe fn at_node<S: ChildOrder, Q: Query>(
    set: S,
    record: *const u8,
    (near, hit): (S::F8, <S::F8 as Vector<8>>::Mask),
    limit: f32,
    top: *mut u64,
) -> (u32, *mut u64) {
    // SAFETY: the caller's promise.
    unsafe {
        let children = &(*record.cast::<Wide8Node>()).children;
        let mask = hit.bits();
        if mask == 0 {
            return pop::<Q>(top, limit);
        }
        let first = mask.trailing_zeros() as usize;
        let others = mask & (mask - 1);
        if others == 0 {
            return (*children.get_unchecked(first), top);
        }
        if others & (others - 1) == 0 {
            let second = others.trailing_zeros() as usize;
            let nears = near.store();
            let [mut next, mut later] = [second, first];
            if Q::ORDERED && nears.get_unchecked(first) <= nears.get_unchecked(second) {
                [next, later] = [first, second];
            }
            *top = entry(*nears.get_unchecked(later), *children.get_unchecked(later));
            return (*children.get_unchecked(next), top.add(1));
        }
        let count = push::<S, Q>(set, top, 0, near, hit, children);
        let top = top.add(count - 1);
        (child(top), top)
    }
}

/// Pops the entries that are too far, and the first that is not; returns its reference and the stack's new end.
///
/// # Safety
/// The stack holds an entry below `top` that is not too far, as its bottom is none.
#[inline(always)]
unsafe fn pop<Q: Query>(mut top: *mut u64, limit: f32) -> (u32, *mut u64) {
    let bound = bound(limit);
    loop {
        // SAFETY: the caller's promise.
        unsafe {
            top = top.sub(1);
            if !Q::ORDERED || (*top).cast_signed() <= bound {
                return (child(top), top);
            }
        }
    }
}
