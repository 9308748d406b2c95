//! SIMD efficiency of the kernel family on the papers' workloads, as in AL09 Table 1.

mod experiment;
mod known;
mod walks;

pub use experiment::{Cell, Experiment, ExperimentReport, ExperimentRequest, Row, Table, experiment};
pub use raywarp_sim::Al09Prices;
pub use raywarp_sim::machine::Machine;

use self::known::Known;
use self::walks::Runs;
use raywarp_bvh::{BuildError, BuildOptions, Bvh2, build};
use raywarp_cpu::CpuTracer;
use raywarp_family::{Operation, Tree, Variant};
use raywarp_geom::{Control, FlatError, FlatTriangles, Ray, TraceError};
use raywarp_layout::LayoutError;
use raywarp_scene::{Scene, flatten};
use raywarp_sim::{Efficiency, ProfileError, table1};
use raywarp_traverse::{KernelError, ReplayError};
use raywarp_workload::rays::{Order, RayKind, RaysError, ViewRays, Workload};
use raywarp_workload::views::View;
use std::fmt::Write;

/// Consecutive rays that stay together in a sample: whole warps of every power of two, and whole batches of the
/// pool for warps of 32. No more, since neighbours in a sorted batch lie in one corner of the scene and tell the same.
const CHUNK: usize = 384;

/// What to simulate.
#[derive(Debug, Clone)]
pub struct EfficiencyRequest {
    /// Whose rays.
    pub workload: Workload,
    /// Kinds of rays.
    pub kinds: Vec<RayKind>,
    /// Viewpoints; the counts are over all of them.
    pub views: Vec<View>,
    /// Pixels of a view.
    pub size: [u32; 2],
    /// About how many rays of each kind and view are traced.
    pub sample: usize,
    /// Order of the rays.
    pub order: Order,
    /// AO and diffuse rays of a pixel; the workload's by default.
    pub rays_per_pixel: Option<u32>,
    /// Kernels.
    pub variants: Vec<Variant>,
    /// Lanes of a warp, 1 to 64.
    pub widths: Vec<u32>,
    /// Tree of each leaf size; compressed trees take at most 3, and h8 1.
    pub leaf_sizes: Vec<u32>,
    /// The tree otherwise.
    pub build: BuildOptions,
    /// Name of the scene, under which the paper's figures are looked up.
    pub scene: String,
}

