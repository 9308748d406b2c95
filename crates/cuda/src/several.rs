//! Tracer that shares one batch of host rays among several tracers of the same scene, a device each.
//!
//! Each takes a stretch of the batch, in the order of the tracers, and answers into the same stretch of the results. So
//! answers come in the order of the rays, and have the bits that one tracer would give: no ray knows of another.
//!
//! Stretches do not follow speeds: of unequal devices the slowest says how long a batch takes.

use crate::side_by_side;
use raywarp_geom::{BatchStats, Candidate, Control, Hit, HitKey, Ray, RayCost, TraceError, Tracer};
use std::sync::atomic::{AtomicBool, Ordering};

/// Number of rays that a device's part of a batch is a multiple of: results of any-hit rays are words of bits, which
/// only one device may write.
const WORD: usize = 32;

/// Tracer that splits each batch among several tracers of the same scene.
#[derive(Debug)]
pub struct SharedTracer<T> {
    /// Tracers that share the batches, each with its name in messages.
    tracers: Vec<(String, T)>,
}

impl<T: Tracer> SharedTracer<T> {
    /// Makes one tracer of several for the same scene, each with its name for messages.
    ///
    /// # Panics
    /// If there is none.
    pub fn new(tracers: Vec<(String, T)>) -> Self {
        assert!(!tracers.is_empty(), "somebody has to trace");
        Self { tracers }
    }

    /// Returns the tracers, in the order of their parts of a batch.
    pub fn tracers(&self) -> impl Iterator<Item = &T> {
        self.tracers.iter().map(|(_, tracer)| tracer)
    }

    /// Returns the number of rays in each tracer's part of a batch of `rays` rays; the last part has what is left.
    pub fn stretch(&self, rays: usize) -> usize {
        rays.div_ceil(self.tracers.len()).next_multiple_of(WORD).max(WORD)
    }

    /// Runs `work` with each tracer and its part of `parts`, in parallel. Where one fails the others stop after the
    /// portion in work, and its error is named; of several that fail the first one's.
    fn each<P: Send, R: Send>(
        &self,
        parts: Vec<P>,
        control: &Control<'_>,
        work: impl Fn(&T, P, &Control<'_>) -> Result<R, TraceError> + Sync,
    ) -> Result<Vec<R>, TraceError> {
        if let ([(_, tracer)], true) = (&self.tracers[..], parts.len() <= 1) {
            return parts.into_iter().map(|part| work(tracer, part, control)).collect();
        }
        // Set where one has failed, and where the caller asks to stop: a batch looks at one flag alone.
        let stop = AtomicBool::new(control.is_cancelled());
        let progress = |rays: usize| {
            control.advance(rays);
            if control.is_cancelled() {
                stop.store(true, Ordering::Relaxed);
            }
        };
        let joint = Control { cancel: Some(&stop), progress: Some(&progress) };
        let done = side_by_side(self.tracers.iter().zip(parts), |((name, tracer), part)| {
            let done = work(tracer, part, &joint);
            if done.is_err() {
                stop.store(true, Ordering::Relaxed);
            }
            done.map_err(|error| match error {
                TraceError::Device(message) => TraceError::Device(format!("{name}: {message}")),
                other => other,
            })
        });
        // A failure comes before those whom it has stopped.
        match done.iter().find_map(|done| done.as_ref().err().filter(|error| **error != TraceError::Cancelled)) {
            Some(error) => Err(error.clone()),
            None => done.into_iter().collect(),
        }
    }
}

/// Returns the parts of `values` for parts of `stretch` rays, followed by empty parts, also where there are no values.
fn chunks<V>(values: &[V], stretch: usize) -> impl Iterator<Item = &[V]> {
    values.chunks(stretch).chain(std::iter::repeat(&[][..]))
}

impl<T: Tracer> Tracer for SharedTracer<T> {
    fn closest(
        &self,
        rays: &[Ray],
        after: &[HitKey],
        hits: &mut [Hit],
        instances: &mut [u32],
        control: &Control<'_>,
    ) -> Result<BatchStats, TraceError> {
        assert_eq!(hits.len(), rays.len(), "one hit a ray");
        assert!(instances.is_empty() || instances.len() == rays.len(), "one instance a ray, or none");
        assert!(after.is_empty() || after.len() == rays.len(), "one key a ray, or none");
        let stretch = self.stretch(rays.len());
        let mut instances = instances.chunks_mut(stretch);
        let parts = rays.chunks(stretch).zip(chunks(after, stretch)).zip(hits.chunks_mut(stretch));
        let parts = parts.map(|((rays, after), hits)| (rays, after, hits, instances.next().unwrap_or_default()));
        let stats = self.each(parts.collect(), control, |tracer, (rays, after, hits, instances), control| {
            tracer.closest(rays, after, hits, instances, control)
        })?;
        Ok(sum(stats))
    }

