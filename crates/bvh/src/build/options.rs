//! Options of a build, their defaults, and the errors that a build can return.

use crate::watch::Stopped;
use raywarp_geom::FlatTriangles;

/// Algorithm that builds the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Builder {
    /// Sweep builder of AL09, which tries every split between neighbouring centroids on all three axes by the surface
    /// area heuristic.
    SweepSah,
    /// Binned surface area heuristic: parallel builder with 16 or 32 bins of equal width, nearly as good as the sweep
    /// and several times faster.
    #[default]
    BinnedSah,
    /// [`Builder::BinnedSah`] for kernels that test four triangles at once, as the CPU's do: costs count blocks of
    /// four, and leaves hold at most two of them. Fewer nodes, in less time, and traced as fast there.
    BinnedBlocks,
    /// Spatial-split builder (Stich, Friedrich and Dietrich 2009): binned splits that may also cut triangles in two,
    /// where boxes would overlap. See [`BuildOptions::split_alpha`] and [`BuildOptions::split_budget`].
    Sbvh,
    /// Better tree of [`Builder::BinnedSah`] and [`Builder::Sbvh`] with the same options. It is the one with cuts where
    /// its [`Bvh2::sah_cost`](crate::Bvh2::sah_cost) is less than [`BuildOptions::split_worth`] of the other's. Where
    /// triangles are small already, cuts make more nodes than they save tests.
    BestOf,
    /// Linear builder that splits along the Morton curve (Lauterbach et al. 2009, Karras 2012): the fastest, with the
    /// worst trees.
    Lbvh,
    /// Bottom-up builder that merges neighbours on the Morton curve (Meister and Bittner 2018): better trees than
    /// [`Builder::Lbvh`], in more time.
    Ploc,
}

/// Number of triangles of a block of [`Builder::BinnedBlocks`].
pub(crate) const BLOCK: usize = 4;

/// Options for building a tree with [`crate::build`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BuildOptions {
    /// Algorithm that builds the tree.
    pub builder: Builder,
    /// Largest number of references in a leaf, 1 to 255. The papers use 8 (AL09 2) and 4 (AL09 3.2).
    pub max_leaf: u32,
    /// Largest number of extra references from early split clipping, as a share of the triangles, 0 to 1. In it large
    /// triangles enter the builder as several smaller boxes. `None` does without.
    pub split_clipping: Option<f32>,
    /// Overlap of an object split's children above which [`Builder::Sbvh`] tries spatial splits, as a share of the
    /// root's area, 0 to 1. At 1 nothing is cut.
    pub split_alpha: f32,
    /// Largest number of references that [`Builder::Sbvh`] may add by cutting triangles, as a share of the triangles, 0
    /// to 4.
    pub split_budget: f32,
    /// Surface area of the largest node that [`Builder::Sbvh`] may cut, as a share of the root's area, 0 to 1. Large
    /// triangles that stay whole lie near the root after reinsertion, and end rays early.
    pub split_below: f32,
    /// Ratio of costs below which [`Builder::BestOf`] takes the tree with cuts instead of the one without, 0 to 2.
    pub split_worth: f32,
    /// Number of reinsertion passes that improve the finished tree, 0 to 64; 0 leaves it as built.
    pub reinsertion: u32,
    /// Cost of visiting an inner node in the surface area heuristic, at least 0, in any unit.
    pub traversal_cost: f32,
    /// Cost of testing a triangle in the surface area heuristic, more than 0, in the unit of `traversal_cost`.
    pub intersection_cost: f32,
}

/// Default of [`BuildOptions::split_worth`]. Of six scenes rays were faster with cuts where their tree's cost was at
/// most 0.971 of the other's, and slower where it was 1.000 and 1.043.
pub(crate) const SPLIT_WORTH: f32 = 0.985;

impl Default for BuildOptions {
    fn default() -> Self {
        Self {
            builder: Builder::default(),
            max_leaf: 8,
            split_clipping: None,
            split_alpha: 1e-5,
            split_budget: 1.0,
            split_below: 1.0,
            split_worth: SPLIT_WORTH,
            reinsertion: 0,
            traversal_cost: 1.0,
            intersection_cost: 1.0,
        }
    }
}

