//! The walk of rays through a [`Wide8`], for every query and instruction set.
//!
//! Several rays walk in turns, one record at a time: while one waits for memory or for the chain of
//! its own instructions, the others go on, and what a ray visits next is fetched ahead. Rays that
//! want a node and rays that want a leaf stand in two queues, so that the processor need not guess
//! at every step which it will be. Nothing of one ray depends on another: results do not depend on
//! who walks beside whom.

use super::vector::{InstructionSet, Vector, entry};
use crate::batch::{Job, Task};
use crate::probe::Probe;
use crate::query::Query;
use crate::ray::WalkRay;
use raywarp_geom::triangle::Watertight;
use raywarp_layout::{BLOCK, LEAF, REFERENCE_BYTES, TriangleBlock, Wide8, Wide8Node};

/// Rays that walk in turns.
const TURNS: usize = 16;

/// Entries that a push may write past what it keeps.
const STACK_SLACK: usize = 8;

/// The child of the entry at the bottom of the stack. No leaf has this index: an encoder refuses so many.
const END: u32 = u32::MAX;

/// A ray on its way.
#[repr(align(64))]
struct Walker<Q> {
    task: Task<Q>,
    /// Byte offsets in a node of the rows of planes where the ray enters, and where it leaves.
    enter: [usize; 3],
    leave: [usize; 3],
    low: f32,
    limit: f32,
    /// What it visits next.
    current: u32,
    stack: *mut u64,
    top: usize,
}

impl<Q: Query> Walker<Q> {
    /// At the root.
    ///
    /// # Safety
    /// `stack` has room for an entry.
    #[inline(always)]
    unsafe fn new(task: Task<Q>, stack: *mut u64) -> Self {
        // SAFETY: the caller's promise.
        unsafe { *stack = entry(f32::NEG_INFINITY, END) };
        let row = |i: usize, leaves: bool| 32 * (2 * i + usize::from((task.ray.inverse[i] < 0.0) != leaves));
        let (enter, leave) = (std::array::from_fn(|i| row(i, false)), std::array::from_fn(|i| row(i, true)));
        let (low, limit) = (task.ray.box_low(), task.ray.box_high(task.query.limit()));
        Self { task, enter, leave, low, limit, current: 0, stack, top: 1 }
    }

    /// Takes the next entry that is not too far off, and asks the cache for its record.
    ///
    /// # Safety
    /// The stack holds entries below `top`, the last of them [`END`]'s.
    #[inline(always)]
    unsafe fn pop<I: InstructionSet>(&mut self, base: *const u8, mut top: usize) {
        // SAFETY: the entry of `END` is farther than no limit, be it NaN, so that the loop stops there.
        self.current = unsafe {
            loop {
                top -= 1;
                let entry = *self.stack.add(top);
                let too_far = f32::from_bits((entry >> 32) as u32) > self.limit;
                if !too_far {
                    break entry as u32;
                }
            }
        };
        self.top = top;
        let record = base.wrapping_add(self.current as usize * REFERENCE_BYTES);
        for line in 0..4 {
            I::prefetch(record.wrapping_add(64 * line));
        }
    }
}

/// Rays that wait for the same kind of record.
struct Queue<Q> {
    walkers: [*mut Walker<Q>; TURNS],
    len: usize,
}

impl<Q> Queue<Q> {
    /// Adds `walker` if `really`, without a branch.
    ///
    /// # Safety
    /// Fewer than [`TURNS`] stand here.
    #[inline(always)]
    unsafe fn push(&mut self, walker: *mut Walker<Q>, really: bool) {
        // SAFETY: the caller's promise.
        unsafe { *self.walkers.get_unchecked_mut(self.len) = walker };
        self.len += usize::from(really);
    }
}

