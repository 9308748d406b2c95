//! The judge of a compressed tree: every rule of the module's text, and damage for each.

use super::node::{MAX_LEAF, SLOTS};
use super::{Cwbvh8, Cwbvh8Node, stack_depth};
use crate::byte_grid::MAX_EXPONENT;
use crate::{INDEX_MASK, LayoutError, NON_OPAQUE, RecordFault};
use raywarp_geom::Aabb;

impl Cwbvh8 {
    /// Checks every invariant stated at the head of the module. O(n).
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
            return whole(RecordFault::Unreached);
        }
        if let Some(record) = self.slots.iter().position(|slot| slot & !NON_OPAQUE >= INDEX_MASK) {
            return Err(LayoutError::BadRecord { record, fault: RecordFault::TriangleIndex });
        }
        if !self.nodes.first().map_or(self.bounds == Aabb::EMPTY, |root| fits(root, &self.bounds, true)) {
            return whole(RecordFault::Bounds);
        }
        if self.stack_depth != stack_depth(&self.nodes) {
            return whole(RecordFault::StackDepth);
        }
        Ok(())
    }

    /// Checks the positions of children that are nodes, and that their boxes fit into the parent's.
    fn check_children(&self, record: usize, has_parent: &mut [bool]) -> Result<(), RecordFault> {
        let node = &self.nodes[record];
        if node.imask == 0 {
            return if node.child_base == 0 { Ok(()) } else { Err(RecordFault::BaseWithoutNodes) };
        }
        for slot in (0..SLOTS).filter(|&slot| node.is_inner(slot)) {
            // Added in 64 bits, since a broken base may be anything.
            let lower = (node.imask & ((1 << slot) - 1)).count_ones() as usize;
            let child = node.child_base as usize + lower;
            if child <= record || child >= self.nodes.len() || std::mem::replace(&mut has_parent[child], true) {
                return Err(RecordFault::ChildOrderOrParents);
            }
            let bounds = node.child_bounds(slot).unwrap_or(Aabb::EMPTY);
            if !fits(&self.nodes[child], &bounds, false) {
                return Err(RecordFault::ChildBox);
            }
        }
        Ok(())
    }
}

/// Checks a node by itself, without the nodes and records that it names.
fn check_node(node: &Cwbvh8Node) -> Result<(), RecordFault> {
    if !(0..3).all(|axis| node.origin[axis].is_finite() && (1..=MAX_EXPONENT).contains(&node.exponents[axis])) {
        return Err(RecordFault::GridNumbers);
    }
    if node.meta == [0; SLOTS] {
        return Err(RecordFault::NoChild);
    }
    for slot in 0..SLOTS {
        let planes = |axis: usize| (node.lo[axis][slot], node.hi[axis][slot]);
        let meta = node.meta[slot];
        if node.is_inner(slot) != (meta == Cwbvh8Node::node_meta(slot)) {
            return Err(RecordFault::MaskAndMeta);
        }
        if meta == 0 && !(0..3).all(|axis| planes(axis) == (255, 0)) {
            return Err(RecordFault::UnusedSlotBox);
        }
        if meta != 0 && !(0..3).all(|axis| planes(axis).0 <= planes(axis).1) {
            return Err(RecordFault::InvertedBox);
        }
    }
    // An unused slot has 255 there.
    if !(0..3).all(|axis| node.lo[axis].contains(&0)) {
        return Err(RecordFault::GridCorner);
    }
    Ok(())
}

/// Checks the ranges of triangle records of a node's leaves.
fn check_records(node: &Cwbvh8Node, in_leaf: &mut [bool]) -> Result<(), RecordFault> {
    let mut offset = 0;
    for slot in (0..SLOTS).filter(|&slot| node.has_child(slot) && !node.is_inner(slot)) {
        let Some(count) = (1..=MAX_LEAF).find(|&count| node.meta[slot] == Cwbvh8Node::leaf_meta(offset, count)) else {
            return Err(RecordFault::LeafMeta);
        };
        let first = node.record_base as usize + offset as usize;
        let Some(leaf) = in_leaf.get_mut(first..first + count as usize) else {
            return Err(RecordFault::LeafRange);
        };
        if leaf.iter_mut().any(|seen| std::mem::replace(seen, true)) {
            return Err(RecordFault::SharedRecord);
        }
        offset += count;
    }
    Ok(())
}

