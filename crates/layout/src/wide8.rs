//! Eight-wide tree for SIMD: a `Bvh2` collapsed so that one visit tests eight boxes.
//!
//! Source: Wald, Benthin, Boulos 2008, "Getting rid of packets" (wide trees for single rays);
//! which nodes become children is `collapse`'s matter.
//!
//! Invariants ([`Wide8::validate`] checks each):
//! - node 0 is the root, a child comes after its parent, and every other node has one parent;
//! - an unused child slot holds [`NO_CHILD`] and an empty box, which no ray hits; used slots come first;
//! - a leaf names its first block, and its blocks are in range and end;
//! - `stack_depth` entries hold all that a walk ever postpones.
//!
//! A node's children stand in the order of `Collapse::sort_by_promise`: inner nodes before leaves, and of each kind the
//! small before the large. An any-hit walk pushes the hit children by their slots and goes on with the last one, so
//! that it tests triangles before it looks further, and first where most rays end (rays of ambient occlusion in
//! crytek_sponza take 0.81 of the time, in conference 0.90, in sibenik 1.01). No answer depends on it.

mod encode;
mod kept;
mod refit;
mod spare;

use encode::zeroed_lines;
pub use encode::{encode_wide8, encode_wide8_controlled, encode_wide8_over};
pub use kept::reserve_lines;
pub(crate) use kept::{check_bounds, check_boxes, check_depth_first};
pub use refit::{Corners, IndexedCorners, Wide8Cost};
use refit::{least, most};
use spare::Spare;

use crate::collapse::{Collapse, LeafRule, look_at};
use crate::{BLOCK, LayoutError, RecordFault, TriangleBlock};
use bytemuck::{Pod, Zeroable};
use raywarp_bvh::Bvh2;
use raywarp_geom::{Aabb, Control};

/// Flag in a child reference that it names a leaf.
pub const LEAF: u32 = 1;

/// Child reference that marks an unused slot.
pub const NO_CHILD: u32 = u32::MAX;

/// Factor that turns a child reference into a byte offset in [`Wide8::lines`]. It is that of a node, or of a leaf's
/// first block plus [`LEAF`] times this. One multiplication serves both, with no branch.
pub const REFERENCE_BYTES: usize = 16;

/// Largest number of bytes that references name.
const MOST_BYTES: usize = (u32::MAX as usize - 1).saturating_mul(REFERENCE_BYTES);

/// Costs of leaves: one block of triangles at most, tested at 0.7 of the cost of visiting a node. Merging more than a
/// block made leaves of two blocks, which rays of all kinds paid for (sibenik, cpu/examples/trace_speed: 5 to 10 %
/// slower).
const LEAF_RULE: LeafRule = LeafRule { merged: BLOCK as u32, block: BLOCK as u32, block_cost: 0.7 };

/// Cache line of the tree's memory, 64 bytes.
#[derive(Debug, Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct Line([u32; 16]);

/// Number of cache lines of a node.
const NODE_LINES: usize = size_of::<Wide8Node>() / size_of::<Line>();

/// Node of up to eight children with boxes in f32: 256 bytes, so that each pair of plane rows is one aligned cache
/// line.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C, align(64))]
pub struct Wide8Node {
    /// Planes of the eight children's boxes: rows min x, max x, min y, max y, min z, max z.
    pub planes: [[f32; 8]; 6],
    /// Reference to each child: a node, a leaf with the flag [`LEAF`], or [`NO_CHILD`].
    pub children: [u32; 8],
    /// Padding of zeros that fills the last cache line.
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

    /// Returns the box of the child in `slot`.
    pub fn bounds(&self, slot: usize) -> Aabb {
        let [x, to_x, y, to_y, z, to_z] = &self.planes;
        Aabb { min: [x[slot], y[slot], z[slot]], max: [to_x[slot], to_y[slot], to_z[slot]] }
    }

    /// Returns the box around all children.
    #[inline(always)]
    pub(crate) fn around(&self) -> Aabb {
        // Pairs, so that no comparison waits for all others.
        let least = |row: &[f32; 8]| {
            let half = |i: usize| least(row[i], row[i + 4]);
            least(least(half(0), half(1)), least(half(2), half(3)))
        };
        let most = |row: &[f32; 8]| {
            let half = |i: usize| most(row[i], row[i + 4]);
            most(most(half(0), half(1)), most(half(2), half(3)))
        };
        let planes = &self.planes;
        Aabb {
            min: [least(&planes[0]), least(&planes[2]), least(&planes[4])],
            max: [most(&planes[1]), most(&planes[3]), most(&planes[5])],
        }
    }

