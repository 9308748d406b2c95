//! Bounds of a kernel's rate on a machine.

mod charts;
mod generations;
mod machine_numbers;
mod operations;
mod ranking;
mod report;
pub(crate) mod sheet;
mod what_if;
mod words;

pub use operations::bound_operations;
pub use what_if::{ChangeOption, RowGain, WhatIf};

use crate::launch::{Followed, KernelStudy, LaunchCosts, Prediction, SampleWarps, StudiedLaunch, StudyOptions};
use crate::simulate::{
    EfficiencyRequest, RayCounts, Samples, SimulateError, TracedRays, name_of, paper_variant, sample_rays, stopped,
    theirs_column,
};
use raywarp_bvh::{BuildOptions, Bvh2, build};
use raywarp_family::{TraversalLoop, Variant};
use raywarp_geom::{Control, FlatTriangles};
use raywarp_scene::{Description, flatten};
use raywarp_sim::bounds::{Bound, CostBasis, lowest};
use raywarp_sim::machine::{LaunchResources, Machine};
use raywarp_sim::memory::Traffic;
use raywarp_sim::pace::Pace;
use raywarp_sim::{Al09Costs, CostChange, LaunchInstructions, Profile, Streams, al09};
use raywarp_traverse::Kernel;
use raywarp_workload::rays::{Order, RayKind, Workload};

/// Settings of a study of bounds: rays, kernels and machines.
#[derive(Debug, Clone)]
pub struct BoundsRequest {
    /// Scene, rays, kernels, warp widths and trees to simulate.
    pub rays: EfficiencyRequest,
    /// Machines on which rates are bounded.
    pub machines: Vec<Machine>,
    /// Changes of operations' instruction costs from those in the tables.
    pub changes: Vec<CostChange>,
    /// Text of a table of costs in place of the built-in ones, as in `crates/cuda/prebuilt/costs.sm_*.csv.xz` when
    /// unpacked.
    pub costs: Option<String>,
    /// `true` if the clock-by-clock model runs again for each change of a number, so that [`BoundsReport::what_if`] has
    /// expected rates. That takes some twenty runs of 50 ms for each kernel and kind of rays whose rate is predicted
    /// with an interval.
    pub what_if: bool,
}

/// A kernel's bounds on one machine for one kind of rays.
#[derive(Debug, Clone)]
pub struct Bounded {
    /// Index of the machine in the request.
    pub machine: usize,
    /// Variant of the kernel.
    pub variant: Variant,
    /// Rays that were traced.
    pub kind: TracedRays,
    /// Largest number of triangles in a leaf; 0 where it is not known.
    pub leaf_size: u32,
    /// Event counts of the kernel's warps on the rays.
    pub profile: Profile,
    /// Instructions that the kernel's warps issue; `None` where costs are not known.
    pub instructions: Option<LaunchInstructions>,
    /// Traffic in a model of the machine's caches; `None` where their sizes are not known.
    pub traffic: Option<Traffic>,
    /// Registers, shared memory and threads of the kernel's launch; `None` where they are not known.
    pub launch: Option<LaunchResources>,
    /// Reason why the costs are not those of this kernel on this machine; `None` if they are.
    pub doubt: Option<String>,
    /// Source of the kernel's instruction costs.
    pub basis: CostBasis,
    /// `true` if no machine code is known that the machine could run, so that nothing is told that depends on code.
    pub has_no_code: bool,
    /// All bounds of the kernel's rate.
    pub bounds: Vec<Bound>,
    /// Rays a second by the clock-by-clock model ([`raywarp_sim::pace`]); `None` where the machine code is not known,
    /// or cannot be shortened by the changes of costs (several at a time, higher costs, Kepler's code).
    pub expected: Option<f64>,
    /// Instructions a clock and stalls by the clock-by-clock model; `None` where costs were changed.
    pub pace: Option<Pace>,
    /// Predicted rate with an interval: the model's, times the ratio of measured to modelled rates; `None` where
    /// nothing was measured on the machine.
    pub prediction: Option<Prediction>,
    /// Rates by the clock-by-clock model after changes of one number, each with the change's index; `None` for a number
    /// that is not in the model. Empty where [`BoundsRequest::what_if`] does not ask for it, and where `prediction`
    /// tells nothing.
    pub(crate) expected_after: Vec<(usize, Option<f64>)>,
    /// Rate in rays a second that AL09's simulator printed; `None` for other kernels, rays and machines.
    pub theirs: Option<f64>,
}

impl Bounded {
    /// Returns the lowest of the bounds.
    pub fn lowest(&self) -> Option<&Bound> {
        lowest(&self.bounds)
    }
}

/// Costs of the GTX 285 fitted to AL09's simulated rates on Sibenik, in the time of an instruction.
#[derive(Debug, Clone, Copy)]
pub struct Fit {
    /// Costs of a visit and of a test, by the primary and diffuse rates of while-while only.
    pub two_cells: Option<[f64; 2]>,
    /// Costs by all available rates of kernels without packets.
    pub all: Option<Al09Costs>,
    /// Number of published rates that were fitted.
    pub cells: usize,
}

