//! Request of a measurement, and its observer.

use crate::Subject;
use raywarp_bvh::BuildOptions;
use raywarp_cuda::LaunchBounds;
use raywarp_geom::Ray;
use raywarp_scene::views::View;
use raywarp_workload::rays::{Order, RayKind, Workload};
use std::sync::atomic::{AtomicBool, Ordering};

/// Settings of a benchmark on a scene: rays, kernels, trees, and numbers of runs.
#[derive(Debug, Clone)]
pub struct BenchRequest {
    /// Workload that defines how the rays are made.
    pub workload: Workload,
    /// Number of rays of each kind from a primary hit; `None` for the workload's own.
    pub rays_per_pixel: Option<u32>,
    /// Kinds and orders of rays, one for each column of the tables.
    pub columns: Vec<RayColumn>,
    /// Width and height of a view in pixels.
    pub size: [u32; 2],
    /// `true` if the rays of all views are traced in one launch.
    pub one_launch: bool,
    /// Subjects (kernels and tracers) that are measured, in the order of the tables.
    pub subjects: Vec<Subject>,
    /// Subjects that the user did not name, and the kernel to measure in place of one of them if its tree cannot hold
    /// the scene.
    pub instead: Option<(Vec<Subject>, Subject)>,
    /// Build options of the trees: every subject walks all of them, with leaves no larger than its nodes can hold.
    pub builds: Vec<BuildOptions>,
    /// Launch bounds (block size and register limit) under which every subject runs. Other than the default on GPUs
    /// only.
    pub bounds: Vec<LaunchBounds>,
    /// Number of lanes of the warps in which a CPU emulates kernels.
    pub width: u32,
    /// Number of untimed first runs.
    pub warmup: u32,
    /// Number of timed runs, at least 1.
    pub runs: u32,
    /// Number of rays that are compared with the reference tracer's hits: some or all.
    pub check: CheckSize,
    /// `true` to time each launch as two halves, too, which shows the time of its start and tail.
    pub halves: bool,
}

/// A column of the tables: rays in an order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct RayColumn {
    /// Set of rays that the column is about.
    pub rays: RaySet,
    /// Order of the rays in a launch.
    pub order: RayOrder,
}

/// A set of rays that is measured together.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RaySet {
    /// Rays of one kind, as the workload makes them.
    Kind(RayKind),
    /// Rays that are read from a file.
    File {
        /// Name of the file's rays in tables.
        name: String,
        /// `true` if the rays ask for any hit, `false` if for the closest one.
        any: bool,
    },
}

/// Processor seconds of 2021 that emulating a kernel takes for a ray.
const EMULATED_RAY: f64 = 7e-6;

impl BenchRequest {
    /// Returns about how many seconds `threads` threads of a CPU take to emulate the request's kernels on so many views
    /// of a scene; 0 where no kernel is emulated. Trees, other tracers and checks are not in it.
    pub fn emulation_seconds(&self, views: usize, threads: usize) -> f64 {
        let kernels = self.subjects.iter().filter(|subject| matches!(subject, Subject::Kernel(_))).count();
        let pixels = f64::from(self.size[0]) * f64::from(self.size[1]) * views as f64;
        let a_pixel = self.rays_per_pixel.unwrap_or_else(|| self.workload.rays_per_pixel());
        let rays = |column: &RayColumn| match column.kind() {
            Some(RayKind::Primary) => pixels,
            Some(_) => pixels * f64::from(a_pixel),
            None => 0.0,
        };
        let rays: f64 = self.columns.iter().map(rays).sum();
        let runs = f64::from(self.warmup + self.runs) * self.builds.len() as f64 * self.bounds.len().max(1) as f64;
        rays * kernels as f64 * runs * EMULATED_RAY / threads.max(1) as f64
    }
}

impl RaySet {
    /// Returns the name of the set of rays in tables: its kind or its file.
    pub fn name(&self) -> &str {
        match self {
            Self::Kind(kind) => kind.name(),
            Self::File { name, .. } => name,
        }
    }

    /// Returns `true` if the rays ask for any hit rather than the closest one.
    pub fn is_any(&self) -> bool {
        match self {
            Self::Kind(kind) => kind.is_any(),
            Self::File { any, .. } => *any,
        }
    }
}

impl RayColumn {
    /// Makes the column of a kind of the workload's rays in an order.
    pub fn of(kind: RayKind, order: RayOrder) -> Self {
        Self { rays: RaySet::Kind(kind), order }
    }

