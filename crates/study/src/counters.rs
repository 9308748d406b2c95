//! A profiler's counts beside what is foretold for a machine.

mod blocks;
mod file;
mod report;
mod sampled;
mod sheet;
mod stalls;

pub use blocks::{ComparedBlock, ExecutedCounters};
pub use file::{Counted, CountersError, StallCounters, WorkCounters, read_counters};
pub use sampled::SampledCounters;

use crate::kernel_then::{KernelThen, kernels_then};
use crate::launch::{KernelStudy, MOST_ASSUMED, SampleWarps, StudyOptions, kernel_costs};
use crate::simulate::{EfficiencyRequest, Samples, SimulateError, name_of, query_of, sample_rays};
use raywarp_bvh::{BuildOptions, Bvh2, build};
use raywarp_family::Supply;
use raywarp_geom::Control;
use raywarp_scene::{Description, flatten};
use raywarp_sim::gap::split;
use raywarp_sim::machine::{Machine, keys};
use raywarp_sim::memory::Region;
use raywarp_sim::pace::{Pace, StallCause};
use raywarp_sim::{CostChange, thread_instructions};
use raywarp_traverse::Kernel;

/// Largest relative difference between the sum of instructions counted one by one and their total. The total is from
/// another pass of the profiler, in which warps of a pool took other rays; 0.7 % were seen of a queue.
const EXECUTED_WITHIN: f64 = 0.02;

/// Largest fraction of instructions in basic blocks that were not issued as a whole: up to 6 % for an H100's own code,
/// from 18 % on for other machines' code.
const MOST_TORN: f64 = 0.12;

/// Relative error within which a predicted count is called near.
pub const WITHIN: f64 = 0.05;

/// Settings of a comparison of a profiler's counts on a scene with the simulation.
#[derive(Debug, Clone)]
pub struct CountersRequest {
    /// Scene, one view and its rays; kernels and trees are those of the profiler's rows.
    pub rays: EfficiencyRequest,
    /// Machine on which the profiler counted.
    pub machine: Machine,
    /// Profiler's counts on this scene, by launch.
    pub rows: Vec<Counted>,
    /// Changes of instruction costs, made on purpose to see whether the counts show the error.
    pub changes: Vec<CostChange>,
}

/// A number by the simulator and by the profiler.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CountPair {
    /// Number by the simulator.
    pub foretold: f64,
    /// Number by the profiler.
    pub counted: f64,
}

impl CountPair {
    /// Returns the simulator's number divided by the profiler's.
    pub fn ratio(self) -> f64 {
        self.foretold / self.counted
    }

    /// Returns the relative error of the simulator's number.
    pub fn error(self) -> f64 {
        self.ratio() - 1.0
    }

    /// Returns `true` if the relative error is at most [`WITHIN`].
    pub fn is_near(self) -> bool {
        self.error().abs() <= WITHIN
    }
}

/// Stalls of a scheduler's warps, by the clock-by-clock model and by the profiler.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ComparedStalls {
    /// Fraction of the scheduler's clocks in which it issues, 0 to 1.
    pub issuing: CountPair,
    /// Number of warps that wait for each cause, for each instruction issued.
    pub waiting: [CountPair; StallCause::ALL.len()],
    /// Number of waiting warps that the profiler counts for causes that are not in the model.
    pub unmodelled: f64,
}

/// A kernel's launch by the simulator and by the profiler.
#[derive(Debug, Clone)]
pub struct Compared {
    /// Profiler's counts of the launch.
    pub counted: Counted,
    /// Warp instructions per ray; `None` where no table has the kernel's costs.
    pub instructions: Option<CountPair>,
    /// Average number of lanes that execute an instruction.
    pub lanes: Option<CountPair>,
    /// Passes through the first cache's (L1) data stage per ray.
    pub passes: Option<CountPair>,
    /// Sectors of 32 bytes per ray that loads read from global memory.
    pub sectors: Option<CountPair>,
    /// Stalls by cause, simulated clock by clock and counted.
    pub stalls: Option<ComparedStalls>,
    /// Instructions by code block, where the profiler counted each instruction.
    pub blocks: Vec<ComparedBlock>,
    /// Fraction of the simulated instructions, 0 to 1, whose formulas no profiler has confirmed.
    pub assumed: f64,
    /// `true` if the table of costs is verified.
    pub verified: bool,
    /// Fractions of the measured time by what took it ([`raywarp_sim::gap::Part`]).
    pub parts: Option<[f64; 6]>,
}

