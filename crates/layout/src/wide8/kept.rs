//! Trees from memory that was kept, in a file say: whatever it holds, a tree that comes of it is one, and no walk and
//! no fit leaves it.
//!
//! Beyond what [`Wide8::validate`] checks of a tree that an encoder made:
//! - nodes stand depth first, and so do the blocks of their leaves, as the encoder writes them and fits rely on;
//! - boxes and corners are finite, an unused slot's corners are NaN, and no triangle asks its caller whether it is hit;
//! - triangles are those that there are.

use super::{LEAF, Line, NO_CHILD, NODE_LINES, Wide8, Wide8Node, least, most, node_index, node_reference, stack_depth};
use crate::{BLOCK, LayoutError, MORE_BLOCKS, RecordFault, TriangleBlock, UNUSED_SLOT};
use rayon::prelude::*;
use raywarp_geom::Aabb;
use std::collections::TryReserveError;

/// Number of nodes that a thread checks at once.
const PIECE: usize = 256;

impl Wide8 {
    /// Makes a tree over `triangles` triangles of the memory of one ([`Wide8::lines`]), with the numbers of its nodes
    /// and blocks and the box around it, after checking all of it; returns also how many slots are used. `seen` takes
    /// the index of each of these, in no order, also of memory that is refused then. O(n), in parallel.
    ///
    /// # Errors
    /// [`LayoutError::BadRecord`] with what is wrong.
    pub fn from_lines(
        lines: Vec<Line>,
        [node_count, block_count]: [usize; 2],
        bounds: Aabb,
        triangles: usize,
        seen: impl Fn(u32) + Sync,
    ) -> Result<(Self, usize), LayoutError> {
        let fault = |fault| Err(LayoutError::BadRecord { record: 0, fault });
        if Some(lines.len()) != line_count(node_count, block_count) || triangles > UNUSED_SLOT as usize {
            return fault(RecordFault::NotWhole);
        }
        let mut tree = Self { lines, spare: None, node_count, block_count, bounds, stack_depth: 0 };
        let (nodes, blocks) = (tree.nodes(), tree.blocks());
        let unused = &bytemuck::cast_slice::<Line, u8>(&tree.lines[node_count * NODE_LINES..])[size_of_val(blocks)..];
        if unused.iter().any(|&byte| byte != 0) {
            return fault(RecordFault::UnusedBytes);
        }
        // Leaves begin one after the other, and each ends where the next begins: so that all blocks are of one, and
        // threads look at theirs alone.
        let (mut begins, mut next) = (vec![false; block_count + 1], 0);
        check_depth_first(nodes, |leaf| {
            let first = tree.block_index(leaf).filter(|&first| first >= next && first < block_count);
            let is_in_order = first.is_some_and(|first| next > 0 || first == 0);
            if let Some(first) = first {
                (begins[first], next) = (true, first + 1);
            }
            is_in_order
        })?;
        if nodes.is_empty() && block_count > 0 {
            return fault(RecordFault::Unreached);
        }
        begins[block_count] = true;
        check_bounds(nodes, &bounds)?;
        let leaf = |leaf: u32, bounds: &Aabb| -> Option<usize> {
            let (mut place, mut used) = (tree.block_index(leaf)?, 0);
            loop {
                let (block, goes_on) = (blocks.get(place)?, !begins[place + 1]);
                if block.has_more() != goes_on || !is_sound(block, triangles, bounds) {
                    return None;
                }
                for slot in 0..BLOCK {
                    if let Some(index) = block.index(slot) {
                        seen(index);
                        used += 1;
                    }
                }
                if !goes_on {
                    return Some(used);
                }
                place += 1;
            }
        };
        let used = check_boxes(nodes, leaf)?;
        tree.stack_depth = stack_depth(nodes);
        Ok((tree, used))
    }
}

