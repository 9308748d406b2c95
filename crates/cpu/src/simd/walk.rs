//! The walk of rays through a [`Wide8`], for every query and instruction set.
//!
//! Several rays walk interleaved, one record at a time: while one waits for memory or for the chain of
//! its own instructions, the others go on, and what a ray visits next is fetched ahead.
//!
//! A wrong guess of the processor at a branch costs incoherent rays more than all arithmetic of a
//! node (one more branch a node made bounced rays 20 % slower). So rays that want a node, a leaf or
//! nothing more stand in queues of their own, children are ordered and hits taken without branches,
//! and a nearer hit drops what lies behind it from the stack at once, not by a test at each pop.
//!
//! Vectors are handled by functions that are always inlined, never by closures: what a compiler leaves a
//! function of its own has not got the kernel's instructions (`cargo xtask lanes`).
//!
//! Nothing of one ray depends on another: results do not depend on who walks beside whom.

use super::group::{GROUP, Group, HALF};
use super::order::{ChildOrder, Keys, SLOT, bound, child, entry};
use super::packet::{GROUPS, PacketCost, Packets};
use super::place::{InPlace, Place};
use super::queue::{INTERLEAVED, Queue, ROOM, sort_out};
use super::single::Deep;
use super::triangle;
use crate::batch::{Job, Task};
use crate::probe::Probe;
use crate::query::{InLeaf, Query};
use crate::ray::WalkRay;
use raywarp_lanes::{Mask, TaskOn, Vector, Words};
use raywarp_layout::{BLOCK, LEAF, REFERENCE_BYTES, TriangleBlock, Wide8, Wide8Node};
use std::mem::MaybeUninit;

/// Number of entries that a push may write beyond those that it keeps.
const STACK_SLACK: usize = 8;

/// Number of a batch's last rays that walk one after another: queues cost more than so few gain beside each other (6 %
/// of calls of eight rays, docs/notebook/2026-11-30-cpu-rays.md, "Few rays").
const LAST: usize = 2;

/// Child in the stack's bottom entry, which marks the end of the traversal. No leaf has this index: an encoder refuses
/// so many.
pub(super) const END: u32 = u32::MAX;

/// Traversal state of a single ray.
#[repr(align(64))]
pub(super) struct Walker<Q> {
    /// The ray with its query.
    pub task: Task<Q>,
    /// Byte offsets in a node, by axis, of the plane rows where the ray enters boxes (`enter`) and where it leaves
    /// (`leave`).
    pub enter: [usize; 3],
    pub leave: [usize; 3],
    low: f32,
    /// Distance beyond which boxes are too far.
    pub limit: f32,
    /// Address of the node or leaf that the ray visits next, computed once from its reference.
    pub record: *const u8,
    /// Start of the ray's stack (`stack`), and the end of its entries (`top`).
    pub stack: *mut u64,
    pub top: *mut u64,
}

impl<Q: Query> Walker<Q> {
    /// Starts a ray's traversal at the root.
    ///
    /// # Safety
    /// `stack` has room for an entry.
    #[inline(always)]
    pub unsafe fn new(task: Task<Q>, base: *const u8, stack: *mut u64) -> Self {
        // SAFETY: the caller's promise.
        let top = unsafe {
            *stack = entry(f32::NEG_INFINITY, END);
            stack.add(1)
        };
        let [enter, leave] = rows(task.ray.inverse);
        let (low, limit) = (task.ray.box_low(), task.ray.box_high(task.query.limit()));
        Self { task, enter, leave, low, limit, record: base, stack, top }
    }

    /// Pops the entry below `top`, prefetches its node or leaf, and returns its reference.
    ///
    /// # Safety
    /// The stack holds entries below `top`.
    #[inline(always)]
    unsafe fn pop<S: ChildOrder>(&mut self, set: S, base: *const u8, top: *mut u64) -> u32 {
        // SAFETY: the caller's promise.
        let reference = unsafe {
            self.top = top.sub(1);
            child(self.top)
        };
        self.record = address(base, reference);
        fetch(set, self.record);
        reference
    }
}