/// Bounds of all kernels, machines and kinds of rays of a request.
#[derive(Debug, Clone)]
pub struct BoundsReport {
    pub(crate) request: BoundsRequest,
    /// Bounds in the order of machines, warp widths, leaf sizes, variants and kinds of rays.
    pub rows: Vec<Bounded>,
    /// Number of rays of each kind that were traced, and that there are in all.
    pub rays: RayCounts,
    /// Costs of the GTX 285 fitted to the paper's rates, with these rays and this tree.
    pub fit: Option<Fit>,
    /// `true` if the caller stopped the run, so that kernels are missing.
    pub interrupted: bool,
}

/// Simulates kernels on a scene's rays, and bounds their rates on machines. All triangles count as opaque.
///
/// `control.cancel` stops between two warps; what was bounded until then is the report, if it is anything.
///
/// # Errors
/// [`SimulateError`].
/// # Panics
/// If the scene does not pass [`raywarp_scene::validate`].
pub fn bound_rates(
    scene: &Description,
    request: &BoundsRequest,
    control: &Control<'_>,
) -> Result<BoundsReport, SimulateError> {
    let wanted = &request.rays;
    let mut triangles = flatten(scene)?;
    triangles.opaque.fill(true);
    let (samples, rays) = sample_rays(&triangles, wanted, control)?;
    let mut rows: Vec<Bounded> = Vec::new();
    let done = study_all(&triangles, (&samples, &rays), request, control, &mut rows);
    let interrupted = stopped(done, !rows.is_empty())?;
    // In their own order: a stable sort.
    rows.sort_by_key(|row| row.machine);
    let fit = fit(request, &rows);
    Ok(BoundsReport { request: request.clone(), rows, rays, fit, interrupted })
}

/// Simulates and bounds all kernels of a request; the results in `rows` are valid after an error, too.
fn study_all(
    triangles: &FlatTriangles,
    (samples, rays): (&Samples, &RayCounts),
    request: &BoundsRequest,
    control: &Control<'_>,
    rows: &mut Vec<Bounded>,
) -> Result<(), SimulateError> {
    let wanted = &request.rays;
    for &leaf_size in &wanted.leaf_sizes {
        let mut trees: Vec<(u32, Bvh2)> = Vec::new();
        for variant in &wanted.variants {
            let max_leaf = leaf_size.min(variant.tree().max_leaf());
            if trees.iter().all(|(known, _)| *known != max_leaf) {
                trees.push((max_leaf, build(triangles, &BuildOptions { max_leaf, ..wanted.build })?));
            }
            let Some((_, bvh)) = trees.iter().find(|(known, _)| *known == max_leaf) else { continue };
            // Lanes that are left to the hardware run in lockstep here.
            let kernel = Kernel::new(&variant.voted(), bvh, triangles)?;
            for &width in wanted.widths.iter().filter(|&&width| width % variant.lanes_per_ray() == 0) {
                for ((kind, views), (_, _, all)) in samples.iter().zip(rays) {
                    if views.is_empty() {
                        continue;
                    }
                    // A launch a view.
                    let launch_rays = all / views.len() as u64;
                    let (warps, cancel) = (SampleWarps::OfMachine, control.cancel);
                    let options = StudyOptions { warps, width, caches: true, expects: true, cancel };
                    let what = (&kernel, variant, *kind);
                    let mut study = KernelStudy::new(what, views.iter().map(Vec::as_slice), launch_rays, options);
                    for (number, machine) in request.machines.iter().enumerate() {
                        let launch = study.on(machine, request.costs.as_deref())?;
                        rows.push(bound_row(request, (number, machine), (variant, *kind, max_leaf), &study, &launch)?);
                    }
                }
            }
            control.advance(1);
        }
    }
    Ok(())
}

