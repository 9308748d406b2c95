//! The children of each node before and after they get slots.

use super::node::{Cwbvh8Node, SLOTS};
use super::octants;
use crate::byte_grid;
use crate::collapse::Collapse;
use raywarp_bvh::Bvh2;
use raywarp_geom::Aabb;

/// Value in [`Family::families`] of a child that is a leaf.
const LEAF: u32 = 0;

/// Children of one wide node, 1 to 8, in the order of the binary tree, before they get slots.
pub(crate) struct Family {
    count: usize,
    /// Index of each child's node in the `Bvh2`.
    sources: [u32; SLOTS],
    /// Index of the family below each child, or [`LEAF`]; 0 can mean leaf, since the root's family is below no child.
    families: [u32; SLOTS],
}

/// Wide node whose children have slots, but whose triangle records are not yet numbered.
pub(crate) struct Slotted {
    pub node: Cwbvh8Node,
    /// Index within the family of the child in each slot.
    children: [Option<u8>; SLOTS],
}

/// Lists the families of all wide nodes, siblings together and otherwise depth first; the root's is the first.
pub(crate) fn list(bvh: &Bvh2, collapse: &Collapse) -> Vec<Family> {
    let empty = || Family { count: 0, sources: [0; SLOTS], families: [LEAF; SLOTS] };
    let mut families = Vec::with_capacity(bvh.nodes.len() / 8 + 1);
    // Families still to be listed: the Bvh2 node, and where.
    let mut waiting = Vec::new();
    if !bvh.nodes.is_empty() {
        families.push(empty());
        waiting.push((0, 0));
    }
    while let Some((source, index)) = waiting.pop() {
        let children = collapse.children(source);
        let mut family = Family { count: children.len(), ..empty() };
        let first_waiting = waiting.len();
        for (i, &child) in children.iter().enumerate() {
            family.sources[i] = child;
            if !collapse.is_leaf(child as usize) {
                family.families[i] = families.len() as u32;
                waiting.push((child as usize, families.len()));
                families.push(empty());
            }
        }
        // They are taken from the end.
        waiting[first_waiting..].reverse();
        families[index] = family;
    }
    families
}

impl Family {
    /// Returns the number of children in the family.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Returns the index of the `Bvh2` node of child `i`.
    pub fn source(&self, i: usize) -> usize {
        self.sources[i] as usize
    }

    /// Returns the index of the family below child `i`; `None` for a leaf.
    pub fn inner_family(&self, i: usize) -> Option<usize> {
        (self.families[i] != LEAF).then_some(self.families[i] as usize)
    }

    /// Returns the boxes of the children.
    pub fn boxes(&self, bvh: &Bvh2) -> [Aabb; SLOTS] {
        std::array::from_fn(|i| if i < self.count { bvh.nodes[self.sources[i] as usize].bounds } else { Aabb::EMPTY })
    }

    /// Returns the bounding box of all children.
    pub fn bounds(&self, bvh: &Bvh2) -> Aabb {
        self.boxes(bvh).iter().fold(Aabb::EMPTY, |all, child| all.union(child))
    }

    /// Assigns the children to slots and quantises their boxes.
    pub fn slotted(&self, bvh: &Bvh2) -> Slotted {
        let (mut node, mut children) = (Cwbvh8Node::EMPTY, [None; SLOTS]);
        let boxes = self.boxes(bvh);
        for (child, &slot) in octants::assign_slots(&boxes[..self.count]).iter().enumerate().take(self.count) {
            children[slot] = Some(child as u8);
            if self.families[child] != LEAF {
                node.meta[slot] = Cwbvh8Node::node_meta(slot);
                node.imask |= 1 << slot;
            }
        }
        // The lowest is the first of the siblings.
        node.child_base = self.families.iter().copied().filter(|&family| family != LEAF).min().unwrap_or(0);
        for axis in 0..3 {
            let spans = children.map(|child| {
                let aabb = &boxes[usize::from(child?)];
                Some([aabb.min[axis], aabb.max[axis]])
            });
            let grid = byte_grid::quantize(&spans);
            (node.origin[axis], node.exponents[axis]) = (grid.origin, grid.exponent);
            (node.lo[axis], node.hi[axis]) = (grid.lo, grid.hi);
        }
        Slotted { node, children }
    }
}

impl Slotted {
    /// Returns the families below those children that are nodes, in the order of their slots.
    pub fn inner(&self, family: &Family) -> impl Iterator<Item = usize> {
        let children = self.children.iter().flatten().map(|&child| family.families[usize::from(child)]);
        children.filter(|&family| family != LEAF).map(|family| family as usize)
    }

    /// Returns the slot and the `Bvh2` node of each child that is a leaf, in the order of slots.
    pub fn leaves(&self, family: &Family) -> impl Iterator<Item = (usize, usize)> {
        self.children.iter().enumerate().filter_map(|(slot, child)| {
            let child = usize::from((*child)?);
            (family.families[child] == LEAF).then(|| (slot, family.sources[child] as usize))
        })
    }
}
