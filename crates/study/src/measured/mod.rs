//! Kernels' measured rates beside what they could be: the bounds of the same rays, and where the time went.
//!
//! A benchmark that is simulated as well and a recorded one both end in [`beside_bounds`]: the one with the rates
//! of its run ([`rates_of`]), the other with those of a recorded one ([`read_measured`]).

mod file;
mod machine;
mod report;
mod shares;
mod sheet;

pub use file::{MeasuredRate, rates_of, read_measured};
pub use machine::{ClockUsed, GpuFacts, machine_of, set_clock};
pub use shares::TimeShare;

use crate::launch::{KernelStudy, MOST_ASSUMED, Prediction, SampleWarps, StudyOptions, is_implicit};
use crate::simulate::{EfficiencyRequest, Samples, SimulateError, sample_rays, stopped};
use raywarp_bench::{RayOrder, Subject};
use raywarp_bvh::{BuildOptions, Bvh2, build};
use raywarp_family::Variant;
use raywarp_geom::{Control, FlatTriangles, Ray};
use raywarp_scene::views::View;
use raywarp_scene::{Description, flatten};
use raywarp_sim::bounds::{Bound, Class, lowest};
use raywarp_sim::machine::{Machine, keys};
use raywarp_traverse::Kernel;
use raywarp_workload::rays::{Order, RayKind, Workload};

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

/// Reason why measured rates cannot be read or compared with bounds.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MeasuredError {
    /// A line of the table of measured rates is wrong.
    #[error("line {line}: {what}; `record::files` writes such tables")]
    Line {
        /// Number of the wrong line, from 1.
        line: usize,
        /// Description of what is wrong.
        what: String,
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
    /// The run has a viewpoint that the scene lacks here.
    #[error("view {0} was measured, which is not among the scene's here")]
    View(usize),
    /// The simulation of the launches failed, or was stopped.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
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

/// Results of the simulation so far.
struct Found<'a> {
    rows: &'a mut [MeasuredRow],
    other_trees: Vec<OtherTree>,
    counts: crate::simulate::RayCounts,
}

/// Bounds the rates of all launches; the results so far are valid after an error, too.
fn bound_all(
    triangles: &FlatTriangles,
    request: &MeasuredRequest,
    jobs: &[(MeasuredRate, bool, Job)],
    control: &Control<'_>,
    found: &mut Found<'_>,
) -> Result<(), MeasuredError> {
    // Rays are made once for all rows that have them, and then trees.
    let mut settings: Vec<(Workload, RayOrder)> = Vec::new();
    for (rate, ..) in jobs.iter().filter(|(rate, ..)| studied_kernel(rate).is_some()) {
        if !settings.contains(&(rate.workload, rate.order)) {
            settings.push((rate.workload, rate.order));
        }
    }
    for setting in settings {
        let is_of = |rate: &MeasuredRate| (rate.workload, rate.order) == setting && studied_kernel(rate).is_some();
        let rays = rays_of(triangles, request, setting, jobs, control)?;
        found.counts.extend(rays.counts.iter().copied());
        let mut left: Vec<usize> = (0..jobs.len()).filter(|&row| is_of(&jobs[row].0)).collect();
        while let Some(options) = left.first().map(|&row| jobs[row].0.build) {
            let bvh = build(triangles, &options).map_err(SimulateError::from)?;
            let (of_tree, others): (Vec<usize>, Vec<usize>) =
                left.iter().partition(|&&row| jobs[row].0.build == options);
            left = others;
            let (same, changed): (Vec<usize>, Vec<usize>) =
                of_tree.iter().partition(|&&row| jobs[row].0.tree_nodes.is_none_or(|nodes| nodes == bvh.nodes.len()));
            for rate in changed.iter().map(|&row| &jobs[row].0) {
                let (tree, max_leaf, measured) = (rate.tree.clone(), options.max_leaf, rate.tree_nodes.unwrap_or(0));
                let other = OtherTree { tree, max_leaf, measured, found: bvh.nodes.len() };
                if !found.other_trees.contains(&other) {
                    found.other_trees.push(other);
                }
            }
            let on_tree = OnTree { request, bvh: &bvh, triangles, rays: &rays, control };
            on_tree.rows(&same, jobs, found.rows)?;
        }
    }
    Ok(())
}

/// The rays of one workload and order.
struct Rays {
    samples: Samples,
    counts: crate::simulate::RayCounts,
}

