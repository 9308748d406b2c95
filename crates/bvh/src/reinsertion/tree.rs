//! A tree that can be changed: nodes keep their places in pairs, but in no order.

use crate::build::{Areas, Hierarchy};
use crate::parallel;
use crate::reference::Bounds;
use crate::watch::{Stopped, Watch};
use crate::{Bvh2, Node};

/// Position of a node in the arrays of a [`Tree`]. The places of siblings are 2 k + 1 and 2 k + 2; the root's is 0.
pub(super) type Place = u32;

/// Node's data apart from its box: its children or references, and its height.
#[derive(Debug, Clone, Copy)]
struct Content {
    /// Index of the first child or reference, as [`Node::first`]; the count follows, as [`Node::count`].
    first: u32,
    count: u32,
    /// Number of edges down to the deepest leaf.
    height: u32,
}

/// Editable copy of a [`Bvh2`], with links from each node to its parent.
#[derive(Debug, Clone)]
pub(super) struct Tree<'a> {
    bounds: Vec<Bounds>,
    contents: Vec<Content>,
    /// Position of each node's parent; for the root, its own.
    parents: Vec<Place>,
    pub(super) references: &'a [u32],
    inner_area: f64,
    pub(super) areas: Areas,
}

impl<'a> Tree<'a> {
    /// Makes an editable copy of `bvh`, which has at least one node.
    pub(super) fn new(bvh: &'a Bvh2, watch: &Watch<'_>) -> Result<Self, Stopped> {
        let box_of = |node: &Node| Bounds { min: node.bounds.min.into(), max: node.bounds.max.into() };
        let content = |node: &Node| Content { first: node.first, count: node.count, height: 0 };
        let bounds = parallel::map(watch, bvh.nodes.len(), &|i| box_of(&bvh.nodes[i]))?;
        let mut tree = Self {
            areas: Areas::within(bounds[0]),
            contents: parallel::map(watch, bvh.nodes.len(), &|i| content(&bvh.nodes[i]))?,
            parents: vec![0; bounds.len()],
            references: &bvh.references,
            inner_area: 0.0,
            bounds,
        };
        // A child stands after its parent in the canonical order.
        for place in (0..tree.bounds.len() as u32).rev() {
            watch.look_at(place as usize)?;
            if let Some(children) = tree.children(place) {
                for child in children {
                    tree.parents[child as usize] = place;
                }
                tree.contents[place as usize].height = tree.height_over(children);
                // A box may be larger than what is below it; the search relies on none being so.
                tree.bounds[place as usize] = tree.bounds(children[0]).union(tree.bounds(children[1]));
                tree.inner_area += tree.area(place);
            }
        }
        Ok(tree)
    }

    /// Returns the number of node positions.
    pub(super) fn len(&self) -> usize {
        self.bounds.len()
    }

    #[inline]
    pub(super) fn bounds(&self, place: Place) -> Bounds {
        self.bounds[place as usize]
    }

    #[inline]
    pub(super) fn parent(&self, place: Place) -> Place {
        self.parents[place as usize]
    }

    /// Returns the position of the node's sibling. Not of the root.
    #[inline]
    pub(super) fn sibling(place: Place) -> Place {
        ((place - 1) ^ 1) + 1
    }

    /// Returns the positions of the two children; `None` for a leaf.
    #[inline]
    pub(super) fn children(&self, place: Place) -> Option<[Place; 2]> {
        let Content { first, count, .. } = self.contents[place as usize];
        (count == 0).then_some([first, first + 1])
    }

    /// Returns the number of edges from the root down to `place`; `None` if the path passes through `other`.
    fn depth_avoiding(&self, place: Place, other: Place) -> Option<u32> {
        let (mut at, mut depth) = (place, 0);
        while at != 0 {
            if at == other {
                return None;
            }
            at = self.parent(at);
            depth += 1;
        }
        Some(depth)
    }

    fn height_over(&self, children: [Place; 2]) -> u32 {
        let [left, right] = children.map(|child| self.contents[child as usize].height);
        1 + left.max(right)
    }

    /// Returns `true` if `node` can become the sibling of `target` without a cycle and with no leaf deeper than
    /// `max_depth`. It cannot if `target` is below it, or if a leaf would come to stand more than `max_depth` edges
    /// below the root.
    pub(super) fn can_move(&self, node: Place, target: Place, max_depth: u32) -> bool {
        let deepest = self.height_over([node, target]);
        self.depth_avoiding(target, node).is_some_and(|depth| depth + deepest <= max_depth)
    }

