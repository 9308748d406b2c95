//! Four-wide tree: a `Bvh2` collapsed so that one visit tests four boxes.
//!
//! Sources: G14 4.1 for the collapse, L9 "Building the MBVH" for the node (whose planes this keeps)
//! and the other collapse. Leaves and the order of their records stay as in the `Bvh2`.
//!
//! Invariants ([`Wide4Tree::validate`] checks each):
//! - node 0 is the root, a child comes after its parent, and every other node has one parent;
//! - a child is a node (`counts` 0), or a leaf: its first record and how many;
//! - a child's box holds its children's boxes, and every record is in one leaf;
//! - used children come first; an unused one holds [`NO_CHILD`](crate::NO_CHILD), count 0 and an empty
//!   box (which a test that orders plane distances by size would hit: it must look at the reference);
//! - only the root of a tree that is one leaf has a single child;
//! - `stack_depth` entries hold all that a walk ever postpones, and no fewer do.

use crate::file::{Contents, LoadedContents, Parts, Stored, check_branching};
use crate::node_table::{self, Child, NodeTable, Plan};
use crate::pull_up::PullUp;
use crate::tree::{ChildWords, KernelTree, MemoryLayout, Swizzle};
use crate::{Collapse, LayoutError, structure};
use bytemuck::{Pod, Zeroable};
use raywarp_bvh::Bvh2;
use raywarp_geom::{Aabb, FlatTriangles};
use std::mem::offset_of;

/// Node of up to four children with boxes in f32: 128 bytes, one cache line of a GPU, eight 16-byte loads.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C, align(128))]
pub struct Wide4Node {
    /// Planes of the four children's boxes: rows min x, max x, min y, max y, min z, max z.
    pub planes: [[f32; 4]; 6],
    /// Index of each child's node or of the leaf's first triangle record, or [`NO_CHILD`](crate::NO_CHILD).
    pub children: [u32; 4],
    /// Number of triangle records of each child that is a leaf; 0 for a node or no child.
    pub counts: [u32; 4],
}

impl Wide4Node {
    /// Largest number of children of a node.
    pub const BRANCHING: usize = 4;

    /// Makes a node of at most four children.
    fn new(children: &[Child]) -> Self {
        let mut node = Self::zeroed();
        for slot in 0..Self::BRANCHING {
            node.set(slot, children.get(slot).unwrap_or(&Child::NONE));
        }
        node
    }

    /// Returns the box of the child in `slot`.
    #[inline]
    pub fn bounds(&self, slot: usize) -> Aabb {
        Aabb {
            min: std::array::from_fn(|axis| self.planes[2 * axis][slot]),
            max: std::array::from_fn(|axis| self.planes[2 * axis + 1][slot]),
        }
    }

    fn set(&mut self, slot: usize, child: &Child) {
        for axis in 0..3 {
            self.planes[2 * axis][slot] = child.bounds.min[axis];
            self.planes[2 * axis + 1][slot] = child.bounds.max[axis];
        }
        (self.children[slot], self.counts[slot]) = (child.child, child.count);
    }
}

/// Four-wide tree of [`Wide4Node`]s with boxes in f32. Empty for a scene without triangles.
///
/// The records of its leaves are [`crate::TriangleRecords`], made from [`Wide4Tree::slots`].
#[derive(Debug, Clone)]
pub struct Wide4Tree {
    nodes: Vec<Wide4Node>,
    slots: Vec<u32>,
    bounds: Aabb,
    stack_depth: usize,
}

/// Encodes `bvh` as nodes of up to four children, chosen by the rule `collapse`.
///
/// Opens one child after another, as `collapse` says, until a node holds four. Leaves and the order
/// of their references stay as they are.
///
/// - Output: for n inner nodes, between ceil(n / 3) and n nodes of 128 bytes, depth first; one for a
///   tree that is one leaf. O(n).
///
/// # Errors
/// As [`crate::encode_wide8`].
///
/// # Examples
/// ```
/// use raywarp_bvh::{BuildOptions, build};
/// use raywarp_layout::{Collapse, encode_wide4};
///
/// let triangle = |x: f32| [[x, 0.0, 0.0], [x + 1.0, 0.0, 0.0], [x, 1.0, 0.0]];
/// let triangles = raywarp_geom::FlatTriangles::from_vertices((0..4).map(|i| triangle(i as f32)).collect());
/// let bvh = build(&triangles, &BuildOptions { max_leaf: 1, ..BuildOptions::default() })?;
/// let tree = encode_wide4(&bvh, &triangles, Collapse::Guthe)?;
/// assert_eq!((tree.nodes().len(), tree.stack_depth()), (1, 3));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn encode_wide4(bvh: &Bvh2, triangles: &FlatTriangles, collapse: Collapse) -> Result<Wide4Tree, LayoutError> {
    structure::check(bvh, triangles)?;
    let plan = Plan::new(bvh, &PullUp::new(bvh, collapse, Wide4Node::BRANCHING));
    let mut tree = Wide4Tree {
        nodes: plan.nodes().map(Wide4Node::new).collect(),
        slots: node_table::slots(bvh, triangles),
        bounds: bvh.nodes.first().map_or(Aabb::EMPTY, |root| root.bounds),
        stack_depth: 0,
    };
    tree.stack_depth = node_table::stack_depth(&tree);
    Ok(tree)
}

