//! Which nodes of a `Bvh2` become the children of a wider node, by opening one child after another.
//!
//! Sources: G14 4.1 (pulling up, with its rules near the leaves), L9 "Building the MBVH" (adoption),
//! both after Wald, Benthin, Boulos 2008. The tree of least cost is `collapse`'s matter.
//!
//! An opened child gives its place to its own two children, so that a node's children stand in the
//! tree's order from left to right. Of equal areas the earlier child is opened, so that equal input
//! gives equal bytes on every machine.

use raywarp_bvh::Bvh2;

/// Which children a node of a wider tree opens until it is full.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Collapse {
    /// Guthe's (G14 4.1), for nodes of four. The child of largest surface area, except near the leaves:
    /// - a child with just two leaves goes first (of several the largest), as that removes a node;
    /// - then, while nothing was opened yet, a child with just three leaves (of several the largest);
    /// - once something was opened, a child with just three leaves only if it is the only inner child.
    ///
    /// By the last rule a node may stay with three children, where several children have three leaves.
    #[default]
    Guthe,
    /// The lecture's (L9): the child of largest surface area whose children fit, until none fits.
    Adopt,
}

/// The rule with what it needs to know of a tree.
pub(crate) struct PullUp<'a> {
    bvh: &'a Bvh2,
    collapse: Collapse,
    branching: usize,
    /// Leaves below each node, counted up to [`MANY`]; empty unless the rule asks.
    leaves: Vec<u8>,
}

/// As many leaves as make no difference any more.
const MANY: u8 = 4;

impl<'a> PullUp<'a> {
    /// For a tree that passed `structure::check`. O(nodes).
    pub fn new(bvh: &'a Bvh2, collapse: Collapse, branching: usize) -> Self {
        let mut leaves = Vec::new();
        if collapse == Collapse::Guthe {
            leaves = vec![1u8; bvh.nodes.len()];
            for (index, node) in bvh.nodes.iter().enumerate().rev().filter(|(_, node)| !node.is_leaf()) {
                let left = node.first as usize;
                leaves[index] = (leaves[left] + leaves[left + 1]).min(MANY);
            }
        }
        Self { bvh, collapse, branching, leaves }
    }

    /// The children of the wide node for `node`, from left to right: 2 to `branching` of them, or the
    /// node itself if it is a leaf.
    pub fn children(&self, node: usize, children: &mut Vec<usize>) {
        children.clear();
        children.push(node);
        // The first opening is that of the node itself.
        let mut next = (!self.bvh.nodes[node].is_leaf()).then_some(0);
        while let Some(position) = next {
            let left = self.bvh.nodes[children[position]].first as usize;
            children.splice(position..=position, [left, left + 1]);
            next = if children.len() < self.branching { self.choose(children) } else { None };
        }
    }

    /// The position of the child to open next.
    fn choose(&self, children: &[usize]) -> Option<usize> {
        let inner = || (0..children.len()).filter(|&i| !self.bvh.nodes[children[i]].is_leaf());
        if self.collapse == Collapse::Adopt {
            return self.largest(children, inner());
        }
        let with_leaves = |count: u8| inner().filter(move |&i| self.leaves[children[i]] == count);
        if let Some(pair) = self.largest(children, with_leaves(2)) {
            return Some(pair);
        }
        if children.len() == 2
            && let Some(triple) = self.largest(children, with_leaves(3))
        {
            return Some(triple);
        }
        if inner().count() == 1 {
            return inner().next();
        }
        self.largest(children, with_leaves(MANY))
    }

    /// The first position among `positions` whose box has the largest surface area.
    fn largest(&self, children: &[usize], positions: impl Iterator<Item = usize>) -> Option<usize> {
        let area = |position: usize| self.bvh.nodes[children[position]].bounds.half_area();
        positions.map(|i| (i, area(i))).reduce(|best, i| if i.1 > best.1 { i } else { best }).map(|(i, _)| i)
    }
}
