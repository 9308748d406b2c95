//! Compressed four-wide tree: the tree of [`encode_wide4`](crate::encode_wide4) in nodes of half the size, whose boxes are bytes.
//!
//! Sources: four boxes on a grid of 8 bits a plane, as Embree's `QBVH4` has them (Benthin, Wald, Woop and Afra 2018
//! compare it); the step a power of two as by Ylitie, Karras and Laine 2017 (YKL17 3.1), so that a plane is one
//! multiply-add for kernels. Collapse (G14 4.1, L9), leaves and the order of their records are that tree's: what
//! differs in a trial of both is what boxes in bytes bring and cost.
//!
//! Invariants ([`Qbvh4::validate`] checks each): those of the tree in floats, and
//! - a child's box holds the one that was encoded, by less than a step of its node's grid a plane; its own children's
//!   boxes may stick out of it by less than a step of theirs;
//! - the grid is finite and begins at the children's smallest corner; no box is inverted but those of unused slots,
//!   whose planes are 255 and 0;
//! - what a node does not use is zero.

use crate::byte_grid::{self, BYTE_EXPONENT, MAX_EXPONENT};
use crate::child_word::{leaf_records, leaf_word};
use crate::file::{Contents, LoadedContents, Parts, Stored, check_branching};
use crate::node_table::{self, Child, NodeTable, Plan};
use crate::pull_up::PullUp;
use crate::tree::{KernelTree, MemoryLayout, Swizzle};
use crate::{Collapse, LayoutError, MOST_RECORDS, NO_CHILD, RecordFault, structure};
use bytemuck::{Pod, Zeroable};
use raywarp_bvh::Bvh2;
use raywarp_geom::{Aabb, FlatTriangles};

/// Node of up to four children with quantised boxes: 64 bytes, half a cache line of a GPU, four 16-byte loads.
///
/// Plane `q` of an axis lies at `origin + q * 2^(exponent - 127)`, in world units.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct Qbvh4Node {
    /// Origin of the node's grid: the smallest corner of all children's boxes.
    pub origin: [f32; 3],
    /// Biased exponent of the grid step on each axis, as in the bits of an f32: 1 to 249.
    pub exponents: [u8; 3],
    /// Unused byte, always zero.
    pub unused_byte: u8,
    /// Planes of the four children's boxes in grid steps: rows min x, max x, min y, max y, min z, max z. They are 255
    /// and 0 for no child.
    pub planes: [[u8; 4]; 6],
    /// Unused words, always zero.
    pub unused: [u32; 2],
    /// Index of each child's node, a [`leaf_word`] for a leaf, or [`NO_CHILD`].
    pub children: [u32; 4],
}

impl Qbvh4Node {
    /// Largest number of children of a node.
    pub const BRANCHING: usize = 4;

    /// Makes a node of one to four children, whose boxes are finite and whose leaves fit a word.
    fn new(children: &[Child]) -> Result<Self, LayoutError> {
        let mut node = Self::zeroed();
        node.children = [NO_CHILD; 4];
        for (word, child) in node.children.iter_mut().zip(children) {
            *word = match child.count {
                0 => child.child,
                count => leaf_word(child.child, count).ok_or(LayoutError::TooMany {
                    what: "references",
                    found: child.child as usize + count as usize,
                    limit: 1 << 27,
                })?,
            };
        }
        for axis in 0..3 {
            let span = |slot: usize| children.get(slot).map(|c| [c.bounds.min[axis], c.bounds.max[axis]]);
            let grid = byte_grid::quantize::<4>(&std::array::from_fn(span));
            (node.origin[axis], node.exponents[axis]) = (grid.origin, grid.exponent);
            (node.planes[2 * axis], node.planes[2 * axis + 1]) = (grid.lo, grid.hi);
        }
        Ok(node)
    }

    /// Returns the grid steps along the axes in world units: powers of two, normal and finite.
    #[inline]
    pub fn scale(&self) -> [f32; 3] {
        self.exponents.map(byte_grid::step)
    }