    /// Returns the kind of the column's rays; `None` for rays of a file.
    pub fn kind(&self) -> Option<RayKind> {
        match self.rays {
            RaySet::Kind(kind) => Some(kind),
            RaySet::File { .. } => None,
        }
    }

    /// Returns the name of the column in tables: that of the rays, and of their order if it is not the workload's.
    pub fn name(&self) -> String {
        match self.order {
            RayOrder::Workload => self.rays.name().to_string(),
            order => format!("{} {}", self.rays.name(), order.name()),
        }
    }

    /// Returns the name of the rays' order in tables; for rays of a file, that of the file's order.
    pub fn order_name(&self) -> &'static str {
        match (&self.rays, self.order) {
            (RaySet::File { .. }, RayOrder::Workload) => "file",
            (_, order) => order.name(),
        }
    }
}

/// Source of the rays of a run: viewpoints, or given lists.
#[derive(Debug, Clone)]
pub enum RaySource<'a> {
    /// Rays are made for each of these viewpoints; all columns are [`RaySet::Kind`].
    Views(&'a [View]),
    /// Rays are given as one list for each column, which is [`RaySet::File`]. No list is empty and all rays are valid.
    Lists(Vec<Vec<Ray>>),
}

/// Seed of the random order [`RayOrder::Shuffled`].
pub(crate) const SHUFFLE_SEED: u32 = 0;

/// Order of the rays in a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum RayOrder {
    /// Order in which the workload makes the rays, or that of the file.
    #[default]
    Workload,
    /// Rays sorted by a Morton key, in batches of 2^20; the sort is timed separately.
    Morton,
    /// Rays shuffled over the whole view (AL09 6).
    Shuffled,
}

impl RayOrder {
    /// Returns the name of the order of rays in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Workload => "workload",
            Self::Morton => "sorted",
            Self::Shuffled => "shuffled",
        }
    }

    /// Returns the order in which the rays are first made, before they are sorted. Sorting comes after, so that it can
    /// be timed.
    pub(crate) fn made(self) -> Order {
        match self {
            Self::Workload | Self::Morton => Order::Workload,
            Self::Shuffled => Order::Shuffled(SHUFFLE_SEED),
        }
    }
}

/// Number of rays of each kind and view that are compared with the reference tracer's hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckSize {
    /// About this many rays are compared, evenly spread.
    Sample(usize),
    /// Every ray is compared.
    All,
}

impl CheckSize {
    /// Returns the step from one checked ray to the next, of `count` rays. Odd, so that all lanes of a warp are
    /// checked.
    pub(crate) fn step(self, count: usize) -> usize {
        match self {
            Self::All => 1,
            Self::Sample(sample) => match count / sample.max(1) {
                0 | 1 => 1,
                step => step | 1,
            },
        }
    }
}

/// Callback that is given the rays of each column: the name of column and view, and the rays. What it says stops the
/// run.
pub type Export<'a> = &'a dyn Fn(&str, &[Ray]) -> Result<(), String>;

/// Observer of a benchmark run, which can stop it.
#[derive(Clone, Copy, Default)]
pub struct BenchWatch<'a> {
    /// Flag that ends the run soon when it becomes `true`; the results so far are kept.
    pub cancel: Option<&'a AtomicBool>,
    /// Callback that is told each step that was just done, as a line of text.
    pub say: Option<&'a dyn Fn(String)>,
    /// Callback that is told the number of kernels measured on all trees so far, and the number of all.
    pub progress: Option<&'a dyn Fn(usize, usize)>,
    /// Callback that is given all rays of the run.
    pub export: Option<Export<'a>>,
}

impl BenchWatch<'_> {
    pub(crate) fn is_cancelled(&self) -> bool {
        self.cancel.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    pub(crate) fn progress(&self, done: usize, all: usize) {
        if let Some(progress) = self.progress {
            progress(done, all);
        }
    }

    pub(crate) fn say(&self, line: impl FnOnce() -> String) {
        if let Some(say) = self.say {
            say(line());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_are_about_as_large_as_asked_and_visit_every_lane() {
        for count in [0, 1, 5, 1000, 786_432, 6_291_456] {
            for sample in [1, 7, 4096, 65_536] {
                let step = CheckSize::Sample(sample).step(count);
                let taken = count.div_ceil(step);
                assert!(taken <= 2 * sample && 2 * taken >= sample.min(count), "{count} {sample}: {taken}");
                assert!(step == 1 || step % 2 == 1);
            }
            assert_eq!(CheckSize::All.step(count), 1);
        }
    }
}
