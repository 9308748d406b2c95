//! Turns a hierarchy down to single references into a tree with leaves: shared by the builders that work from the
//! leaves upwards, and by reinsertion.
//!
//! Where a subtree of few references costs no less than one leaf over them, by the surface area
//! heuristic over everything below, the leaf takes its place. The top-down builders see only one
//! split ahead; here the children's final costs are known.

use super::cost::LeafRules;
use super::subtree::{Slot, SmallTree, Store, Subtree};
use crate::parallel;
use crate::reference::Bounds;
use crate::watch::{Stopped, Watch};

/// Largest number of references in a subtree that one task collapses alone.
const TASK: usize = 1 << 12;

/// Binary hierarchy that can be traversed from its root, as input of [`collapse`].
pub(crate) trait Hierarchy: Sync {
    /// Handle of a node, such as its index.
    type Node: Copy + Send + Sync;
    /// Returns the number of references below `node`, itself included.
    fn size(&self, node: Self::Node) -> usize;
    /// Returns the two children, left first; `None` for a leaf.
    fn children(&self, node: Self::Node) -> Option<[Self::Node; 2]>;
    /// Returns the bounding box of a leaf.
    fn leaf_bounds(&self, leaf: Self::Node) -> Bounds;
    /// Returns the indices of a leaf's primitives, at least one.
    fn leaf_primitives(&self, leaf: Self::Node) -> impl Iterator<Item = u32>;
}

/// Converts `hierarchy` to a tree, merging subtrees of up to `rules.max_leaf` references into one leaf where that costs
/// less. Leaves that are larger already stay. Counts each reference as work done.
pub(crate) fn collapse<H: Hierarchy>(
    hierarchy: &H,
    root: H::Node,
    rules: &LeafRules,
    store: &Store,
    watch: &Watch<'_>,
) -> Result<Subtree, Stopped> {
    watch.look()?;
    let size = hierarchy.size(root);
    // A part of more than a task's references is more than a leaf may hold, so nothing is lost.
    let children = if size <= TASK { None } else { hierarchy.children(root) };
    let Some([left, right]) = children else {
        let (mut tree, slot) = SmallTree::new(size);
        collapse_small(hierarchy, root, &mut tree, slot, rules);
        watch.advance(size as f64);
        return Ok(store.keep(&tree));
    };
    let (left, right) = parallel::join(
        || collapse(hierarchy, left, rules, store, watch),
        || collapse(hierarchy, right, rules, store, watch),
    );
    Ok(Subtree::join(left?, right?))
}

/// Collapsed part of the tree: its box and its cost.
struct Part {
    bounds: Bounds,
    cost: f64,
}

fn collapse_small<H: Hierarchy>(
    hierarchy: &H,
    node: H::Node,
    tree: &mut SmallTree,
    slot: Slot,
    rules: &LeafRules,
) -> Part {
    let Some([left, right]) = hierarchy.children(node) else {
        let bounds = hierarchy.leaf_bounds(node);
        let count = tree.leaf(slot, bounds, hierarchy.leaf_primitives(node));
        return Part { bounds, cost: rules.leaf_cost(bounds.half_area(), count) };
    };
    let before = tree.mark();
    let [left_slot, right_slot] = tree.inner(slot, Bounds::EMPTY);
    let left = collapse_small(hierarchy, left, tree, left_slot, rules);
    let right = collapse_small(hierarchy, right, tree, right_slot, rules);
    let bounds = left.bounds.union(right.bounds);
    let half_area = bounds.half_area();
    let cost = rules.inner_cost(half_area) + left.cost + right.cost;
    let count = tree.references_since(before);
    if count <= rules.max_leaf && rules.leaf_cost(half_area, count) <= cost {
        let count = tree.merge(before, slot, bounds);
        return Part { bounds, cost: rules.leaf_cost(half_area, count) };
    }
    tree.set_bounds(slot, bounds);
    Part { bounds, cost }
}
