//! Parts of a tree, built by different tasks, and their way into one array.

use crate::Node;
use crate::parallel;
use crate::reference::Bounds;
use crate::watch::{Stopped, Watch};
use raywarp_geom::Aabb;

/// Finished part of the tree, not yet in the array of nodes.
#[derive(Debug)]
pub(crate) enum Subtree {
    /// Part that one task built, with its own numbering.
    Small(SmallTree),
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
        let mut nodes = Vec::with_capacity(reference_count);
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
            Self::Small(tree) => tree.nodes.first().map_or(Aabb::EMPTY, |root| root.bounds),
            Self::Joined { bounds, .. } => *bounds,
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
            Self::Small(tree) => tree.nodes.len(),
            Self::Joined { node_count, .. } => *node_count,
        }
    }

    fn reference_count(&self) -> usize {
        match self {
            Self::Small(tree) => tree.references.len(),
            Self::Joined { reference_count, .. } => *reference_count,
        }
    }

    /// Converts the whole tree to one array of nodes and one of primitive indices, in the order of [`crate::Bvh2`].
    pub(crate) fn flatten(self, watch: &Watch<'_>) -> Result<(Vec<Node>, Vec<u32>), Stopped> {
        // Filled in parallel, since the first touch of so much memory takes longer than the filling.
        let mut nodes = parallel::map(watch, self.node_count(), &|_| UNSET)?;
        let mut references = vec![0; self.reference_count()];
        if let Some((root, below)) = nodes.split_first_mut() {
            self.write(root, below, 1, &mut references, 0, watch);
        }
        watch.look()?;
        Ok((nodes, references))
    }

    /// Writes the part's root to `root`, its other nodes to `below` and its primitive indices to `references`. `below`
    /// starts at node `first_below`, `references` at index `first_reference` of the whole arrays.
    fn write(
        self,
        root: &mut Node,
        below: &mut [Node],
        first_below: usize,
        references: &mut [u32],
        first_reference: usize,
        watch: &Watch<'_>,
    ) {
        if watch.is_stopped() {
            return;
        }
        match self {
            Self::Small(tree) => {
                references.copy_from_slice(&tree.references);
                for (to, mut node) in std::iter::once(root).chain(below).zip(tree.nodes) {
                    // Node 1 of the part comes to stand at `first_below`.
                    node.first += (if node.is_leaf() { first_reference } else { first_below - 1 }) as u32;
                    *to = node;
                }
            }
            Self::Joined { bounds, children, .. } => {
                *root = Node { bounds, first: first_below as u32, count: 0 };
                let [left, right] = *children;
                let (pair, below) = below.split_at_mut(2);
                let (left_root, right_root) = pair.split_at_mut(1);
                let left_below = left.node_count() - 1;
                let (below_left, below_right) = below.split_at_mut(left_below);
                let left_references = left.reference_count();
                let (references_left, references_right) = references.split_at_mut(left_references);
                let first = first_below + 2;
                let (middle, middle_reference) = (first + left_below, first_reference + left_references);
                parallel::join(
                    || left.write(&mut left_root[0], below_left, first, references_left, first_reference, watch),
                    || right.write(&mut right_root[0], below_right, middle, references_right, middle_reference, watch),
                );
            }
        }
    }
}
