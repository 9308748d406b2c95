//! Code that encodings share whose nodes hold a box, a reference and a count for each child: writing them, the stack
//! that a walk needs, and the invariants.
//!
//! Invariants ([`validate`] checks each):
//! - node 0 is the root; any other node has one parent, which stands before it;
//! - a child is a node (count 0), or a leaf: its first record and how many;
//! - a child's box holds the boxes of its own children as they were before they were rounded outwards, where they are,
//!   and the tree's box those of the root;
//! - every record is in one leaf, and its slot holds the index of a triangle and its flag;
//! - used children come first, and there are at least two, but for the root of a tree that is one leaf;
//! - an unused child holds [`NO_CHILD`], count 0 and an empty box.
//!
//! A box test that tells near from far planes by the sign of the direction never hits an empty box. One
//! that orders the two distances by size (AL09, ALK12) always does, and must look at the reference.

use crate::pull_up::PullUp;
use crate::{INDEX_MASK, LayoutError, NO_CHILD, NON_OPAQUE, RecordFault};
use raywarp_bvh::Bvh2;
use raywarp_geom::{Aabb, FlatTriangles};

/// Child of a node in a form common to all encodings: its box, and a node or leaf.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Child {
    pub bounds: Aabb,
    /// Index of the child's node or of the leaf's first triangle record, or [`NO_CHILD`].
    pub child: u32,
    /// Number of triangle records of a leaf; 0 for a node or no child.
    pub count: u32,
}

impl Child {
    /// Value that marks an unused slot of a node.
    pub const NONE: Self = Self { bounds: Aabb::EMPTY, child: NO_CHILD, count: 0 };

    pub fn is_used(&self) -> bool {
        self.child != NO_CHILD
    }

    /// Returns the index of the child's node; `None` for a leaf or no child.
    pub fn node(&self) -> Option<usize> {
        (self.count == 0 && self.is_used()).then_some(self.child as usize)
    }
}

/// View of an encoded tree's nodes, common to encodings that store them differently.
pub(crate) trait NodeTable {
    /// Returns the number of nodes.
    fn node_count(&self) -> usize;

    /// Returns the number of child slots of a node.
    fn branching(&self) -> usize;

    /// Returns the child in slot `slot` of node `node`, both in range.
    fn child(&self, node: usize, slot: usize) -> Child;

    /// Returns the least box that the child's exact box is known to have filled before it was rounded outwards. It is
    /// all of the child's box, but where an encoding rounds it; plane by plane, so that on a flat axis the lower plane
    /// may be above the upper one.
    fn known_bounds(&self, node: usize, slot: usize) -> Aabb {
        self.child(node, slot).bounds
    }

    /// Returns the children in all slots of a node, used or not.
    fn children(&self, node: usize) -> impl Iterator<Item = Child> {
        (0..self.branching()).map(move |slot| self.child(node, slot))
    }
}

/// Nodes of a wide tree to be encoded, each with its used children, in depth-first order.
#[derive(Default)]
pub(crate) struct Plan {
    children: Vec<Child>,
    /// End of each node's range in the list of children; it begins where that of the node before ends.
    ends: Vec<usize>,
}

impl Plan {
    /// Plans the wide nodes by the rule `pull_up`; a tree that is one leaf gets a root. O(nodes).
    pub fn new(bvh: &Bvh2, pull_up: &PullUp) -> Self {
        let mut plan = Self::default();
        let mut children = Vec::new();
        // Nodes to be made, each with the entry of `plan.children` that waits for its index.
        let mut waiting: Vec<(usize, Option<usize>)> = Vec::new();
        if !bvh.nodes.is_empty() {
            waiting.push((0, None));
        }
        while let Some((source, parent)) = waiting.pop() {
            if let Some(parent) = parent {
                plan.children[parent].child = plan.ends.len() as u32;
            }
            let first = plan.children.len();
            pull_up.children(source, &mut children);
            plan.children.extend(children.iter().map(|&child| {
                let node = &bvh.nodes[child];
                let child = if node.is_leaf() { node.first } else { 0 };
                Child { bounds: node.bounds, child, count: node.count }
            }));
            plan.ends.push(plan.children.len());
            // Pushed backwards, so that nodes come depth first.
            for (i, &child) in children.iter().enumerate().rev().filter(|&(_, &child)| !bvh.nodes[child].is_leaf()) {
                waiting.push((child, Some(first + i)));
            }
        }
        plan
    }

