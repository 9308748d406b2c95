//! The rays of a scene: made once, shared by all subjects.

use crate::check::Answers;
use crate::engine::trace;
use crate::{BenchError, BenchRequest, RayOrder, Watch};
use raywarp_cpu::CpuTracer;
use raywarp_geom::{Control, FlatTriangles, Ray};
use raywarp_system::memory;
use raywarp_workload::rays::{BATCH, RayKind, ViewRays, sort_morton};
use raywarp_workload::views::View;
use std::time::Instant;

/// The rays of a launch.
pub(crate) struct RayBatch {
    /// Different for each batch of a scene.
    pub id: usize,
    /// Index in [`BenchRequest::columns`].
    pub column: usize,
    /// Index of the viewpoint among those measured; none for the rays of all in one launch.
    pub view: Option<usize>,
    /// Whether the query is any-hit.
    pub any: bool,
    pub rays: Vec<Ray>,
    /// What this CPU's watertight tracer answers.
    pub watertight: Answers,
    /// Seconds that sorting took, if they were sorted here.
    pub sort: f64,
}

/// Whole warps, and whole batches of a pool, stay in one half.
const HALF_OF: usize = 384;

impl RayBatch {
    /// The first rays and the others, as launches of their own; none of too few. No batch has the number `free` or a greater one.
    pub fn halves(&self, free: usize) -> Option<[Self; 2]> {
        let middle = self.rays.len() / 2 / HALF_OF * HALF_OF;
        let half = |number: usize, rays: &[Ray]| Self {
            id: free + 2 * self.id + number,
            rays: rays.to_vec(),
            watertight: Answers::default(),
            ..*self
        };
        let (first, second) = self.rays.split_at(middle);
        (middle > 0).then(|| [half(0, first), half(1, second)])
    }
}

/// Bytes a ray, its answers by the watertight tracer, a reference and a subject, and a hit on its way.
const RAY_BYTES: u64 = 32 + 4 + 4 + 4 + 16;
/// Needs below this are not held against what is free: what systems say is rough.
const SMALL_BYTES: u64 = 1 << 30;

/// Makes all rays of a request, those of a column and view after the other.
pub(crate) fn make(
    views: &[View],
    triangles: &FlatTriangles,
    tracer: &CpuTracer,
    request: &BenchRequest,
    watch: &Watch<'_>,
    name: &str,
) -> Result<Vec<RayBatch>, BenchError> {
    check_memory(views.len(), request)?;
    let control = Control { cancel: watch.cancel, progress: None };
    let samples = request.rays_per_pixel.unwrap_or(request.workload.rays_per_pixel());
    let mut batches: Vec<RayBatch> = Vec::new();
    for (index, view) in views.iter().enumerate() {
        let made = ViewRays::new(request.workload, view, request.size, triangles, tracer, &control)?;
        for (column, what) in request.columns.iter().enumerate() {
            let parts = made.batches(what.kind, samples, what.order.made());
            let mut rays = Vec::with_capacity(parts.ray_count() as usize);
            for part in 0..parts.count() {
                rays.extend(parts.batch(part));
                if control.is_cancelled() {
                    return Err(raywarp_geom::TraceError::Cancelled.into());
                }
            }
            let mut sort = 0.0;
            if what.order == RayOrder::Morton {
                let start = Instant::now();
                rays.chunks_mut(BATCH).for_each(sort_morton);
                sort = start.elapsed().as_secs_f64();
            }
            let watertight = trace(tracer, &rays, what.kind.is_any(), &control)?;
            if let Some(export) = watch.export {
                let file = format!("{name}-view{}-{}", index + 1, what.name().replace(' ', "-"));
                export(&file, &rays).map_err(BenchError::Export)?;
            }
            match batches.iter_mut().find(|batch| request.one_launch && batch.column == column) {
                Some(all) => {
                    all.rays.extend(rays);
                    all.watertight.extend(watertight);
                    all.sort += sort;
                }
                None => batches.push(RayBatch {
                    id: batches.len(),
                    column,
                    view: (!request.one_launch).then_some(index),
                    any: what.kind.is_any(),
                    rays,
                    watertight,
                    sort,
                }),
            }
        }
    }
    for (column, what) in request.columns.iter().enumerate() {
        if batches.iter().all(|batch| batch.column != column || batch.rays.is_empty()) {
            return Err(BenchError::NoRays(what.kind.name().to_string()));
        }
    }
    // A view in which nothing is hit has no secondary rays to time.
    batches.retain(|batch| !batch.rays.is_empty());
    Ok(batches)
}

/// Refuses rays that memory does not hold, before hours of making them.
fn check_memory(views: usize, request: &BenchRequest) -> Result<(), BenchError> {
    let pixels = u64::from(request.size[0]) * u64::from(request.size[1]) * views as u64;
    let samples = request.rays_per_pixel.unwrap_or(request.workload.rays_per_pixel());
    let per_pixel = |kind| if kind == RayKind::Primary { 1 } else { u64::from(samples) };
    let rays: u64 = request.columns.iter().map(|column| pixels.saturating_mul(per_pixel(column.kind))).sum();
    let halves = if request.halves { size_of::<Ray>() as u64 } else { 0 };
    let needed = rays.saturating_mul(RAY_BYTES + halves);
    match memory::available() {
        Some(free) if needed > free.max(SMALL_BYTES) => Err(BenchError::Memory { rays, needed, free }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn batch(id: usize, count: usize) -> RayBatch {
        let ray = |i: usize| Ray::new([i as f32, 0.0, 0.0], [0.0, 0.0, 1.0]);
        let rays = (0..count).map(ray).collect();
        RayBatch { id, column: 1, view: Some(2), any: true, rays, watertight: vec![1.0; count], sort: 0.5 }
    }

    #[test]
    fn halves_have_all_rays_once_and_numbers_of_their_own() {
        let mut numbers = vec![0, 1, 2];
        for (id, count) in [(0, 768), (1, 1000), (2, 100_001)] {
            let whole = batch(id, count);
            let halves = whole.halves(3).unwrap();
            assert_eq!(halves.each_ref().map(|half| &half.rays[..]).concat(), whole.rays);
            assert!(halves.iter().all(|half| (half.column, half.view, half.any) == (1, Some(2), true)));
            assert!(halves[0].rays.len().is_multiple_of(384) && halves[1].rays.len() < count / 2 + 384);
            numbers.extend(halves.map(|half| half.id));
        }
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 3 + 6);
        assert!(batch(0, 767).halves(3).is_none() && batch(0, 0).halves(3).is_none());
    }
}
