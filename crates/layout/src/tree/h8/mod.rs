//! Our own eight-wide tree: nodes and pairs of triangles in blocks of 64 bytes.
//!
//! After Ylitie, Karras and Laine 2017 (YKL17): local grids of 8 bits, slots by octant, the collapse of least
//! cost. What differs, and why:
//! - planes are tested in halves, two children an instruction: a byte is a denormal half as it stands, and a
//!   ray is clamped and moved to the node so that all products fit; hence no axis of a node is finer than 1/8
//!   of its coarsest, and boxes grow as [`quantize`] says;
//! - a leaf is one triangle or two that share an edge, [`H8Pair`], tested together by the watertight test;
//! - a node is four 16-byte loads instead of five: its steps share the lowest bits of its corner, and all children
//!   of a node, nodes first, follow each other from one index.
//!
//! Invariants ([`H8::validate`] checks each):
//! - block 0 is the root; a node's children follow each other after it, nodes in the order of their slots, then
//!   leaves in the order of theirs; no unused slot is below a leaf's; every other block has one parent;
//! - a child's box holds what the child's own boxes hold, and meets its triangles; an unused slot's box is
//!   `255, 0` on every axis;
//! - `stack_depth` entries hold all that a walk ever postpones, whichever child it takes first.

mod node;
mod pair;
mod quantize;
mod ray;
mod validate;

use crate::collapse::{Collapse, LeafRule};
use crate::file::{Contents, LoadedContents, Parts, Stored, check_branching};
use crate::tree::cwbvh8::family::{self, Family};
use crate::tree::cwbvh8::octants;
use crate::tree::{KernelTree, MemoryLayout};
use crate::{LayoutError, NodeFault, structure};
use node::{MAX_BLOCKS, SLOTS};
use pair::shared_edge;
use quantize::{MAX_COORDINATE, grid_step, quantize};
use rayon::prelude::*;
use raywarp_bvh::Bvh2;
use raywarp_geom::{Aabb, FlatTriangles};

pub use node::{H8Block, H8Node, child_block};
pub use pair::H8Pair;
pub use ray::H8Ray;

/// Costs of leaves: half of visiting a node, whether one triangle or two, which is about what the kernels' steps cost.
const LEAF_RULE: LeafRule = LeafRule { merged: 2, block: 2, block_cost: 0.5 };

/// Raywarp's own eight-wide tree: nodes and pairs of triangles in [`H8Block`]s of 64 bytes. Empty for a scene without
/// triangles.
#[derive(Debug, Clone)]
pub struct H8 {
    blocks: Vec<H8Block>,
    slots: Vec<u32>,
    bounds: Aabb,
    reach: f32,
    grid_step: f32,
    stack_depth: usize,
}

/// Node whose children have slots, but whose blocks are not yet numbered.
struct Slotted {
    node: H8Node,
    /// Index within the family of the child in each slot.
    children: [Option<u8>; SLOTS],
}

/// Encodes `bvh`, which has one triangle per leaf, as nodes of up to eight children and pairs of triangles.
///
/// The collapse is the one of least SAH cost in which sibling leaves whose triangles share an edge may be one.
/// A tree that is one leaf gets a root around it.
///
/// - Input: boxes finite, within 2^100 of zero; leaves of one reference: [`raywarp_bvh::presets::OF_SINGLES`]
///   build such trees.
/// - Output: blocks, a node's children side by side and otherwise depth first. Equal input gives equal bytes at
///   any number of threads. O(n).
///
/// # Errors
/// As [`crate::encode_wide8`]; [`LayoutError::LeafTooLarge`] if a leaf of `bvh` holds more than one reference;
/// [`LayoutError::BadNode`] also if a box is empty, [`LayoutError::TooFar`] if it is not finite or farther than 2^100
/// from zero; [`LayoutError::TooMany`] for more than 2^24 nodes and leaves together.
///
/// # Examples
/// ```
/// use raywarp_bvh::{build, presets};
///
/// let (a, b, c, d) = ([0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]);
/// let triangles = raywarp_geom::FlatTriangles::from_vertices(vec![[a, b, c], [b, d, c]]);
/// let bvh = build(&triangles, &presets::SINGLE).expect("it is sound");
/// let tree = raywarp_layout::encode_h8(&bvh, &triangles)?;
/// // The root, and a pair.
/// assert_eq!((tree.blocks().len(), tree.slots().len()), (2, 2));
/// # Ok::<(), raywarp_layout::LayoutError>(())
/// ```
pub fn encode_h8(bvh: &Bvh2, triangles: &FlatTriangles) -> Result<H8, LayoutError> {
    encode_h8_reaching(bvh, triangles, 0.0)
}

