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
        /// Description of what is wrong with the node.
        fault: &'static str,
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
    /// An encoded tree breaks one of its own invariants.
    #[error("record {record} of the encoding is malformed: {fault}; this is a bug in Raywarp")]
    BadRecord {
        /// Index of the faulty node or triangle record.
        record: usize,
        /// Description of what is wrong with the record.
        fault: &'static str,
    },
}
