//! The papers' simulated experiments on our schedules, with what they found beside (AL09 3.2, 3.3, 4, 5.1, 5.2, 6).

mod agreement;
mod charts;
mod distribution;
mod pricing;
mod queue;
mod rates;
mod replacement;
mod report;
mod sheet;
mod speculation;
mod width;

pub use report::{ComparedCell, ExperimentReport, ExperimentRow, ExperimentTable};

use super::walks::{Dumps, Group, Runs, groups};
use super::{EfficiencyRequest, RayCounts, Samples, SimulateError, sample_rays};
use raywarp_bvh::{BuildOptions, Bvh2, build};
use raywarp_family::{Operation, Variant};
use raywarp_geom::{Control, FlatTriangles, TraceError};
use raywarp_scene::{Description, flatten};
use raywarp_sim::machine::Machine;
use raywarp_sim::{Al09Costs, LaunchCounts};
use raywarp_workload::rays::RayKind;
use std::collections::HashMap;

/// Warps of the papers' machines.
const WARP: u32 = 32;

/// An experiment of the papers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Experiment {
    /// Simulated rates of Table 1.
    Rates,
    /// Speculative traversal (AL09 4).
    Speculation,
    /// Replacing terminated rays (AL09 5.1).
    Replacement,
    /// Work queues (AL09 5.2).
    Queue,
    /// Narrower warps (AL09 6).
    Width,
    /// Times of warps, and how they are dealt to multiprocessors (AL09 3.2, 3.3).
    Distribution,
}

impl Experiment {
    /// All, in the order of the paper.
    pub const ALL: [Self; 6] =
        [Self::Rates, Self::Distribution, Self::Speculation, Self::Replacement, Self::Queue, Self::Width];

    /// Returns the experiment's name.
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

    /// Returns the experiment of a name.
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|experiment| experiment.name() == name)
    }

    /// Returns the number of kernels and widths that it counts: what [`experiment`] reports as progress.
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

    /// Returns the approximate number of rays of each kind and view that it takes to say something.
    pub fn sample(self) -> usize {
        match self {
            // Some 24 times what a GTX 285 holds at once.
            Self::Distribution => 600_000,
            _ => 50_000,
        }
    }
}

/// A request for an experiment.
#[derive(Debug, Clone)]
pub struct ExperimentRequest {
    /// Rays and tree: the first of its leaf sizes. Its variants and widths are the experiment's own.
    pub rays: EfficiencyRequest,
    /// The experiment to make.
    pub experiment: Experiment,
    /// Costs of operations on a machine of AL09's time; others have what the kernels' machine code says.
    pub costs: Al09Costs,
    /// The machine whose multiprocessors and instructions are simulated.
    pub machine: Machine,
}

/// Runs an experiment. All triangles count as opaque. The figures do not depend on the number of threads.
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
    pricing::check(request)?;
    let mut triangles = flatten(scene)?;
    triangles.opaque.fill(true);
    let rays = &request.rays;
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

/// Rays, a tree, and what was counted so far.
struct Lab<'a> {
    request: &'a ExperimentRequest,
    triangles: &'a FlatTriangles,
    samples: &'a Samples,
    /// Counts of rays by kind: how many were traced, and how many there are.
    rays: &'a RayCounts,
    bvh: Bvh2,
    /// Dumps of what the rays do in a two-box tree.
    dumps: Option<Dumps>,
    /// Counts of each kind, by kernel and width.
    counted: HashMap<(Variant, u32), Vec<LaunchCounts>>,
    /// Share of a kernel's instructions that are assumed, of all priced the most.
    assumed: f64,
    control: &'a Control<'a>,
}

impl Lab<'_> {
    /// Writes down what the rays do; all experiments' kernels walk two-box trees alike.
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
        self.samples.iter().map(|(kind, _)| *kind).collect()
    }

    fn runs(&self, variant: &Variant) -> Result<Runs<'_>, SimulateError> {
        Runs::new(variant, &self.bvh, self.triangles, self.samples, self.dumps.as_ref())
    }

    /// Returns the counts of a kernel at a width, for each kind; replayed where its rays do as their dump says.
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

    /// Returns the lane slots that a ray costs, for each kind.
    fn slots(&mut self, variant: &Variant, width: u32) -> Result<Vec<f64>, SimulateError> {
        let costs = self.costs(variant, width)?;
        let counted = self.counts(variant, width)?;
        Ok(counted.iter().zip(costs).map(|(counted, costs)| costs.lane_slots_per_ray(&counted.counts)).collect())
    }

    /// Returns how much faster than `base` a kernel is, per cent, for each kind.
    fn faster(&mut self, variant: &Variant, base: &Variant) -> Result<Vec<f64>, SimulateError> {
        let (slots, base) = (self.slots(variant, WARP)?, self.slots(base, WARP)?);
        Ok(base.iter().zip(slots).map(|(base, slots)| 100.0 * (base / slots - 1.0)).collect())
    }

    /// Returns the efficiency of traversal and intersection, per cent, for each kind.
    fn filled(&mut self, variant: &Variant) -> Result<Vec<[f64; 2]>, SimulateError> {
        let percent = |counted: &LaunchCounts| {
            [Operation::VisitNode, Operation::TestTriangle].map(|op| 100.0 * counted.counts.simd_efficiency(op))
        };
        Ok(self.counts(variant, WARP)?.iter().map(percent).collect())
    }

    /// Returns a row with a number of ours for each kind; `theirs` by kind, empty for none.
    fn row(&self, name: impl Into<String>, theirs: [&str; 3], ours: &[f64], digits: usize) -> ExperimentRow {
        let cells = self
            .kinds()
            .into_iter()
            .zip(ours)
            .map(|(kind, &number)| ComparedCell::number(theirs_of(kind, theirs), number, digits));
        ExperimentRow { name: name.into(), cells: cells.collect() }
    }
}

/// Returns the paper's number for a kind of those for primary, AO and diffuse rays.
fn theirs_of(kind: RayKind, theirs: [&str; 3]) -> &str {
    theirs[super::theirs_column(kind)]
}

/// Returns the variant of a row of the papers.
///
/// # Panics
/// If there is none of this name: the names are of this module.
fn row(name: &str) -> Variant {
    Variant::papers().iter().find(|row| row.name == name).map_or_else(|| panic!("no row {name}"), |row| row.variant)
}

/// Options of a variant, which must apply.
///
/// # Panics
/// If they do not: they are of this module.
fn with(variant: Variant, options: &[(raywarp_family::Key, &str)]) -> Variant {
    let set = |variant: Variant, &(key, value): &(raywarp_family::Key, &str)| {
        variant.with(key, value).unwrap_or_else(|error| panic!("{error}"))
    };
    options.iter().fold(variant, set)
}
