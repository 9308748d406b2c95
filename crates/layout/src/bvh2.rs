//! The two-child node of the papers' kernels: both children's boxes in 64 bytes.
//!
//! Source: AL09 section 2 and its published kernels, whose order of the planes this keeps. One
//! departure: the two spare words hold the children's leaf sizes, where theirs end a leaf by a
//! marker in the triangle array.
//!
//! Invariants ([`EncodedBvh2::validate`] checks each):
//! - node 0 is the root, and a child comes after its parent;
//! - a child is a node (`counts` 0), or a leaf: its first record and how many;
//! - an unused child ([`Bvh2Node::NO_CHILD`]) has an empty box, which no ray hits; only the root
//!   of a tree that is one leaf has one.

use crate::{INDEX_MASK, LayoutError, NON_OPAQUE, WoopTriangle, structure};
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use raywarp_bvh::Bvh2;
use raywarp_geom::{Aabb, FlatTriangles};

/// An inner node: 64 bytes, one cache line, four 16-byte loads on a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct Bvh2Node {
    /// `min x, max x, min y, max y` of each child.
    pub xy: [[f32; 4]; 2],
    /// `min z, max z` of the first child, then of the second.
    pub z: [f32; 4],
    /// Index of a node, of a leaf's first record, or [`Bvh2Node::NO_CHILD`].
    pub children: [u32; 2],
    /// Records of a leaf; 0 for a node or no child.
    pub counts: [u32; 2],
}

impl Bvh2Node {
    /// The reference of an unused child.
    pub const NO_CHILD: u32 = u32::MAX;

    const EMPTY: Self = Self {
        xy: [[f32::INFINITY, f32::NEG_INFINITY, f32::INFINITY, f32::NEG_INFINITY]; 2],
        z: [f32::INFINITY, f32::NEG_INFINITY, f32::INFINITY, f32::NEG_INFINITY],
        children: [Self::NO_CHILD; 2],
        counts: [0; 2],
    };

    /// The box of child 0 or 1.
    #[inline]
    pub fn bounds(&self, side: usize) -> Aabb {
        let ([x0, x1, y0, y1], z) = (self.xy[side], &self.z[2 * side..]);
        Aabb { min: [x0, y0, z[0]], max: [x1, y1, z[1]] }
    }

    fn set(&mut self, side: usize, bounds: &Aabb, child: u32, count: u32) {
        let (min, max) = (bounds.min, bounds.max);
        self.xy[side] = [min[0], max[0], min[1], max[1]];
        self.z[2 * side..2 * side + 2].copy_from_slice(&[min[2], max[2]]);
        (self.children[side], self.counts[side]) = (child, count);
    }
}

/// A tree of [`Bvh2Node`]s with a Woop record a reference. Empty for a scene without triangles.
#[derive(Debug, Clone)]
pub struct EncodedBvh2 {
    nodes: Vec<Bvh2Node>,
    records: Vec<WoopTriangle>,
    slots: Vec<u32>,
    bounds: Aabb,
    stack_depth: usize,
}

/// Writes `bvh` as 64-byte nodes in its own (depth-first) order, and a record for each of its references.
///
/// Output: one node for each inner node of `bvh` (a root is added to a tree that is one leaf), and
/// `bvh.references.len()` records in the same order. O(n).
///
/// # Errors
/// As [`crate::encode_wide8`].
pub fn encode_bvh2(bvh: &Bvh2, triangles: &FlatTriangles) -> Result<EncodedBvh2, LayoutError> {
    structure::check(bvh, triangles)?;
    // Inner nodes keep their order and lose the gaps that leaves leave.
    let mut inner_index = vec![0u32; bvh.nodes.len()];
    let mut inner_count = 0;
    for (index, node) in inner_index.iter_mut().zip(&bvh.nodes) {
        *index = inner_count;
        inner_count += u32::from(!node.is_leaf());
    }
    let reference = |node: usize| {
        let n = &bvh.nodes[node];
        if n.is_leaf() { (n.first, n.count) } else { (inner_index[node], 0) }
    };
    let mut nodes = Vec::with_capacity(inner_count as usize);
    for source in bvh.nodes.iter().filter(|n| !n.is_leaf()) {
        let mut node = Bvh2Node::EMPTY;
        for side in 0..2 {
            let child = source.first as usize + side;
            let (first, count) = reference(child);
            node.set(side, &bvh.nodes[child].bounds, first, count);
        }
        nodes.push(node);
    }
    if let Some(root) = bvh.nodes.first().filter(|root| root.is_leaf()) {
        let mut node = Bvh2Node::EMPTY;
        node.set(0, &root.bounds, root.first, root.count);
        nodes.push(node);
    }
    let records = bvh.references.par_iter().map(|&r| WoopTriangle::new(&triangles.vertices[r as usize])).collect();
    let flag = |r: u32| if triangles.opaque[r as usize] { 0 } else { NON_OPAQUE };
    let slots = bvh.references.iter().map(|&r| r | flag(r)).collect();
    let bounds = bvh.nodes.first().map_or(Aabb::EMPTY, |root| root.bounds);
    let stack_depth = stack_depth(&nodes);
    Ok(EncodedBvh2 { nodes, records, slots, bounds, stack_depth })
}

