//! Which tree is built for GPUs that take whole paths: a better one where they trace long enough.
//!
//! Kernels walk one triangle a leaf. There are three ways to such a tree, and each is worth its time where what it saves
//! of tracing is more than what it takes to build (docs/internals/choices.md, "Which tree a render gets", has the numbers and
//! where they are from).

use crate::PathWork;
use raywarp_bvh::{BuildError, BuildOptions, Builder, Bvh2, build_chosen, presets};
use raywarp_geom::FlatTriangles;
use std::fmt;
use std::time::{Duration, Instant};

/// What a step takes for each triangle: seconds, and seconds of a core that threads divide.
pub(crate) struct BuildTime {
    serial: f64,
    parallel: f64,
}

impl BuildTime {
    pub fn of(&self, triangles: usize, threads: usize) -> f64 {
        triangles as f64 * (self.serial + self.parallel / threads.max(1) as f64)
    }
}

/// Eight passes of reinsertion: on two threads.
pub(crate) const REINSERTION: BuildTime = BuildTime { serial: 0.05e-6, parallel: 0.3e-6 };
/// Share of tracing that they save, guessed from the SAH cost: 6 to 22 % lower in six scenes.
const REINSERTION_GAIN: f64 = 0.15;
/// Another tree, with spatial splits: on two threads, and on the 16 of an H200's machine.
pub(crate) const SPLITS: BuildTime = BuildTime { serial: 0.25e-6, parallel: 1e-6 };
/// Share of tracing that it saves: the mean of six scenes, in two of which it is not taken.
const SPLIT_GAIN: f64 = 0.06;
/// Bytes a triangle that preparing a scene takes at its peak where there is a second tree, of whose triangles many may be cut: 1,025
/// were seen of hairball_synthetic, 574 of San Miguel.
pub(crate) const MOST_BYTES: u64 = 1040;

/// `build`, but of [`BuildOptions::split_worth`] the tree without cuts alone where fewer than [`MOST_BYTES`] a triangle are `free`.
pub(crate) fn with_memory(build: &BuildOptions, triangles: usize, free: u64) -> BuildOptions {
    let fits = (triangles as u64).saturating_mul(MOST_BYTES) <= free;
    match build.split_worth {
        Some(_) if build.builder == Builder::Sbvh && !fits => {
            BuildOptions { builder: Builder::BinnedSah, split_worth: None, ..*build }
        }
        _ => *build,
    }
}

/// How much is done for the tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeEffort {
    /// Binned splits.
    Quick,
    /// The same, improved by reinsertion.
    Good,
    /// [`presets::GPU`]: that one and another with spatial splits in all but the largest nodes; the cheaper one is taken.
    Most,
}

/// A tree for GPUs, and how it came about.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GpuTree {
    /// How much was done for it.
    pub effort: TreeEffort,
    /// What the tree that was taken was built with.
    pub build: BuildOptions,
    /// How long building took, of all trees that were built.
    pub time: Duration,
}

impl TreeEffort {
    /// For a render that will take `seconds` of tracing, of so many triangles, whose tree `threads` threads build.
    pub fn for_render(seconds: f64, triangles: usize, threads: usize) -> Self {
        if seconds * SPLIT_GAIN > SPLITS.of(triangles, threads) {
            Self::Most
        } else if seconds * REINSERTION_GAIN > REINSERTION.of(triangles, threads) {
            Self::Good
        } else {
            Self::Quick
        }
    }

    /// The rule for a render of `work` on rayon's current pool.
    pub(crate) fn for_work(work: &PathWork, triangles: usize) -> Self {
        Self::for_render(work.seconds(), triangles, rayon::current_num_threads())
    }

    /// The same where so many bytes of memory are `free`, else one tree.
    pub(crate) fn with_memory(self, triangles: usize, free: u64) -> Self {
        let fits = (triangles as u64).saturating_mul(MOST_BYTES) <= free;
        if self == Self::Most && !fits { Self::Good } else { self }
    }

