//! Kernels' measured rates beside what they could be: the bounds of the same rays, and where the time went.
//!
//! A benchmark that is simulated as well and a recorded one both end in [`beside_bounds`]: the one with the rates
//! of its run ([`rates_of`]), the other with those of a recorded one ([`read_measured`]).

mod bounding;
mod file;
mod machine;
mod report;
mod shares;
mod sheet;

use bounding::{Found, bound_all};
pub use file::{MeasuredRate, rates_of, read_measured};
pub use machine::{ClockUsed, GpuFacts, machine_of, set_clock};
pub use shares::TimeShare;

use crate::kernel_then::{KernelThen, kernels_then};
use crate::launch::{MOST_ASSUMED, Prediction};
use crate::simulate::{SimulateError, stopped};
use crate::table_fault::TableFault;
use raywarp_bench::{DataHash, RayOrder, Subject};
use raywarp_family::Variant;
use raywarp_geom::Control;
use raywarp_scene::views::View;
use raywarp_scene::{Description, flatten};
use raywarp_sim::bounds::{Bound, Class, lowest};
use raywarp_sim::machine::Machine;
use raywarp_workload::rays::RayKind;

/// Settings of a comparison of measured rates on a scene with bounds by simulation.
#[derive(Debug, Clone)]
pub struct MeasuredRequest {
    /// Name of the scene.
    pub scene: String,
    /// Viewpoints of the run with their numbers.
    pub views: Vec<(usize, View)>,
    /// Width and height of a view in pixels.
    pub size: [u32; 2],
    /// Number of rays of a pixel, the same for AO as for diffuse rays; `None` for the workload's default.
    pub rays_per_pixel: Option<u32>,
    /// Approximate number of rays of each kind and view that are simulated.
    pub sample: usize,
    /// Machine on which the rates were measured, at its clock then.
    pub machine: Machine,
    /// Text that says where the machine's clock rate is from.
    pub clock: String,
    /// Measured rates on this scene; a row of all viewpoints comes before those of each.
    pub rates: Vec<MeasuredRate>,
}

/// Returns of which viewpoint rays are, behind their kind.
fn of_view(view: Option<usize>) -> String {
    view.map_or_else(|| " of all views".to_string(), |view| format!(" of view {view}"))
}

/// Reason why measured rates cannot be read or compared with bounds.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MeasuredError {
    /// A line of the table of measured rates is wrong.
    #[error("line {line}: {fault}; `record::files` writes such tables")]
    Line {
        /// Number of the wrong line, from 1.
        line: usize,
        /// What is wrong there.
        fault: TableFault,
    },
    /// The rays made here are not as many as were measured.
    #[error(
        "{measured} {kind} rays were measured, but here are {found}: give the scene, size, views and rays a pixel of that run"
    )]
    Rays {
        /// Kind of the rays.
        kind: &'static str,
        /// Number of rays in the benchmark run.
        measured: u64,
        /// Number of rays made here.
        found: u64,
    },
    /// As many rays are made here as were measured, and others.
    #[error(
        "{kind} rays{} have the hash {measured} in the run, and {found} here: give the scene file, size and views of that run; of another program's rays nothing is foretold",
        of_view(*view)
    )]
    OtherRays {
        /// Kind of the rays.
        kind: &'static str,
        /// Number of the viewpoint; `None` for all together.
        view: Option<usize>,
        /// Hash of the rays in the benchmark run.
        measured: DataHash,
        /// Hash of the rays made here.
        found: DataHash,
    },
    /// The run has a viewpoint that the scene lacks here.
    #[error("view {0} was measured, which is not among the scene's here")]
    View(usize),
    /// The simulation of the launches failed, or was stopped.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
}

impl MeasuredRequest {
    /// Returns `true` if some kernel of the rates has changed since the run, or if nobody knows of one: what the first
    /// lines of the report will say.
    pub fn has_older_kernels(&self) -> bool {
        !crate::kernel_then::warnings(&then(self.rates.iter(), &self.machine)).is_empty()
    }
}

/// Returns the kernels of rates, each with whether its machine code is today's.
fn then<'a>(rates: impl Iterator<Item = &'a MeasuredRate>, machine: &Machine) -> Vec<KernelThen> {
    kernels_then(rates.filter_map(|rate| Some((studied_kernel(rate)?, rate.kind, rate.code.as_ref()))), machine)
}

