//! The canonical tree: what builders make, optimisers change and encoders take.
//!
//! Invariants ([`Bvh2::validate`] checks each):
//! - node 0 is the root; the two children of an inner node stand side by side, the pairs in
//!   depth-first order: first the pair of the root's children at 1 and 2, then all pairs below the
//!   left child, then all below the right one, and so on downwards, without gaps;
//! - boxes are finite, and a node's box holds its children's boxes;
//! - each leaf has at least one reference, and the leaves' ranges cover `references` exactly once;
//! - every primitive is referenced at least once (more often after splitting, never twice in a leaf),
//!   and the boxes of the leaves that hold it reach around it.

use raywarp_geom::Aabb;

/// Node of a binary tree, inner or leaf: 32 bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
#[repr(C)]
pub struct Node {
    /// Bounding box of everything below the node.
    pub bounds: Aabb,
    /// Index of the left child of an inner node, which the right child follows, or of a leaf's first reference.
    pub first: u32,
    /// Number of primitive references of a leaf; 0 for an inner node.
    pub count: u32,
}

impl Node {
    /// Returns `true` if the node holds primitives instead of children.
    #[inline]
    pub fn is_leaf(&self) -> bool {
        self.count > 0
    }
}

/// Binary bounding volume hierarchy over the primitives `0..primitive_count`.
#[derive(Debug, Clone, PartialEq)]
pub struct Bvh2 {
    /// Nodes; empty for a scene without primitives, otherwise node 0 is the root.
    pub nodes: Vec<Node>,
    /// Primitive indices, leaf by leaf.
    pub references: Vec<u32>,
    /// Number of primitives that the tree was built over.
    pub primitive_count: u32,
}
