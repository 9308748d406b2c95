//! Chooses the nodes of a `Bvh2` that become the children of a wide node, and the subtrees that become one leaf.
//!
//! Source: Ylitie, Karras, Laine 2017, section 4.1: dynamic programming over the cost of showing a
//! subtree as at most `i` roots, which finds the wide tree of least SAH cost for the given binary
//! tree. Departures: the cost of a leaf counts blocks, not triangles, where SIMD tests a block at
//! once ([`LeafRule`]); and areas are scaled where they would leave the range of f32.

use crate::LayoutError;
use rayon::prelude::*;
use raywarp_bvh::Bvh2;
use raywarp_geom::{Aabb, Control};
use std::sync::atomic::{AtomicU32, Ordering};

/// Largest number of children of a wide node.
pub(crate) const WIDTH: usize = 8;

/// Rule for leaves of the wide tree: cost of a leaf, and the largest subtree that may be merged into one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LeafRule {
    /// Largest number of references of a subtree that may be merged into one leaf.
    pub merged: u32,
    /// Number of triangles that are tested at once.
    pub block: u32,
    /// Cost of testing a block of triangles, relative to 1 for visiting a node.
    pub block_cost: f32,
}

/// Least costs of a node when it is represented by at most 1, 2, ... 7 roots.
type Costs = [f32; WIDTH - 1];

/// What is known of a node once everything below it was looked at: its least costs, all the same for a leaf of the
/// binary tree, and the number of references below it.
#[derive(Debug, Clone, Copy)]
struct Below {
    costs: Costs,
    count: u32,
}

/// Choices of the plan at an inner node, in bits: [`Choice::LEAF`]; from bit 1 on, for 2 to 7 roots, whether one root
/// less costs the same; from bit 8 on, three bits for 2 to 8 roots, how many of them the left child gets; from bit 29
/// on, the number of references of what becomes a leaf.
#[derive(Debug, Clone, Copy)]
struct Choice(u32);

impl Choice {
    /// The subtree becomes one leaf.
    const LEAF: u32 = 1;
    /// Largest number of references that can be merged into a leaf.
    const MOST_MERGED: u32 = 7;

    fn is_leaf(self) -> bool {
        self.0 & Self::LEAF != 0
    }

    /// Returns the number of references of a leaf.
    fn count(self) -> usize {
        (self.0 >> 29) as usize
    }

    /// Returns `true` if one root less than `roots` costs the same; `roots` is 2 to 7.
    fn takes_less(self, roots: usize) -> bool {
        self.0 >> (roots - 1) & 1 != 0
    }

    /// Returns the number of roots that the left child gets of `roots`, which is 2 to 8.
    fn left(self, roots: usize) -> usize {
        (self.0 >> (2 + 3 * roots) & 7) as usize
    }
}

/// Plan by which a binary tree becomes a wide one of least cost (Ylitie, Karras and Laine 2017).
pub(crate) struct Collapse<'a> {
    bvh: &'a Bvh2,
    rule: LeafRule,
    /// `true` for each node whose subtree may become one leaf; `None` if every small enough one may.
    mergeable: Option<&'a [bool]>,
    /// Power of two by which lengths are multiplied so that areas stay within the range of f32.
    scale: f32,
    /// Choices at each inner node, by the pair of its children: four bytes instead of the costs that led to them.
    /// Atomic, so that parts of a tree can be looked at in parallel whatever the order of its nodes.
    choices: Vec<AtomicU32>,
}

/// Number of nodes that one thread looks at alone.
const TASK: usize = 1 << 13;

/// Largest depth below the root at which a tree is still divided among threads; what is deeper is no better for it.
const DEEPEST: u32 = 64;

/// Part of a tree that may be divided among threads: a node, the index where the nodes below it end if nodes stand in
/// depth-first order (else it is anything, and only the division suffers), and its depth.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Span {
    pub node: usize,
    end: usize,
    depth: u32,
}

impl Span {
    /// Returns the whole of a tree that is not empty.
    pub fn whole(bvh: &Bvh2) -> Self {
        Self { node: 0, end: bvh.nodes.len(), depth: 0 }
    }

