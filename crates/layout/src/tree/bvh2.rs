//! The two-child node of the papers' kernels: both children's boxes in 64 bytes.
//!
//! Source: AL09 section 2 and its published kernels, whose order of the planes this keeps. One
//! departure: the two spare words hold the children's leaf sizes, where theirs end a leaf by a
//! marker in the triangle array.
//!
//! Invariants ([`EncodedBvh2::validate`] checks each):
//! - node 0 is the root, a child comes after its parent, and every other node has one parent;
//! - a child is a node (`counts` 0), or a leaf: its first record and how many;
//! - a child's box holds its children's boxes, and every record is in one leaf and has a slot;
//! - an unused child holds [`NO_CHILD`], count 0 and an empty box (which a test that orders plane
//!   distances by size would hit: it must look at the reference); only the root of a tree that is one
//!   leaf has one, its second;
//! - `stack_depth` entries hold all that a walk ever postpones, and no fewer do.

use crate::file::{Contents, LoadedContents, Parts, Stored, check_branching};
use crate::node_table::{self, Child, NodeTable};
use crate::tree::{ChildWords, KernelTree, MemoryLayout, Swizzle};
use crate::{INDEX_MASK, LayoutError, NO_CHILD, RecordFault, WoopTriangle, structure};
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use raywarp_bvh::Bvh2;
use raywarp_geom::{Aabb, Control, FlatTriangles};

/// Inner node with the boxes of its two children: 64 bytes, one cache line, four 16-byte loads on a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct Bvh2Node {
    /// Planes `min x, max x, min y, max y` of each child's box.
    pub xy: [[f32; 4]; 2],
    /// Planes `min z, max z` of the first child's box, then of the second's.
    pub z: [f32; 4],
    /// Index of each child's node or of the leaf's first triangle record, or [`Bvh2Node::NO_CHILD`].
    pub children: [u32; 2],
    /// Number of triangle records of each child that is a leaf; 0 for a node or no child.
    pub counts: [u32; 2],
}

impl Bvh2Node {
    /// Value in `children` that marks an unused child.
    pub const NO_CHILD: u32 = NO_CHILD;

    const EMPTY: Self = Self {
        xy: [[f32::INFINITY, f32::NEG_INFINITY, f32::INFINITY, f32::NEG_INFINITY]; 2],
        z: [f32::INFINITY, f32::NEG_INFINITY, f32::INFINITY, f32::NEG_INFINITY],
        children: [Self::NO_CHILD; 2],
        counts: [0; 2],
    };

    /// Returns the box of the first (0) or second (1) child.
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

/// Binary tree of [`Bvh2Node`]s with a Woop triangle record for each reference. Empty for a scene without triangles.
///
/// Records of another format are [`crate::TriangleRecords`], made from [`EncodedBvh2::slots`].
#[derive(Debug, Clone)]
pub struct EncodedBvh2 {
    nodes: Vec<Bvh2Node>,
    records: Vec<WoopTriangle>,
    slots: Vec<u32>,
    bounds: Aabb,
    stack_depth: usize,
}

/// Encodes `bvh` as 64-byte nodes in its own order, with a Woop triangle record for each of its references.
///
/// Output: one node for each inner node of `bvh` (a root is added to a tree that is one leaf), and
/// `bvh.references.len()` records in the same order. O(n).
///
/// # Errors
/// As [`crate::encode_wide8`].
pub fn encode_bvh2(bvh: &Bvh2, triangles: &FlatTriangles) -> Result<EncodedBvh2, LayoutError> {
    structure::check(bvh, triangles)?;
    let slots = node_table::slots(bvh, triangles);
    let records = woop_records(&slots, triangles);
    Ok(of_nodes(bvh, slots, records))
}

/// Encodes a tree over boxes ([`raywarp_bvh::build_over_boxes`]) as [`encode_bvh2`] does one over triangles: the upper
/// level of a scene of two. Slots hold the indices of boxes, and there are no records.
///
/// # Errors
/// [`LayoutError::TooMany`] beyond 2^30 - 1 references or nodes, [`LayoutError::BadNode`] if the tree is malformed.
pub fn encode_bvh2_boxes(bvh: &Bvh2) -> Result<EncodedBvh2, LayoutError> {
    structure::check_links(bvh, &Control::default())?;
    Ok(of_nodes(bvh, bvh.references.clone(), Vec::new()))
}

/// Encodes the nodes of a tree that was checked.
fn of_nodes(bvh: &Bvh2, slots: Vec<u32>, records: Vec<WoopTriangle>) -> EncodedBvh2 {
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
    let bounds = bvh.nodes.first().map_or(Aabb::EMPTY, |root| root.bounds);
    let mut tree = EncodedBvh2 { nodes, records, slots, bounds, stack_depth: 0 };
    tree.stack_depth = node_table::stack_depth(&tree);
    tree
}

fn woop_records(slots: &[u32], triangles: &FlatTriangles) -> Vec<WoopTriangle> {
    let corners = |slot: &u32| &triangles.vertices[(slot & INDEX_MASK) as usize];
    slots.par_iter().map(|slot| WoopTriangle::new(corners(slot))).collect()
}

/// Returns the positions of a child's words in a [`Bvh2Node`]. The order is `min x, max x, min y, max y` of each child,
/// then both children's z, the indices, the counts.
const fn child_words(side: usize) -> ChildWords {
    let (xy, z) = (4 * side, 8 + 2 * side);
    ChildWords { child: 12 + side, count: 14 + side, planes: [xy, xy + 1, xy + 2, xy + 3, z, z + 1] }
}

impl KernelTree for EncodedBvh2 {
    const LAYOUT: MemoryLayout = MemoryLayout {
        node_bytes: size_of::<Bvh2Node>() as u32,
        node_bytes_read: size_of::<Bvh2Node>() as u32,
        record_bytes: MemoryLayout::RECORD_BYTES,
        records_among_nodes: false,
        swizzle: Swizzle::NONE,
        children: &[child_words(0), child_words(1)],
    };

