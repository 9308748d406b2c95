//! SIMD efficiency of the kernel family on the papers' workloads, as in AL09 Table 1.

mod count_cache;
mod experiment;
pub(crate) mod fullness;
mod operations;
mod rays;
mod report;
pub(crate) mod run;
mod sheet;
mod traced_rays;
mod walks;

pub use experiment::{
    ComparedCell, Experiment, ExperimentReport, ExperimentRequest, ExperimentRow, ExperimentTable, experiment,
};
pub use operations::{DumpedRays, efficiency_of_operations, record_operations, that_replay};
pub(crate) use operations::{ray_counts, request_of};
pub use rays::RayCounts;
pub(crate) use rays::{Samples, headline, query_of, sample_rays, traced};
pub use raywarp_sim::Al09Costs;
pub use raywarp_sim::machine::Machine;
pub(crate) use report::theirs_column;
pub use traced_rays::{OwnRays, TracedRays};

use self::count_cache::CountCache;
use self::walks::Runs;
use raywarp_bvh::{BuildError, BuildOptions, Bvh2, build};
use raywarp_family::Variant;
use raywarp_geom::{Control, FlatError, FlatTriangles, TraceError};
use raywarp_layout::LayoutError;
use raywarp_scene::views::View;
use raywarp_scene::{Description, flatten};
use raywarp_sim::{CostChange, ProfileError, WarpCounts};
use raywarp_traverse::{KernelError, ReplayError};
use raywarp_workload::rays::{Order, RayKind, RaysError, Workload};

/// Settings of a simulation of kernels on a scene's rays.
#[derive(Debug, Clone)]
pub struct EfficiencyRequest {
    /// Workload that makes the rays.
    pub workload: Workload,
    /// Kinds of rays that are traced, if the caller has no rays of its own.
    pub kinds: Vec<RayKind>,
    /// Rays that are traced in place of the workload's, none of which are made if there are any here.
    pub own: Vec<OwnRays>,
    /// Viewpoints of the rays; the counts are summed over all of them.
    pub views: Vec<View>,
    /// Width and height of a view in pixels.
    pub size: [u32; 2],
    /// Approximate number of rays of each kind and view that are traced.
    pub sample: usize,
    /// Number of the sample of a workload's rays among those that are made alike; 0 is the usual one.
    pub draw: u32,
    /// Order of the rays in a launch.
    pub order: Order,
    /// Number of AO and of diffuse rays of a pixel; `None` for the workload's default.
    pub rays_per_pixel: Option<u32>,
    /// Variants of the kernels to simulate.
    pub variants: Vec<Variant>,
    /// Numbers of lanes of the warps to simulate, 1 to 64.
    pub widths: Vec<u32>,
    /// Largest numbers of triangles in a leaf, with a tree for each; compressed trees take at most 3, and h8 1. A tree
    /// that nobody knows, of operations that were written down, has 0.
    pub leaf_sizes: Vec<u32>,
    /// Build options of the trees, except for the leaf size.
    pub build: BuildOptions,
    /// Name of the scene, by which the paper's figures are looked up.
    pub scene: String,
}

