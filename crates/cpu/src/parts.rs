//! Batches of rays, cut into parts that threads take.

use rayon::prelude::*;
use raywarp_geom::{BatchStats, Candidate, Control, Hit, HitKey, KernelName, Ray, TraceError};

/// Number of rays traced between two looks at [`Control`] for cancellation; a multiple of 32, so that parts own whole
/// words of bits.
const PART: usize = 512;

/// Preferred number of rays in a batch: about 200 KiB of rays and hits, which fits a core's second-level cache; larger
/// batches are spread over threads.
pub(crate) const PREFERRED_BATCH: usize = 4096;

/// Rays of a batch or of a part of one, with the key that hits of each must come after, or no keys.
#[derive(Clone, Copy)]
pub(crate) struct Rays<'a> {
    pub rays: &'a [Ray],
    pub after: &'a [HitKey],
}

impl<'a> Rays<'a> {
    /// Takes the rays of a batch.
    ///
    /// # Panics
    /// Unless there is one key for each ray, or none at all.
    pub fn new(rays: &'a [Ray], after: &'a [HitKey]) -> Self {
        assert!(after.is_empty() || after.len() == rays.len(), "{} keys for {} rays", after.len(), rays.len());
        Self { rays, after }
    }

    /// Returns the key that hits of ray `index` must come after.
    pub fn after(&self, index: usize) -> HitKey {
        self.after.get(index).copied().unwrap_or(HitKey::START)
    }

    fn parts(self) -> impl Iterator<Item = Self> {
        let mut after = self.after.chunks(PART);
        self.rays.chunks(PART).map(move |rays| Self { rays, after: after.next().unwrap_or_default() })
    }
}

/// Places for the nearest hits of rays, and for the instances that are hit, or none for those.
pub(crate) struct Places<'a> {
    pub hits: &'a mut [Hit],
    pub instances: &'a mut [u32],
}

impl Places<'_> {
    /// Writes down what ray `index`, whose interval ends at `t_max`, has hit.
    #[inline(always)]
    pub fn write(&mut self, index: usize, t_max: f32, found: Option<(Hit, u32)>) {
        let (hit, instance) = found.unwrap_or((Hit::miss(t_max), Hit::MISS));
        self.hits[index] = hit;
        if let Some(slot) = self.instances.get_mut(index) {
            *slot = instance;
        }
    }
}

/// Finds the nearest hits of a batch, part by part with `trace`, which returns the number of rays that are not valid.
///
/// # Panics
/// If there is not one place for each hit, and one or none for each instance.
pub(crate) fn closest(
    name: KernelName,
    rays: Rays<'_>,
    Places { hits, instances }: Places<'_>,
    control: &Control<'_>,
    trace: impl Fn(Rays<'_>, Places<'_>) -> u64 + Sync,
) -> Result<BatchStats, TraceError> {
    let count = rays.rays.len();
    assert_eq!(hits.len(), count, "one hit a ray");
    assert!(instances.is_empty() || instances.len() == count, "no instances, or one a ray");
    if count <= PART {
        return one(name, count, control, || trace(rays, Places { hits, instances }));
    }
    let mut instances = instances.chunks_mut(PART);
    let parts = rays.parts().zip(hits.chunks_mut(PART));
    let parts = parts.map(|(rays, hits)| {
        let instances = instances.next().unwrap_or_default();
        (rays.rays.len(), (rays, Places { hits, instances }))
    });
    run(name, parts.collect(), control, |(rays, places)| trace(rays, places))
}

/// Finds what is in the way of the rays of a batch, part by part with `trace`, which sets bits (cleared before),
/// names rays by their index in the part, and returns the number of rays that are not valid.
///
/// # Panics
/// If there is not a bit for each ray.
pub(crate) fn any(
    name: KernelName,
    rays: Rays<'_>,
    blocked: &mut [u32],
    undecided: &mut Vec<Candidate>,
    control: &Control<'_>,
    trace: impl Fn(Rays<'_>, &mut [u32], &mut Vec<Candidate>) -> u64 + Sync,
) -> Result<BatchStats, TraceError> {
    let words = rays.rays.len().div_ceil(32);
    assert!(blocked.len() >= words, "a bit a ray");
    undecided.clear();
    let blocked = &mut blocked[..words];
    blocked.fill(0);
    if rays.rays.len() <= PART {
        return one(name, rays.rays.len(), control, || trace(rays, blocked, undecided));
    }
    let mut found: Vec<Vec<Candidate>> = vec![Vec::new(); rays.rays.len().div_ceil(PART)];
    let parts = rays.parts().zip(blocked.chunks_mut(PART / 32)).zip(&mut found);
    let parts = parts.map(|((rays, blocked), found)| (rays.rays.len(), (rays, blocked, found)));
    let stats = run(name, parts.collect(), control, |(rays, blocked, found)| trace(rays, blocked, found))?;
    for (part, found) in found.into_iter().enumerate() {
        let of_batch = |candidate: Candidate| Candidate { ray: candidate.ray + (part * PART) as u32, ..candidate };
        undecided.extend(found.into_iter().map(of_batch));
    }
    Ok(stats)
}

/// Does something with each part of a batch and of places for its answers, one a ray; `trace` returns the number of
/// rays that are not valid.
///
/// # Panics
/// If there is not one place a ray.
pub(crate) fn each<T: Send>(
    name: KernelName,
    rays: &[Ray],
    places: &mut [T],
    control: &Control<'_>,
    trace: impl Fn(&[Ray], &mut [T]) -> u64 + Sync,
) -> Result<BatchStats, TraceError> {
    assert_eq!(places.len(), rays.len(), "one place a ray");
    let parts = rays.chunks(PART).zip(places.chunks_mut(PART)).map(|(rays, places)| (rays.len(), (rays, places)));
    run(name, parts.collect(), control, |(rays, places)| trace(rays, places))
}

/// Traces a batch of one part.
fn one(
    name: KernelName,
    rays: usize,
    control: &Control<'_>,
    trace: impl FnOnce() -> u64,
) -> Result<BatchStats, TraceError> {
    if rays > 0 && control.is_cancelled() {
        return Err(TraceError::Cancelled);
    }
    let invalid = trace();
    control.advance(rays);
    Ok(BatchStats::of(name, rays as u64).with_invalid(invalid))
}

/// Traces the `parts` of a batch, small batches on this thread and large ones on all, and returns their statistics.
/// Each part is its rays' number and whatever `trace` needs.
fn run<T: Send>(
    name: KernelName,
    parts: Vec<(usize, T)>,
    control: &Control<'_>,
    trace: impl Fn(T) -> u64 + Sync,
) -> Result<BatchStats, TraceError> {
    let rays: usize = parts.iter().map(|part| part.0).sum();
    let part = |(rays, part): (usize, T)| {
        if control.is_cancelled() {
            return Err(TraceError::Cancelled);
        }
        let invalid = trace(part);
        control.advance(rays);
        Ok(invalid)
    };
    let invalid: u64 = if rays <= PREFERRED_BATCH {
        parts.into_iter().map(part).sum::<Result<_, _>>()?
    } else {
        parts.into_par_iter().map(part).sum::<Result<_, _>>()?
    };
    Ok(BatchStats::of(name, rays as u64).with_invalid(invalid))
}
