//! Time that our numbers of an exhibit take, foretold from what is done for each ray, triangle and kernel.
//!
//! The constants are seconds of one thread of an EPYC of 2021, fitted to runs of 29 November 2026 (the test below has
//! them).

use super::exhibit::{Exhibit, Making, SimulatedKernels, own_sample};
use super::make::TREES;
use super::sampled::DRAWS;
use raywarp_family::Variant;
use raywarp_sim::machine::{Machine, keys};
use raywarp_study::simulate::Experiment;
use raywarp_workload::rays::{BATCH, Order, RESOLUTION, RayKind, Workload, batches_made};

/// What a view's rays hit, for a pixel.
const PER_PIXEL: f64 = 6e-7;
/// Making and sorting a ray of a sorted batch, which is made whole whatever is sampled of it.
const PER_SORTED: f64 = 4.5e-7;
/// A ray of the sample, traced by a kernel.
const PER_TRACED: f64 = 9e-6;
/// The same through the caches of a machine.
const PER_CACHED: f64 = 1.1e-5;
/// A ray whose operations are written down once and replayed by each kernel of an experiment.
const PER_REPLAYED: f64 = 2e-6;
/// Dealing warps out to multiprocessors in many ways, whatever their number.
const DEALING: f64 = 8.0;
/// A ray of the sample whose warps are timed and dealt out.
const PER_DEALT: f64 = 5e-6;
/// A triangle and level of a tree that is built.
const PER_LEVEL: f64 = 1e-7;
/// Levels of a tree in which a ray takes as long as said above (sibenik).
const LEVELS: f64 = 16.0;
/// Share of the work that one thread does alone.
const ALONE: f64 = 0.3;
/// Seconds of a thread for the rays that a GPU traces in a scene, and for a kernel's hits of them.
const RAYS_TO_MEASURE: usize = 480;
const CHECK_OF_A_KERNEL: usize = 80;

/// Size of a scene, as far as time depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SceneSize {
    /// Number of its triangles.
    pub triangles: u64,
    /// Number of its viewpoints.
    pub views: usize,
}

/// Returns about how many seconds it takes to simulate an exhibit on these scenes, with so many threads. `sample` is
/// the number of rays of a kind and view in place of the exhibit's own.
pub fn seconds(
    exhibit: &Exhibit,
    scenes: &[SceneSize],
    sample: Option<usize>,
    threads: usize,
    has_intervals: bool,
) -> f64 {
    let rays = sample.or(own_sample(exhibit)).unwrap_or(0);
    let of_scene = |scene: &SceneSize| {
        let [draws, part] = if has_intervals { [DRAWS, rays / DRAWS] } else { [0, 0] };
        work(exhibit, *scene, rays) + draws as f64 * work(exhibit, *scene, part)
    };
    let alone = scenes.iter().map(of_scene).sum::<f64>();
    alone * (ALONE + (1.0 - ALONE) / threads.max(1) as f64)
}

/// Returns about how many seconds it takes to measure an exhibit's kernels on a GPU on so many scenes: mostly the time
/// of so many threads that make and check the rays.
pub fn measuring_seconds(exhibit: &Exhibit, scenes: usize, threads: usize) -> f64 {
    let kernels = if let Making::Kernels(kernels) = exhibit.making { kernels.runs.len() } else { 0 };
    (scenes * (RAYS_TO_MEASURE + kernels * CHECK_OF_A_KERNEL)) as f64 / threads.max(1) as f64
}

