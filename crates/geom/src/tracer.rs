//! The trait of all tracers, whatever their trees and devices: batches of rays in, hits out.

use crate::{Hit, HitKey, KernelName, Kernels, Ray};
use std::sync::atomic::{AtomicBool, Ordering};

/// Counts of one batch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BatchStats {
    /// Number of rays in the batch.
    pub rays: u64,
    /// Rays that could not hit anything: see [`Ray::is_valid`]. They report a miss.
    pub invalid: u64,
    /// Rays that the tracer's own kernel could not decide and a slower one traced again, to the same hits: on a GPU
    /// those that start far outside of the scene, and some that meet a triangle edge-on or one that is extremely small
    /// or large.
    pub by_fallback: u64,
    /// Kernels that answered, each with its number of rays; together they answered all of them.
    pub kernels: Kernels,
}

impl BatchStats {
    /// Returns the statistics of `rays` answered by `kernel`, all of them valid; where there are none nobody answered.
    pub fn of(kernel: KernelName, rays: u64) -> Self {
        let kernels = if rays == 0 { Kernels::default() } else { Kernels::of(kernel, rays) };
        Self { rays, invalid: 0, by_fallback: 0, kernels }
    }

    /// Returns the same statistics with so many rays invalid.
    #[must_use]
    pub fn with_invalid(self, invalid: u64) -> Self {
        Self { invalid, ..self }
    }

    /// Returns the same statistics of one kernel, where `by_fallback` rays were left by it and answered by `fallback`.
    #[must_use]
    pub fn with_fallback(self, by_fallback: u64, fallback: KernelName) -> Self {
        let Some(kernel) = self.kernels.first().filter(|_| by_fallback > 0) else { return self };
        let mut kernels = Kernels::of(kernel, self.rays.saturating_sub(by_fallback));
        kernels.add(fallback, by_fallback);
        Self { by_fallback, kernels, ..self }
    }
}

impl std::ops::AddAssign for BatchStats {
    fn add_assign(&mut self, other: Self) {
        self.rays += other.rays;
        self.invalid += other.invalid;
        self.by_fallback += other.by_fallback;
        self.kernels += other.kernels;
    }
}

/// Means to watch a batch and to stop it.
#[derive(Clone, Copy, Default)]
pub struct Control<'a> {
    /// Flag of the caller: once it is true, the batch ends soon with [`TraceError::Cancelled`].
    pub cancel: Option<&'a AtomicBool>,
    /// Callback that is told how many rays were finished since the last call, from any thread.
    pub progress: Option<&'a (dyn Fn(usize) + Sync)>,
}

impl Control<'_> {
    /// Returns `true` if the caller asked to stop.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Reports `rays` more as finished.
    pub fn advance(&self, rays: usize) {
        if let Some(progress) = self.progress {
            progress(rays);
        }
    }
}

impl std::fmt::Debug for Control<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Control").field("cancel", &self.cancel).field("progress", &self.progress.is_some()).finish()
    }
}

/// A non-opaque triangle that an any-hit query met before anything opaque: the caller decides from
/// its material and asks again after [`Candidate::key`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// Index of the ray in the batch.
    pub ray: u32,
    /// Index in `Description::instances`.
    pub instance: u32,
    /// The hit itself.
    pub hit: Hit,
}

impl Candidate {
    /// Returns the key of this candidate, from which a later query goes on.
    pub fn key(&self) -> HitKey {
        HitKey::of(&self.hit, self.instance)
    }
}

/// Cost of tracing one ray, in nodes and triangles.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RayCost {
    /// Tree nodes visited.
    pub nodes: u32,
    /// Triangles that the ray was tested against.
    pub triangles: u32,
}

/// Reasons why a batch did not finish. The results of the batch are then unspecified.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// [`Control::cancel`] became true.
    #[error("the batch was cancelled")]
    Cancelled,
    /// The device that traces failed.
    #[error("the tracing device failed: {0}")]
    Device(String),
}

/// Tracer of batches of rays through one scene.
///
/// Both queries see a hit when `t_min <= t <= t_max`; of hits with equal `t` the lower
/// (instance, primitive) wins, so that trees, builders and devices agree. `after` is empty, or one
/// key a ray: then only hits that come strictly later in (t, instance, primitive) order exist.
///
/// A *non-opaque* triangle is reported like any other by [`Tracer::closest`]; the caller, who knows
/// materials, decides and asks again after it.
///
/// # Panics
/// Implementations panic if slices differ in length where the text says they must not.
pub trait Tracer: Send + Sync {
    /// Finds the nearest hit of each ray.
    ///
    /// - `hits`: one a ray. - `instances`: empty, or one a ray ([`Hit::MISS`] for a miss).
    ///
    /// # Errors
    /// See [`TraceError`].
    fn closest(
        &self,
        rays: &[Ray],
        after: &[HitKey],
        hits: &mut [Hit],
        instances: &mut [u32],
        control: &Control<'_>,
    ) -> Result<BatchStats, TraceError>;

    /// Finds whether anything opaque lies on each ray.
    ///
    /// - `blocked`: bit `i % 32` of word `i / 32` is set when something opaque blocks ray `i`; at
    ///   least `ceil(rays / 32)` words, of which those are overwritten.
    /// - `undecided`: cleared, then gets the first non-opaque candidate of each ray that nothing
    ///   opaque blocks, in ray order.
    ///
    /// # Errors
    /// See [`TraceError`].
    fn any(
        &self,
        rays: &[Ray],
        after: &[HitKey],
        blocked: &mut [u32],
        undecided: &mut Vec<Candidate>,
        control: &Control<'_>,
    ) -> Result<BatchStats, TraceError>;

    /// Counts the work of the closest-hit query of each ray; `costs` has one entry a ray.
    ///
    /// # Errors
    /// See [`TraceError`].
    fn cost(&self, rays: &[Ray], costs: &mut [RayCost], control: &Control<'_>) -> Result<BatchStats, TraceError>;

    /// Returns the number of rays that a batch should hold: what fits a worker's cache on a CPU, what fills a GPU.
    fn preferred_batch(&self) -> usize;
}