    /// Builds the tree, on rayon's current pool.
    ///
    /// # Errors
    /// As [`build`].
    pub(crate) fn build(self, triangles: &FlatTriangles) -> Result<(Bvh2, GpuTree), BuildError> {
        let start = Instant::now();
        let single = |options: BuildOptions| BuildOptions { max_leaf: 1, ..options };
        let options = match self {
            Self::Quick => single(presets::BALANCED),
            Self::Good => single(presets::GOOD),
            Self::Most => presets::GPU,
        };
        let (bvh, build) = build_chosen(triangles, &options)?;
        Ok((bvh, GpuTree { effort: self, build, time: start.elapsed() }))
    }
}

impl fmt::Display for GpuTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = match (self.effort, self.build.builder) {
            (TreeEffort::Quick, _) => "binned splits",
            (TreeEffort::Good, _) => "binned splits and reinsertion",
            (TreeEffort::Most, Builder::Sbvh) => "spatial splits and reinsertion, cheaper to walk than binned splits",
            (TreeEffort::Most, _) => "binned splits and reinsertion, no dearer to walk than spatial splits",
        };
        write!(f, "one triangle a leaf, {how}; {:.2} s", self.time.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_bvh::build;

    #[test]
    fn longer_renders_of_smaller_scenes_by_more_threads_get_more_effort() {
        let effort = |seconds, triangles, threads| TreeEffort::for_render(seconds, triangles, threads);
        let [quick, good, most] = [TreeEffort::Quick, TreeEffort::Good, TreeEffort::Most];
        // San Miguel.
        assert_eq!([0.0, 4.2, 4.4, 48.0, 50.0].map(|s| effort(s, 9_384_658, 16)), [quick, quick, good, good, most]);
        assert_eq!([4.4, 50.0].map(|s| effort(s, 9_384_658, 2)), [quick, good]);
        // Sibenik.
        assert_eq!([0.03, 0.04, 0.3, 0.5].map(|s| effort(s, 75_275, 16)), [quick, good, good, most]);
        assert_eq!([effort(0.0, 0, 0), effort(1e-9, 0, 0)], [quick, most]);
        assert_eq!(effort(f64::INFINITY, usize::MAX, 1), most);
    }

    #[test]
    fn a_second_tree_is_left_out_where_there_is_no_memory_for_both() {
        let with = |effort: TreeEffort, free| effort.with_memory(1000, free);
        let [quick, good, most] = [TreeEffort::Quick, TreeEffort::Good, TreeEffort::Most];
        assert_eq!([0, 1000 * MOST_BYTES - 1].map(|free| with(most, free)), [good, good]);
        assert_eq!([1000 * MOST_BYTES, u64::MAX].map(|free| with(most, free)), [most, most]);
        assert_eq!([quick, good].map(|effort| with(effort, 0)), [quick, good]);
        let whole = BuildOptions { builder: Builder::BinnedSah, ..presets::SINGLE_SPLIT_INNER };
        let with = |build, free| with_memory(&build, 1000, free);
        assert_eq!([0, 1000 * MOST_BYTES - 1].map(|free| with(presets::GPU, free)), [whole; 2]);
        assert_eq!(with(presets::GPU, 1000 * MOST_BYTES), presets::GPU);
        assert_eq!(
            [presets::BEST, presets::SINGLE_SPLIT].map(|build| with(build, 0)),
            [presets::BEST, presets::SINGLE_SPLIT]
        );
    }

    /// Squares side by side, which a cut only makes worse, and long triangles aslant that it mends.
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
                let (bvh, how) = effort.build(triangles).unwrap();
                assert_eq!(bvh.validate(triangles), Ok(()));
                assert!(bvh.nodes.iter().all(|node| node.count <= 1), "{how}");
                assert_eq!(bvh, build(triangles, &how.build).unwrap(), "{how}");
                assert_eq!(how.build == presets::SINGLE_SPLIT_INNER, split && effort == TreeEffort::Most, "{how}");
            }
        }
    }
}
