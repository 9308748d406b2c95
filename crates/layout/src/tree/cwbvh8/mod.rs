//! Compressed eight-wide tree: 80 bytes a node, its children's boxes quantised to 8 bits a plane.
//!
//! Source: Ylitie, Karras, Laine 2017, "Efficient incoherent ray traversal on GPUs through
//! compressed wide BVHs" (YKL17), sections 3 (node) and 4.1 (collapse). Departures are stated where
//! they happen: exact comparisons in `byte_grid`, the exact assignment in `octants`.
//!
//! Invariants ([`Cwbvh8::validate`] checks each):
//! - node 0 is the root; a node's children that are nodes stand side by side in the order of their
//!   slots, after it, and every other node has one parent;
//! - the records of a node's leaves stand side by side in the order of their slots, 1 to 3 a leaf,
//!   and every record is in one leaf;
//! - `meta` and `imask` agree, an unused slot has `meta` 0 and an inverted box;
//! - a child's box holds what the child's own boxes hold, to less than a step of the child's grid;
//!   the grid begins at the children's smallest corner;
//! - `stack_depth` entries hold all that a walk ever postpones.

pub(crate) mod family;
mod node;
pub(crate) mod octants;
mod validate;

use crate::byte_grid::BYTE_EXPONENT;
use crate::collapse::{Collapse, LeafRule};
use crate::file::{Contents, LoadedContents, Parts, Stored, check_branching};
use crate::tree::{KernelTree, MemoryLayout, Swizzle};
use crate::{LayoutError, NON_OPAQUE, structure};
use family::Slotted;
use node::{MAX_LEAF, SLOTS};
use rayon::prelude::*;
use raywarp_bvh::Bvh2;
use raywarp_geom::{Aabb, FlatTriangles};

pub use node::Cwbvh8Node;

/// Costs of leaves: testing a triangle costs 0.3 of visiting a node, a ratio in common use (YKL17 4.1). It is that of
/// c_prim and c_node, and not yet tuned with kernels of our own.
const LEAF_RULE: LeafRule = LeafRule { merged: MAX_LEAF, block: 1, block_cost: 0.3 };

/// Compressed eight-wide tree of [`Cwbvh8Node`]s with the order of its triangle records. Empty for a scene without
/// triangles.
#[derive(Debug, Clone)]
pub struct Cwbvh8 {
    nodes: Vec<Cwbvh8Node>,
    slots: Vec<u32>,
    bounds: Aabb,
    stack_depth: usize,
}

/// Encodes `bvh` as compressed nodes of up to eight children.
///
/// The collapse is the one of least SAH cost; it joins leaves up to 3 records, so that trees of one
/// triangle a leaf give the best ones. A tree that is one leaf gets a root around it.
///
/// - Input: boxes finite, leaves of at most 3 references.
/// - Output: nodes, siblings side by side and otherwise depth first; records as they come in the
///   nodes. Equal input gives equal bytes. O(n), boxes and slots in parallel.
///
/// # Errors
/// As [`crate::encode_wide8`]; [`LayoutError::LeafTooLarge`] if a leaf of `bvh` holds more than 3
/// references; [`LayoutError::BadNode`] also if a box is empty or not finite.
///
/// # Examples
/// ```
/// use raywarp_bvh::{BuildOptions, build};
///
/// let triangle = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// let triangles = raywarp_geom::FlatTriangles::from_vertices(vec![triangle; 20]);
/// let bvh = build(&triangles, &BuildOptions { max_leaf: 1, ..BuildOptions::default() }).expect("it is sound");
/// let wide = raywarp_layout::encode_cwbvh8(&bvh, &triangles)?;
/// assert_eq!((wide.nodes().len(), wide.slots().len()), (1, 20));
/// # Ok::<(), raywarp_layout::LayoutError>(())
/// ```
pub fn encode_cwbvh8(bvh: &Bvh2, triangles: &FlatTriangles) -> Result<Cwbvh8, LayoutError> {
    structure::check(bvh, triangles)?;
    structure::check_boxes(bvh, MAX_LEAF)?;
    let collapse = Collapse::new(bvh, LEAF_RULE);
    let families = family::list(bvh, &collapse);
    let slotted: Vec<Slotted> = families.par_iter().map(|family| family.slotted(bvh)).collect();
    // Siblings stand together already; in which order, their slots say.
    let mut order: Vec<usize> = (0..families.len()).collect();
    for (family, slotted) in families.iter().zip(&slotted) {
        for (place, node) in slotted.inner(family).enumerate() {
            order[slotted.node.child_base as usize + place] = node;
        }
    }
    let mut nodes = Vec::with_capacity(families.len());
    let mut slots = Vec::with_capacity(bvh.references.len());
    let mut references = Vec::new();
    for (family, slotted) in order.iter().map(|&source| (&families[source], &slotted[source])) {
        let mut node = slotted.node;
        node.record_base = slots.len() as u32;
        for (slot, leaf) in slotted.leaves(family) {
            collapse.references(leaf, &mut references);
            let offset = slots.len() as u32 - node.record_base;
            node.meta[slot] = Cwbvh8Node::leaf_meta(offset, references.len() as u32);
            slots.extend(references.iter().map(|&r| r | if triangles.opaque[r as usize] { 0 } else { NON_OPAQUE }));
        }
        nodes.push(node);
    }
    let stack_depth = stack_depth(&nodes);
    let bounds = families.first().map_or(Aabb::EMPTY, |root| root.bounds(bvh));
    Ok(Cwbvh8 { nodes, slots, bounds, stack_depth })
}