impl ComparedStalls {
    fn of(machine: &Machine, pace: Pace, counted: StallCounters) -> Self {
        let issuing = pace.instructions_per_clock / machine.need(keys::SM_SCHEDULERS);
        let pair = |cause: usize| CountPair { foretold: pace.waiting[cause], counted: counted.waiting[cause] };
        Self {
            issuing: CountPair { foretold: issuing, counted: counted.issuing },
            waiting: std::array::from_fn(pair),
            unmodelled: counted.unmodelled,
        }
    }
}

impl Compared {
    /// Returns `true` if the kernel's warps take their rays from a pool.
    pub fn is_pooled(&self) -> bool {
        self.counted.variant.supply() != Supply::Direct
    }

    /// Returns `true` if costs are not known, or assumed for more than a fifth of the instructions; such rows are
    /// marked.
    pub fn is_guess(&self) -> bool {
        self.instructions.is_none() || self.assumed > MOST_ASSUMED
    }
}

/// Comparison of the simulator with a profiler's counts for all launches of a request.
#[derive(Debug, Clone)]
pub struct CountersReport {
    request: CountersRequest,
    /// Compared launches, in the order of the profiler's file.
    pub rows: Vec<Compared>,
    /// Number of rays of each kind that were traced, and that there are in all.
    pub rays: crate::simulate::RayCounts,
    /// `true` if the caller stopped the run, so that launches are missing.
    pub interrupted: bool,
}

impl CountersReport {
    /// Returns the kernels that were counted, each with whether its machine code is today's.
    pub fn kernels_then(&self) -> Vec<KernelThen> {
        let rows = self.rows.iter().map(|row| &row.counted);
        kernels_then(rows.map(|row| (row.variant, row.kind, row.code.as_ref())), &self.request.machine)
    }
}

/// Simulates the launches that a profiler counted, and compares the counts. All triangles count as opaque, as in the
/// launches that were counted.
///
/// `control.cancel` stops between two warps; what was compared until then is the report, if it is anything.
///
/// # Errors
/// [`CountersError::Rays`] where the rays are not those of the file; [`CountersError::Simulate`].
/// # Panics
/// If the scene does not pass [`raywarp_scene::validate`].
pub fn beside_counters(
    scene: &Description,
    request: &CountersRequest,
    control: &Control<'_>,
) -> Result<CountersReport, CountersError> {
    let mut triangles = flatten(scene).map_err(SimulateError::from)?;
    triangles.opaque.fill(true);
    let (samples, rays) = sample_rays(&triangles, &request.rays, control)?;
    for row in &request.rows {
        let found = rays.iter().find(|(kind, ..)| *kind == row.kind).map_or(0, |(.., all)| *all);
        if found != row.rays {
            return Err(CountersError::Rays { kind: row.kind.name(), counted: row.rays, found });
        }
    }
    let (mut rows, mut interrupted) = (Vec::new(), false);
    let mut tree: Option<(BuildOptions, Bvh2)> = None;
    // Kinds of a kernel follow each other, and kernels of a tree.
    let mut kernel: Option<(BuildOptions, Kernel)> = None;
    for row in &request.rows {
        let (builder, reinsertion, max_leaf) = row.tree;
        let options = BuildOptions { builder, reinsertion, max_leaf, ..request.rays.build };
        let voted = row.variant.voted();
        if tree.as_ref().is_none_or(|(known, _)| *known != options) {
            tree = Some((options, build(&triangles, &options).map_err(SimulateError::from)?));
        }
        let Some((_, bvh)) = &tree else { continue };
        if kernel.as_ref().is_none_or(|(known, kernel)| *known != options || *kernel.variant() != voted) {
            kernel = Some((options, Kernel::new(&voted, bvh, &triangles).map_err(SimulateError::from)?));
        }
        let Some((_, kernel)) = &kernel else { continue };
        match compare(request, row, kernel, &samples, control) {
            Err(CountersError::Simulate(error)) if error.is_cancelled() && !rows.is_empty() => {
                interrupted = true;
                break;
            }
            row => rows.push(row?),
        }
        control.advance(1);
    }
    Ok(CountersReport { request: request.clone(), rows, rays, interrupted })
}