/// Answers every ray of `job`.
///
/// # Safety
/// The CPU has the instructions of `I`.
#[inline(always)]
pub(crate) unsafe fn walk_all<I: InstructionSet, J: Job>(tree: &Wide8, job: &mut J) {
    if tree.lines().is_empty() {
        while let Some(task) = job.next(tree.bounds()) {
            job.finish(task);
        }
        return;
    }
    let base = tree.lines().as_ptr().cast::<u8>();
    let depth = tree.stack_depth() + 1 + STACK_SLACK;
    let mut stacks = vec![0u64; TURNS * depth];
    let mut walkers = Vec::with_capacity(TURNS);
    let empty = || Queue { walkers: [std::ptr::null_mut::<Walker<J::Query>>(); TURNS], len: 0 };
    let (mut at_node, mut at_leaf) = (empty(), empty());
    // SAFETY: each walker has a stack of its own, as long as the tree says; they stay where they are
    // while the queues point to them, each in at most one queue; there are at most `TURNS` of them.
    // The caller saw the instructions.
    unsafe {
        for stack in stacks.chunks_exact_mut(depth) {
            let Some(task) = job.next(tree.bounds()) else { break };
            walkers.push(Walker::new(task, stack.as_mut_ptr()));
        }
        for walker in &mut walkers {
            at_node.push(walker, true);
        }
        while at_node.len + at_leaf.len > 0 {
            while at_node.len > at_leaf.len {
                let count = std::mem::take(&mut at_node.len);
                for i in 0..count {
                    let pointer = *at_node.walkers.get_unchecked(i);
                    let walker = &mut *pointer;
                    visit_node::<I, J::Query>(base, walker);
                    let leaf = walker.current & LEAF != 0;
                    at_node.push(pointer, !leaf);
                    at_leaf.push(pointer, leaf);
                }
            }
            let count = std::mem::take(&mut at_leaf.len);
            for i in 0..count {
                let pointer = *at_leaf.walkers.get_unchecked(i);
                let walker = &mut *pointer;
                if walker.current == END || visit_leaf::<I, J::Query>(base, walker) {
                    let Some(task) = job.next(tree.bounds()) else {
                        job.finish(walker.task);
                        continue;
                    };
                    let stack = walker.stack;
                    job.finish(walker.task);
                    *walker = Walker::new(task, stack);
                }
                let leaf = walker.current & LEAF != 0;
                at_node.push(pointer, !leaf);
                at_leaf.push(pointer, leaf);
            }
        }
    }
}

/// Visits the node `walker.current` and goes on.
///
/// # Safety
/// The CPU has the instructions of `I`; `walker` was made for the tree that begins at `base`, with
/// a stack of `stack_depth() + 1 + STACK_SLACK` entries, and is at a node.
#[inline(always)]
unsafe fn visit_node<I: InstructionSet, Q: Query>(base: *const u8, walker: &mut Walker<Q>) {
    let ray = &walker.task.ray;
    // SAFETY: `Wide8`'s fields are private and its encoder keeps its invariants: references name
    // nodes or leaves, and `stack_depth` bounds what is pushed. The caller promises the stack's
    // length and the instructions. Row offsets stay within a node.
    unsafe {
        let record = base.add(walker.current as usize * REFERENCE_BYTES);
        walker.task.query.probe().node();
        let splat = I::Node::splat;
        let row = |offset: usize| I::Node::load(&*record.add(offset).cast::<[f32; 8]>());
        let near = |i: usize| row(walker.enter[i]).sub(splat(ray.near_origin[i])).mul(splat(ray.inverse[i]));
        let far = |i: usize| row(walker.leave[i]).sub(splat(ray.far_origin[i])).mul(splat(ray.inverse[i]));
        let near = near(0).max(near(1)).max(near(2).max(splat(walker.low)));
        let far = far(0).min(far(1)).min(far(2).min(splat(walker.limit)));
        let mask = near.le(far);
        let children = &(*record.cast::<Wide8Node>()).children;
        let top = if Q::ORDERED {
            I::push_sorted(walker.stack, walker.top, near, children, mask)
        } else {
            I::push_unsorted(walker.stack, walker.top, near, children, mask)
        };
        walker.pop::<I>(base, top);
    }
}

