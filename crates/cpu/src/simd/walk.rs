//! The walk of rays through a [`Wide8`], for every query and instruction set.
//!
//! Several rays walk in turns, one node or leaf record each: while one waits for memory or for the
//! chain of its own instructions, the others go on, and what a ray visits next is fetched ahead.
//! Nothing of one ray depends on another, so that results do not depend on who walks beside whom.

use super::vector::{InstructionSet, Vector, entry};
use crate::batch::{Job, Task};
use crate::probe::Probe;
use crate::query::Query;
use raywarp_geom::triangle::Watertight;
use raywarp_layout::{BLOCK, LEAF, REFERENCE_BYTES, TriangleBlock, Wide8, Wide8Node};

/// Rays that walk in turns.
const TURNS: usize = 8;

/// Entries that a push may write past what it keeps.
const STACK_SLACK: usize = 8;

/// The child of the entry at the bottom of the stack. No leaf has this index: an encoder refuses so many.
const END: u32 = u32::MAX;

/// A ray on its way.
struct Walker<Q> {
    task: Task<Q>,
    /// Byte offsets in a node of the rows of planes where the ray enters, and where it leaves.
    enter: [usize; 3],
    leave: [usize; 3],
    low: f32,
    limit: f32,
    stack: *mut u64,
    top: usize,
}

impl<Q: Query> Walker<Q> {
    /// # Safety
    /// `stack` has room for two entries.
    #[inline(always)]
    unsafe fn new(task: Task<Q>, stack: *mut u64) -> Self {
        // SAFETY: the caller's promise; the root is reference 0.
        unsafe {
            *stack = entry(f32::NEG_INFINITY, END);
            *stack.add(1) = entry(f32::NEG_INFINITY, 0);
        }
        let row = |i: usize, leaves: bool| 32 * (2 * i + usize::from((task.ray.inverse[i] < 0.0) != leaves));
        let (enter, leave) = (std::array::from_fn(|i| row(i, false)), std::array::from_fn(|i| row(i, true)));
        let (low, limit) = (task.ray.box_low(), task.ray.box_high(task.query.limit()));
        Self { task, enter, leave, low, limit, stack, top: 2 }
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
    let depth = tree.stack_depth() + 2 + STACK_SLACK;
    let mut stacks = vec![0u64; TURNS * depth];
    let mut walkers = Vec::with_capacity(TURNS);
    for stack in stacks.chunks_exact_mut(depth) {
        let Some(task) = job.next(tree.bounds()) else { break };
        // SAFETY: each walker has a stack of its own, as long as the tree says.
        walkers.push(unsafe { Walker::new(task, stack.as_mut_ptr()) });
    }
    while !walkers.is_empty() {
        let mut finished = None;
        for (turn, walker) in walkers.iter_mut().enumerate() {
            // SAFETY: the caller saw the instructions, and the walker was made for this tree.
            if unsafe { step::<I, J::Query>(tree, walker) } {
                continue;
            }
            let Some(task) = job.next(tree.bounds()) else {
                finished = Some(turn);
                break;
            };
            let stack = walker.stack;
            // SAFETY: the stack is free now.
            let done = std::mem::replace(walker, unsafe { Walker::new(task, stack) });
            job.finish(done.task);
        }
        if let Some(turn) = finished {
            job.finish(walkers.swap_remove(turn).task);
        }
    }
}

/// Visits a node or a leaf; false when nothing is left to visit.
///
/// # Safety
/// The CPU has the instructions of `I`, and `walker` was made for `tree` with a stack of
/// `tree.stack_depth() + 2 + STACK_SLACK` entries.
#[inline(always)]
unsafe fn step<I: InstructionSet, Q: Query>(tree: &Wide8, walker: &mut Walker<Q>) -> bool {
    let base = tree.lines().as_ptr().cast::<u8>();
    let (stack, ray, query) = (walker.stack, &walker.task.ray, &mut walker.task.query);
    // SAFETY: `Wide8`'s fields are private and its encoder keeps its invariants: references name
    // nodes, or leaves with blocks in range that end, and `stack_depth` bounds what is pushed. The
    // caller promises the stack's length and the instructions. Row offsets stay within a node.
    unsafe {
        let mut top = walker.top;
        let child = loop {
            top -= 1;
            let entry = *stack.add(top);
            if f32::from_bits((entry >> 32) as u32) <= walker.limit {
                break entry as u32;
            }
        };
        let record = base.wrapping_add(child as usize * REFERENCE_BYTES);
        if child & LEAF == 0 {
            query.probe().node();
            let splat = I::Node::splat;
            let row = |offset: usize| I::Node::load(&*record.add(offset).cast::<[f32; 8]>());
            let near = |i: usize| row(walker.enter[i]).sub(splat(ray.near_origin[i])).mul(splat(ray.inverse[i]));
            let far = |i: usize| row(walker.leave[i]).sub(splat(ray.far_origin[i])).mul(splat(ray.inverse[i]));
            let near = near(0).max(near(1)).max(near(2).max(splat(walker.low)));
            let far = far(0).min(far(1)).min(far(2).min(splat(walker.limit)));
            let mask = near.le(far);
            let children = &(*record.cast::<Wide8Node>()).children;
            top = if Q::ORDERED {
                I::push_sorted(stack, top, near, children, mask)
            } else {
                I::push_unsorted(stack, top, near, children, mask)
            };
        } else {
            if child == END {
                return false;
            }
            let mut block = record.sub(LEAF as usize * REFERENCE_BYTES).cast::<TriangleBlock>();
            loop {
                query.probe().triangles(|| (*block).len());
                if test_block::<I::Leaf, Q>(&*block, &ray.triangle, query) {
                    if query.is_decided() {
                        return false;
                    }
                    walker.limit = ray.box_high(query.limit());
                }
                if !(*block).has_more() {
                    break;
                }
                block = block.add(1);
            }
        }
        walker.top = top;
        // What comes next, so that it is there when this ray has its next turn.
        let next = base.wrapping_add((*stack.add(top - 1) as u32) as usize * REFERENCE_BYTES);
        for line in 0..4 {
            I::prefetch(next.wrapping_add(64 * line));
        }
    }
    true
}

/// Offers the triangles of `block` that the ray's line hits within the query's interval; whether
/// the query took any.
///
/// [`Watertight::test`], operation by operation, so that `t` has the same bits.
#[inline(always)]
fn test_block<V: Vector<BLOCK>, Q: Query>(block: &TriangleBlock, ray: &Watertight, query: &mut Q) -> bool {
    let k = ray.k;
    let origin = k.map(|k| V::splat(ray.origin[k]));
    let shear = ray.shear.map(V::splat);
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
        taken |= test_exactly(block, on_edge, ray, query);
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
