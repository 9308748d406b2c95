//! A kernel explained by the lines of its source: how often warps issue what a line was compiled to, on which pipeline
//! and with how many lanes, and how much of the time warps stand at it.
//!
//! The tables of costs say how often each basic block is issued, a table of source lines which line an instruction is
//! from, and the clock-by-clock model ([`raywarp_sim::pace`]) at which instruction warps wait, for how long and for
//! which other instruction's result. Two instructions of a line may lie far apart, and those of two lines be mixed:
//! lines that cannot be told apart in the code are one [`ExplainedLine`] (`lines.rs`).

mod beside;
mod instructions;
mod lines;
mod own;
mod report;
mod sheet;

pub use beside::BesideSamples;
pub use instructions::ExplainedInstruction;
pub use lines::ExplainedLine;
pub use own::{OwnKernel, OwnKernelError};

use crate::counters::Counted;
use crate::launch::{KernelStudy, SampleWarps, StudiedLaunch, StudyOptions, code_of};
use crate::simulate::{EfficiencyRequest, RayCounts, SimulateError, TracedRays, name_of, query_of, sample_rays};
use raywarp_bvh::{BuildOptions, build};
use raywarp_costs::{LineTable, LineTableError, Word};
use raywarp_cuda::elf::fingerprint;
use raywarp_family::Variant;
use raywarp_geom::Control;
use raywarp_scene::{Description, flatten};
use raywarp_sim::machine::{Machine, keys};
use raywarp_sim::pace::Pace;
use raywarp_traverse::Kernel;

/// Settings of an explanation of a kernel.
#[derive(Debug, Clone)]
pub struct ExplainRequest {
    /// Scene and rays, one kernel, its tree. Widths are not looked at: a warp is as wide as the machine's.
    pub rays: EfficiencyRequest,
    /// Machine on which the kernel runs.
    pub machine: Machine,
    /// Launches of the kernel on these rays at whose instructions a profiler looked for warps; none to compare nothing.
    pub sampled: Vec<Counted>,
    /// Code of one's own in place of the embedded kernel's, compiled for the variant's schedule.
    pub own: Option<OwnKernel>,
}

/// Reason why a kernel cannot be explained.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExplainError {
    /// The simulation failed, or was stopped.
    #[error(transparent)]
    Simulate(#[from] SimulateError),
    /// No machine code of the kernel is known that the machine runs, or it is not followed clock by clock there.
    #[error("{kernel} on {machine}: no machine code of it is known that can be followed clock by clock there")]
    NoCode {
        /// Name of the kernel.
        kernel: String,
        /// Name of the machine.
        machine: String,
    },
    /// The table of source lines lacks the kernel.
    #[error(
        "{kernel}: no source lines of it are known for compute capability {}.{}; they are for 9.0 (h100, h200)",
        architecture / 10, architecture % 10
    )]
    NoLines {
        /// Name of the kernel.
        kernel: String,
        /// Architecture of its machine code (90 for compute capability 9.0).
        architecture: u32,
    },
    /// The source lines are about other machine code than the kernel has.
    #[error("{kernel}: its source lines are of other machine code; `cargo xtask kernels --lines` makes them again")]
    OtherCode {
        /// Name of the kernel.
        kernel: String,
    },
    /// The rays made here are not as many as those of the launch that a profiler looked at.
    #[error(
        "warps of {counted} {kind} rays were sampled, but here are {found}: give the size, view and rays a pixel of that run"
    )]
    Rays {
        /// Name of the kind of the rays.
        kind: &'static str,
        /// Number of rays of the profiler's launch.
        counted: u64,
        /// Number of rays made here.
        found: u64,
    },
    /// The folder of one's own kernel lacks something, or is of another one.
    #[error(transparent)]
    Own(#[from] OwnKernelError),
    /// The table of source lines cannot be read.
    #[error("the table of source lines: {0}")]
    Table(#[from] LineTableError),
}

/// A kernel with rays of one kind, explained.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// Kind of the rays.
    pub kind: TracedRays,
    /// All instructions of the kernel, in the order of its code.
    pub instructions: Vec<ExplainedInstruction>,
    /// The lines of its source, those first at which warps spend most time.
    pub lines: Vec<ExplainedLine>,
    /// Number of warp instructions per ray.
    pub per_ray: f64,
    /// Instructions a clock and stalls of a multiprocessor, with all warps that it holds.
    pub pace: Pace,
    /// Number of warps that a multiprocessor holds.
    pub warps: u32,
    /// `true` if the kernel's costs are verified.
    pub verified: bool,
    /// How far the lines' shares are from those of a profiler's samples; `None` where there are none.
    pub beside: Option<BesideSamples>,
}

/// A kernel explained for each kind of rays of a request.
#[derive(Debug, Clone)]
pub struct ExplainReport {
    request: ExplainRequest,
    /// Source lines of the kernel, with the text of its files.
    pub table: LineTable,
    /// One explanation for each kind of rays.
    pub kinds: Vec<Explanation>,
    /// Number of rays of each kind that were traced, and that there are in all.
    pub rays: RayCounts,
    /// `true` if the caller stopped the run, so that kinds of rays are missing.
    pub interrupted: bool,
}

