//! The papers' simulated experiments on our schedules, with what they found beside (AL09 3.2, 3.3, 4, 5.1, 5.2, 6).

mod agreement;
mod charts;
mod costs;
mod distribution;
mod queue;
mod rates;
mod replacement;
mod report;
mod sheet;
mod speculation;
mod width;

pub use report::{ComparedCell, ExperimentReport, ExperimentRow, ExperimentTable};

use super::walks::{Dumps, Group, Runs, groups};
use super::{EfficiencyRequest, RayCounts, Samples, SimulateError, paper_variant as row, sample_rays};
use raywarp_bvh::{BuildOptions, Bvh2, build};
use raywarp_family::{Operation, Variant};
use raywarp_geom::{Control, FlatTriangles, TraceError};
use raywarp_papers::Printed;
use raywarp_scene::{Description, flatten};
use raywarp_sim::machine::Machine;
use raywarp_sim::{Al09Costs, LaunchCounts};
use raywarp_workload::rays::RayKind;
use std::collections::HashMap;

/// Number of lanes of a warp of the papers' machines.
const WARP: u32 = 32;

/// An experiment of a paper, repeated by simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Experiment {
    /// Simulated rates of AL09's Table 1.
    Rates,
    /// Speculative traversal (AL09 4).
    Speculation,
    /// Replacement of terminated rays (AL09 5.1).
    Replacement,
    /// Work queues of rays (AL09 5.2).
    Queue,
    /// Warps with fewer lanes (AL09 6).
    Width,
    /// Running times of warps, and how warps are assigned to multiprocessors (AL09 3.2, 3.3).
    Distribution,
}

impl Experiment {
    /// All experiments, in the order of the paper.
    pub const ALL: [Self; 6] =
        [Self::Rates, Self::Distribution, Self::Speculation, Self::Replacement, Self::Queue, Self::Width];

    /// Returns the name of the experiment.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rates => "rates",
            Self::Speculation => "speculation",
            Self::Replacement => "replacement",
            Self::Queue => "queue",
            Self::Width => "width",
            Self::Distribution => "distribution",
        }
    }

    /// Returns the experiment with this name; `None` if there is none.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|experiment| experiment.name() == name)
    }

    /// Returns the number of kernels and warp widths that the experiment simulates, which [`experiment`] reports as
    /// progress.
    pub fn steps(self) -> usize {
        match self {
            Self::Rates => rates::STEPS,
            Self::Speculation => speculation::STEPS,
            Self::Replacement => replacement::STEPS,
            Self::Queue => queue::STEPS,
            Self::Width => width::STEPS,
            Self::Distribution => distribution::STEPS,
        }
    }

    /// Returns the approximate number of rays of each kind and view that the experiment needs.
    pub fn sample(self) -> usize {
        match self {
            // Some 24 times what a GTX 285 holds at once.
            Self::Distribution => 600_000,
            _ => 50_000,
        }
    }
}

/// Settings of an experiment: rays, costs and machine.
#[derive(Debug, Clone)]
pub struct ExperimentRequest {
    /// Scene, rays of a workload and tree; of its leaf sizes the first is used. Its variants and widths are the
    /// experiment's own.
    pub rays: EfficiencyRequest,
    /// Experiment to run.
    pub experiment: Experiment,
    /// Instruction costs on a machine of AL09's time; other machines have those of the kernels' machine code.
    pub costs: Al09Costs,
    /// Machine that is simulated.
    pub machine: Machine,
}

/// Runs an experiment of a paper by simulation, and returns our numbers beside the paper's. All triangles count as
/// opaque. The figures do not depend on the number of threads.
///
/// `control` is told [`Experiment::steps`] steps, and stops between two.
///
/// # Errors
/// [`SimulateError`]; [`SimulateError::NotThere`] at once where the kernels' costs on the machine are not known.
/// # Panics
/// If the scene does not pass [`raywarp_scene::validate`].
pub fn experiment(
    scene: &Description,
    request: &ExperimentRequest,
    control: &Control<'_>,
) -> Result<ExperimentReport, SimulateError> {
    costs::check(request)?;
    let mut triangles = flatten(scene)?;
    triangles.opaque.fill(true);
    // A paper's numbers are of its own rays.
    let rays = &EfficiencyRequest { own: Vec::new(), ..request.rays.clone() };
    let (samples, counts) = sample_rays(&triangles, rays, control)?;
    let max_leaf = rays.leaf_sizes.first().copied().unwrap_or(8);
    let bvh = build(&triangles, &BuildOptions { max_leaf, ..rays.build })?;
    let mut lab = Lab {
        request,
        triangles: &triangles,
        samples: &samples,
        rays: &counts,
        bvh,
        dumps: None,
        counted: HashMap::new(),
        assumed: 0.0,
        control,
    };
    lab.write_down()?;
    let mut tables = match request.experiment {
        Experiment::Rates => rates::tables(&mut lab)?,
        Experiment::Speculation => speculation::tables(&mut lab)?,
        Experiment::Replacement => replacement::tables(&mut lab)?,
        Experiment::Queue => queue::tables(&mut lab)?,
        Experiment::Width => width::tables(&mut lab)?,
        Experiment::Distribution => distribution::tables(&mut lab)?,
    };
    if let (Some(last), Some(doubt)) = (tables.last_mut(), lab.doubt()) {
        last.why.push(doubt);
    }
    Ok(ExperimentReport { request: request.clone(), rays: counts, tables })
}

