//! From a `Bvh2` to the memory of a [`Wide8`], each step in parallel: which nodes become children and leaves
//! ([`Collapse`]), how many nodes and blocks each large part has, the nodes, and then the blocks.
//!
//! Where everything stands follows from the tree alone: nodes depth first, a node's own leaves before those of the
//! nodes below it. So a part has a range of nodes and one of blocks, and threads write theirs without a copy. The
//! `Bvh2` is freed before there are blocks, which take as much as its nodes.

use super::{
    LEAF_RULE, Line, MOST_BYTES, NODE_LINES, Wide8, Wide8Node, leaf_reference, node_reference, stack_depth_below,
};
use crate::collapse::{Children, Collapse, Span, WIDTH, look_at};
use crate::{BLOCK, INDEX_MASK, LayoutError, MORE_BLOCKS, TriangleBlock, structure};
use bytemuck::Zeroable;
use rayon::prelude::*;
use raywarp_bvh::Bvh2;
use raywarp_geom::{Aabb, Control, FlatTriangles, TriangleSource};
use std::borrow::Cow;
use std::ops::Range;

/// Encodes `bvh` as nodes of up to eight children, with its triangles in leaf blocks.
///
/// The collapse is the one of least SAH cost (equal costs: the smaller left share, so that equal
/// input gives equal bytes); it may join small leaves. A leaf of more than [`BLOCK`] triangles takes
/// several blocks. A tree that is one leaf gets a root around it. A node's children are in
/// the order of the module's text; nodes and blocks stand depth first. O(n), in parallel.
///
/// # Errors
/// [`LayoutError::CountMismatch`] if `bvh` was not built over `triangles`, [`LayoutError::TooMany`]
/// beyond 2^30 - 1 triangles, references or nodes or 64 GiB, [`LayoutError::BadNode`] if the tree is
/// malformed.
pub fn encode_wide8(bvh: &Bvh2, triangles: &FlatTriangles) -> Result<Wide8, LayoutError> {
    encode_wide8_controlled(bvh, triangles, &Control::default())
}

/// Encodes `bvh` as [`encode_wide8`] does, until the caller cancels it. It tells no progress: it takes a small part of
/// the time in which the tree was built.
///
/// # Errors
/// As [`encode_wide8`], and [`LayoutError::Cancelled`].
pub fn encode_wide8_controlled(
    bvh: &Bvh2,
    triangles: &FlatTriangles,
    control: &Control<'_>,
) -> Result<Wide8, LayoutError> {
    if triangles.opaque.len() != triangles.len() {
        return Err(LayoutError::CountMismatch { tree: bvh.primitive_count, triangles: triangles.opaque.len() });
    }
    encode_wide8_over(Cow::Borrowed(bvh), triangles, control, |_| {})
}

/// Encodes `bvh` as [`encode_wide8_controlled`] does, over triangles wherever they are, which are looked at once. A
/// tree that is given away is freed on the way. `seen` takes the index of each triangle of each leaf, but none where
/// the tree has as many references as there are triangles.
///
/// At the peak it takes 8 bytes for each inner node of `bvh`, and that and the nodes of the tree that comes of it, or
/// these and their blocks.
///
/// # Errors
/// As [`encode_wide8_controlled`].
pub fn encode_wide8_over(
    bvh: Cow<'_, Bvh2>,
    triangles: &dyn TriangleSource,
    control: &Control<'_>,
    seen: impl FnMut(u32),
) -> Result<Wide8, LayoutError> {
    structure::check_over(&bvh, triangles.count(), control)?;
    let bounds = bvh.nodes.first().map_or(Aabb::EMPTY, |root| root.bounds);
    let mut tree = Wide8 { lines: Vec::new(), spare: None, node_count: 0, block_count: 0, bounds, stack_depth: 0 };
    if bvh.nodes.is_empty() {
        return Ok(tree);
    }
    match write(&mut tree, bvh, triangles, control, seen) {
        Ok(()) => Ok(tree),
        Err(error) => {
            // So much memory takes some time to free, for which who cancelled does not wait.
            if cfg!(not(target_family = "wasm")) {
                rayon::spawn(move || drop(tree));
            }
            Err(error)
        }
    }
}

