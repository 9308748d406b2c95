//! Statistics of a tree: its size, its depth and its costs.

use crate::{Bvh2, Node};
use raywarp_geom::Aabb;

/// Statistics of a tree, as `raywarp info` prints them.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BvhStats {
    /// Number of primitives that the tree was built over.
    pub primitives: u64,
    /// Number of primitive references in all leaves; more than the primitives after splitting.
    pub references: u64,
    /// Number of inner nodes.
    pub inner_nodes: u64,
    /// Number of leaves.
    pub leaves: u64,
    /// Largest number of inner nodes above a leaf ([`Bvh2::depth`]).
    pub depth: u32,
    /// Number of stack entries that a traversal needs ([`Bvh2::stack_depth`]).
    pub stack_depth: u32,
    /// Expected work of a random ray by the surface area heuristic ([`Bvh2::sah_cost`]).
    pub sah_cost: f64,
    /// Memory of the nodes and references in bytes.
    pub bytes: u64,
    /// Histogram of leaf sizes: entry `i` is the number of leaves with `i` references. It is as long as the largest
    /// leaf needs.
    pub leaf_sizes: Vec<u64>,
}

impl Bvh2 {
    /// Returns the number of inner nodes on the path from the root to the deepest leaf, the root included: 0 for one
    /// leaf or none.
    ///
    /// # Panics
    /// As every function here, may panic if the tree does not pass [`Bvh2::validate`].
    pub fn depth(&self) -> u32 {
        // A child stands after its parent, so that one pass in order meets the parent first.
        let mut depths = vec![0u32; self.nodes.len()];
        let mut deepest = 0;
        for (i, node) in self.nodes.iter().enumerate().filter(|(_, node)| !node.is_leaf()) {
            let depth = depths[i] + 1;
            depths[node.first as usize..][..2].fill(depth);
            deepest = deepest.max(depth);
        }
        deepest
    }

    /// Returns the number of stack entries that suffice for a traversal which goes on with one child that the ray meets
    /// and pushes the other. It may take the children in whatever order. Equals the depth, as the entries that wait on
    /// the way to the deepest leaf are one an inner node.
    pub fn stack_depth(&self) -> u32 {
        self.depth()
    }

    /// Returns the number of leaves.
    pub fn leaf_count(&self) -> usize {
        self.nodes.iter().filter(|node| node.is_leaf()).count()
    }

    /// Returns the expected work of a random ray that hits the root's box, by the surface area heuristic: inner nodes
    /// visited plus triangles tested, each of cost 1. Zero for a tree whose root box has no area, and for an empty one.
    pub fn sah_cost(&self) -> f64 {
        let root = self.nodes.first().map_or(0.0, |root| half_area(&root.bounds));
        if root <= 0.0 {
            return 0.0;
        }
        let cost =
            |node: &Node| half_area(&node.bounds) / root * if node.is_leaf() { f64::from(node.count) } else { 1.0 };
        self.nodes.iter().map(cost).sum()
    }

    /// Computes the statistics of the tree. O(nodes).
    pub fn stats(&self) -> BvhStats {
        let mut leaf_sizes = Vec::new();
        for node in self.nodes.iter().filter(|node| node.is_leaf()) {
            let size = node.count as usize;
            if size >= leaf_sizes.len() {
                leaf_sizes.resize(size + 1, 0);
            }
            leaf_sizes[size] += 1;
        }
        let leaves: u64 = leaf_sizes.iter().sum();
        let depth = self.depth();
        BvhStats {
            primitives: u64::from(self.primitive_count),
            references: self.references.len() as u64,
            inner_nodes: self.nodes.len() as u64 - leaves,
            leaves,
            depth,
            stack_depth: depth,
            sah_cost: self.sah_cost(),
            bytes: (size_of_val(&self.nodes[..]) + size_of_val(&self.references[..])) as u64,
            leaf_sizes,
        }
    }
}

/// Returns half of a box's surface area in f64, in which the sides of the largest boxes do not overflow.
fn half_area(aabb: &Aabb) -> f64 {
    let side = |i: usize| (f64::from(aabb.max[i]) - f64::from(aabb.min[i])).max(0.0);
    let [x, y, z] = [side(0), side(1), side(2)];
    x * y + y * z + z * x
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_of_a_tree_of_three_leaves_are_as_computed_by_hand() {
        let slab = |x0: f32, x1: f32| Aabb { min: [x0, 0.0, 0.0], max: [x1, 1.0, 1.0] };
        let node = |bounds, first, count| Node { bounds, first, count };
        let tree = Bvh2 {
            nodes: vec![
                node(slab(0.0, 4.0), 1, 0),
                node(slab(0.0, 1.0), 0, 3),
                node(slab(2.0, 4.0), 3, 0),
                node(slab(2.0, 3.0), 3, 1),
                node(slab(3.0, 4.0), 4, 1),
            ],
            references: vec![0, 1, 2, 3, 4],
            primitive_count: 5,
        };
        // Half areas 9, 3, 5, 3, 3.
        let expected = (9.0 + 3.0 * 3.0 + 5.0 + 3.0 + 3.0) / 9.0;
        let stats = tree.stats();
        assert!((stats.sah_cost - expected).abs() < 1e-12);
        assert_eq!((tree.depth(), tree.stack_depth(), tree.leaf_count()), (2, 2, 3));
        assert_eq!((stats.inner_nodes, stats.leaves, stats.references), (2, 3, 5));
        assert_eq!((stats.bytes, &stats.leaf_sizes[..]), (5 * 32 + 5 * 4, &[0, 2, 0, 1][..]));
    }

    #[test]
    fn an_empty_tree_costs_nothing() {
        let tree = Bvh2 { nodes: vec![], references: vec![], primitive_count: 0 };
        assert_eq!(tree.stats(), BvhStats::default());
    }
}
