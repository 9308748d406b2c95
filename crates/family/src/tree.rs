//! Kinds of trees, the third part of a variant, and all that options and schedules ask of a kind: nothing else in this
//! crate names one.

use crate::part::named;

named! {
    /// Kind of bounding volume hierarchy that kernels walk.
    Tree {
        /// Binary tree with nodes of 64 bytes (AL09 2).
        Bvh2 = "bvh2",
        /// Tree of four children a node, in 128 bytes (G14 4.1, L9).
        Wide4 = "wide4",
        /// Tree of four children a node, compressed to 64 bytes (Embree's QBVH4, with the grid of YKL17).
        Qbvh4 = "qbvh4",
        /// Tree with as many children a node as lanes that share a ray (AL09 5.3).
        WideN = "wideN",
        /// Tree of eight children a node, compressed to 80 bytes (YKL17).
        Cwbvh8 = "cwbvh8",
        /// Tree of eight children a node, in 64 bytes, with pairs of triangles as leaves (ours).
        H8 = "h8",
    }
}

impl Tree {
    /// Returns the largest number of triangles in a leaf of a binary tree that this kind of tree can be made from.
    pub fn max_leaf(self) -> u32 {
        match self {
            Self::Bvh2 | Self::Wide4 | Self::WideN => u32::MAX,
            Self::Qbvh4 => 16,
            Self::Cwbvh8 => 3,
            Self::H8 => 1,
        }
    }

    /// Returns the largest number of children of a node.
    pub fn most_children(self) -> u32 {
        match self {
            Self::Bvh2 => 2,
            Self::Wide4 | Self::Qbvh4 => 4,
            Self::Cwbvh8 | Self::H8 => 8,
            Self::WideN => 32,
        }
    }

    /// Returns `true` if the triangles of all hit leaves of a node come as one group; such nodes are compressed, and
    /// order their children by ray octant.
    pub fn groups_leaves(self) -> bool {
        matches!(self, Self::Cwbvh8 | Self::H8)
    }

    /// Returns `true` if several lanes share a ray and each tests one child of a node.
    pub fn shares_rays(self) -> bool {
        self == Self::WideN
    }

    /// Returns `true` if leaves hold triangles in pairs for a watertight test of both, with box planes padded for that
    /// test.
    pub const fn holds_pairs(self) -> bool {
        matches!(self, Self::H8)
    }

    /// Returns `true` if a node's four children are pulled up by a [`Collapse`](crate::Collapse), and ordered by a
    /// [`ChildOrder`](crate::ChildOrder).
    pub const fn pulls_up_four(self) -> bool {
        matches!(self, Self::Wide4 | Self::Qbvh4)
    }

    /// Returns `true` if a warp can walk the tree as a packet, with one stack for all rays (AL09 3.1).
    pub fn takes_packets(self) -> bool {
        self == Self::Bvh2
    }
}
