//! Eight-wide tree over boxes: nodes as those of [`Wide8`](crate::Wide8), with items instead of triangles in the leaves.
//! The upper level of a scene of two.

use crate::collapse::LeafRule;
use crate::wide8::{LEAF, NO_CHILD, Wide8Node, collapsed, half_area, node_index, stack_depth};
use crate::{LayoutError, structure};
use raywarp_bvh::Bvh2;
use raywarp_geom::Aabb;

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
    structure::check_links(bvh)?;
    let mut items = Vec::with_capacity(bvh.references.len());
    let mut nodes = collapsed(bvh, LEAF_RULE, |references| {
        let first = items.len();
        items.extend(references.iter().map(|&item| item | MORE));
        if let Some(last) = items.last_mut() {
            *last &= !MORE;
        }
        (first as u32) << 1 | LEAF
    });
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