/// Makes the rays for the rows of a workload and order, and checks that there are as many as were measured.
fn rays_of(
    triangles: &FlatTriangles,
    request: &MeasuredRequest,
    (workload, order): (Workload, RayOrder),
    jobs: &[(MeasuredRate, bool, Job)],
    control: &Control<'_>,
) -> Result<Rays, MeasuredError> {
    let is_of =
        |rate: &MeasuredRate| (rate.workload, rate.order) == (workload, order) && studied_kernel(rate).is_some();
    let has = |kind: &RayKind| jobs.iter().any(|(rate, ..)| is_of(rate) && rate.kind == *kind);
    let wanted = EfficiencyRequest {
        workload,
        kinds: RayKind::ALL.into_iter().filter(has).collect(),
        views: request.views.iter().map(|(_, view)| view.clone()).collect(),
        size: request.size,
        sample: request.sample,
        order: match order {
            RayOrder::Workload => Order::Workload,
            RayOrder::Morton => Order::Morton,
            RayOrder::Shuffled => Order::Shuffled(0),
        },
        rays_per_pixel: request.rays_per_pixel,
        variants: Vec::new(),
        widths: Vec::new(),
        leaf_sizes: Vec::new(),
        build: BuildOptions::default(),
        scene: request.scene.clone(),
    };
    let (samples, counts) = sample_rays(triangles, &wanted, control)?;
    for (rate, _, job) in jobs.iter().filter(|(rate, ..)| is_of(rate)) {
        let Some(&(_, _, all)) = counts.iter().find(|(kind, ..)| *kind == rate.kind) else { continue };
        let sampled = |views: &[usize]| -> u64 {
            let of_kind = samples.iter().find(|(kind, _)| *kind == rate.kind);
            of_kind.map_or(0, |(_, rays)| views.iter().map(|&view| rays[view].len() as u64).sum())
        };
        let is_wrong = match job {
            Job::Launch(views) if views.len() == request.views.len() => rate.rays != all,
            // Of one of several viewpoints only the sample is known.
            Job::Launch(views) => rate.rays < sampled(views) || rate.rays > all,
            Job::Total(_) => rate.rays != all,
        };
        if is_wrong {
            return Err(MeasuredError::Rays { kind: rate.kind.name(), measured: rate.rays, found: all });
        }
    }
    Ok(Rays { samples, counts })
}

/// Data that all rows on one tree share.
struct OnTree<'a> {
    request: &'a MeasuredRequest,
    bvh: &'a Bvh2,
    triangles: &'a FlatTriangles,
    rays: &'a Rays,
    control: &'a Control<'a>,
}

impl OnTree<'_> {
    /// Bounds the rates of the rows with these indices that are single launches.
    fn rows(
        &self,
        numbers: &[usize],
        jobs: &[(MeasuredRate, bool, Job)],
        rows: &mut [MeasuredRow],
    ) -> Result<(), MeasuredError> {
        // Kinds and viewpoints of a kernel follow each other.
        let mut kernel: Option<Kernel> = None;
        for &number in numbers {
            let (rate, _, Job::Launch(views)) = &jobs[number] else { continue };
            let Some(variant) = studied_kernel(rate) else { continue };
            // Lanes that are left to the hardware run in lockstep here.
            let voted = variant.voted();
            if kernel.as_ref().is_none_or(|kernel| *kernel.variant() != voted) {
                kernel = Some(Kernel::new(&voted, self.bvh, self.triangles).map_err(SimulateError::from)?);
            }
            let Some(kernel) = &kernel else { continue };
            let of_kind = self.rays.samples.iter().find(|(kind, _)| *kind == rate.kind);
            let Some((_, samples)) = of_kind else { continue };
            let rays: Vec<Ray> = views.iter().flat_map(|&view| samples[view].iter().copied()).collect();
            self.bound(&mut rows[number], kernel, &variant, &rays)?;
            self.control.advance(1);
        }
        Ok(())
    }

    /// Bounds the rate of a launch of which `rays` are a sample.
    fn bound(
        &self,
        row: &mut MeasuredRow,
        kernel: &Kernel,
        variant: &Variant,
        rays: &[Ray],
    ) -> Result<(), SimulateError> {
        let (machine, kind) = (&self.request.machine, row.rate.kind);
        let width = machine.count(keys::SM_WARP_WIDTH);
        let cancel = self.control.cancel;
        let options = StudyOptions { warps: SampleWarps::OfMachine, width, caches: true, expects: true, cancel };
        let mut study = KernelStudy::new((kernel, variant, kind), [rays], row.rate.rays, options);
        let launch = study.on(machine, None)?;
        let profile = study.profile(&launch);
        let launch_costs = launch.costs_of(profile);
        row.bounds = launch_costs.bounds(machine, (variant, kind), profile, launch.traffic.as_ref());
        row.expected = launch.expected(&launch_costs, machine, profile, &row.bounds);
        row.prediction = row.expected.and_then(|rate| Prediction::of(machine, variant, kind, (rate, false)));
        row.assumed = launch_costs.instructions.as_ref().map(|issued| issued.assumed);
        row.instructions =
            launch_costs.instructions.as_ref().map(|issued| issued.warp_instructions() / profile.rays() as f64);
        row.shares = shares::shares(&row.rate, is_implicit(variant), &row.bounds);
        Ok(())
    }
}
