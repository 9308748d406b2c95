//! Fits a tree to triangles that have moved: its shape stays, its boxes and corners are new.
//!
//! Nodes stand depth first, and so do the blocks of their leaves: a subtree is a range of both. Subtrees are fitted
//! beside each other, each from its end to its beginning, so that children come before their parents; then the few
//! nodes above them. The order in which costs are added depends on the tree alone, and so does every bit of them.

use super::{LEAF, NO_CHILD, NODE_LINES, Spare, Wide8, Wide8Node, half_area, node_index, node_reference, zeroed_lines};
use crate::{BLOCK, INDEX_MASK, REFERENCE_BYTES, TriangleBlock, UNUSED_SLOT};
use rayon::prelude::*;
use raywarp_geom::{Aabb, Control};
use raywarp_lanes::{InstructionSet, Isa, Task, Vector};
use std::ops::Range;

/// Largest number of nodes of a subtree that is fitted at once: with its blocks it fits a core's second-level cache.
const PIECE: usize = 256;

/// Cost of visiting a leaf's block, where that of a node is 1: as trees are collapsed.
const BLOCK_COST: f32 = super::LEAF_RULE.block_cost;

/// Cost of a tree by the surface area heuristic, as sums of half areas of boxes: what a random ray's work grows with.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Wide8Cost {
    /// Sum over all nodes but the root, and all blocks of leaves at 0.7 of a node, of the half area of the box that a
    /// ray has to meet for them.
    pub tree: f64,
    /// Sum over all triangles, once for each leaf that holds them, of the half area of their own boxes, which no tree
    /// can change.
    pub triangles: f64,
    /// Half area of the box around all triangles.
    pub bounds: f64,
}

impl Wide8Cost {
    /// Returns by what factor a tree has become worse than it was when it had the cost `built`: the growth of its cost
    /// in relation to what no tree can change, the triangles' own boxes or the box around all, whichever tells more.
    pub fn decay(&self, built: &Self) -> f64 {
        let growth = |now: f64, before: f64| {
            let (now, before) = (self.tree * before, built.tree * now);
            // All boxes may be flat.
            if before > 0.0 { now / before } else { 1.0 }
        };
        growth(self.triangles, built.triangles).max(growth(self.bounds, built.bounds))
    }

    fn add(&mut self, other: Self) {
        self.tree += other.tree;
        self.triangles += other.triangles;
    }
}

/// Triangles to which a tree is fitted, by their indices; closures, or meshes, whose memory is fetched ahead.
pub trait Corners: Sync {
    /// Returns the corners of a triangle, which have to be finite.
    fn corners(&self, index: u32) -> [[f32; 3]; 3];

    /// Passes addresses on to `fetch` that [`Corners::corners`] will read for a triangle: those that need no other, or
    /// `last` those that it finds there.
    #[inline(always)]
    fn ahead(&self, index: u32, last: bool, fetch: impl Fn(*const u8)) {
        let _ = (index, last, fetch);
    }
}

impl<F: Fn(u32) -> [[f32; 3]; 3] + Sync> Corners for F {
    #[inline(always)]
    fn corners(&self, index: u32) -> [[f32; 3]; 3] {
        self(index)
    }
}

/// Mesh whose triangles a tree is fitted to.
#[derive(Debug, Clone, Copy)]
pub struct IndexedCorners<'a> {
    /// Positions of vertices.
    pub positions: &'a [[f32; 3]],
    /// Three vertices a triangle.
    pub indices: &'a [[u32; 3]],
}

impl Corners for IndexedCorners<'_> {
    #[inline(always)]
    fn corners(&self, index: u32) -> [[f32; 3]; 3] {
        let [a, b, c] = self.indices[index as usize];
        [self.positions[a as usize], self.positions[b as usize], self.positions[c as usize]]
    }

    #[inline(always)]
    fn ahead(&self, index: u32, last: bool, fetch: impl Fn(*const u8)) {
        if !last {
            return fetch(self.indices.as_ptr().wrapping_add(index as usize).cast());
        }
        if let Some(corners) = self.indices.get(index as usize) {
            for &vertex in corners {
                fetch(self.positions.as_ptr().wrapping_add(vertex as usize).cast());
            }
        }
    }
}

/// Numbers of blocks by which addresses are fetched ahead, those that need no other and those that do.
const AHEAD: [usize; 2] = [16, 8];

/// Subtree, as ranges of nodes and blocks.
#[derive(Debug, Clone, PartialEq)]
struct Piece {
    nodes: Range<usize>,
    blocks: Range<usize>,
}

