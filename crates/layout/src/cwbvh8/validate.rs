//! The judge of a compressed tree: every rule of the module's text, and damage for each.

use super::node::{MAX_LEAF, SLOTS};
use super::quantize::MAX_EXPONENT;
use super::{Cwbvh8, Cwbvh8Node, stack_depth};
use crate::{INDEX_MASK, LayoutError, NON_OPAQUE};
use raywarp_geom::Aabb;

impl Cwbvh8 {
    /// Checks every invariant of the module's text. O(n).
    ///
    /// # Errors
    /// [`LayoutError::BadRecord`] with the first that is broken.
    pub fn validate(&self) -> Result<(), LayoutError> {
        let mut has_parent = vec![false; self.nodes.len()];
        let mut in_leaf = vec![false; self.slots.len()];
        for (record, node) in self.nodes.iter().enumerate() {
            let check = check_node(node)
                .and_then(|()| self.check_children(record, &mut has_parent))
                .and_then(|()| check_records(node, &mut in_leaf));
            check.map_err(|fault| LayoutError::BadRecord { record, fault })?;
        }
        let whole = |fault| Err(LayoutError::BadRecord { record: 0, fault });
        if has_parent.iter().skip(1).any(|&seen| !seen) || in_leaf.iter().any(|&seen| !seen) {
            return whole("something is not reached from the root");
        }
        if let Some(record) = self.slots.iter().position(|slot| slot & !NON_OPAQUE >= INDEX_MASK) {
            return Err(LayoutError::BadRecord { record, fault: "its triangle index is out of range" });
        }
        if !self.nodes.first().map_or(self.bounds == Aabb::EMPTY, |root| fits(root, &self.bounds, true)) {
            return whole("the bounds are not the root's");
        }
        if self.stack_depth != stack_depth(&self.nodes) {
            return whole("the stack depth is wrong");
        }
        Ok(())
    }

    /// Checks where the children that are nodes stand, and that their boxes fit.
    fn check_children(&self, record: usize, has_parent: &mut [bool]) -> Result<(), &'static str> {
        let node = &self.nodes[record];
        if node.imask == 0 {
            return if node.child_base == 0 {
                Ok(())
            } else {
                Err("it has a base of children but none that is a node")
            };
        }
        for slot in (0..SLOTS).filter(|&slot| node.is_inner(slot)) {
            // Added in 64 bits, since a broken base may be anything.
            let lower = (node.imask & ((1 << slot) - 1)).count_ones() as usize;
            let child = node.child_base as usize + lower;
            if child <= record || child >= self.nodes.len() || std::mem::replace(&mut has_parent[child], true) {
                return Err("a child does not come after it, or has two parents");
            }
            let bounds = node.child_bounds(slot).unwrap_or(Aabb::EMPTY);
            if !fits(&self.nodes[child], &bounds, false) {
                return Err("a child's box does not hold its children's boxes");
            }
        }
        Ok(())
    }
}

/// Checks what a node says by itself.
fn check_node(node: &Cwbvh8Node) -> Result<(), &'static str> {
    if !(0..3).all(|axis| node.origin[axis].is_finite() && (1..=MAX_EXPONENT).contains(&node.exponents[axis])) {
        return Err("its grid is not finite, or too coarse or fine");
    }
    if node.meta == [0; SLOTS] {
        return Err("it has no child");
    }
    for slot in 0..SLOTS {
        let planes = |axis: usize| (node.lo[axis][slot], node.hi[axis][slot]);
        let meta = node.meta[slot];
        if node.is_inner(slot) != (meta == Cwbvh8Node::node_meta(slot)) {
            return Err("its mask of nodes and a child's meta byte disagree");
        }
        if meta == 0 && !(0..3).all(|axis| planes(axis) == (255, 0)) {
            return Err("an unused slot has a box");
        }
        if meta != 0 && !(0..3).all(|axis| planes(axis).0 <= planes(axis).1) {
            return Err("a child's box is inverted");
        }
    }
    // An unused slot has 255 there.
    if !(0..3).all(|axis| node.lo[axis].contains(&0)) {
        return Err("its grid does not begin at its children's smallest corner");
    }
    Ok(())
}

/// Checks a node's leaves.
fn check_records(node: &Cwbvh8Node, in_leaf: &mut [bool]) -> Result<(), &'static str> {
    let mut offset = 0;
    for slot in (0..SLOTS).filter(|&slot| node.has_child(slot) && !node.is_inner(slot)) {
        let Some(count) = (1..=MAX_LEAF).find(|&count| node.meta[slot] == Cwbvh8Node::leaf_meta(offset, count)) else {
            return Err("a leaf's meta byte is not unary, or its records do not follow the leaf before it");
        };
        let first = node.record_base as usize + offset as usize;
        let Some(leaf) = in_leaf.get_mut(first..first + count as usize) else {
            return Err("a leaf's records are out of range");
        };
        if leaf.iter_mut().any(|seen| std::mem::replace(seen, true)) {
            return Err("a record is in two leaves");
        }
        offset += count;
    }
    Ok(())
}

/// Whether `bounds` holds what `node`'s boxes are known to hold: an upper plane lies less than a
/// step beyond its box. With `tight`, also whether no plane leaves room.
fn fits(node: &Cwbvh8Node, bounds: &Aabb, tight: bool) -> bool {
    (0..3).all(|axis| {
        let most = (0..SLOTS).filter(|&slot| node.has_child(slot)).map(|slot| node.hi[axis][slot]).max().unwrap_or(0);
        let (min, max) = (f64::from(bounds.min[axis]), f64::from(bounds.max[axis]));
        // In f64, where no product is infinite; rounding keeps order.
        let (origin, step) = (f64::from(node.origin[axis]), f64::from(node.scale(axis)));
        let holds = min <= origin && (most == 0 || origin + f64::from(most - 1) * step <= max);
        holds && (!tight || (min == origin && max <= origin + f64::from(most) * step))
    })
}