/// Reason why kernels cannot be simulated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimulateError {
    /// The scene has too many triangles.
    #[error(transparent)]
    Flat(#[from] FlatError),
    /// The scene's tree cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The tree cannot be encoded for a kernel.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// A kernel cannot be made for the tree, or cannot trace the rays.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// A kernel's launch cannot be profiled.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// A variant cannot replay the dumped operations of rays.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The workload's rays cannot be made.
    #[error(transparent)]
    Rays(#[from] RaysError),
    /// The caller stopped the run, or rays could not be traced.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The experiment needs something that is not known for the machine.
    #[error("`ExperimentRequest::experiment` {experiment} on {machine}: {why}")]
    NotThere {
        /// Name of the experiment.
        experiment: &'static str,
        /// Name of the machine.
        machine: String,
        /// Reason why the experiment cannot run: what is missing.
        why: String,
    },
    /// A change of cost subtracts more instructions from an event than it has.
    #[error("{change}: it has {instructions:.1} instructions an event in {kernel}, {kind} rays")]
    Cost {
        /// Change of the cost.
        change: CostChange,
        /// Number of instructions of an event.
        instructions: f64,
        /// Name of the kernel.
        kernel: String,
        /// Kind of the kernel's rays.
        kind: &'static str,
    },
    /// The caller's own rays are none.
    #[error("{0} are no rays")]
    NoOwnRays(&'static str),
    /// No ray of a kind starts in the scene, as nothing is hit.
    #[error("no {0} ray starts in any of the views: nothing is hit there")]
    NoRays(&'static str),
}

impl EfficiencyRequest {
    /// Returns `true` if rays are the caller's own, not those of a workload.
    pub fn has_own_rays(&self) -> bool {
        !self.own.is_empty()
    }

    /// Returns what rays are traced, in the order of reports.
    pub fn traced(&self) -> Vec<TracedRays> {
        match self.has_own_rays() {
            true => self.own.iter().map(OwnRays::traced).collect(),
            false => self.kinds.iter().map(|&kind| kind.into()).collect(),
        }
    }
}

impl SimulateError {
    /// Returns `true` if the caller asked to stop, between two kernels or while rays were made.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Trace(TraceError::Cancelled) | Self::Rays(RaysError::Trace(TraceError::Cancelled)))
    }

    /// Returns `true` if the error is that a kernel's tree cannot hold the scene.
    pub fn is_of_scene(&self) -> bool {
        match self {
            Self::Kernel(error) | Self::Profile(ProfileError::Kernel(error)) => {
                matches!(error, KernelError::Layout(LayoutError::TooFar { .. }))
            }
            Self::Layout(error) => matches!(error, LayoutError::TooFar { .. }),
            _ => false,
        }
    }
}

/// Counts of a simulated kernel for one kind of rays.
#[derive(Debug, Clone)]
pub struct Measurement {
    /// Variant of the kernel.
    pub variant: Variant,
    /// Rays that were traced.
    pub kind: TracedRays,
    /// Largest number of triangles in a leaf; 0 where it is not known.
    pub leaf_size: u32,
    /// Counts of what warps issued, summed over all views.
    pub counts: WarpCounts,
    /// Fraction of superfluous node visits: those that the kernel without postponing does not make, over those that it
    /// makes; 0 for one that does not postpone.
    pub overfetch: f64,
}

/// Counts of all kernels and kinds of rays of a request.
#[derive(Debug, Clone)]
pub struct EfficiencyReport {
    pub(crate) request: EfficiencyRequest,
    /// Measured counts in the order of warp widths, leaf sizes, variants and kinds of rays.
    pub measurements: Vec<Measurement>,
    /// Number of rays of each kind that were traced, and that there are in all.
    pub rays: RayCounts,
    /// `true` if the caller stopped the run, so that kernels are missing.
    pub interrupted: bool,
}

/// Simulates kernels on a scene's rays, and counts their warps' lanes at work (SIMD efficiency). All triangles count as
/// opaque (AL09 2: the papers' set-up has no textures).
///
/// `control.cancel` stops between two kernels; what was measured until then is the report, if it is anything.
///
/// # Errors
/// [`SimulateError`].
/// # Panics
/// If the scene does not pass [`raywarp_scene::validate`].
pub fn efficiency(
    scene: &Description,
    request: &EfficiencyRequest,
    control: &Control<'_>,
) -> Result<EfficiencyReport, SimulateError> {
    let mut triangles = flatten(scene)?;
    triangles.opaque.fill(true);
    let (samples, rays) = sample_rays(&triangles, request, control)?;
    let mut measurements = Vec::new();
    let mut done = Ok(());
    for &leaf_size in &request.leaf_sizes {
        // In the order in which they were measured, with their places.
        let mut measured: Vec<(usize, Measurement)> = Vec::new();
        done = done.and_then(|()| measure(&triangles, &samples, request, leaf_size, control, &mut measured));
        measured.sort_by_key(|(row, _)| *row);
        measurements.extend(measured.into_iter().map(|(_, measurement)| measurement));
    }
    let interrupted = stopped(done, !measurements.is_empty())?;
    Ok(EfficiencyReport { request: request.clone(), measurements, rays, interrupted })
}

/// Returns `true` if work was stopped after it had found something; returns the error if it failed otherwise.
pub(crate) fn stopped(done: Result<(), SimulateError>, found: bool) -> Result<bool, SimulateError> {
    match done {
        Ok(()) => Ok(false),
        Err(error) if error.is_cancelled() && found => Ok(true),
        Err(error) => Err(error),
    }
}

/// Simulates the kernels of a request on trees of one leaf size; the results in `measured` are valid after an error,
/// too.
fn measure(
    triangles: &FlatTriangles,
    samples: &Samples,
    request: &EfficiencyRequest,
    leaf_size: u32,
    control: &Control<'_>,
    measured: &mut Vec<(usize, Measurement)>,
) -> Result<(), SimulateError> {
    let tree = |max_leaf: u32| build(triangles, &BuildOptions { max_leaf, ..request.build });
    let plain = tree(leaf_size)?;
    // Trees of groups of triangles hold few a leaf (YKL17: three).
    let mut small: Vec<(u32, Bvh2)> = Vec::new();
    for most in request.variants.iter().map(|v| v.tree().max_leaf()).filter(|&most| most < leaf_size) {
        if small.iter().all(|(known, _)| *known != most) {
            small.push((most, tree(most)?));
        }
    }
    let bvh_of = |most: u32| small.iter().find(|(known, _)| *known == most).map_or(&plain, |(_, tree)| tree);
    let mut known = CountCache::new(samples);
    // First those whose rays' operations are written down: that tells others how many nodes they need.
    let mut groups = walks::groups(&request.variants);
    groups.sort_by_key(|group| !group.is_worth_a_dump(request));
    for group in groups {
        // A tree of its size for all: they have one walk, or are alone.
        let most = request.variants[group.rows[0]].tree().max_leaf();
        let bvh = bvh_of(most);
        let dumps = group.dumps(request, bvh, triangles, samples, control)?;
        if let (Some(walk), Some(dumps)) = (&group.walk, &dumps) {
            known.add_dumps(walk, dumps);
        }
        for &row in &group.rows {
            let variant = &request.variants[row];
            let mut runs = None;
            for &width in request.widths.iter().filter(|&&width| width % variant.lanes_per_ray() == 0) {
                let mut kinds = Vec::with_capacity(samples.len());
                for (number, (kind, _)) in samples.iter().enumerate() {
                    if control.is_cancelled() {
                        return Err(TraceError::Cancelled.into());
                    }
                    let counts = match (known.counts(variant, number, width)?, &mut runs) {
                        (Some(counts), _) => counts,
                        (None, Some(runs)) => Runs::counts(runs, number, width)?,
                        (None, none) => {
                            let runs = Runs::new(variant, bvh, triangles, samples, dumps.as_ref())?;
                            none.insert(runs).counts(number, width)?
                        }
                    };
                    known.add(variant, number, &counts);
                    let needed = known.needed(variant, number, bvh, triangles, control)?;
                    let overfetch = needed.map_or(0.0, |needed| counts.nodes as f64 / needed as f64 - 1.0);
                    let leaf_size = leaf_size.min(most);
                    kinds.push((row, Measurement { variant: *variant, kind: *kind, leaf_size, counts, overfetch }));
                }
                // All kinds or none: a line of a table is whole.
                measured.append(&mut kinds);
                control.advance(1);
            }
        }
    }
    Ok(())
}

/// Returns the name of the kernel that a variant is, or else the variant's text.
pub fn name_of(variant: &Variant) -> String {
    let row = raywarp_family::rows().find(|row| row.variant == *variant);
    row.map_or_else(|| variant.to_string(), |row| row.name.to_string())
}

/// Returns the variant of a paper's kernel by its name.
///
/// # Panics
/// If there is none of this name: the names are of this crate.
pub(crate) fn paper_variant(name: &str) -> Variant {
    Variant::papers().iter().find(|row| row.name == name).map_or_else(|| panic!("no row {name}"), |row| row.variant)
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_geom::{Affine, TriangleMesh};
    use raywarp_scene::{Camera, FaceMaterials, Instance, Material, Mesh};
    use raywarp_workload::rays::{Order, Workload};
    use std::sync::atomic::AtomicBool;

    #[test]
    fn whoever_stops_before_the_first_ray_has_stopped() {
        let mut scene = Description::default();
        let positions = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let triangles = TriangleMesh { positions, indices: vec![[0, 1, 2]], ..TriangleMesh::default() };
        let material = scene.add_material(Material::diffuse("clay", [0.7; 3]));
        let mesh = Mesh { name: "mesh".into(), triangles, materials: FaceMaterials::Uniform(material) };
        let mesh = scene.add_mesh(mesh);
        scene.instances.push(Instance { mesh, transform: Affine::IDENTITY, material: None });
        let camera = Camera::look_at([0.2, 0.2, 3.0], [0.2, 0.2, 0.0], [0.0, 1.0, 0.0], 40.0).unwrap();
        let request = EfficiencyRequest {
            workload: Workload::Raywarp,
            kinds: RayKind::ALL.to_vec(),
            own: Vec::new(),
            views: vec![View { camera, ao_radius: None }],
            size: [32, 24],
            sample: 768,
            draw: 0,
            order: Order::Workload,
            rays_per_pixel: Some(1),
            variants: vec![Variant::papers()[0].variant],
            widths: vec![32],
            leaf_sizes: vec![8],
            build: BuildOptions::default(),
            scene: "default".into(),
        };
        let stop = AtomicBool::new(true);
        let control = Control { cancel: Some(&stop), progress: None };
        let error = efficiency(&scene, &request, &control).unwrap_err();
        assert!(error.is_cancelled(), "{error:?}");
        let none = EfficiencyRequest { size: [0, 24], ..request };
        let error = efficiency(&scene, &none, &Control::default()).unwrap_err();
        assert!(!error.is_cancelled(), "{error:?}");
    }
}