impl Wide8 {
    /// Fits the tree to triangles that have moved: `corners` returns those of a triangle by its index, which have to be
    /// finite. Returns the cost of the tree as it is then.
    ///
    /// A triangle that stands in several leaves (spatial splits) makes each of their boxes hold it whole: right, but
    /// costly. O(n), in parallel, nothing allocated but by the thousand nodes.
    pub fn refit(&mut self, corners: &impl Corners) -> Wide8Cost {
        let (pieces, above) = self.pieces();
        fit(None, self, &pieces, &above, corners)
    }

    /// Returns the tree fitted to triangles that have moved, as [`Wide8::refit`] does, and its cost: one pass over the
    /// memory of both trees.
    ///
    /// A large tree that was fitted so leaves its memory, when nobody has it any more, to the next that is fitted to
    /// one of its line: new memory takes longer than all else. Until then, and as long as any of these trees is there,
    /// the memory of one stays.
    #[must_use]
    pub fn refitted(&self, corners: &impl Corners) -> (Self, Wide8Cost) {
        let (pieces, above) = self.pieces();
        let count = self.lines.len();
        let spare = self.spare.clone().or_else(|| Spare::for_lines(count));
        // Nodes and blocks are all written; what is behind the last block is zero in the old one, too.
        let old = spare.as_ref().and_then(|spare| spare.take(count));
        let lines = old.unwrap_or_else(|| zeroed_lines(count, &Control::default()).expect("nobody can cancel it"));
        let mut new = Self { lines, spare, ..*self };
        let cost = fit(Some(self), &mut new, &pieces, &above, corners);
        (new, cost)
    }

    /// Returns the cost of the tree. O(n), in parallel.
    pub fn cost(&self) -> Wide8Cost {
        let area = |node: &Wide8Node, slot: usize| {
            let child = node.children[slot];
            let weight =
                if child & LEAF == 0 { 1.0 } else { f64::from(BLOCK_COST) * self.leaf_blocks(child).count() as f64 };
            weight * half_area(&node.bounds(slot))
        };
        let used = |node: &Wide8Node| (0..8).filter(|&slot| node.children[slot] != NO_CHILD).collect::<Vec<_>>();
        let of_node = |node: &Wide8Node| used(node).into_iter().map(|slot| area(node, slot)).sum::<f64>();
        let of_block = |block: &TriangleBlock| {
            let used = (0..BLOCK).filter(|&slot| block.index(slot).is_some());
            used.map(|slot| half_area(&Aabb::of_points(&block.vertices(slot)))).sum::<f64>()
        };
        // Pieces of the same size on every machine, added in order.
        let nodes: Vec<f64> = self.nodes().par_chunks(PIECE).map(|nodes| nodes.iter().map(of_node).sum()).collect();
        let blocks: Vec<f64> =
            self.blocks().par_chunks(PIECE).map(|blocks| blocks.iter().map(of_block).sum()).collect();
        let bounds = half_area(&self.bounds);
        Wide8Cost { tree: nodes.into_iter().sum(), triangles: blocks.into_iter().sum(), bounds }
    }

    /// Cuts the tree into subtrees of at most [`PIECE`] nodes, in their order, and lists the nodes above them.
    fn pieces(&self) -> (Vec<Piece>, Vec<usize>) {
        let (nodes, mut pieces, mut above) = (self.nodes(), Vec::new(), Vec::new());
        let mut open = Vec::new();
        if !nodes.is_empty() {
            open.push(0..nodes.len());
        }
        while let Some(range) = open.pop() {
            if range.len() <= PIECE {
                let blocks = self.first_block(range.start)..self.first_block(range.end);
                pieces.push(Piece { nodes: range, blocks });
                continue;
            }
            above.push(range.start);
            let children = nodes[range.start].children;
            let mut starts: Vec<usize> =
                children.iter().filter(|&&child| child & LEAF == 0).map(|&c| node_index(c)).collect();
            starts.push(range.end);
            open.extend(starts.windows(2).rev().map(|ends| ends[0]..ends[1]));
        }
        (pieces, above)
    }

    /// Returns the first block of all leaves of nodes from `node` on.
    fn first_block(&self, node: usize) -> usize {
        let leaves = |node: &Wide8Node| node.children.into_iter().find(|&child| child & LEAF != 0 && child != NO_CHILD);
        let first = self.nodes()[node..].iter().find_map(leaves);
        first.map_or(self.block_count, |leaf| self.block_index(leaf).expect("a leaf of this tree"))
    }
}