/// A measured rate with the bounds of the kernel on the same rays.
#[derive(Debug, Clone)]
pub struct MeasuredRow {
    /// Rate that was measured.
    pub rate: MeasuredRate,
    /// `true` if the row is of one viewpoint, and another row is of all.
    pub is_part: bool,
    /// Bounds of the rate; empty where the kernel's costs are not known.
    pub bounds: Vec<Bound>,
    /// Rate in rays a second by the clock-by-clock model ([`raywarp_sim::pace`]).
    pub expected: Option<f64>,
    /// Predicted rate with an interval: the model's, times the ratio of measured to modelled rates; `None` where
    /// nothing was measured on the machine, and for several viewpoints together.
    pub prediction: Option<Prediction>,
    /// Fraction of the instructions, 0 to 1, whose formulas no profiler has confirmed; `None` where the kernel's costs
    /// are not known.
    pub assumed: Option<f64>,
    /// Number of warp instructions per ray.
    pub instructions: Option<f64>,
    /// Fractions of the median launch's time by what took it, which sum to 1.
    pub shares: Option<Vec<(TimeShare, f64)>>,
}

impl MeasuredRow {
    fn without_costs(rate: &MeasuredRate, is_part: bool) -> Self {
        Self {
            rate: rate.clone(),
            is_part,
            bounds: Vec::new(),
            expected: None,
            prediction: None,
            assumed: None,
            instructions: None,
            shares: None,
        }
    }

    /// Returns the lowest of the bounds.
    pub fn lowest(&self) -> Option<&Bound> {
        lowest(&self.bounds)
    }

    /// Returns the median rate divided by the lowest bound.
    pub fn ratio(&self) -> Option<f64> {
        self.lowest().map(|bound| self.rate.rays_per_s / bound.rays_per_s)
    }

    /// Returns the lowest strict bound that the fastest launch exceeded, which shows an error in one of the two.
    pub fn above_strict(&self) -> Option<&Bound> {
        let strict = self.bounds.iter().filter(|bound| bound.class == Class::Strict);
        lowest(strict).filter(|bound| self.rate.most_rays_per_s > bound.rays_per_s)
    }

    /// Returns `true` if no profiler has confirmed the formulas of more than a fifth of the instructions.
    pub fn is_guess(&self) -> bool {
        self.assumed.is_some_and(|assumed| assumed > MOST_ASSUMED)
    }
}

/// A tree that was measured and cannot be built again, as the scene or program is another version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OtherTree {
    /// Name of the tree.
    pub tree: String,
    /// Largest number of triangles in a leaf.
    pub max_leaf: u32,
    /// Number of nodes in the run that was measured.
    pub measured: usize,
    /// Number of nodes of the tree built here with the same options.
    pub found: usize,
}

/// Measured rates on a scene with their bounds.
#[derive(Debug, Clone)]
pub struct MeasuredReport {
    request: MeasuredRequest,
    /// Measured rates in the order of the run's table; with a single viewpoint there is no row of all.
    pub rows: Vec<MeasuredRow>,
    /// Trees that differ from those of the run, though built with its options; rates on them have no bounds.
    pub other_trees: Vec<OtherTree>,
    /// For each kind of rays, the largest number that was simulated of a launch, and the launch's number.
    pub rays: crate::simulate::RayCounts,
    /// `true` if the caller stopped the run, so that some rows have no bounds.
    pub interrupted: bool,
}

impl MeasuredReport {
    /// Returns `true` if no measured rate exceeds a strict bound.
    pub fn passes(&self) -> bool {
        self.rows.iter().all(|row| row.above_strict().is_none())
    }

    /// Returns the kernels of the rates that have bounds, each with whether its machine code is today's.
    pub fn kernels_then(&self) -> Vec<KernelThen> {
        then(self.rows.iter().map(|row| &row.rate), &self.request.machine)
    }

    /// Returns the machine on which the rates were measured.
    pub(crate) fn machine(&self) -> &Machine {
        &self.request.machine
    }

    /// Returns the fastest row of a kernel for a kind of rays in the workload's order, on any tree; of all viewpoints,
    /// if there are several.
    pub(crate) fn fastest(&self, kind: RayKind, variant: &Variant) -> Option<&MeasuredRow> {
        let same = |row: &&MeasuredRow| {
            let kernel = studied_kernel(&row.rate).as_ref() == Some(variant);
            kernel && row.rate.kind == kind && row.rate.order == RayOrder::Workload && !row.is_part
        };
        self.rows.iter().filter(same).max_by(|a, b| a.rate.rays_per_s.total_cmp(&b.rate.rays_per_s))
    }
}