    fn node_words(&self) -> &[u32] {
        bytemuck::cast_slice(&self.nodes)
    }

    fn node_count(&self) -> usize {
        self.nodes.len()
    }
}

impl NodeTable for EncodedBvh2 {
    fn node_count(&self) -> usize {
        self.nodes.len()
    }

    fn branching(&self) -> usize {
        2
    }

    fn child(&self, node: usize, slot: usize) -> Child {
        let node = &self.nodes[node];
        Child { bounds: node.bounds(slot), child: node.children[slot], count: node.counts[slot] }
    }
}

impl Stored for EncodedBvh2 {
    type Record = Bvh2Node;
    const KIND: u32 = 1;
    const NAME: &'static str = "EncodedBvh2";

    fn parts(&self) -> Parts<'_, Bvh2Node> {
        let (slots, bounds, stack_depth) = (&self.slots[..], self.bounds, self.stack_depth);
        Parts { branching: 2, records: &self.nodes, slots, bounds, stack_depth, extra: 0.0 }
    }

    // Records follow from slots and triangles, and are not in the file.
    fn from_loaded(loaded: LoadedContents<Bvh2Node>, triangles: &FlatTriangles) -> Result<Self, LayoutError> {
        let Contents { branching, records: nodes, slots, bounds, stack_depth, .. } = loaded;
        check_branching(branching, 2)?;
        let records = woop_records(&slots, triangles);
        let tree = Self { nodes, records, slots, bounds, stack_depth };
        tree.validate().map(|()| tree)
    }
}

impl EncodedBvh2 {
    /// Returns the nodes in the order of the `Bvh2`'s inner nodes; the first is the root. Empty without triangles.
    #[inline]
    pub fn nodes(&self) -> &[Bvh2Node] {
        &self.nodes
    }

    /// Returns the Woop triangle records, leaf by leaf.
    #[inline]
    pub fn records(&self) -> &[WoopTriangle] {
        &self.records
    }

    /// Returns for each triangle record, leaf by leaf, the index of its triangle, with the flag [`crate::NON_OPAQUE`].
    #[inline]
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// Returns the bounding box of the whole tree.
    #[inline]
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// Returns the number of stack entries that suffice for a traversal which pushes one of two hit children,
    /// whichever, and goes on with the other.
    #[inline]
    pub fn stack_depth(&self) -> usize {
        self.stack_depth
    }

    /// Returns the size of nodes, triangle records and slots in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.nodes[..]) + size_of_val(&self.records[..]) + size_of_val(&self.slots[..])
    }

    /// Checks every invariant stated at the head of the module. O(n).
    ///
    /// # Errors
    /// [`LayoutError::BadRecord`] with the first that is broken.
    pub fn validate(&self) -> Result<(), LayoutError> {
        if self.slots.len() != self.records.len() {
            return Err(LayoutError::BadRecord { record: 0, fault: RecordFault::SlotCount });
        }
        node_table::validate(self, &self.slots, &self.bounds, self.stack_depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node_table::tests::{Damageable, notices_damage, row_of_triangles, stack_depth_is_exact};

    impl Damageable for EncodedBvh2 {
        fn set_child(&mut self, node: usize, slot: usize, child: Child) {
            self.nodes[node].set(slot, &child.bounds, child.child, child.count);
        }

        fn rest(&mut self) -> (&mut Vec<u32>, &mut Aabb, &mut usize) {
            (&mut self.slots, &mut self.bounds, &mut self.stack_depth)
        }

        fn check(&self) -> Result<(), LayoutError> {
            // A lost slot alone would be found by its length.
            let mut tree = self.clone();
            tree.records.resize(tree.slots.len(), WoopTriangle::NEVER);
            tree.validate()
        }
    }

    fn encoded(count: usize) -> EncodedBvh2 {
        let (bvh, triangles) = row_of_triangles(count);
        encode_bvh2(&bvh, &triangles).unwrap()
    }

    #[test]
    fn validation_finds_each_kind_of_damage() {
        let sound = encoded(500);
        notices_damage(&sound);
        let mut tree = sound;
        tree.records.pop();
        assert_eq!(tree.validate(), Err(LayoutError::BadRecord { record: 0, fault: RecordFault::SlotCount }));
    }

    #[test]
    fn the_stack_depth_is_what_the_deepest_walk_needs() {
        for count in [0, 1, 2, 9, 100, 3000] {
            let tree = encoded(count);
            stack_depth_is_exact(&tree, tree.stack_depth());
        }
    }
}
