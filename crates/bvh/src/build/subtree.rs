//! Parts of a tree, built by different tasks, and their way into one array.

use crate::Node;
use crate::parallel::{self, GROUP};
use crate::reference::Bounds;
use crate::watch::{Stopped, Watch};
use raywarp_geom::Aabb;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Finished part of the tree, not yet in the array of nodes.
#[derive(Debug)]
pub(crate) enum Subtree {
    /// Part that one task built, with its own numbering: ranges of the nodes and references in a [`Store`].
    Small { bounds: Aabb, nodes: Range<usize>, references: Range<usize> },
    /// Two parts that separate tasks built, under an inner node.
    Joined {
        bounds: Aabb,
        children: Box<[Subtree; 2]>,
        /// Number of nodes in the part, the inner node included.
        node_count: usize,
        reference_count: usize,
    },
}

/// Tree that one task builds, with its own numbering: the root is node 0, then a pair of children at a time. The pairs
/// below a left child come before those below the right one.
#[derive(Debug, Default)]
pub(crate) struct SmallTree {
    nodes: Vec<Node>,
    references: Vec<u32>,
}

/// Nodes and references of all finished parts of a tree, so that they take one piece of memory each. Thousands of small
/// ones would stay with the allocator when the tree is done, and be a quarter of what a build takes.
#[derive(Debug, Default)]
pub(crate) struct Store(Mutex<SmallTree>);

impl Store {
    /// Makes a store with room for a tree over `reference_count` references. Of memory that nothing is written to
    /// systems take none.
    pub(crate) fn new(reference_count: usize) -> Self {
        let nodes = Vec::with_capacity(2 * reference_count);
        Self(Mutex::new(SmallTree { nodes, references: Vec::with_capacity(reference_count) }))
    }

    /// Keeps a finished part.
    pub(crate) fn keep(&self, tree: &SmallTree) -> Subtree {
        let bounds = tree.nodes.first().map_or(Aabb::EMPTY, |root| root.bounds);
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (nodes, references) = (all.nodes.len(), all.references.len());
        all.nodes.extend_from_slice(&tree.nodes);
        all.references.extend_from_slice(&tree.references);
        Subtree::Small { bounds, nodes: nodes..all.nodes.len(), references: references..all.references.len() }
    }
}

/// Position in a [`SmallTree`] where a node is still to be filled in.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot(usize);

/// Saved lengths of a [`SmallTree`]'s arrays, to which it can be cut back.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    nodes: usize,
    references: usize,
}

const UNSET: Node = Node { bounds: Aabb::EMPTY, first: 0, count: 0 };

impl SmallTree {
    /// Makes an empty tree with room for the leaves of `reference_count` references; returns it and the slot of its
    /// root.
    pub(crate) fn new(reference_count: usize) -> (Self, Slot) {
        // Most leaves hold one reference.
        let mut nodes = Vec::with_capacity(2 * reference_count);
        nodes.push(UNSET);
        (Self { nodes, references: Vec::with_capacity(reference_count) }, Slot(0))
    }

    /// Fills `slot` with an inner node and returns the slots of its two children, to be filled left first.
    pub(crate) fn inner(&mut self, slot: Slot, bounds: Bounds) -> [Slot; 2] {
        let first = self.nodes.len();
        self.nodes.extend([UNSET; 2]);
        self.nodes[slot.0] = Node { bounds: bounds.aabb(), first: first as u32, count: 0 };
        [Slot(first), Slot(first + 1)]
    }

    /// Replaces the box of the node at `slot`.
    pub(crate) fn set_bounds(&mut self, slot: Slot, bounds: Bounds) {
        self.nodes[slot.0].bounds = bounds.aabb();
    }

    /// Saves the current lengths of the tree's arrays, for [`SmallTree::merge`].
    pub(crate) fn mark(&self) -> Mark {
        Mark { nodes: self.nodes.len(), references: self.references.len() }
    }

    /// Returns the number of references that were added after `mark`.
    pub(crate) fn references_since(&self, mark: Mark) -> usize {
        self.references.len() - mark.references
    }

    /// Replaces the whole subtree below `slot`, all of it added after `mark`, by one leaf. Returns the number of its
    /// references.
    pub(crate) fn merge(&mut self, mark: Mark, slot: Slot, bounds: Bounds) -> usize {
        self.nodes.truncate(mark.nodes);
        self.finish_leaf(slot, bounds, mark.references)
    }

    /// Sets the box of the inner node at `slot` to the union of its children's boxes.
    pub(crate) fn fit(&mut self, slot: Slot) {
        let first = self.nodes[slot.0].first as usize;
        self.nodes[slot.0].bounds = self.nodes[first].bounds.union(&self.nodes[first + 1].bounds);
    }