    /// Returns `true` if it is large enough to be divided.
    pub fn is_large(&self, bvh: &Bvh2) -> bool {
        let n = &bvh.nodes[self.node];
        !n.is_leaf() && self.depth < DEEPEST && self.end.saturating_sub(n.first as usize) > TASK
    }

    /// Returns the spans of nodes below this one, in depth-first order.
    pub fn below(&self, bvh: &Bvh2, nodes: &[u32]) -> Vec<Self> {
        let mut end = self.end;
        let mut spans = Vec::with_capacity(nodes.len());
        for &node in nodes.iter().rev() {
            spans.push(Self { node: node as usize, end, depth: self.depth + 1 });
            let n = &bvh.nodes[node as usize];
            if !n.is_leaf() {
                end = end.min(n.first as usize);
            }
        }
        spans.reverse();
        spans
    }
}

/// Children of a wide node, as nodes of the binary tree.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Children {
    nodes: [u32; WIDTH],
    count: u32,
}

impl Children {
    fn push(&mut self, node: usize) {
        self.nodes[self.count as usize] = node as u32;
        self.count += 1;
    }
}

impl std::ops::Deref for Children {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        &self.nodes[..self.count as usize]
    }
}

impl<'a> Collapse<'a> {
    /// Computes the least costs for every node of a sound tree, children before parents. O(n).
    pub fn new(bvh: &'a Bvh2, rule: LeafRule) -> Self {
        Self::of_leaves(bvh, rule, None)
    }

    /// Computes a plan as [`Collapse::new`] does, but merges only subtrees for which `mergeable` is `true` into leaves.
    pub fn of_leaves(bvh: &'a Bvh2, rule: LeafRule, mergeable: Option<&'a [bool]>) -> Self {
        Self::controlled(bvh, rule, mergeable, &Control::default()).expect("nobody can cancel it")
    }

    /// Computes a plan as [`Collapse::of_leaves`] does, in parallel, unless the caller cancels it.
    pub fn controlled(
        bvh: &'a Bvh2,
        rule: LeafRule,
        mergeable: Option<&'a [bool]>,
        control: &Control<'_>,
    ) -> Result<Self, LayoutError> {
        debug_assert!(rule.merged <= Choice::MOST_MERGED);
        let scale = bvh.nodes.first().map_or(1.0, |root| length_scale(&root.bounds));
        let none = |_| AtomicU32::new(0);
        // The root stands at 0, and pairs at all places behind it.
        let choices = (0..bvh.nodes.len() / 2 + 1).into_par_iter().with_min_len(TASK).map(none).collect();
        let plan = Self { bvh, rule, mergeable, scale, choices };
        if !bvh.nodes.is_empty() {
            plan.look(Span::whole(bvh), control)?;
        }
        Ok(plan)
    }

    /// Makes the choices at a node and at all below it.
    fn look(&self, span: Span, control: &Control<'_>) -> Result<Below, LayoutError> {
        if !span.is_large(self.bvh) {
            return self.look_alone(span.node, control);
        }
        let left = self.bvh.nodes[span.node].first;
        let below = span.below(self.bvh, &[left, left + 1]);
        let (left, right) = rayon::join(|| self.look(below[0], control), || self.look(below[1], control));
        Ok(self.choose(span.node, &left?, &right?))
    }

    /// Makes the choices at a node and at all below it on this thread, children before parents.
    fn look_alone(&self, root: usize, control: &Control<'_>) -> Result<Below, LayoutError> {
        let (mut open, mut done) = (vec![(root as u32, false)], Vec::new());
        let mut steps = 0;
        while let Some((node, is_below_done)) = open.pop() {
            look_at(control, steps)?;
            steps += 1;
            let n = &self.bvh.nodes[node as usize];
            if n.is_leaf() {
                let cost = self.leaf_cost(node as usize, n.count);
                done.push(Below { costs: [cost; WIDTH - 1], count: n.count });
            } else if is_below_done {
                let (right, left) = (done.pop(), done.pop());
                let (Some(left), Some(right)) = (left, right) else { unreachable!("both children come before it") };
                done.push(self.choose(node as usize, &left, &right));
            } else {
                open.extend([(node, true), (n.first + 1, false), (n.first, false)]);
            }
        }
        Ok(done.pop().expect("the root's"))
    }

