//! The trait of all tracers, whatever their trees and devices: batches of rays in, hits out.

use crate::{Hit, HitKey, KernelName, Kernels, Ray};
use std::sync::atomic::{AtomicBool, Ordering};

/// Statistics of one traced batch: numbers of rays, and the kernels that answered them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BatchStats {
    /// Number of rays in the batch.
    pub rays: u64,
    /// Number of rays that cannot hit anything, such as those with NaN: see [`Ray::is_valid`]. They report a miss.
    pub invalid: u64,
    /// Number of rays that the tracer's own kernel could not decide and that a slower kernel traced again, to the same
    /// hits.
    pub by_fallback: u64,
    /// Kernels that answered, each with its number of rays; together they answered all of them.
    pub kernels: Kernels,
}

impl BatchStats {
    /// Returns the statistics of a batch of `rays` valid rays, all answered by `kernel`; with no rays no kernel is
    /// listed.
    pub fn of(kernel: KernelName, rays: u64) -> Self {
        let kernels = if rays == 0 { Kernels::default() } else { Kernels::of(kernel, rays) };
        Self { rays, invalid: 0, by_fallback: 0, kernels }
    }

    /// Returns these statistics with the number of invalid rays set to `invalid`.
    #[must_use]
    pub fn with_invalid(self, invalid: u64) -> Self {
        Self { invalid, ..self }
    }

    /// Returns these statistics of one kernel with `by_fallback` of its rays reassigned to the kernel `fallback`.
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

/// Handles with which a caller watches the progress of a batch and cancels it.
#[derive(Clone, Copy, Default)]
pub struct Control<'a> {
    /// Flag that the caller sets to `true` to end the batch soon, with [`TraceError::Cancelled`].
    pub cancel: Option<&'a AtomicBool>,
    /// Callback that receives the number of rays finished since its last call, from any thread.
    pub progress: Option<&'a (dyn Fn(usize) + Sync)>,
}

impl Control<'_> {
    /// Returns `true` if the caller asked to cancel the batch.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_some_and(|flag| flag.load(Ordering::Relaxed))
    }

    /// Tells the progress callback that `rays` more rays are finished.
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

/// Non-opaque triangle that an any-hit query met first: the caller decides by its material, and may ask again after
/// [`Candidate::key`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Candidate {
    /// Index of the ray in the batch.
    pub ray: u32,
    /// Index of the triangle's instance, as in `Description::instances`.
    pub instance: u32,
    /// Hit of the ray with the triangle.
    pub hit: Hit,
}

impl Candidate {
    /// Returns the key of this candidate's hit, after which a later query continues.
    pub fn key(&self) -> HitKey {
        HitKey::of(&self.hit, self.instance)
    }
}

/// Work of tracing one ray: numbers of nodes visited and triangles tested.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RayCost {
    /// Number of tree nodes visited.
    pub nodes: u32,
    /// Number of triangles that the ray was tested against.
    pub triangles: u32,
}

/// Reasons why a batch did not finish. The results of the batch are then unspecified.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// The caller cancelled the batch through [`Control::cancel`].
    #[error("the batch was cancelled")]
    Cancelled,
    /// The device that traces, such as a GPU, failed; holds its message.
    #[error("the tracing device failed: {0}")]
    Device(String),
}

/// Tracer that answers batches of rays through one scene.
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
    /// Finds the nearest hit of each ray: fills `hits` and the triangles' `instances`.
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

    /// Finds whether an opaque triangle lies on each ray: sets the bits of `blocked`, and lists candidates in
    /// `undecided`.
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

    /// Counts the nodes and triangles that the closest-hit query of each ray visits, into `costs`, one entry a ray.
    ///
    /// # Errors
    /// See [`TraceError`].
    fn cost(&self, rays: &[Ray], costs: &mut [RayCost], control: &Control<'_>) -> Result<BatchStats, TraceError>;

    /// Returns the number of rays that a batch should hold: what fits a worker's cache on a CPU, what fills a GPU.
    fn preferred_batch(&self) -> usize;
}
