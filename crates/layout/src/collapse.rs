//! Chooses the nodes of a `Bvh2` that become the children of a wide node, and the subtrees that become one leaf.
//!
//! Source: Ylitie, Karras, Laine 2017, section 4.1: dynamic programming over the cost of showing a
//! subtree as at most `i` roots, which finds the wide tree of least SAH cost for the given binary
//! tree. Departures: the cost of a leaf counts blocks, not triangles, where SIMD tests a block at
//! once ([`LeafRule`]); and areas are scaled where they would leave the range of f32.

use crate::LayoutError;
use raywarp_bvh::Bvh2;
use raywarp_geom::{Aabb, Control};

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

/// Least costs of an inner node when it is represented by at most 1, 2, ... 7 roots.
type Costs = [f32; WIDTH - 1];

/// Plan by which a binary tree becomes a wide one of least cost (Ylitie, Karras and Laine 2017).
pub(crate) struct Collapse<'a> {
    bvh: &'a Bvh2,
    rule: LeafRule,
    /// `true` for each node whose subtree may become one leaf; `None` if every small enough one may.
    mergeable: Option<&'a [bool]>,
    /// Power of two by which lengths are multiplied so that areas stay within the range of f32.
    scale: f32,
    /// Least costs of each node, by number of roots; all those of a leaf of `bvh` are the leaf's cost.
    costs: Vec<Costs>,
    /// Number of references below each node.
    counts: Vec<u32>,
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

    /// Computes a plan as [`Collapse::of_leaves`] does, unless the caller cancels it.
    pub fn controlled(
        bvh: &'a Bvh2,
        rule: LeafRule,
        mergeable: Option<&'a [bool]>,
        control: &Control<'_>,
    ) -> Result<Self, LayoutError> {
        let scale = bvh.nodes.first().map_or(1.0, |root| length_scale(&root.bounds));
        let (costs, counts) = (vec![[0.0; WIDTH - 1]; bvh.nodes.len()], vec![0; bvh.nodes.len()]);
        let mut plan = Self { bvh, rule, mergeable, scale, costs, counts };
        for node in (0..bvh.nodes.len()).rev() {
            look_at(control, node)?;
            let n = &bvh.nodes[node];
            if n.is_leaf() {
                plan.counts[node] = n.count;
                plan.costs[node] = [plan.leaf_cost(node); WIDTH - 1];
                continue;
            }
            let left = n.first as usize;
            plan.counts[node] = plan.counts[left].saturating_add(plan.counts[left + 1]);
            let as_node = half_area(&n.bounds, scale) + plan.best_split(left, WIDTH).0;
            let mut costs = [as_node.min(plan.leaf_cost(node)); WIDTH - 1];
            for roots in 2..WIDTH {
                costs[roots - 1] = costs[roots - 2].min(plan.best_split(left, roots).0);
            }
            plan.costs[node] = costs;
        }
        Ok(plan)
    }

    /// Returns `true` if the plan makes the subtree of `node` one leaf.
    pub fn is_leaf(&self, node: usize) -> bool {
        // The count is asked too, since the cost of a tree may be infinite, as that of too large a leaf is.
        self.bvh.nodes[node].is_leaf() || (self.may_merge(node) && self.costs[node][0] == self.leaf_cost(node))
    }

    /// Returns the binary tree's nodes that become the children of the wide node for `node`, in depth-first order.
    pub fn children(&self, node: usize) -> Vec<usize> {
        if self.is_leaf(node) {
            return vec![node];
        }
        let mut children = Vec::with_capacity(WIDTH);
        let mut open = self.halves(node, WIDTH);
        while let Some((node, mut roots)) = open.pop() {
            // The same cost with fewer roots: fewer roots.
            while roots > 1 && self.costs[node][roots - 2] == self.costs[node][roots - 1] {
                roots -= 1;
            }
            if roots == 1 || self.bvh.nodes[node].is_leaf() {
                children.push(node);
            } else {
                open.extend(self.halves(node, roots));
            }
        }
        children
    }

    /// Sorts nodes by how likely a ray that meets their boxes is to end in them, the least likely first. Inner nodes
    /// come first, then leaves, each by area. Equal areas stay in their order. At most [`WIDTH`] nodes: O(1).
    pub fn sort_by_promise(&self, nodes: &mut [usize]) {
        let area = |node: usize| half_area(&self.bvh.nodes[node].bounds, self.scale);
        nodes.sort_by(|&a, &b| self.is_leaf(a).cmp(&self.is_leaf(b)).then(area(a).total_cmp(&area(b))));
    }

    /// Writes the references of all leaves below `node` into `out`, without repeats.
    pub fn references(&self, node: usize, out: &mut Vec<u32>) {
        out.clear();
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            let n = &self.bvh.nodes[node];
            if n.is_leaf() {
                let range = n.first as usize..n.first as usize + n.count as usize;
                out.extend_from_slice(&self.bvh.references[range]);
            } else {
                open.extend([n.first as usize + 1, n.first as usize]);
            }
        }
        // Split references of one triangle may meet again.
        out.sort_unstable();
        out.dedup();
    }

    /// Returns `true` if the subtree of an inner node is small enough for a leaf, and may be one.
    fn may_merge(&self, node: usize) -> bool {
        self.counts[node] <= self.rule.merged && self.mergeable.is_none_or(|mergeable| mergeable[node])
    }

    fn leaf_cost(&self, node: usize) -> f32 {
        let (n, count) = (&self.bvh.nodes[node], self.counts[node]);
        if !n.is_leaf() && !self.may_merge(node) {
            return f32::INFINITY;
        }
        half_area(&n.bounds, self.scale) * count.div_ceil(self.rule.block) as f32 * self.rule.block_cost
    }

    /// Returns the two children of `node` with the number of roots that each gets of `roots`, right child first.
    fn halves(&self, node: usize, roots: usize) -> Vec<(usize, usize)> {
        let left = self.bvh.nodes[node].first as usize;
        let share = self.best_split(left, roots).1;
        vec![(left + 1, roots - share), (left, share)]
    }

    /// Returns the least cost of `left` and its sibling as `roots` roots together, and the number of them that `left`
    /// gets.
    fn best_split(&self, left: usize, roots: usize) -> (f32, usize) {
        let cost = |share: usize| self.costs[left][share - 1] + self.costs[left + 1][roots - share - 1];
        (1..roots).map(|share| (cost(share), share)).reduce(|a, b| if b.0 < a.0 { b } else { a }).unwrap_or((0.0, 1))
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
            let children = plan.children(node);
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
                    cost += area(node) * f64::from(plan.counts[node]) * 0.3;
                } else {
                    cost += area(node);
                    open.extend(plan.children(node));
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