/// Fits `new`, whose shape is that of `old`, or its own if there is none.
fn fit<F: Corners>(old: Option<&Wide8>, new: &mut Wide8, pieces: &[Piece], above: &[usize], corners: &F) -> Wide8Cost {
    let (node_count, block_count, isa) = (new.node_count, new.block_count, Isa::preferred());
    let (node_lines, block_lines) = new.lines.split_at_mut(node_count * NODE_LINES);
    let nodes: &mut [Wide8Node] = bytemuck::cast_slice_mut(node_lines);
    let block_bytes: &mut [u8] = bytemuck::cast_slice_mut(block_lines);
    let blocks: &mut [TriangleBlock] =
        bytemuck::cast_slice_mut(&mut block_bytes[..block_count * size_of::<TriangleBlock>()]);
    let old = old.map(|old| (old.nodes(), old.blocks()));

    let (mut subtrees, mut rest) = (Vec::with_capacity(pieces.len()), (&mut *nodes, &mut *blocks));
    let (mut node, mut block) = (0, 0);
    for piece in pieces {
        let (skipped, behind) = rest.0.split_at_mut(piece.nodes.end - node);
        let (skipped_blocks, behind_blocks) = rest.1.split_at_mut(piece.blocks.end - block);
        subtrees.push(Part {
            old,
            nodes: &mut skipped[piece.nodes.start - node..],
            blocks: &mut skipped_blocks[piece.blocks.start - block..],
            first_node: piece.nodes.start,
            first_block: piece.blocks.start,
            node_count,
        });
        rest = (behind, behind_blocks);
        (node, block) = (piece.nodes.end, piece.blocks.end);
    }
    let one = |part: Part<'_>| isa.run(Fit { part, only: None, corners });
    let costs: Vec<Wide8Cost> = subtrees.into_par_iter().map(one).collect();
    let mut cost = Wide8Cost::default();
    costs.into_iter().for_each(|piece| cost.add(piece));
    let part = Part { old, nodes, blocks, first_node: 0, first_block: 0, node_count };
    cost.add(isa.run(Fit { part, only: Some(above), corners }));
    new.bounds = new.nodes().first().map_or(Aabb::EMPTY, Wide8Node::around);
    cost.bounds = half_area(&new.bounds);
    cost
}

/// Part of a tree that is fitted.
struct Part<'a> {
    /// Tree that has the shape, if it is another.
    old: Option<(&'a [Wide8Node], &'a [TriangleBlock])>,
    nodes: &'a mut [Wide8Node],
    blocks: &'a mut [TriangleBlock],
    first_node: usize,
    first_block: usize,
    /// Number of nodes of the whole tree.
    node_count: usize,
}

impl Part<'_> {
    /// Returns the words of a block's slots.
    #[inline(always)]
    fn slots(&self, block: usize) -> [u32; BLOCK] {
        self.old.map_or(self.blocks[block].slots, |(_, blocks)| blocks[self.first_block + block].slots)
    }
}

/// Task that fits a part: all of it, or the listed nodes and their leaves.
struct Fit<'a, F> {
    part: Part<'a>,
    only: Option<&'a [usize]>,
    corners: &'a F,
}

impl<F: Corners> Task for Fit<'_, F> {
    type Output = Wide8Cost;

    #[inline(always)]
    fn run<S: InstructionSet>(self, set: S) -> Wide8Cost {
        let Self { mut part, only, corners } = self;
        let mut cost = Wide8Cost::default();
        if let Some(only) = only {
            for &index in only.iter().rev() {
                fit_node(set, &mut part, index, None, corners, &mut cost);
            }
            return cost;
        }
        // Blocks in the order of memory, which is read and written as fast as it can be that way.
        let mut boxes = Vec::with_capacity(part.blocks.len());
        for block in 0..part.blocks.len() {
            for (distance, last) in [(AHEAD[0], false), (AHEAD[1], true)] {
                if block + distance < part.blocks.len() {
                    for slot in part.slots(block + distance) {
                        corners.ahead(slot & INDEX_MASK, last, |address| set.prefetch(address));
                    }
                }
            }
            boxes.push(fit_block(set, &mut part, block, corners, &mut cost.triangles));
        }
        for index in (0..part.nodes.len()).rev() {
            fit_node(set, &mut part, index, Some(&boxes), corners, &mut cost);
        }
        cost
    }
}

