//! The cost model: seconds and bytes by which a device and a tree are chosen.
//!
//! A GPU saves time by tracing faster than the CPU, and costs its start and a better tree than the CPU walks. A
//! better tree costs its building, and saves a share of tracing. docs/internals/choices.md has the measurements.

#[cfg(feature = "cuda")]
use super::reason::{Amount, PlanReason};
#[cfg(feature = "render")]
use raywarp_bvh::presets;
use raywarp_bvh::{BuildOptions, Builder};

/// Rays that one CPU thread traces per second, in batches too small for a GPU.
const CPU_RAYS_PER_SECOND: f64 = 8e6;
/// Rays per second that a GPU takes from the host's memory and returns as hits.
const GPU_RAYS_PER_SECOND: f64 = 4e8;
/// Seconds by which a GPU delays a command: its start, and whatever else is slower with one.
const GPU_START: f64 = 2.0;
/// Largest number of rays per CPU thread in a batch that the CPU answers sooner than a GPU: a launch and its copies
/// take an H200 some 100 microseconds.
#[cfg(feature = "cuda")]
pub(crate) const RAYS_PER_LAUNCH: usize = 300;

/// Rays that one CPU thread traces and shades per second in path tracing: 2 to 4 million in the scenes that were
/// measured.
#[cfg(feature = "render")]
const CPU_PATH_RAYS_PER_SECOND: f64 = 3e6;
/// Rays that a GPU traces and shades per second in path tracing: an H200 traced 4.4 to 5.7 billion in sibenik and
/// conference, without shading.
#[cfg(all(feature = "cuda", feature = "render"))]
const GPU_PATH_RAYS_PER_SECOND: f64 = 3e9;
/// Samples that one CPU thread takes in the time in which a GPU starts. Starting one takes about half a second; sixteen
/// cores took 2.6 to 3.2 million samples a second in conference, a core some 180,000.
#[cfg(all(feature = "cuda", feature = "render"))]
const SAMPLES_PER_THREAD: u64 = 100_000;
/// Number of samples per GPU at which one more GPU saves as much time as its start costs. An H200 takes 161 to 779
/// million a second, by scene.
#[cfg(all(feature = "cuda", feature = "render"))]
const SAMPLES_PER_GPU: u64 = 100_000_000;

/// Build time per triangle, in seconds: a serial part, and a part that is divided by the number of threads.
struct BuildTime {
    serial: f64,
    parallel: f64,
}

impl BuildTime {
    fn of(&self, triangles: usize, threads: usize) -> f64 {
        triangles as f64 * (self.serial + self.parallel / threads.max(1) as f64)
    }
}

/// Build time of eight passes of reinsertion, measured on two threads.
const REINSERTION: BuildTime = BuildTime { serial: 0.05e-6, parallel: 0.3e-6 };
/// Build time of a second tree, with spatial splits, measured on two threads and on the 16 of an H200's machine.
const SPLITS: BuildTime = BuildTime { serial: 0.25e-6, parallel: 1e-6 };
/// Build time of a balanced tree, with flattening and encoding: 0.5 to 1 us a triangle were measured on two threads.
#[cfg(feature = "render")]
const BUILD: BuildTime = BuildTime { serial: 0.2e-6, parallel: 1e-6 };
/// Fraction of the CPU's rendering time by which two levels of trees are slower: 1.3 were measured for San Miguel, and
/// 0.1 for a forest.
#[cfg(feature = "render")]
const TWO_LEVELS_LOSS: f64 = 1.3;
/// Fraction of a GPU's tracing time that reinsertion saves, guessed from the SAH cost: 6 to 22 % lower in six scenes.
#[cfg(all(feature = "cuda", feature = "render"))]
const REINSERTION_GAIN: f64 = 0.15;
/// Fraction of a GPU's tracing time that spatial splits save: the mean of six scenes, in two of which they are not
/// taken.
#[cfg(all(feature = "cuda", feature = "render"))]
const SPLIT_GAIN: f64 = 0.06;
/// Fraction of the CPU's rendering time that reinsertion saves: 0 to 15 % in six scenes, 6 % on average.
#[cfg(feature = "render")]
const CPU_REINSERTION_GAIN: f64 = 0.06;

/// Bytes per triangle that flattening, building and encoding take at their peak: 176 were measured with 4.8 million
/// triangles.
#[cfg(feature = "formats")]
pub(crate) const PREPARE_BYTES: u64 = 176;
/// Bytes per triangle of host memory to prepare a scene for GPU path tracing: 466 were measured for hairball_synthetic
/// (0.9 million triangles), 511 for San Miguel (9.4 million).
#[cfg(all(feature = "cuda", feature = "render"))]
pub(crate) const PATHS_BYTES: u64 = 512;
/// Bytes per triangle where a second tree, with split triangles, is built: 1,025 were measured for hairball_synthetic,
/// 574 for San Miguel.
const TWO_TREES_BYTES: u64 = 1040;

