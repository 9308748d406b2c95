//! Trees for one ray on N adjacent lanes, N = 4, 8, 16 or 32: each lane tests one child.
//!
//! Source: AL09 5.3, after Wald, Benthin, Boulos 2008. A child stands in one piece of 32 bytes, since
//! one lane loads it, so that the lanes of a ray read one run of memory. One departure: leaves stay as
//! in the `Bvh2`, where Wald et al. gather up to N triangles in each; build with `max_leaf` N for that.
//!
//! Invariants ([`WideN::validate`] checks each):
//! - node 0 is the root, a child comes after its parent, and every other node has one parent;
//! - a child is a node (`count` 0), or a leaf: its first record and how many;
//! - a child's box holds its children's boxes, and every record is in one leaf;
//! - used children come first; an unused one holds [`NO_CHILD`], count 0 and an empty box (which a
//!   test that orders plane distances by size would hit: it must look at the reference);
//! - only the root of a tree that is one leaf has a single child;
//! - `stack_depth` entries hold all that a walk ever postpones, and no fewer do.

use crate::file::{Contents, LoadedContents, Parts, Stored};
use crate::node_table::{self, Child, NodeTable, Plan};
use crate::pull_up::PullUp;
use crate::tree::{ChildWords, KernelTree, MemoryLayout, Swizzle};
use crate::{Collapse, LayoutError, NO_CHILD, RecordFault, structure};
use bytemuck::{Pod, Zeroable};
use raywarp_bvh::Bvh2;
use raywarp_geom::{Aabb, FlatTriangles};

/// Child of a [`WideN`] node with its box: 32 bytes, two 16-byte loads of one lane.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C, align(32))]
pub struct WideNChild {
    /// Lower corner of the child's box.
    pub min: [f32; 3],
    /// Index of the child's node or of the leaf's first triangle record, or [`NO_CHILD`].
    pub child: u32,
    /// Upper corner of the child's box.
    pub max: [f32; 3],
    /// Number of triangle records of a leaf; 0 for a node or no child.
    pub count: u32,
}

impl WideNChild {
    /// Returns the box of the child.
    #[inline]
    pub fn bounds(&self) -> Aabb {
        Aabb { min: self.min, max: self.max }
    }

    /// Returns `true` if there is a child, node or leaf, and not an unused slot.
    #[inline]
    pub fn is_used(&self) -> bool {
        self.child != NO_CHILD
    }
}

impl From<Child> for WideNChild {
    fn from(Child { bounds: Aabb { min, max }, child, count }: Child) -> Self {
        Self { min, child, max, count }
    }
}

/// Wide tree for one ray on several lanes, whose nodes are runs of N [`WideNChild`]ren. Empty for a scene without
/// triangles.
///
/// The records of its leaves are [`crate::TriangleRecords`], made from [`WideN::slots`].
#[derive(Debug, Clone)]
pub struct WideN {
    branching: usize,
    children: Vec<WideNChild>,
    slots: Vec<u32>,
    bounds: Aabb,
    stack_depth: usize,
}

/// Encodes `bvh` as nodes of up to `branching` children.
///
/// Opens the child of largest surface area until a node is full or holds only leaves; see
/// [`Collapse::Adopt`]. Leaves and the order of their references stay as they are.
///
/// - Output: for n inner nodes, between ceil(n / (`branching` - 1)) and n nodes of 32 `branching`
///   bytes, depth first; one for a tree that is one leaf. O(n).
///
/// # Errors
/// [`LayoutError::BadBranching`] if `branching` is not one of [`WideN::BRANCHINGS`]; otherwise as
/// [`crate::encode_wide8`].
pub fn encode_wide_n(bvh: &Bvh2, triangles: &FlatTriangles, branching: usize) -> Result<WideN, LayoutError> {
    if !WideN::BRANCHINGS.contains(&branching) {
        return Err(LayoutError::BadBranching { found: branching });
    }
    structure::check(bvh, triangles)?;
    let plan = Plan::new(bvh, &PullUp::new(bvh, Collapse::Adopt, branching));
    let mut children = Vec::with_capacity(plan.nodes().len() * branching);
    for node in plan.nodes() {
        let unused = std::iter::repeat_n(Child::NONE, branching - node.len());
        children.extend(node.iter().copied().chain(unused).map(WideNChild::from));
    }
    let mut tree = WideN {
        branching,
        children,
        slots: node_table::slots(bvh, triangles),
        bounds: bvh.nodes.first().map_or(Aabb::EMPTY, |root| root.bounds),
        stack_depth: 0,
    };
    tree.stack_depth = node_table::stack_depth(&tree);
    Ok(tree)
}

impl KernelTree for WideN {
    // Of a child, which each lane reads by itself.
    const LAYOUT: MemoryLayout = MemoryLayout {
        node_bytes: size_of::<WideNChild>() as u32,
        node_bytes_read: size_of::<WideNChild>() as u32,
        record_bytes: MemoryLayout::RECORD_BYTES,
        records_among_nodes: false,
        swizzle: Swizzle::NONE,
        // Smallest corner and index, largest corner and count.
        children: &[ChildWords { child: 3, count: 7, planes: [0, 1, 2, 4, 5, 6] }],
    };