    /// Returns the decoded box of the child in `slot`, which holds the exact one; empty without a child.
    #[inline]
    pub fn bounds(&self, slot: usize) -> Aabb {
        if (0..3).all(|axis| self.bytes(axis, slot) == [255, 0]) {
            return Aabb::EMPTY;
        }
        self.decoded(|axis| self.bytes(axis, slot))
    }

    /// Returns the first triangle record and the number of records (1 to [`MOST_RECORDS`]) of the leaf in `slot`, if it
    /// is one.
    #[inline]
    pub fn leaf(&self, slot: usize) -> Option<(u32, u32)> {
        leaf_records(self.children[slot])
    }

    /// Returns the lower and the upper plane of the child in `slot` along `axis`, in grid steps.
    fn bytes(&self, axis: usize, slot: usize) -> [u8; 2] {
        [self.planes[2 * axis][slot], self.planes[2 * axis + 1][slot]]
    }

    fn decoded(&self, bytes: impl Fn(usize) -> [u8; 2]) -> Aabb {
        let plane =
            |axis: usize, side: usize| byte_grid::plane(self.origin[axis], self.exponents[axis], bytes(axis)[side]);
        Aabb { min: std::array::from_fn(|axis| plane(axis, 0)), max: std::array::from_fn(|axis| plane(axis, 1)) }
    }

    /// Returns a fault of the node by itself, if it has one.
    fn fault(&self) -> Option<RecordFault> {
        let used = |slot: &usize| self.children[*slot] != NO_CHILD;
        if self.unused_byte != 0 || self.unused != [0; 2] {
            return Some(RecordFault::UnusedBytes);
        }
        for axis in 0..3 {
            if !self.origin[axis].is_finite() || !(1..=MAX_EXPONENT).contains(&self.exponents[axis]) {
                return Some(RecordFault::GridNumbers);
            }
            if (0..Self::BRANCHING).filter(used).any(|slot| self.bytes(axis, slot)[0] > self.bytes(axis, slot)[1]) {
                return Some(RecordFault::InvertedBox);
            }
            if !self.planes[2 * axis].contains(&0) {
                return Some(RecordFault::GridCorner);
            }
        }
        None
    }
}

/// Four-wide tree of [`Qbvh4Node`]s with quantised boxes. Empty for a scene without triangles.
///
/// The records of its leaves are [`crate::TriangleRecords`], made from [`Qbvh4::slots`].
#[derive(Debug, Clone)]
pub struct Qbvh4 {
    nodes: Vec<Qbvh4Node>,
    slots: Vec<u32>,
    bounds: Aabb,
    stack_depth: usize,
}

/// Encodes `bvh` as nodes of up to four children with quantised boxes, those of [`crate::encode_wide4`] box for box.
///
/// - Input: boxes finite and not empty, in world units; leaves of at most [`MOST_RECORDS`] references, 2^27 in all.
/// - Output: for n inner nodes, between ceil(n / 3) and n nodes of 64 bytes, depth first; one for a tree that is one
///   leaf. Equal input gives equal bytes. O(n).
///
/// # Errors
/// As [`crate::encode_wide8`]; [`LayoutError::LeafTooLarge`] if a leaf of `bvh` holds more than [`MOST_RECORDS`]
/// references, [`LayoutError::TooMany`] for more than 2^27 in all; [`LayoutError::BadNode`] also if a box is empty or
/// not finite.
///
/// # Examples
/// ```
/// use raywarp_bvh::{BuildOptions, build};
/// use raywarp_layout::{Collapse, encode_qbvh4};
///
/// let triangle = |x: f32| [[x, 0.0, 0.0], [x + 1.0, 0.0, 0.0], [x, 1.0, 0.0]];
/// let triangles = raywarp_geom::FlatTriangles::from_vertices((0..4).map(|i| triangle(i as f32)).collect());
/// let bvh = build(&triangles, &BuildOptions { max_leaf: 1, ..BuildOptions::default() })?;
/// let tree = encode_qbvh4(&bvh, &triangles, Collapse::Guthe)?;
/// // From 0 to 4 along x are 128 steps of 2^-5: all corners lie on the grid.
/// assert_eq!(tree.nodes()[0].planes[..2], [[0, 32, 64, 96], [32, 64, 96, 128]]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn encode_qbvh4(bvh: &Bvh2, triangles: &FlatTriangles, collapse: Collapse) -> Result<Qbvh4, LayoutError> {
    structure::check(bvh, triangles)?;
    structure::check_boxes(bvh, MOST_RECORDS)?;
    let plan = Plan::new(bvh, &PullUp::new(bvh, collapse, Qbvh4Node::BRANCHING));
    let mut tree = Qbvh4 {
        nodes: plan.nodes().map(Qbvh4Node::new).collect::<Result<_, _>>()?,
        slots: node_table::slots(bvh, triangles),
        bounds: bvh.nodes.first().map_or(Aabb::EMPTY, |root| root.bounds),
        stack_depth: 0,
    };
    tree.stack_depth = node_table::stack_depth(&tree);
    Ok(tree)
}

