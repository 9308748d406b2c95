//! Siblings that are yet to be visited, in octant order (YKL17 3.2): what the stacks of eight-wide trees hold.

/// Siblings that are yet to be visited: 8 bytes on a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct NodeGroup {
    /// Index of the first child of their parent that is a node.
    pub first: u32,
    /// Slots of the parent that are nodes.
    pub inner: u8,
    /// Slots that the ray hits and that are nodes.
    pub hits: u8,
}

impl NodeGroup {
    /// The root by itself.
    pub const ROOT: Self = Self { first: 0, inner: 1, hits: 1 };

    /// Takes the node that a ray from `octant` meets first, about: the slot nearest to the octant. There is one.
    #[inline]
    pub fn take_nearest(&mut self, octant: usize) -> u32 {
        let slot = (0..8).map(|i| i ^ octant).find(|slot| self.hits >> slot & 1 == 1).unwrap_or(0);
        self.hits &= !(1 << slot);
        self.first + (self.inner & ((1 << slot) - 1)).count_ones()
    }
}