    fn any(
        &self,
        rays: &[Ray],
        after: &[HitKey],
        blocked: &mut [u32],
        undecided: &mut Vec<Candidate>,
        control: &Control<'_>,
    ) -> Result<BatchStats, TraceError> {
        assert!(blocked.len() >= rays.len().div_ceil(WORD), "a bit a ray");
        assert!(after.is_empty() || after.len() == rays.len(), "one key a ray, or none");
        undecided.clear();
        let stretch = self.stretch(rays.len());
        let parts = rays.chunks(stretch).zip(chunks(after, stretch)).zip(blocked.chunks_mut(stretch / WORD));
        let parts = parts.enumerate().map(|(i, ((rays, after), blocked))| (i * stretch, rays, after, blocked));
        let done = self.each(parts.collect(), control, |tracer, (first, rays, after, blocked), control| {
            let mut undecided = Vec::new();
            let stats = tracer.any(rays, after, blocked, &mut undecided, control)?;
            // Rays are counted in the whole batch.
            undecided.iter_mut().for_each(|candidate| candidate.ray += first as u32);
            Ok((stats, undecided))
        })?;
        let (stats, candidates): (Vec<_>, Vec<_>) = done.into_iter().unzip();
        candidates.into_iter().for_each(|found| undecided.extend(found));
        Ok(sum(stats))
    }

    fn cost(&self, rays: &[Ray], costs: &mut [RayCost], control: &Control<'_>) -> Result<BatchStats, TraceError> {
        self.tracers[0].1.cost(rays, costs, control)
    }

