//! Request of a measurement, and its observer.

use crate::Subject;
use raywarp_bvh::BuildOptions;
use raywarp_cuda::LaunchBounds;
use raywarp_geom::Ray;
use raywarp_scene::views::View;
use raywarp_workload::rays::{Order, RayKind, Workload};
use std::sync::atomic::{AtomicBool, Ordering};

/// Measurements to make on a scene.
#[derive(Debug, Clone)]
pub struct BenchRequest {
    /// Workload that defines the rays.
    pub workload: Workload,
    /// Rays of each kind from a primary hit; the workload's own when none.
    pub rays_per_pixel: Option<u32>,
    /// Rays and their orders: a column of the table each.
    pub columns: Vec<Column>,
    /// Pixels of a view.
    pub size: [u32; 2],
    /// `true` if the rays of all views go into one launch.
    pub one_launch: bool,
    /// Subjects that are measured, in the table's order.
    pub subjects: Vec<Subject>,
    /// Subjects that nobody named, and the kernel that is measured in the place of one of them where that cannot hold a
    /// scene.
    pub instead: Option<(Vec<Subject>, Subject)>,
    /// Trees to build: every subject walks all of them, or the nearest that its nodes can hold.
    pub builds: Vec<BuildOptions>,
    /// Block sizes and register limits: every subject runs under each. Other than the default on GPUs only.
    pub bounds: Vec<LaunchBounds>,
    /// Lanes of a warp where a CPU runs a kernel.
    pub width: u32,
    /// Runs before those that count.
    pub warmup: u32,
    /// Runs that count, at least 1.
    pub runs: u32,
    /// Number of rays that are compared with the reference's.
    pub check: CheckSize,
    /// `true` if each launch is timed in two halves as well: what they take more than the whole is a launch's start and
    /// tail.
    pub halves: bool,
}

/// Rays in an order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Column {
    /// Rays of the column.
    pub rays: RaySet,
    /// Order of the rays.
    pub order: RayOrder,
}

/// Rays that are measured together.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum RaySet {
    /// Rays of a kind, as the workload makes them.
    Kind(RayKind),
    /// Rays of a file.
    File {
        /// Name of the rays in tables.
        name: String,
        /// `true` if the query is any-hit.
        any: bool,
    },
}

impl RaySet {
    /// Returns the name of the rays in tables.
    pub fn name(&self) -> &str {
        match self {
            Self::Kind(kind) => kind.name(),
            Self::File { name, .. } => name,
        }
    }

    /// Returns `true` if the query is any-hit rather than closest-hit.
    pub fn is_any(&self) -> bool {
        match self {
            Self::Kind(kind) => kind.is_any(),
            Self::File { any, .. } => *any,
        }
    }
}

impl Column {
    /// Makes the column of a workload's rays in an order.
    pub fn of(kind: RayKind, order: RayOrder) -> Self {
        Self { rays: RaySet::Kind(kind), order }
    }

    /// Returns the kind of a workload's rays; `None` for a file's.
    pub fn kind(&self) -> Option<RayKind> {
        match self.rays {
            RaySet::Kind(kind) => Some(kind),
            RaySet::File { .. } => None,
        }
    }

    /// Returns the name of the column in tables.
    pub fn name(&self) -> String {
        match self.order {
            RayOrder::Workload => self.rays.name().to_string(),
            order => format!("{} {}", self.rays.name(), order.name()),
        }
    }

    /// Returns the name of its order in tables: a file's rays are in the file's.
    pub fn order_name(&self) -> &'static str {
        match (&self.rays, self.order) {
            (RaySet::File { .. }, RayOrder::Workload) => "file",
            (_, order) => order.name(),
        }
    }
}

/// Source of the rays of a run.
#[derive(Debug, Clone)]
pub enum RaySource<'a> {
    /// They are made for each of these viewpoints; all columns are [`RaySet::Kind`].
    Views(&'a [View]),
    /// They are given: a list for each column, which is [`RaySet::File`]. No list is empty and all rays are valid.
    Lists(Vec<Vec<Ray>>),
}

/// Seed of [`RayOrder::Shuffled`].
pub(crate) const SHUFFLE_SEED: u32 = 0;

/// The order of rays in a launch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum RayOrder {
    /// Order that the workload defines, or that a file has.
    #[default]
    Workload,
    /// Sorted by a Morton key in batches of 2^20; the sort is timed apart.
    Morton,
    /// Shuffled over the whole view (AL09 6).
    Shuffled,
}

impl RayOrder {
    /// Returns the name of the order in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Workload => "workload",
            Self::Morton => "sorted",
            Self::Shuffled => "shuffled",
        }
    }

    /// Returns the order in which batches are made. Sorting comes after, so that it can be timed.
    pub(crate) fn made(self) -> Order {
        match self {
            Self::Workload | Self::Morton => Order::Workload,
            Self::Shuffled => Order::Shuffled(SHUFFLE_SEED),
        }
    }
}

/// Number of rays of each kind and view that are compared with the reference's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CheckSize {
    /// About so many, evenly spread.
    Sample(usize),
    /// Every ray is compared.
    All,
}

impl CheckSize {
    /// Returns the step from one checked ray to the next of `count`. Odd, so that all lanes of a warp have their turn.
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

/// Takes the rays of a column: its name with the view's, and the rays. What it says stops the run.
pub type Export<'a> = &'a dyn Fn(&str, &[Ray]) -> Result<(), String>;

/// Observer of a run, which may stop it.
#[derive(Clone, Copy, Default)]
pub struct Watch<'a> {
    /// Once true, the run ends soon with what it has.
    pub cancel: Option<&'a AtomicBool>,
    /// Callback that is told what was just done, a line at a time.
    pub say: Option<&'a dyn Fn(String)>,
    /// Callback that is told how many kernels are measured, on all trees, and of how many.
    pub progress: Option<&'a dyn Fn(usize, usize)>,
    /// Given all rays.
    pub export: Option<Export<'a>>,
}

impl Watch<'_> {
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
