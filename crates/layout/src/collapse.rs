//! Which nodes of a `Bvh2` become the children of a wide node, and which subtrees one leaf.
//!
//! Source: Ylitie, Karras, Laine 2017, section 4.1: dynamic programming over the cost of showing a
//! subtree as at most `i` roots, which finds the wide tree of least SAH cost for the given binary
//! tree. Departures: the price of a leaf counts blocks, not triangles, since SIMD tests a block at once.

use crate::BLOCK;
use raywarp_bvh::Bvh2;

/// Children of a wide node.
pub(crate) const WIDTH: usize = 8;

/// The most references that subtrees are merged into one leaf for: more made leaves of two blocks,
/// which rays of all kinds paid for (sibenik, cpu/examples/trace_speed: 5 to 10 % slower).
const MERGED_LEAF: u32 = BLOCK as u32;

/// Price of a visit to a leaf block, with a visit to a node at 1.
const BLOCK_COST: f32 = 0.7;

/// The least cost of each inner node as at most 1, 2, ... 7 roots.
type Costs = [f32; WIDTH - 1];

/// The plan for a tree.
pub(crate) struct Collapse<'a> {
    bvh: &'a Bvh2,
    /// Entry 0 of a leaf of `bvh` holds its price; further entries are the same.
    costs: Vec<Costs>,
    /// References below each node.
    counts: Vec<u32>,
}

impl<'a> Collapse<'a> {
    /// Prices every node of a structurally sound tree, children before parents. O(n).
    pub fn new(bvh: &'a Bvh2) -> Self {
        let mut plan = Self { bvh, costs: vec![[0.0; WIDTH - 1]; bvh.nodes.len()], counts: vec![0; bvh.nodes.len()] };
        for node in (0..bvh.nodes.len()).rev() {
            let n = &bvh.nodes[node];
            if n.is_leaf() {
                plan.counts[node] = n.count;
                plan.costs[node] = [plan.leaf_cost(node); WIDTH - 1];
                continue;
            }
            let left = n.first as usize;
            plan.counts[node] = plan.counts[left].saturating_add(plan.counts[left + 1]);
            let as_node = n.bounds.half_area() + plan.best_split(left, WIDTH).0;
            let mut costs = [as_node.min(plan.leaf_cost(node)); WIDTH - 1];
            for roots in 2..WIDTH {
                costs[roots - 1] = costs[roots - 2].min(plan.best_split(left, roots).0);
            }
            plan.costs[node] = costs;
        }
        plan
    }

    /// Whether the subtree of `node` becomes one leaf.
    pub fn is_leaf(&self, node: usize) -> bool {
        self.bvh.nodes[node].is_leaf() || self.costs[node][0] == self.leaf_cost(node)
    }

    /// The nodes that become the children of the wide node for `node`, in depth-first order.
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
            if roots == 1 {
                children.push(node);
            } else {
                open.extend(self.halves(node, roots));
            }
        }
        children
    }

    /// All references below `node`, leaf by leaf, without repeats.
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

    fn leaf_cost(&self, node: usize) -> f32 {
        let (n, count) = (&self.bvh.nodes[node], self.counts[node]);
        if !n.is_leaf() && count > MERGED_LEAF {
            return f32::INFINITY;
        }
        n.bounds.half_area() * count.div_ceil(BLOCK as u32) as f32 * BLOCK_COST
    }

    /// The two children with the roots that each gets of `roots`, right one first.
    fn halves(&self, node: usize, roots: usize) -> Vec<(usize, usize)> {
        let left = self.bvh.nodes[node].first as usize;
        let share = self.best_split(left, roots).1;
        vec![(left + 1, roots - share), (left, share)]
    }

    /// The least cost of `left` and its sibling as `roots` roots together, and how many `left` gets.
    fn best_split(&self, left: usize, roots: usize) -> (f32, usize) {
        let cost = |share: usize| self.costs[left][share - 1] + self.costs[left + 1][roots - share - 1];
        (1..roots).map(|share| (cost(share), share)).reduce(|a, b| if b.0 < a.0 { b } else { a }).unwrap_or((0.0, 1))
    }
}
