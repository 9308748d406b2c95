//! The trees of the kernel family, a file each, behind one type: [`encode`] makes what a variant walks, and everyone
//! who has to know how its records lie, be it to upload or to follow addresses, asks [`EncodedTree`] and
//! [`MemoryLayout`].

mod bvh2;
mod cwbvh8;
mod h8;
mod qbvh4;
mod wide4;
mod wide_n;

pub use bvh2::{Bvh2Node, EncodedBvh2, encode_bvh2, encode_bvh2_boxes};
pub use cwbvh8::{Cwbvh8, Cwbvh8Node, encode_cwbvh8};
pub use h8::{H8, H8Block, H8Node, H8Pair, H8Ray, child_block, encode_h8, encode_h8_reaching};
pub use qbvh4::{Qbvh4, Qbvh4Node, encode_qbvh4};
pub use wide_n::{WideN, WideNChild, encode_wide_n};
pub use wide4::{Wide4Node, Wide4Tree, encode_wide4};

use crate::LayoutError;
use raywarp_bvh::Bvh2;
use raywarp_family::{Tree, Variant};
use raywarp_geom::{Aabb, FlatTriangles};

/// Encoded tree of any kind that a variant of the kernel family traverses.
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

/// Evaluates `$body` with `$tree` bound to the tree in an [`EncodedTree`], of whichever type it is.
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

/// Encodes `bvh` over `triangles` as the kind of tree that `variant` traverses. It is for rays that start within twice
/// `reach` of zero along every axis, if that is beyond what the scene itself needs: see [`encode_h8_reaching`]; other
/// trees' boxes grow by ray.
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

/// Memory layout of one kind of tree on a device: sizes and order of nodes and triangle records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryLayout {
    /// Number of bytes from one node to the next; for [`WideN`] from one child to the next.
    pub node_bytes: u32,
    /// Number of bytes at a node's beginning that kernels read; the rest are words that [`ChildWords`] move elsewhere.
    pub node_bytes_read: u32,
    /// Number of bytes from one triangle record to the next.
    pub record_bytes: u32,
    /// `true` if triangle records, with their triangle indices, lie among the nodes.
    pub records_among_nodes: bool,
    /// Permutation of the 16-byte chunks within each node.
    pub swizzle: Swizzle,
    /// Positions of the words that name each child, for kernels that want them as stack entries; empty where nodes stay
    /// as they are.
    pub children: &'static [ChildWords],
}

/// Permutation of a record's 16-byte chunks that depends on its index: chunk k lies at k xor `(index >> shift) & mask`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Swizzle {
    /// Number of low bits of the index that are ignored.
    pub shift: u32,
    /// Mask of the shifted index.
    pub mask: u32,
}

impl Swizzle {
    /// Swizzle that leaves chunks in their order.
    pub const NONE: Self = Self { shift: 0, mask: 0 };

    /// Returns the number with which positions of chunks are xored in the record at `index`.
    #[inline]
    pub const fn of(self, index: u32) -> u32 {
        index >> self.shift & self.mask
    }
}

/// Positions of a child's fields in its node, counted in 32-bit words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChildWords {
    /// Position of the index of the child's node or of the leaf's first triangle record, or [`crate::NO_CHILD`].
    pub child: usize,
    /// Position of the number of triangle records; that is 0 for a node or no child.
    pub count: usize,
    /// Positions of the six planes of the child's box.
    pub planes: [usize; 6],
}

impl MemoryLayout {
    /// Number of bytes of a triangle record that lies outside of the tree, in any
    /// [`TriangleFormat`](crate::TriangleFormat).
    pub(crate) const RECORD_BYTES: u32 = 48;

    /// Returns the memory layout of a kind of tree.
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

/// Kind of tree that can be uploaded to a device for kernels.
pub(crate) trait KernelTree {
    /// Memory layout of its nodes and triangle records.
    const LAYOUT: MemoryLayout;

    /// Returns all nodes as 32-bit words.
    fn node_words(&self) -> &[u32];
    /// Returns the number of nodes.
    fn node_count(&self) -> usize;
    /// Returns the two additional kernel parameters of [`EncodedTree::kernel_words`].
    fn kernel_words(&self) -> (u32, f32) {
        (0, 0.0)
    }
}

impl EncodedTree {
    /// Returns all nodes as 32-bit words; node i begins at byte i * [`MemoryLayout::node_bytes`]. For [`WideN`] it
    /// begins at as many times that as a node has children.
    pub fn node_words(&self) -> &[u32] {
        with_tree!(self, tree => KernelTree::node_words(tree))
    }

    /// Returns the number of nodes, for [`H8`] together with its leaves.
    pub fn node_count(&self) -> usize {
        with_tree!(self, tree => KernelTree::node_count(tree))
    }

    /// Returns the two parameters that kernels take beside the nodes, such as [`H8::kernel_words`]. Of [`Cwbvh8`] and
    /// [`Qbvh4`] they are the exponent bits of 2^23.
    pub fn kernel_words(&self) -> (u32, f32) {
        with_tree!(self, tree => KernelTree::kernel_words(tree))
    }

    /// Returns for each triangle in the leaves its index, with the flag [`crate::NON_OPAQUE`].
    pub fn slots(&self) -> &[u32] {
        with_tree!(self, tree => tree.slots())
    }

    /// Returns the slots whose triangle records lie outside of the tree; empty where they are among its nodes.
    pub fn record_slots(&self) -> &[u32] {
        if self.layout().records_among_nodes { &[] } else { self.slots() }
    }

    /// Returns the memory layout of this kind of tree.
    pub fn layout(&self) -> &'static MemoryLayout {
        fn of<T: KernelTree>(_: &T) -> &'static MemoryLayout {
            &T::LAYOUT
        }
        with_tree!(self, tree => of(tree))
    }

    /// Returns the bounding box of the whole tree.
    pub fn bounds(&self) -> &Aabb {
        with_tree!(self, tree => tree.bounds())
    }

    /// Returns the number of stack entries that suffice for any traversal.
    pub fn stack_depth(&self) -> usize {
        with_tree!(self, tree => tree.stack_depth())
    }

    /// Returns the size of the tree in bytes.
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