    /// Fills `slot` with a leaf of these primitives, sorted and without repeats. Splitting may have brought two parts
    /// of a triangle together again. Returns their number.
    pub(crate) fn leaf(&mut self, slot: Slot, bounds: Bounds, primitives: impl Iterator<Item = u32>) -> usize {
        let first = self.references.len();
        self.references.extend(primitives);
        self.finish_leaf(slot, bounds, first)
    }

    /// Fills `slot` with a leaf of all references from `first` on.
    fn finish_leaf(&mut self, slot: Slot, bounds: Bounds, first: usize) -> usize {
        self.references[first..].sort_unstable();
        let mut kept = first + 1;
        for i in first + 1..self.references.len() {
            if self.references[i] != self.references[kept - 1] {
                self.references[kept] = self.references[i];
                kept += 1;
            }
        }
        self.references.truncate(kept);
        self.nodes[slot.0] = Node { bounds: bounds.aabb(), first: first as u32, count: (kept - first) as u32 };
        kept - first
    }
}

impl Subtree {
    /// Returns the bounding box of the part.
    fn bounds(&self) -> Aabb {
        match self {
            Self::Small { bounds, .. } | Self::Joined { bounds, .. } => *bounds,
        }
    }

    /// Joins two parts under a new inner node.
    pub(crate) fn join(left: Self, right: Self) -> Self {
        Self::Joined {
            bounds: left.bounds().union(&right.bounds()),
            node_count: 1 + left.node_count() + right.node_count(),
            reference_count: left.reference_count() + right.reference_count(),
            children: Box::new([left, right]),
        }
    }

    fn node_count(&self) -> usize {
        match self {
            Self::Small { nodes, .. } => nodes.len(),
            Self::Joined { node_count, .. } => *node_count,
        }
    }

    fn reference_count(&self) -> usize {
        match self {
            Self::Small { references, .. } => references.len(),
            Self::Joined { reference_count, .. } => *reference_count,
        }
    }

    /// Converts the whole tree to one array of nodes and one of primitive indices, in the order of [`crate::Bvh2`].
    pub(crate) fn flatten(self, store: Store, watch: &Watch<'_>) -> Result<(Vec<Node>, Vec<u32>), Stopped> {
        let SmallTree { nodes: stored, references } = store.0.into_inner().unwrap_or_else(PoisonError::into_inner);
        // Filled in parallel, since the first touch of so much memory takes longer than the filling.
        let mut nodes = parallel::map_groups(watch, self.node_count(), &|_| [UNSET; GROUP])?;
        if let Some((root, below)) = nodes.split_first_mut() {
            self.write(&stored, root, below, 1, 0, watch);
        }
        // Before there are references: this is where a build takes most memory.
        drop(stored);
        let mut in_order = parallel::map_groups(watch, self.reference_count(), &|_| [0; GROUP])?;
        self.list(&references, &mut in_order, watch);
        watch.look()?;
        Ok((nodes, in_order))
    }

    /// Writes the part's primitive indices to `references`, which has as many places.
    fn list(&self, stored: &[u32], references: &mut [u32], watch: &Watch<'_>) {
        match self {
            _ if watch.is_stopped() => {}
            Self::Small { references: own, .. } => references.copy_from_slice(&stored[own.clone()]),
            Self::Joined { children, .. } => {
                let [left, right] = &**children;
                let (of_left, of_right) = references.split_at_mut(left.reference_count());
                parallel::join(|| left.list(stored, of_left, watch), || right.list(stored, of_right, watch));
            }
        }
    }

    /// Writes the part's root to `root` and its other nodes to `below`. `below` starts at node `first_below`, its
    /// primitive indices at `first_reference` of the whole arrays.
    fn write(
        &self,
        stored: &[Node],
        root: &mut Node,
        below: &mut [Node],
        first_below: usize,
        first_reference: usize,
        watch: &Watch<'_>,
    ) {
        if watch.is_stopped() {
            return;
        }
        match self {
            Self::Small { nodes, .. } => {
                for (to, &(mut node)) in std::iter::once(root).chain(below).zip(&stored[nodes.clone()]) {
                    // Node 1 of the part comes to stand at `first_below`.
                    node.first += (if node.is_leaf() { first_reference } else { first_below - 1 }) as u32;
                    *to = node;
                }
            }
            Self::Joined { bounds, children, .. } => {
                *root = Node { bounds: *bounds, first: first_below as u32, count: 0 };
                let [left, right] = &**children;
                let (pair, below) = below.split_at_mut(2);
                let (left_root, right_root) = pair.split_at_mut(1);
                let left_below = left.node_count() - 1;
                let (below_left, below_right) = below.split_at_mut(left_below);
                let first = first_below + 2;
                let (middle, middle_reference) = (first + left_below, first_reference + left.reference_count());
                parallel::join(
                    || left.write(stored, &mut left_root[0], below_left, first, first_reference, watch),
                    || right.write(stored, &mut right_root[0], below_right, middle, middle_reference, watch),
                );
            }
        }
    }
}
