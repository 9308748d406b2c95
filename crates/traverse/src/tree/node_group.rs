//! Siblings that are yet to be visited, in octant order (YKL17 3.2): what the stacks of eight-wide trees hold.

/// A group of sibling nodes that are yet to be visited, as a stack entry: 8 bytes on a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NodeGroup {
    /// Index of the first of their parent's children that is a node.
    pub first: u32,
    /// Mask of the parent's slots that hold nodes.
    pub inner: u8,
    /// Mask of the slots with nodes that the ray hits and has yet to visit.
    pub hits: u8,
}

impl NodeGroup {
    /// The group of the root alone.
    pub const ROOT: Self = Self { first: 0, inner: 1, hits: 1 };

    /// Takes the node that a ray of direction octant `octant` meets about first: the slot nearest to the octant. There
    /// is one.
    #[inline]
    pub fn take_nearest(&mut self, octant: usize) -> u32 {
        let slot = (0..8).map(|i| i ^ octant).find(|slot| self.hits >> slot & 1 == 1).unwrap_or(0);
        self.hits &= !(1 << slot);
        self.first + (self.inner & ((1 << slot) - 1)).count_ones()
    }
}