/// Makes room for `more` lines of a tree, or arrays of them, in huge pages where that pays.
///
/// # Errors
/// [`TryReserveError`] if there is not memory enough.
pub fn reserve_lines<T>(lines: &mut Vec<T>, more: usize) -> Result<(), TryReserveError> {
    lines.try_reserve_exact(more)?;
    // Before they are touched.
    raywarp_lanes::prefer_huge_pages(lines.spare_capacity_mut());
    Ok(())
}

/// Returns the number of lines of a tree; `None` if its references could not name all of it.
pub(super) fn line_count(nodes: usize, blocks: usize) -> Option<usize> {
    let bytes =
        nodes.checked_mul(size_of::<Wide8Node>())?.checked_add(blocks.checked_mul(size_of::<TriangleBlock>())?)?;
    (bytes <= super::MOST_BYTES).then_some(bytes.div_ceil(size_of::<Line>()))
}

/// Checks that nodes stand depth first, each with one parent; `leaf` takes the references of their leaves in that
/// order, and returns `false` if one is not what comes next.
pub(crate) fn check_depth_first(nodes: &[Wide8Node], mut leaf: impl FnMut(u32) -> bool) -> Result<(), LayoutError> {
    // Nodes that have a parent and have not come yet, the next one last.
    let mut waiting: Vec<u32> = if nodes.is_empty() { vec![] } else { vec![0] };
    for (record, node) in nodes.iter().enumerate() {
        let fault = |fault| Err(LayoutError::BadRecord { record, fault });
        if waiting.pop() != Some(node_reference(record)) {
            return fault(RecordFault::ChildOrderOrParents);
        }
        let used = node.children.iter().position(|&child| child == NO_CHILD).unwrap_or(8);
        let (children, unused) = node.children.split_at(used);
        if used == 0 || node.reserved != [0; 8] {
            return fault(RecordFault::NoChildOrReserved);
        }
        if unused.iter().any(|&child| child != NO_CHILD) {
            return fault(RecordFault::UnusedSlotOrder);
        }
        if !children.iter().filter(|&&child| child & LEAF != 0).all(|&child| leaf(child)) {
            return fault(RecordFault::LeafBlocks);
        }
        waiting.extend(children.iter().rev().filter(|&&child| child & LEAF == 0));
    }
    if waiting.is_empty() { Ok(()) } else { Err(LayoutError::BadRecord { record: 0, fault: RecordFault::Unreached }) }
}

/// Checks the box around all nodes.
pub(crate) fn check_bounds(nodes: &[Wide8Node], bounds: &Aabb) -> Result<(), LayoutError> {
    let is_sound = match nodes.first() {
        Some(root) => is_box(bounds) && bounds.contains(&root.around()),
        None => *bounds == Aabb::EMPTY,
    };
    if is_sound { Ok(()) } else { Err(LayoutError::BadRecord { record: 0, fault: RecordFault::TreeBox }) }
}

/// Checks the boxes in nodes that stand depth first; `leaf` returns the number of items in a leaf by its reference and
/// box, or `None` if it is not sound. Returns the sum of these.
pub(crate) fn check_boxes(
    nodes: &[Wide8Node],
    leaf: impl Fn(u32, &Aabb) -> Option<usize> + Sync,
) -> Result<usize, LayoutError> {
    let check = |record: usize| {
        let node = &nodes[record];
        let (no_box, not_empty) = boxes_amiss(node);
        let mut items = 0;
        for (slot, &child) in node.children.iter().enumerate() {
            let (is_sound, fault) = if child == NO_CHILD {
                (not_empty[slot] == 0, RecordFault::UnusedSlotBox)
            } else if child & LEAF == 0 {
                let is_sound = no_box[slot] == 0 && node.bounds(slot).contains(&nodes[node_index(child)].around());
                (is_sound, RecordFault::ChildBox)
            } else {
                let found = if no_box[slot] == 0 { leaf(child, &node.bounds(slot)) } else { None };
                items += found.unwrap_or(0);
                (found.is_some(), RecordFault::LeafBlocks)
            };
            if !is_sound {
                return Err(LayoutError::BadRecord { record, fault });
            }
        }
        Ok(items)
    };
    if nodes.len() <= PIECE {
        return (0..nodes.len()).try_fold(0, |sum, record| Ok(sum + check(record)?));
    }
    let all = (0..nodes.len()).into_par_iter().with_min_len(PIECE);
    all.map(check).try_reduce(|| 0, |a, b| Ok(a + b))
}

