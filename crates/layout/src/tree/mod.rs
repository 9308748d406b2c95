//! The trees of the kernel family, a file each, behind one type: [`encode`] makes what a variant walks, and everyone
//! who has to know how its records lie, be it to upload or to follow addresses, asks [`EncodedTree`] and
//! [`MemoryLayout`].

mod bvh2;
mod cwbvh8;
mod h8;
mod qbvh4;
mod wide4;
mod wide_n;

pub use bvh2::{Bvh2Node, EncodedBvh2, encode_bvh2};
pub use cwbvh8::{Cwbvh8, Cwbvh8Node, encode_cwbvh8};
pub use h8::{H8, H8Block, H8Node, H8Pair, H8Ray, child_block, encode_h8, encode_h8_reaching};
pub use qbvh4::{Qbvh4, Qbvh4Node, encode_qbvh4};
pub use wide_n::{WideN, WideNChild, encode_wide_n};
pub use wide4::{Wide4Node, Wide4Tree, encode_wide4};

use crate::LayoutError;
use raywarp_bvh::Bvh2;
use raywarp_family::{Tree, Variant};
use raywarp_geom::{Aabb, FlatTriangles};

/// A tree that some variant walks.
///
/// | encoding | node | leaf | for |
/// |---|---|---|---|
/// | [`EncodedBvh2`] | 64 bytes, two children with their boxes | a range of records | the kernels of AL09 |
/// | [`Wide4Tree`] | 128 bytes, four children, structure of arrays | a range of records | the kernels of G14 and L9 |
/// | [`Qbvh4`] | 64 bytes, four children, boxes in bytes | a range of records | what boxes in bytes bring beside [`Wide4Tree`] |
/// | [`WideN`] | 32 bytes each for 4, 8, 16 or 32 children | a range of records | one ray on as many lanes (AL09 5.3) |
/// | [`Cwbvh8`] | 80 bytes, eight children, boxes in bytes | a range of records | GPUs, where memory bounds the rate |
/// | [`H8`] | 64 bytes, eight children, boxes in bytes | a record of 64 bytes, one or two triangles | GPUs without ray tracing hardware |
#[derive(Debug, Clone)]
#[allow(missing_docs)] // They say it themselves.
pub enum EncodedTree {
    Bvh2(EncodedBvh2),
    Wide4(Wide4Tree),
    Qbvh4(Qbvh4),
    WideN(WideN),
    Cwbvh8(Cwbvh8),
    H8(H8),
}

/// Runs `$body` with `$tree` bound to the tree of whatever kind in an [`EncodedTree`]: once for each of the types.
#[macro_export]
macro_rules! with_tree {
    ($encoded:expr, $tree:ident => $body:expr) => {
        match $encoded {
            $crate::EncodedTree::Bvh2($tree) => $body,
            $crate::EncodedTree::Wide4($tree) => $body,
            $crate::EncodedTree::Qbvh4($tree) => $body,
            $crate::EncodedTree::WideN($tree) => $body,
            $crate::EncodedTree::Cwbvh8($tree) => $body,
            $crate::EncodedTree::H8($tree) => $body,
        }
    };
}

/// Encodes `bvh` over `triangles` as `variant` walks it, for rays that start within twice `reach` of zero along every
/// axis, if that is beyond what the scene itself needs: see [`encode_h8_reaching`]; other trees' boxes grow by ray.
///
/// # Errors
/// Those of the tree's own encoder.
///
/// # Examples
/// ```
/// use raywarp_layout::{EncodedTree, MemoryLayout, encode};
///
/// let triangle = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// let triangles = raywarp_geom::FlatTriangles::from_vertices(vec![triangle; 20]);
/// let bvh = raywarp_bvh::build(&triangles, &raywarp_bvh::BuildOptions::default())?;
/// let variant: raywarp_family::Variant = "direct/while-while/wide4".parse()?;
/// let tree = encode(&variant, &bvh, &triangles, 0.0)?;
/// assert!(matches!(tree, EncodedTree::Wide4(_)));
/// assert_eq!(4 * tree.node_words().len(), tree.node_count() * MemoryLayout::of(variant.tree()).node_bytes as usize);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn encode(
    variant: &Variant,
    bvh: &Bvh2,
    triangles: &FlatTriangles,
    reach: f32,
) -> Result<EncodedTree, LayoutError> {
    Ok(match variant.tree() {
        Tree::Bvh2 => EncodedTree::Bvh2(encode_bvh2(bvh, triangles)?),
        Tree::Wide4 => EncodedTree::Wide4(encode_wide4(bvh, triangles, variant.collapse())?),
        Tree::Qbvh4 => EncodedTree::Qbvh4(encode_qbvh4(bvh, triangles, variant.collapse())?),
        Tree::WideN => EncodedTree::WideN(encode_wide_n(bvh, triangles, variant.lanes_per_ray() as usize)?),
        Tree::Cwbvh8 => EncodedTree::Cwbvh8(encode_cwbvh8(bvh, triangles)?),
        Tree::H8 => EncodedTree::H8(encode_h8_reaching(bvh, triangles, reach)?),
    })
}