/// Visits the leaf `walker.current` and goes on; true when the query is decided.
///
/// # Safety
/// As [`visit_node`], but `walker` is at a leaf.
#[inline(always)]
unsafe fn visit_leaf<I: InstructionSet, Q: Query>(base: *const u8, walker: &mut Walker<Q>) -> bool {
    let (ray, query) = (&walker.task.ray, &mut walker.task.query);
    // SAFETY: as in `visit_node`; an encoder's leaves have their blocks in range, and they end.
    unsafe {
        let mut block = base.add((walker.current & !LEAF) as usize * REFERENCE_BYTES).cast::<TriangleBlock>();
        loop {
            query.probe().triangles(|| (*block).len());
            if test_block::<I::Leaf, Q>(&*block, ray, query) {
                if query.is_decided() {
                    return true;
                }
                walker.limit = ray.box_high(query.limit());
            }
            if !(*block).has_more() {
                break;
            }
            block = block.add(1);
        }
        walker.pop::<I>(base, walker.top);
    }
    false
}

/// Offers the triangles of `block` that the ray's line hits within the query's interval; whether
/// the query took any.
///
/// [`Watertight::test`], operation by operation, so that `t` has the same bits.
#[inline(always)]
fn test_block<V: Vector<BLOCK>, Q: Query>(block: &TriangleBlock, ray: &WalkRay, query: &mut Q) -> bool {
    let k = ray.triangle.k;
    let origin = ray.axis_origin.map(V::splat);
    let shear = ray.triangle.shear.map(V::splat);
    let local = |corner: usize| -> [V; 3] {
        let p: [V; 3] = std::array::from_fn(|i| V::load(&block.corners[corner][k[i]]).sub(origin[i]));
        [p[0].sub(shear[0].mul(p[2])), p[1].sub(shear[1].mul(p[2])), shear[2].mul(p[2])]
    };
    let (a, b, c) = (local(0), local(1), local(2));
    let u = c[0].mul(b[1]).sub(c[1].mul(b[0]));
    let v = a[0].mul(c[1]).sub(a[1].mul(c[0]));
    let w = b[0].mul(a[1]).sub(b[1].mul(a[0]));
    let zero = V::splat(0.0);
    let same_side = zero.le(u.min(v).min(w)) | u.max(v).max(w).le(zero);
    if same_side == 0 {
        return false;
    }
    // Exactly on an edge in f32. A product difference of another sign than zero has the sign of the
    // exact one, so that lanes whose other edges disagree stay out.
    let on_edge = (u.eq(zero) | v.eq(zero) | w.eq(zero)) & same_side;
    let det = u.add(v).add(w);
    let inverse = V::splat(1.0).div(det);
    let t = u.mul(a[2]).add(v.mul(b[2])).add(w.mul(c[2])).mul(inverse);
    // An infinite or NaN `t` fails, also that of a zero determinant: the limits are finite.
    let inside = V::splat(query.low()).le(t) & t.le(V::splat(query.limit()));
    let mut mask = same_side & inside & !det.eq(zero) & !on_edge;
    let mut taken = false;
    if mask != 0 {
        let (t, u, v) = (t.store(), v.mul(inverse).store(), w.mul(inverse).store());
        while mask != 0 {
            let slot = mask.trailing_zeros() as usize % BLOCK;
            mask &= mask - 1;
            taken |= query.offer([t[slot], u[slot], v[slot]], block.slots[slot]);
        }
    }
    if on_edge != 0 {
        taken |= test_exactly(block, on_edge, &ray.triangle, query);
    }
    taken
}

/// The slots in `mask` one by one, with the f64 edge functions of [`Watertight::test`].
#[cold]
#[inline(never)]
fn test_exactly<Q: Query>(block: &TriangleBlock, mut mask: u32, ray: &Watertight, query: &mut Q) -> bool {
    let mut taken = false;
    while mask != 0 {
        let slot = mask.trailing_zeros() as usize % BLOCK;
        mask &= mask - 1;
        if let Some(tuv) = ray.test(&block.vertices(slot)) {
            taken |= query.offer(tuv, block.slots[slot]);
        }
    }
    taken
}
