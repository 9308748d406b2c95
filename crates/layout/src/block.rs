//! The leaf record of SIMD kernels: a few triangles as a structure of arrays.

use bytemuck::{Pod, Zeroable};
use raywarp_geom::FlatTriangles;

/// Triangles a block holds.
pub const BLOCK: usize = 4;

/// Bits of a slot's word that are the index of its triangle in [`FlatTriangles`].
pub const INDEX_MASK: u32 = (1 << 30) - 1;

/// Set in a slot's word when a query must stop and ask about its triangle.
pub const NON_OPAQUE: u32 = 1 << 31;

/// Set in the word of slot 0 when the leaf goes on in the next block.
pub const MORE_BLOCKS: u32 = 1 << 30;

/// Index of an unused slot; its vertices are NaN, which no test hits.
pub const UNUSED_SLOT: u32 = INDEX_MASK;

/// Up to [`BLOCK`] triangles of a leaf.
///
/// Vertices are plain world-space f32 and nothing is precomputed, so that a triangle gives the same
/// `t`, bit for bit, in whatever slot it stands.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C, align(32))]
pub struct TriangleBlock {
    /// Coordinates of the corners: `corners[corner][axis][slot]`.
    pub corners: [[[f32; BLOCK]; 3]; 3],
    /// Index and flags of each slot; flags see [`NON_OPAQUE`], [`MORE_BLOCKS`].
    pub slots: [u32; BLOCK],
}

impl TriangleBlock {
    /// Returns a block of `references`, at most [`BLOCK`] of them, each in range.
    pub(crate) fn new(triangles: &FlatTriangles, references: &[u32], more: bool) -> Self {
        let mut block = Self { corners: [[[f32::NAN; BLOCK]; 3]; 3], slots: [UNUSED_SLOT; BLOCK] };
        for (slot, &index) in references.iter().enumerate() {
            let vertices = &triangles.vertices[index as usize];
            for (corner, vertex) in vertices.iter().enumerate() {
                for (axis, &x) in vertex.iter().enumerate() {
                    block.corners[corner][axis][slot] = x;
                }
            }
            block.slots[slot] = index | if triangles.opaque[index as usize] { 0 } else { NON_OPAQUE };
        }
        if more {
            block.slots[0] |= MORE_BLOCKS;
        }
        block
    }

    /// Returns the index of the triangle in `slot`, or `None` if it is unused.
    #[inline]
    pub fn index(&self, slot: usize) -> Option<u32> {
        let index = self.slots[slot] & INDEX_MASK;
        (index != UNUSED_SLOT).then_some(index)
    }

    /// Returns `true` if the triangle in `slot` is opaque, so that no query has to ask about it.
    #[inline]
    pub fn is_opaque(&self, slot: usize) -> bool {
        self.slots[slot] & NON_OPAQUE == 0
    }

    /// Returns `true` if the leaf goes on in the next block.
    #[inline]
    pub fn has_more(&self) -> bool {
        self.slots[0] & MORE_BLOCKS != 0
    }

    /// Returns the corners of the triangle in `slot`.
    #[inline]
    pub fn vertices(&self, slot: usize) -> [[f32; 3]; 3] {
        std::array::from_fn(|corner| std::array::from_fn(|axis| self.corners[corner][axis][slot]))
    }

    /// Returns the number of slots in use.
    #[inline]
    pub fn len(&self) -> usize {
        (0..BLOCK).filter(|&slot| self.index(slot).is_some()).count()
    }

    /// Returns `true` if no slot is used, which no encoder makes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