/// Simulates a kernel on a scene's rays, and explains it by the lines of its source. All triangles count as opaque.
///
/// `control.cancel` stops between two warps; the kinds of rays that were explained until then are the report, if there
/// are any.
///
/// # Errors
/// [`ExplainError`].
/// # Panics
/// If the scene does not pass [`raywarp_scene::validate`], or the request has no kernel.
pub fn explain(
    scene: &Description,
    request: &ExplainRequest,
    control: &Control<'_>,
) -> Result<ExplainReport, ExplainError> {
    let variant = request.variant();
    let table = match &request.own {
        Some(own) => own.lines.clone(),
        None => line_table(&request.machine, variant)?,
    };
    let mut triangles = flatten(scene).map_err(SimulateError::from)?;
    triangles.opaque.fill(true);
    let (samples, rays) = sample_rays(&triangles, &request.rays, control)?;
    request.check_samples(&rays)?;
    let max_leaf = request.rays.build.max_leaf.min(variant.tree().max_leaf());
    let bvh = build(&triangles, &BuildOptions { max_leaf, ..request.rays.build }).map_err(SimulateError::from)?;
    let kernel = Kernel::new(&variant.voted(), &bvh, &triangles).map_err(SimulateError::from)?;
    let mut kinds = Vec::new();
    let mut interrupted = false;
    for ((kind, views), (_, _, all)) in samples.iter().zip(&rays) {
        let width = request.machine.count(keys::SM_WARP_WIDTH);
        let (warps, cancel) = (SampleWarps::OfMachine, control.cancel);
        let options = StudyOptions { warps, width, caches: true, expects: true, cancel };
        let launch_rays = all / views.len().max(1) as u64;
        let what = (&kernel, variant, *kind);
        let mut study = KernelStudy::new(what, views.iter().map(Vec::as_slice), launch_rays, options);
        let launch = match &request.own {
            Some(own) => study.with(&request.machine, own.costs(&request.machine, variant, query_of(*kind))?),
            None => study.on(&request.machine, None),
        };
        let launch = match launch {
            Err(error) if error.is_cancelled() && !kinds.is_empty() => {
                interrupted = true;
                break;
            }
            launch => launch?,
        };
        kinds.push(explanation(request, &table, *kind, (&study, &launch))?);
        control.advance(1);
    }
    Ok(ExplainReport { request: request.clone(), table, kinds, rays, interrupted })
}

/// Returns the embedded table of source lines of a kernel's machine code on a machine.
fn line_table(machine: &Machine, variant: &Variant) -> Result<LineTable, ExplainError> {
    let kernel = || name_of(variant);
    let no_code = || ExplainError::NoCode { kernel: kernel(), machine: machine.name().to_string() };
    let architecture = code_of(machine).ok_or_else(no_code)?.architecture();
    let text = raywarp_cuda::line_table(architecture);
    Ok(LineTable::read(text.ok_or_else(|| ExplainError::NoLines { kernel: kernel(), architecture })?)?)
}

/// Explains a simulated launch of rays of one kind.
fn explanation(
    request: &ExplainRequest,
    table: &LineTable,
    kind: TracedRays,
    (study, launch): (&KernelStudy<'_>, &StudiedLaunch),
) -> Result<Explanation, ExplainError> {
    let (variant, machine) = (request.variant(), &request.machine);
    let no_code = || ExplainError::NoCode { kernel: name_of(variant), machine: machine.name().to_string() };
    let (code, architecture) = launch.costs.machine_code().ok_or_else(no_code)?;
    let lines = table.kernel(&raywarp_cuda::kernel_name(variant, query_of(kind)));
    let kernel = || name_of(variant);
    let lines = lines.ok_or_else(|| ExplainError::NoLines { kernel: kernel(), architecture })?;
    if lines.fingerprint != fingerprint(code) || lines.frames.len() * Word::BYTES != code.len() {
        return Err(ExplainError::OtherCode { kernel: kernel() });
    }
    let warps = launch.costs.launch.and_then(|launch| machine.occupancy(launch).ok()).ok_or_else(no_code)?.warps;
    let profile = study.profile(launch);
    let mut instructions = instructions::explained(machine, launch, profile, (lines, warps)).ok_or_else(no_code)?;
    if let Some(sampled) = request.sampled.iter().find(|row| row.kind == kind).and_then(|row| row.sampled.as_ref()) {
        let shares = sampled.shares(instructions.len()).ok_or_else(|| ExplainError::OtherCode { kernel: kernel() })?;
        instructions.iter_mut().zip(shares).for_each(|(instruction, share)| instruction.sampled = Some(share));
    }
    let lines = lines::of(&instructions, table);
    Ok(Explanation {
        kind,
        beside: BesideSamples::of(&lines),
        lines,
        per_ray: instructions.iter().map(|instruction| instruction.per_ray).sum(),
        instructions,
        pace: launch.pace.ok_or_else(no_code)?,
        warps,
        verified: launch.costs.table().is_some_and(|costs| costs.verified),
    })
}

impl ExplainRequest {
    fn variant(&self) -> &Variant {
        let Some(variant) = self.rays.variants.first() else { panic!("no kernel is to be explained") };
        variant
    }

    /// Checks that the profiler's launches had as many rays as there are.
    fn check_samples(&self, rays: &RayCounts) -> Result<(), ExplainError> {
        for row in &self.sampled {
            let found = rays.iter().find(|(kind, ..)| *kind == row.kind).map_or(row.rays, |(.., all)| *all);
            if found != row.rays {
                return Err(ExplainError::Rays { kind: row.kind.name(), counted: row.rays, found });
            }
        }
        Ok(())
    }
}
