//! Eight-wide tree over boxes: nodes as those of [`Wide8`](crate::Wide8), with items instead of triangles in the leaves.
//! The upper level of a scene of two.

use crate::collapse::LeafRule;
use crate::wide8::{
    LEAF, NO_CHILD, Wide8Node, check_bounds, check_boxes, check_depth_first, collapsed, half_area, node_index,
    stack_depth,
};
use crate::{LayoutError, RecordFault, structure};
use raywarp_bvh::Bvh2;
use raywarp_geom::{Aabb, Control};

/// Leaves hold an item, whose test (a walk of its own) costs more than a node.
const LEAF_RULE: LeafRule = LeafRule { merged: 1, block: 1, block_cost: 4.0 };

/// Flag in an item's word that its leaf has another one.
const MORE: u32 = 1 << 31;

/// Eight-wide tree over boxes. Empty without any.
///
/// A child reference without [`LEAF`] is a node's index times its size in units of
/// [`REFERENCE_BYTES`](crate::REFERENCE_BYTES), and with it a leaf, whose items [`Wide8Boxes::items`] returns.
#[derive(Debug, Clone)]
pub struct Wide8Boxes {
    nodes: Vec<Wide8Node>,
    items: Vec<u32>,
    bounds: Aabb,
    stack_depth: usize,
}

/// Cost of a tree over boxes by the surface area heuristic.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct BoxesCost {
    /// Sum of the half areas of all boxes in the nodes: the work of a random ray, but for the half area of the root's
    /// box.
    pub tree: f64,
    /// Sum of the half areas of the items' own boxes, which no tree can change.
    pub items: f64,
}

/// Encodes a tree over boxes ([`raywarp_bvh::build_over_boxes`]) as nodes of up to eight children. O(n).
///
/// # Errors
/// [`LayoutError::TooMany`] beyond 2^30 - 1 references or nodes, [`LayoutError::BadNode`] if the tree is malformed.
pub fn encode_wide8_boxes(bvh: &Bvh2) -> Result<Wide8Boxes, LayoutError> {
    structure::check_links(bvh, &Control::default())?;
    let mut items = Vec::with_capacity(bvh.references.len());
    let mut nodes = collapsed(bvh, LEAF_RULE, &Control::default(), |references| {
        let first = items.len();
        items.extend(references.iter().map(|&item| item | MORE));
        if let Some(last) = items.last_mut() {
            *last &= !MORE;
        }
        (first as u32) << 1 | LEAF
    })?;
    for node in &mut nodes {
        node.reserved = [0; 8];
    }
    let bounds = bvh.nodes.first().map_or(Aabb::EMPTY, |root| root.bounds);
    let stack_depth = stack_depth(&nodes);
    Ok(Wide8Boxes { nodes, items, bounds, stack_depth })
}

impl Wide8Boxes {
    /// Returns the nodes; the first is the root. Empty without items.
    #[inline]
    pub fn nodes(&self) -> &[Wide8Node] {
        &self.nodes
    }