/// Writes the nodes and blocks of a tree that is not empty.
fn write(
    tree: &mut Wide8,
    bvh: Cow<'_, Bvh2>,
    triangles: &dyn TriangleSource,
    control: &Control<'_>,
    mut seen: impl FnMut(u32),
) -> Result<(), LayoutError> {
    let collapse = Collapse::controlled(&bvh, LEAF_RULE, None, control)?;
    let encoder = Encoder { bvh: &bvh, collapse, control };
    let whole = encoder.part(Span::whole(&bvh))?;
    let Size { nodes: node_count, blocks: block_count, references } = whole.size;
    let bytes = node_count * size_of::<Wide8Node>() + block_count * size_of::<TriangleBlock>();
    if bytes > MOST_BYTES {
        return Err(LayoutError::TooMany { what: "bytes of nodes and leaf blocks", found: bytes, limit: MOST_BYTES });
    }
    (tree.node_count, tree.block_count) = (node_count, block_count);
    let (lines, line_count) = (&mut tree.lines, bytes.div_ceil(size_of::<Line>()));
    lines.reserve_exact(line_count);
    // Before they are touched: memory of this alignment is zeroed by writing to it.
    raywarp_lanes::prefer_huge_pages(lines.spare_capacity_mut());
    add_zeros(lines, node_count * NODE_LINES, control)?;
    let mut order = vec![NOTHING; references];
    let (first, nodes) = (Size::default(), bytemuck::cast_slice_mut(lines));
    let written = encoder.write(&whole, Memory { nodes, order: &mut order, first, node_count })?;
    tree.stack_depth = written.stack_depth;
    drop((encoder, whole));
    let is_each_once = bvh.references.len() == triangles.count();
    drop(bvh);
    if !is_each_once {
        for (place, &word) in order.iter().enumerate() {
            look_at(control, place)?;
            if word != NOTHING {
                seen(word & INDEX_MASK);
            }
        }
    }
    add_zeros(lines, line_count, control)?;
    let block_bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut lines[node_count * NODE_LINES..]);
    let blocks = bytemuck::cast_slice_mut(&mut block_bytes[..block_count * size_of::<TriangleBlock>()]);
    fill(blocks, &order, &written.runs, triangles, control)
}

/// Flag in a word of the order of references that it is the last of its block.
const LAST: u32 = 1 << 31;

/// Word of the order of references that names none: less than were planned, since some met again.
const NOTHING: u32 = u32::MAX;

/// Fills blocks with the triangles of an order of references: indices, with [`LAST`] at the end of each block and
/// [`MORE_BLOCKS`] there if its leaf goes on.
fn fill(
    mut blocks: &mut [TriangleBlock],
    order: &[u32],
    runs: &[Run],
    triangles: &dyn TriangleSource,
    control: &Control<'_>,
) -> Result<(), LayoutError> {
    let mut tasks = Vec::with_capacity(runs.len());
    for run in runs {
        let (own, rest) = blocks.split_at_mut(run.blocks);
        tasks.push((own, &order[run.references.clone()]));
        blocks = rest;
    }
    tasks.into_par_iter().try_for_each(|(blocks, order)| {
        let (mut few, mut count, mut blocks) = ([0; BLOCK], 0, blocks.iter_mut());
        for (place, &word) in order.iter().enumerate().filter(|(_, word)| **word != NOTHING) {
            look_at(control, place * 4)?;
            few[count] = word & INDEX_MASK;
            count += 1;
            if word & LAST != 0
                && let Some(block) = blocks.next()
            {
                *block = TriangleBlock::new(triangles, &few[..count], word & MORE_BLOCKS != 0);
                count = 0;
            }
        }
        Ok(())
    })
}

/// Returns lines of zeros, in huge pages where that pays.
pub(super) fn zeroed_lines(count: usize, control: &Control<'_>) -> Result<Vec<Line>, LayoutError> {
    let mut lines = Vec::with_capacity(count);
    // Before they are touched: memory of this alignment is zeroed by writing to it.
    raywarp_lanes::prefer_huge_pages(lines.spare_capacity_mut());
    add_zeros(&mut lines, count, control)?;
    Ok(lines)
}

/// Adds lines of zeros until there are `count`.
fn add_zeros(lines: &mut Vec<Line>, count: usize, control: &Control<'_>) -> Result<(), LayoutError> {
    while lines.len() < count {
        look_at(control, 0)?;
        let next = lines.len()..count.min(lines.len() + LINES);
        lines.par_extend(next.into_par_iter().with_min_len(LINES / 64).map(|_| Line::zeroed()));
    }
    Ok(())
}