    /// Moves `node` so that it becomes the sibling of `target` below a new parent; its old sibling takes its old
    /// parent's position. Boxes above both places are fitted again.
    ///
    /// `target` is not the root, not `node`, its sibling or parent, and not below `node`.
    pub(super) fn reinsert(&mut self, node: Place, target: Place) {
        let (parent, sibling) = (self.parent(node), Self::sibling(node));
        let above = self.parent(parent);
        // A node less here, and one more there, which has the target's area until it is fitted.
        self.inner_area += self.area(target) - self.area(parent);
        self.copy(sibling, parent);
        // The pair of `node` is free for the new parent's children, and `node` is in it already.
        self.copy(target, sibling);
        self.contents[target as usize] = Content { first: node.min(sibling), count: 0, height: 0 };
        self.parents[node as usize] = target;
        self.parents[sibling as usize] = target;
        // Where the target was above the parent, it now stands in the sibling's place, and so the way up from
        // `above` still leads through it. Where it was `above` itself, that place has new children.
        let from = if above == target { sibling } else { above };
        if parent != 0 {
            self.fit_upwards(from);
        }
        self.fit_upwards(target);
    }

    /// Moves `node` as [`Tree::reinsert`] does, but only if that reduces the sum of inner nodes' areas; returns `true`
    /// if it did.
    pub(super) fn reinsert_if_better(&mut self, node: Place, target: Place) -> bool {
        let (parent, area) = (self.parent(node), self.inner_area);
        self.reinsert(node, target);
        let better = self.inner_area < area;
        if !better {
            self.take_back(node, target, parent);
            self.inner_area = area;
        }
        better
    }

    /// Undoes [`Tree::reinsert`]; `parent` is the position of the parent that `node` had before.
    fn take_back(&mut self, node: Place, target: Place, parent: Place) {
        let sibling = Self::sibling(node);
        self.copy(sibling, target);
        self.copy(parent, sibling);
        self.contents[parent as usize] = Content { first: node.min(sibling), count: 0, height: 0 };
        self.parents[node as usize] = parent;
        self.parents[sibling as usize] = parent;
        self.fit_upwards(parent);
        self.fit_upwards(self.parent(target));
    }

    /// Copies the node at position `from` to the position `to`, with its children's links.
    fn copy(&mut self, from: Place, to: Place) {
        self.bounds[to as usize] = self.bounds(from);
        self.contents[to as usize] = self.contents[from as usize];
        for child in self.children(to).into_iter().flatten() {
            self.parents[child as usize] = to;
        }
    }

    /// Updates boxes and heights from an inner node upwards, until nothing changes.
    fn fit_upwards(&mut self, mut place: Place) {
        while let Some(children) = self.children(place) {
            let bounds = self.bounds(children[0]).union(self.bounds(children[1]));
            let height = self.height_over(children);
            let content = &mut self.contents[place as usize];
            if height == content.height && bounds == self.bounds[place as usize] {
                return;
            }
            content.height = height;
            self.inner_area -= self.area(place);
            self.bounds[place as usize] = bounds;
            self.inner_area += self.area(place);
            if place == 0 {
                return;
            }
            place = self.parent(place);
        }
    }

    /// Returns the sum of the inner nodes' half areas in the units of [`Tree::areas`]: the part of the cost that moves
    /// change.
    pub(super) fn inner_area(&self) -> f64 {
        self.inner_area
    }

    fn area(&self, place: Place) -> f64 {
        f64::from(self.areas.half_area(self.bounds(place)))
    }
}

/// Tree that is no longer edited, with the number of references below each node.
pub(super) struct Settled<'a> {
    tree: Tree<'a>,
    sizes: Vec<u32>,
}

impl<'a> Settled<'a> {
    pub(super) fn new(tree: Tree<'a>, watch: &Watch<'_>) -> Result<Self, Stopped> {
        let mut sizes = parallel::map(watch, tree.contents.len(), &|place| tree.contents[place].count)?;
        // Parents before children; in reverse, each is complete when it is added to its parent.
        let mut order = Vec::with_capacity(tree.len() / 2);
        let mut stack = vec![0];
        while let Some(place) = stack.pop() {
            if let Some(children) = tree.children(place) {
                watch.look_at(order.len())?;
                order.push(place);
                stack.extend(children);
            }
        }
        for (step, &place) in order.iter().rev().enumerate() {
            watch.look_at(step)?;
            let [left, right] = tree.children(place).unwrap_or_default();
            sizes[place as usize] = sizes[left as usize] + sizes[right as usize];
        }
        Ok(Self { tree, sizes })
    }
}

