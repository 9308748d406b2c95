//! The 80-byte node and how its bytes read.
//!
//! Source: Ylitie, Karras, Laine 2017 (YKL17), section 3.1 to 3.3: boxes on a local grid of 8 bits an
//! axis, children in slots by octant, and a byte a child that a kernel turns into bits of its hit
//! mask by shifts alone.

use crate::byte_grid;
use bytemuck::{Pod, Zeroable};
use raywarp_geom::Aabb;
use std::ops::Range;

/// Number of child slots of a node.
pub(crate) const SLOTS: usize = 8;

/// Largest number of triangles in a leaf: what the three unary bits of [`Cwbvh8Node::meta`] can count.
pub(crate) const MAX_LEAF: u32 = 3;

/// Least value of the five low bits of [`Cwbvh8Node::meta`] that means a node. Smaller values count the triangle
/// records before a leaf's own, of up to eight full leaves.
const FIRST_NODE_BIT: u8 = 24;

/// Compressed node of up to eight children with quantised boxes: 80 bytes, five 16-byte loads on a GPU.
///
/// Plane `q` of an axis lies at `origin + q * scale`, see [`Cwbvh8Node::scale`]. The bits of a slot
/// say on which side of the node's middle its child lies (4: x, 2: y, 1: z; set: the upper side), as
/// far as eight children can be spread so; see [`Cwbvh8Node::octant`].
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C, align(16))]
pub struct Cwbvh8Node {
    /// Origin of the node's grid: the smallest corner of all children's boxes.
    pub origin: [f32; 3],
    /// Biased exponent of the grid step on each axis, as in the bits of an f32: the step is 2^(e - 127).
    pub exponents: [u8; 3],
    /// Bit mask of the slots whose child is a node.
    pub imask: u8,
    /// Index of the first child that is a node; the others follow in the order of their slots; 0 where there is none.
    pub child_base: u32,
    /// Index of the first triangle record of those children that are leaves.
    pub record_base: u32,
    /// Meta byte of each slot: 0 for no child, else the kind of child and, for a leaf, its triangle records. A node:
    /// `0b001` above `24 + slot`. A leaf: its 1 to 3 records in unary (`001`, `011`, `111`) above the first one's
    /// offset from `record_base`, 0 to 23.
    pub meta: [u8; SLOTS],
    /// Lower planes of the children's boxes in grid steps, by `[axis][slot]`; 255 for no child.
    pub lo: [[u8; SLOTS]; 3],
    /// Upper planes of the children's boxes in grid steps, by `[axis][slot]`; 0 for no child.
    pub hi: [[u8; SLOTS]; 3],
}

impl Cwbvh8Node {
    /// Node without children.
    pub(crate) const EMPTY: Self = Self {
        origin: [0.0; 3],
        exponents: [1; 3],
        imask: 0,
        child_base: 0,
        record_base: 0,
        meta: [0; SLOTS],
        lo: [[255; SLOTS]; 3],
        hi: [[0; SLOTS]; 3],
    };

    /// Returns the octant from which a ray with this direction comes: a bit (4: x, 2: y, 1: z) for each negative
    /// component. It meets children about in the order of increasing `slot ^ octant` (YKL17 3.2).
    #[inline]
    pub fn octant(direction: &[f32; 3]) -> usize {
        let bit = |axis: usize, bit: usize| if direction[axis] < 0.0 { bit } else { 0 };
        bit(0, 4) | bit(1, 2) | bit(2, 1)
    }

    /// Returns the grid step along `axis`: a power of two, normal and finite.
    #[inline]
    pub fn scale(&self, axis: usize) -> f32 {
        byte_grid::step(self.exponents[axis])
    }

    /// Returns the coordinate of plane `q` along `axis`, with the bits of a fused multiply-add wherever it is finite.
    #[inline]
    pub fn plane(&self, axis: usize, q: u8) -> f32 {
        byte_grid::plane(self.origin[axis], self.exponents[axis], q)
    }

    /// Returns `true` if there is a child in `slot`.
    #[inline]
    pub fn has_child(&self, slot: usize) -> bool {
        self.meta[slot] != 0
    }

