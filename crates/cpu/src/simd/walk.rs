//! The walk of one ray through a [`Wide8`], for every query and instruction set.

use super::vector::{InstructionSet, Vector, entry};
use crate::probe::Probe;
use crate::query::Query;
use crate::ray::WalkRay;
use raywarp_geom::triangle::Watertight;
use raywarp_layout::{BLOCK, LEAF, TriangleBlock, Wide8};

/// Entries that a push may write past what it keeps.
pub(crate) const STACK_SLACK: usize = 8;

/// The child of the entry at the bottom of the stack. No leaf has this index: an encoder refuses so many.
const END: u32 = u32::MAX;

/// Shows `query` every triangle that the ray may hit, nearest node first if the query wants order.
///
/// # Safety
/// The CPU has the instructions of `I`, and `stack` has `tree.stack_depth() + 1 + STACK_SLACK` entries.
#[inline(always)]
pub(crate) unsafe fn walk<I: InstructionSet, Q: Query, P: Probe>(
    tree: &Wide8,
    ray: &WalkRay,
    stack: &mut [u64],
    query: &mut Q,
    probe: &mut P,
) {
    if tree.nodes().is_empty() {
        return;
    }
    let (nodes, blocks) = (tree.nodes().as_ptr(), tree.blocks().as_ptr());
    let stack = stack.as_mut_ptr();
    // Rows of the planes where the ray enters; it leaves through the other of each pair.
    let enter: [usize; 3] = std::array::from_fn(|i| 2 * i + usize::from(ray.inverse[i] < 0.0));
    let splat = |x: [f32; 3]| x.map(I::Node::splat);
    let (near_origin, far_origin, inverse) = (splat(ray.near_origin), splat(ray.far_origin), splat(ray.inverse));
    let low = I::Node::splat(ray.box_low());
    let mut limit = ray.box_high(query.limit());
    let mut current = 0usize;
    // SAFETY: `Wide8`'s fields are private and its encoder keeps its invariants: children are nodes
    // or leaves with blocks in range that end, and `stack_depth` bounds `top - 1`. The caller
    // promises the stack's length and the instructions. `enter[i] ^ 1` stays below 6.
    unsafe {
        *stack = entry(f32::NEG_INFINITY, END);
        let mut top = 1;
        loop {
            let node = &*nodes.add(current);
            probe.node();
            let row = |row: usize| I::Node::load(node.planes.get_unchecked(row));
            let near = |i: usize| row(enter[i]).sub(near_origin[i]).mul(inverse[i]);
            let far = |i: usize| row(enter[i] ^ 1).sub(far_origin[i]).mul(inverse[i]);
            let near = near(0).max(near(1)).max(near(2).max(low));
            let far = far(0).min(far(1)).min(far(2).min(I::Node::splat(limit)));
            let mask = near.le(far);
            top = if Q::ORDERED {
                I::push_sorted(stack, top, near, &node.children, mask)
            } else {
                I::push_unsorted(stack, top, near, &node.children, mask)
            };
            current = loop {
                top -= 1;
                let entry = *stack.add(top);
                if f32::from_bits((entry >> 32) as u32) > limit {
                    continue;
                }
                let child = entry as u32;
                if child & LEAF == 0 {
                    break child as usize;
                }
                if child == END {
                    return;
                }
                let mut block = blocks.add((child & !LEAF) as usize);
                loop {
                    probe.triangles(|| (*block).len());
                    if test_block::<I::Leaf, Q>(&*block, &ray.triangle, query) {
                        if query.is_decided() {
                            return;
                        }
                        limit = ray.box_high(query.limit());
                    }
                    if !(*block).has_more() {
                        break;
                    }
                    block = block.add(1);
                }
            };
        }
    }
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