/// Least and greatest coordinates.
type Box3 = [[f32; 3]; 2];

/// Fits a node, whose inner children have been fitted. The boxes of its leaves' blocks are those of `boxes`; without
/// any the blocks are fitted, too.
#[inline(always)]
fn fit_node<S: InstructionSet>(
    set: S,
    part: &mut Part<'_>,
    index: usize,
    boxes: Option<&[Box3]>,
    corners: &impl Corners,
    cost: &mut Wide8Cost,
) {
    let mut node = Wide8Node::EMPTY;
    node.children = part.old.map_or(part.nodes[index].children, |(nodes, _)| nodes[part.first_node + index].children);
    let mut weights = [0.0; 8];
    for slot in 0..8 {
        let child = node.children[slot];
        if child == NO_CHILD {
            break;
        }
        let [mut low, mut high] = [[f32::INFINITY; 3], [f32::NEG_INFINITY; 3]];
        if child & LEAF == 0 {
            weights[slot] = 1.0;
            Aabb { min: low, max: high } = part.nodes[node_index(child) - part.first_node].around();
        } else {
            let mut block = block_index(part.node_count, child) - part.first_block;
            loop {
                weights[slot] += BLOCK_COST;
                let own = match boxes {
                    Some(boxes) => boxes[block],
                    None => fit_block(set, part, block, corners, &mut cost.triangles),
                };
                for axis in 0..3 {
                    low[axis] = least(low[axis], own[0][axis]);
                    high[axis] = most(high[axis], own[1][axis]);
                }
                if !part.blocks[block].has_more() {
                    break;
                }
                block += 1;
            }
        }
        for axis in 0..3 {
            node.planes[2 * axis][slot] = low[axis];
            node.planes[2 * axis + 1][slot] = high[axis];
        }
    }
    cost.tree += sum(weighted::<S>(set, &node.planes, &weights).store());
    part.nodes[index] = node;
}

/// Returns the half areas of a node's boxes, each times its weight; 0 for empty ones.
#[inline(always)]
fn weighted<S: InstructionSet>(set: S, planes: &[[f32; 8]; 6], weights: &[f32; 8]) -> S::F8 {
    let x = S::F8::load(set, &planes[1]) - S::F8::load(set, &planes[0]);
    let y = S::F8::load(set, &planes[3]) - S::F8::load(set, &planes[2]);
    let z = S::F8::load(set, &planes[5]) - S::F8::load(set, &planes[4]);
    let area = (x * y + y * z + z * x) * S::F8::load(set, weights);
    // Unused slots have sides of minus infinity.
    S::F8::select(x.ge(S::F8::splat(set, 0.0)), area, S::F8::splat(set, 0.0))
}

/// Fits a block, and returns the box around its triangles.
#[inline(always)]
fn fit_block<S: InstructionSet>(
    set: S,
    part: &mut Part<'_>,
    block: usize,
    corners: &impl Corners,
    triangles: &mut f64,
) -> Box3 {
    let slots = part.slots(block);
    let mut new = TriangleBlock { corners: [[[f32::NAN; BLOCK]; 3]; 3], slots };
    for slot in 0..BLOCK {
        let index = slots[slot] & INDEX_MASK;
        if index == UNUSED_SLOT {
            break;
        }
        let vertices = corners.corners(index);
        for corner in 0..3 {
            for axis in 0..3 {
                new.corners[corner][axis][slot] = vertices[corner][axis];
            }
        }
    }
    let (zero, mut sides, mut range) = (S::F4::splat(set, 0.0), [S::F4::splat(set, 0.0); 3], [[0.0; 3]; 2]);
    for axis in 0..3 {
        let a = S::F4::load(set, &new.corners[0][axis]);
        let b = S::F4::load(set, &new.corners[1][axis]);
        let c = S::F4::load(set, &new.corners[2][axis]);
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        sides[axis] = high - low;
        // NaN of unused slots leaves the other: the first slot is used.
        let [low, high] = [low.store(), high.store()];
        range[0][axis] = least(low[3], least(low[2], least(low[1], low[0])));
        range[1][axis] = most(high[3], most(high[2], most(high[1], high[0])));
    }
    let [x, y, z] = sides;
    *triangles += sum(S::F4::select(x.ge(zero), x * y + y * z + z * x, zero).store());
    part.blocks[block] = new;
    range
}

/// Returns the index of the first block of a leaf, in a tree of so many nodes.
fn block_index(node_count: usize, leaf: u32) -> usize {
    ((leaf & !LEAF) - node_reference(node_count)) as usize / (size_of::<TriangleBlock>() / REFERENCE_BYTES)
}