    /// Returns `true` if the child in `slot` is a node.
    #[inline]
    pub fn is_inner(&self, slot: usize) -> bool {
        self.imask & (1 << slot) != 0
    }

    /// Returns the decoded box of the child in `slot`, which holds the exact one; `None` without a child.
    ///
    /// It may stick out of this node's own box in its parent, and a child's boxes out of it, by
    /// less than one grid step each.
    #[inline]
    pub fn child_bounds(&self, slot: usize) -> Option<Aabb> {
        self.has_child(slot).then(|| Aabb {
            min: std::array::from_fn(|axis| self.plane(axis, self.lo[axis][slot])),
            max: std::array::from_fn(|axis| self.plane(axis, self.hi[axis][slot])),
        })
    }

    /// Returns the index of the node in `slot`, which must be one ([`Cwbvh8Node::is_inner`]).
    #[inline]
    pub fn child_node(&self, slot: usize) -> u32 {
        let lower = self.imask & ((1 << slot) - 1);
        self.child_base + lower.count_ones()
    }

    /// Returns the range of triangle records of the leaf in `slot`; empty for a node or no child.
    #[inline]
    pub fn leaf_records(&self, slot: usize) -> Range<u32> {
        let meta = self.meta[slot];
        let first = self.record_base + u32::from(meta & 31);
        let count = if self.is_inner(slot) { 0 } else { (meta >> 5).count_ones() };
        first..first + count
    }

    /// Returns the meta byte of a child in `slot` that is a node.
    pub(crate) fn node_meta(slot: usize) -> u8 {
        (1 << 5) | (FIRST_NODE_BIT + slot as u8)
    }

    /// Returns the meta byte of a leaf of 1 to [`MAX_LEAF`] triangle records that begin `offset` after the node's
    /// first.
    pub(crate) fn leaf_meta(offset: u32, count: u32) -> u8 {
        (((1 << count) - 1) << 5) as u8 | offset as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_80_bytes_in_the_papers_order() {
        assert_eq!((size_of::<Cwbvh8Node>(), align_of::<Cwbvh8Node>()), (80, 16));
        let node = Cwbvh8Node {
            origin: [1.0, 2.0, 3.0],
            exponents: [4, 5, 6],
            imask: 7,
            child_base: 8,
            record_base: 9,
            meta: [10; 8],
            lo: [[11; 8], [12; 8], [13; 8]],
            hi: [[14; 8], [15; 8], [16; 8]],
        };
        let bytes = bytemuck::bytes_of(&node);
        assert_eq!(bytes[12..24], [4, 5, 6, 7, 8, 0, 0, 0, 9, 0, 0, 0]);
        assert_eq!(bytes[24..32], [10; 8]);
        let planes: Vec<u8> = (11..17).flat_map(|b| [b; 8]).collect();
        assert_eq!(bytes[32..], planes);
    }

    #[test]
    fn meta_bytes_are_the_papers() {
        assert_eq!(Cwbvh8Node::node_meta(0), 0b001_11000);
        assert_eq!(Cwbvh8Node::node_meta(7), 0b001_11111);
        assert_eq!([1, 2, 3].map(|n| Cwbvh8Node::leaf_meta(21, n)), [0b001_10101, 0b011_10101, 0b111_10101]);
    }

    #[test]
    fn children_are_found_by_counting_bits() {
        let node = Cwbvh8Node {
            imask: 0b0010_1001,
            child_base: 100,
            record_base: 50,
            meta: [0b001_11000, 0, 0b111_00000, 0b001_11011, 0b001_00011, 0b001_11101, 0, 0b011_00100],
            ..Cwbvh8Node::EMPTY
        };
        assert_eq!([0, 3, 5].map(|slot| node.child_node(slot)), [100, 101, 102]);
        assert_eq!([2, 4, 7].map(|slot| node.leaf_records(slot)), [50..53, 53..54, 54..56]);
        assert!([0, 1, 3, 5, 6].iter().all(|&slot| node.leaf_records(slot).is_empty()));
        assert_eq!((0..8).filter(|&slot| node.has_child(slot)).count(), 6);
        assert_eq!(node.child_bounds(1), None);
    }
}