/// Returns the largest number of groups on the stack of a traversal that visits all nodes below the root.
///
/// A walk takes one child out of a group of nodes and puts the rest back (one entry); then it may
/// push the visited node's group of nodes and its group of records. The worst walk leaves every group
/// of records for later. The root's own group is an entry at the start, and gone when its visit pushes.
fn stack_depth(nodes: &[Cwbvh8Node]) -> usize {
    let mut needs = vec![0usize; nodes.len()];
    for (index, node) in nodes.iter().enumerate().rev() {
        let inner = node.imask.count_ones() as usize;
        let records = usize::from((0..SLOTS).any(|slot| node.has_child(slot) && !node.is_inner(slot)));
        let children = needs.get(node.child_base as usize..node.child_base as usize + inner).unwrap_or_default();
        let below = children.iter().max().map_or(0, |&need| usize::from(inner > 1) + need);
        needs[index] = records + below.max(usize::from(inner > 0));
    }
    needs.first().map_or(0, |&need| need.max(1))
}

impl KernelTree for Cwbvh8 {
    const LAYOUT: MemoryLayout = MemoryLayout {
        node_bytes: size_of::<Cwbvh8Node>() as u32,
        node_bytes_read: size_of::<Cwbvh8Node>() as u32,
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

impl Stored for Cwbvh8 {
    type Record = Cwbvh8Node;
    const KIND: u32 = 4;
    const NAME: &'static str = "Cwbvh8";

    fn parts(&self) -> Parts<'_, Cwbvh8Node> {
        let (slots, bounds, stack_depth) = (&self.slots[..], self.bounds, self.stack_depth);
        Parts { branching: SLOTS, records: &self.nodes, slots, bounds, stack_depth, extra: 0.0 }
    }

    fn from_loaded(loaded: LoadedContents<Cwbvh8Node>, _: &FlatTriangles) -> Result<Self, LayoutError> {
        let Contents { branching, records: nodes, slots, bounds, stack_depth, .. } = loaded;
        check_branching(branching, SLOTS)?;
        let tree = Self { nodes, slots, bounds, stack_depth };
        tree.validate().map(|()| tree)
    }
}

impl Cwbvh8 {
    /// Returns the nodes of the tree; the first is the root. Empty without triangles.
    #[inline]
    pub fn nodes(&self) -> &[Cwbvh8Node] {
        &self.nodes
    }

    /// Returns for each triangle record the index of its triangle, with the flag [`NON_OPAQUE`].
    #[inline]
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// Returns the bounding box of the whole tree.
    #[inline]
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// Returns the number of stack entries (groups of nodes or of triangle records) that a traversal needs. It takes
    /// one child out of a group, puts the rest back, and pushes both groups of the visited node. At least 1 where there
    /// are nodes: the root's own group.
    #[inline]
    pub fn stack_depth(&self) -> usize {
        self.stack_depth
    }

    /// Returns the size of nodes and slots in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.nodes[..]) + size_of_val(&self.slots[..])
    }
}