/// Returns `true` if `bounds` holds what the exact boxes of `node`'s children are known to fill. An upper plane lies
/// less than a step beyond its box. With `tight`, no plane may leave room either.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode_cwbvh8;
    use raywarp_bvh::{BuildOptions, build};
    use raywarp_geom::FlatTriangles;

    /// Encodes a row of triangles, each of them twice, which makes leaves of several.
    fn encoded(count: usize) -> Cwbvh8 {
        let corner = |i: usize| [i as f32, (i * i % 7) as f32, (i * 3 % 5) as f32];
        let vertices = (0..count).map(|i| [corner(i / 2), corner(i / 2 + 1), corner(i / 2 + 2)]).collect();
        let triangles = FlatTriangles::from_vertices(vertices);
        let bvh = build(&triangles, &BuildOptions { max_leaf: 1, ..BuildOptions::default() }).unwrap();
        encode_cwbvh8(&bvh, &triangles).unwrap()
    }

    /// Returns the first node and slot for which `wanted` holds.
    #[track_caller]
    fn find(tree: &Cwbvh8, wanted: impl Fn(&Cwbvh8Node, usize) -> bool) -> (usize, usize) {
        let places = (0..tree.nodes.len()).flat_map(|node| (0..SLOTS).map(move |slot| (node, slot)));
        places.into_iter().find(|&(node, slot)| wanted(&tree.nodes[node], slot)).expect("the tree has one")
    }

    #[test]
    fn validation_finds_each_kind_of_damage() {
        let sound = encoded(3000);
        assert_eq!(sound.validate(), Ok(()));
        let (i, inner) = find(&sound, Cwbvh8Node::is_inner);
        let (l, leaf) = find(&sound, |node, slot| node.leaf_records(slot).len() > 1);
        let (e, unused) = find(&sound, |node, slot| !node.has_child(slot));
        type Damage<'a> = (&'a str, Option<RecordFault>, &'a dyn Fn(&mut Cwbvh8));
        let damages: [Damage; 25] = [
            ("a cycle", Some(RecordFault::ChildOrderOrParents), &|t| t.nodes[i].child_base = 0),
            ("a child out of range", Some(RecordFault::ChildOrderOrParents), &|t| t.nodes[i].child_base = u32::MAX),
            ("two parents", Some(RecordFault::ChildOrderOrParents), &|t| {
                let second = find(t, |node, _| node.imask != 0 && node.child_base != t.nodes[0].child_base).0;
                t.nodes[second].child_base = t.nodes[0].child_base.max(second as u32 + 1);
            }),
            ("a base without nodes", Some(RecordFault::BaseWithoutNodes), &|t| {
                t.nodes.last_mut().unwrap().child_base = 1;
            }),
            ("a node out of the mask", Some(RecordFault::MaskAndMeta), &|t| t.nodes[i].imask &= !(1 << inner)),
            ("a leaf in the mask", Some(RecordFault::MaskAndMeta), &|t| t.nodes[l].imask |= 1 << leaf),
            ("another slot's meta byte", Some(RecordFault::MaskAndMeta), &|t| t.nodes[i].meta[inner] ^= 1),
            ("no child", Some(RecordFault::NoChild), &|t| (t.nodes[0].meta, t.nodes[0].imask) = ([0; SLOTS], 0)),
            ("a count that is not unary", Some(RecordFault::LeafMeta), &|t| {
                t.nodes[l].meta[leaf] = t.nodes[l].meta[leaf] & 31 | 0b010 << 5;
            }),
            ("an offset moved", Some(RecordFault::LeafMeta), &|t| t.nodes[l].meta[leaf] += 1),
            ("a record less", None, &|t| t.nodes[l].meta[leaf] = t.nodes[l].meta[leaf] & 31 | 1 << 5),
            ("a leaf that is lost", Some(RecordFault::UnusedSlotBox), &|t| t.nodes[l].meta[leaf] = 0),
            ("records out of range", Some(RecordFault::LeafRange), &|t| t.nodes[l].record_base = u32::MAX),
            ("records shared", Some(RecordFault::SharedRecord), &|t| {
                let other = find(t, |node, slot| {
                    node.record_base != t.nodes[l].record_base && !node.leaf_records(slot).is_empty()
                })
                .0;
                t.nodes[other].record_base = t.nodes[l].record_base;
            }),
            ("a box in an unused slot", Some(RecordFault::UnusedSlotBox), &|t| t.nodes[e].hi[1][unused] = 9),
            ("an inverted box", Some(RecordFault::InvertedBox), &|t| t.nodes[l].lo[2][leaf] = 255),
            ("an origin moved", None, &|t| t.nodes[1].origin[0] -= 1.0),
            ("a grid that begins late", Some(RecordFault::GridCorner), &|t| {
                t.nodes[1].lo[0].iter_mut().for_each(|q| *q = (*q).max(1));
            }),
            ("an origin that is not a number", Some(RecordFault::GridNumbers), &|t| t.nodes[0].origin[1] = f32::NAN),
            ("a step of zero", Some(RecordFault::GridNumbers), &|t| t.nodes[0].exponents[1] = 0),
            ("an infinite step", Some(RecordFault::GridNumbers), &|t| t.nodes[0].exponents[1] = 255),
            ("a coarser child", Some(RecordFault::ChildBox), &|t| {
                let child = t.nodes[i].child_node(inner) as usize;
                t.nodes[child].exponents[0] += 3;
            }),
            ("a shrunken box", Some(RecordFault::ChildBox), &|t| {
                let node = &mut t.nodes[i];
                node.hi[0][inner] = node.lo[0][inner];
            }),
            ("an index out of range", Some(RecordFault::TriangleIndex), &|t| t.slots[7] = u32::MAX),
            ("a reserved bit", Some(RecordFault::TriangleIndex), &|t| t.slots[7] |= 1 << 30),
        ];
        for (what, rule, damage) in damages {
            let mut tree = sound.clone();
            damage(&mut tree);
            let Err(LayoutError::BadRecord { fault, .. }) = tree.validate() else { panic!("{what} went unnoticed") };
            assert!(rule.is_none_or(|rule| fault == rule), "{what} was taken for: {fault}");
        }
    }

    #[test]
    fn validation_finds_damage_to_the_whole() {
        let sound = encoded(300);
        type Damage<'a> = (&'a str, &'a dyn Fn(&mut Cwbvh8));
        let damages: [Damage; 7] = [
            ("a stack too small", &|t| t.stack_depth -= 1),
            ("a stack too large", &|t| t.stack_depth += 1),
            ("a node too many", &|t| t.nodes.push(*t.nodes.last().unwrap())),
            ("a record too many", &|t| t.slots.push(0)),
            ("a record too few", &|t| t.slots.truncate(t.slots.len() - 1)),
            ("bounds too small", &|t| t.bounds.max[1] -= 0.5),
            ("bounds that are not numbers", &|t| t.bounds.min[2] = f32::NAN),
        ];
        for (what, damage) in damages {
            let mut tree = sound.clone();
            damage(&mut tree);
            assert!(matches!(tree.validate(), Err(LayoutError::BadRecord { .. })), "{what} went unnoticed");
        }
        let mut empty = encoded(0);
        assert_eq!(empty.validate(), Ok(()));
        empty.bounds = Aabb { min: [0.0; 3], max: [1.0; 3] };
        assert!(empty.validate().is_err());
    }
}