impl KernelTree for Qbvh4 {
    const LAYOUT: MemoryLayout = MemoryLayout {
        node_bytes: size_of::<Qbvh4Node>() as u32,
        node_bytes_read: size_of::<Qbvh4Node>() as u32,
        record_bytes: MemoryLayout::RECORD_BYTES,
        records_among_nodes: false,
        swizzle: Swizzle::NONE,
        children: &[],
    };

    fn node_words(&self) -> &[u32] {
        bytemuck::cast_slice(&self.nodes)
    }

    fn node_count(&self) -> usize {
        self.nodes.len()
    }

    fn kernel_words(&self) -> (u32, f32) {
        (BYTE_EXPONENT, 0.0)
    }
}

impl NodeTable for Qbvh4 {
    fn node_count(&self) -> usize {
        self.nodes.len()
    }

    fn branching(&self) -> usize {
        Qbvh4Node::BRANCHING
    }

    fn child(&self, node: usize, slot: usize) -> Child {
        let node = &self.nodes[node];
        let (child, count) = node.leaf(slot).unwrap_or((node.children[slot], 0));
        Child { bounds: node.bounds(slot), child, count }
    }

    fn known_bounds(&self, node: usize, slot: usize) -> Aabb {
        let node = &self.nodes[node];
        // Less than a step inside of each plane; a box that ends where the grid begins is as flat as that.
        let within = |axis: usize| {
            let [lo, hi] = node.bytes(axis, slot);
            [lo.saturating_add(1), hi.saturating_sub(1)]
        };
        if node.children[slot] == NO_CHILD { Aabb::EMPTY } else { node.decoded(within) }
    }
}

impl Stored for Qbvh4 {
    type Record = Qbvh4Node;
    const KIND: u32 = 8;
    const NAME: &'static str = "Qbvh4";

    fn parts(&self) -> Parts<'_, Qbvh4Node> {
        let (slots, bounds, stack_depth) = (&self.slots[..], self.bounds, self.stack_depth);
        Parts { branching: Qbvh4Node::BRANCHING, records: &self.nodes, slots, bounds, stack_depth, extra: 0.0 }
    }

    fn from_loaded(loaded: LoadedContents<Qbvh4Node>, _: &FlatTriangles) -> Result<Self, LayoutError> {
        let Contents { branching, records: nodes, slots, bounds, stack_depth, .. } = loaded;
        check_branching(branching, Qbvh4Node::BRANCHING)?;
        let tree = Self { nodes, slots, bounds, stack_depth };
        tree.validate().map(|()| tree)
    }
}

impl Qbvh4 {
    /// Returns the nodes in depth-first order; the first is the root. Empty without triangles.
    #[inline]
    pub fn nodes(&self) -> &[Qbvh4Node] {
        &self.nodes
    }