/// The longest path: a walk postpones one child a level.
fn stack_depth(nodes: &[Bvh2Node]) -> usize {
    let mut needs = vec![0usize; nodes.len()];
    for (index, node) in nodes.iter().enumerate().rev() {
        let inner = (0..2).filter(|&side| node.counts[side] == 0 && node.children[side] != Bvh2Node::NO_CHILD);
        needs[index] = 1 + inner.map(|side| needs[node.children[side] as usize]).max().unwrap_or(0);
    }
    needs.first().copied().unwrap_or(0)
}

impl EncodedBvh2 {
    /// Nodes; the first is the root. Empty without triangles.
    #[inline]
    pub fn nodes(&self) -> &[Bvh2Node] {
        &self.nodes
    }

    /// Woop records, leaf by leaf.
    #[inline]
    pub fn records(&self) -> &[WoopTriangle] {
        &self.records
    }

    /// For each record the index of its triangle, with [`NON_OPAQUE`] set where a query must ask.
    #[inline]
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// The box around everything.
    #[inline]
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// Stack entries that a walk needs which postpones the farther of two hit children.
    #[inline]
    pub fn stack_depth(&self) -> usize {
        self.stack_depth
    }

    /// Bytes of nodes, records and slots.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.nodes[..]) + size_of_val(&self.records[..]) + size_of_val(&self.slots[..])
    }

    /// Checks every invariant of the module's text. O(n).
    ///
    /// # Errors
    /// [`LayoutError::BadRecord`] with the first that is broken.
    pub fn validate(&self) -> Result<(), LayoutError> {
        let mut has_parent = vec![false; self.nodes.len()];
        let mut in_leaf = vec![false; self.records.len()];
        for (record, node) in self.nodes.iter().enumerate() {
            let fault = |fault| Err(LayoutError::BadRecord { record, fault });
            for side in 0..2 {
                let (child, count, bounds) = (node.children[side] as usize, node.counts[side], node.bounds(side));
                if node.children[side] == Bvh2Node::NO_CHILD {
                    if self.nodes.len() != 1 || side == 0 || count != 0 || bounds != Aabb::EMPTY {
                        return fault("it lacks a child");
                    }
                } else if count == 0 {
                    if child <= record || child >= self.nodes.len() || std::mem::replace(&mut has_parent[child], true) {
                        return fault("a child does not come after it, or has two parents");
                    }
                    if !(0..2).all(|s| bounds.contains(&self.nodes[child].bounds(s))) {
                        return fault("a child's box does not hold its children's boxes");
                    }
                } else {
                    let Some(leaf) = in_leaf.get_mut(child..child + count as usize) else {
                        return fault("a leaf's records are out of range");
                    };
                    if leaf.iter_mut().any(|seen| std::mem::replace(seen, true)) {
                        return fault("a record is in two leaves");
                    }
                }
            }
        }
        if has_parent.iter().skip(1).any(|&seen| !seen) || in_leaf.iter().any(|&seen| !seen) {
            return Err(LayoutError::BadRecord { record: 0, fault: "something is not reached from the root" });
        }
        if let Some(record) = self.slots.iter().position(|slot| slot & INDEX_MASK == INDEX_MASK) {
            return Err(LayoutError::BadRecord { record, fault: "its triangle index is out of range" });
        }
        if self.slots.len() != self.records.len() || self.stack_depth != stack_depth(&self.nodes) {
            return Err(LayoutError::BadRecord { record: 0, fault: "the stack depth or a length is wrong" });
        }
        Ok(())
    }
}