/// Returns the seconds of one thread for an exhibit's numbers of a sample.
fn work(exhibit: &Exhibit, scene: SceneSize, sample: usize) -> f64 {
    let levels = (scene.triangles.max(2) as f64).log2();
    let tree = scene.triangles as f64 * levels * PER_LEVEL;
    // Deeper trees take rays longer.
    let depth = levels / LEVELS;
    match exhibit.making {
        Making::Gpu => 0.0,
        Making::Nodes => TREES.len() as f64 * tree,
        Making::Kernels(kernels) => {
            let of_orders = |kernels: &SimulatedKernels| {
                let leaves = kernels.leaves.len().max(1) as f64;
                let of_order = |&(order, _): &(Order, &str)| {
                    let launch = Launch { workload: kernels.workload, kinds: kernels.kinds, order, views: scene.views };
                    let traced = launch.sampled(sample) * leaves * of_kernels(kernels) * depth;
                    launch.making(sample, depth) + (1.0 + leaves) * tree + traced
                };
                kernels.orders.iter().map(of_order).sum::<f64>()
            };
            kernels.all().map(of_orders).sum()
        }
        Making::Experiment(which, _) => {
            let launch =
                Launch { workload: Workload::Al09, kinds: &RayKind::ALL, order: Order::Workload, views: scene.views };
            let [fixed, per_ray] = match which {
                Experiment::Distribution => [DEALING, PER_DEALT],
                _ => [0.0, (1 + which.steps()) as f64 * PER_REPLAYED],
            };
            launch.making(sample, depth) + 2.0 * tree + fixed + launch.sampled(sample) * per_ray * depth
        }
    }
}

/// Returns the seconds of one thread for a ray that all kernels trace, each on all machines.
fn of_kernels(kernels: &SimulatedKernels) -> f64 {
    let mut variants: Vec<Variant> = kernels.runs.iter().filter_map(|(_, kernel, _)| kernel.parse().ok()).collect();
    variants.sort_unstable_by_key(ToString::to_string);
    variants.dedup();
    let mut machines: Vec<&str> = kernels.runs.iter().map(|(machine, ..)| *machine).collect();
    machines.dedup();
    let has_caches = |name: &&&str| Machine::find(name).is_ok_and(|machine| machine.get(keys::L1_BYTES).is_some());
    let caches = machines.iter().filter(has_caches).count() as f64;
    // Many lanes of a ray do the same work.
    let cost = |variant: &Variant| (f64::from(variant.lanes_per_ray()) / 6.0).max(1.0) * PER_TRACED;
    variants.iter().map(|variant| cost(variant) + caches * PER_CACHED).sum()
}

/// The rays of a workload of which a sample is taken.
struct Launch<'a> {
    workload: Workload,
    kinds: &'a [RayKind],
    order: Order,
    views: usize,
}

