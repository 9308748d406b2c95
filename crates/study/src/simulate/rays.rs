//! The rays that are simulated: spread samples of a workload's.

use super::{EfficiencyRequest, SimulateError, TracedRays};
use raywarp_bvh::{BuildOptions, build};
use raywarp_cpu::CpuTracer;
use raywarp_geom::{Control, FlatTriangles, Ray, TraceError};
use raywarp_traverse::Query;
use raywarp_workload::rays::{BATCH, Order, ViewRays, sample_of, shuffle, sort_morton};

/// Number of consecutive rays that stay together in a sample: whole warps of every power of two, and whole pool batches
/// of warps of 32. No more, since neighbours in a sorted batch lie in one corner of the scene and tell the same.
const CHUNK: usize = 384;

/// Sampled rays of each kind and view, or of each of the caller's lists.
pub(crate) type Samples = Vec<(TracedRays, Vec<Vec<Ray>>)>;

/// Numbers of rays by kind: how many are traced, and how many there are.
pub type RayCounts = Vec<(TracedRays, u64, u64)>;

/// Returns a text on how many rays of each kind are traced, and out of how many.
pub(crate) fn traced(rays: &RayCounts) -> String {
    let of_kind =
        |(kind, traced, all): &(TracedRays, u64, u64)| format!("{traced} of {all} {}", kind.name_with_query());
    rays.iter().map(of_kind).collect::<Vec<_>>().join(", ")
}

/// Returns the first line of a text report: scene, workload, viewpoints and rays.
pub(crate) fn headline(request: &EfficiencyRequest, rays: &RayCounts) -> String {
    let traced = traced(rays);
    if request.has_own_rays() {
        return format!("{}, rays of one's own; rays traced: {traced}", request.scene);
    }
    let views = request.views.len();
    let plural = if views == 1 { "" } else { "s" };
    let workload = request.workload.name();
    format!("{}, workload {workload}, {views} view{plural}; rays traced: {traced}", request.scene)
}

/// Returns the query of a kind of rays: closest hit or any hit.
pub(crate) fn query_of(kind: impl Into<TracedRays>) -> Query {
    kind.into().query()
}

/// Samples the rays that the caller gave, in the request's order.
fn sample_own(request: &EfficiencyRequest) -> Result<(Samples, RayCounts), SimulateError> {
    let (mut samples, mut counts) = (Samples::new(), RayCounts::new());
    for own in &request.own {
        let mut rays = own.rays.to_vec();
        match request.order {
            Order::Workload => {}
            Order::Morton => rays.chunks_mut(BATCH).for_each(sort_morton),
            Order::Shuffled(seed) => shuffle(&mut rays, seed),
        }
        let all = rays.len();
        let sample = sample_of(&rays, CHUNK, (all / request.sample.max(1)).max(1));
        counts.push((own.traced(), sample.len() as u64, all as u64));
        samples.push((own.traced(), vec![sample]));
    }
    match counts.iter().find(|count| count.1 == 0) {
        Some((own, ..)) => Err(SimulateError::NoOwnRays(own.name())),
        None => Ok((samples, counts)),
    }
}

/// Makes a request's rays and samples them; returns the sampled rays and the counts.
pub(crate) fn sample_rays(
    triangles: &FlatTriangles,
    request: &EfficiencyRequest,
    control: &Control<'_>,
) -> Result<(Samples, RayCounts), SimulateError> {
    if request.has_own_rays() {
        return sample_own(request);
    }
    // Only primary hits are traced through this tree.
    let tracer = CpuTracer::new(&build(triangles, &BuildOptions::default())?, triangles)?;
    let mut samples: Samples = request.kinds.iter().map(|&kind| (kind.into(), Vec::new())).collect();
    let mut counts: RayCounts = request.kinds.iter().map(|&kind| (kind.into(), 0, 0)).collect();
    let quiet = Control { cancel: control.cancel, progress: None };
    for view in &request.views {
        let rays = ViewRays::new(request.workload, view, request.size, triangles, &tracer, &quiet)?;
        for ((&kind, (_, views)), count) in request.kinds.iter().zip(&mut samples).zip(&mut counts) {
            if control.is_cancelled() {
                return Err(TraceError::Cancelled.into());
            }
            let rays_per_pixel = request.rays_per_pixel.unwrap_or(request.workload.rays_per_pixel());
            let batches = rays.batches(kind, rays_per_pixel, request.order);
            let every = (batches.ray_count() / request.sample.max(1) as u64).max(1);
            let sample = batches.draw(CHUNK, every as usize, request.draw);
            (count.1, count.2) = (count.1 + sample.len() as u64, count.2 + batches.ray_count());
            views.push(sample);
        }
    }
    match counts.iter().find(|count| count.1 == 0) {
        Some((kind, ..)) => Err(SimulateError::NoRays(kind.name())),
        None => Ok((samples, counts)),
    }
}
