//! Rays in, hits out: a scene under what answers batches of rays.

mod answers;
#[cfg(feature = "cuda")]
mod auto;
pub mod csv;
pub mod npy;
mod stream;
mod surface;

pub use answers::{Answers, HitFormat, Traced};
pub use stream::{RayStream, StreamError, StreamOptions, StreamTotals};
pub use surface::{Field, VectorColumn, Vectors, surface_columns};

use crate::device::cost_model::build_in_memory;
use crate::device::{Backend, BackendError, Plan, PlannedTree, SceneTree};
use crate::prepare::{PrepareError, Timings, check_memory};
use rayon::prelude::*;
use raywarp_bvh::{BuildOptions, build_with_choice};
use raywarp_cpu::CpuTracer;
use raywarp_family::Query;
use raywarp_geom::{BatchStats, Control, Hit, KernelName, Ray, TraceError};
use raywarp_scene::{Scene, flatten};
use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

/// Rays that are traced at once: the kernels keep more than a hit for each meanwhile.
const BATCH: usize = 1 << 18;

/// Rays of a batch that can be counted, whole words of bits.
const MOST_RAYS: usize = 1 << 31;

/// Why a scene cannot be made ready, or rays not be answered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceSceneError {
    /// No tree over the scene.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// The factory of [`PlannedKernels::Own`](crate::device::PlannedKernels::Own) refuses the tree.
    #[error(transparent)]
    Own(Box<dyn Error + Send + Sync>),
    /// Kernels of a GPU are planned without one.
    #[error("no GPU is given")]
    NoGpu,
    /// A ray that the kernel would answer wrongly.
    #[error(
        "ray {ray} has t_min {t_min}, but {kernel} compares boxes as integers, which takes t_min >= 0; use box=float"
    )]
    NegativeTMin {
        /// Its index.
        ray: usize,
        /// Its nearest `t`.
        t_min: f32,
        /// The kernel.
        kernel: KernelName,
    },
    /// The batch did not finish.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

/// A scene that answers rays.
///
/// Rays see geometry: every triangle counts as opaque in both queries, whatever its material's alpha
/// says, so that the any-hit answer of a ray is 1 exactly when its closest hit is one. Triangles of
/// no area and of invisible materials are not there. Hits report an instance as its index in
/// [`Scene::instances`], a primitive as its index in the instance's mesh.
pub struct TraceScene {
    backend: Backend,
    build: BuildOptions,
    triangles: usize,
    non_opaque: usize,
    timings: Timings,
}

impl From<BackendError> for TraceSceneError {
    fn from(error: BackendError) -> Self {
        match error {
            BackendError::Own(error) => Self::Own(error),
            #[cfg(feature = "cuda")]
            BackendError::NoGpu => Self::NoGpu,
            other => Self::Prepare(other.into()),
        }
    }
}

impl TraceScene {
    /// Flattens `scene`, builds its tree and encodes it for who is planned to answer, in parallel on rayon's current
    /// pool. Kernels on compressed trees get leaves of at most three triangles, whatever the plan says.
    ///
    /// # Errors
    /// [`TraceSceneError`].
    /// # Panics
    /// If the scene does not pass [`raywarp_scene::validate`].
    pub fn new(scene: &Scene, plan: &Plan) -> Result<Self, TraceSceneError> {
        let start = Instant::now();
        check_memory(scene.triangle_count())?;
        let mut flat = flatten(scene).map_err(PrepareError::from)?;
        let non_opaque = flat.opaque.iter().filter(|&&opaque| !opaque).count();
        flat.opaque.fill(true);
        let flattened = Instant::now();
        let asked = plan.build().unwrap_or_default();
        let fits = plan.kernels.fitting(&asked);
        let (bvh, taken) = build_with_choice(&flat, &build_in_memory(&fits, flat.len())).map_err(PrepareError::from)?;
        let built = Instant::now();
        let tree = SceneTree { bvh: &bvh, asked: &asked, triangles: &flat };
        let backend = Backend::new(plan.clone(), &tree, || Ok(Arc::new(CpuTracer::new(&bvh, &flat)?)))?;
        let (flatten, build) = (flattened - start, built - flattened);
        let timings = Timings { flatten, build, encode: built.elapsed(), ..Timings::default() };
        Ok(Self { backend, build: taken, triangles: flat.len(), non_opaque, timings })
    }

    /// Who answers, by what, through which tree, and why: what was planned, as it came out.
    pub fn plan(&self) -> Plan {
        Plan { tree: PlannedTree::Given(self.build), ..self.backend.plan() }
    }