impl Launch<'_> {
    /// Returns the number of rays of a kind from a view, if each pixel sees something.
    fn of_kind(&self, kind: RayKind) -> u64 {
        let pixels = RESOLUTION.iter().map(|side| u64::from(*side)).product::<u64>();
        pixels * if kind == RayKind::Primary { 1 } else { u64::from(self.workload.rays_per_pixel()) }
    }

    /// Returns the number of rays in the sample.
    fn sampled(&self, sample: usize) -> f64 {
        let one = |&kind: &RayKind| self.of_kind(kind).min(sample as u64);
        self.kinds.iter().map(one).sum::<u64>() as f64 * self.views as f64
    }

    /// Returns the seconds of one thread in which the rays are made.
    fn making(&self, sample: usize, depth: f64) -> f64 {
        let is_sorted = |kind: &&RayKind| self.order == Order::Workload && self.workload.sorts(**kind);
        let sorted = |&kind: &RayKind| {
            let all = self.of_kind(kind);
            batches_made(all.div_ceil(BATCH as u64), (all / sample.max(1) as u64).max(1)) * BATCH as u64
        };
        let sorted = self.kinds.iter().filter(is_sorted).map(sorted).sum::<u64>() as f64;
        let pixels = self.of_kind(RayKind::Primary) as f64;
        self.views as f64 * (pixels * PER_PIXEL * depth + sorted * PER_SORTED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paper::{Paper, find};

    const SIBENIK: SceneSize = SceneSize { triangles: 75_284, views: 5 };
    const CONFERENCE: SceneSize = SceneSize { triangles: 331_179, views: 5 };

    fn foretold(name: &str, scene: SceneSize, sample: impl Into<Option<usize>>) -> f64 {
        let (paper, name) = name.split_once(' ').unwrap();
        seconds(find(Paper::parse(paper).unwrap(), name).unwrap(), &[scene], sample.into(), 2, false)
    }

    #[test]
    fn more_takes_longer() {
        for name in ["al09 table1", "al09 times", "al09 shuffled", "al09 queue", "g14 table2"] {
            let of = |scene, sample: usize| foretold(name, scene, sample);
            assert!(of(SIBENIK, 100_000) > of(SIBENIK, 1000) + 1.0, "{name}");
            assert!(of(CONFERENCE, 1000) > of(SIBENIK, 1000), "{name}");
            let [key, name] = [&name[..name.find(' ').unwrap()], &name[name.find(' ').unwrap() + 1..]];
            let exhibit = find(Paper::parse(key).unwrap(), name).unwrap();
            let of = |scenes: &[SceneSize], threads, has_intervals| {
                seconds(exhibit, scenes, Some(1000), threads, has_intervals)
            };
            assert!((of(&[SIBENIK; 3], 2, false) - 3.0 * of(&[SIBENIK], 2, false)).abs() < 1e-9, "{name}");
            assert!(of(&[SIBENIK], 2, false) > 1.5 * of(&[SIBENIK], 8, false), "{name}");
            // As many rays again are traced, and made for each of five further samples.
            assert!(of(&[SIBENIK], 2, true) > 2.0 * of(&[SIBENIK], 2, false), "{name}");
        }
        assert!(foretold("al09 nodes", CONFERENCE, None) > 4.0 * foretold("al09 nodes", SIBENIK, None));
        assert_eq!(foretold("w11 table1", SIBENIK, None), 0.0);
    }

    #[test]
    fn a_sample_takes_a_fixed_time_and_more_for_each_ray() {
        // Processor seconds of runs on two cores of a busy EPYC, 29 November 2026. Whole batches of rays are made and
        // sorted for the smallest sample, which is most of its time.
        for (sample, taken) in [
            (256, 26.6),
            (2000, 28.2),
            (10_000, 36.0),
            (20_000, 36.9),
            (50_000, 38.4),
            (200_000, 50.2),
            (600_000, 79.9),
        ] {
            let times = find(Paper::Al09, "times").unwrap();
            let foretold = seconds(times, &[SIBENIK], Some(sample), 1, false);
            assert!((0.75..1.3).contains(&(foretold / taken)), "{sample}: {foretold}, taken {taken}");
        }
        let of = |sample: usize| foretold("al09 times", SIBENIK, sample);
        assert!(of(600_000) > 2.0 * of(256) && of(10_000) > of(256) + 0.4, "{} {}", of(256), of(600_000));
    }

    #[test]
    fn times_are_those_of_runs_within_a_factor_of_two() {
        // By two threads, 29 November 2026; None is the exhibit's own sample.
        for (name, scene, sample, taken) in [
            ("al09 nodes", SIBENIK, None, 0.31),
            ("al09 nodes", CONFERENCE, None, 1.56),
            // Of 27.0 processor seconds on a busy machine, three tenths by one thread alone.
            ("al09 table1", SIBENIK, Some(2000), 17.6),
            ("al09 table1", SIBENIK, None, 65.2),
            ("al09 speculation", SIBENIK, Some(2000), 14.9),
            ("al09 speculation", SIBENIK, Some(20_000), 16.6),
            ("al09 leaves", SIBENIK, Some(20_000), 20.3),
            ("al09 leaves", CONFERENCE, Some(2000), 16.8),
            ("al09 replacement", SIBENIK, Some(2000), 16.8),
            ("al09 replacement", SIBENIK, Some(20_000), 43.2),
            ("al09 queue", SIBENIK, None, 31.0),
            ("al09 wide", SIBENIK, Some(20_000), 37.4),
            ("al09 shuffled", SIBENIK, Some(20_000), 15.0),
            ("al09 width", SIBENIK, Some(2000), 16.3),
            ("alk12 table1", SIBENIK, Some(2000), 21.6),
            ("g14 table1", CONFERENCE, Some(20_000), 13.2),
            ("g14 table2", SIBENIK, Some(20_000), 25.6),
            ("g14 table2", SIBENIK, None, 37.2),
        ] {
            let foretold = foretold(name, scene, sample);
            assert!((0.5..2.0).contains(&(foretold / taken)), "{name} {sample:?}: {foretold}, taken {taken}");
        }
    }
}