/// Rays that a row of measured rates is about.
enum Job {
    /// Rays of one launch, from these viewpoints of the request.
    Launch(Vec<usize>),
    /// Rays of several rows together, which are of one viewpoint each.
    Total(Vec<usize>),
}

/// Returns `true` if two rows only differ in the viewpoint.
fn same_line(a: &MeasuredRate, b: &MeasuredRate) -> bool {
    let key = |rate: &MeasuredRate| (rate.workload, rate.kind, rate.order, rate.subject, rate.build, rate.bounds);
    key(a) == key(b) && a.tree == b.tree
}

/// Returns each row with the rays that it is about; leaves out rows of all viewpoints if there is only one.
fn jobs(request: &MeasuredRequest) -> Result<Vec<(MeasuredRate, bool, Job)>, MeasuredError> {
    let rates = &request.rates;
    let mut jobs: Vec<(MeasuredRate, bool, Job)> = Vec::new();
    let mut next = 0;
    while let Some(first) = rates.get(next) {
        let is_total = first.view.is_none();
        let start = next + usize::from(is_total);
        let of_line = |rate: &&MeasuredRate| rate.view.is_some() && same_line(rate, first);
        let views: Vec<&MeasuredRate> = rates[start..].iter().take_while(of_line).collect();
        next = start + views.len();
        let is_part = is_total && views.len() > 1;
        if is_part {
            let own = jobs.len() + 1;
            jobs.push((first.clone(), false, Job::Total((own..own + views.len()).collect())));
        } else if is_total && views.is_empty() {
            jobs.push((first.clone(), false, Job::Launch((0..request.views.len()).collect())));
        }
        for rate in views {
            let number = rate.view.unwrap_or_default();
            let place = request.views.iter().position(|(known, _)| *known == number);
            jobs.push((rate.clone(), is_part, Job::Launch(vec![place.ok_or(MeasuredError::View(number))?])));
        }
    }
    Ok(jobs)
}

/// Returns the kernel of a row if its instruction costs can be known: one of the family, with its own launch bounds.
fn studied_kernel(rate: &MeasuredRate) -> Option<Variant> {
    match rate.subject {
        Subject::Kernel(variant) if rate.bounds.are_default() => Some(variant),
        _ => None,
    }
}

/// Simulates the measured launches with the same rays and trees, and returns their rates with bounds. All triangles
/// count as opaque, as in the run.
///
/// `control.cancel` stops between two warps; the rows that were bounded until then are the report, if there are any.
/// `control.progress` is told of each row.
///
/// # Errors
/// [`MeasuredError::Rays`] and [`MeasuredError::View`] where the rays are not those of the run;
/// [`MeasuredError::Simulate`].
/// # Panics
/// If the scene does not pass [`raywarp_scene::validate`].
pub fn beside_bounds(
    scene: &Description,
    request: &MeasuredRequest,
    control: &Control<'_>,
) -> Result<MeasuredReport, MeasuredError> {
    let jobs = jobs(request)?;
    let mut triangles = flatten(scene).map_err(SimulateError::from)?;
    triangles.opaque.fill(true);
    let mut rows: Vec<MeasuredRow> =
        jobs.iter().map(|(rate, is_part, _)| MeasuredRow::without_costs(rate, *is_part)).collect();
    let mut found = Found { rows: &mut rows, other_trees: Vec::new(), counts: Vec::new() };
    let done = bound_all(&triangles, request, &jobs, control, &mut found);
    let Found { other_trees, counts, .. } = found;
    let interrupted = match done {
        Err(MeasuredError::Simulate(error)) => stopped(Err(error), rows.iter().any(|row| !row.bounds.is_empty()))?,
        other => other.map(|()| false)?,
    };
    for (row, (_, _, job)) in jobs.iter().enumerate() {
        // Of all viewpoints together nothing is known while one is missing.
        let is_missing = |part: &usize| interrupted && rows[*part].bounds.is_empty();
        if let Job::Total(parts) = job
            && !parts.iter().any(is_missing)
        {
            rows[row] = shares::total(&rows[row], parts.iter().map(|&part| &rows[part]));
        }
    }
    Ok(MeasuredReport { request: request.clone(), rows, other_trees, rays: counts, interrupted })
}
