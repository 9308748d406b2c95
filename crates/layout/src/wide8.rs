//! Eight-wide tree for SIMD: a `Bvh2` collapsed so that one visit tests eight boxes.
//!
//! Source: Wald, Benthin, Boulos 2008, "Getting rid of packets" (wide trees for single rays); the
//! collapse is the greedy one of G14 4.1: the child of largest surface area opens first.
//!
//! Invariants ([`Wide8::validate`] checks each):
//! - node 0 is the root, a child comes after its parent, and every other node has one parent;
//! - an unused child slot holds [`NO_CHILD`] and an empty box, which no ray hits; used slots come first;
//! - a leaf names its first block, and its blocks are in range and end;
//! - `stack_depth` entries hold all that a walk ever postpones.

use crate::{BLOCK, LayoutError, TriangleBlock, structure};
use bytemuck::{Pod, Zeroable};
use rayon::prelude::*;
use raywarp_bvh::Bvh2;
use raywarp_geom::{Aabb, FlatTriangles};

/// Set in a child reference that names a leaf: the other bits are the index of its first block.
pub const LEAF: u32 = 1 << 31;

/// The child reference of an unused slot.
pub const NO_CHILD: u32 = u32::MAX;

/// A node: 256 bytes, so that each pair of plane rows is one aligned cache line.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct Wide8Node {
    /// Rows min x, max x, min y, max y, min z, max z of the eight child boxes.
    pub planes: [[f32; 8]; 6],
    /// Index of a node, a leaf with [`LEAF`] set, or [`NO_CHILD`].
    pub children: [u32; 8],
    /// Zero; fills the last cache line.
    pub reserved: [u32; 8],
}

impl Wide8Node {
    const EMPTY: Self = Self {
        planes: {
            let (min, max) = ([f32::INFINITY; 8], [f32::NEG_INFINITY; 8]);
            [min, max, min, max, min, max]
        },
        children: [NO_CHILD; 8],
        reserved: [0; 8],
    };

    /// The box of child `slot`.
    pub fn bounds(&self, slot: usize) -> Aabb {
        Aabb {
            min: std::array::from_fn(|axis| self.planes[2 * axis][slot]),
            max: std::array::from_fn(|axis| self.planes[2 * axis + 1][slot]),
        }
    }

    fn set(&mut self, slot: usize, bounds: &Aabb, child: u32) {
        for axis in 0..3 {
            self.planes[2 * axis][slot] = bounds.min[axis];
            self.planes[2 * axis + 1][slot] = bounds.max[axis];
        }
        self.children[slot] = child;
    }

    fn child_count(&self) -> usize {
        self.children.iter().filter(|&&child| child != NO_CHILD).count()
    }
}

/// An eight-wide tree with its triangles. Empty for a scene without any.
#[derive(Debug, Clone)]
pub struct Wide8 {
    nodes: Vec<Wide8Node>,
    blocks: Vec<TriangleBlock>,
    bounds: Aabb,
    stack_depth: usize,
}

/// What a block will hold: a range of `Bvh2::references`.
struct BlockPlan {
    first: u32,
    count: u32,
    more: bool,
}

/// Collapses `bvh` into nodes of up to eight children and writes its triangles into leaf blocks.
///
/// Opens the inner child of largest half area until a node holds eight (equal areas: the lower
/// slot, so that equal input gives equal bytes). Leaves stay as they are; one of more than
/// [`BLOCK`] triangles takes several blocks. A tree that is one leaf gets a root around it.
///
/// Nodes and blocks stand depth first. O(n), the blocks filled in parallel.
///
/// # Errors
/// [`LayoutError::CountMismatch`] if `bvh` was not built over `triangles`, [`LayoutError::TooMany`]
/// beyond 2^30 - 1 triangles, references or nodes, [`LayoutError::BadNode`] if the tree is malformed.
pub fn encode_wide8(bvh: &Bvh2, triangles: &FlatTriangles) -> Result<Wide8, LayoutError> {
    structure::check(bvh, triangles)?;
    let (mut nodes, mut plans) = (Vec::with_capacity(bvh.nodes.len() / 3 + 1), Vec::new());
    // Nodes still to be written: the Bvh2 node, and the parent's slot that waits for its index.
    let mut waiting: Vec<(usize, Option<(usize, usize)>)> = Vec::new();
    if !bvh.nodes.is_empty() {
        waiting.push((0, None));
    }
    while let Some((source, parent)) = waiting.pop() {
        let index = nodes.len();
        if let Some((node, slot)) = parent {
            let parent: &mut Wide8Node = &mut nodes[node];
            parent.children[slot] = index as u32;
        }
        let mut node = Wide8Node::EMPTY;
        let (children, count) = open_children(bvh, source);
        for (slot, &child) in children[..count].iter().enumerate() {
            let n = &bvh.nodes[child];
            let reference = if n.is_leaf() { LEAF | plan_leaf(&mut plans, n.first, n.count) } else { 0 };
            node.set(slot, &n.bounds, reference);
        }
        nodes.push(node);
        // Pushed backwards, so that nodes come depth first.
        for (slot, &child) in children[..count].iter().enumerate().rev() {
            if !bvh.nodes[child].is_leaf() {
                waiting.push((child, Some((index, slot))));
            }
        }
    }
    let blocks = plans
        .par_iter()
        .map(|plan| {
            let references = &bvh.references[plan.first as usize..][..plan.count as usize];
            TriangleBlock::new(triangles, references, plan.more)
        })
        .collect();
    let bounds = bvh.nodes.first().map_or(Aabb::EMPTY, |root| root.bounds);
    let stack_depth = stack_depth(&nodes);
    Ok(Wide8 { nodes, blocks, bounds, stack_depth })
}