    /// Makes the choices at an inner node.
    #[inline]
    fn choose(&self, node: usize, left: &Below, right: &Below) -> Below {
        let count = left.count.saturating_add(right.count);
        let mut choice = 0;
        let mut best = |roots: usize| {
            let (mut least, mut share) = (left.costs[0] + right.costs[roots - 2], 1);
            for left_roots in 2..roots {
                let cost = left.costs[left_roots - 1] + right.costs[roots - left_roots - 1];
                (least, share) = if cost < least { (cost, left_roots) } else { (least, share) };
            }
            choice |= (share as u32) << (2 + 3 * roots);
            least
        };
        let as_node = half_area(&self.bvh.nodes[node].bounds, self.scale) + best(WIDTH);
        let as_leaf = self.leaf_cost(node, count);
        let mut costs = [as_node.min(as_leaf); WIDTH - 1];
        for roots in 2..WIDTH {
            costs[roots - 1] = costs[roots - 2].min(best(roots));
        }
        for roots in 2..WIDTH {
            choice |= u32::from(costs[roots - 2] == costs[roots - 1]) << (roots - 1);
        }
        // The count is asked too, since the cost of a tree may be infinite, as that of too large a leaf is.
        if self.may_merge(node, count) && costs[0] == as_leaf {
            choice |= Choice::LEAF | count << 29;
        }
        self.choices[self.place(node)].store(choice, Ordering::Relaxed);
        Below { costs, count }
    }

    fn choice(&self, node: usize) -> Choice {
        Choice(self.choices[self.place(node)].load(Ordering::Relaxed))
    }

    /// Returns the place of an inner node's choices: that of the pair of its children, which have no other parent.
    #[inline]
    fn place(&self, node: usize) -> usize {
        self.bvh.nodes[node].first as usize / 2
    }

    /// Returns the number of references of what becomes a leaf, repeats included.
    pub fn count(&self, leaf: usize) -> usize {
        let n = &self.bvh.nodes[leaf];
        if n.is_leaf() { n.count as usize } else { self.choice(leaf).count() }
    }

    /// Returns `true` if the plan makes the subtree of `node` one leaf.
    pub fn is_leaf(&self, node: usize) -> bool {
        self.bvh.nodes[node].is_leaf() || self.choice(node).is_leaf()
    }

    /// Returns the binary tree's nodes that become the children of the wide node for `node`, in depth-first order.
    pub fn children(&self, node: usize) -> Children {
        let mut children = Children::default();
        if self.is_leaf(node) {
            children.push(node);
            return children;
        }
        // Nodes to be divided further, with their numbers of roots: 8 together.
        let (mut open, mut count) = ([(0usize, 0usize); WIDTH], 0);
        let halve = |open: &mut [(usize, usize); WIDTH], count: &mut usize, node: usize, roots: usize| {
            let (left, share) = (self.bvh.nodes[node].first as usize, self.choice(node).left(roots));
            open[*count] = (left + 1, roots - share);
            open[*count + 1] = (left, share);
            *count += 2;
        };
        halve(&mut open, &mut count, node, WIDTH);
        while count > 0 {
            count -= 1;
            let (node, mut roots) = open[count];
            let is_leaf = self.bvh.nodes[node].is_leaf();
            // The same cost with fewer roots: fewer roots.
            while !is_leaf && roots > 1 && self.choice(node).takes_less(roots) {
                roots -= 1;
            }
            if roots == 1 || is_leaf {
                children.push(node);
            } else {
                halve(&mut open, &mut count, node, roots);
            }
        }
        children
    }

    /// Sorts nodes by how likely a ray that meets their boxes is to end in them, the least likely first. Inner nodes
    /// come first, then leaves, each by area. Equal areas stay in their order. At most [`WIDTH`] nodes: O(1).
    pub fn sort_by_promise(&self, nodes: &mut Children) {
        let key = |node: u32| {
            let area = half_area(&self.bvh.nodes[node as usize].bounds, self.scale).to_bits() as i32;
            // As `f32::total_cmp` compares.
            let area = area ^ (((area >> 31) as u32) >> 1) as i32;
            i64::from(self.is_leaf(node as usize)) << 32 | i64::from(area as u32 ^ 1 << 31)
        };
        let mut keys = [(0i64, 0u32); WIDTH];
        for (count, &node) in nodes.iter().enumerate() {
            let new = (key(node), node);
            let mut at = count;
            while at > 0 && keys[at - 1].0 > new.0 {
                keys[at] = keys[at - 1];
                at -= 1;
            }
            keys[at] = new;
        }
        nodes.nodes = keys.map(|(_, node)| node);
    }