/// The rays and tree of an experiment, with the counts of kernels simulated so far.
struct Lab<'a> {
    request: &'a ExperimentRequest,
    triangles: &'a FlatTriangles,
    samples: &'a Samples,
    /// Number of rays by kind: how many were traced, and how many there are.
    rays: &'a RayCounts,
    bvh: Bvh2,
    /// Dumps of what the rays do in a binary tree.
    dumps: Option<Dumps>,
    /// Counts of kernels by kind of rays, kernel and warp width.
    counted: HashMap<(Variant, u32), Vec<LaunchCounts>>,
    /// Largest fraction of instructions with assumed counts of any kernel so far.
    assumed: f64,
    control: &'a Control<'a>,
}

impl Lab<'_> {
    /// Dumps what the rays do, which is the same for all experiments' kernels, as these walk binary trees.
    fn write_down(&mut self) -> Result<(), SimulateError> {
        let walk = [row("al09-while-while")];
        let group: &Group = &groups(&walk)[0];
        self.dumps = group.write_down(&self.bvh, self.triangles, self.samples, self.control)?;
        Ok(())
    }

    fn step(&self) -> Result<(), SimulateError> {
        if self.control.is_cancelled() {
            return Err(TraceError::Cancelled.into());
        }
        self.control.advance(1);
        Ok(())
    }

    fn kinds(&self) -> Vec<RayKind> {
        self.samples.iter().filter_map(|(kind, _)| kind.kind()).collect()
    }

    fn runs(&self, variant: &Variant) -> Result<Runs<'_>, SimulateError> {
        Runs::new(variant, &self.bvh, self.triangles, self.samples, self.dumps.as_ref())
    }

    /// Returns the counts of a kernel at a warp width for each kind of rays, replayed from the dump where possible.
    fn counts(&mut self, variant: &Variant, width: u32) -> Result<&[LaunchCounts], SimulateError> {
        let key = (*variant, width);
        if !self.counted.contains_key(&key) {
            self.step()?;
            let runs = self.runs(variant)?;
            let counts = (0..self.samples.len()).map(|kind| runs.tallied(kind, width)).collect::<Result<_, _>>()?;
            self.counted.insert(key, counts);
        }
        Ok(&self.counted[&key])
    }

    /// Returns the number of lane slots that a ray costs, for each kind of rays.
    fn slots(&mut self, variant: &Variant, width: u32) -> Result<Vec<f64>, SimulateError> {
        let costs = self.costs(variant, width)?;
        let counted = self.counts(variant, width)?;
        Ok(counted.iter().zip(costs).map(|(counted, costs)| costs.lane_slots_per_ray(&counted.counts)).collect())
    }

    /// Returns by how many per cent a kernel is faster than `base`, for each kind of rays.
    fn faster(&mut self, variant: &Variant, base: &Variant) -> Result<Vec<f64>, SimulateError> {
        let (slots, base) = (self.slots(variant, WARP)?, self.slots(base, WARP)?);
        Ok(base.iter().zip(slots).map(|(base, slots)| 100.0 * (base / slots - 1.0)).collect())
    }

    /// Returns the SIMD efficiency of traversal and of intersection in per cent, for each kind of rays.
    fn filled(&mut self, variant: &Variant) -> Result<Vec<[f64; 2]>, SimulateError> {
        let percent = |counted: &LaunchCounts| {
            [Operation::VisitNode, Operation::TestTriangle].map(|op| 100.0 * counted.counts.simd_efficiency(op))
        };
        Ok(self.counts(variant, WARP)?.iter().map(percent).collect())
    }

    /// Returns a table row with our number for each kind of rays, and the paper's, if it gives any.
    fn row(&self, name: impl Into<String>, theirs: &Theirs, ours: &[f64], digits: usize) -> ExperimentRow {
        let cells = self
            .kinds()
            .into_iter()
            .zip(ours)
            .map(|(kind, &number)| ComparedCell::number(theirs_of(kind, theirs), number, digits));
        ExperimentRow { name: name.into(), cells: cells.collect() }
    }
}

/// Findings of a paper for primary, AO and diffuse rays.
type Theirs = [Printed; 3];

/// Findings for kernels and settings that the paper did not try.
const NOT_TRIED: &Theirs = &[const { Printed::nothing() }; 3];

/// Returns the paper's number for a kind of rays, out of those for primary, AO and diffuse rays.
fn theirs_of(kind: RayKind, theirs: &Theirs) -> &Printed {
    let [primary, ao, diffuse] = theirs;
    match kind {
        RayKind::Primary => primary,
        RayKind::Ao => ao,
        RayKind::Diffuse => diffuse,
    }
}

/// Returns the variant with some options changed, which must apply to it.
///
/// # Panics
/// If they do not: they are of this module.
fn with(variant: Variant, options: &[(raywarp_family::Key, &str)]) -> Variant {
    let set = |variant: Variant, &(key, value): &(raywarp_family::Key, &str)| {
        variant.with(key, value).unwrap_or_else(|error| panic!("{error}"))
    };
    options.iter().fold(variant, set)
}
