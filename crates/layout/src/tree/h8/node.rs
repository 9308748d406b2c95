//! The 64-byte block that is a node: how its bits read.

use crate::tree::Swizzle;
use bytemuck::{Pod, Zeroable};
use raywarp_geom::Aabb;

/// Number of child slots of a node.
pub(crate) const SLOTS: usize = 8;

/// Number of low bits in each of the corner's three words that hold other fields, too.
pub(crate) const FIELD_BITS: [u32; 3] = [2, 2, 7];
/// Largest value of [`H8Node::coarsest`], from which the stored field is subtracted: the coarsest step is 2^(31 -
/// field) grid steps.
const COARSEST: u32 = 31;
/// Number of blocks that a node's field `first` can address.
pub(crate) const MAX_BLOCKS: usize = 1 << 24;

/// Block of 64 bytes, four 16-byte loads, that encodes a node or a pair of triangles.
///
/// Chunk `k` of block `i` stands at place `k ^ (i >> 1 & 3)`, so that lanes which load the same chunk of different
/// blocks touch all eight parts of a cache line and not only two. (By `i & 3` it would be four: `i & 1` is the half of
/// a line.)
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct H8Block(pub [[u32; 4]; 4]);

impl H8Block {
    pub(crate) const SWIZZLE: Swizzle = Swizzle { shift: 1, mask: 3 };

    /// Returns the number, 0 to 3, with which positions of 16-byte chunks are xored in the block at `index`.
    #[inline]
    pub const fn swizzle(index: u32) -> u32 {
        Self::SWIZZLE.of(index)
    }

    /// Returns the four 16-byte chunks of the block at `index` in their logical order.
    #[inline]
    pub fn chunks(&self, index: u32) -> [[u32; 4]; 4] {
        std::array::from_fn(|k| self.0[k ^ Self::swizzle(index) as usize])
    }

    /// Makes the block at `index` from four 16-byte chunks in their logical order.
    pub(crate) fn new(index: u32, chunks: [[u32; 4]; 4]) -> Self {
        Self(std::array::from_fn(|place| chunks[place ^ Self::swizzle(index) as usize]))
    }
}

/// Decoded node of an [`H8`](super::H8) tree.
///
/// | word | bits |
/// |---|---|
/// | 0, 1, 2 | a float, all of it: the corner on an axis; and 0..2 three less the axis' `finer` |
/// | 2 | 2..7 31 less `coarsest` |
/// | 3 | 0..8 `inner`; 8..32 `first` |
/// | 4 * (1 + axis) + i | bytes: lower, upper plane of slot 2 i, lower, upper plane of slot 2 i + 1 |
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct H8Node {
    /// Origin of the node's own grid, in world units. Its lowest bits are what the other fields make them, so that
    /// kernels need no instruction to get it.
    pub corner: [f32; 3],
    /// Exponent of the largest step over the axes, which is 2^coarsest steps of the tree's grid.
    pub coarsest: u32,
    /// Exponent by which each axis' step is finer than the largest: 2^-finer of it, 0 to 3.
    pub finer: [u32; 3],
    /// Bit mask of the slots whose child is a node.
    pub inner: u8,
    /// Index of the first child's block. Nodes in the order of their slots, then leaves in the order of theirs.
    pub first: u32,
    /// Lower planes of the children's boxes in steps, by `[axis][slot]`; 255 for no child.
    pub lo: [[u8; SLOTS]; 3],
    /// Upper planes of the children's boxes in steps, by `[axis][slot]`; 0 for no child.
    pub hi: [[u8; SLOTS]; 3],
}

impl H8Node {
    /// Decodes a node from the block at `index`.
    #[inline]
    pub fn unpack(block: &H8Block, index: u32) -> Self {
        let [head, planes @ ..] = block.chunks(index);
        let bytes = |axis: usize, side: usize| -> [u8; SLOTS] {
            std::array::from_fn(|slot| (planes[axis][slot / 2] >> (16 * (slot % 2) + 8 * side)) as u8)
        };
        Self {
            corner: std::array::from_fn(|i| f32::from_bits(head[i])),
            coarsest: COARSEST - (head[2] >> 2 & 31),
            finer: std::array::from_fn(|i| 3 - (head[i] & 3)),
            inner: head[3] as u8,
            first: head[3] >> 8,
            lo: std::array::from_fn(|axis| bytes(axis, 0)),
            hi: std::array::from_fn(|axis| bytes(axis, 1)),
        }
    }

    /// Encodes the node as the block at `index`.
    pub(crate) fn pack(&self, index: u32) -> H8Block {
        let [x, y, z]: [u32; 3] = std::array::from_fn(|i| {
            let (bits, field) = (self.corner[i].to_bits(), (1 << FIELD_BITS[i]) - 1);
            bits & !field | self.field(i)
        });
        let head = [x, y, z, self.first << 8 | u32::from(self.inner)];
        let planes = |axis: usize| -> [u32; 4] {
            let [lo, hi] = [self.lo[axis], self.hi[axis]];
            std::array::from_fn(|i| u32::from_le_bytes([lo[2 * i], hi[2 * i], lo[2 * i + 1], hi[2 * i + 1]]))
        };
        H8Block::new(index, [head, planes(0), planes(1), planes(2)])
    }

