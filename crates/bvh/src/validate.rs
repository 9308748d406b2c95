//! The checks behind the invariants of [`Bvh2`].

use crate::{Bvh2, Node};
use raywarp_geom::{Aabb, FlatTriangles};

/// First fault that the validation of a tree found. Nodes, references and primitives count from 0.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidBvh {
    /// The tree was built over a number of triangles other than the one given.
    #[error("the tree is over {tree} primitives, but there are {triangles} triangles")]
    PrimitiveCount {
        /// Number of primitives that the tree was built over.
        tree: u32,
        /// Number of triangles that were given to compare with.
        triangles: usize,
    },
    /// The tree has nodes without primitives, or primitives without nodes.
    #[error("the tree has {nodes} nodes over {primitives} primitives; none goes with none only")]
    Emptiness {
        /// Number of nodes in the tree.
        nodes: usize,
        /// Number of primitives that the tree was built over.
        primitives: u32,
    },
    /// The children of a node are not where depth-first order puts them.
    #[error("the children of node {node} start at {found}, but depth-first order puts them at {expected}")]
    Order {
        /// Index of the inner node.
        node: u32,
        /// Index of the first child that the node stores.
        found: u32,
        /// Index of the first child by depth-first order.
        expected: usize,
    },
    /// Some nodes cannot be reached from the root.
    #[error("the tree has {nodes} nodes, but only {reached} can be reached from the root")]
    Unreachable {
        /// Number of nodes in the tree.
        nodes: usize,
        /// Number of nodes that can be reached from the root.
        reached: usize,
    },
    /// A node's box has a bound that is NaN or infinite, or is inside out.
    #[error("the box of node {node} is empty or not finite")]
    Box {
        /// Index of the node with the faulty box.
        node: u32,
    },
    /// A child's box is not inside its parent's box.
    #[error("the box of node {child} sticks out of that of its parent {parent}")]
    ChildSticksOut {
        /// Index of the parent node.
        parent: u32,
        /// Index of the child node, whose box sticks out.
        child: u32,
    },
    /// A leaf's references reach past the end of the list.
    #[error("leaf {node} uses references {first} to {end}, but there are {references}")]
    LeafRange {
        /// Index of the leaf that reaches too far.
        node: u32,
        /// Index of the leaf's first reference.
        first: u32,
        /// Index one past the leaf's last reference.
        end: u64,
        /// Number of references in the tree.
        references: usize,
    },
    /// Two leaves share a reference.
    #[error("reference {reference} belongs to leaf {node} and to another")]
    LeavesOverlap {
        /// Index of the later leaf in node order.
        node: u32,
        /// Index of the shared reference.
        reference: usize,
    },
    /// A reference belongs to no leaf.
    #[error("reference {reference} belongs to no leaf")]
    ReferenceUnused {
        /// Index of the reference that no leaf has.
        reference: usize,
    },
    /// A reference names a primitive that does not exist.
    #[error("reference {reference} is to primitive {primitive}, but there are {primitives}")]
    PrimitiveRange {
        /// Index of the faulty reference.
        reference: usize,
        /// Index of the primitive that the reference names.
        primitive: u32,
        /// Number of primitives that the tree was built over.
        primitives: u32,
    },
    /// A leaf holds a primitive twice.
    #[error("leaf {node} holds primitive {primitive} twice")]
    Repeated {
        /// Index of the leaf that holds a primitive twice.
        node: u32,
        /// Index of the repeated primitive.
        primitive: u32,
    },
    /// A primitive is in no leaf.
    #[error("primitive {primitive} is in no leaf")]
    Missing {
        /// Index of the primitive that no leaf holds.
        primitive: u32,
    },
    /// The boxes of a primitive's leaves do not cover all of it.
    #[error("the boxes of the leaves with primitive {primitive} do not reach around it")]
    NotCovered {
        /// Index of the primitive that its leaves do not cover.
        primitive: u32,
    },
}