impl Hierarchy for Settled<'_> {
    type Node = Place;

    fn size(&self, place: Place) -> usize {
        self.sizes[place as usize] as usize
    }

    fn children(&self, place: Place) -> Option<[Place; 2]> {
        self.tree.children(place)
    }

    fn leaf_bounds(&self, leaf: Place) -> Bounds {
        self.tree.bounds(leaf)
    }

    fn leaf_primitives(&self, leaf: Place) -> impl Iterator<Item = u32> {
        let Content { first, count, .. } = self.tree.contents[leaf as usize];
        self.tree.references[first as usize..][..count as usize].iter().copied()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::tests::needles;
    use super::*;
    use crate::{Builder, MAX_DEPTH};

    impl Tree<'_> {
        /// Checks that the boxes, heights, links and areas agree with the leaves, and that no leaf is deeper than
        /// `max_depth`.
        #[track_caller]
        pub(in crate::reinsertion) fn check(&self, max_depth: u32) {
            let mut seen = vec![0; self.len()];
            let (_, height, area) = self.check_below(0, &mut seen);
            assert!(height <= max_depth, "a leaf {height} edges below the root");
            assert!(seen.iter().all(|&count| count == 1), "places that are reached other than once");
            assert!((self.inner_area - area).abs() < 1e-6 * area, "area {} is {area}", self.inner_area);
        }

        /// Checks the nodes below `place` and returns their box, height and the sum of inner areas.
        #[track_caller]
        fn check_below(&self, place: Place, seen: &mut [u32]) -> (Bounds, u32, f64) {
            seen[place as usize] += 1;
            assert_eq!(seen[place as usize], 1, "place {place} is reached twice");
            let content = self.contents[place as usize];
            let Some(children) = self.children(place) else { return (self.bounds(place), content.height, 0.0) };
            assert_eq!(children.map(|child| self.parent(child)), [place; 2]);
            let [left, right] = children.map(|child| self.check_below(child, seen));
            let (bounds, height) = (left.0.union(right.0), 1 + left.1.max(right.1));
            assert_eq!((self.bounds(place), content.height), (bounds, height), "place {place}");
            (bounds, height, left.2 + right.2 + f64::from(self.areas.half_area(bounds)))
        }
    }

    /// Returns every pair of a node and a target that a move may have.
    pub(in crate::reinsertion) fn possible_moves(tree: &Tree<'_>) -> Vec<[Place; 2]> {
        let places = 1..tree.len() as u32;
        let pairs = places.clone().flat_map(|node| places.clone().map(move |target| [node, target]));
        let fits = |&[node, target]: &[Place; 2]| {
            ![node, Tree::sibling(node), tree.parent(node)].contains(&target) && tree.can_move(node, target, u32::MAX)
        };
        pairs.filter(fits).collect()
    }

    #[test]
    fn every_possible_move_leaves_a_sound_tree() {
        let bvh = needles(24, Builder::Lbvh);
        let tree = Tree::new(&bvh, &Watch::nothing()).unwrap();
        tree.check(MAX_DEPTH);
        let moves = possible_moves(&tree);
        assert!(moves.len() > 300);
        for [node, target] in moves {
            let mut moved = tree.clone();
            moved.reinsert(node, target);
            moved.check(MAX_DEPTH);
            assert_eq!(moved.parent(node), target);
        }
    }

    #[test]
    fn moves_that_do_not_pay_are_taken_back() {
        let bvh = needles(24, Builder::Lbvh);
        let tree = Tree::new(&bvh, &Watch::nothing()).unwrap();
        let (mut made, mut refused) = (0, 0);
        for [node, target] in possible_moves(&tree) {
            let mut moved = tree.clone();
            if moved.reinsert_if_better(node, target) {
                assert!(moved.inner_area() < tree.inner_area());
                made += 1;
            } else {
                assert_eq!(moved.inner_area().to_bits(), tree.inner_area().to_bits());
                assert_eq!((&moved.parents, &moved.bounds), (&tree.parents, &tree.bounds), "{node} to {target}");
                refused += 1;
            }
            moved.check(MAX_DEPTH);
        }
        assert!(made > 10 && refused > 10, "{made} made, {refused} refused");
    }

    #[test]
    fn moves_never_lead_below_themselves_or_too_deep() {
        let bvh = needles(60, Builder::Lbvh);
        let mut tree = Tree::new(&bvh, &Watch::nothing()).unwrap();
        let limit = tree.contents[0].height;
        let moves = possible_moves(&tree);
        // Moves that were fine in the first tree need not be in the later ones.
        let mut refused = 0;
        for [node, target] in moves.into_iter().step_by(7) {
            let stays = [node, Tree::sibling(node), tree.parent(node)].contains(&target);
            if stays || !tree.can_move(node, target, limit) {
                refused += 1;
                continue;
            }
            tree.reinsert(node, target);
            tree.check(limit);
        }
        assert!(refused > 10);
    }
}