/// Encodes as [`encode_h8`] does, but for rays that start within twice `reach` of zero along every axis, if that is
/// more than [`H8::reach`]. Boxes grow by what the triangle test may round on its way from there.
///
/// # Errors
/// As [`encode_h8`]; [`LayoutError::TooFar`] also for a reach beyond 2^100.
pub fn encode_h8_reaching(bvh: &Bvh2, triangles: &FlatTriangles, reach: f32) -> Result<H8, LayoutError> {
    structure::check(bvh, triangles)?;
    check_nodes(bvh)?;
    let pairs: Vec<bool> = (0..bvh.nodes.len()).into_par_iter().map(|node| is_pair(bvh, triangles, node)).collect();
    let collapse = Collapse::of_leaves(bvh, LEAF_RULE, Some(&pairs));
    let families = family::list(bvh, &collapse);
    let bounds = families.first().map_or(Aabb::EMPTY, |root| root.bounds(bvh));
    let reach = bounds.farthest().max(reach);
    if reach > MAX_COORDINATE {
        return Err(LayoutError::TooFar { exponent: MAX_COORDINATE.log2() as u32 });
    }
    let grid_step = grid_step(reach);
    let slotted: Vec<Slotted> = families.par_iter().map(|family| family_slotted(family, bvh, grid_step)).collect();
    let (firsts, place_of, count) = number_blocks(&families, &slotted);
    if count > MAX_BLOCKS {
        return Err(LayoutError::TooMany { what: "nodes and leaves", found: count, limit: MAX_BLOCKS });
    }
    let mut blocks = vec![bytemuck::Zeroable::zeroed(); count];
    let mut slots = Vec::with_capacity(bvh.references.len());
    let mut references = Vec::new();
    for (i, (family, slotted)) in families.iter().zip(&slotted).enumerate() {
        let node = H8Node { first: firsts[i], ..slotted.node };
        blocks[place_of[i] as usize] = node.pack(place_of[i]);
        for slot in (0..SLOTS).filter(|&slot| !node.is_inner(slot)) {
            let Some(child) = slotted.children[slot] else { continue };
            collapse.references(family.source(usize::from(child)), &mut references);
            let pair = H8Pair::new(triangles, &references);
            slots.extend_from_slice(&pair.words[..pair.len()]);
            let block = node.child(slot);
            blocks[block as usize] = pair.pack(block);
        }
    }
    let mut tree = H8 { blocks, slots, bounds, reach, grid_step, stack_depth: 0 };
    tree.stack_depth = tree.needed_stack();
    Ok(tree)
}

/// Checks what only this encoding requires of a tree: one reference per leaf, and boxes within range.
fn check_nodes(bvh: &Bvh2) -> Result<(), LayoutError> {
    for (node, n) in bvh.nodes.iter().enumerate() {
        if n.count > 1 {
            return Err(LayoutError::LeafTooLarge { node, found: n.count, limit: 1 });
        }
        if n.bounds.is_empty() {
            return Err(LayoutError::BadNode { node, fault: NodeFault::EmptyBox });
        }
        let near = |x: &f32| x.abs() <= MAX_COORDINATE;
        if !n.bounds.min.iter().chain(&n.bounds.max).all(near) {
            return Err(LayoutError::TooFar { exponent: MAX_COORDINATE.log2() as u32 });
        }
    }
    Ok(())
}