    /// Writes the references of all leaves below `node` into `out`, without repeats.
    pub fn references(&self, node: usize, out: &mut Vec<u32>) {
        out.clear();
        let n = &self.bvh.nodes[node];
        if n.is_leaf() {
            out.extend_from_slice(&self.bvh.references[n.first as usize..][..n.count as usize]);
        } else {
            let mut open = vec![node];
            while let Some(node) = open.pop() {
                let n = &self.bvh.nodes[node];
                if n.is_leaf() {
                    out.extend_from_slice(&self.bvh.references[n.first as usize..][..n.count as usize]);
                } else {
                    open.extend([n.first as usize + 1, n.first as usize]);
                }
            }
        }
        // Split references of one triangle may meet again.
        if !out.is_sorted_by(|a, b| a < b) {
            out.sort_unstable();
            out.dedup();
        }
    }

    /// Returns `true` if the subtree of an inner node, of `count` references, is small enough for a leaf, and may be
    /// one.
    fn may_merge(&self, node: usize, count: u32) -> bool {
        count <= self.rule.merged && self.mergeable.is_none_or(|mergeable| mergeable[node])
    }

    /// Returns the cost of a node of `count` references as a leaf.
    fn leaf_cost(&self, node: usize, count: u32) -> f32 {
        let n = &self.bvh.nodes[node];
        if !n.is_leaf() && !self.may_merge(node, count) {
            return f32::INFINITY;
        }
        half_area(&n.bounds, self.scale) * count.div_ceil(self.rule.block) as f32 * self.rule.block_cost
    }
}

/// Number of steps of an encoder's loops between two looks at the caller's [`Control`]: a tenth of a millisecond or so.
const GRAIN: usize = 1 << 11;

/// Returns [`LayoutError::Cancelled`] at every [`GRAIN`]th step of a loop if the caller has cancelled it.
#[inline]
pub(crate) fn look_at(control: &Control<'_>, step: usize) -> Result<(), LayoutError> {
    if step.is_multiple_of(GRAIN) && control.is_cancelled() { Err(LayoutError::Cancelled) } else { Ok(()) }
}

/// Returns [`Aabb::half_area`] with each length multiplied by `scale`; never NaN or infinite, so that costs can be
/// compared.
fn half_area(bounds: &Aabb, scale: f32) -> f32 {
    let [x, y, z] = std::array::from_fn(|i| (bounds.max[i] * scale - bounds.min[i] * scale).max(0.0));
    (x * y + y * z + z * x).min(f32::MAX)
}

