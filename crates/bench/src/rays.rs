//! The rays of a scene: made once, shared by all subjects.

use crate::check::Answers;
use crate::engine::trace;
use crate::request::SHUFFLE_SEED;
use crate::{BenchError, BenchRequest, BenchWatch, DataHash, RayColumn, RayOrder, RaySource};
use raywarp_cpu::CpuTracer;
use raywarp_geom::{Control, FlatTriangles, Ray};
use raywarp_system::memory;
use raywarp_workload::rays::{BATCH, RayKind, ViewRays, shuffle, sort_morton};
use std::time::Instant;

/// The rays of one launch, with the watertight tracer's answers.
pub(crate) struct RayBatch {
    /// Identifier of the batch, different for each batch of a scene.
    pub id: usize,
    /// Index of the batch's column in [`BenchRequest::columns`].
    pub column: usize,
    /// Index of the viewpoint among those measured; `None` if the rays of all are in one launch.
    pub view: Option<usize>,
    /// `true` if the rays ask for any hit, `false` if for the closest one.
    pub any: bool,
    pub rays: Vec<Ray>,
    /// Hash of the rays, once all are there.
    pub hash: DataHash,
    /// Answers of this CPU's watertight tracer, one for each ray.
    pub watertight: Answers,
    /// Seconds that sorting the rays took; `None` if they were not sorted on this CPU.
    pub sort: f64,
}

/// Number of rays that the halves of a batch are a multiple of, so that no warp and no pool's batch is split.
const HALF_OF: usize = 384;

impl RayBatch {
    /// Splits the batch into its first and its second half, as launches of their own; `None` if it has too few rays. No
    /// batch has the number `free` or a greater one.
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

/// Bytes for each ray: itself, the answers of the watertight tracer, a reference and a subject, and a hit in flight.
const RAY_BYTES: u64 = 32 + 4 + 4 + 4 + 16;
/// Number of bytes below which free memory is not checked, as systems tell it only roughly.
const SMALL_BYTES: u64 = 1 << 30;

/// Makes the rays of all columns and views of a request, or takes them from the lists given.
pub(crate) fn make(
    source: RaySource<'_>,
    triangles: &FlatTriangles,
    tracer: &CpuTracer,
    request: &BenchRequest,
    watch: &BenchWatch<'_>,
    name: &str,
) -> Result<Vec<RayBatch>, BenchError> {
    let mut batches = unhashed(source, triangles, tracer, request, watch, name)?;
    batches.iter_mut().for_each(|batch| batch.hash = DataHash::of_rays(&batch.rays));
    Ok(batches)
}

/// Does what [`make`] does, but for the hashes.
fn unhashed(
    source: RaySource<'_>,
    triangles: &FlatTriangles,
    tracer: &CpuTracer,
    request: &BenchRequest,
    watch: &BenchWatch<'_>,
    name: &str,
) -> Result<Vec<RayBatch>, BenchError> {
    let views = match source {
        RaySource::Views(views) => views,
        RaySource::Lists(lists) => return given(lists, tracer, request, watch),
    };
    check_memory(views.len(), request)?;
    let control = Control { cancel: watch.cancel, progress: None };
    let samples = request.rays_per_pixel.unwrap_or(request.workload.rays_per_pixel());
    let mut batches: Vec<RayBatch> = Vec::new();
    for (index, view) in views.iter().enumerate() {
        let made = ViewRays::new(request.workload, view, request.size, triangles, tracer, &control)?;
        for (column, what) in request.columns.iter().enumerate() {
            let kind = what.kind().expect("rays of viewpoints are of a kind");
            let parts = made.batches(kind, samples, what.order.made());
            let mut rays = Vec::with_capacity(parts.ray_count() as usize);
            for part in 0..parts.count() {
                rays.extend(parts.batch(part));
                if control.is_cancelled() {
                    return Err(raywarp_geom::TraceError::Cancelled.into());
                }
            }
            let sort = if what.order == RayOrder::Morton { sorted(&mut rays) } else { 0.0 };
            let watertight = trace(tracer, &rays, what.rays.is_any(), &control)?;
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
                    any: what.rays.is_any(),
                    rays,
                    hash: DataHash::default(),
                    watertight,
                    sort,
                }),
            }
        }
    }
    for (column, what) in request.columns.iter().enumerate() {
        if batches.iter().all(|batch| batch.column != column || batch.rays.is_empty()) {
            return Err(BenchError::NoRays(what.rays.name().to_string()));
        }
    }
    // A view in which nothing is hit has no secondary rays to time.
    batches.retain(|batch| !batch.rays.is_empty());
    Ok(batches)
}

/// Makes a batch of each given list of rays, one for each column, in the column's order.
fn given(
    lists: Vec<Vec<Ray>>,
    tracer: &CpuTracer,
    request: &BenchRequest,
    watch: &BenchWatch<'_>,
) -> Result<Vec<RayBatch>, BenchError> {
    assert_eq!(lists.len(), request.columns.len(), "a list of rays for each column");
    let rays: u64 = lists.iter().map(|list| list.len() as u64).sum();
    // The lists themselves are there already.
    check_room(rays, request, RAY_BYTES - size_of::<Ray>() as u64)?;
    let control = Control { cancel: watch.cancel, progress: None };
    let batch = |(column, (mut rays, what)): (usize, (Vec<Ray>, &RayColumn))| {
        let mut sort = 0.0;
        match what.order {
            RayOrder::Workload => {}
            RayOrder::Morton => sort = sorted(&mut rays),
            RayOrder::Shuffled => shuffle(&mut rays, SHUFFLE_SEED),
        }
        let any = what.rays.is_any();
        let watertight = trace(tracer, &rays, any, &control)?;
        Ok(RayBatch { id: column, column, view: None, any, rays, hash: DataHash::default(), watertight, sort })
    };
    lists.into_iter().zip(&request.columns).enumerate().map(batch).collect()
}

/// Sorts the rays in groups of [`BATCH`] rays, and returns the seconds that this took.
fn sorted(rays: &mut [Ray]) -> f64 {
    let start = Instant::now();
    rays.chunks_mut(BATCH).for_each(sort_morton);
    start.elapsed().as_secs_f64()
}

/// Checks that the rays of a request fit in memory, before hours are spent on making them.
fn check_memory(views: usize, request: &BenchRequest) -> Result<(), BenchError> {
    let pixels = u64::from(request.size[0]) * u64::from(request.size[1]) * views as u64;
    let samples = request.rays_per_pixel.unwrap_or(request.workload.rays_per_pixel());
    let per_pixel = |kind| if kind == Some(RayKind::Primary) { 1 } else { u64::from(samples) };
    let rays: u64 = request.columns.iter().map(|column| pixels.saturating_mul(per_pixel(column.kind()))).sum();
    check_room(rays, request, RAY_BYTES)
}

/// Checks that this many rays fit in memory, where each still takes this many bytes.
fn check_room(rays: u64, request: &BenchRequest, ray_bytes: u64) -> Result<(), BenchError> {
    let halves = if request.halves { size_of::<Ray>() as u64 } else { 0 };
    let needed = rays.saturating_mul(ray_bytes + halves);
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
        RayBatch {
            id,
            column: 1,
            view: Some(2),
            any: true,
            rays,
            hash: DataHash::default(),
            watertight: vec![1.0; count],
            sort: 0.5,
        }
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