    fn node_words(&self) -> &[u32] {
        bytemuck::cast_slice(&self.children)
    }

    fn node_count(&self) -> usize {
        self.node_count()
    }
}

impl NodeTable for WideN {
    fn node_count(&self) -> usize {
        self.node_count()
    }

    fn branching(&self) -> usize {
        self.branching
    }

    fn child(&self, node: usize, slot: usize) -> Child {
        let child = self.child(node, slot);
        Child { bounds: child.bounds(), child: child.child, count: child.count }
    }
}

impl Stored for WideN {
    type Record = WideNChild;
    const KIND: u32 = 3;
    const NAME: &'static str = "WideN";

    fn parts(&self) -> Parts<'_, WideNChild> {
        let (slots, bounds, stack_depth) = (&self.slots[..], self.bounds, self.stack_depth);
        Parts { branching: self.branching, records: &self.children, slots, bounds, stack_depth, extra: 0.0 }
    }

    fn from_loaded(loaded: LoadedContents<WideNChild>, _: &FlatTriangles) -> Result<Self, LayoutError> {
        let Contents { branching, records: children, slots, bounds, stack_depth, .. } = loaded;
        if !Self::BRANCHINGS.contains(&branching) {
            return Err(LayoutError::BadBranching { found: branching });
        }
        if children.len() % branching != 0 {
            return Err(LayoutError::BadRecord { record: children.len() / branching, fault: RecordFault::NotWhole });
        }
        let tree = Self { branching, children, slots, bounds, stack_depth };
        tree.validate().map(|()| tree)
    }
}

impl WideN {
    /// Numbers of children per node that kernels support.
    pub const BRANCHINGS: [usize; 4] = [4, 8, 16, 32];

    /// Returns the number of children of a node, which is the number of lanes per ray: one of [`WideN::BRANCHINGS`].
    #[inline]
    pub fn branching(&self) -> usize {
        self.branching
    }

    /// Returns the number of nodes; node 0 is the root; 0 without triangles.
    #[inline]
    pub fn node_count(&self) -> usize {
        self.children.len() / self.branching
    }

    /// Returns the children of all nodes in one list, `branching` of them for each node.
    #[inline]
    pub fn children(&self) -> &[WideNChild] {
        &self.children
    }

    /// Returns the child in slot `slot` of node `node`, which lane `slot` of a ray loads.
    ///
    /// # Panics
    /// If there is no such node.
    #[inline]
    pub fn child(&self, node: usize, slot: usize) -> &WideNChild {
        debug_assert!(slot < self.branching, "slot {slot} of {}", self.branching);
        &self.children[node * self.branching + slot]
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

    /// Returns the number of stack entries that suffice for a traversal which pushes all hit children but one (the
    /// nearest, or any other) and goes on with that one.
    #[inline]
    pub fn stack_depth(&self) -> usize {
        self.stack_depth
    }

    /// Returns the size of nodes and slots in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.children[..]) + size_of_val(&self.slots[..])
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

    impl Damageable for WideN {
        fn set_child(&mut self, node: usize, slot: usize, child: Child) {
            self.children[node * self.branching + slot] = child.into();
        }

        fn rest(&mut self) -> (&mut Vec<u32>, &mut Aabb, &mut usize) {
            (&mut self.slots, &mut self.bounds, &mut self.stack_depth)
        }

        fn check(&self) -> Result<(), LayoutError> {
            self.validate()
        }
    }

    fn encoded(count: usize, branching: usize) -> WideN {
        let (bvh, triangles) = row_of_triangles(count);
        encode_wide_n(&bvh, &triangles, branching).unwrap()
    }

    #[test]
    fn a_child_is_32_bytes_in_two_loads() {
        assert_eq!((size_of::<WideNChild>(), align_of::<WideNChild>()), (32, 32));
        let bounds = Aabb { min: [1.0, 2.0, 3.0], max: [5.0, 6.0, 7.0] };
        let child = WideNChild::from(Child { bounds, child: 4, count: 8 });
        let words: &[u32] = bytemuck::cast_slice(std::slice::from_ref(&child));
        assert_eq!((f32::from_bits(words[2]), words[3], f32::from_bits(words[6]), words[7]), (3.0, 4, 7.0, 8));
    }

    #[test]
    fn validation_finds_each_kind_of_damage() {
        for branching in WideN::BRANCHINGS {
            notices_damage(&encoded(500, branching));
        }
    }

    #[test]
    fn the_stack_depth_is_what_the_deepest_walk_needs() {
        for count in [0, 1, 2, 9, 33, 100, 3000] {
            for branching in WideN::BRANCHINGS {
                let tree = encoded(count, branching);
                stack_depth_is_exact(&tree, tree.stack_depth());
            }
        }
    }

    #[test]
    fn other_branching_factors_are_an_error() {
        let (bvh, triangles) = row_of_triangles(9);
        for branching in [0, 1, 2, 3, 5, 31, 33, 64] {
            let error = encode_wide_n(&bvh, &triangles, branching).unwrap_err();
            assert_eq!(error, LayoutError::BadBranching { found: branching });
        }
    }
}