/// Returns 1 for a root box of ordinary size, otherwise the power of two that brings its size near 1. The areas of
/// boxes beyond 1e19 are infinite and those of boxes below 1e-23 zero, which would make all trees equal.
fn length_scale(root: &Aabb) -> f32 {
    let half = (0..3).map(|i| 0.5 * root.max[i] - 0.5 * root.min[i]).fold(0.0, f32::max);
    // A sum of 2^30 areas stays finite.
    if (2f32.powi(-30)..2f32.powi(40)).contains(&half) || half == 0.0 || half.is_infinite() {
        return 1.0;
    }
    let exponent = (half.to_bits() >> 23) as i32 - 127;
    2f32.powi((-exponent).clamp(-126, 126))
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_bvh::{BuildOptions, Node, build};
    use raywarp_geom::FlatTriangles;
    use std::collections::HashMap;

    const RULE: LeafRule = LeafRule { merged: 3, block: 1, block_cost: 0.3 };

    fn tree(count: usize, scale: f32) -> Bvh2 {
        let corner = |i: usize| [i as f32, (i * i % 7) as f32, (i * 3 % 5) as f32].map(|x| x * scale);
        let vertices = (0..count).map(|i| [corner(i), corner(i + 1), corner(i + 2)]).collect();
        let options = BuildOptions { max_leaf: 1, ..BuildOptions::default() };
        build(&FlatTriangles::from_vertices(vertices), &options).unwrap()
    }

    /// Returns a tree that is as deep as one can be: each leaf holds all triangles that are below its sibling.
    fn chain(count: u32) -> Bvh2 {
        let side = |leaf: u32| Aabb { min: [0.0; 3], max: [1.5f32.powi(leaf as i32); 3] };
        let mut nodes = vec![Node { bounds: side(count - 1), first: 1, count: 0 }];
        for leaf in (1..count).rev() {
            let rest = if leaf == 1 { (0, 1) } else { (nodes.len() as u32 + 2, 0) };
            nodes.push(Node { bounds: side(leaf - 1), first: rest.0, count: rest.1 });
            nodes.push(Node { bounds: side(leaf), first: leaf, count: 1 });
        }
        Bvh2 { nodes, references: (0..count).collect(), primitive_count: count }
    }

    /// Returns the children of every wide node, as nodes of the binary tree.
    fn shape(bvh: &Bvh2) -> Vec<Vec<usize>> {
        let plan = Collapse::new(bvh, RULE);
        let (mut found, mut open) = (Vec::new(), vec![0]);
        while let Some(node) = open.pop() {
            let children: Vec<usize> = plan.children(node).iter().map(|&child| child as usize).collect();
            assert!((1..=WIDTH).contains(&children.len()));
            open.extend(children.iter().filter(|&&child| !plan.is_leaf(child)));
            found.push(children);
        }
        found
    }

    /// Finds by exhaustive search the least cost of `node` as at most `roots` roots, and its number of references.
    fn least(bvh: &Bvh2, node: usize, roots: usize, known: &mut HashMap<(usize, usize), f64>) -> (f64, u32) {
        let n = &bvh.nodes[node];
        let area = f64::from(n.bounds.half_area());
        if n.is_leaf() {
            return (area * f64::from(n.count) * 0.3, n.count);
        }
        let left = n.first as usize;
        let count = least(bvh, left, 1, known).1 + least(bvh, left + 1, 1, known).1;
        if let Some(&cost) = known.get(&(node, roots)) {
            return (cost, count);
        }
        let mut split = |roots: usize| {
            let mut cost = |share| least(bvh, left, share, known).0 + least(bvh, left + 1, roots - share, known).0;
            (1..roots).map(&mut cost).fold(f64::INFINITY, f64::min)
        };
        let leaf = if count <= 3 { area * f64::from(count) * 0.3 } else { f64::INFINITY };
        let as_one = leaf.min(area + split(WIDTH));
        let cost = (2..=roots).map(split).fold(as_one, f64::min);
        known.insert((node, roots), cost);
        (cost, count)
    }

    #[test]
    fn no_other_collapse_costs_less() {
        let trees = [tree(2, 1.0), tree(3, 1.0), tree(5, 1.0), tree(12, 1.0), chain(5), chain(9), chain(12), chain(16)];
        for bvh in trees {
            let count = bvh.primitive_count;
            let plan = Collapse::new(&bvh, RULE);
            let area = |node: usize| f64::from(bvh.nodes[node].bounds.half_area());
            let (mut cost, mut open) = (0.0, vec![0]);
            while let Some(node) = open.pop() {
                if plan.is_leaf(node) {
                    let mut references = Vec::new();
                    plan.references(node, &mut references);
                    cost += area(node) * references.len() as f64 * 0.3;
                } else {
                    cost += area(node);
                    open.extend(plan.children(node).iter().map(|&child| child as usize));
                }
            }
            let best = least(&bvh, 0, 1, &mut HashMap::new()).0;
            assert!((cost - best).abs() <= 1e-6 * best, "{count} triangles: {cost}, least {best}");
        }
    }

    #[test]
    fn huge_and_tiny_trees_collapse_like_ordinary_ones() {
        let ordinary = shape(&tree(300, 1.0));
        for exponent in [-90, -60, 20, 45, 70, 110] {
            assert_eq!(shape(&tree(300, 2f32.powi(exponent))), ordinary, "2^{exponent}");
        }
    }
}