/// Returns `true` if the children of a node are leaves whose triangles can form a pair: they share an edge, or are the
/// same.
fn is_pair(bvh: &Bvh2, triangles: &FlatTriangles, node: usize) -> bool {
    let n = &bvh.nodes[node];
    let leaf = |child: usize| {
        let child = &bvh.nodes[child];
        child.is_leaf().then(|| bvh.references[child.first as usize])
    };
    if n.is_leaf() {
        return false;
    }
    let (Some(a), Some(b)) = (leaf(n.first as usize), leaf(n.first as usize + 1)) else { return false };
    let corners = |r: u32| &triangles.vertices[r as usize];
    a == b || shared_edge(corners(a), corners(b)).is_some()
}

/// Assigns the children to slots and quantises their boxes.
fn family_slotted(family: &Family, bvh: &Bvh2, grid_step: f32) -> Slotted {
    let boxes = family.boxes(bvh);
    let count = family.len();
    let assigned = octants::assign_slots(&boxes[..count]);
    let (mut children, mut inner) = ([None; SLOTS], 0u8);
    for child in (0..count).filter(|&child| family.inner_family(child).is_some()) {
        children[assigned[child]] = Some(child as u8);
        inner |= 1 << assigned[child];
    }
    // Leaves are tested before any node, in any order: they keep theirs, and leave the last slots unused.
    let mut leaves: Vec<usize> = (0..count).filter(|&child| family.inner_family(child).is_none()).collect();
    leaves.sort_by_key(|&child| assigned[child]);
    let free = (0..SLOTS).filter(|slot| inner >> slot & 1 == 0);
    for (slot, child) in free.zip(leaves) {
        children[slot] = Some(child as u8);
    }
    let slot_boxes = children.map(|child| child.map(|child| boxes[usize::from(child)]));
    Slotted { node: H8Node { inner, ..quantize(&slot_boxes, grid_step) }, children }
}

/// Returns for each family the block of its first child and the block of its node, and the total number of blocks.
fn number_blocks(families: &[Family], slotted: &[Slotted]) -> (Vec<u32>, Vec<u32>, usize) {
    let (mut firsts, mut places) = (Vec::with_capacity(families.len()), vec![0u32; families.len()]);
    let mut count = usize::from(!families.is_empty());
    for (family, slotted) in families.iter().zip(slotted) {
        firsts.push(count as u32);
        let inner = slotted.children.iter().flatten().filter_map(|&child| family.inner_family(usize::from(child)));
        for (rank, child) in inner.enumerate() {
            places[child] = (count + rank) as u32;
        }
        count += family.len();
    }
    (firsts, places, count)
}

impl H8 {
    /// Returns the blocks of nodes and leaves; the first is the root. Empty without triangles.
    #[inline]
    pub fn blocks(&self) -> &[H8Block] {
        &self.blocks
    }

    /// Decodes the node in block `block`, which must be one.
    #[inline]
    pub fn node(&self, block: u32) -> H8Node {
        H8Node::unpack(&self.blocks[block as usize], block)
    }

    /// Decodes the triangles in block `block`, which must be a leaf.
    #[inline]
    pub fn pair(&self, block: u32) -> H8Pair {
        H8Pair::unpack(&self.blocks[block as usize], block)
    }

    /// Returns the triangle indices of all leaves in the order of their blocks, with the flag [`crate::NON_OPAQUE`].
    #[inline]
    pub fn slots(&self) -> &[u32] {
        &self.slots
    }

    /// Returns the bounding box of the whole tree.
    #[inline]
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// Returns the reach: rays that start within twice this distance of zero, along every axis, miss no box of a
    /// triangle that they hit. It is the largest coordinate of the bounds, or what was asked for. 0 without triangles.
    #[inline]
    pub fn reach(&self) -> f32 {
        self.reach
    }