fn compare(
    request: &CountersRequest,
    row: &Counted,
    kernel: &Kernel,
    samples: &Samples,
    control: &Control<'_>,
) -> Result<Compared, CountersError> {
    let machine = &request.machine;
    let rays: &[_] = samples
        .iter()
        .find(|(kind, _)| *kind == row.kind)
        .and_then(|(_, views)| views.first())
        .map_or(&[], |rays| &rays[..]);
    let width = machine.count(keys::SM_WARP_WIDTH);
    // As many warps share the sample as shared that part of the launch.
    let launch = kernel_costs(None, machine, &row.variant, query_of(row.kind)).launch;
    let warps = launch.map(|launch| row.blocks * u64::from(launch.threads_per_block.div_ceil(width)));
    let share = warps.map(|warps| (warps * rays.len() as u64).div_ceil(row.rays).max(1) as u32);
    let warps = share.map_or(SampleWarps::OfMachine, SampleWarps::Exactly);
    let expects = row.stalls.is_some();
    let options = StudyOptions { warps, width, caches: expects, expects, cancel: control.cancel };
    let mut study = KernelStudy::new((kernel, &row.variant, row.kind.into()), [rays], row.rays, options);
    let launch = study.on(machine, None)?;
    let profile = study.profile(&launch);
    let traced = profile.rays() as f64;
    let per_ray =
        |counted: f64, foretold: f64| CountPair { foretold: foretold / traced, counted: counted / row.rays as f64 };
    let mut launch_costs = launch.costs_of(profile);
    request.changes.iter().for_each(|change| launch_costs.change(change, profile));
    // Not by costs that no machine code has.
    let issued = launch_costs.instructions.as_ref().filter(|_| launch.costs.table().is_some());
    let instructions = issued.map(|issued| per_ray(row.warp_instructions, issued.warp_instructions()));
    let lanes = launch.costs.table().zip(issued).zip(row.work).map(|((costs, issued), work)| CountPair {
        foretold: thread_instructions(costs, &profile.tally, &profile.lanes, width) / issued.warp_instructions(),
        counted: work.thread_instructions / row.warp_instructions,
    });
    let stalls = launch.pace.zip(row.stalls).map(|(pace, counted)| ComparedStalls::of(machine, pace, counted));
    let blocks = match (&row.executed, launch.costs.table(), issued) {
        (Some(executed), Some(costs), Some(issued)) => {
            let end = costs.blocks.iter().map(|block| block.place().end).max().unwrap_or(0);
            let (sum, counted) = (executed.sum(end), row.warp_instructions);
            if (sum as f64 / counted - 1.0).abs() > EXECUTED_WITHIN || executed.torn(costs) > MOST_TORN {
                let (kernel, kind) = (name_of(&row.variant), row.kind.name());
                return Err(CountersError::Executed { kernel, kind, executed: sum, counted });
            }
            blocks::compared(executed, (costs, issued), [traced, row.rays as f64])
        }
        _ => Vec::new(),
    };
    let memory = profile.memory.unwrap_or_default();
    let loads = [Region::Nodes, Region::Triangles, Region::Slots, Region::Rays];
    let sectors: u64 = loads.iter().map(|&region| memory.region(region).sectors).sum();
    let bounds = launch_costs.bounds(machine, (&row.variant, row.kind.into()), profile, None);
    let elapsed = 1e-9 * row.ns / row.rays as f64;
    let busy = row.cycles / machine.clock_hz() / row.rays as f64;
    Ok(Compared {
        counted: row.clone(),
        instructions,
        lanes,
        passes: row.work.map(|work| per_ray(work.wavefronts, memory.all().passes as f64)),
        sectors: row.work.map(|work| per_ray(work.load_sectors, sectors as f64)),
        stalls,
        blocks,
        assumed: issued.map_or(1.0, |issued| issued.assumed),
        verified: issued.is_some_and(|issued| issued.verified),
        parts: split(elapsed, busy, &bounds),
    })
}