    /// Returns the used children of each node, in the order of nodes.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = &[Child]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| &self.children[std::mem::replace(&mut start, end)..end])
    }
}

/// Returns the triangle index with its [`NON_OPAQUE`] flag for each triangle record, leaf by leaf.
pub(crate) fn slots(bvh: &Bvh2, triangles: &FlatTriangles) -> Vec<u32> {
    let flag = |r: u32| if triangles.opaque[r as usize] { 0 } else { NON_OPAQUE };
    bvh.references.iter().map(|&r| r | flag(r)).collect()
}

/// Returns the largest number of stack entries of a traversal that pushes all hit children but one, whichever, and goes
/// on with that one. O(nodes).
pub(crate) fn stack_depth(table: &impl NodeTable) -> usize {
    let mut needs = vec![0usize; table.node_count()];
    for node in (0..needs.len()).rev() {
        let (mut used, mut below) = (0usize, 0);
        for child in table.children(node).filter(Child::is_used) {
            used += 1;
            below = below.max(child.node().and_then(|child| needs.get(child)).copied().unwrap_or(0));
        }
        needs[node] = used.saturating_sub(1) + below;
    }
    needs.first().copied().unwrap_or(0)
}

/// Checks every invariant stated at the head of this module, and that `depth` is the stack depth. O(n).
///
/// # Errors
/// [`LayoutError::BadRecord`] with the first that is broken.
pub(crate) fn validate(table: &impl NodeTable, slots: &[u32], bounds: &Aabb, depth: usize) -> Result<(), LayoutError> {
    let mut has_parent = vec![false; table.node_count()];
    let mut in_leaf = vec![false; slots.len()];
    let holds = |bounds: &Aabb, known: &Aabb| {
        (0..3).all(|axis| bounds.min[axis] <= known.min[axis] && known.max[axis] <= bounds.max[axis])
    };
    let holds_children =
        |bounds: &Aabb, node| (0..table.branching()).all(|slot| holds(bounds, &table.known_bounds(node, slot)));
    for record in 0..table.node_count() {
        let fault = |fault| Err(LayoutError::BadRecord { record, fault });
        let used = table.children(record).take_while(Child::is_used).count();
        if table.children(record).skip(used).any(|child| child != Child::NONE) {
            return fault(RecordFault::UnusedChild);
        }
        let is_one_leaf = used == 1 && table.node_count() == 1 && table.child(0, 0).count > 0;
        if used < 2 && !is_one_leaf {
            return fault(RecordFault::FewChildren);
        }
        for Child { bounds, child, count } in table.children(record).take(used) {
            let first = child as usize;
            if count == 0 {
                if first <= record || first >= has_parent.len() || std::mem::replace(&mut has_parent[first], true) {
                    return fault(RecordFault::ChildOrderOrParents);
                }
                if !holds_children(&bounds, first) {
                    return fault(RecordFault::ChildBox);
                }
            } else {
                let Some(leaf) = in_leaf.get_mut(first..first + count as usize) else {
                    return fault(RecordFault::LeafRange);
                };
                if leaf.iter_mut().any(|seen| std::mem::replace(seen, true)) {
                    return fault(RecordFault::SharedRecord);
                }
            }
        }
    }
    let fault = |record, fault| Err(LayoutError::BadRecord { record, fault });
    if has_parent.iter().skip(1).any(|&seen| !seen) || in_leaf.iter().any(|&seen| !seen) {
        return fault(0, RecordFault::Unreached);
    }
    if table.node_count() > 0 && !holds_children(bounds, 0) {
        return fault(0, RecordFault::TreeBox);
    }
    // An index of all ones marks an unused slot elsewhere.
    if let Some(record) = slots.iter().position(|slot| slot & !NON_OPAQUE >= INDEX_MASK) {
        return fault(record, RecordFault::TriangleIndex);
    }
    if depth != stack_depth(table) {
        return fault(0, RecordFault::StackDepth);
    }
    Ok(())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use raywarp_bvh::{BuildOptions, build};

    /// Node table in which the test [`notices_damage`] can plant faults.
    pub(crate) trait Damageable: NodeTable + Clone {
        fn set_child(&mut self, node: usize, slot: usize, child: Child);
        /// Returns mutable access to slots, bounding box and stack depth.
        fn rest(&mut self) -> (&mut Vec<u32>, &mut Aabb, &mut usize);
        fn check(&self) -> Result<(), LayoutError>;
    }

    /// Makes a row of `count` triangles and a tree over them.
    pub(crate) fn row_of_triangles(count: usize) -> (Bvh2, FlatTriangles) {
        let corner = |i: usize| [i as f32, (i * i % 7) as f32, (i * 3 % 5) as f32];
        let triangles =
            FlatTriangles::from_vertices((0..count).map(|i| [corner(i), corner(i + 1), corner(i + 2)]).collect());
        let bvh = build(&triangles, &BuildOptions { max_leaf: 2, ..BuildOptions::default() }).unwrap();
        (bvh, triangles)
    }

    /// Asserts that validation accepts `sound`, an encoding of `row_of_triangles(500)`, and detects each kind of fault
    /// planted in it.
    #[track_caller]
    pub(crate) fn notices_damage<T: Damageable>(sound: &T) {
        assert_eq!(sound.check(), Ok(()));
        let branching = sound.branching();
        let places = || (0..sound.node_count()).flat_map(move |node| (0..branching).map(move |slot| (node, slot)));
        let at = |(node, slot)| sound.child(node, slot);
        let inner = places().find(|&place| at(place).node().is_some()).expect("it has inner nodes");
        let other_inner = places().filter(|&place| at(place).node().is_some()).nth(1).expect("it has many");
        let leaves: Vec<_> = places().filter(|&place| at(place).count > 0).take(2).collect();
        let edit = |tree: &mut T, place: (usize, usize), edit: &dyn Fn(&mut Child)| {
            let mut child = tree.child(place.0, place.1);
            edit(&mut child);
            tree.set_child(place.0, place.1, child);
        };
        let put = |tree: &mut T, place: (usize, usize), child: Child| tree.set_child(place.0, place.1, child);
        let leaf = |tree: &mut T, new: &dyn Fn(&mut Child)| edit(tree, leaves[0], new);
        let nodes = sound.node_count() as u32;
        type Damage<'a, T> = (&'a str, RecordFault, &'a dyn Fn(&mut T));
        let damages: &[Damage<T>] = &[
            ("a cycle", RecordFault::ChildOrderOrParents, &|t| edit(t, inner, &|c| c.child = inner.0 as u32)),
            ("a node out of range", RecordFault::ChildOrderOrParents, &|t| edit(t, inner, &|c| c.child = nodes)),
            ("two parents", RecordFault::ChildOrderOrParents, &|t| {
                edit(t, other_inner, &|c| c.child = at(inner).child);
            }),
            ("a shrunken box", RecordFault::ChildBox, &|t| edit(t, inner, &|c| c.bounds.max[0] = c.bounds.min[0])),
            ("a leaf out of range", RecordFault::LeafRange, &|t| leaf(t, &|c| c.child = 500)),
            ("a leaf past the end", RecordFault::LeafRange, &|t| leaf(t, &|c| (c.child, c.count) = (499, 2))),
            ("a shared record", RecordFault::SharedRecord, &|t| leaf(t, &|c| c.child = at(leaves[1]).child)),
            ("a lost record", RecordFault::Unreached, &|t| t.rest().0.push(0)),
            ("a lost node", RecordFault::Unreached, &|t| {
                t.rest().0.push(0);
                edit(t, inner, &|c| (c.child, c.count) = (500, 1));
            }),
            ("no child", RecordFault::FewChildren, &|t| (0..branching).for_each(|slot| put(t, (0, slot), Child::NONE))),
            ("one child", RecordFault::FewChildren, &|t| {
                (1..branching).for_each(|slot| put(t, (0, slot), Child::NONE));
            }),
            ("a gap", RecordFault::UnusedChild, &|t| put(t, (0, 0), Child::NONE)),
            ("a root's box too small", RecordFault::TreeBox, &|t| t.rest().1.max[0] = 0.0),
            ("an unused triangle index", RecordFault::TriangleIndex, &|t| t.rest().0[3] = INDEX_MASK),
            ("a stray bit in a slot", RecordFault::TriangleIndex, &|t| t.rest().0[3] |= 1 << 30),
            ("a stack too small", RecordFault::StackDepth, &|t| *t.rest().2 -= 1),
        ];
        for (what, expected, damage) in damages {
            let mut tree = sound.clone();
            damage(&mut tree);
            let found = tree.check().expect_err(what);
            assert!(matches!(found, LayoutError::BadRecord { fault, .. } if fault == *expected), "{what}: {found}");
        }
        // Damage to an unused slot, where there is one.
        if let Some(unused) = places().find(|&place| !at(place).is_used()) {
            let damages: [&dyn Fn(&mut Child); 3] =
                [&|c| c.count = 1, &|c| c.bounds.min[1] = 0.0, &|c| *c = at(leaves[0])];
            for damage in damages {
                let mut tree = sound.clone();
                edit(&mut tree, unused, damage);
                assert!(tree.check().is_err());
            }
        }
    }

    /// Returns the largest number of stack entries of a traversal that goes on with the child which `choose` picks, and
    /// pops last in, first out.
    fn deepest_walk(table: &impl NodeTable, mut choose: impl FnMut(&[Child]) -> usize) -> usize {
        let (mut stack, mut deepest) = (Vec::new(), 0);
        let mut current = (table.node_count() > 0).then_some(0);
        while let Some(node) = current {
            let mut children: Vec<Child> = table.children(node).filter(Child::is_used).collect();
            let next = children.remove(choose(&children));
            stack.extend(children);
            deepest = deepest.max(stack.len());
            let mut next = Some(next);
            while next.is_some_and(|child| child.node().is_none()) {
                next = stack.pop();
            }
            current = next.and_then(|child| child.node());
        }
        deepest
    }

    /// Asserts that a stack of `depth` entries suffices for any traversal and that the worst one fills it.
    #[track_caller]
    pub(crate) fn stack_depth_is_exact(table: &impl NodeTable, depth: usize) {
        // By recursion, apart from the code under test: what a child needs before anything is popped.
        fn need(table: &impl NodeTable, child: &Child) -> usize {
            let Some(node) = child.node() else { return 0 };
            let children: Vec<Child> = table.children(node).filter(Child::is_used).collect();
            children.len() - 1 + children.iter().map(|child| need(table, child)).max().unwrap()
        }
        let neediest = |children: &[Child]| {
            (0..children.len()).max_by_key(|&i| need(table, &children[i])).expect("a node has children")
        };
        assert_eq!(deepest_walk(table, neediest), depth);
        let mut random = raywarp_testing::Random::new(1);
        for _ in 0..20 {
            assert!(deepest_walk(table, |children| random.below(children.len())) <= depth);
        }
    }
}
