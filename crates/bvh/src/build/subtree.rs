//! Parts of a tree, built by different tasks, and their way into one array.

use crate::Node;
use crate::parallel;
use crate::reference::Bounds;
use raywarp_geom::Aabb;

/// A finished part of the tree.
#[derive(Debug)]
pub(crate) enum Subtree {
    /// Built by one task.
    Small(SmallTree),
    /// Two parts, built by tasks of their own.
    Joined {
        bounds: Aabb,
        children: Box<[Subtree; 2]>,
        /// Nodes in the part, this one included.
        node_count: usize,
        reference_count: usize,
    },
}

/// A tree with its own numbering: the root is node 0, then a pair of children at a time, the pairs
/// below a left child before those below the right one.
#[derive(Debug, Default)]
pub(crate) struct SmallTree {
    nodes: Vec<Node>,
    references: Vec<u32>,
}

/// Place at which a node of a [`SmallTree`] will stand.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Slot(usize);

/// A state of a [`SmallTree`] that it can return to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    nodes: usize,
    references: usize,
}

const UNSET: Node = Node { bounds: Aabb::EMPTY, first: 0, count: 0 };

impl SmallTree {
    /// Returns an empty tree and the slot of its root, with room for the leaves of `reference_count` references.
    pub(crate) fn new(reference_count: usize) -> (Self, Slot) {
        let mut nodes = Vec::with_capacity(reference_count);
        nodes.push(UNSET);
        (Self { nodes, references: Vec::with_capacity(reference_count) }, Slot(0))
    }

    /// Makes the node of `slot` an inner one; its children's slots, to be filled left first.
    pub(crate) fn inner(&mut self, slot: Slot, bounds: Bounds) -> [Slot; 2] {
        let first = self.nodes.len();
        self.nodes.extend([UNSET; 2]);
        self.nodes[slot.0] = Node { bounds: bounds.aabb(), first: first as u32, count: 0 };
        [Slot(first), Slot(first + 1)]
    }

    /// Replaces the box of a node.
    pub(crate) fn set_bounds(&mut self, slot: Slot, bounds: Bounds) {
        self.nodes[slot.0].bounds = bounds.aabb();
    }

    /// Returns the lengths that the tree has so far, for [`SmallTree::merge`].
    pub(crate) fn mark(&self) -> Mark {
        Mark { nodes: self.nodes.len(), references: self.references.len() }
    }

    /// Returns the number of references that were added after `mark`.
    pub(crate) fn references_since(&self, mark: Mark) -> usize {
        self.references.len() - mark.references
    }

    /// Replaces all that was added after `mark`, which lies below `slot`, by one leaf there. Gives the
    /// number of its references.
    pub(crate) fn merge(&mut self, mark: Mark, slot: Slot, bounds: Bounds) -> usize {
        self.nodes.truncate(mark.nodes);
        self.finish_leaf(slot, bounds, mark.references)
    }

    /// Fits the box of `slot`, an inner node, to those of its children.
    pub(crate) fn fit(&mut self, slot: Slot) {
        let first = self.nodes[slot.0].first as usize;
        self.nodes[slot.0].bounds = self.nodes[first].bounds.union(&self.nodes[first + 1].bounds);
    }

    /// Makes the node of `slot` a leaf, its primitives in increasing order and without repeats:
    /// splitting may have brought two parts of a triangle together again. Gives their number.
    pub(crate) fn leaf(&mut self, slot: Slot, bounds: Bounds, primitives: impl Iterator<Item = u32>) -> usize {
        let first = self.references.len();
        self.references.extend(primitives);
        self.finish_leaf(slot, bounds, first)
    }

    /// Makes a leaf of the references from `first` on.
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
    /// Returns the box around the part.
    fn bounds(&self) -> Aabb {
        match self {
            Self::Small(tree) => tree.nodes.first().map_or(Aabb::EMPTY, |root| root.bounds),
            Self::Joined { bounds, .. } => *bounds,
        }
    }

    /// Returns an inner node over two parts.
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

    /// Returns the whole tree as one array of nodes and one of references, in the order of [`crate::Bvh2`].
    pub(crate) fn flatten(self) -> (Vec<Node>, Vec<u32>) {
        // Filled in parallel, since the first touch of so much memory takes longer than the filling.
        let mut nodes = parallel::map(self.node_count(), &|_| UNSET);
        let mut references = vec![0; self.reference_count()];
        if let Some((root, below)) = nodes.split_first_mut() {
            self.write(root, below, 1, &mut references, 0);
        }
        (nodes, references)
    }

    /// Writes the root of this part to `root` and the rest to `below`, which starts at node
    /// `first_below`; the references to `references`, which starts at `first_reference`.
    fn write(
        self,
        root: &mut Node,
        below: &mut [Node],
        first_below: usize,
        references: &mut [u32],
        first_reference: usize,
    ) {
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
                    || left.write(&mut left_root[0], below_left, first, references_left, first_reference),
                    || right.write(&mut right_root[0], below_right, middle, references_right, middle_reference),
                );
            }
        }
    }
}
