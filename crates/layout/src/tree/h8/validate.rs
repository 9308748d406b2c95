//! The judge of a tree of blocks: every rule of the module's text, and damage for each.

use super::node::{SLOTS, child_block};
use super::quantize::{PAD, corner_room, grid_step};
use super::{H8, H8Node};
use crate::{INDEX_MASK, LayoutError, NON_OPAQUE, RecordFault, UNUSED_SLOT};
use raywarp_geom::{Aabb, FlatTriangles};

impl H8 {
    /// Checks every invariant stated at the head of the module. O(n).
    ///
    /// # Errors
    /// [`LayoutError::BadRecord`] with the first that is broken.
    pub fn validate(&self) -> Result<(), LayoutError> {
        let mut has_parent = vec![false; self.blocks.len()];
        let mut leaves = Vec::with_capacity(self.slots.len());
        let mut nodes = if self.blocks.is_empty() { vec![] } else { vec![(0u32, Vec::<[f64; 2]>::new())] };
        while let Some((block, bounds)) = nodes.pop() {
            let record = block as usize;
            let bad = |fault| LayoutError::BadRecord { record, fault };
            let node = self.node(block);
            check_node(&node, self.grid_step).map_err(bad)?;
            if !bounds.is_empty() && !(0..3).all(|axis| fits(&node, axis, bounds[axis], self.grid_step)) {
                return Err(bad(RecordFault::OwnBox));
            }
            for slot in (0..SLOTS).filter(|&slot| node.has_child(slot)) {
                let child = child_block(node.first, node.inner, slot);
                let Some(seen) = has_parent.get_mut(child as usize).filter(|_| child > block) else {
                    return Err(bad(RecordFault::ChildOrder));
                };
                if std::mem::replace(seen, true) {
                    return Err(bad(RecordFault::TwoParents));
                }
                if node.is_inner(slot) {
                    nodes.push((child, (0..3).map(|axis| node.planes(slot, axis, self.grid_step)).collect()));
                } else {
                    self.check_leaf(child, &node, slot).map_err(bad)?;
                    leaves.push(child);
                }
            }
        }
        let whole = |fault| Err(LayoutError::BadRecord { record: 0, fault });
        if has_parent.iter().skip(1).any(|&seen| !seen) {
            return whole(RecordFault::UnreachedBlock);
        }
        leaves.sort_unstable();
        let pairs = leaves.iter().map(|&leaf| self.pair(leaf));
        if !pairs.flat_map(|pair| pair.words.into_iter().take(pair.len())).eq(self.slots.iter().copied()) {
            return whole(RecordFault::Slots);
        }
        if self.reach.is_nan() || self.reach < self.bounds.farthest() || self.grid_step != grid_step(self.reach) {
            return whole(RecordFault::Reach);
        }
        if !self.root_fits() {
            return whole(RecordFault::Bounds);
        }
        if self.stack_depth != self.needed_stack() {
            return whole(RecordFault::StackDepth);
        }
        Ok(())
    }

    /// Checks that the leaves hold the corners of the triangles that they name.
    ///
    /// # Errors
    /// [`LayoutError::BadRecord`].
    pub fn validate_triangles(&self, triangles: &FlatTriangles) -> Result<(), LayoutError> {
        for (_, node) in self.nodes_in_order() {
            for slot in (0..SLOTS).filter(|&slot| node.has_child(slot) && !node.is_inner(slot)) {
                let record = node.child(slot) as usize;
                let pair = self.pair(record as u32);
                let references: Vec<u32> = (0..pair.len()).map(|i| pair.triangle(i)).collect();
                let known = references.iter().all(|&r| (r as usize) < triangles.len());
                if !known || super::H8Pair::new(triangles, &references).pack(0) != pair.pack(0) {
                    return Err(LayoutError::BadRecord { record, fault: RecordFault::Corners });
                }
            }
        }
        Ok(())
    }

    /// Checks the leaf in `slot` of `node`, which is in block `block`.
    fn check_leaf(&self, block: u32, node: &H8Node, slot: usize) -> Result<(), RecordFault> {
        let pair = self.pair(block);
        let words = &pair.words[..pair.len()];
        if words.iter().any(|word| word & !NON_OPAQUE >= INDEX_MASK) {
            return Err(RecordFault::LeafTriangle);
        }
        if !pair.has_sound_order() {
            return Err(RecordFault::CornerOrder);
        }
        if pair.words[1] == UNUSED_SLOT && pair.corners[3].map(f32::to_bits) != pair.corners[0].map(f32::to_bits) {
            return Err(RecordFault::CornerOfNone);
        }
        // A triangle that was cut reaches out of the box of its leaf, but not beside it.
        let reach = |axis: usize| {
            let corners = pair.corners.map(|corner| f64::from(corner[axis]));
            corners.into_iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| [a.min(x), b.max(x)])
        };
        let meets = |axis: usize| {
            let ([lo, hi], [least, most]) = (node.planes(slot, axis, self.grid_step), reach(axis));
            least <= hi && lo <= most
        };
        if (0..3).all(meets) { Ok(()) } else { Err(RecordFault::LeafBox) }
    }

    /// Returns `true` if the tree's bounds hold what the root's boxes are known to hold, with no room left.
    fn root_fits(&self) -> bool {
        if self.blocks.is_empty() {
            return self.bounds == Aabb::EMPTY;
        }
        let root = self.node(0);
        (0..3).all(|axis| {
            let unit = f64::from(self.grid_step);
            let (step, pad) = (root.step(axis) * unit, PAD * unit);
            let [lo, hi] = [self.bounds.min[axis], self.bounds.max[axis]].map(f64::from);
            let padded = [lo - pad - 0.5 * step, hi + pad + 0.5 * step];
            let [least, most] = extent(&root, axis, self.grid_step);
            let room = step + corner_room(lo.abs() + step, axis, unit);
            least <= padded[0] && padded[0] < least + room && most - step < padded[1] && padded[1] <= most
        })
    }
}