    /// The name of what answers `query` of a batch of `rays`, but for those that it leaves; [`BatchStats::kernels`]
    /// says it of a batch that was traced.
    pub fn kernel(&self, query: Query, rays: usize) -> KernelName {
        self.backend.kernel(query, rays)
    }

    /// How the tree was built.
    pub fn build_options(&self) -> &BuildOptions {
        &self.build
    }

    /// Triangles in the tree.
    pub fn triangle_count(&self) -> usize {
        self.triangles
    }

    /// Those of them that are taken as opaque although their material has holes or lets light through.
    pub fn non_opaque_count(&self) -> usize {
        self.non_opaque
    }

    /// Wall time of the steps.
    pub fn timings(&self) -> &Timings {
        &self.timings
    }

    /// Answers all rays, in parallel; the answers do not depend on the number of threads.
    ///
    /// # Errors
    /// [`TraceSceneError::NegativeTMin`], [`TraceSceneError::Trace`].
    pub fn trace(&self, rays: &[Ray], query: Query, control: &Control<'_>) -> Result<Traced, TraceSceneError> {
        let mut traced = Traced::default();
        self.trace_into(rays, query, control, &mut traced)?;
        Ok(traced)
    }

    /// [`TraceScene::trace`] into the memory of answers that nobody needs any more: for 4 million rays the system
    /// takes as long to give new memory as a GPU takes to answer. After an error `traced` is worth nothing.
    ///
    /// # Errors
    /// As [`TraceScene::trace`].
    pub fn trace_into(
        &self,
        rays: &[Ray],
        query: Query,
        control: &Control<'_>,
        traced: &mut Traced,
    ) -> Result<(), TraceSceneError> {
        self.check(rays, query)?;
        let start = Instant::now();
        traced.stats = match (query, &mut traced.answers) {
            (Query::Closest, Answers::Closest { hits, instances }) => self.closest(rays, hits, instances, control)?,
            (Query::Any, Answers::Any { blocked }) => self.any(rays, blocked, control)?,
            (_, other) => {
                *other = Answers::none(query);
                return self.trace_into(rays, query, control, traced);
            }
        };
        traced.elapsed = start.elapsed();
        Ok(())
    }

    fn check(&self, rays: &[Ray], query: Query) -> Result<(), TraceSceneError> {
        if self.backend.takes_negative_t_min(query, rays.len()) {
            return Ok(());
        }
        // An invalid ray misses, whatever its interval.
        let negative = |ray: &Ray| ray.is_valid() && ray.t_min < 0.0;
        match rays.iter().position(negative) {
            Some(ray) => {
                let kernel = self.kernel(query, rays.len());
                Err(TraceSceneError::NegativeTMin { ray, t_min: rays[ray].t_min, kernel })
            }
            None => Ok(()),
        }
    }

    /// Rays that are traced at once. A GPU splits them by itself, and lets parts overlap.
    fn batch(&self) -> usize {
        if self.backend.splits_batches() { MOST_RAYS } else { BATCH }
    }

    fn closest(
        &self,
        rays: &[Ray],
        hits: &mut Vec<Hit>,
        instances: &mut Vec<u32>,
        control: &Control<'_>,
    ) -> Result<BatchStats, TraceError> {
        let mut stats = BatchStats::default();
        // What is there is overwritten.
        hits.resize(rays.len(), Hit::default());
        instances.resize(rays.len(), Hit::MISS);
        let batch = self.batch();
        let batches = rays.chunks(batch).zip(hits.chunks_mut(batch)).zip(instances.chunks_mut(batch));
        for ((rays, hits), instances) in batches {
            stats += self.backend.tracer().closest(rays, &[], hits, instances, control)?;
            hits.par_iter_mut().for_each(|hit| (hit.u, hit.v) = (hit.u + 0.0, hit.v + 0.0));
        }
        Ok(stats)
    }

    fn any(&self, rays: &[Ray], blocked: &mut Vec<bool>, control: &Control<'_>) -> Result<BatchStats, TraceError> {
        let mut stats = BatchStats::default();
        blocked.clear();
        blocked.reserve_exact(rays.len());
        let (mut bits, mut undecided) = (vec![0; self.batch().min(rays.len()).div_ceil(32)], Vec::new());
        for rays in rays.chunks(self.batch()) {
            stats += self.backend.tracer().any(rays, &[], &mut bits, &mut undecided, control)?;
            blocked.extend((0..rays.len()).map(|i| bits[i / 32] >> (i % 32) & 1 == 1));
        }
        Ok(stats)
    }
}