/// Number of lines that are touched between two looks at the caller's [`Control`]: four megabytes.
const LINES: usize = 1 << 16;

/// Numbers of nodes, blocks and references.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    nodes: usize,
    blocks: usize,
    /// At most so many.
    references: usize,
}

impl std::ops::AddAssign for Size {
    fn add_assign(&mut self, other: Self) {
        self.nodes += other.nodes;
        self.blocks += other.blocks;
        self.references += other.references;
    }
}

/// Part of the tree, below a node of the wide one.
struct Part {
    /// Node of the binary tree.
    source: usize,
    size: Size,
    /// Children of all its nodes, depth first, for a part that one thread writes: else empty.
    plan: Vec<Children>,
    /// Parts below its children that are no leaves, in the order of their slots; empty for a part that one thread
    /// writes.
    inner: Vec<Part>,
}

/// Memory of a part.
struct Memory<'a> {
    nodes: &'a mut [Wide8Node],
    /// Triangles of its blocks, as [`fill`] takes them.
    order: &'a mut [u32],
    /// Numbers of what stands before it in the whole tree.
    first: Size,
    /// Number of nodes of the whole tree.
    node_count: usize,
}

/// Blocks and references that one thread may work on.
#[derive(Debug)]
struct Run {
    blocks: usize,
    references: Range<usize>,
}

/// Part whose nodes are written: the stack depth below it, and its blocks.
struct Written {
    stack_depth: usize,
    runs: Vec<Run>,
}

/// What all parts of an encoding look at.
struct Encoder<'a> {
    bvh: &'a Bvh2,
    collapse: Collapse<'a>,
    control: &'a Control<'a>,
}