#[inline(always)]
pub(super) fn least(a: f32, b: f32) -> f32 {
    if a < b { a } else { b }
}

#[inline(always)]
pub(super) fn most(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

/// Adds numbers in f64.
#[inline(always)]
fn sum<const N: usize>(numbers: [f32; N]) -> f64 {
    let mut sum = 0.0;
    for x in numbers {
        sum += f64::from(x);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode_wide8;
    use raywarp_bvh::{BuildOptions, build};
    use raywarp_geom::FlatTriangles;

    /// Triangles of a curled strip; the twist is other in each frame.
    fn strip(count: usize, frame: usize) -> FlatTriangles {
        let at = |i: usize| {
            let angle = (i * (frame + 3)) as f32 * 0.01;
            [angle.cos() * (1.0 + i as f32 * 0.01), angle.sin(), (i * i % 17) as f32 * 0.1]
        };
        FlatTriangles::from_vertices((0..count).map(|i| [at(i), at(i + 1), at(i + 2)]).collect())
    }

    #[test]
    fn a_fitted_tree_has_the_least_boxes_around_the_new_triangles() {
        for count in [0, 1, 5, 40, 30_000] {
            let (before, after) = (strip(count, 0), strip(count, 1));
            let bvh = build(&before, &BuildOptions::default()).unwrap();
            let built = encode_wide8(&bvh, &before).unwrap();
            let (new, cost) = built.refitted(&|index: u32| after.vertices[index as usize]);
            assert_eq!(new.validate(), Ok(()));
            for block in new.blocks() {
                for slot in (0..BLOCK).filter(|&slot| block.index(slot).is_some()) {
                    assert_eq!(block.vertices(slot), after.vertices[block.index(slot).unwrap() as usize]);
                }
            }
            // Leaves are tight, and inner boxes those of their nodes, which `validate` has seen to hold at least.
            for node in new.nodes() {
                for slot in (0..8).filter(|&slot| node.children[slot] != NO_CHILD) {
                    let child = node.children[slot];
                    let tight = if child & LEAF == 0 {
                        new.nodes()[node_index(child)].around()
                    } else {
                        let used = new.leaf_blocks(child).flat_map(|block| (0..BLOCK).map(move |slot| (block, slot)));
                        let used = used.filter(|(block, slot)| block.index(*slot).is_some());
                        used.fold(Aabb::EMPTY, |all, (block, slot)| all.union(&Aabb::of_points(&block.vertices(slot))))
                    };
                    assert_eq!(node.bounds(slot), tight);
                }
            }
            let near = |a: f64, b: f64| (a - b).abs() <= 1e-6 * b;
            let again = new.cost();
            assert!(near(cost.tree, again.tree) && near(cost.triangles, again.triangles), "{cost:?} {again:?}");
            // In place the same, and back again what was built.
            let mut in_place = built.clone();
            assert_eq!(in_place.refit(&|index: u32| after.vertices[index as usize]), cost);
            let bytes = |wide: &Wide8| bytemuck::cast_slice::<_, u8>(wide.lines()).to_vec();
            assert!(bytes(&in_place) == bytes(&new) && in_place.bounds() == new.bounds());
            in_place.refit(&|index: u32| before.vertices[index as usize]);
            assert!(bytes(&in_place) == bytes(&built) && in_place.bounds() == built.bounds());
        }
    }

    #[test]
    fn pieces_and_the_nodes_above_them_are_the_whole_tree() {
        let triangles = strip(30_000, 0);
        let built = encode_wide8(&build(&triangles, &BuildOptions::default()).unwrap(), &triangles).unwrap();
        let (pieces, above) = built.pieces();
        let mut nodes: Vec<usize> = pieces.iter().flat_map(|piece| piece.nodes.clone()).chain(above.clone()).collect();
        nodes.sort_unstable();
        assert!(nodes.iter().copied().eq(0..built.nodes().len()) && pieces.len() > 8 && above.is_sorted());
        for piece in pieces {
            for node in &built.nodes()[piece.nodes.clone()] {
                for &child in node.children.iter().filter(|&&child| child != NO_CHILD) {
                    let is_within = match child & LEAF {
                        0 => piece.nodes.contains(&node_index(child)),
                        _ => piece.blocks.contains(&built.block_index(child).unwrap()),
                    };
                    assert!(is_within, "{piece:?} {child}");
                }
            }
        }
    }
}
