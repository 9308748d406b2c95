//! Our numbers of an exhibit on a scene, by simulation.

use super::exhibit::{Exhibit, Making, PaperTree, SAMPLE, SimulatedKernels};
use super::record::{NumberSource, Record};
use raywarp_bvh::{BuildOptions, Builder, build, presets};
use raywarp_family::{Operation, TraversalLoop, Variant};
use raywarp_geom::Control;
use raywarp_scene::views::View;
use raywarp_scene::{Description, flatten};
use raywarp_sim::machine::Machine;
use raywarp_sim::pace::{Pace, StallCause};
use raywarp_study::bounds::{Bounded, BoundsRequest, bound_rates};
use raywarp_study::simulate::{Al09Costs, EfficiencyRequest, Experiment, ExperimentRequest, SimulateError, experiment};
use raywarp_workload::rays::{Order, RESOLUTION, RayKind, Workload};

/// A scene with its viewpoints.
#[derive(Debug, Clone, Copy)]
pub struct ExhibitScene<'a> {
    /// Name of the scene, by which the papers know it.
    pub name: &'a str,
    /// Description of the scene.
    pub scene: &'a Description,
    /// Viewpoints of the scene.
    pub views: &'a [View],
}

/// Cost of leaving a leaf's end to its size: so dear a visit that leaves are filled.
const FULL_LEAVES: f32 = 1e6;

/// Returns the builder's options for a tree.
fn options(tree: PaperTree) -> BuildOptions {
    let greedy = BuildOptions { builder: Builder::SweepSah, ..BuildOptions::default() };
    match tree {
        PaperTree::Greedy => greedy,
        PaperTree::FullLeaves => BuildOptions { traversal_cost: FULL_LEAVES, split_clipping: Some(1.0), ..greedy },
        PaperTree::Good => presets::GOOD,
    }
}

/// Rays that are sampled.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Drawn {
    /// Approximate number of rays of a kind and view; `None` for the exhibit's own.
    pub rays: Option<usize>,
    /// Number of the sample among those that are made alike.
    pub number: u32,
}

/// Returns our numbers of an exhibit on a scene; none where a GPU is needed for them. `sample` is the approximate
/// number of rays of a kind and view in place of the exhibit's own.
///
/// # Errors
/// [`SimulateError`].
/// # Panics
/// If the scene does not pass [`raywarp_scene::validate`].
pub fn make(
    exhibit: &Exhibit,
    place: &ExhibitScene<'_>,
    sample: Option<usize>,
    control: &Control<'_>,
) -> Result<Vec<Record>, SimulateError> {
    make_drawn(exhibit, place, Drawn { rays: sample, number: 0 }, control)
}

/// Returns our numbers of an exhibit on a scene by one of many samples.
pub(super) fn make_drawn(
    exhibit: &Exhibit,
    place: &ExhibitScene<'_>,
    sample: Drawn,
    control: &Control<'_>,
) -> Result<Vec<Record>, SimulateError> {
    match exhibit.making {
        Making::Kernels(kernels) => {
            let mut records = Vec::new();
            for kernels in kernels.all() {
                records.extend(of_kernels(kernels, place, sample, control)?);
            }
            Ok(records)
        }
        Making::Experiment(which, quantities) => of_experiment(which, quantities, place, sample, control),
        Making::Nodes => of_trees(place),
        Making::Gpu => Ok(Vec::new()),
    }
}

fn request(place: &ExhibitScene<'_>, workload: Workload, build: BuildOptions, sample: Drawn) -> EfficiencyRequest {
    EfficiencyRequest {
        workload,
        kinds: RayKind::ALL.to_vec(),
        own: Vec::new(),
        views: place.views.to_vec(),
        size: RESOLUTION,
        sample: sample.rays.unwrap_or(SAMPLE),
        draw: sample.number,
        order: Order::Workload,
        rays_per_pixel: None,
        variants: Vec::new(),
        widths: vec![32],
        leaf_sizes: vec![build.max_leaf],
        build,
        scene: place.name.to_string(),
    }
}

fn of_kernels(
    kernels: &SimulatedKernels,
    place: &ExhibitScene<'_>,
    sample: Drawn,
    control: &Control<'_>,
) -> Result<Vec<Record>, SimulateError> {
    let mut names: Vec<&str> = kernels.runs.iter().map(|(machine, ..)| *machine).collect();
    names.dedup();
    let machines: Vec<Machine> = names.iter().filter_map(|name| Machine::find(name).ok()).collect();
    let mut variants: Vec<Variant> = Vec::new();
    for variant in kernels.runs.iter().filter_map(|(_, kernel, _)| kernel.parse().ok()) {
        if !variants.contains(&variant) {
            variants.push(variant);
        }
    }
    let mut rays = request(place, kernels.workload, options(kernels.tree), sample);
    (rays.variants, rays.kinds) = (variants, kernels.kinds.to_vec());
    if !kernels.leaves.is_empty() {
        rays.leaf_sizes = kernels.leaves.to_vec();
    }
    let mut records = Vec::new();
    for &(order, suffix) in kernels.orders {
        let rays = EfficiencyRequest { order, ..rays.clone() };
        let request =
            BoundsRequest { rays, machines: machines.clone(), changes: Vec::new(), costs: None, what_if: false };
        let report = bound_rates(place.scene, &request, control)?;
        for (machine, kernel, subject) in kernels.runs {
            let of_run = |row: &&Bounded| names[row.machine] == *machine && kernel.parse() == Ok(row.variant);
            for row in report.rows.iter().filter(of_run) {
                let subject = match kernels.leaves {
                    [] => (*subject).to_string(),
                    _ => format!("leaves of at most {}, {subject}", row.leaf_size),
                };
                let rays = format!("{}{suffix}", row.kind.name());
                for (quantity, ours) in numbers(kernels, row) {
                    add_faster(&mut records, made(place, &subject, &rays, quantity, ours));
                }
            }
        }
    }
    Ok(records)
}

