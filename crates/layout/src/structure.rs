//! The structural checks that every encoder makes of its input, so that a malformed tree is an
//! error and never a panic or an endless loop.

use crate::collapse::look_at;
use crate::{INDEX_MASK, LayoutError, NodeFault};
use rayon::prelude::*;
use raywarp_bvh::{Bvh2, Node};
use raywarp_geom::{Control, FlatTriangles};
use std::sync::atomic::{AtomicBool, Ordering};

/// Checks what all encoders rely on in a binary tree: counts agree, and the links form a tree. Children come after
/// their parent, every node but the root has one parent, every reference is in one leaf and names a triangle. Boxes are
/// not looked at. O(nodes + references).
pub(crate) fn check(bvh: &Bvh2, triangles: &FlatTriangles) -> Result<(), LayoutError> {
    let count = triangles.len();
    if triangles.opaque.len() != count {
        return Err(LayoutError::CountMismatch { tree: bvh.primitive_count, triangles: count });
    }
    check_over(bvh, count, &Control::default())
}

/// Checks what [`check`] does of a tree over `count` triangles, unless the caller cancels it.
pub(crate) fn check_over(bvh: &Bvh2, count: usize, control: &Control<'_>) -> Result<(), LayoutError> {
    if bvh.primitive_count as usize != count {
        return Err(LayoutError::CountMismatch { tree: bvh.primitive_count, triangles: count });
    }
    check_links(bvh, control)
}

/// Checks what [`check`] does but for the triangles, of a tree over anything.
pub(crate) fn check_links(bvh: &Bvh2, control: &Control<'_>) -> Result<(), LayoutError> {
    let count = bvh.primitive_count as usize;
    // One less than the mask holds: the largest index marks an unused slot.
    let limits = [("triangles", count), ("references", bvh.references.len()), ("nodes", bvh.nodes.len())];
    for (what, found) in limits {
        if found > INDEX_MASK as usize {
            return Err(LayoutError::TooMany { what, found, limit: INDEX_MASK as usize });
        }
    }
    if is_sound(bvh, control)? { Ok(()) } else { find_fault(bvh, control) }
}

/// Number of nodes or references that one thread looks at alone.
const PART: usize = 1 << 13;

/// Returns `true` if the links of a tree are found to be what [`check`] wants, in parallel: marks are only ever set, so
/// that it shows in their number if two set the same.
fn is_sound(bvh: &Bvh2, control: &Control<'_>) -> Result<bool, LayoutError> {
    let Bvh2 { nodes, references, primitive_count } = bvh;
    if nodes.is_empty() {
        return Ok(references.is_empty());
    }
    let marks = |count: usize| -> Vec<AtomicBool> {
        (0..count).into_par_iter().with_min_len(PART).map(|_| AtomicBool::new(false)).collect()
    };
    // Of pairs of children, by the place of the first in steps of two behind the root, and of the starts of leaves.
    let (pairs, starts) = (marks(nodes.len() / 2), marks(references.len()));
    let look = |part: usize, nodes: &[Node]| -> Result<Option<[usize; 3]>, LayoutError> {
        look_at(control, 0)?;
        let [mut inner, mut leaves, mut held] = [0; 3];
        for (node, n) in nodes.iter().enumerate().map(|(i, n)| (part * PART + i, n)) {
            let first = n.first as usize;
            if n.is_leaf() {
                let Some(start) = starts.get(first) else { return Ok(None) };
                start.store(true, Ordering::Relaxed);
                leaves += 1;
                held += n.count as usize;
            } else {
                if first <= node || first.is_multiple_of(2) {
                    return Ok(None);
                }
                let Some(pair) = pairs.get(first / 2) else { return Ok(None) };
                pair.store(true, Ordering::Relaxed);
                inner += 1;
            }
        }
        Ok(Some([inner, leaves, held]))
    };
    let both =
        |a: Option<[usize; 3]>, b: Option<[usize; 3]>| Ok(a.zip(b).map(|(a, b)| std::array::from_fn(|i| a[i] + b[i])));
    let parts = nodes.par_chunks(PART).enumerate().map(|(part, nodes)| look(part, nodes));
    let Some([inner, leaves, held]) = parts.try_reduce(|| Some([0; 3]), both)? else { return Ok(false) };
    let set = |marks: &[AtomicBool]| -> usize {
        let set =
            |marks: &[AtomicBool]| marks.iter().map(|mark| usize::from(mark.load(Ordering::Relaxed))).sum::<usize>();
        marks.par_chunks(PART).map(set).sum()
    };
    // All pairs have one parent each, leaves begin at different places, and hold as many as there are together: if none
    // has the start of another within, each reference is in one.
    let is_tree = 2 * inner + 1 == nodes.len() && set(&pairs) == inner && set(&starts) == leaves;
    let has_no_start = |n: &Node| {
        let within = starts.get(n.first as usize + 1..n.first as usize + n.count as usize);
        within.is_some_and(|marks| !marks.iter().any(|mark| mark.load(Ordering::Relaxed)))
    };
    let are_apart = |nodes: &[Node]| nodes.iter().all(|n| !n.is_leaf() || has_no_start(n));
    let are_named = |references: &[u32]| references.iter().all(|r| r < primitive_count);
    Ok(is_tree
        && held == references.len()
        && nodes.par_chunks(PART).all(are_apart)
        && references.par_chunks(PART).all(are_named))
}