/// Returns the byte offsets in a node of the plane rows where rays with such a reciprocal direction enter boxes, and
/// where they leave.
#[inline(always)]
pub(super) fn rows(inverse: [f32; 3]) -> [[usize; 3]; 2] {
    let row = |i: usize, leaves: bool| 32 * (2 * i + usize::from((inverse[i] < 0.0) != leaves));
    [std::array::from_fn(|i| row(i, false)), std::array::from_fn(|i| row(i, true))]
}

/// Returns the address of the node or leaf that `reference` names; for [`END`] an address that is not read.
#[inline(always)]
pub(super) fn address(base: *const u8, reference: u32) -> *const u8 {
    base.wrapping_add(reference as usize * REFERENCE_BYTES)
}

/// Prefetches the node or leaf that `reference` names.
#[inline(always)]
pub(super) fn prefetch<S: ChildOrder>(set: S, base: *const u8, reference: u32) {
    fetch(set, address(base, reference));
}

/// Prefetches the node or leaf at the address `record`.
#[inline(always)]
pub(super) fn fetch<S: ChildOrder>(set: S, record: *const u8) {
    for line in 0..4 {
        set.prefetch(record.wrapping_add(64 * line));
    }
}

/// Pushes the children in the mask `hit`, sorted if the query wants it, and returns the new stack height.
///
/// # Safety
/// Eight entries from `stack + top` on are writable.
#[inline(always)]
pub(super) unsafe fn push<S: ChildOrder, Q: Query>(
    set: S,
    stack: *mut u64,
    top: usize,
    near: S::F8,
    hit: <S::F8 as Vector<8>>::Mask,
    children: &[u32; 8],
) -> usize {
    // SAFETY: the caller's promise.
    unsafe {
        if Q::ORDERED {
            set.push_sorted(stack, top, sort_keys(set, near, hit), children, hit.bits())
        } else {
            set.push_unsorted(stack, top, near, children, hit.bits())
        }
    }
}

/// Traces every ray of `job` through `tree`.
#[inline(always)]
pub(crate) fn walk_all<S: ChildOrder, J: Job>(set: S, tree: &Wide8, job: &mut J) {
    if tree.lines().is_empty() {
        while let Some(task) = job.next(tree.bounds()) {
            job.finish(task.index, &task.query);
        }
        return;
    }
    let base = tree.lines().as_ptr().cast::<u8>();
    let depth = stack_length(tree.stack_depth());
    let mut stacks = Deep::long((INTERLEAVED + GROUPS) * depth);
    let (stacks, of_packets) = stacks.all().split_at_mut(INTERLEAVED * depth);
    let mut walkers = [const { MaybeUninit::<Walker<J::Query>>::uninit() }; INTERLEAVED];
    let (mut at_node, mut at_leaf, mut at_end) = (Queue::EMPTY, Queue::EMPTY, Queue::EMPTY);
    // What those of the queue that was visited visit next.
    let mut next_records = [0; ROOM];
    let mut ahead = Ahead::new(PacketCost::of(tree), &mut of_packets[..GROUPS * depth]);
    let mut is_last = false;
    // SAFETY: each walker has a stack of its own, as long as the tree says; they stay where they are
    // while the queues point to them, each in at most one queue; there are at most `INTERLEAVED` of them.
    unsafe {
        for (stack, walker) in stacks.chunks_exact_mut(depth).zip(&mut walkers) {
            let Some(task) = next(set, tree, job, &mut ahead) else {
                is_last = true;
                break;
            };
            at_node.push((at_node.len * size_of::<Walker<J::Query>>()) as u32);
            walker.write(Walker::new(task, base, stack.as_mut_ptr().cast()));
        }
        let walkers: *mut Walker<J::Query> = walkers.as_mut_ptr().cast();
        while at_node.len + at_leaf.len > 0 {
            while at_node.len > at_leaf.len {
                ahead.cost.steps += at_node.len;
                for i in 0..at_node.len {
                    let walker = &mut *walkers.byte_add(*at_node.walkers.get_unchecked(i) as usize);
                    *next_records.get_unchecked_mut(i) = visit_node(set, base, walker);
                }
                sort_out::<_, false>(set, &next_records, &mut at_node, &mut at_leaf, &mut at_end);
            }
            ahead.cost.steps += at_leaf.len;
            for i in 0..at_leaf.len {
                let walker = &mut *walkers.byte_add(*at_leaf.walkers.get_unchecked(i) as usize);
                *next_records.get_unchecked_mut(i) = visit_leaf(set, base, walker, &InPlace);
            }
            sort_out::<_, true>(set, &next_records, &mut at_leaf, &mut at_node, &mut at_end);
            let count = std::mem::take(&mut at_end.len);
            for i in 0..count {
                (*walkers.byte_add(*at_end.walkers.get_unchecked(i) as usize)).task.query.fetch(set);
            }
            for i in 0..count {
                let place = *at_end.walkers.get_unchecked(i);
                let walker = &mut *walkers.byte_add(place as usize);
                job.finish(walker.task.index, &walker.task.query);
                if let Some(task) = next(set, tree, job, &mut ahead) {
                    *walker = Walker::new(task, base, walker.stack);
                    at_node.push(place);
                } else {
                    is_last = true;
                }
            }
            if is_last && at_node.len + at_leaf.len <= LAST {
                break;
            }
        }
        for (queue, first) in [(&at_node, 0), (&at_leaf, LEAF)] {
            for i in 0..queue.len {
                let walker = &mut *walkers.byte_add(*queue.walkers.get_unchecked(i) as usize);
                let mut next = first;
                while next != END {
                    next = match next & LEAF {
                        0 => visit_node(set, base, walker),
                        _ => visit_leaf(set, base, walker, &InPlace),
                    };
                }
                walker.task.query.fetch(set);
                job.finish(walker.task.index, &walker.task.query);
            }
        }
    }
    ahead.cost.keep(tree);
}