    /// Returns the sum of the half areas of the children's boxes, in f64.
    pub(crate) fn half_areas(&self) -> f64 {
        let used = (0..8).filter(|&slot| self.children[slot] != NO_CHILD);
        used.map(|slot| half_area(&self.bounds(slot))).sum()
    }

    pub(crate) fn set(&mut self, slot: usize, bounds: &Aabb, child: u32) {
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

/// Eight-wide tree for SIMD on CPUs, with its triangles in blocks. Empty for a scene without any.
///
/// Nodes and blocks stand in one piece of memory, nodes first, so that one kind of reference names both.
#[derive(Debug, Clone)]
pub struct Wide8 {
    lines: Vec<Line>,
    /// Where this memory goes, for a tree of the same shape, when nobody has this one any more.
    spare: Option<Spare>,
    node_count: usize,
    block_count: usize,
    bounds: Aabb,
    stack_depth: usize,
}

/// Collapses a sound tree to nodes of up to eight children, depth first, the children of each in the order of the
/// module's text. Where a child is a leaf its slot holds the word that `leaf` returns for its references, and
/// `reserved` has [`LEAF`] there.
pub(crate) fn collapsed(
    bvh: &Bvh2,
    rule: LeafRule,
    control: &Control<'_>,
    mut leaf: impl FnMut(&[u32]) -> u32,
) -> Result<Vec<Wide8Node>, LayoutError> {
    let collapse = Collapse::controlled(bvh, rule, None, control)?;
    let (mut nodes, mut references) = (Vec::with_capacity(bvh.nodes.len() / 6 + 1), Vec::new());
    // Nodes still to be written: the Bvh2 node, and the parent's slot that waits for its index.
    let mut waiting: Vec<(usize, Option<(usize, usize)>)> = Vec::new();
    if !bvh.nodes.is_empty() {
        waiting.push((0, None));
    }
    while let Some((source, parent)) = waiting.pop() {
        let index = nodes.len();
        // A node takes some hundred nanoseconds.
        look_at(control, 0)?;
        if let Some((node, slot)) = parent {
            let parent: &mut Wide8Node = &mut nodes[node];
            parent.children[slot] = node_reference(index);
        }
        let mut node = Wide8Node::EMPTY;
        let mut children = collapse.children(source);
        collapse.sort_by_promise(&mut children);
        for (slot, &child) in children.iter().enumerate() {
            let child = child as usize;
            node.set(slot, &bvh.nodes[child].bounds, 0);
            if collapse.is_leaf(child) {
                collapse.references(child, &mut references);
                node.children[slot] = leaf(&references);
                node.reserved[slot] = LEAF;
            }
        }
        nodes.push(node);
        // Pushed backwards, so that nodes come depth first.
        for (slot, &child) in children.iter().enumerate().rev() {
            if !collapse.is_leaf(child as usize) {
                waiting.push((child as usize, Some((index, slot))));
            }
        }
    }
    Ok(nodes)
}

/// Returns the child reference to the node of index `index`.
fn node_reference(index: usize) -> u32 {
    (index * (size_of::<Wide8Node>() / REFERENCE_BYTES)) as u32
}

/// Returns the child reference to the leaf whose first block has index `index`, in a tree of `node_count` nodes.
fn leaf_reference(node_count: usize, index: usize) -> u32 {
    let block = (index * (size_of::<TriangleBlock>() / REFERENCE_BYTES)) as u32;
    (node_reference(node_count) + block) | LEAF
}

/// Returns half of the surface area of a box in f64, in which none that is finite is too large; 0 if it is empty.
pub(crate) fn half_area(aabb: &Aabb) -> f64 {
    if aabb.is_empty() {
        return 0.0;
    }
    let [x, y, z] = std::array::from_fn(|i| f64::from(aabb.max[i]) - f64::from(aabb.min[i]));
    x * y + y * z + z * x
}

/// Returns the index of the node that a child reference names.
pub(crate) fn node_index(reference: u32) -> usize {
    reference as usize / (size_of::<Wide8Node>() / REFERENCE_BYTES)
}

/// Returns the largest number of stack entries of a traversal that pushes all hit children and then pops one.
pub(crate) fn stack_depth(nodes: &[Wide8Node]) -> usize {
    stack_depth_below(nodes, 0, &[])
}

/// As [`stack_depth`], of nodes of which the first is the root of a part of a tree and has the index `first` there.
/// `outside` has the depths below its children of other parts.
fn stack_depth_below(nodes: &[Wide8Node], first: usize, outside: &[(u32, usize)]) -> usize {
    let mut needs = vec![0usize; nodes.len()];
    let below = |needs: &[usize], child: u32| {
        let is_it = |(reference, _): &&(u32, usize)| *reference == child;
        let other = outside.iter().find(is_it).map(|(_, depth)| *depth);
        other.unwrap_or_else(|| needs[node_index(child) - first])
    };
    for (index, node) in nodes.iter().enumerate().rev() {
        let inner = node.children.iter().filter(|&&child| child & LEAF == 0);
        let below = inner.map(|&child| below(&needs, child)).max().unwrap_or(1).max(1);
        needs[index] = node.child_count() - 1 + below;
    }
    needs.first().copied().unwrap_or(0)
}

impl Wide8 {
    /// Returns the memory of nodes and blocks as cache lines, which child references address; see [`REFERENCE_BYTES`].
    #[inline]
    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// Returns the nodes of the tree; the first is the root. Empty without triangles.
    #[inline]
    pub fn nodes(&self) -> &[Wide8Node] {
        bytemuck::cast_slice(&self.lines[..self.node_count * NODE_LINES])
    }

    /// Returns the blocks of triangles of all leaves.
    pub fn blocks(&self) -> &[TriangleBlock] {
        let bytes: &[u8] = bytemuck::cast_slice(&self.lines[self.node_count * NODE_LINES..]);
        bytemuck::cast_slice(&bytes[..self.block_count * size_of::<TriangleBlock>()])
    }

    /// Returns the index in [`Wide8::blocks`] of the first block of the leaf that the child reference `reference`
    /// names.
    fn block_index(&self, reference: u32) -> Option<usize> {
        let offset = (reference & !LEAF).checked_sub(node_reference(self.node_count))? as usize;
        let step = size_of::<TriangleBlock>() / REFERENCE_BYTES;
        offset.is_multiple_of(step).then_some(offset / step)
    }

    /// Returns the blocks of triangles of the leaf that a child reference of these nodes names.
    ///
    /// # Panics
    /// If it names none.
    pub fn leaf_blocks(&self, leaf: u32) -> impl Iterator<Item = &TriangleBlock> {
        let first = self.block_index(leaf).expect("the reference of a leaf");
        let (mut rest, mut is_over) = (self.blocks()[first..].iter(), false);
        std::iter::from_fn(move || {
            let block = if is_over { None } else { rest.next() }?;
            is_over = !block.has_more();
            Some(block)
        })
    }

    /// Returns the bounding box of the whole tree.
    #[inline]
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// Returns the number of stack entries that a traversal needs which pushes all hit children of a node and then pops
    /// one.
    #[inline]
    pub fn stack_depth(&self) -> usize {
        self.stack_depth
    }

    /// Returns the size of nodes and blocks in bytes, and of the memory that waits for the next copy
    /// ([`Wide8::refitted`]).
    pub fn bytes(&self) -> usize {
        size_of_val(&self.lines[..]) + self.spare.as_ref().map_or(0, Spare::bytes)
    }

    /// Checks every invariant stated at the head of the module. O(n).
    ///
    /// # Errors
    /// [`LayoutError::BadRecord`] with the first that is broken.
    pub fn validate(&self) -> Result<(), LayoutError> {
        let (nodes, blocks) = (self.nodes(), self.blocks());
        let mut has_parent = vec![false; nodes.len()];
        let mut block_of_leaf = vec![false; blocks.len()];
        for (record, node) in nodes.iter().enumerate() {
            let fault = |fault| Err(LayoutError::BadRecord { record, fault });
            if node.children[0] == NO_CHILD || node.reserved != [0; 8] {
                return fault(RecordFault::NoChildOrReserved);
            }
            for slot in 0..8 {
                let (child, bounds) = (node.children[slot], node.bounds(slot));
                if child == NO_CHILD {
                    if bounds != Aabb::EMPTY || node.children[slot..] != [NO_CHILD; 8][slot..] {
                        return fault(RecordFault::UnusedSlotOrder);
                    }
                } else if child & LEAF == 0 {
                    let child = node_index(child);
                    if child <= record || child >= nodes.len() || std::mem::replace(&mut has_parent[child], true) {
                        return fault(RecordFault::ChildOrderOrParents);
                    }
                    if !(0..8).all(|s| bounds.contains(&nodes[child].bounds(s))) {
                        return fault(RecordFault::ChildBox);
                    }
                } else if !self.leaf_is_sound(child, &bounds, &mut block_of_leaf) {
                    return fault(RecordFault::LeafBlocks);
                }
            }
        }
        if has_parent.iter().skip(1).any(|&seen| !seen) || block_of_leaf.iter().any(|&seen| !seen) {
            return Err(LayoutError::BadRecord { record: 0, fault: RecordFault::Unreached });
        }
        if self.stack_depth != stack_depth(nodes) {
            return Err(LayoutError::BadRecord { record: 0, fault: RecordFault::StackDepth });
        }
        Ok(())
    }

    fn leaf_is_sound(&self, leaf: u32, bounds: &Aabb, seen: &mut [bool]) -> bool {
        let Some(first) = self.block_index(leaf) else { return false };
        for (block, seen) in self.blocks().iter().zip(seen).skip(first) {
            if block.is_empty() || std::mem::replace(seen, true) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_bvh::{BuildOptions, build};
    use raywarp_geom::FlatTriangles;

    fn row_of_triangles(count: usize) -> FlatTriangles {
        let corner = |i: usize| [i as f32, (i * i % 7) as f32, (i * 3 % 5) as f32];
        FlatTriangles::from_vertices((0..count).map(|i| [corner(i), corner(i + 1), corner(i + 2)]).collect())
    }

    pub(super) fn encoded(count: usize) -> Wide8 {
        let triangles = row_of_triangles(count);
        let bvh = build(&triangles, &BuildOptions { max_leaf: 2, ..BuildOptions::default() }).unwrap();
        encode_wide8(&bvh, &triangles).unwrap()
    }

    fn nodes_mut(wide: &mut Wide8) -> &mut [Wide8Node] {
        bytemuck::cast_slice_mut(&mut wide.lines[..wide.node_count * NODE_LINES])
    }

    #[test]
    fn records_have_their_documented_sizes() {
        assert_eq!((size_of::<Wide8Node>(), align_of::<Wide8Node>()), (256, 64));
        assert_eq!((size_of::<TriangleBlock>(), align_of::<TriangleBlock>()), (160, 32));
    }

    #[test]
    fn leaves_and_large_boxes_come_last_in_a_node() {
        let wide = encoded(500);
        let (mut inner, mut leaves) = (0, 0);
        for node in wide.nodes() {
            let key = |slot: usize| (node.children[slot] & LEAF == LEAF, node.bounds(slot).half_area());
            let keys: Vec<(bool, f32)> = (0..node.child_count()).map(key).collect();
            assert!(keys.is_sorted(), "{keys:?}");
            inner += keys.iter().filter(|key| !key.0).count();
            leaves += keys.iter().filter(|key| key.0).count();
        }
        assert!(inner > 8 && leaves > 8, "{inner} inner nodes and {leaves} leaves show too little");
    }

    #[test]
    fn validation_finds_each_kind_of_damage() {
        let sound = encoded(500);
        assert_eq!(sound.validate(), Ok(()));
        let leaf = sound.nodes().iter().enumerate().find_map(|(n, node)| {
            (0..8).find(|&s| node.children[s] & LEAF == LEAF && node.children[s] != NO_CHILD).map(|s| (n, s))
        });
        let (node, slot) = leaf.expect("a tree has leaves");
        type Damage<'a> = (&'a str, &'a dyn Fn(&mut Wide8));
        let damages: [Damage; 7] = [
            ("a cycle", &|w| nodes_mut(w)[0].children[0] = 0),
            ("two parents", &|w| nodes_mut(w)[0].children[1] = nodes_mut(w)[0].children[0]),
            ("no child", &|w| nodes_mut(w)[0].children = [NO_CHILD; 8]),
            ("a shrunken box", &|w| nodes_mut(w)[0].planes[1] = [0.0; 8]),
            ("a leaf out of range", &|w| nodes_mut(w)[node].children[slot] = NO_CHILD - 2),
            ("a leaf between blocks", &|w| nodes_mut(w)[node].children[slot] += 2),
            ("a stack too small", &|w| w.stack_depth -= 1),
        ];
        for (what, damage) in damages {
            let mut wide = sound.clone();
            damage(&mut wide);
            assert!(wide.validate().is_err(), "{what} went unnoticed");
        }
    }

    #[test]
    fn the_stack_depth_is_what_the_deepest_walk_needs() {
        for count in [1, 2, 9, 100, 3000] {
            let wide = encoded(count);
            // Every box is hit; inner children are entered last to first, so that most wait.
            let (mut stack, mut deepest) = (vec![0u32], 0);
            while let Some(child) = stack.pop() {
                if child & LEAF == LEAF {
                    continue;
                }
                let mut children: Vec<u32> = wide.nodes()[node_index(child)].children.to_vec();
                children.retain(|&c| c != NO_CHILD);
                let need = |c: u32| if c & LEAF == LEAF { 0 } else { stack_depth_below(&wide, c) };
                children.sort_by_key(|&c| need(c));
                stack.extend(children);
                deepest = deepest.max(stack.len());
            }
            assert_eq!(deepest, wide.stack_depth(), "{count} triangles");
        }
    }

    fn stack_depth_below(wide: &Wide8, child: u32) -> usize {
        let node = &wide.nodes()[node_index(child)];
        let inner = node.children.iter().filter(|&&c| c & LEAF == 0);
        node.child_count() - 1 + inner.map(|&c| stack_depth_below(wide, c)).max().unwrap_or(1)
    }
}