    /// Returns for each triangle record, leaf by leaf, the index of its triangle, with the flag [`crate::NON_OPAQUE`].
    #[inline]
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// Returns the bounding box of the whole tree, as it was before it was quantised.
    #[inline]
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// Returns the number of stack entries that suffice for a traversal which pushes all hit children but one,
    /// whichever, and goes on with that one.
    #[inline]
    pub fn stack_depth(&self) -> usize {
        self.stack_depth
    }

    /// Returns the size of nodes and slots in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.nodes[..]) + size_of_val(&self.slots[..])
    }

    /// Checks every invariant stated at the head of the module. O(n).
    ///
    /// # Errors
    /// [`LayoutError::BadRecord`] with the first that is broken.
    pub fn validate(&self) -> Result<(), LayoutError> {
        node_table::validate(self, &self.slots, &self.bounds, self.stack_depth)?;
        for (record, node) in self.nodes.iter().enumerate() {
            if let Some(fault) = node.fault() {
                return Err(LayoutError::BadRecord { record, fault });
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode_wide4;
    use crate::node_table::tests::{Damageable, notices_damage, row_of_triangles, stack_depth_is_exact};

    impl Damageable for Qbvh4 {
        /// Replaces a child, with its box rounded to the nearest planes and its count limited to the largest.
        fn set_child(&mut self, node: usize, slot: usize, child: Child) {
            let node = &mut self.nodes[node];
            node.children[slot] = match child.count {
                0 => child.child,
                count => 1 << 31 | (count.min(MOST_RECORDS) - 1) << 27 | child.child & ((1 << 27) - 1),
            };
            for axis in 0..3 {
                let steps = |x: f32| ((x - node.origin[axis]) / node.scale()[axis]).round() as u8;
                let (lo, hi) = (steps(child.bounds.min[axis]), steps(child.bounds.max[axis]));
                (node.planes[2 * axis][slot], node.planes[2 * axis + 1][slot]) = (lo, hi);
            }
        }

        fn rest(&mut self) -> (&mut Vec<u32>, &mut Aabb, &mut usize) {
            (&mut self.slots, &mut self.bounds, &mut self.stack_depth)
        }

        fn check(&self) -> Result<(), LayoutError> {
            self.validate()
        }
    }

    fn encoded(count: usize, collapse: Collapse) -> Qbvh4 {
        let (bvh, triangles) = row_of_triangles(count);
        encode_qbvh4(&bvh, &triangles, collapse).unwrap()
    }

    #[test]
    fn a_node_is_64_bytes_with_its_links_in_the_last_16() {
        assert_eq!((size_of::<Qbvh4Node>(), align_of::<Qbvh4Node>()), (64, 64));
        let bounds = Aabb { min: [1.0, 3.0, 5.0], max: [2.0, 4.0, 5.0] };
        let node = Qbvh4Node::new(&[Child { bounds, child: 7, count: 8 }]).unwrap();
        let words: &[u32] = bytemuck::cast_slice(std::slice::from_ref(&node));
        assert_eq!([0, 1, 2].map(|word| f32::from_bits(words[word])), [1.0, 3.0, 5.0]);
        // 128 steps of 2^-7 twice, and the finest step where the box is flat.
        assert_eq!(words[3], 1 << 16 | 120 << 8 | 120);
        assert_eq!(words[4..10], [0xffff_ff00, 128, 0xffff_ff00, 128, 0xffff_ff00, 0]);
        assert_eq!(words[10..], [0, 0, 1 << 31 | 7 << 27 | 7, NO_CHILD, NO_CHILD, NO_CHILD]);
        assert_eq!((node.bounds(0), node.bounds(1)), (bounds, Aabb::EMPTY));
        assert_eq!((node.leaf(0), node.leaf(1)), (Some((7, 8)), None));
    }

    #[test]
    fn it_is_the_tree_of_floats_with_boxes_that_are_a_step_larger_at_most() {
        let (bvh, triangles) = row_of_triangles(3000);
        for collapse in [Collapse::Guthe, Collapse::Adopt] {
            let exact = encode_wide4(&bvh, &triangles, collapse).unwrap();
            let tree = encode_qbvh4(&bvh, &triangles, collapse).unwrap();
            assert_eq!((tree.nodes.len(), tree.stack_depth), (exact.nodes().len(), exact.stack_depth()));
            assert_eq!((tree.slots(), tree.bounds()), (exact.slots(), exact.bounds()));
            assert_eq!(2 * size_of_val(tree.nodes()), size_of_val(exact.nodes()));
            for (index, node) in exact.nodes().iter().enumerate() {
                for slot in 0..4 {
                    let child = tree.child(index, slot);
                    assert_eq!((child.child, child.count), (node.children[slot], node.counts[slot]));
                    let (bounds, step) = (node.bounds(slot), tree.nodes[index].scale());
                    assert!(child.bounds.contains(&bounds), "{bounds:?} {child:?}");
                    for axis in (0..3).filter(|_| child.is_used()) {
                        assert!(bounds.min[axis] - child.bounds.min[axis] < step[axis]);
                        assert!(child.bounds.max[axis] - bounds.max[axis] < step[axis]);
                    }
                }
            }
        }
    }

    #[test]
    fn validation_finds_each_kind_of_damage() {
        for collapse in [Collapse::Guthe, Collapse::Adopt] {
            notices_damage(&encoded(500, collapse));
        }
        let sound = encoded(500, Collapse::Guthe);
        let last = sound.nodes.len() - 1;
        type Damage<'a> = (RecordFault, &'a dyn Fn(&mut Qbvh4Node));
        let damages: [Damage; 7] = [
            (RecordFault::UnusedBytes, &|n| n.unused_byte = 1),
            (RecordFault::UnusedBytes, &|n| n.unused[1] = 1),
            (RecordFault::GridNumbers, &|n| n.origin[1] = f32::NAN),
            (RecordFault::GridNumbers, &|n| n.exponents[2] = 0),
            (RecordFault::GridNumbers, &|n| n.exponents[2] = MAX_EXPONENT + 1),
            (RecordFault::InvertedBox, &|n| (n.planes[0][1], n.planes[1][1]) = (9, 8)),
            (RecordFault::GridCorner, &|n| n.planes[0].iter_mut().for_each(|q| *q = (*q).max(1))),
        ];
        for (expected, damage) in damages {
            let mut tree = sound.clone();
            damage(&mut tree.nodes[last]);
            assert_eq!(tree.nodes[last].fault(), Some(expected));
            assert!(tree.validate().is_err(), "{expected}");
        }
    }

    #[test]
    fn the_stack_depth_is_what_the_deepest_walk_needs() {
        for count in [0, 1, 2, 3, 9, 100, 3000] {
            for collapse in [Collapse::Guthe, Collapse::Adopt] {
                let tree = encoded(count, collapse);
                stack_depth_is_exact(&tree, tree.stack_depth());
            }
        }
    }

    #[test]
    fn what_does_not_fit_bytes_or_words_is_an_error() {
        let (bvh, triangles) = row_of_triangles(40);
        let error = |damage: &dyn Fn(&mut Bvh2)| {
            let mut bvh = bvh.clone();
            damage(&mut bvh);
            encode_qbvh4(&bvh, &triangles, Collapse::Guthe).unwrap_err()
        };
        assert!(matches!(error(&|t| t.nodes[3].bounds.max[0] = f32::INFINITY), LayoutError::BadNode { node: 3, .. }));
        assert!(matches!(error(&|t| t.nodes[3].bounds = Aabb::EMPTY), LayoutError::BadNode { node: 3, .. }));
        let whole = error(&|t| {
            t.nodes.truncate(1);
            (t.nodes[0].first, t.nodes[0].count) = (0, 40);
        });
        assert_eq!(whole, LayoutError::LeafTooLarge { node: 0, found: 40, limit: 16 });
    }
}