/// Returns the length of a stack for a tree of this stack depth, in entries: an odd number of cache lines, so that
/// neighbouring stacks don't compete for the same cache sets (4 to 10 % slower, docs/notebook/2026-11-26-cpu-rays.md,
/// "Sorted out in lanes").
pub(super) fn stack_length(depth: usize) -> usize {
    const LINE: usize = 64 / size_of::<u64>();
    ((depth + 1 + STACK_SLACK).div_ceil(LINE) | 1) * LINE
}

/// Rays that are prepared before they are traced.
struct Ahead<'a> {
    /// Groups that wait to be traced as packets, and behind them the one whose rays are traced one by one. They are
    /// filled where they stand, and made when they are first needed.
    groups: [MaybeUninit<Group>; GROUPS + 1],
    made: usize,
    /// Number of the groups that wait, and where the one stands whose rays are traced one by one.
    coherent: usize,
    alone: usize,
    /// What packets cost.
    cost: PacketCost,
    /// Stacks of packets.
    stacks: &'a mut [MaybeUninit<u64>],
}

impl<'a> Ahead<'a> {
    /// Has prepared none.
    #[inline(always)]
    fn new(cost: PacketCost, stacks: &'a mut [MaybeUninit<u64>]) -> Self {
        let mut new = Self {
            groups: [const { MaybeUninit::uninit() }; GROUPS + 1],
            made: 0,
            coherent: 0,
            alone: 0,
            cost,
            stacks,
        };
        new.behind();
        new
    }

    /// Makes the group behind those that wait the one whose rays are traced one by one, and returns it.
    #[inline(always)]
    fn behind(&mut self) -> &mut Group {
        if self.made == self.coherent {
            self.groups[self.made].write(Group::new());
            self.made += 1;
        }
        self.alone = self.coherent;
        self.alone()
    }

    /// Returns the group whose rays are traced one by one.
    #[inline(always)]
    fn alone(&mut self) -> &mut Group {
        // SAFETY: `behind` made it.
        unsafe { self.groups[self.alone].assume_init_mut() }
    }

    /// Returns the groups that wait, and the stacks for them.
    #[inline(always)]
    fn packets(&mut self) -> (&[Group], &mut [MaybeUninit<u64>]) {
        // SAFETY: those that wait were made before this is called.
        let groups = unsafe { std::slice::from_raw_parts(self.groups.as_ptr().cast(), self.coherent) };
        (groups, self.stacks)
    }
}