/// Errors of building a tree.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum BuildError {
    /// The tree needs more references than it can index.
    #[error(
        "the tree needs room for {found} references, but at most {limit} fit; \
         drop some triangles or lower the share of split clipping"
    )]
    TooManyReferences {
        /// Number of triangles, plus the extra references that splitting may make.
        found: u64,
        /// Largest number of references that fit.
        limit: u32,
    },
    /// A triangle has a vertex that is NaN or infinite.
    #[error("triangle {primitive} has a vertex that is not finite; drop or repair it")]
    NotFinite {
        /// Index of the first triangle found with such a vertex.
        primitive: u32,
    },
    /// A box is empty, NaN or infinite.
    #[error("box {primitive} is empty or not finite; drop or repair it")]
    BadBox {
        /// Index of the first such box.
        primitive: u32,
    },
    /// A build option is out of its range.
    #[error("{option} is {found}, but must be {allowed}")]
    Option {
        /// Name of the field of [`BuildOptions`] that is out of range.
        option: &'static str,
        /// Value of the option.
        found: f64,
        /// Allowed range of the option, in words.
        allowed: &'static str,
    },
    /// The caller cancelled the build through [`Control::cancel`](raywarp_geom::Control::cancel).
    #[error("the build was cancelled")]
    Cancelled,
}

impl BuildError {
    /// Returns the error of a build that was cancelled.
    pub(crate) fn cancelled(Stopped: Stopped) -> Self {
        Self::Cancelled
    }
}

impl BuildOptions {
    /// Largest value allowed for [`BuildOptions::max_leaf`].
    pub const MAX_LEAF_LIMIT: u32 = 255;
    /// Largest value allowed for [`BuildOptions::reinsertion`].
    pub const REINSERTION_LIMIT: u32 = 64;

    /// Returns these options with leaves of at most `limit` triangles, as the nodes of an encoding can hold. Where that
    /// is less than a block of [`Builder::BinnedBlocks`], they are those of [`Builder::BinnedSah`] with its costs.
    #[must_use]
    pub fn with_leaf_limit(self, limit: u32) -> Self {
        let max_leaf = self.max_leaf.min(limit);
        if self.builder == Builder::BinnedBlocks && (limit as usize) < BLOCK {
            let costs = Self::default();
            let (traversal_cost, intersection_cost) = (costs.traversal_cost, costs.intersection_cost);
            return Self { builder: Builder::BinnedSah, max_leaf, traversal_cost, intersection_cost, ..self };
        }
        Self { max_leaf, ..self }
    }

    /// Checks every option's range, and that the tree over `primitives` triangles cannot have too many references.
    pub(crate) fn check(&self, primitives: u64) -> Result<(), BuildError> {
        let range = |ok: bool, option, found, allowed| {
            if ok { Ok(()) } else { Err(BuildError::Option { option, found, allowed }) }
        };
        let (traversal, intersection) = (self.traversal_cost, self.intersection_cost);
        let max_leaf = self.max_leaf;
        range((1..=Self::MAX_LEAF_LIMIT).contains(&max_leaf), "max_leaf", f64::from(max_leaf), "1 to 255")?;
        // Both compared so that a NaN fails.
        let ok = (0.0..=1e6).contains(&traversal);
        range(ok, "traversal_cost", f64::from(traversal), "from 0 to 1e6")?;
        let ok = (1e-6..=1e6).contains(&intersection);
        range(ok, "intersection_cost", f64::from(intersection), "from 1e-6 to 1e6")?;
        let share = self.split_clipping.unwrap_or(0.0);
        range((0.0..=1.0).contains(&share), "split_clipping", f64::from(share), "a share from 0 to 1")?;
        let alpha = self.split_alpha;
        range((0.0..=1.0).contains(&alpha), "split_alpha", f64::from(alpha), "a share from 0 to 1")?;
        let budget = self.split_budget;
        range((0.0..=4.0).contains(&budget), "split_budget", f64::from(budget), "a share from 0 to 4")?;
        let below = self.split_below;
        range((0.0..=1.0).contains(&below), "split_below", f64::from(below), "a share from 0 to 1")?;
        let worth = self.split_worth;
        range((0.0..=2.0).contains(&worth), "split_worth", f64::from(worth), "a share from 0 to 2")?;
        let passes = self.reinsertion;
        range(passes <= Self::REINSERTION_LIMIT, "reinsertion", f64::from(passes), "0 to 64")?;
        let mut found = primitives + extra_references(primitives, share);
        if matches!(self.builder, Builder::Sbvh | Builder::BestOf) {
            found += extra_references(primitives, budget);
        }
        let limit = FlatTriangles::LIMIT;
        if found > u64::from(limit) {
            return Err(BuildError::TooManyReferences { found, limit });
        }
        Ok(())
    }
}