/// Returns the smallest number of rays that makes a GPU worth its start, in a scene of `triangles` triangles beside
/// `threads` CPU threads; `None` from 50 threads on, where the CPU is as fast.
///
/// Its tree takes 0.3 us a triangle longer to build than the CPU's, and 1.3 us divided by the number of threads.
pub fn rays_worth_a_gpu(triangles: u64, threads: usize) -> Option<u64> {
    let better_tree = REINSERTION.of(triangles as usize, threads) + SPLITS.of(triangles as usize, threads);
    let seconds = GPU_START + better_tree;
    let saved = 1.0 / (CPU_RAYS_PER_SECOND * threads.max(1) as f64) - 1.0 / GPU_RAYS_PER_SECOND;
    (saved > 0.0).then(|| (seconds / saved) as u64)
}

/// Returns a threshold of rays that tests set by an environment variable in place of [`rays_worth_a_gpu`], if one does.
#[cfg(feature = "cuda")]
fn pretended_least() -> Option<u64> {
    std::env::var("RAYWARP_PRETEND_RAYS_WORTH_A_GPU").ok()?.parse().ok()
}

/// Checks that tracing `rays` rays is worth a GPU's start, or returns the reason why not.
///
/// # Errors
/// The reason why they are not.
#[cfg(feature = "cuda")]
pub(crate) fn worth_a_gpu(rays: u64, triangles: u64, threads: usize) -> Result<(), PlanReason> {
    let work = Amount::Rays(rays);
    match pretended_least().or_else(|| rays_worth_a_gpu(triangles, threads)) {
        Some(least) if rays >= least => Ok(()),
        Some(least) => Err(PlanReason::TooLittle { work, least }),
        None => Err(PlanReason::NoGpuGains { work, threads }),
    }
}

/// Returns the smallest number of path samples that makes a GPU worth its start, beside `threads` CPU threads.
#[cfg(all(feature = "cuda", feature = "render"))]
pub(crate) fn samples_worth_a_gpu(threads: usize) -> u64 {
    SAMPLES_PER_THREAD.saturating_mul(threads as u64)
}

/// Returns the number of GPUs worth starting for `samples` path samples: none below [`samples_worth_a_gpu`], else one
/// for each [`SAMPLES_PER_GPU`] begun.
#[cfg(all(feature = "cuda", feature = "render"))]
pub(crate) fn gpus_for(samples: u64, threads: usize) -> usize {
    if samples < samples_worth_a_gpu(threads) { 0 } else { samples.div_ceil(SAMPLES_PER_GPU).max(1) as usize }
}

/// Estimates the seconds that a number of path-tracing rays takes on a number of GPUs.
#[cfg(all(feature = "cuda", feature = "render"))]
pub(crate) fn gpu_path_seconds(rays: f64, gpus: usize) -> f64 {
    rays / (GPU_PATH_RAYS_PER_SECOND * gpus.max(1) as f64)
}

/// Estimates the seconds that a number of path-tracing rays takes on a number of CPU threads.
#[cfg(feature = "render")]
pub(crate) fn cpu_path_seconds(rays: f64, threads: usize) -> f64 {
    rays / (CPU_PATH_RAYS_PER_SECOND * threads.max(1) as f64)
}

/// Chooses tree options for a CPU render of `seconds` of tracing on `threads` threads, so that building and tracing
/// together take least.
///
/// Spatial splits are no choice: renders were no faster with them than with reinsertion alone.
#[cfg(feature = "render")]
pub(crate) fn cpu_tree(seconds: f64, triangles: usize, threads: usize) -> BuildOptions {
    if seconds * CPU_REINSERTION_GAIN > REINSERTION.of(triangles, threads) { presets::GOOD } else { presets::BALANCED }
}

/// Returns `true` if a CPU render of `seconds` of tracing on `threads` threads is done sooner in two levels of trees,
/// which leave out building over `triangles` triangles.
#[cfg(feature = "render")]
pub(crate) fn two_levels_are_sooner(seconds: f64, triangles: u64, threads: usize) -> bool {
    seconds * TWO_LEVELS_LOSS < BUILD.of(triangles as usize, threads)
}

/// Effort spent on building the tree for GPU path tracing. Its kernels traverse leaves of one triangle.
#[cfg(all(feature = "cuda", feature = "render"))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeEffort {
    /// Binned splits alone: the quickest build.
    Quick,
    /// Binned splits, improved by reinsertion afterwards.
    Good,
    /// Best of two trees ([`presets::GPU`]): the one of [`TreeEffort::Good`], and one with spatial splits in all but
    /// the largest nodes.
    Most,
}

#[cfg(all(feature = "cuda", feature = "render"))]
impl TreeEffort {
    /// Chooses the effort for a render of `seconds` of tracing, whose tree `threads` threads build over `triangles`
    /// triangles.
    pub(crate) fn for_render(seconds: f64, triangles: usize, threads: usize) -> Self {
        if seconds * SPLIT_GAIN > SPLITS.of(triangles, threads) {
            Self::Most
        } else if seconds * REINSERTION_GAIN > REINSERTION.of(triangles, threads) {
            Self::Good
        } else {
            Self::Quick
        }
    }