/// Returns the next ray of `job` that is traced by itself; coherent groups before it are traced as packets.
#[inline(always)]
fn next<S: ChildOrder, J: Job>(set: S, tree: &Wide8, job: &mut J, ahead: &mut Ahead<'_>) -> Option<Task<J::Query>> {
    loop {
        if ahead.alone().left == 0 && !set.enter(Refill { tree, job, ahead }) {
            return None;
        }
        ahead.cost.rays += 1;
        let group = ahead.alone();
        let lane = group.left.trailing_zeros() as usize;
        group.left &= group.left - 1;
        let index = group.first + lane;
        if group.is_prepared(lane) {
            let ray = group.ray(lane, &job.rays()[index]);
            return Some(Task { index, query: job.query(ray.t_low, ray.t_high), ray });
        }
        if let Some(task) = job.prepare(index, tree.bounds()) {
            return Some(task);
        }
    }
}

/// Task that refills the group of rays to trace one by one; returns `false` if the batch has none left. Rays that look
/// alike are answered on the way.
struct Refill<'r, 'a, J> {
    tree: &'r Wide8,
    job: &'r mut J,
    ahead: &'r mut Ahead<'a>,
}

impl<S: ChildOrder, J: Job> TaskOn<S> for Refill<'_, '_, J> {
    type Output = bool;

    #[inline(always)]
    fn run_on(self, set: S) -> bool {
        let Self { tree, job, ahead } = self;
        let bounds = tree.bounds();
        let extent = (0..3).fold(0.0, |extent, i| f32::max(extent, bounds.max[i] - bounds.min[i]));
        loop {
            // Of what does not fill a group half a one may be a packet.
            let rest = job.rays().len() - job.supply().next;
            let taken = job.take(if (HALF..GROUP).contains(&rest) { HALF } else { GROUP });
            let is_last = taken.is_empty();
            let mut goes_alone = false;
            if !is_last {
                let group = ahead.behind();
                group.fill(set, &job.rays()[taken.clone()], taken.start, job.has_keys(), bounds);
                let spread = if J::Query::PACKETS { group.coherent::<S::F16>(set, extent) } else { None };
                goes_alone = !spread.is_some_and(|spread| ahead.cost.is_worth(spread));
                ahead.coherent += usize::from(!goes_alone);
            }
            let ends = is_last || goes_alone;
            if ahead.coherent == ahead.cost.most || (ends && ahead.coherent > 0) {
                let (groups, stacks) = ahead.packets();
                let cost = set.enter(Packets { tree, job: &mut *job, groups, stacks });
                ahead.coherent = 0;
                ahead.cost.heed(cost);
                if !goes_alone {
                    ahead.alone().left = 0;
                }
            }
            if ends {
                return goes_alone;
            }
        }
    }
}

/// Visits the node at `walker.record`: pushes its hit children, and returns the reference of what the ray visits next.
///
/// # Safety
/// `walker` was made for the tree that begins at `base`, with
/// a stack of `stack_depth() + 1 + STACK_SLACK` entries, and is at a node.
#[inline(always)]
pub(super) unsafe fn visit_node<S: ChildOrder, Q: Query>(set: S, base: *const u8, walker: &mut Walker<Q>) -> u32 {
    // SAFETY: `Wide8`'s fields are private and its encoder keeps its invariants: references name
    // nodes or leaves, and `stack_depth` bounds what is pushed. The caller promises the stack's
    // length.
    unsafe {
        let (near, hit) = boxes(set, walker);
        let children = &(*walker.record.cast::<Wide8Node>()).children;
        let count = push::<S, Q>(set, walker.top, 0, near, hit, children);
        walker.pop(set, base, walker.top.add(count))
    }
}

/// Tests the boxes of the node at `walker.record`: returns where the ray enters each, and which it hits.
///
/// # Safety
/// As [`visit_node`].
#[inline(always)]
pub(super) unsafe fn boxes<S: ChildOrder, Q: Query>(
    set: S,
    walker: &mut Walker<Q>,
) -> (S::F8, <S::F8 as Vector<8>>::Mask) {
    walker.task.query.probe().node();
    let ray = &walker.task.ray;
    // SAFETY: the caller's promise. Row offsets stay within a node.
    unsafe {
        let record = walker.record;
        let [x, y, z] = distances(set, record, &walker.enter, &ray.near_origin, &ray.inverse);
        let near = x.max(y).max(z.max(S::F8::splat(set, walker.low)));
        let [x, y, z] = distances(set, record, &walker.leave, &ray.far_origin, &ray.inverse);
        let far = x.min(y).min(z.min(S::F8::splat(set, walker.limit)));
        (near, near.le(far))
    }
}