/// Returns the number of extra references that `share` of `primitives` triangles makes.
pub(crate) fn extra_references(primitives: u64, share: f32) -> u64 {
    (primitives as f64 * f64::from(share)) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_out_of_range_are_named() {
        let good = BuildOptions::default();
        let broken = [
            (BuildOptions { max_leaf: 0, ..good }, "max_leaf"),
            (BuildOptions { max_leaf: 256, ..good }, "max_leaf"),
            (BuildOptions { traversal_cost: -1.0, ..good }, "traversal_cost"),
            (BuildOptions { traversal_cost: f32::NAN, ..good }, "traversal_cost"),
            (BuildOptions { intersection_cost: 0.0, ..good }, "intersection_cost"),
            (BuildOptions { intersection_cost: f32::INFINITY, ..good }, "intersection_cost"),
            (BuildOptions { split_clipping: Some(1.5), ..good }, "split_clipping"),
            (BuildOptions { split_clipping: Some(f32::NAN), ..good }, "split_clipping"),
            (BuildOptions { split_alpha: -0.1, ..good }, "split_alpha"),
            (BuildOptions { split_alpha: f32::NAN, ..good }, "split_alpha"),
            (BuildOptions { split_budget: 4.1, ..good }, "split_budget"),
            (BuildOptions { split_budget: f32::NAN, ..good }, "split_budget"),
            (BuildOptions { split_below: 1.1, ..good }, "split_below"),
            (BuildOptions { split_below: f32::NAN, ..good }, "split_below"),
            (BuildOptions { split_worth: -0.1, ..good }, "split_worth"),
            (BuildOptions { split_worth: f32::NAN, ..good }, "split_worth"),
            (BuildOptions { reinsertion: 65, ..good }, "reinsertion"),
        ];
        assert_eq!(good.check(1), Ok(()));
        for (options, name) in broken {
            let error = options.check(1).unwrap_err();
            assert!(matches!(error, BuildError::Option { option, .. } if option == name), "{error}");
        }
    }

    #[test]
    fn nodes_that_hold_no_block_get_trees_that_count_triangles() {
        let blocks = crate::presets::BLOCKS;
        assert_eq!(blocks.with_leaf_limit(8), blocks);
        assert_eq!(blocks.with_leaf_limit(4), BuildOptions { max_leaf: 4, ..blocks });
        for limit in [1, 3] {
            assert_eq!(blocks.with_leaf_limit(limit), BuildOptions { max_leaf: limit, ..BuildOptions::default() });
        }
    }

    #[test]
    fn one_reference_past_the_limit_is_counted_and_refused() {
        let limit = FlatTriangles::LIMIT;
        let plain = BuildOptions::default();
        assert_eq!(plain.check(u64::from(limit)), Ok(()));
        let found = u64::from(limit) + 1;
        assert_eq!(plain.check(found), Err(BuildError::TooManyReferences { found, limit }));
        let split = BuildOptions { split_clipping: Some(0.5), ..plain };
        let found = u64::from(limit) / 4 * 6;
        assert_eq!(split.check(u64::from(limit)), Err(BuildError::TooManyReferences { found, limit }));
        let spatial = BuildOptions { builder: Builder::Sbvh, split_budget: 0.5, ..plain };
        assert_eq!(spatial.check(u64::from(limit)), Err(BuildError::TooManyReferences { found, limit }));
    }
}