    /// Returns the fields that are packed into the low bits of the corner's word on `axis`.
    pub(crate) fn field(&self, axis: usize) -> u32 {
        let coarsest = if axis == 2 { (COARSEST - self.coarsest) << 2 } else { 0 };
        (3 - self.finer[axis]) | coarsest
    }

    /// Returns `true` if there is a child in `slot`.
    #[inline]
    pub fn has_child(&self, slot: usize) -> bool {
        self.lo[0][slot] <= self.hi[0][slot]
    }

    /// Returns the bit mask of the slots that have a child.
    #[inline]
    pub fn children(&self) -> u8 {
        (0..SLOTS).fold(0, |used, slot| used | u8::from(self.has_child(slot)) << slot)
    }

    /// Returns `true` if the child in `slot` is a node.
    #[inline]
    pub fn is_inner(&self, slot: usize) -> bool {
        self.inner >> slot & 1 == 1
    }

    /// Returns the block index of the child in `slot`, which must exist.
    #[inline]
    pub fn child(&self, slot: usize) -> u32 {
        child_block(self.first, self.inner, slot)
    }

    /// Returns the node's step along `axis`, in steps of the tree's grid.
    #[inline]
    pub fn step(&self, axis: usize) -> f64 {
        2f64.powi(self.coarsest as i32 - self.finer[axis] as i32)
    }

    /// Returns the lower and the upper plane of `slot` along `axis` in world units, for a tree with the grid step
    /// `grid_step`.
    pub fn planes(&self, slot: usize, axis: usize, grid_step: f32) -> [f64; 2] {
        let step = self.step(axis) * f64::from(grid_step);
        let at = |q: u8| f64::from(self.corner[axis]) + f64::from(q) * step;
        [at(self.lo[axis][slot]), at(self.hi[axis][slot])]
    }

    /// Returns the box of the child in `slot` for a tree with the grid step `grid_step`; `None` without a child.
    pub fn child_bounds(&self, slot: usize, grid_step: f32) -> Option<Aabb> {
        let side = |side: usize| std::array::from_fn(|i| self.planes(slot, i, grid_step)[side] as f32);
        self.has_child(slot).then(|| Aabb { min: side(0), max: side(1) })
    }
}

/// Returns the block index of the child in `slot`, from the block `first` of the first child and the mask `inner` of
/// children that are nodes. The slot is 0 to 7; nodes come first, and no unused slot is below a leaf's.
#[inline]
pub fn child_block(first: u32, inner: u8, slot: usize) -> u32 {
    let below = (1u32 << slot) - 1;
    let inner = u32::from(inner);
    if inner >> slot & 1 == 1 {
        first + (inner & below).count_ones()
    } else {
        first + inner.count_ones() + (!inner & below).count_ones()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODE: H8Node = H8Node {
        // Bits that the fields leave: 3, 0 and 1 + 4 * 15 in the lowest.
        corner: [f32::from_bits(0x4040_0003), f32::from_bits(0xc010_0000), f32::from_bits(0x3f80_003d)],
        coarsest: 16,
        finer: [0, 3, 2],
        inner: 0b1010_0001,
        first: 0x00fe_dcba,
        lo: [[1, 2, 3, 4, 5, 6, 7, 255], [8; 8], [9; 8]],
        hi: [[11, 12, 13, 14, 15, 16, 17, 0], [18; 8], [19; 8]],
    };

    #[test]
    fn nodes_come_back_from_their_blocks_wherever_they_stand() {
        assert_eq!((size_of::<H8Block>(), align_of::<H8Block>()), (64, 64));
        for index in 0..8 {
            assert_eq!(H8Node::unpack(&NODE.pack(index), index), NODE);
        }
        assert_ne!(NODE.pack(0), NODE.pack(2));
    }

    #[test]
    fn bits_stand_where_kernels_look_for_them() {
        let [head, x, ..] = NODE.pack(2).chunks(2);
        assert_eq!(head[..3], [0x4040_0003, 0xc010_0000, 0x3f80_003d]);
        assert_eq!(head[3], 0xfedc_baa1);
        assert_eq!(x, [0x0c02_0b01, 0x0e04_0d03, 0x1006_0f05, 0x00ff_1107]);
    }

    #[test]
    fn nodes_come_before_leaves() {
        let node = H8Node { first: 100, ..NODE };
        assert_eq!([0, 5, 7].map(|slot| node.child(slot)), [100, 101, 102]);
        assert_eq!([1, 2, 3, 4, 6].map(|slot| node.child(slot)), [103, 104, 105, 106, 107]);
        assert!(!node.has_child(7) && node.has_child(6));
    }
}