impl Bvh2 {
    /// Checks every invariant of the tree against the triangles that it was built over. It takes O(nodes + references)
    /// time and some 24 bytes a primitive.
    ///
    /// Of a primitive with several references, it checks that their leaves' boxes together reach as
    /// far as the triangle does in each direction (a necessary condition; for a single reference it
    /// means that the leaf's box holds the triangle).
    ///
    /// # Errors
    /// The first violation found.
    pub fn validate(&self, triangles: &FlatTriangles) -> Result<(), InvalidBvh> {
        let primitives = self.primitive_count;
        if primitives as usize != triangles.len() {
            return Err(InvalidBvh::PrimitiveCount { tree: primitives, triangles: triangles.len() });
        }
        if self.nodes.is_empty() != (primitives == 0) {
            return Err(InvalidBvh::Emptiness { nodes: self.nodes.len(), primitives });
        }
        self.check_nodes()?;
        self.check_leaves()?;
        self.check_cover(triangles)
    }

    /// Checks the nodes' boxes and their depth-first order.
    fn check_nodes(&self) -> Result<(), InvalidBvh> {
        let mut expected = usize::from(!self.nodes.is_empty());
        let mut stack: Vec<u32> = (0..expected as u32).collect();
        while let Some(i) = stack.pop() {
            let node = &self.nodes[i as usize];
            let Aabb { min, max } = node.bounds;
            if node.bounds.is_empty() || !min.iter().chain(&max).all(|x| x.is_finite()) {
                return Err(InvalidBvh::Box { node: i });
            }
            if node.is_leaf() {
                continue;
            }
            // The next free pair: all pairs of earlier subtrees are taken, since the left child is
            // worked off before the right one.
            let pair = self.nodes.get(expected..expected + 2).filter(|_| node.first as usize == expected);
            let Some(pair) = pair else {
                return Err(InvalidBvh::Order { node: i, found: node.first, expected });
            };
            for (child, place) in pair.iter().zip(node.first..) {
                if !node.bounds.contains(&child.bounds) {
                    // An empty or NaN child box is reported as such when it is visited.
                    return Err(InvalidBvh::ChildSticksOut { parent: i, child: place });
                }
            }
            stack.extend([node.first + 1, node.first]);
            expected += 2;
        }
        if expected == self.nodes.len() {
            Ok(())
        } else {
            Err(InvalidBvh::Unreachable { nodes: self.nodes.len(), reached: expected })
        }
    }

    /// Checks the leaves' ranges of references and the primitives in them.
    fn check_leaves(&self) -> Result<(), InvalidBvh> {
        let mut used = vec![false; self.references.len()];
        // The leaf that last held a primitive, plus one.
        let mut last_leaf = vec![0u32; self.primitive_count as usize];
        for (i, node) in self.leaves() {
            let end = u64::from(node.first) + u64::from(node.count);
            if end > self.references.len() as u64 {
                let references = self.references.len();
                return Err(InvalidBvh::LeafRange { node: i, first: node.first, end, references });
            }
            let range = node.first as usize..end as usize;
            for (reference, used) in range.clone().zip(&mut used[range]) {
                if std::mem::replace(used, true) {
                    return Err(InvalidBvh::LeavesOverlap { node: i, reference });
                }
                let primitive = self.references[reference];
                let Some(last) = last_leaf.get_mut(primitive as usize) else {
                    let primitives = self.primitive_count;
                    return Err(InvalidBvh::PrimitiveRange { reference, primitive, primitives });
                };
                if std::mem::replace(last, i + 1) == i + 1 {
                    return Err(InvalidBvh::Repeated { node: i, primitive });
                }
            }
        }
        if let Some(reference) = used.iter().position(|used| !used) {
            return Err(InvalidBvh::ReferenceUnused { reference });
        }
        match last_leaf.iter().position(|&last| last == 0) {
            Some(primitive) => Err(InvalidBvh::Missing { primitive: primitive as u32 }),
            None => Ok(()),
        }
    }

    /// Checks that the leaves' boxes cover every primitive.
    fn check_cover(&self, triangles: &FlatTriangles) -> Result<(), InvalidBvh> {
        let mut reach = vec![Aabb::EMPTY; self.primitive_count as usize];
        for (_, node) in self.leaves() {
            for &primitive in &self.references[node.first as usize..][..node.count as usize] {
                let reach = &mut reach[primitive as usize];
                *reach = reach.union(&node.bounds);
            }
        }
        match (0..reach.len()).find(|&i| !reach[i].contains(&triangles.aabb(i))) {
            Some(primitive) => Err(InvalidBvh::NotCovered { primitive: primitive as u32 }),
            None => Ok(()),
        }
    }

    fn leaves(&self) -> impl Iterator<Item = (u32, &Node)> {
        (0..).zip(&self.nodes).filter(|(_, node)| node.is_leaf())
    }
}