/// Layout of a kind of tree in a device's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryLayout {
    /// Bytes from one node to the next; of [`WideN`] from one child to the next.
    pub node_bytes: u32,
    /// Bytes at a node's beginning that kernels read: in others is what [`ChildWords`] put elsewhere.
    pub node_bytes_read: u32,
    /// Bytes from one triangle record to the next.
    pub record_bytes: u32,
    /// `true` if triangle records stand among the nodes, with the words that name triangles.
    pub records_among_nodes: bool,
    /// Order of the 16-byte chunks of a record.
    pub swizzle: Swizzle,
    /// The words of a node's children, where kernels want them as stack entries; empty where nodes stay as they are.
    pub children: &'static [ChildWords],
}

/// Chunk k of the record at an index lies at place k xor `(index >> shift) & mask`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Swizzle {
    /// Lowest bit of the index that counts.
    pub shift: u32,
    /// Bits of the shifted index that count.
    pub mask: u32,
}

impl Swizzle {
    /// Chunks lie in their order.
    pub const NONE: Self = Self { shift: 0, mask: 0 };

    /// Returns the number that places of chunks are xored with, in the record at `index`.
    #[inline]
    pub const fn of(self, index: u32) -> u32 {
        index >> self.shift & self.mask
    }
}

/// Positions of a child's words in its node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChildWords {
    /// Index of a node or of a leaf's first record, or [`crate::NO_CHILD`].
    pub child: usize,
    /// Records of a leaf; 0 for a node or no child.
    pub count: usize,
    /// The six planes of its box.
    pub planes: [usize; 6],
}

impl MemoryLayout {
    /// Bytes of a triangle record that stands apart from the tree, of any [`TriangleFormat`](crate::TriangleFormat).
    pub(crate) const RECORD_BYTES: u32 = 48;

    /// Returns the layout of a kind of tree.
    #[inline]
    pub fn of(tree: Tree) -> &'static Self {
        match tree {
            Tree::Bvh2 => &EncodedBvh2::LAYOUT,
            Tree::Wide4 => &Wide4Tree::LAYOUT,
            Tree::Qbvh4 => &Qbvh4::LAYOUT,
            Tree::WideN => &WideN::LAYOUT,
            Tree::Cwbvh8 => &Cwbvh8::LAYOUT,
            Tree::H8 => &H8::LAYOUT,
        }
    }
}

/// Facts about a kind of tree that its uploader needs.
pub(crate) trait KernelTree {
    /// Layout of its records.
    const LAYOUT: MemoryLayout;

    /// Returns the words of all nodes.
    fn node_words(&self) -> &[u32];
    /// Returns the number of nodes.
    fn node_count(&self) -> usize;
    /// Returns the two words of [`EncodedTree::kernel_words`].
    fn kernel_words(&self) -> (u32, f32) {
        (0, 0.0)
    }
}

impl EncodedTree {
    /// Returns the nodes as words; node i begins at i [`MemoryLayout::node_bytes`], of [`WideN`] at as many times that
    /// as it has children.
    pub fn node_words(&self) -> &[u32] {
        with_tree!(self, tree => KernelTree::node_words(tree))
    }