/// Adds a number; of two kernels of a machine that are one subject the faster one counts.
pub(super) fn add_faster(records: &mut Vec<Record>, record: Record) {
    match records.iter_mut().find(|known| known.key() == record.key()) {
        Some(known) => known.ours = [known.ours, record.ours].into_iter().flatten().reduce(f64::max),
        None => records.push(record),
    }
}

/// Returns what a bounded kernel says of the quantities that are taken of it: rates in Mrays/s, shares in per cent.
fn numbers(kernels: &SimulatedKernels, row: &Bounded) -> Vec<(&'static str, f64)> {
    let share = |operation| 100.0 * row.profile.counts.simd_efficiency(operation);
    let lowest = row.lowest().map(|bound| bound.rays_per_s / 1e6);
    let is_packet = row.variant.traversal_loop() == TraversalLoop::Packet;
    // A visit tests the boxes of all children: two, or one on each lane of a ray.
    let children = f64::from(row.variant.lanes_per_ray().max(2));
    // Without the latency of loads, as on a GTX 680, shares of waits say nothing.
    let waits_for_loads = |pace: &Pace| share_of_stalls(pace, &[StallCause::Load]) > 0.0;
    let stalls = |of: &[StallCause]| row.pace.filter(waits_for_loads).map(|pace| share_of_stalls(&pace, of));
    let all = [
        ("traversal", Some(share(Operation::VisitNode)).filter(|_| !is_packet)),
        ("intersection", Some(share(Operation::TestTriangle)).filter(|_| !is_packet)),
        ("simulated", lowest),
        ("bound", lowest),
        ("expected", row.expected.map(|rate| rate / 1e6)),
        ("boxes", Some(children * row.profile.counts.nodes_per_ray())),
        ("ipc", row.pace.map(|pace| pace.instructions_per_clock)),
        ("memory", stalls(&[StallCause::Load])),
        ("dependency", stalls(&[StallCause::Wait, StallCause::Short, StallCause::Branch])),
    ];
    let is_wanted = |key: &str| kernels.quantities.contains(&key);
    all.into_iter().filter_map(|(key, ours)| Some((key, ours.filter(|_| is_wanted(key))?))).collect()
}

/// Returns what share of the waiting warps waits for some causes, in per cent. Those that could issue do not wait.
fn share_of_stalls(pace: &Pace, of: &[StallCause]) -> f64 {
    let waiting = |is_counted: &dyn Fn(StallCause) -> bool| -> f64 {
        let all = StallCause::ALL.into_iter().zip(pace.waiting);
        all.filter(|(cause, _)| is_counted(*cause)).map(|(_, warps)| warps).sum()
    };
    100.0 * waiting(&|cause| of.contains(&cause)) / waiting(&|cause| cause != StallCause::NotSelected)
}

fn made(place: &ExhibitScene<'_>, subject: &str, rays: &str, quantity: &str, ours: f64) -> Record {
    let [scene, subject, rays, quantity] = [place.name, subject, rays, quantity].map(String::from);
    let ours = ours.is_finite().then_some(ours);
    Record { scene, subject, rays, quantity, theirs: "".into(), ours, source: NumberSource::Simulated, draws: None }
}

fn of_experiment(
    which: Experiment,
    quantities: &[&[&str]],
    place: &ExhibitScene<'_>,
    sample: Drawn,
    control: &Control<'_>,
) -> Result<Vec<Record>, SimulateError> {
    let machine = Machine::find("gtx285").map_err(|why| SimulateError::NotThere {
        experiment: which.name(),
        machine: "gtx285".to_string(),
        why: why.to_string(),
    })?;
    let sample = Drawn { rays: Some(sample.rays.unwrap_or_else(|| which.sample())), ..sample };
    let rays = request(place, Workload::Al09, options(PaperTree::FullLeaves), sample);
    let request = ExperimentRequest { rays, experiment: which, costs: Al09Costs::default(), machine };
    let report = experiment(place.scene, &request, control)?;
    let mut records = Vec::new();
    for (table, quantities) in report.tables.iter().zip(quantities) {
        for row in &table.rows {
            for (rays, cell) in table.columns.iter().zip(&row.cells) {
                let theirs = cell.theirs.text().split('/');
                let theirs = theirs.chain(std::iter::repeat(""));
                for ((quantity, &ours), theirs) in quantities.iter().zip(&cell.numbers).zip(theirs) {
                    records.push(Record { theirs: theirs.into(), ..made(place, &row.name, rays, quantity, ours) });
                }
            }
        }
    }
    Ok(records)
}

/// Costs of a visit beside a test, and extra references as a share of the triangles, with which nodes are counted.
pub(super) const TREES: [(&str, f32, Option<f32>); 4] = [
    ("full leaves, splits", FULL_LEAVES, Some(1.0)),
    ("full leaves", FULL_LEAVES, None),
    ("a visit costs 2 tests", 2.0, None),
    ("a visit costs 1 test", 1.0, None),
];

fn of_trees(place: &ExhibitScene<'_>) -> Result<Vec<Record>, SimulateError> {
    let triangles = flatten(place.scene)?;
    let mut records = Vec::new();
    for (subject, traversal_cost, split_clipping) in TREES {
        let options = BuildOptions { traversal_cost, split_clipping, ..options(PaperTree::Greedy) };
        let nodes = build(&triangles, &options)?.nodes.len() as f64;
        records.push(made(place, subject, "", "nodes", nodes / 1e3));
    }
    Ok(records)
}