    /// Returns the tree's grid step in world units, a power of two; the steps of nodes are multiples of it.
    #[inline]
    pub fn grid_step(&self) -> f32 {
        self.grid_step
    }

    /// Returns the number of stack entries that a traversal needs. It takes one child out of a group, puts the rest
    /// back, and keeps the visited node's own groups of nodes and triangles. At least 1 where there are nodes.
    #[inline]
    pub fn stack_depth(&self) -> usize {
        self.stack_depth
    }

    /// Returns the two parameters that kernels take beside the blocks: a scaled reciprocal of the grid step, and the
    /// reach. The first is the bits of 2^-53 over the grid's step (whose exponent may be out of range by itself: they
    /// add a node's).
    pub fn kernel_words(&self) -> (u32, f32) {
        let exponent = (self.grid_step.to_bits() >> 23) as i32 - 127;
        (((127 - 53 - exponent) as u32) << 23, self.reach)
    }

    /// Returns the size of the blocks in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.blocks[..])
    }

    /// Returns all nodes with their block indices, parents before children.
    fn nodes_in_order(&self) -> Vec<(u32, H8Node)> {
        let mut nodes = Vec::new();
        let mut open: Vec<u32> = if self.blocks.is_empty() { vec![] } else { vec![0] };
        while let Some(block) = open.pop() {
            let node = self.node(block);
            // A broken tree may name blocks that are not there; `validate` says so.
            let children = (0..SLOTS).filter(|&slot| node.is_inner(slot)).map(|slot| node.child(slot));
            open.extend(children.filter(|&child| child > block && (child as usize) < self.blocks.len()));
            nodes.push((block, node));
            if nodes.len() > self.blocks.len() {
                break;
            }
        }
        nodes
    }

    /// Computes the largest number of stack entries of a traversal that visits all nodes.
    fn needed_stack(&self) -> usize {
        let mut needs = vec![0usize; self.blocks.len()];
        for (block, node) in self.nodes_in_order().into_iter().rev() {
            let rest = usize::from(node.inner.count_ones() > 1);
            let below = (0..SLOTS).filter(|&slot| node.is_inner(slot)).map(|slot| node.child(slot) as usize);
            let below = below.filter_map(|child| needs.get(child)).map(|need| rest + need).max();
            needs[block as usize] = below.unwrap_or(0);
        }
        needs.first().map_or(0, |&need| need.max(1))
    }
}

impl KernelTree for H8 {
    const LAYOUT: MemoryLayout = MemoryLayout {
        node_bytes: size_of::<H8Block>() as u32,
        node_bytes_read: size_of::<H8Block>() as u32,
        record_bytes: size_of::<H8Block>() as u32,
        records_among_nodes: true,
        swizzle: H8Block::SWIZZLE,
        children: &[],
    };

    fn node_words(&self) -> &[u32] {
        bytemuck::cast_slice(&self.blocks)
    }

    fn node_count(&self) -> usize {
        self.blocks.len()
    }

    fn kernel_words(&self) -> (u32, f32) {
        self.kernel_words()
    }
}

impl Stored for H8 {
    type Record = H8Block;
    // 5 had edges in its leaves.
    const KIND: u32 = 7;
    const NAME: &'static str = "H8";

    fn parts(&self) -> Parts<'_, H8Block> {
        let (slots, bounds, stack_depth) = (&self.slots[..], self.bounds, self.stack_depth);
        Parts { branching: SLOTS, records: &self.blocks, slots, bounds, stack_depth, extra: self.reach }
    }

    fn from_loaded(loaded: LoadedContents<H8Block>, triangles: &FlatTriangles) -> Result<Self, LayoutError> {
        let Contents { branching, records: blocks, slots, bounds, stack_depth, extra: reach } = loaded;
        check_branching(branching, SLOTS)?;
        let tree = Self { blocks, slots, bounds, reach, grid_step: grid_step(reach), stack_depth };
        tree.validate()?;
        tree.validate_triangles(triangles)?;
        Ok(tree)
    }
}