    /// Returns the number of nodes; of [`H8`] its leaves count.
    pub fn node_count(&self) -> usize {
        with_tree!(self, tree => KernelTree::node_count(tree))
    }

    /// Returns the two words that kernels take beside the nodes: of [`H8`] see [`H8::kernel_words`]; of [`Cwbvh8`] and
    /// [`Qbvh4`] the exponent bits of 2^23.
    pub fn kernel_words(&self) -> (u32, f32) {
        with_tree!(self, tree => KernelTree::kernel_words(tree))
    }

    /// Returns for each triangle of a leaf its index, with [`crate::NON_OPAQUE`] set where a query must ask.
    pub fn slots(&self) -> &[u32] {
        with_tree!(self, tree => tree.slots())
    }

    /// Returns the slots of the records that stand apart from the tree: none where they are among its nodes.
    pub fn record_slots(&self) -> &[u32] {
        if self.layout().records_among_nodes { &[] } else { self.slots() }
    }

    /// Returns the layout of its records.
    pub fn layout(&self) -> &'static MemoryLayout {
        fn of<T: KernelTree>(_: &T) -> &'static MemoryLayout {
            &T::LAYOUT
        }
        with_tree!(self, tree => of(tree))
    }

    /// Returns the box around everything.
    pub fn bounds(&self) -> &Aabb {
        with_tree!(self, tree => tree.bounds())
    }

    /// Returns the number of stack entries that any walk may need.
    pub fn stack_depth(&self) -> usize {
        with_tree!(self, tree => tree.stack_depth())
    }

    /// Returns the number of bytes of the tree.
    pub fn bytes(&self) -> usize {
        with_tree!(self, tree => tree.bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{VertexTriangle, WoopTriangle};
    use raywarp_bvh::{BuildOptions, build};

    #[test]
    fn layouts_have_the_sizes_of_the_records() {
        for (tree, node) in [
            (Tree::Bvh2, size_of::<Bvh2Node>()),
            (Tree::Wide4, size_of::<Wide4Node>()),
            (Tree::Qbvh4, size_of::<Qbvh4Node>()),
            (Tree::WideN, size_of::<WideNChild>()),
            (Tree::Cwbvh8, size_of::<Cwbvh8Node>()),
            (Tree::H8, size_of::<H8Block>()),
        ] {
            let layout = MemoryLayout::of(tree);
            let record = if layout.records_among_nodes { node } else { size_of::<WoopTriangle>() };
            assert_eq!((layout.node_bytes as usize, layout.record_bytes as usize), (node, record), "{tree}");
            assert!(layout.node_bytes_read <= layout.node_bytes, "{tree}");
            let words =
                layout.children.iter().flat_map(|child| child.planes.iter().chain([&child.child, &child.count]));
            let mut words: Vec<usize> = words.copied().collect();
            words.sort_unstable();
            let all: Vec<usize> = (0..node / 4).collect();
            assert!(words.is_empty() || words == all, "{tree}: each word is of one child: {words:?}");
        }
        assert_eq!(size_of::<WoopTriangle>(), size_of::<VertexTriangle>());
    }

    #[test]
    fn what_is_encoded_is_what_was_asked_for() {
        let triangle = |x: f32| [[x, 0.0, 0.0], [x + 1.0, 0.0, 0.0], [x, 1.0, 0.0]];
        let triangles = FlatTriangles::from_vertices((0..40).map(|i| triangle(i as f32)).collect());
        let bvh = build(&triangles, &BuildOptions { max_leaf: 1, ..Default::default() }).unwrap();
        for variant in raywarp_family::legal::parts() {
            let tree = encode(&variant, &bvh, &triangles, 0.0).unwrap();
            let layout = MemoryLayout::of(variant.tree());
            assert_eq!(tree.layout(), layout, "{variant}");
            let bytes = tree.node_count() * (layout.node_bytes * variant.lanes_per_ray()) as usize;
            assert_eq!(4 * tree.node_words().len(), bytes, "{variant}");
            let among = layout.records_among_nodes;
            assert_eq!((tree.slots().len(), tree.record_slots().len()), (40, if among { 0 } else { 40 }), "{variant}");
        }
    }
}
