//! The leaf record of SIMD kernels: a few triangles as a structure of arrays.

use bytemuck::{Pod, Zeroable};
use raywarp_geom::TriangleSource;

/// Number of triangles that a [`TriangleBlock`] holds.
pub const BLOCK: usize = 4;

/// Mask of the bits of a slot's word that are the index of its triangle, such as in
/// [`FlatTriangles`](raywarp_geom::FlatTriangles).
pub const INDEX_MASK: u32 = (1 << 30) - 1;

/// Flag in a slot's word that its triangle is not opaque, so that the caller must decide about a hit (alpha).
pub const NON_OPAQUE: u32 = 1 << 31;

/// Flag in the word of slot 0 that the leaf continues in the next block.
pub const MORE_BLOCKS: u32 = 1 << 30;

/// Triangle index that marks an unused slot, whose vertices are NaN, so that no test hits it.
pub const UNUSED_SLOT: u32 = INDEX_MASK;

/// Leaf data for SIMD tests: up to [`BLOCK`] triangles, their coordinates arranged by component.
///
/// Vertices are plain world-space f32 and nothing is precomputed, so that a triangle gives the same
/// `t`, bit for bit, in whatever slot it stands.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C, align(32))]
pub struct TriangleBlock {
    /// Coordinates of the corners: `corners[corner][axis][slot]`.
    pub corners: [[[f32; BLOCK]; 3]; 3],
    /// Triangle index and flags of each slot; the flags are [`NON_OPAQUE`] and [`MORE_BLOCKS`].
    pub slots: [u32; BLOCK],
}

impl TriangleBlock {
    /// Makes a block of the triangles with the indices `references`, at most [`BLOCK`] of them; `more` if the leaf
    /// continues.
    pub(crate) fn new(triangles: &dyn TriangleSource, references: &[u32], more: bool) -> Self {
        let mut block = Self { corners: [[[f32::NAN; BLOCK]; 3]; 3], slots: [UNUSED_SLOT; BLOCK] };
        let mut found = [[[0.0; 3]; 3]; BLOCK];
        triangles.gather(references, &mut found);
        for (slot, (&index, vertices)) in references.iter().zip(&found).enumerate() {
            for (corner, vertex) in vertices.iter().enumerate() {
                for (axis, &x) in vertex.iter().enumerate() {
                    block.corners[corner][axis][slot] = x;
                }
            }
            block.slots[slot] = index | if triangles.is_opaque(index as usize) { 0 } else { NON_OPAQUE };
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

    /// Returns `true` if the triangle in `slot` is opaque, so that no caller has to decide about a hit.
    #[inline]
    pub fn is_opaque(&self, slot: usize) -> bool {
        self.slots[slot] & NON_OPAQUE == 0
    }

    /// Returns `true` if the leaf continues in the next block.
    #[inline]
    pub fn has_more(&self) -> bool {
        self.slots[0] & MORE_BLOCKS != 0
    }

    /// Returns the corners of the triangle in `slot`.
    #[inline]
    pub fn vertices(&self, slot: usize) -> [[f32; 3]; 3] {
        std::array::from_fn(|corner| std::array::from_fn(|axis| self.corners[corner][axis][slot]))
    }

    /// Returns the number of slots that hold a triangle.
    #[inline]
    pub fn len(&self) -> usize {
        (0..BLOCK).filter(|&slot| self.index(slot).is_some()).count()
    }

    /// Returns `true` if no slot holds a triangle, which no encoder makes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
