//! Errors of a tree that is to be encoded.

/// Reasons why a tree cannot be encoded, or an encoding is broken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutError {
    /// The tree was built over another number of triangles than it is encoded with.
    #[error("the tree is over {tree} primitives, but there are {triangles} triangles; build it over these triangles")]
    CountMismatch {
        /// Primitives that the tree knows.
        tree: u32,
        /// Number of triangles given.
        triangles: usize,
    },
    /// More triangles, references or nodes than the encoding's indices hold.
    #[error("the tree has {found} {what}, but its encoding holds at most {limit}; drop instances or split less")]
    TooMany {
        /// Name of the things of which there are too many.
        what: &'static str,
        /// Number of things that the tree has.
        found: usize,
        /// The most that fit.
        limit: usize,
    },
    /// A tree is asked for whose nodes have a number of children that no kernel takes.
    #[error("a node of {found} children cannot be encoded; 4, 8, 16 or 32 can")]
    BadBranching {
        /// Number of children that was asked for.
        found: usize,
    },
    /// A node breaks an invariant of [`raywarp_bvh::Bvh2`].
    #[error("node {node} of the tree is malformed: {fault}; this tree was not made by a builder")]
    BadNode {
        /// Index of the node.
        node: usize,
        /// Description of the fault.
        fault: &'static str,
    },
    /// A box reaches where the encoding has no place for it.
    #[error(
        "the scene reaches farther than 2^{exponent} from its origin, which these nodes cannot hold; scale it down"
    )]
    TooFar {
        /// The greatest coordinate that fits is 2 to the power of this.
        exponent: u32,
    },
    /// A leaf holds more references than one of the encoding's leaves.
    #[error("leaf {node} of the tree holds {found} references, but at most {limit} fit; build with max_leaf {limit}")]
    LeafTooLarge {
        /// Index of the node.
        node: usize,
        /// References that it holds.
        found: u32,
        /// The most that fit.
        limit: u32,
    },
    /// An encoding breaks one of its own invariants.
    #[error("record {record} of the encoding is malformed: {fault}; this is a bug in Raywarp")]
    BadRecord {
        /// Index of the node or triangle record.
        record: usize,
        /// Description of the fault.
        fault: &'static str,
    },
}