/// Returns the lowest and the highest plane of a node's children along `axis`.
fn extent(node: &H8Node, axis: usize, grid_step: f32) -> [f64; 2] {
    let planes = (0..SLOTS).filter(|&slot| node.has_child(slot)).map(|slot| node.planes(slot, axis, grid_step));
    planes.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], [lo, hi]| [a.min(lo), b.max(hi)])
}

/// Returns `true` if a node's box in its parent holds what the node's own boxes are known to hold along `axis`. Planes
/// lie at most one and a half steps and the pad beyond.
fn fits(node: &H8Node, axis: usize, [lo, hi]: [f64; 2], grid_step: f32) -> bool {
    let ([least, most], room) = (extent(node, axis, grid_step), 1.5 * node.step(axis) * f64::from(grid_step));
    lo <= least + room && most - room <= hi
}

/// Checks a node by itself, without the blocks that it names.
fn check_node(node: &H8Node, grid_step: f32) -> Result<(), RecordFault> {
    if node.coarsest > 16 || !node.finer.contains(&0) || (0..3).any(|i| node.finer[i] > node.coarsest) {
        return Err(RecordFault::GridSteps);
    }
    let has_child = |slot: usize| node.has_child(slot);
    if !(0..SLOTS).any(has_child) {
        return Err(RecordFault::NoChild);
    }
    let mut unused_below = false;
    for slot in 0..SLOTS {
        let planes = |axis: usize| (node.lo[axis][slot], node.hi[axis][slot]);
        let used = has_child(slot);
        if used && (1..3).any(|axis| planes(axis).0 > planes(axis).1) {
            return Err(RecordFault::InvertedBox);
        }
        if !used && (node.is_inner(slot) || (0..3).any(|axis| planes(axis) != (255, 0))) {
            return Err(RecordFault::UnusedSlotNode);
        }
        if used && !node.is_inner(slot) && unused_below {
            return Err(RecordFault::UnusedSlotBelowLeaf);
        }
        unused_below |= !used;
    }
    let begins = |axis: usize| {
        let (corner, unit) = (f64::from(node.corner[axis]), f64::from(grid_step));
        let step = node.step(axis) * unit;
        let least = node.lo[axis].iter().fold(255, |a: u8, &b| a.min(b));
        f64::from(least) * step < step + corner_room(corner.abs() + 2.0 * step, axis, unit)
    };
    if !node.corner.iter().all(|x| x.is_finite()) || !(0..3).all(begins) {
        return Err(RecordFault::GridCorner);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode_h8;
    use crate::tree::h8::{H8Block, H8Pair};
    use raywarp_bvh::{build, presets};

    fn encoded(count: usize) -> H8 {
        let corner = |i: usize| [i as f32, (i * i % 7) as f32, (i * 3 % 5) as f32];
        let vertices = (0..count).map(|i| [corner(i), corner(i + 1), corner(i + 2)]).collect();
        let triangles = FlatTriangles::from_vertices(vertices);
        encode_h8(&build(&triangles, &presets::SINGLE).unwrap(), &triangles).unwrap()
    }

    fn change(tree: &mut H8, block: u32, change: impl Fn(&mut H8Node)) {
        let mut node = tree.node(block);
        change(&mut node);
        tree.blocks[block as usize] = node.pack(block);
    }

    fn change_leaf(tree: &mut H8, block: u32, change: impl Fn(&mut H8Pair)) {
        let mut pair = tree.pair(block);
        change(&mut pair);
        tree.blocks[block as usize] = pair.pack(block);
    }

    #[test]
    fn validation_finds_each_kind_of_damage() {
        let sound = encoded(2000);
        assert_eq!(sound.validate(), Ok(()));
        let nodes = sound.nodes_in_order();
        let find = |wanted: &dyn Fn(&H8Node, usize) -> bool| {
            let mut places = nodes.iter().flat_map(|(block, node)| (0..SLOTS).map(move |slot| (*block, node, slot)));
            let (block, node, slot) = places.find(|(_, node, slot)| wanted(node, *slot)).expect("the tree has one");
            (block, slot, node.child(slot))
        };
        let (inner, inner_slot, child) = find(&|node, slot| node.is_inner(slot));
        let (parent, leaf_slot, leaf) = find(&|node, slot| node.has_child(slot) && !node.is_inner(slot));
        let (spare, unused, _) = find(&|node, slot| !node.has_child(slot));
        type Damage<'a> = (Option<RecordFault>, &'a dyn Fn(&mut H8));
        let damages: [Damage; 28] = [
            (Some(RecordFault::ChildOrder), &|t| change(t, inner, |n| n.first = 0)),
            (Some(RecordFault::ChildOrder), &|t| change(t, inner, |n| n.first = 0x00ff_ffff)),
            (Some(RecordFault::TwoParents), &|t| {
                // Both children of a node are one: the next block is not reached, but that is found later.
                let blocks = &mut t.blocks;
                let last = blocks.len() as u32 - 1;
                let last_but_one = t.pair(last - 1).pack(last);
                t.blocks[last as usize] = last_but_one;
                let (parent, _) = *nodes.iter().max_by_key(|(_, node)| node.first).unwrap();
                change(t, parent, |n| n.first -= 1);
            }),
            (Some(RecordFault::NoChild), &|t| {
                change(t, 0, |n| (n.lo, n.hi, n.inner) = ([[255; 8]; 3], [[0; 8]; 3], 0));
            }),
            (Some(RecordFault::UnusedSlotNode), &|t| change(t, spare, |n| n.inner |= 1 << unused)),
            (Some(RecordFault::UnusedSlotNode), &|t| change(t, spare, |n| n.hi[1][unused] = 9)),
            (None, &|t| change(t, inner, |n| n.inner &= !(1 << inner_slot))),
            (None, &|t| change(t, parent, |n| n.inner |= 1 << leaf_slot)),
            (Some(RecordFault::InvertedBox), &|t| {
                change(t, parent, |n| (n.lo[2][leaf_slot], n.hi[2][leaf_slot]) = (9, 8));
            }),
            (Some(RecordFault::GridSteps), &|t| change(t, 0, |n| n.coarsest = 17)),
            (Some(RecordFault::GridSteps), &|t| change(t, 0, |n| n.finer = [1; 3])),
            (Some(RecordFault::GridCorner), &|t| {
                change(t, parent, |n| n.lo[0].iter_mut().for_each(|q| *q = (*q).max(9)));
            }),
            (Some(RecordFault::OwnBox), &|t| change(t, child, |n| n.corner[0] -= 1000.0)),
            (Some(RecordFault::OwnBox), &|t| change(t, child, |n| n.coarsest += 3)),
            (Some(RecordFault::GridCorner), &|t| change(t, child, |n| n.corner[1] = f32::NAN)),
            (Some(RecordFault::OwnBox), &|t| change(t, inner, |n| n.hi[0][inner_slot] = n.lo[0][inner_slot])),
            (Some(RecordFault::LeafBox), &|t| {
                change_leaf(t, leaf, |p| p.corners.iter_mut().for_each(|corner| corner[1] += 100.0));
            }),
            (Some(RecordFault::LeafBox), &|t| {
                change_leaf(t, leaf, |p| p.corners.iter_mut().for_each(|corner| corner[1] = f32::NAN));
            }),
            (Some(RecordFault::LeafTriangle), &|t| change_leaf(t, leaf, |p| p.words[0] |= 1 << 30)),
            (Some(RecordFault::CornerOrder), &|t| change_leaf(t, leaf, |p| p.order[0] |= 3)),
            (Some(RecordFault::CornerOrder), &|t| change_leaf(t, leaf, |p| p.order[0] &= !15)),
            (Some(RecordFault::CornerOfNone), &|t| {
                change_leaf(t, leaf, |p| (p.words[1], p.corners[3], p.order[1]) = (UNUSED_SLOT, [1.0; 3], 0));
            }),
            (Some(RecordFault::Slots), &|t| change_leaf(t, leaf, |p| p.words[0] ^= 1)),
            (Some(RecordFault::Slots), &|t| t.slots[7] ^= 1),
            (Some(RecordFault::StackDepth), &|t| t.stack_depth -= 1),
            (Some(RecordFault::Bounds), &|t| t.bounds.max[1] -= 0.5),
            (Some(RecordFault::Reach), &|t| t.reach *= 0.5),
            (Some(RecordFault::UnreachedBlock), &|t| t.blocks.push(H8Block([[0; 4]; 4]))),
        ];
        for (i, (rule, damage)) in damages.iter().enumerate() {
            let mut tree = sound.clone();
            damage(&mut tree);
            let Err(LayoutError::BadRecord { fault, .. }) = tree.validate() else { panic!("{i}, {rule:?}: unnoticed") };
            assert!(rule.is_none_or(|rule| fault == rule), "{i}, {rule:?}: was taken for: {fault}");
        }
        assert_eq!(encoded(0).validate(), Ok(()));
    }
}