/// Returns `true` if a box holds anything and is finite.
fn is_box(bounds: &Aabb) -> bool {
    (0..3).all(|axis| {
        bounds.min[axis] <= bounds.max[axis] && bounds.min[axis].is_finite() && bounds.max[axis].is_finite()
    })
}

/// Returns for each slot of a node a word that is 0 if its box holds anything and is finite, and another that is 0 if
/// it is the empty one. All slots of a row at once, without branches.
#[inline(always)]
fn boxes_amiss(node: &Wide8Node) -> ([u32; 8], [u32; 8]) {
    let (mut no_box, mut not_empty) = ([0; 8], [0; 8]);
    for axis in 0..3 {
        let [low, high] = [&node.planes[2 * axis], &node.planes[2 * axis + 1]];
        for slot in 0..8 {
            let (low, high) = (low[slot], high[slot]);
            no_box[slot] |= u32::from(!((low <= high) & (low > f32::NEG_INFINITY) & (high < f32::INFINITY)));
            not_empty[slot] |= u32::from((low != f32::INFINITY) | (high != f32::NEG_INFINITY));
        }
    }
    (no_box, not_empty)
}

/// Returns `true` if a block holds triangles of a mesh of `triangles`, all of them opaque, finite and in touch with a
/// box (one that was cut may stick out of it), and nothing where it is unused.
fn is_sound(block: &TriangleBlock, triangles: usize, bounds: &Aabb) -> bool {
    // All slots of a row at once, in loops without branches: 0 and 1 are false and true.
    let (mut unused, mut amiss) = ([0; BLOCK], [0; BLOCK]);
    for slot in 0..BLOCK {
        let word = if slot == 0 { block.slots[0] & !MORE_BLOCKS } else { block.slots[slot] };
        unused[slot] = u32::from(word == UNUSED_SLOT);
        amiss[slot] = u32::from(word as usize >= triangles) & !unused[slot];
    }
    for axis in 0..3 {
        let [a, b, c] = &block.corners;
        amiss = row_amiss([&a[axis], &b[axis], &c[axis]], [bounds.min[axis], bounds.max[axis]], &unused, amiss);
    }
    amiss == [0; BLOCK] && unused != [1; BLOCK]
}