/// Returns the first fault of the links of a tree.
fn find_fault(bvh: &Bvh2, control: &Control<'_>) -> Result<(), LayoutError> {
    let count = bvh.primitive_count as usize;
    let mut has_parent = vec![false; bvh.nodes.len()];
    let mut in_leaf = vec![false; bvh.references.len()];
    for (node, n) in bvh.nodes.iter().enumerate() {
        look_at(control, node)?;
        let fault = |fault| Err(LayoutError::BadNode { node, fault });
        if n.is_leaf() {
            let end = n.first as usize + n.count as usize;
            let Some(seen) = in_leaf.get_mut(n.first as usize..end) else {
                return fault(NodeFault::ReferenceRange);
            };
            if seen.iter_mut().any(|seen| std::mem::replace(seen, true)) {
                return fault(NodeFault::SharedReference);
            }
            if bvh.references[n.first as usize..end].iter().any(|&r| r as usize >= count) {
                return fault(NodeFault::NoPrimitive);
            }
        } else {
            let left = n.first as usize;
            if left <= node || left + 1 >= bvh.nodes.len() {
                return fault(NodeFault::ChildOrder);
            }
            for child in [left, left + 1] {
                if std::mem::replace(&mut has_parent[child], true) {
                    return fault(NodeFault::SharedChild);
                }
            }
        }
    }
    if let Some(node) = (1..bvh.nodes.len()).find(|&node| !has_parent[node]) {
        return Err(LayoutError::BadNode { node, fault: NodeFault::NoParent });
    }
    if in_leaf.iter().any(|&seen| !seen) {
        return Err(LayoutError::BadNode { node: 0, fault: NodeFault::UnusedReference });
    }
    Ok(())
}

/// Checks what encoders with quantised boxes rely on: leaves of at most `limit` references, and boxes that are finite
/// and not empty. O(nodes).
pub(crate) fn check_boxes(bvh: &Bvh2, limit: u32) -> Result<(), LayoutError> {
    for (node, n) in bvh.nodes.iter().enumerate() {
        if n.count > limit {
            return Err(LayoutError::LeafTooLarge { node, found: n.count, limit });
        }
        let finite = n.bounds.min.iter().chain(&n.bounds.max).all(|x| x.is_finite());
        if !finite || n.bounds.is_empty() {
            return Err(LayoutError::BadNode { node, fault: NodeFault::BadBox });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_bvh::{BuildOptions, build};
    use raywarp_testing::Random;

    #[test]
    fn what_is_found_sound_has_no_fault() {
        let mut random = Random::new(12);
        let corner = |random: &mut Random| [random.unit(), random.unit(), random.unit()];
        for round in 0..3000 {
            let count = if round % 100 == 0 { 9000 } else { 1 + round % 40 };
            let vertices = (0..count).map(|_| [(); 3].map(|()| corner(&mut random))).collect();
            let options = BuildOptions { max_leaf: 1 + round as u32 % 4, ..BuildOptions::default() };
            let mut bvh = build(&FlatTriangles::from_vertices(vertices), &options).unwrap();
            let control = Control::default();
            assert!(is_sound(&bvh, &control).unwrap() && find_fault(&bvh, &control).is_ok());
            for _ in 0..1 + round % 3 {
                let mut pick = |count: usize| (random.unit() * count as f32) as usize % count;
                let (node, other) = (pick(bvh.nodes.len()), pick(bvh.nodes.len()));
                match pick(9) {
                    0 => bvh.nodes[node].first = bvh.nodes[other].first,
                    1 => bvh.nodes[node] = bvh.nodes[other],
                    2 => bvh.nodes[node].count = bvh.nodes[other].count,
                    3 => bvh.nodes[node].first = bvh.nodes[node].first.wrapping_add(1),
                    4 => bvh.nodes[node].first = bvh.nodes[node].first.wrapping_sub(1),
                    5 => bvh.nodes[node].count += 1,
                    6 => bvh.references[node % count] = count as u32 - pick(2) as u32,
                    7 => _ = bvh.nodes.pop(),
                    // Two of each: nothing is missing, but nodes may be below themselves.
                    _ => {
                        let [a, b] = [node, other].map(|node| bvh.nodes[node].first);
                        (bvh.nodes[node].first, bvh.nodes[other].first) = (b, a);
                    }
                }
                if bvh.nodes.is_empty() {
                    break;
                }
            }
            if is_sound(&bvh, &control).unwrap() {
                assert_eq!(find_fault(&bvh, &control), Ok(()), "{bvh:?}");
            }
        }
    }
}