    /// Returns the items of the leaf that a child reference of these nodes names.
    ///
    /// # Panics
    /// If it names none.
    #[inline]
    pub fn items(&self, leaf: u32) -> impl Iterator<Item = u32> + use<'_> {
        let mut next = Some((leaf >> 1) as usize);
        std::iter::from_fn(move || {
            let place = next?;
            let word = self.items[place];
            next = (word & MORE != 0).then_some(place + 1);
            Some(word & !MORE)
        })
    }

    /// Returns the first item of the leaf that a child reference of these nodes names, and the reference of a leaf of
    /// the others, if there are any.
    ///
    /// # Panics
    /// If it names none.
    #[inline(always)]
    pub fn first_item(&self, leaf: u32) -> (u32, Option<u32>) {
        let word = self.items[(leaf >> 1) as usize];
        (word & !MORE, (word & MORE != 0).then_some(leaf + (1 << 1)))
    }

    /// Makes a tree of parts that were kept, in a file say, after checking all of them: whatever they hold, a tree that
    /// comes of them is one, and no walk and no fit leaves it. It is over those of `count` items whose boxes, which
    /// `of_item` returns, are not empty. O(n), in parallel.
    ///
    /// # Errors
    /// [`LayoutError::BadRecord`] with what is wrong.
    pub fn from_parts(
        nodes: Vec<Wide8Node>,
        items: Vec<u32>,
        bounds: Aabb,
        count: usize,
        of_item: impl Fn(u32) -> Aabb + Sync,
    ) -> Result<Self, LayoutError> {
        let fault = |record, fault| Err(LayoutError::BadRecord { record, fault });
        if nodes.len().max(items.len()) >= 1 << 28 {
            return fault(0, RecordFault::NotWhole);
        }
        let mut is_seen = vec![false; count];
        for (record, word) in items.iter().enumerate() {
            match is_seen.get_mut((word & !MORE) as usize) {
                Some(seen) if !*seen => *seen = true,
                _ => return fault(record, RecordFault::SharedRecord),
            }
        }
        if let Some(record) = (0..count).find(|&item| is_seen[item] == of_item(item as u32).is_empty()) {
            return fault(record, RecordFault::Unreached);
        }
        let mut next = 0;
        check_depth_first(&nodes, |leaf| {
            let first = (leaf >> 1) as usize;
            let length = items.get(first..).and_then(|items| items.iter().position(|word| word & MORE == 0));
            let is_in_order = first == next && length.is_some();
            next = first + length.map_or(0, |length| length + 1);
            is_in_order
        })?;
        if next != items.len() {
            return fault(0, RecordFault::Unreached);
        }
        check_bounds(&nodes, &bounds)?;
        let stack_depth = stack_depth(&nodes);
        let tree = Self { nodes, items, bounds, stack_depth };
        let is_in = |leaf, bounds: &Aabb| tree.items(leaf).all(|item| bounds.contains(&of_item(item))).then_some(0);
        check_boxes(&tree.nodes, is_in)?;
        Ok(tree)
    }

    /// Returns the words of the items in all leaves, as [`Wide8Boxes::from_parts`] takes them.
    pub fn words(&self) -> &[u32] {
        &self.items
    }

    /// Returns the box around all items.
    #[inline]
    pub fn bounds(&self) -> &Aabb {
        &self.bounds
    }

    /// Fits all boxes to items that have moved: `bounds` returns the box of an item. The tree keeps its shape, so that
    /// its cost grows as items leave their neighbours. Returns the cost, as [`Wide8Boxes::cost`] does. O(n), nothing
    /// allocated.
    pub fn refit(&mut self, bounds: impl Fn(u32) -> Aabb) -> BoxesCost {
        let mut cost = BoxesCost::default();
        // Children come after their parents.
        for index in (0..self.nodes.len()).rev() {
            for slot in 0..8 {
                let child = self.nodes[index].children[slot];
                if child == NO_CHILD {
                    break;
                }
                let mut around = Aabb::EMPTY;
                if child & LEAF == 0 {
                    around = self.nodes[node_index(child)].around();
                } else {
                    for item in self.items(child) {
                        let own = bounds(item);
                        cost.items += half_area(&own);
                        around = around.union(&own);
                    }
                }
                cost.tree += half_area(&around);
                self.nodes[index].set(slot, &around, child);
            }
        }
        self.bounds = self.nodes.first().map_or(Aabb::EMPTY, Wide8Node::around);
        cost
    }

    /// Returns what a random ray's work grows with, for items with these boxes. O(n).
    pub fn cost(&self, bounds: impl Fn(u32) -> Aabb) -> BoxesCost {
        let tree = self.nodes.iter().map(Wide8Node::half_areas).sum();
        BoxesCost { tree, items: self.items.iter().map(|item| half_area(&bounds(item & !MORE))).sum() }
    }

    /// Gives items other numbers: `name` returns that of an item.
    pub fn rename(&mut self, name: impl Fn(u32) -> u32) {
        for item in &mut self.items {
            *item = *item & MORE | name(*item & !MORE);
        }
    }

    /// Returns the number of stack entries that a traversal needs which pushes all hit children of a node and then pops
    /// one.
    #[inline]
    pub fn stack_depth(&self) -> usize {
        self.stack_depth
    }

    /// Returns the size in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&self.nodes[..]) + size_of_val(&self.items[..])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NO_CHILD, REFERENCE_BYTES};
    use raywarp_bvh::{BuildOptions, build_over_boxes};

    /// Returns the items below a reference, each with the boxes above it.
    fn below(tree: &Wide8Boxes, node: usize, above: &[Aabb], out: &mut Vec<(u32, Vec<Aabb>)>) {
        let node = &tree.nodes()[node];
        for slot in (0..8).filter(|&slot| node.children[slot] != NO_CHILD) {
            let (child, boxes) = (node.children[slot], [above, &[node.bounds(slot)]].concat());
            if child & LEAF == 0 {
                below(tree, child as usize * REFERENCE_BYTES / size_of::<Wide8Node>(), &boxes, out);
            } else {
                out.extend(tree.items(child).map(|item| (item, boxes.clone())));
            }
        }
    }

    #[test]
    fn every_box_is_below_boxes_that_hold_it_once() {
        for count in [0, 1, 2, 9, 300] {
            // Every third at one place, where no split helps.
            let place = |i: usize| if i.is_multiple_of(3) { 0.0 } else { (i * i % 101) as f32 };
            let boxes: Vec<Aabb> =
                (0..count).map(|i| Aabb { min: [place(i), 0.0, 0.0], max: [place(i) + 1.0, 2.0, 0.0] }).collect();
            let tree = encode_wide8_boxes(&build_over_boxes(&boxes, &BuildOptions::default()).unwrap()).unwrap();
            let mut found = Vec::new();
            if count > 0 {
                below(&tree, 0, &[*tree.bounds()], &mut found);
            }
            found.sort_by_key(|found| found.0);
            assert_eq!(found.iter().map(|found| found.0 as usize).collect::<Vec<_>>(), (0..count).collect::<Vec<_>>());
            for (item, above) in found {
                assert!(above.iter().all(|aabb| aabb.contains(&boxes[item as usize])), "{item}");
            }
        }
    }

    #[test]
    fn a_tree_comes_of_its_parts_and_of_no_others() {
        for count in [0, 1, 2, 9, 300] {
            let box_of = |i: u32| {
                let [x, y] = [i * 7 % 101, i * i % 53].map(|k| k as f32);
                if i.is_multiple_of(5) { Aabb::EMPTY } else { Aabb { min: [x, y, 0.0], max: [x + 1.0, y + 2.0, 0.5] } }
            };
            let named: Vec<u32> = (0..count).filter(|i| i % 5 != 0).collect();
            let boxes: Vec<Aabb> = named.iter().map(|&i| box_of(i)).collect();
            let mut tree = encode_wide8_boxes(&build_over_boxes(&boxes, &BuildOptions::default()).unwrap()).unwrap();
            tree.rename(|item| named[item as usize]);
            let again = |damage: &dyn Fn(&mut Wide8Boxes), count: u32| {
                let mut other = tree.clone();
                damage(&mut other);
                let Wide8Boxes { nodes, items, bounds, .. } = other;
                Wide8Boxes::from_parts(nodes, items, bounds, count as usize, box_of)
            };
            let same = again(&|_| {}, count).unwrap();
            assert_eq!((same.nodes(), same.words()), (tree.nodes(), tree.words()));
            assert_eq!((same.bounds(), same.stack_depth()), (tree.bounds(), tree.stack_depth()));
            assert!(again(&|_| {}, count + 2).is_err() || (count + 1) % 5 == 0);
            if count < 300 {
                continue;
            }
            let leaf = |node: &Wide8Node| node.children.iter().position(|c| c & LEAF != 0 && *c != NO_CHILD);
            let with = tree.nodes().iter().position(|node| leaf(node).is_some()).unwrap();
            let slot = leaf(&tree.nodes()[with]).unwrap();
            type Damage<'a> = (&'a str, &'a dyn Fn(&mut Wide8Boxes));
            let damages: [Damage<'_>; 12] = [
                ("an item twice", &|t| t.items[7] = t.items[8]),
                ("an item that is not there", &|t| t.items[7] = t.items[7] & MORE | 300),
                ("an item without a box", &|t| t.items[7] &= MORE),
                ("items that go on", &|t| *t.items.last_mut().unwrap() |= MORE),
                ("items that end", &|t| t.items[7] ^= MORE),
                ("an item less", &|t| _ = t.items.pop()),
                ("a cycle", &|t| t.nodes[0].children[0] = 0),
                ("a leaf of another", &|t| t.nodes[with].children[slot] += 2),
                ("a node less", &|t| _ = t.nodes.pop()),
                ("a small box", &|t| t.nodes[with].planes[1][slot] = t.nodes[with].planes[1][slot].next_down()),
                ("no bounds", &|t| t.bounds = Aabb::EMPTY),
                ("small bounds", &|t| t.bounds.min[0] += 1.0),
            ];
            for (what, damage) in damages {
                assert!(again(damage, count).is_err(), "{what} went unnoticed");
            }
            assert!(again(&|_| {}, 299).is_err());
        }
    }

    #[test]
    fn refitted_boxes_are_the_least_around_moved_items() {
        for count in [0, 1, 2, 9, 300] {
            let at = |i: usize, by: usize| {
                let [x, y] = [i * by % 101, i * i % 53].map(|k| k as f32);
                Aabb { min: [x, y, 0.0], max: [x + 1.0, y + 2.0, 0.5] }
            };
            let boxes = |by: usize| -> Vec<Aabb> { (0..count).map(|i| at(i, by)).collect() };
            let encoded = |boxes: &[Aabb]| {
                encode_wide8_boxes(&build_over_boxes(boxes, &BuildOptions::default()).unwrap()).unwrap()
            };
            let (before, after) = (boxes(7), boxes(11));
            let built = encoded(&before);
            let mut tree = built.clone();
            let cost = tree.refit(|item| after[item as usize]);
            let again = tree.cost(|item| after[item as usize]);
            assert!((cost.tree - again.tree).abs() <= 1e-9 * cost.tree && (cost.items - again.items).abs() < 1e-6);
            let all = after.iter().fold(Aabb::EMPTY, |all, aabb| all.union(aabb));
            assert_eq!(*tree.bounds(), all);
            let (mut found, mut tight) = (Vec::new(), std::collections::HashMap::new());
            if count > 0 {
                below(&tree, 0, &[], &mut found);
            }
            for (item, above) in &found {
                for aabb in above {
                    let key = aabb.min.map(f32::to_bits).into_iter().chain(aabb.max.map(f32::to_bits));
                    let least = tight.entry(key.collect::<Vec<_>>()).or_insert((Aabb::EMPTY, *aabb));
                    least.0 = least.0.union(&after[*item as usize]);
                }
            }
            assert!(found.len() == count && tight.values().all(|(least, aabb)| least == aabb));
            let anew = encoded(&after).cost(|item| after[item as usize]);
            assert!(count < 100 || cost.tree > 1.5 * anew.tree && (cost.items - anew.items).abs() < 1e-6);
            // And back again.
            tree.refit(|item| before[item as usize]);
            assert_eq!(tree.nodes(), built.nodes());
            tree.rename(|item| item + 5);
            found.clear();
            if count > 0 {
                below(&tree, 0, &[], &mut found);
            }
            assert!(found.iter().all(|found| (5..count as u32 + 5).contains(&found.0)));
        }
    }
}
