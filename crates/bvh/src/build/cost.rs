//! Rules that say when to stop splitting: the surface area heuristic, the leaf size and the depth.

use super::options::BLOCK;
use super::{BuildOptions, Builder, MAX_DEPTH};

/// Rules by which builders decide between leaf and split: leaf size, depth and costs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LeafRules {
    pub(crate) max_leaf: usize,
    /// Number of references that are tested at once: costs count blocks of so many.
    pub(crate) block: usize,
    traversal: f64,
    intersection: f64,
}

/// Best split that a builder found for a range of references.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Split {
    pub(crate) axis: usize,
    /// Position of the split in the builder's own terms: the first bin, or the first reference, of the right side.
    pub(crate) at: usize,
    /// Number of references on the left side.
    pub(crate) left: usize,
    /// Cost of the split: half area times number of references, or of blocks of them, summed over both sides.
    pub(crate) cost: f64,
}

impl Split {
    /// Placeholder for no split, whose cost is infinite.
    pub(crate) const NONE: Self = Self { axis: 0, at: 0, left: 0, cost: f64::INFINITY };
}

/// Decision whether a range of references becomes a leaf or is divided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Decision {
    Leaf,
    /// The range is divided at the split that was found.
    Split,
    /// The range is divided into two halves of equal count.
    Halve,
}

impl LeafRules {
    pub(crate) fn new(options: &BuildOptions) -> Self {
        let (block, most) = match options.builder {
            // Clusters of some six triangles that all overlap are left whole.
            Builder::BinnedBlocks => (BLOCK, 2 * BLOCK as u32),
            _ => (1, u32::MAX),
        };
        Self {
            max_leaf: options.max_leaf.min(most) as usize,
            block,
            traversal: f64::from(options.traversal_cost),
            intersection: f64::from(options.intersection_cost),
        }
    }

    /// Returns the cost of visiting an inner node whose box has `half_area`.
    pub(crate) fn inner_cost(&self, half_area: f64) -> f64 {
        self.traversal * half_area
    }

    /// Returns the cost of testing the `count` references of a leaf whose box has `half_area`.
    pub(crate) fn leaf_cost(&self, half_area: f64, count: usize) -> f64 {
        self.intersection * half_area * count.div_ceil(self.block) as f64
    }

    /// Returns the largest number of references that fit below a node at `depth` when every further split halves them.
    fn capacity(&self, depth: u32) -> usize {
        let levels = MAX_DEPTH - depth;
        // A tree holds fewer than 2^32 references, so the full range is never needed.
        if levels >= 32 { usize::MAX } else { self.max_leaf.saturating_mul(1 << levels) }
    }

    /// Decides whether `count` references in a box of `half_area`, `depth` edges below the root, become a leaf or are
    /// divided.
    ///
    /// Halving keeps the invariant `count <= capacity(depth)`, which bounds the depth: a split that
    /// would break it on either side is not taken.
    pub(crate) fn decide(&self, count: usize, half_area: f64, split: &Split, depth: u32) -> Decision {
        self.decide_sides(count, half_area, split.cost, [split.left, count - split.left], depth)
    }

    /// Decides as [`LeafRules::decide`] does, on a split of cost `cost` with the numbers `sides` of references. These
    /// are more than `count` together where some references are cut.
    pub(crate) fn decide_sides(
        &self,
        count: usize,
        half_area: f64,
        cost: f64,
        sides: [usize; 2],
        depth: u32,
    ) -> Decision {
        debug_assert!(count <= self.capacity(depth));
        if count == 1 || depth >= MAX_DEPTH {
            return Decision::Leaf;
        }
        let may_be_leaf = count <= self.max_leaf;
        // Without any area (a line, a point) every split costs nothing, and the first would peel off
        // one reference after the other.
        let usable = !sides.contains(&0) && cost.is_finite() && half_area > 0.0;
        if !usable {
            return if may_be_leaf { Decision::Leaf } else { Decision::Halve };
        }
        let leaf_cost = self.leaf_cost(half_area, count);
        let split_cost = self.traversal * half_area + self.intersection * cost;
        if may_be_leaf && leaf_cost <= split_cost {
            return Decision::Leaf;
        }
        let larger = sides[0].max(sides[1]);
        if larger > self.capacity(depth + 1) { Decision::Halve } else { Decision::Split }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules() -> LeafRules {
        LeafRules::new(&BuildOptions::default())
    }

    #[test]
    fn the_cheaper_of_leaf_and_split_wins() {
        let split = |cost| Split { axis: 0, at: 1, left: 2, cost };
        assert_eq!(rules().decide(4, 10.0, &split(20.0), 0), Decision::Split);
        assert_eq!(rules().decide(4, 10.0, &split(30.0), 0), Decision::Leaf);
        assert_eq!(rules().decide(9, 10.0, &split(90.0), 0), Decision::Split);
        assert_eq!(rules().decide(9, 10.0, &Split::NONE, 0), Decision::Halve);
        assert_eq!(rules().decide(8, 10.0, &Split::NONE, 0), Decision::Leaf);
        assert_eq!(rules().decide(9, 0.0, &split(0.0), 0), Decision::Halve);
    }

    #[test]
    fn a_block_is_a_leaf_unless_its_parts_are_smaller_together() {
        let rules = LeafRules::new(&crate::presets::BLOCKS);
        let split = |cost| Split { axis: 0, at: 1, left: 2, cost };
        assert_eq!(rules.decide(4, 10.0, &split(8.9), 0), Decision::Split);
        assert_eq!(rules.decide(4, 10.0, &split(9.1), 0), Decision::Leaf);
        // Two blocks, where both sides reach almost as far as the whole.
        assert_eq!(rules.decide(6, 10.0, &split(18.9), 0), Decision::Split);
        assert_eq!(rules.decide(6, 10.0, &split(19.1), 0), Decision::Leaf);
        assert_eq!(rules.decide(9, 10.0, &split(99.0), 0), Decision::Split);
        assert_eq!(rules.leaf_cost(10.0, 5), 20.0);
    }

    #[test]
    fn at_the_greatest_depth_everything_is_a_leaf() {
        let split = Split { axis: 0, at: 1, left: 4, cost: 0.0 };
        assert_eq!(rules().decide(8, 10.0, &split, MAX_DEPTH), Decision::Leaf);
    }

    #[test]
    fn splits_that_would_end_too_deep_are_replaced_by_halves() {
        let one_off = Split { axis: 0, at: 1, left: 1, cost: 0.0 };
        let nearly_full = 8 << 4;
        assert_eq!(rules().decide(nearly_full, 1.0, &one_off, MAX_DEPTH - 4), Decision::Halve);
        assert_eq!(rules().decide(nearly_full, 1.0, &one_off, MAX_DEPTH - 5), Decision::Split);
        assert_eq!(rules().decide(8, 1.0, &one_off, MAX_DEPTH - 1), Decision::Split);
    }
}