/// Why nothing can be simulated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SimulateError {
    /// Too many triangles.
    #[error(transparent)]
    Flat(#[from] FlatError),
    /// The builder refuses.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The encoder refuses.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// A kernel refuses.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// A launch cannot be followed.
    #[error(transparent)]
    Profile(#[from] ProfileError),
    /// A replay refuses.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The rays cannot be made.
    #[error(transparent)]
    Rays(#[from] RaysError),
    /// Stopped.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// An experiment on a machine that it says nothing of.
    #[error("--experiment {experiment} on {machine}: {why}")]
    NotThere {
        /// The experiment.
        experiment: &'static str,
        /// The machine.
        machine: String,
        /// What is missing.
        why: String,
    },
    /// A scene in which no ray of a kind starts.
    #[error("no {0} ray starts in any of the views: nothing is hit there")]
    NoRays(&'static str),
}

/// One kernel's counts for one kind of rays.
#[derive(Debug, Clone)]
pub struct Measurement {
    /// The kernel.
    pub variant: Variant,
    /// Which rays.
    pub kind: RayKind,
    /// Most triangles of a leaf.
    pub leaf_size: u32,
    /// The counts, over all views.
    pub counts: Efficiency,
    /// Share of the nodes visited that the same kernel without postponing does not visit, of those it
    /// visits; 0 for one that does not postpone.
    pub overfetch: f64,
}

/// Everything that was measured.
#[derive(Debug, Clone)]
pub struct EfficiencyReport {
    pub(crate) request: EfficiencyRequest,
    /// In the order of widths, leaf sizes, variants, kinds.
    pub measurements: Vec<Measurement>,
    /// Rays of each kind that were traced, and that there are in all.
    pub rays: RayCounts,
}

/// Measures the SIMD efficiency of kernels on a scene. All triangles count as opaque (AL09 2: the papers'
/// set-up has no textures).
///
/// `control.cancel` stops between two kernels.
///
/// # Errors
/// [`SimulateError`].
/// # Panics
/// If the scene does not pass [`raywarp_scene::validate`].
pub fn efficiency(
    scene: &Scene,
    request: &EfficiencyRequest,
    control: &Control<'_>,
) -> Result<EfficiencyReport, SimulateError> {
    let mut triangles = flatten(scene)?;
    triangles.opaque.fill(true);
    let (samples, rays) = sample_rays(&triangles, request, control)?;
    let mut report = EfficiencyReport { request: request.clone(), measurements: Vec::new(), rays };
    for &leaf_size in &request.leaf_sizes {
        let tree = |max_leaf: u32| build(&triangles, &BuildOptions { max_leaf, ..request.build });
        let plain = tree(leaf_size)?;
        // Trees of groups of triangles hold few a leaf (YKL17: three).
        let mut small: Vec<(u32, Bvh2)> = Vec::new();
        for most in request.variants.iter().map(|v| v.tree().max_leaf()).filter(|&most| most < leaf_size) {
            if small.iter().all(|(known, _)| *known != most) {
                small.push((most, tree(most)?));
            }
        }
        let bvh_of = |most: u32| small.iter().find(|(known, _)| *known == most).map_or(&plain, |(_, tree)| tree);
        let mut known = Known::new(&samples);
        let mut measured: Vec<(usize, Measurement)> = Vec::new();
        // First those whose rays' operations are written down: that tells others how many nodes they need.
        let mut groups = walks::groups(&request.variants);
        groups.sort_by_key(|group| !group.is_worth_a_dump(request));
        for group in groups {
            // A tree of its size for all: they have one walk, or are alone.
            let most = request.variants[group.rows[0]].tree().max_leaf();
            let bvh = bvh_of(most);
            let dumps = group.dumps(request, bvh, &triangles, &samples, control)?;
            if let (Some(walk), Some(dumps)) = (&group.walk, &dumps) {
                known.add_dumps(walk, dumps);
            }
            for &row in &group.rows {
                let variant = &request.variants[row];
                let mut runs = None;
                for &width in request.widths.iter().filter(|&&width| width % variant.lanes_per_ray() == 0) {
                    for (number, (kind, _)) in samples.iter().enumerate() {
                        if control.is_cancelled() {
                            return Err(TraceError::Cancelled.into());
                        }
                        let counts = match (known.counts(variant, number, width)?, &mut runs) {
                            (Some(counts), _) => counts,
                            (None, Some(runs)) => Runs::counts(runs, number, width)?,
                            (None, none) => {
                                let runs = Runs::new(variant, bvh, &triangles, &samples, dumps.as_ref())?;
                                none.insert(runs).counts(number, width)?
                            }
                        };
                        known.add(variant, number, &counts);
                        let needed = known.needed(variant, number, bvh, &triangles, control)?;
                        let overfetch = needed.map_or(0.0, |needed| counts.nodes as f64 / needed as f64 - 1.0);
                        let leaf_size = leaf_size.min(most);
                        measured
                            .push((row, Measurement { variant: *variant, kind: *kind, leaf_size, counts, overfetch }));
                    }
                    control.advance(1);
                }
            }
        }
        measured.sort_by_key(|(row, _)| *row);
        report.measurements.extend(measured.into_iter().map(|(_, measurement)| measurement));
    }
    Ok(report)
}

/// Sampled rays: for each kind those of each view.
pub(crate) type Samples = Vec<(RayKind, Vec<Vec<Ray>>)>;

/// For each kind how many rays are traced, and how many there are.
pub type RayCounts = Vec<(RayKind, u64, u64)>;

/// The rays that are traced, and their counts.
pub(crate) fn sample_rays(
    triangles: &FlatTriangles,
    request: &EfficiencyRequest,
    control: &Control<'_>,
) -> Result<(Samples, RayCounts), SimulateError> {
    // Only primary hits are traced through this tree.
    let tracer = CpuTracer::new(&build(triangles, &BuildOptions::default())?, triangles)?;
    let mut samples: Samples = request.kinds.iter().map(|&kind| (kind, Vec::new())).collect();
    let mut counts: RayCounts = request.kinds.iter().map(|&kind| (kind, 0, 0)).collect();
    let quiet = Control { cancel: control.cancel, progress: None };
    for view in &request.views {
        let rays = ViewRays::new(request.workload, view, request.size, triangles, &tracer, &quiet)?;
        for ((kind, views), count) in samples.iter_mut().zip(&mut counts) {
            if control.is_cancelled() {
                return Err(TraceError::Cancelled.into());
            }
            let rays_per_pixel = request.rays_per_pixel.unwrap_or(request.workload.rays_per_pixel());
            let batches = rays.batches(*kind, rays_per_pixel, request.order);
            let every = (batches.ray_count() / request.sample.max(1) as u64).max(1);
            let sample = batches.sample(CHUNK, every as usize);
            (count.1, count.2) = (count.1 + sample.len() as u64, count.2 + batches.ray_count());
            views.push(sample);
        }
    }
    match counts.iter().find(|count| count.1 == 0) {
        Some((kind, ..)) => Err(SimulateError::NoRays(kind.name())),
        None => Ok((samples, counts)),
    }
}

impl Measurement {
    /// SIMD efficiency of traversal and of intersection, per cent; NaN for an operation that never ran.
    pub fn percent(&self) -> [f64; 2] {
        [Operation::VisitNode, Operation::TestTriangle].map(|op| 100.0 * self.counts.simd_efficiency(op))
    }
}

/// A share as text; nothing for an operation that never ran.
fn percent(share: f64) -> String {
    if share.is_nan() { "-".to_string() } else { format!("{share:.0}") }
}

/// The row's name, or the text of a variant that is none.
pub(crate) fn name_of(variant: &Variant) -> String {
    let row = Variant::papers().iter().find(|row| row.variant == *variant);
    row.map_or_else(|| variant.to_string(), |row| row.name.to_string())
}

impl EfficiencyReport {
    /// Tables as text: one a width and leaf size, a kernel a line.
    pub fn text(&self) -> String {
        let request = &self.request;
        let mut text = String::new();
        let rays: Vec<String> =
            self.rays.iter().map(|(kind, traced, all)| format!("{traced} of {all} {}", kind.name())).collect();
        let views = request.views.len();
        let _ = writeln!(
            text,
            "{}, workload {}, {views} view{}; rays traced: {}",
            request.scene,
            request.workload.name(),
            if views == 1 { "" } else { "s" },
            rays.join(", ")
        );
        for &width in &request.widths {
            for &leaf_size in &request.leaf_sizes {
                self.table(&mut text, width, leaf_size);
            }
        }
        self.shared_rays(&mut text);
        text.push_str(
            "\ntrav/isect: share of a warp's lanes (%) that take part when it visits nodes and when it tests triangles. \
             nodes, tris: visited and tested by a ray; over: nodes visited in vain by postponing leaves. Compressed trees hold at most 3 triangles a leaf.\n",
        );
        let compared = self.measurements.iter().any(|m| self.theirs(&m.variant, m.counts.width, m.leaf_size).is_some());
        if compared {
            text.push_str(
                "theirs: Table 1 of AL09, on another version of the scene and another tree; see docs/efficiency.md.\n",
            );
        }
        text
    }

    fn table(&self, text: &mut String, width: u32, leaf_size: u32) {
        let request = &self.request;
        let _ = write!(text, "\nwarps of {width}, leaves of at most {leaf_size}\n{:<34}", "kernel");
        for kind in &request.kinds {
            let _ = write!(text, "{:>9} {:>7} {:>6} {:>6} {:>6}", kind.name(), "theirs", "nodes", "tris", "over");
        }
        text.push('\n');
        for variant in &request.variants {
            let of = |kind: RayKind| {
                let wanted = leaf_size.min(variant.tree().max_leaf());
                let mut all = self.measurements.iter();
                all.find(|m| {
                    m.variant == *variant && m.kind == kind && m.counts.width == width && m.leaf_size == wanted
                })
            };
            if !request.kinds.iter().any(|&kind| of(kind).is_some()) {
                continue;
            }
            let _ = write!(text, "{:<34}", name_of(variant));
            for (column, &kind) in request.kinds.iter().enumerate() {
                let Some(m) = of(kind) else { continue };
                let [traversal, intersection] = m.percent();
                let theirs = self.theirs(variant, width, leaf_size).map(|cells| cells[theirs_column(kind)]);
                let theirs = theirs.map_or_else(String::new, |[t, i]| format!("{t}/{i}"));
                let _ = write!(
                    text,
                    "{:>9} {:>7} {:>6.1} {:>6.1} {:>6}",
                    format!("{}/{}", percent(traversal), percent(intersection)),
                    theirs,
                    m.counts.nodes_per_ray(),
                    m.counts.triangles_per_ray(),
                    if m.overfetch == 0.0 { String::new() } else { format!("{:.1}%", 100.0 * m.overfetch) },
                );
                debug_assert!(column < 3);
            }
            text.push('\n');
        }
    }

    /// Where lanes share a ray: the boxes that a ray is tested against beside those of a binary tree, and how
    /// much of the lanes' work only repeats a neighbour's (AL09 5.3).
    fn shared_rays(&self, text: &mut String) {
        let wide: Vec<&Measurement> = self.measurements.iter().filter(|m| m.variant.lanes_per_ray() > 1).collect();
        if wide.is_empty() {
            return;
        }
        text.push_str("\none ray on several lanes: boxes a ray (while-while on bvh2 has two a node), repeated work\n");
        for m in wide {
            let binary = self.measurements.iter().find(|b| {
                let same = b.kind == m.kind && b.leaf_size == m.leaf_size;
                same && b.variant.tree() == Tree::Bvh2
                    && b.variant.postpone() == 0
                    && b.variant.to_string().contains("/while-while/")
            });
            let binary = binary.map_or_else(String::new, |b| format!(" ({:.1})", 2.0 * b.counts.nodes_per_ray()));
            let _ = writeln!(
                text,
                "{:<34}warps of {:<3} {:<8} {:>6.1}{binary} boxes, {:.0} % repeated",
                name_of(&m.variant),
                m.counts.width,
                m.kind.name(),
                m.counts.lane_visits_per_ray(),
                100.0 * m.counts.replicated(m.variant.lanes_per_ray()),
            );
        }
    }

    /// What AL09 found, for warps of 32 on its workload.
    pub(crate) fn theirs(&self, variant: &Variant, width: u32, leaf_size: u32) -> Option<[table1::Cell; 3]> {
        let request = &self.request;
        // Their figures are of five views at this size, with leaves of up to 8 (AL09 2).
        let same_rays = request.workload == Workload::Al09
            && request.order == Order::Workload
            && request.views.len() == 5
            && request.size == raywarp_workload::rays::RESOLUTION;
        let comparable = width == 32 && same_rays && leaf_size == 8;
        table1::cells(&request.scene, &name_of(variant)).filter(|_| comparable)
    }

    /// The same as a JSON document.
    pub fn json(&self) -> serde_json::Value {
        let request = &self.request;
        let measurement = |m: &Measurement| {
            let [traversal, intersection] = m.percent();
            let blocks: serde_json::Map<String, serde_json::Value> = raywarp_family::Block::ALL
                .iter()
                .map(|&block| (block, m.counts.block(block)))
                .filter(|(_, count)| count.issued > 0)
                .map(|(block, count)| {
                    (
                        block.name().to_string(),
                        serde_json::json!({ "issued": count.issued, "active_lanes": count.active }),
                    )
                })
                .collect();
            let theirs = self.theirs(&m.variant, m.counts.width, m.leaf_size).map(|cells| cells[theirs_column(m.kind)]);
            serde_json::json!({
                "name": name_of(&m.variant),
                "variant": m.variant.to_string(),
                "kind": m.kind.name(),
                "width": m.counts.width,
                "leaf_size": m.leaf_size,
                "rays": m.counts.rays,
                "warps": m.counts.warps,
                "traversal_percent": traversal,
                "intersection_percent": intersection,
                "theirs_percent": theirs,
                "nodes_per_ray": m.counts.nodes_per_ray(),
                "lane_visits_per_ray": m.counts.lane_visits_per_ray(),
                "triangles_per_ray": m.counts.triangles_per_ray(),
                "replicated": m.counts.replicated(m.variant.lanes_per_ray()),
                "overfetch": m.overfetch,
                "blocks": blocks,
            })
        };
        serde_json::json!({
            "scene": request.scene,
            "workload": request.workload.name(),
            "views": request.views.len(),
            "size": request.size,
            "measurements": self.measurements.iter().map(measurement).collect::<Vec<_>>(),
        })
    }
}

pub(crate) fn theirs_column(kind: RayKind) -> usize {
    match kind {
        RayKind::Primary => 0,
        RayKind::Ao => 1,
        RayKind::Diffuse => 2,
    }
}
