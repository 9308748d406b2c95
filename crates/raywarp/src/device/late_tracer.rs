//! The CPU's tracer, made when the first ray is asked for.

use raywarp_bvh::Bvh2;
use raywarp_cpu::CpuTracer;
use raywarp_geom::{BatchStats, Candidate, Control, FlatTriangles, Hit, HitKey, Ray, RayCost, TraceError, Tracer};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Preferred number of rays in a batch, equal to that of [`CpuTracer`]; a constant, since asking must not make the
/// tracer.
const PREFERRED_BATCH: usize = 4096;

/// CPU tracer whose tree is encoded only when the first ray comes: where GPUs take whole paths, few rays do.
pub(crate) struct LateTracer {
    bvh: Arc<Bvh2>,
    triangles: Arc<FlatTriangles>,
    made: OnceLock<Result<(CpuTracer, Duration), TraceError>>,
}

impl LateTracer {
    pub(crate) fn new(bvh: Arc<Bvh2>, triangles: Arc<FlatTriangles>) -> Self {
        Self { bvh, triangles, made: OnceLock::new() }
    }

    /// Returns the CPU tracer, which is made at the first call. O(triangles), in parallel, the first time.
    ///
    /// # Errors
    /// [`TraceError::Device`] where the tree cannot be encoded.
    pub(crate) fn get(&self) -> Result<&CpuTracer, TraceError> {
        let made = self.made.get().unwrap_or_else(|| {
            let start = Instant::now();
            // Not within the lock: whoever waits for it may be who is to work for this. Of two that come at once, one
            // works for nothing.
            let made = CpuTracer::new(&self.bvh, &self.triangles)
                .map(|tracer| (tracer, start.elapsed()))
                .map_err(|error| TraceError::Device(error.to_string()));
            self.made.get_or_init(|| made)
        });
        made.as_ref().map(|(tracer, _)| tracer).map_err(Clone::clone)
    }

    /// Returns the tracer's size in bytes and the time that making it took; `None` if it was never needed.
    pub(crate) fn made(&self) -> Option<(usize, Duration)> {
        let (tracer, time) = self.made.get()?.as_ref().ok()?;
        Some((tracer.bytes(), *time))
    }
}

impl Tracer for LateTracer {
    fn closest(
        &self,
        rays: &[Ray],
        after: &[HitKey],
        hits: &mut [Hit],
        instances: &mut [u32],
        control: &Control<'_>,
    ) -> Result<BatchStats, TraceError> {
        self.get()?.closest(rays, after, hits, instances, control)
    }

    fn any(
        &self,
        rays: &[Ray],
        after: &[HitKey],
        blocked: &mut [u32],
        undecided: &mut Vec<Candidate>,
        control: &Control<'_>,
    ) -> Result<BatchStats, TraceError> {
        self.get()?.any(rays, after, blocked, undecided, control)
    }

    fn cost(&self, rays: &[Ray], costs: &mut [RayCost], control: &Control<'_>) -> Result<BatchStats, TraceError> {
        self.get()?.cost(rays, costs, control)
    }

    fn preferred_batch(&self) -> usize {
        PREFERRED_BATCH
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_bvh::{build, presets};

    #[test]
    fn a_tracer_is_made_by_its_first_ray_and_likes_the_batches_of_a_made_one() {
        let triangles = FlatTriangles::from_vertices(vec![[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]);
        let bvh = build(&triangles, &presets::SINGLE).unwrap();
        let late = LateTracer::new(Arc::new(bvh), Arc::new(triangles));
        assert_eq!(late.preferred_batch(), PREFERRED_BATCH);
        assert_eq!(late.made(), None);
        let mut hits = [Hit::default()];
        let ray = Ray::new([0.25, 0.25, 1.0], [0.0, 0.0, -1.0]);
        late.closest(&[ray], &[], &mut hits, &mut [], &Control::default()).unwrap();
        assert_eq!(hits[0].t, 1.0);
        assert!(late.made().is_some_and(|(bytes, _)| bytes > 0));
        assert_eq!(late.get().unwrap().preferred_batch(), PREFERRED_BATCH);
    }

    #[test]
    fn a_tree_that_cannot_be_encoded_fails_each_batch() {
        let triangles = FlatTriangles::from_vertices(vec![[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]);
        let bvh = build(&triangles, &presets::SINGLE).unwrap();
        let late = LateTracer::new(Arc::new(bvh), Arc::new(FlatTriangles::default()));
        for _ in 0..2 {
            let traced = late.closest(&[], &[], &mut [], &mut [], &Control::default());
            assert!(matches!(traced, Err(TraceError::Device(_))), "{traced:?}");
        }
        assert_eq!(late.made(), None);
    }
}