/// Returns the sort keys of the children that are `hit` ([`ChildOrder::push_sorted`]).
#[inline(always)]
pub(super) fn sort_keys<S: ChildOrder>(set: S, near: S::F8, hit: <S::F8 as Vector<8>>::Mask) -> Keys<S> {
    let keys = (near.to_bits() & Keys::<S>::splat(set, !SLOT)) | Keys::<S>::count_up(set);
    keys.keep(hit)
}

/// Returns by axis the distances along the ray to the planes of a node's eight boxes that lie at byte offsets `rows`.
///
/// # Safety
/// At `record` lies a node, and at each of `rows` in it eight floats.
#[inline(always)]
unsafe fn distances<S: ChildOrder>(
    set: S,
    record: *const u8,
    rows: &[usize; 3],
    origin: &[f32; 3],
    inverse: &[f32; 3],
) -> [S::F8; 3] {
    // SAFETY: the caller's promise.
    let rows: [&[f32; 8]; 3] =
        unsafe { [&*record.add(rows[0]).cast(), &*record.add(rows[1]).cast(), &*record.add(rows[2]).cast()] };
    [
        (S::F8::load(set, rows[0]) - S::F8::splat(set, origin[0])) * S::F8::splat(set, inverse[0]),
        (S::F8::load(set, rows[1]) - S::F8::splat(set, origin[1])) * S::F8::splat(set, inverse[1]),
        (S::F8::load(set, rows[2]) - S::F8::splat(set, origin[2])) * S::F8::splat(set, inverse[2]),
    ]
}

/// Tests the leaf at `walker.record`, where `place` puts it, and returns the reference of what the ray visits next;
/// [`END`] when the query is decided.
///
/// # Safety
/// As [`visit_node`], but `walker` is at a leaf.
#[inline(always)]
pub(super) unsafe fn visit_leaf<S: ChildOrder, Q: Query, P: Place>(
    set: S,
    base: *const u8,
    walker: &mut Walker<Q>,
    place: &P,
) -> u32 {
    // SAFETY: as in `visit_node`; an encoder's leaves have their blocks in range, and they end.
    unsafe {
        let Walker { record, task, limit, .. } = walker;
        let block = test_leaf::<S, Q, P, false>(set, *record, (&task.ray, &mut task.query), limit, place);
        let mut top = walker.top;
        if Q::ORDERED {
            // What lies farther now goes at once, rather than by a guess at every pop.
            let height = top.offset_from_unsigned(walker.stack);
            top = walker.stack.add(set.drop_farther(walker.stack, height, bound(walker.limit)));
        }
        // The next block of a large leaf comes before anything on the stack.
        let offset = walker.record.offset_from_unsigned(base) + size_of::<TriangleBlock>();
        *top = entry(f32::NEG_INFINITY, (offset / REFERENCE_BYTES) as u32);
        let decided = u32::from(walker.task.query.is_decided()).wrapping_neg();
        walker.pop(set, base, top.add(usize::from(block.has_more()))) | decided
    }
}

/// Tests the block at `record`, the first of a leaf or a later one, where `place` puts it, and returns it; `limit` is
/// the distance beyond which boxes are too far from then on. A ray that is alone does no more than it needs (`ALONE`),
/// by a branch that a processor guesses.
///
/// # Safety
/// `record` is the address of a leaf of the tree.
#[inline(always)]
pub(super) unsafe fn test_leaf<'a, S: ChildOrder, Q: Query, P: Place, const ALONE: bool>(
    set: S,
    record: *const u8,
    (ray, query): (&WalkRay, &mut Q),
    limit: &mut f32,
    place: &P,
) -> &'a TriangleBlock {
    // SAFETY: the caller's promise; the tree outlives the walk.
    let block = unsafe { &*record.sub(LEAF as usize * REFERENCE_BYTES).cast::<TriangleBlock>() };
    query.probe().triangles(|| block.len());
    let offers = test_block::<S::F4, Q, P, ALONE>(set, block, place, ray, query);
    if Q::ORDERED && offers {
        *limit = ray.box_high(query.limit());
    }
    block
}