/// The up to eight descendants of `source` that become the children of one node.
fn open_children(bvh: &Bvh2, source: usize) -> ([usize; 8], usize) {
    let mut children = [source; 8];
    let mut count = 1;
    while count < 8 {
        let area = |child: usize| bvh.nodes[child].bounds.half_area();
        let inner = (0..count).filter(|&slot| !bvh.nodes[children[slot]].is_leaf());
        let largest = inner.reduce(|a, b| if area(children[b]) > area(children[a]) { b } else { a });
        let Some(slot) = largest else { break };
        let left = bvh.nodes[children[slot]].first as usize;
        children[slot] = left;
        children[count] = left + 1;
        count += 1;
    }
    (children, count)
}

/// Plans the blocks of a leaf and returns the index of the first.
fn plan_leaf(plans: &mut Vec<BlockPlan>, first: u32, count: u32) -> u32 {
    let index = plans.len() as u32;
    for start in (0..count).step_by(BLOCK) {
        let left = count - start;
        let more = left > BLOCK as u32;
        plans.push(BlockPlan { first: first + start, count: left.min(BLOCK as u32), more });
    }
    index
}

/// The most entries a walk holds when it pushes all hit children and then pops one.
fn stack_depth(nodes: &[Wide8Node]) -> usize {
    let mut needs = vec![0usize; nodes.len()];
    for (index, node) in nodes.iter().enumerate().rev() {
        let inner = node.children.iter().filter(|&&child| child & LEAF == 0);
        let below = inner.map(|&child| needs[child as usize]).max().unwrap_or(1).max(1);
        needs[index] = node.child_count() - 1 + below;
    }
    needs.first().copied().unwrap_or(0)
}

impl Wide8 {
    /// Nodes; the first is the root. Empty without triangles.
    #[inline]
    pub fn nodes(&self) -> &[Wide8Node] {
        &self.nodes
    }

    /// Leaf blocks.
    #[inline]
    pub fn blocks(&self) -> &[TriangleBlock] {
        &self.blocks
    }

    /// The box around everything.
    #[inline]
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// Stack entries that a walk needs which pushes all hit children of a node and then pops one.
    #[inline]
    pub fn stack_depth(&self) -> usize {
        self.stack_depth
    }

    /// Bytes of nodes and blocks.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.nodes[..]) + size_of_val(&self.blocks[..])
    }

    /// Checks every invariant of the module's text. O(n).
    ///
    /// # Errors
    /// [`LayoutError::BadRecord`] with the first that is broken.
    pub fn validate(&self) -> Result<(), LayoutError> {
        let mut has_parent = vec![false; self.nodes.len()];
        let mut block_of_leaf = vec![false; self.blocks.len()];
        for (record, node) in self.nodes.iter().enumerate() {
            let fault = |fault| Err(LayoutError::BadRecord { record, fault });
            if node.children[0] == NO_CHILD || node.reserved != [0; 8] {
                return fault("it has no child, or something in its reserved words");
            }
            for slot in 0..8 {
                let (child, bounds) = (node.children[slot], node.bounds(slot));
                if child == NO_CHILD {
                    if bounds != Aabb::EMPTY || node.children[slot..] != [NO_CHILD; 8][slot..] {
                        return fault("an unused slot has a box, or a used one after it");
                    }
                } else if child & LEAF == 0 {
                    let child = child as usize;
                    if child <= record || child >= self.nodes.len() || std::mem::replace(&mut has_parent[child], true) {
                        return fault("a child does not come after it, or has two parents");
                    }
                    if !(0..8).all(|s| bounds.contains(&self.nodes[child].bounds(s))) {
                        return fault("a child's box does not hold its children's boxes");
                    }
                } else if !self.leaf_is_sound((child & !LEAF) as usize, &bounds, &mut block_of_leaf) {
                    return fault("a leaf's blocks are out of range, shared, or outside its box");
                }
            }
        }
        if has_parent.iter().skip(1).any(|&seen| !seen) || block_of_leaf.iter().any(|&seen| !seen) {
            return Err(LayoutError::BadRecord { record: 0, fault: "something is not reached from the root" });
        }
        if self.stack_depth != stack_depth(&self.nodes) {
            return Err(LayoutError::BadRecord { record: 0, fault: "the stack depth is wrong" });
        }
        Ok(())
    }

    fn leaf_is_sound(&self, first: usize, bounds: &Aabb, seen: &mut [bool]) -> bool {
        for index in first.. {
            let Some(block) = self.blocks.get(index) else { return false };
            if block.is_empty() || std::mem::replace(&mut seen[index], true) {
                return false;
            }
            // A split reference may stick out of its box, but must touch it.
            let touches = |slot| !bounds.intersection(&Aabb::of_points(&block.vertices(slot))).is_empty();
            if !(0..BLOCK).all(|slot| block.index(slot).is_none() || touches(slot)) {
                return false;
            }
            if !block.has_more() {
                return true;
            }
        }
        false
    }
}