/// Adds to `amiss` what is amiss with a row of corners' coordinates and the box's range.
#[inline(always)]
fn row_amiss(
    [a, b, c]: [&[f32; BLOCK]; 3],
    [low, high]: [f32; 2],
    unused: &[u32; BLOCK],
    mut amiss: [u32; BLOCK],
) -> [u32; BLOCK] {
    for slot in 0..BLOCK {
        let (a, b, c) = (a[slot], b[slot], c[slot]);
        let is_finite = (a.abs() < f32::INFINITY) & (b.abs() < f32::INFINITY) & (c.abs() < f32::INFINITY);
        let is_nan = a.is_nan() & b.is_nan() & c.is_nan();
        let is_beside = (least(least(a, b), c) > high) | (most(most(a, b), c) < low);
        let (if_used, if_unused) = (u32::from(!is_finite | is_beside), u32::from(!is_nan));
        amiss[slot] |= (if_used & !unused[slot]) | (if_unused & unused[slot]);
    }
    amiss
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wide8::tests::encoded;

    /// Parts of a tree that are damaged.
    struct Memory<'a> {
        nodes: &'a mut [Wide8Node],
        blocks: &'a mut [TriangleBlock],
        counts: [usize; 2],
        bounds: Aabb,
    }

    fn parts(tree: &Wide8) -> (Vec<Line>, [usize; 2], Aabb) {
        (tree.lines.clone(), [tree.node_count, tree.block_count], tree.bounds)
    }

    #[test]
    fn a_tree_comes_of_its_memory_as_it_was() {
        for count in [0, 1, 2, 9, 100, 3000] {
            let tree = encoded(count);
            let (lines, counts, bounds) = parts(&tree);
            let (again, used) = Wide8::from_lines(lines, counts, bounds, count, |_| {}).unwrap();
            assert_eq!(used, count);
            assert_eq!((again.validate(), again.stack_depth), (Ok(()), tree.stack_depth), "{count}");
            assert_eq!((again.nodes(), again.bounds()), (tree.nodes(), tree.bounds()), "{count}");
        }
    }

    #[test]
    fn memory_that_is_no_tree_is_refused() {
        const COUNT: usize = 500;
        let sound = encoded(COUNT);
        let find = |is_it: &dyn Fn(u32) -> bool| {
            let slots =
                sound.nodes().iter().enumerate().flat_map(|(n, node)| (0..8).map(move |s| (n, s, node.children[s])));
            slots.filter(|&(_, _, child)| is_it(child)).map(|(n, s, _)| (n, s)).nth(3).expect("some of each")
        };
        let (node, slot) = find(&|child| child & LEAF == LEAF && child != NO_CHILD);
        let (inner, inner_slot) = find(&|child| child & LEAF == 0);
        let (free, free_slot) = find(&|child| child == NO_CHILD);
        let partly = sound.blocks().iter().position(|block| block.len() < BLOCK).expect("a block with room");
        let unused = (0..BLOCK).find(|&slot| sound.blocks()[partly].index(slot).is_none()).unwrap();
        type Damage<'a> = (&'a str, &'a dyn Fn(&mut Memory<'_>));
        let damages: &[Damage<'_>] = &[
            ("a cycle", &|m| m.nodes[inner].children[inner_slot] = 0),
            ("two parents", &|m| m.nodes[0].children[1] = m.nodes[0].children[0]),
            ("a reference into a node", &|m| m.nodes[inner].children[inner_slot] += 2),
            ("a node that is not there", &|m| m.nodes[inner].children[inner_slot] = node_reference(9999)),
            ("children in another order", &|m| m.nodes[0].children.swap(0, 1)),
            ("no child", &|m| m.nodes[node].children = [NO_CHILD; 8]),
            ("a gap among children", &|m| m.nodes[node].children[slot] = NO_CHILD),
            ("something in what is reserved", &|m| m.nodes[5].reserved[3] = 1),
            ("a leaf that is not there", &|m| m.nodes[node].children[slot] = NO_CHILD - 2),
            ("a leaf between blocks", &|m| m.nodes[node].children[slot] += 2),
            ("the leaf of another node", &|m| m.nodes[node].children[slot] += 10),
            ("leaves in another order", &|m| {
                let leaves = |node: &Wide8Node| (0..7).find(|&s| node.children[s] & node.children[s + 1] & LEAF != 0);
                let is_pair = |(node, slot): &(usize, usize)| m.nodes[*node].children[slot + 1] != NO_CHILD;
                let pairs = (0..m.nodes.len()).filter_map(|n| Some((n, leaves(&m.nodes[n])?)));
                // Not the first leaf of all, which has to begin at 0.
                let (node, slot) = pairs.filter(is_pair).nth(3).expect("two leaves of a node");
                m.nodes[node].children.swap(slot, slot + 1);
                m.nodes[node].planes.iter_mut().for_each(|row| row.swap(slot, slot + 1));
            }),
            ("a shrunken box", &|m| m.nodes[0].planes[1] = [0.0; 8]),
            ("a box without an end", &|m| m.nodes[0].planes[1] = [f32::INFINITY; 8]),
            ("a box that is NaN", &|m| m.nodes[node].planes[2][slot] = f32::NAN),
            ("a leaf's box inside out", &|m| {
                m.nodes[node].planes[0][slot] = 9e9;
                m.nodes[node].planes[1][slot] = -9e9;
            }),
            ("an unused box", &|m| m.nodes[free].planes[0][free_slot] = 0.0),
            ("an unused box that changes no other", &|m| m.nodes[free].planes[0][free_slot] = f32::MAX),
            ("a triangle beside its box", &|m| {
                m.blocks[9].corners.iter_mut().for_each(|corner| corner[1][0] += 1e6);
            }),
            ("a leaf's box inside out at one end", &|m| {
                m.nodes[node].planes[0][slot] = m.nodes[node].planes[1][slot] + 50.0;
            }),
            ("a triangle that is not there", &|m| {
                m.blocks[9].slots[0] = m.blocks[9].slots[0] & MORE_BLOCKS | COUNT as u32;
            }),
            ("a triangle that asks", &|m| m.blocks[9].slots[0] |= crate::NON_OPAQUE),
            ("a flag of no slot", &|m| m.blocks[partly].slots[unused] |= MORE_BLOCKS),
            ("a corner that is NaN", &|m| m.blocks[9].corners[1][2][0] = f32::NAN),
            ("a corner without an end", &|m| m.blocks[9].corners[0][0][0] = f32::INFINITY),
            ("a corner of nothing", &|m| m.blocks[partly].corners[2][1][unused] = 1.0),
            ("an infinite corner of nothing", &|m| m.blocks[partly].corners[2][1][unused] = f32::INFINITY),
            ("a block of nothing", &|m| {
                m.blocks[9].slots = [UNUSED_SLOT; BLOCK];
                m.blocks[9].corners = [[[f32::NAN; BLOCK]; 3]; 3];
            }),
            ("a leaf that goes on", &|m| m.blocks[9].slots[0] ^= MORE_BLOCKS),
            ("a last leaf that goes on", &|m| m.blocks.last_mut().unwrap().slots[0] |= MORE_BLOCKS),
            ("fewer nodes", &|m| m.counts[0] -= 5),
            ("fewer nodes and more blocks", &|m| m.counts = [m.counts[0] - 5, m.counts[1] + 8]),
            ("more blocks", &|m| m.counts[1] += 1),
            ("blocks beyond numbers", &|m| m.counts[1] = usize::MAX / 100),
            ("no bounds", &|m| m.bounds = Aabb::EMPTY),
            ("bounds that are too small", &|m| m.bounds.max[1] = m.bounds.max[1].next_down()),
            ("bounds that are NaN", &|m| m.bounds.min[1] = f32::NAN),
        ];
        for (what, damage) in damages {
            let (mut lines, counts, bounds) = parts(&sound);
            let (nodes, rest) = lines.split_at_mut(counts[0] * NODE_LINES);
            let bytes: &mut [u8] = bytemuck::cast_slice_mut(rest);
            let blocks = bytemuck::cast_slice_mut(&mut bytes[..counts[1] * size_of::<TriangleBlock>()]);
            let mut memory = Memory { nodes: bytemuck::cast_slice_mut(nodes), blocks, counts, bounds };
            damage(&mut memory);
            let Memory { counts, bounds, .. } = memory;
            assert!(Wide8::from_lines(lines, counts, bounds, COUNT, |_| {}).is_err(), "{what} went unnoticed");
        }
        let (lines, counts, bounds) = parts(&sound);
        assert!(Wide8::from_lines(lines[1..].to_vec(), counts, bounds, COUNT, |_| {}).is_err());
        assert!(Wide8::from_lines(lines.clone(), counts, bounds, COUNT - 1, |_| {}).is_err());
        assert!(Wide8::from_lines(lines, counts, bounds, usize::MAX, |_| {}).is_err());
        let odd = (1..50).map(encoded).find(|tree| tree.block_count % 2 == 1).expect("an odd number of blocks");
        let (mut lines, counts, bounds) = parts(&odd);
        *bytemuck::cast_slice_mut::<Line, u8>(&mut lines).last_mut().unwrap() = 1;
        assert!(Wide8::from_lines(lines, counts, bounds, 50, |_| {}).is_err());
    }
}