/// Returns the positions of a child's words in a [`Wide4Node`]: six rows of planes, the indices, the counts.
const fn child_words(slot: usize) -> ChildWords {
    let planes = [slot, 4 + slot, 8 + slot, 12 + slot, 16 + slot, 20 + slot];
    ChildWords { child: 24 + slot, count: 28 + slot, planes }
}

impl KernelTree for Wide4Tree {
    const LAYOUT: MemoryLayout = MemoryLayout {
        node_bytes: size_of::<Wide4Node>() as u32,
        // Kernels have the leaves' sizes in the links.
        node_bytes_read: offset_of!(Wide4Node, counts) as u32,
        record_bytes: MemoryLayout::RECORD_BYTES,
        records_among_nodes: false,
        swizzle: Swizzle::NONE,
        children: &[child_words(0), child_words(1), child_words(2), child_words(3)],
    };

    fn node_words(&self) -> &[u32] {
        bytemuck::cast_slice(&self.nodes)
    }

    fn node_count(&self) -> usize {
        self.nodes.len()
    }
}

impl NodeTable for Wide4Tree {
    fn node_count(&self) -> usize {
        self.nodes.len()
    }

    fn branching(&self) -> usize {
        Wide4Node::BRANCHING
    }

    fn child(&self, node: usize, slot: usize) -> Child {
        let node = &self.nodes[node];
        Child { bounds: node.bounds(slot), child: node.children[slot], count: node.counts[slot] }
    }
}

impl Stored for Wide4Tree {
    type Record = Wide4Node;
    const KIND: u32 = 2;
    const NAME: &'static str = "Wide4Tree";

    fn parts(&self) -> Parts<'_, Wide4Node> {
        let (slots, bounds, stack_depth) = (&self.slots[..], self.bounds, self.stack_depth);
        Parts { branching: Wide4Node::BRANCHING, records: &self.nodes, slots, bounds, stack_depth, extra: 0.0 }
    }

    fn from_loaded(loaded: LoadedContents<Wide4Node>, _: &FlatTriangles) -> Result<Self, LayoutError> {
        let Contents { branching, records: nodes, slots, bounds, stack_depth, .. } = loaded;
        check_branching(branching, Wide4Node::BRANCHING)?;
        let tree = Self { nodes, slots, bounds, stack_depth };
        tree.validate().map(|()| tree)
    }
}

impl Wide4Tree {
    /// Returns the nodes in depth-first order; the first is the root. Empty without triangles.
    #[inline]
    pub fn nodes(&self) -> &[Wide4Node] {
        &self.nodes
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

    /// Returns the number of stack entries that suffice for a traversal which pushes all hit children but one,
    /// whichever, and goes on with that one.
    #[inline]
    pub fn stack_depth(&self) -> usize {
        self.stack_depth
    }

    /// Returns the size of nodes and slots in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.nodes[..]) + size_of_val(&self.slots[..])
    }

    /// Checks every invariant stated at the head of the module. O(n).
    ///
    /// # Errors
    /// [`LayoutError::BadRecord`] with the first that is broken.
    pub fn validate(&self) -> Result<(), LayoutError> {
        node_table::validate(self, &self.slots, &self.bounds, self.stack_depth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node_table::tests::{Damageable, notices_damage, row_of_triangles, stack_depth_is_exact};

    impl Damageable for Wide4Tree {
        fn set_child(&mut self, node: usize, slot: usize, child: Child) {
            self.nodes[node].set(slot, &child);
        }

        fn rest(&mut self) -> (&mut Vec<u32>, &mut Aabb, &mut usize) {
            (&mut self.slots, &mut self.bounds, &mut self.stack_depth)
        }

        fn check(&self) -> Result<(), LayoutError> {
            self.validate()
        }
    }

    fn encoded(count: usize, collapse: Collapse) -> Wide4Tree {
        let (bvh, triangles) = row_of_triangles(count);
        encode_wide4(&bvh, &triangles, collapse).unwrap()
    }

    #[test]
    fn a_node_is_128_bytes_with_child_major_planes() {
        assert_eq!((size_of::<Wide4Node>(), align_of::<Wide4Node>()), (128, 128));
        let bounds = Aabb { min: [1.0, 3.0, 5.0], max: [2.0, 4.0, 6.0] };
        let node = Wide4Node::new(&[Child { bounds, child: 7, count: 8 }]);
        let words: &[u32] = bytemuck::cast_slice(std::slice::from_ref(&node));
        let first: Vec<f32> = (0..6).map(|row| f32::from_bits(words[4 * row])).collect();
        assert_eq!(first, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!((words[24], words[28], words[25], words[29]), (7, 8, u32::MAX, 0));
    }

    #[test]
    fn validation_finds_each_kind_of_damage() {
        for collapse in [Collapse::Guthe, Collapse::Adopt] {
            notices_damage(&encoded(500, collapse));
        }
    }

    #[test]
    fn the_stack_depth_is_what_the_deepest_walk_needs() {
        for count in [0, 1, 2, 3, 9, 100, 3000] {
            for collapse in [Collapse::Guthe, Collapse::Adopt] {
                let tree = encoded(count, collapse);
                stack_depth_is_exact(&tree, tree.stack_depth());
            }
        }
    }
}