    fn preferred_batch(&self) -> usize {
        self.tracers().map(Tracer::preferred_batch).sum()
    }
}

fn sum(stats: Vec<BatchStats>) -> BatchStats {
    stats.into_iter().fold(BatchStats::default(), |mut all, stats| {
        all += stats;
        all
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_bvh::{BuildOptions, build};
    use raywarp_cpu::CpuTracer;
    use raywarp_geom::FlatTriangles;
    use std::sync::Mutex;

    /// Makes a tracer of parallel sheets with holes in the same columns of all.
    fn tracer() -> CpuTracer {
        let triangle = |i: usize| {
            let [x, y, z] = [(i % 8) as f32, (i / 8 % 8) as f32, (i / 64) as f32];
            [[x, y, z], [x + 1.0, y, z], [x, y + 1.0, z]]
        };
        let mut triangles = FlatTriangles::from_vertices((0..192).map(triangle).collect());
        triangles.opaque.iter_mut().enumerate().for_each(|(i, opaque)| *opaque = i % 8 > 2);
        CpuTracer::new(&build(&triangles, &BuildOptions::default()).unwrap(), &triangles).unwrap()
    }

    fn shared(count: usize) -> SharedTracer<CpuTracer> {
        SharedTracer::new((0..count).map(|i| (format!("cuda:{i}"), tracer())).collect())
    }

    fn rays(count: usize) -> Vec<Ray> {
        let at = |i: usize, k: usize| (i * k % 97) as f32 / 12.0 - 0.1;
        (0..count).map(|i| Ray::new([at(i, 7), at(i, 31), -1.0], [0.01, 0.02, (i % 5) as f32])).collect()
    }

    type Answers = (Vec<[u32; 4]>, Vec<u32>, Vec<u32>, Vec<(u32, u32, u32)>, [BatchStats; 2]);

    fn ask(tracer: &dyn Tracer, rays: &[Ray], after: &[HitKey], instances: bool) -> Answers {
        let (mut hits, mut ids) = (vec![Hit::default(); rays.len()], vec![7; if instances { rays.len() } else { 0 }]);
        let closest = tracer.closest(rays, after, &mut hits, &mut ids, &Control::default()).unwrap();
        // A word more than there have to be.
        let (mut blocked, mut undecided) = (vec![99; rays.len().div_ceil(32) + 1], Vec::new());
        let any = tracer.any(rays, after, &mut blocked, &mut undecided, &Control::default()).unwrap();
        blocked.truncate(rays.len().div_ceil(32));
        let hits = hits.iter().map(|hit| [hit.t.to_bits(), hit.u.to_bits(), hit.v.to_bits(), hit.primitive]).collect();
        let undecided = undecided.iter().map(|found| (found.ray, found.instance, found.hit.primitive)).collect();
        (hits, ids, blocked, undecided, [closest, any])
    }

    #[test]
    fn answers_are_those_of_one_tracer_in_the_order_of_the_rays() {
        let one = tracer();
        for count in [0, 1, 31, 32, 33, 64, 65, 100, 1000] {
            let rays = rays(count);
            let keys = vec![HitKey { t: 1.5, instance: 0, primitive: 0 }; count];
            for (after, instances) in [(&[][..], true), (&keys[..], true), (&keys[..], false)] {
                let right = ask(&one, &rays, after, instances);
                assert!(count < 100 || (right.0.iter().any(|hit| hit[3] != Hit::MISS) && !right.3.is_empty()));
                for devices in [1, 2, 3, 8] {
                    assert!(ask(&shared(devices), &rays, after, instances) == right, "{count} rays, {devices}");
                }
            }
        }
    }

    /// A tracer that fails, or notes how many rays it was asked for.
    struct Watched<'a> {
        honest: CpuTracer,
        fails: bool,
        asked: &'a Mutex<Vec<usize>>,
    }

    impl Tracer for Watched<'_> {
        fn closest(
            &self,
            rays: &[Ray],
            after: &[HitKey],
            hits: &mut [Hit],
            instances: &mut [u32],
            control: &Control<'_>,
        ) -> Result<BatchStats, TraceError> {
            if self.fails {
                return Err(TraceError::Device("gone".into()));
            }
            self.asked.lock().unwrap().push(rays.len());
            // As a device that is at work until somebody stops it.
            if rays[0].t_min == 77.0 {
                while !control.is_cancelled() {
                    control.advance(0);
                }
                return Err(TraceError::Cancelled);
            }
            self.honest.closest(rays, after, hits, instances, control)
        }

        fn any(
            &self,
            _: &[Ray],
            _: &[HitKey],
            _: &mut [u32],
            _: &mut Vec<Candidate>,
            _: &Control<'_>,
        ) -> Result<BatchStats, TraceError> {
            Err(TraceError::Device("gone".into()))
        }

        fn cost(&self, _: &[Ray], _: &mut [RayCost], _: &Control<'_>) -> Result<BatchStats, TraceError> {
            Err(TraceError::Cancelled)
        }

        fn preferred_batch(&self) -> usize {
            1000
        }
    }

    fn watched<'a>(asked: &'a Mutex<Vec<usize>>, fails: &[bool]) -> SharedTracer<Watched<'a>> {
        let watched = |(i, &fails)| (format!("cuda:{}", 2 * i), Watched { honest: tracer(), fails, asked });
        SharedTracer::new(fails.iter().enumerate().map(watched).collect())
    }

    fn run(tracer: &dyn Tracer, rays: &[Ray], control: &Control<'_>) -> Result<BatchStats, TraceError> {
        let mut hits = vec![Hit::default(); rays.len()];
        tracer.closest(rays, &[], &mut hits, &mut [], control)
    }

    #[test]
    fn a_batch_is_shared_evenly_in_whole_words() {
        let asked = Mutex::new(Vec::new());
        let tracer = watched(&asked, &[false; 3]);
        run(&tracer, &rays(1000), &Control::default()).unwrap();
        asked.lock().unwrap().sort_unstable();
        assert_eq!(*asked.lock().unwrap(), [296, 352, 352]);
        assert_eq!(tracer.preferred_batch(), 3000);
    }

    #[test]
    fn one_that_fails_is_named_and_stops_the_others() {
        let asked = Mutex::new(Vec::new());
        // The others never end by themselves.
        let rays = vec![Ray { t_min: 77.0, ..Ray::new([0.0; 3], [1.0; 3]) }; 96];
        let ended = run(&watched(&asked, &[false, true, false]), &rays, &Control::default());
        assert_eq!(ended, Err(TraceError::Device("cuda:2: gone".into())));
        // Alone it needs no name.
        let ended = run(&watched(&asked, &[true]), &rays, &Control::default());
        assert_eq!(ended, Err(TraceError::Device("gone".into())));
        let (mut blocked, mut undecided) = (vec![0; 3], Vec::new());
        let ended = watched(&asked, &[true; 3]).any(&rays, &[], &mut blocked, &mut undecided, &Control::default());
        assert_eq!(ended, Err(TraceError::Device("cuda:0: gone".into())));
    }

    #[test]
    fn whoever_cancels_stops_all() {
        let asked = Mutex::new(Vec::new());
        let cancel = AtomicBool::new(false);
        let rays = vec![Ray { t_min: 77.0, ..Ray::new([0.0; 3], [1.0; 3]) }; 96];
        // In the middle of the batch.
        let progress = |_| cancel.store(true, Ordering::Relaxed);
        let control = Control { cancel: Some(&cancel), progress: Some(&progress) };
        assert_eq!(run(&watched(&asked, &[false; 3]), &rays, &control), Err(TraceError::Cancelled));
        // And before it.
        let control = Control { cancel: Some(&cancel), progress: None };
        assert_eq!(run(&watched(&asked, &[false; 3]), &rays, &control), Err(TraceError::Cancelled));
    }
}