    /// Returns this effort if `free` bytes of memory suffice for it, else the effort of a single tree.
    #[cfg(all(feature = "cuda", feature = "render"))]
    pub(crate) fn with_memory(self, triangles: usize, free: u64) -> Self {
        if self == Self::Most && !two_trees_fit(triangles, free) { Self::Good } else { self }
    }

    /// Returns the tree options of this effort: of one tree, or of two of which the better one is kept.
    #[cfg(all(feature = "cuda", feature = "render"))]
    pub(crate) fn options(self) -> BuildOptions {
        let single = |options: BuildOptions| BuildOptions { max_leaf: 1, ..options };
        match self {
            Self::Quick => single(presets::BALANCED),
            Self::Good => single(presets::GOOD),
            Self::Most => presets::GPU,
        }
    }
}

fn two_trees_fit(triangles: usize, free: u64) -> bool {
    (triangles as u64).saturating_mul(TWO_TREES_BYTES) <= free
}

/// Returns `build`, with [`Builder::BestOf`] reduced to the tree without spatial splits if `free` bytes don't suffice
/// for two trees.
pub(crate) fn with_memory(build: &BuildOptions, triangles: usize, free: u64) -> BuildOptions {
    match build.builder {
        Builder::BestOf if !two_trees_fit(triangles, free) => BuildOptions { builder: Builder::BinnedSah, ..*build },
        _ => *build,
    }
}

/// Returns `build`, reduced to a single tree if this machine's free memory doesn't suffice for two.
pub(crate) fn build_in_memory(build: &BuildOptions, triangles: usize) -> BuildOptions {
    let free = raywarp_system::memory::available().unwrap_or(u64::MAX);
    with_memory(build, triangles, free)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gpu_is_worth_its_start_for_more_rays_beside_more_threads_and_in_larger_scenes() {
        let millions = |triangles, threads| rays_worth_a_gpu(triangles, threads).map(|rays| rays / 1_000_000);
        assert_eq!([0, 1, 3, 4, 16].map(|threads| millions(0, threads)), [16, 16, 51, 69, 376].map(Some));
        // A million triangles take 1.6 s more on one thread, 0.38 s on 16.
        assert_eq!([1, 16].map(|threads| millions(1_000_000, threads)), [29, 448].map(Some));
        // Beside many threads there is nothing to gain.
        assert!(millions(u64::from(u32::MAX), 49).is_some());
        assert_eq!([50, 1024].map(|threads| millions(0, threads)), [None; 2]);
    }

    #[cfg(all(feature = "cuda", feature = "render"))]
    #[test]
    fn a_gpu_is_taken_where_the_cpu_would_not_be_done_before_its_start() {
        assert_eq!([0, 1, 1_599_999].map(|samples| gpus_for(samples, 16)), [0, 0, 0]);
        assert_eq!([1_600_000, 50_331_648, 100_000_000].map(|samples| gpus_for(samples, 16)), [1, 1, 1]);
        assert_eq!([100_000_001, 805_306_368].map(|samples| gpus_for(samples, 16)), [2, 9]);
        // Without an end in sight: all there are.
        assert!(gpus_for(u64::MAX, 16) > 1 << 30);
        // As many threads as samples of a second GPU.
        assert_eq!(gpus_for(200_000_000, 2_000), 2);
        assert_eq!(gpus_for(0, 0), 1);
    }

    #[cfg(all(feature = "cuda", feature = "render"))]
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

    #[cfg(all(feature = "cuda", feature = "render"))]
    #[test]
    fn a_second_tree_is_left_out_where_there_is_no_memory_for_both() {
        let with = |effort: TreeEffort, free| effort.with_memory(1000, free);
        let [quick, good, most] = [TreeEffort::Quick, TreeEffort::Good, TreeEffort::Most];
        assert_eq!([0, 1000 * TWO_TREES_BYTES - 1].map(|free| with(most, free)), [good, good]);
        assert_eq!([1000 * TWO_TREES_BYTES, u64::MAX].map(|free| with(most, free)), [most, most]);
        assert_eq!([quick, good].map(|effort| with(effort, 0)), [quick, good]);
        let whole = BuildOptions { builder: Builder::BinnedSah, ..presets::SINGLE_SPLIT_INNER };
        let with = |build, free| with_memory(&build, 1000, free);
        assert_eq!([0, 1000 * TWO_TREES_BYTES - 1].map(|free| with(presets::GPU, free)), [whole; 2]);
        assert_eq!(with(presets::GPU, 1000 * TWO_TREES_BYTES), presets::GPU);
        assert_eq!(
            [presets::BEST, presets::SINGLE_SPLIT].map(|build| with(build, 0)),
            [presets::BEST, presets::SINGLE_SPLIT]
        );
    }
}
