//! The structural checks that every encoder makes of its input, so that a malformed tree is an
//! error and never a panic or an endless loop.

use crate::collapse::look_at;
use crate::{INDEX_MASK, LayoutError, NodeFault};
use raywarp_bvh::Bvh2;
use raywarp_geom::{Control, FlatTriangles};

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
