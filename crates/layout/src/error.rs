//! Errors of a tree that is to be encoded.

/// Errors of encoding a tree, and faults of an encoded one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// The tree was built over another number of triangles than it is encoded with.
    #[error("the tree is over {tree} primitives, but there are {triangles} triangles; build it over these triangles")]
    CountMismatch {
        /// Number of primitives that the tree was built over.
        tree: u32,
        /// Number of triangles given for the encoding.
        triangles: usize,
    },
    /// The tree has more triangles, references or nodes than the encoding's indices can count.
    #[error("the tree has {found} {what}, but its encoding holds at most {limit}; drop instances or split less")]
    TooMany {
        /// Name of what there are too many of, such as nodes.
        what: &'static str,
        /// Number of them that the tree has.
        found: usize,
        /// Largest number of them that the encoding can count.
        limit: usize,
    },
    /// A tree was asked for whose nodes have a number of children that no kernel supports.
    #[error("a node of {found} children cannot be encoded; 4, 8, 16 or 32 can")]
    BadBranching {
        /// Number of children that was asked for.
        found: usize,
    },
    /// A node of the binary tree breaks an invariant of [`raywarp_bvh::Bvh2`].
    #[error("node {node} of the tree is malformed: {fault}; this tree was not made by a builder")]
    BadNode {
        /// Index of the faulty node.
        node: usize,
        /// What is wrong with the node.
        fault: NodeFault,
    },
    /// A box has coordinates that are too large for the encoding.
    #[error(
        "the scene reaches farther than 2^{exponent} from its origin, which these nodes cannot hold; scale it down"
    )]
    TooFar {
        /// Exponent of the largest coordinate that fits, a power of two.
        exponent: u32,
    },
    /// A leaf of the binary tree holds more references than a leaf of the encoding can.
    #[error("leaf {node} of the tree holds {found} references, but at most {limit} fit; build with max_leaf {limit}")]
    LeafTooLarge {
        /// Index of the leaf.
        node: usize,
        /// Number of references in the leaf.
        found: u32,
        /// Largest number of references that a leaf of the encoding can hold.
        limit: u32,
    },
    /// The caller cancelled the encoding through [`Control::cancel`](raywarp_geom::Control::cancel).
    #[error("the encoding was cancelled")]
    Cancelled,
    /// An encoded tree breaks one of its own invariants.
    #[error("record {record} of the encoding is malformed: {fault}; this is a bug in Raywarp")]
    BadRecord {
        /// Index of the faulty node or triangle record.
        record: usize,
        /// What is wrong with the record.
        fault: RecordFault,
    },
}

/// Fault of a node of a binary tree that is to be encoded; "it" is the node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum NodeFault {
    #[error("its references are out of range")]
    ReferenceRange,
    #[error("another leaf has the same reference")]
    SharedReference,
    #[error("it references a primitive that is not there")]
    NoPrimitive,
    #[error("its children do not come after it")]
    ChildOrder,
    #[error("another node has the same child")]
    SharedChild,
    #[error("it has no parent")]
    NoParent,
    #[error("a reference is in no leaf")]
    UnusedReference,
    #[error("its box is empty or not finite")]
    BadBox,
    #[error("its box is empty")]
    EmptyBox,
}

/// Fault of a node or triangle record of an encoded tree; "it" is the record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the sentence of each variant says what it is")]
pub enum RecordFault {
    #[error("there is not one slot a record")]
    SlotCount,
    #[error("it is not whole")]
    NotWhole,
    #[error("a child does not come after it, or has two parents")]
    ChildOrderOrParents,
    #[error("a child does not come after it, or is not there")]
    ChildOrder,
    #[error("a child has two parents")]
    TwoParents,
    #[error("a child's box does not hold its children's boxes")]
    ChildBox,
    #[error("its box does not hold its children's boxes")]
    OwnBox,
    #[error("the tree's box does not hold its children's boxes")]
    TreeBox,
    #[error("a child's box is inverted")]
    InvertedBox,
    #[error("an unused child has a box or a count, or a used one after it")]
    UnusedChild,
    #[error("an unused slot has a box, or a used one after it")]
    UnusedSlotOrder,
    #[error("an unused slot has a box or is a node")]
    UnusedSlotNode,
    #[error("an unused slot has a box")]
    UnusedSlotBox,
    #[error("an unused slot is below a leaf")]
    UnusedSlotBelowLeaf,
    #[error("it has fewer than two children")]
    FewChildren,
    #[error("it has no child, or something in its reserved words")]
    NoChildOrReserved,
    #[error("it has no child")]
    NoChild,
    #[error("it has a base of children but none that is a node")]
    BaseWithoutNodes,
    #[error("its mask of nodes and a child's meta byte disagree")]
    MaskAndMeta,
    #[error("a leaf's meta byte is not unary, or its records do not follow the leaf before it")]
    LeafMeta,
    #[error("a leaf's records are out of range")]
    LeafRange,
    #[error("a record is in two leaves")]
    SharedRecord,
    #[error("a leaf's blocks are out of range, shared, or outside its box")]
    LeafBlocks,
    #[error("a leaf's order of corners is that of no triangles")]
    CornerOrder,
    #[error("a leaf has a corner of a triangle that is not there")]
    CornerOfNone,
    #[error("a leaf's box is beside its triangles")]
    LeafBox,
    #[error("its corners are not those of its triangles")]
    Corners,
    #[error("a triangle's index is out of range")]
    LeafTriangle,
    #[error("its triangle index is out of range")]
    TriangleIndex,
    #[error("what it does not use is not zero")]
    UnusedBytes,
    #[error("its grid is not finite, or too coarse or fine")]
    GridNumbers,
    #[error("its grid is too coarse or fine")]
    GridSteps,
    #[error("its grid does not begin at its children's smallest corner")]
    GridCorner,
    #[error("something is not reached from the root")]
    Unreached,
    #[error("a block is not reached from the root")]
    UnreachedBlock,
    #[error("the slots are not the triangles of the leaves")]
    Slots,
    #[error("the reach is less than the bounds'")]
    Reach,
    #[error("the bounds are not the root's")]
    Bounds,
    #[error("the stack depth is wrong")]
    StackDepth,
}