/// Tests the ray with a block of triangles, and offers the query those that it hits within the interval.
///
/// [`Watertight::test`], operation by operation, so that `t` has the same bits. Returns `false` if it is sure that the
/// interval is what it was, which it only looks for if `ALONE`.
#[inline(always)]
fn test_block<V: Vector<BLOCK>, Q: Query, P: Place, const ALONE: bool>(
    set: V::Set,
    block: &TriangleBlock,
    place: &P,
    ray: &WalkRay,
    query: &mut Q,
) -> bool {
    let corners =
        [corner(set, block, place, 0, ray), corner(set, block, place, 1, ray), corner(set, block, place, 2, ray)];
    let (edges, same_side) = triangle::edges::<V, BLOCK>(corners);
    if ALONE && same_side.bits() == 0 && !ray.may_overflow {
        return false;
    }
    let ([t, us, vs], is_finite) = triangle::weigh(corners, edges, V::splat(set, ray.triangle.inverse));
    // Where f32 has too few exponents `t` is infinite or NaN; the scalar test knows what to do then.
    let wide = (same_side & !is_finite).bits();
    let mask = same_side & V::splat(set, query.low()).le(t) & t.le(V::splat(set, query.limit()));
    if ALONE && !ray.may_overflow && mask.bits() | wide == 0 {
        return false;
    }
    // The nearest of them, infinity for none.
    let t = V::select(mask, t, V::splat(set, f32::INFINITY));
    let ts = t.store();
    let nearest = ts.iter().fold(f32::INFINITY, |nearest, &t| if t < nearest { t } else { nearest });
    let equal = (t.eq(V::splat(set, nearest)) & mask).bits();
    let (us, vs) = (us.store(), vs.store());
    // Hardly ever: two hits of the very same `t`, or whatever the query wants to look at, or numbers
    // near the ends of f32.
    if (wide != 0) | (equal & equal.wrapping_sub(1) != 0) | ray.may_overflow | query.needs_id(nearest) {
        offer_each(block, place, [mask.bits(), wide], [ts, us, vs], ray, query);
        return true;
    }
    let slot = equal.trailing_zeros() as usize % BLOCK;
    let triangle = InLeaf { block, slot, place: place.map() };
    query.offer_plain_with([nearest, us[slot], vs[slot]], block.slots[slot], triangle);
    true
}

/// Returns a corner of each triangle of a block, relative to the ray and sheared along it.
#[inline(always)]
fn corner<V: Vector<BLOCK>, P: Place>(
    set: V::Set,
    block: &TriangleBlock,
    place: &P,
    corner: usize,
    ray: &WalkRay,
) -> [V; 3] {
    let (k, [ox, oy, oz], [sx, sy]) = (ray.triangle.k, ray.axis_origin, ray.triangle.shear);
    // SAFETY: `k` names the three axes.
    let axes = unsafe { place.axes::<V>(set, &block.corners[corner], k) };
    triangle::local::<V, BLOCK>(
        axes,
        [V::splat(set, ox), V::splat(set, oy), V::splat(set, oz)],
        [V::splat(set, sx), V::splat(set, sy)],
    )
}

/// Offers the triangles in the first mask with their `t u v`, and those in the second after a scalar test; all by
/// scalar tests where vectors may overflow.
#[inline(never)]
fn offer_each<Q: Query, P: Place>(
    block: &TriangleBlock,
    place: &P,
    [mut mask, mut wide]: [u32; 2],
    [ts, us, vs]: [[f32; BLOCK]; 3],
    ray: &WalkRay,
    query: &mut Q,
) {
    if ray.may_overflow {
        mask = 0;
        wide = (0..BLOCK).filter(|&slot| block.index(slot).is_some()).fold(0, |wide, slot| wide | 1 << slot);
    }
    while mask != 0 {
        let slot = mask.trailing_zeros() as usize % BLOCK;
        mask &= mask - 1;
        let triangle = InLeaf { block, slot, place: place.map() };
        query.offer_with([ts[slot], us[slot], vs[slot]], block.slots[slot], triangle);
    }
    while wide != 0 {
        let slot = wide.trailing_zeros() as usize % BLOCK;
        wide &= wide - 1;
        let triangle = InLeaf { block, slot, place: place.map() };
        if let Some(tuv) = ray.triangle.test(&triangle.corners()) {
            query.offer_with(tuv, block.slots[slot], triangle);
        }
    }
}