impl Encoder<'_> {
    /// Returns the children of a node in the order of their slots.
    fn children(&self, source: usize) -> Children {
        let mut children = self.collapse.children(source);
        self.collapse.sort_by_promise(&mut children);
        children
    }

    /// Adds a leaf.
    fn add_leaf(&self, size: &mut Size, leaf: usize, references: &mut Vec<u32>) {
        let count = self.collapse.count(leaf);
        // What is merged is one block; repeats may make a leaf smaller.
        let found = if count > BLOCK {
            self.collapse.references(leaf, references);
            references.len()
        } else {
            count
        };
        size.blocks += found.div_ceil(BLOCK);
        size.references += count;
    }

    /// Measures a part.
    fn part(&self, span: Span) -> Result<Part, LayoutError> {
        let (source, mut references) = (span.node, Vec::new());
        let mut size = Size::default();
        if !span.is_large(self.bvh) {
            let (mut open, mut plan) = (vec![source], Vec::new());
            while let Some(source) = open.pop() {
                look_at(self.control, size.nodes)?;
                size.nodes += 1;
                let children = self.children(source);
                // Pushed backwards, so that nodes come depth first.
                for child in children.iter().rev().map(|&child| child as usize) {
                    if self.collapse.is_leaf(child) {
                        self.add_leaf(&mut size, child, &mut references);
                    } else {
                        open.push(child);
                    }
                }
                plan.push(children);
            }
            return Ok(Part { source, size, plan, inner: Vec::new() });
        }
        size.nodes += 1;
        let mut spans = Vec::new();
        let in_order = self.collapse.children(source);
        let below = span.below(self.bvh, &in_order);
        let children = self.children(source);
        for &child in children.iter() {
            if self.collapse.is_leaf(child as usize) {
                self.add_leaf(&mut size, child as usize, &mut references);
            } else {
                spans.extend(below.iter().find(|span| span.node == child as usize));
            }
        }
        let inner = spans.into_par_iter().map(|span| self.part(span)).collect::<Result<Vec<Part>, _>>()?;
        inner.iter().for_each(|part| size += part.size);
        let plan = if inner.is_empty() { vec![children] } else { Vec::new() };
        Ok(Part { source, size, plan, inner })
    }

    /// Writes the nodes of a part.
    fn write(&self, part: &Part, memory: Memory<'_>) -> Result<Written, LayoutError> {
        if part.inner.is_empty() {
            return self.write_alone(&part.plan, memory);
        }
        let Memory { nodes, order, mut first, node_count } = memory;
        let (root, mut nodes) = nodes.split_at_mut(1);
        let mut writer = Writer::new(self, first, node_count);
        let (own, inner) = writer.node(&self.children(part.source), order);
        root[0] = own;
        let top = first.nodes;
        let mut order = &mut order[writer.next.references..];
        let mut runs = vec![writer.run()];
        first += Size { nodes: 1, ..writer.next };
        let (mut tasks, mut references) = (Vec::new(), Vec::new());
        for (part, &slot) in part.inner.iter().zip(inner.iter()) {
            root[0].children[slot] = node_reference(first.nodes);
            references.push(node_reference(first.nodes));
            let (to_nodes, to_order);
            (to_nodes, nodes) = nodes.split_at_mut(part.size.nodes);
            (to_order, order) = order.split_at_mut(part.size.references);
            tasks.push((part, Memory { nodes: to_nodes, order: to_order, first, node_count }));
            first += part.size;
        }
        let write = |(part, memory): (&Part, Memory<'_>)| self.write(part, memory);
        let written = tasks.into_par_iter().map(write).collect::<Result<Vec<Written>, _>>()?;
        let outside: Vec<(u32, usize)> =
            references.into_iter().zip(written.iter().map(|written| written.stack_depth)).collect();
        runs.extend(written.into_iter().flat_map(|written| written.runs));
        Ok(Written { stack_depth: stack_depth_below(root, top, &outside), runs })
    }

    /// Writes the nodes of a part, whose children are given depth first, on this thread.
    fn write_alone(&self, plan: &[Children], memory: Memory<'_>) -> Result<Written, LayoutError> {
        let Memory { nodes, order, first, node_count } = memory;
        let mut writer = Writer::new(self, first, node_count);
        // Parents and their slots that wait for the index of a node still to be written.
        let mut waiting: Vec<(usize, usize)> = Vec::new();
        for (index, children) in plan.iter().enumerate() {
            // A node takes some hundred nanoseconds.
            look_at(self.control, index * 8)?;
            if let Some((node, slot)) = waiting.pop() {
                nodes[node].children[slot] = node_reference(first.nodes + index);
            }
            let (node, inner) = writer.node(children, order);
            nodes[index] = node;
            waiting.extend(inner.iter().rev().map(|&slot| (index, slot)));
        }
        Ok(Written { stack_depth: stack_depth_below(nodes, first.nodes, &[]), runs: vec![writer.run()] })
    }
}

/// Slots of the children of a node that are no leaves.
#[derive(Default)]
struct Slots {
    slots: [usize; WIDTH],
    count: usize,
}

impl Slots {
    fn push(&mut self, slot: usize) {
        self.slots[self.count] = slot;
        self.count += 1;
    }

    fn iter(&self) -> std::slice::Iter<'_, usize> {
        self.slots[..self.count].iter()
    }
}

/// Writer of nodes, and of the triangles of their leaves, one after the other.
struct Writer<'a> {
    encoder: &'a Encoder<'a>,
    references: Vec<u32>,
    /// Numbers of what stands before its memory in the whole tree.
    first: Size,
    node_count: usize,
    /// Numbers of blocks and references that were written.
    next: Size,
}

impl<'a> Writer<'a> {
    fn new(encoder: &'a Encoder<'a>, first: Size, node_count: usize) -> Self {
        Self { encoder, references: Vec::new(), first, node_count, next: Size::default() }
    }

    /// Returns what was written as a run.
    fn run(&self) -> Run {
        let first = self.first.references;
        Run { blocks: self.next.blocks, references: first..first + self.next.references }
    }

