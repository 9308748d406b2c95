//! The tree of GPUs that take whole paths: a better one where they trace long enough.
//!
//! Kernels walk one triangle a leaf. There are three ways to such a tree ([`TreeEffort`]), and each is worth its time
//! where what it saves of tracing is more than what it takes to build.

use super::TreeEffort;
use raywarp_bvh::{BuildError, BuildOptions, Bvh2, build_with_choice};
use raywarp_geom::FlatTriangles;
use std::time::{Duration, Instant};

/// Report of building the tree for GPU path tracing: the effort, the options that won, and the time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GpuTree {
    /// Effort spent on the tree.
    pub effort: TreeEffort,
    /// Options of the tree that was kept, if several were built.
    pub build: BuildOptions,
    /// Total build time of all trees.
    pub time: Duration,
}

impl GpuTree {
    /// Builds the tree with this effort, on rayon's current pool.
    ///
    /// # Errors
    /// As [`raywarp_bvh::build`].
    pub(crate) fn build(effort: TreeEffort, triangles: &FlatTriangles) -> Result<(Bvh2, Self), BuildError> {
        let start = Instant::now();
        let (bvh, build) = build_with_choice(triangles, &effort.options())?;
        Ok((bvh, Self { effort, build, time: start.elapsed() }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_bvh::{build, presets};

    /// Returns two test scenes: squares side by side, which spatial splits only make worse, and long slanted triangles,
    /// which they improve.
    fn scenes() -> [FlatTriangles; 2] {
        let squares = (0..400).flat_map(|i| {
            let [x, y] = [i % 20, i / 20].map(|v| v as f32);
            let corner = |dx: f32, dy: f32| [x + dx, y + dy, 0.0];
            [
                [corner(0.0, 0.0), corner(1.0, 0.0), corner(0.0, 1.0)],
                [corner(1.0, 0.0), corner(1.0, 1.0), corner(0.0, 1.0)],
            ]
        });
        let needles = (0..400).map(|i| {
            let x = 0.05 * i as f32;
            let thin = 0.01;
            [[x, 0.0, 0.0], [x + thin, 0.0, 0.0], [20.0 - x, 20.0, (i % 7) as f32]]
        });
        [squares.collect(), needles.collect()].map(FlatTriangles::from_vertices)
    }

    #[test]
    fn of_two_trees_the_cheaper_is_taken_and_all_have_single_leaves() {
        let [squares, needles] = scenes();
        for (triangles, split) in [(&squares, false), (&needles, true), (&FlatTriangles::default(), false)] {
            for effort in [TreeEffort::Quick, TreeEffort::Good, TreeEffort::Most] {
                let (bvh, how) = GpuTree::build(effort, triangles).unwrap();
                assert_eq!(bvh.validate(triangles), Ok(()));
                assert!(bvh.nodes.iter().all(|node| node.count <= 1), "{how:?}");
                assert_eq!(bvh, build(triangles, &how.build).unwrap(), "{how:?}");
                assert_eq!(how.build == presets::SINGLE_SPLIT_INNER, split && effort == TreeEffort::Most, "{how:?}");
            }
        }
    }
}