fn bound_row(
    request: &BoundsRequest,
    (number, machine): (usize, &Machine),
    (variant, kind, leaf_size): (&Variant, TracedRays, u32),
    study: &KernelStudy<'_>,
    launch: &StudiedLaunch,
) -> Result<Bounded, SimulateError> {
    let profile = study.profile(launch);
    let as_compiled = launch.costs_of(profile);
    let bounds_of =
        |launch_costs: &LaunchCosts| launch_costs.bounds(machine, (variant, kind), profile, launch.traffic.as_ref());
    let mut bounds = bounds_of(&as_compiled);
    let mut expected = launch.expected(&as_compiled, machine, profile, &bounds);
    let mut launch_costs = as_compiled.clone();
    let changes: Vec<CostChange> = request.changes.iter().copied().filter(|change| !change.is_none()).collect();
    let is_changed = !changes.is_empty();
    if !request.changes.is_empty() {
        // A cost that is set to what it was is not a verified one any more.
        launch_costs = changed(&as_compiled, &request.changes, (variant, kind), profile)?;
        bounds = bounds_of(&launch_costs);
    }
    if is_changed {
        expected = expected.and_then(|expected| {
            let followed = Followed { launch, kernel: &as_compiled, machine, profile, expected };
            study.expected_after_costs(followed, &changes)
        });
    }
    expected = expected.filter(|_| Prediction::is_told(machine));
    let mut doubt = launch_costs.doubt.clone();
    if let Some(error) = launch_costs.launch.and_then(|launch| machine.occupancy(launch).err()) {
        (bounds, expected) = (Vec::new(), None);
        doubt = Some(format!("cannot run there, {error}"));
    }
    let theirs = request.theirs(machine, variant, profile.counts.width).zip(theirs_column(kind));
    let theirs = theirs.map(|(rates, column)| 1e6 * rates[column]);
    let mut row = Bounded {
        machine: number,
        variant: *variant,
        kind,
        leaf_size,
        // Nobody follows their warps any more.
        profile: Profile { streams: Streams::default(), ..profile.clone() },
        instructions: launch_costs.instructions.clone(),
        traffic: launch.traffic,
        launch: launch_costs.launch,
        doubt,
        basis: launch_costs.basis,
        has_no_code: launch.costs.has_no_code,
        bounds,
        expected,
        pace: launch.pace.filter(|_| expected.is_some() && !is_changed),
        prediction: expected.and_then(|rate| Prediction::of(machine, variant, kind, (rate, is_changed))),
        expected_after: Vec::new(),
        theirs,
    };
    let is_told = row.prediction.is_some_and(|prediction| prediction.is_decided());
    // Of costs that were changed once, no further change is followed.
    if let Some(expected) = expected.filter(|_| request.what_if && is_told && !is_changed) {
        let followed = Followed { launch, kernel: &launch_costs, machine, profile, expected };
        row.expected_after = what_if::expected_after(study, followed, kind);
    }
    Ok(row)
}

/// Returns the instructions of a launch after changes of costs.
///
/// # Errors
/// [`SimulateError::Cost`] for a change that takes more than there is.
fn changed(
    launch_costs: &LaunchCosts,
    changes: &[CostChange],
    (variant, kind): (&Variant, TracedRays),
    profile: &Profile,
) -> Result<LaunchCosts, SimulateError> {
    let mut launch_costs = launch_costs.clone();
    for change in changes {
        let too_much =
            launch_costs.instructions.as_ref().and_then(|issued| change.takes_too_much(issued, &profile.counts));
        if let Some(instructions) = too_much {
            let (change, kernel, kind) = (*change, name_of(variant), kind.name());
            return Err(SimulateError::Cost { change, instructions, kernel, kind });
        }
        launch_costs.change(change, profile);
    }
    Ok(launch_costs)
}

impl BoundsRequest {
    /// Returns the rate of a kernel by AL09's simulator, where scene, rays and machine are the paper's.
    fn theirs(&self, machine: &Machine, variant: &Variant, width: u32) -> Option<[f64; 3]> {
        (self.is_theirs() && machine.capability() == (1, 3) && width == 32)
            .then(|| raywarp_papers::al09().table_1.simulated(&self.rays.scene, &name_of(variant)))
            .flatten()
    }

    fn is_theirs(&self) -> bool {
        let rays = &self.rays;
        !rays.has_own_rays()
            && rays.workload == Workload::Al09
            && rays.order == Order::Workload
            && rays.views.len() == 5
            && rays.size == raywarp_workload::rays::RESOLUTION
    }
}

/// Fits the GTX 285's costs to the paper's rates, with these rays and this tree.
fn fit(request: &BoundsRequest, rows: &[Bounded]) -> Option<Fit> {
    let (number, machine) = request.machines.iter().enumerate().find(|(_, m)| m.capability() == (1, 3))?;
    if !(request.is_theirs() && request.rays.scene == "sibenik") {
        return None;
    }
    let cell = |row: &Bounded| {
        let packet = row.variant.traversal_loop() == TraversalLoop::Packet;
        let times_per_s = machine.issue_per_s() / al09::SLOTS;
        let cell = al09::RateCell::new(&row.variant, &row.profile.counts, row.theirs?, times_per_s);
        (!packet).then_some((row.variant, row.kind, cell))
    };
    let cells: Vec<_> = rows.iter().filter(|row| row.machine == number).filter_map(cell).collect();
    let while_while = paper_variant("al09-while-while");
    let find = |wanted| cells.iter().find(|(variant, kind, _)| *variant == while_while && *kind == wanted);
    let two_cells = match (find(RayKind::Primary), find(RayKind::Diffuse)) {
        (Some(primary), Some(diffuse)) => al09::two_cells([primary.2, diffuse.2]),
        _ => None,
    };
    let all: Vec<al09::RateCell> = cells.iter().map(|cell| cell.2).collect();
    Some(Fit { two_cells, all: al09::fit(&all), cells: all.len() })
}