    /// Makes the node of these children and writes the triangles of its leaves. Returns it with the slots of the
    /// children that are no leaves, where their indices are still to be set.
    fn node(&mut self, children: &Children, order: &mut [u32]) -> (Wide8Node, Slots) {
        let Encoder { bvh, collapse, .. } = self.encoder;
        let (mut node, mut inner) = (Wide8Node::EMPTY, Slots::default());
        for (slot, &child) in children.iter().enumerate() {
            let child = child as usize;
            node.set(slot, &bvh.nodes[child].bounds, 0);
            if !collapse.is_leaf(child) {
                inner.push(slot);
                continue;
            }
            node.children[slot] = leaf_reference(self.node_count, self.first.blocks + self.next.blocks);
            collapse.references(child, &mut self.references);
            let count = self.references.len();
            for (place, &reference) in self.references.iter().enumerate() {
                let is_last = place % BLOCK == BLOCK - 1 || place + 1 == count;
                let more = if is_last && place + 1 < count { MORE_BLOCKS } else { 0 };
                order[self.next.references + place] = reference | more | if is_last { LAST } else { 0 };
            }
            self.next.blocks += count.div_ceil(BLOCK);
            // What was planned for it.
            self.next.references += collapse.count(child);
        }
        (node, inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wide8::{LEAF, collapsed, stack_depth};
    use raywarp_bvh::{BuildOptions, build, presets};
    use raywarp_testing::Random;

    /// Triangles of many sizes, some of them over each other, enough for parts that are written in parallel.
    fn triangles(count: usize) -> FlatTriangles {
        let mut random = Random::new(11);
        let mut triangle = |i: usize| {
            let corner = [random.unit(), random.unit(), random.unit()];
            let corner = if i.is_multiple_of(9) { [0.25; 3] } else { corner };
            [(); 3].map(|()| corner.map(|x| x + 0.05 * random.unit()))
        };
        FlatTriangles::from_vertices((0..count).map(&mut triangle).collect())
    }

    /// Encodes a tree slowly: all nodes, and the references of all leaves, one after the other.
    fn slow(bvh: &Bvh2, triangles: &FlatTriangles) -> (Vec<Wide8Node>, Vec<TriangleBlock>) {
        let mut blocks = Vec::new();
        let mut nodes = collapsed(bvh, LEAF_RULE, &Control::default(), |references| {
            let first = blocks.len();
            for (few, start) in references.chunks(BLOCK).zip((0..).step_by(BLOCK)) {
                blocks.push(TriangleBlock::new(triangles, few, start + BLOCK < references.len()));
            }
            first as u32
        })
        .unwrap();
        let node_count = nodes.len();
        for node in &mut nodes {
            for slot in 0..8 {
                if std::mem::take(&mut node.reserved[slot]) == LEAF {
                    node.children[slot] = leaf_reference(node_count, node.children[slot] as usize);
                }
            }
        }
        (nodes, blocks)
    }

    #[track_caller]
    fn check(bvh: &Bvh2, triangles: &FlatTriangles) {
        let (nodes, blocks) = slow(bvh, triangles);
        let wide = encode_wide8(bvh, triangles).unwrap();
        assert_eq!(wide.validate(), Ok(()));
        assert_eq!(wide.stack_depth(), stack_depth(&nodes));
        assert!(bytemuck::cast_slice::<_, u8>(wide.nodes()) == bytemuck::cast_slice::<_, u8>(&nodes), "nodes differ");
        assert!(
            bytemuck::cast_slice::<_, u8>(wide.blocks()) == bytemuck::cast_slice::<_, u8>(&blocks),
            "blocks differ"
        );
    }

    #[test]
    fn parts_written_in_parallel_are_those_written_one_after_the_other() {
        for count in [1, 2, 5, 300, 60_000] {
            let triangles = triangles(count);
            for preset in [presets::BALANCED, presets::FASTEST, presets::BEST] {
                let bvh = build(&triangles, &BuildOptions { max_leaf: 7, ..preset }).unwrap();
                check(&bvh, &triangles);
            }
        }
    }

    #[test]
    fn nodes_in_another_order_give_the_same_tree() {
        let triangles = triangles(40_000);
        let bvh = build(&triangles, &BuildOptions::default()).unwrap();
        // Level by level.
        let mut nodes = vec![bvh.nodes[0]];
        let mut at = 0;
        while at < nodes.len() {
            if !nodes[at].is_leaf() {
                let first = nodes[at].first as usize;
                nodes[at].first = nodes.len() as u32;
                nodes.extend([bvh.nodes[first], bvh.nodes[first + 1]]);
            }
            at += 1;
        }
        let other = Bvh2 { nodes, ..bvh.clone() };
        check(&other, &triangles);
        let [a, b] = [&bvh, &other].map(|bvh| encode_wide8(bvh, &triangles).unwrap());
        assert!(bytemuck::cast_slice::<_, u8>(a.lines()) == bytemuck::cast_slice::<_, u8>(b.lines()));
    }
}
