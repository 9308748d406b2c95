//! Answers to batches of rays through a scene, and the files that rays come from and hits go to.

mod answers;
#[cfg(feature = "cuda")]
mod auto;
pub mod csv;
pub mod npy;
mod origin_note;
mod stream;
mod surface;

pub use answers::{Answers, HitFormat, Traced};
pub use origin_note::{OriginNote, RayRounding};
pub use stream::{RayStream, StreamError, StreamOptions, StreamTotals};
pub use surface::{Field, VectorColumn, Vectors, surface_columns};

use crate::device::cost_model::build_in_memory;
use crate::device::{Backend, Plan, PlannedTree, SceneTree};
use crate::placed::{Sight, TwoLevels, chosen, placed_trees};
use crate::prepare::{PrepareError, Timings};
use crate::query::Levels;
use rayon::prelude::*;
use raywarp_bvh::{BuildOptions, build_with_choice};
use raywarp_cpu::CpuTracer;
use raywarp_family::Query;
use raywarp_geom::{BatchStats, Control, Hit, KernelName, Ray, TraceError};
use raywarp_scene::{Description, flatten};
use std::sync::Arc;
use std::time::Instant;

/// Number of rays that the CPU traces at once, which bounds the memory that kernels need besides the hits.
const BATCH: usize = 1 << 18;

/// Largest number of rays in a batch.
const MOST_RAYS: usize = 1 << 31;

/// Error of preparing a scene for tracing, or of tracing rays through it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceSceneError {
    /// The tree cannot be built or put on the device.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// A ray has a negative `t_min`, which the kernel would answer wrongly.
    #[error(
        "ray {ray} has t_min {t_min}, but {kernel} compares boxes as integers, which takes t_min >= 0; use box=float"
    )]
    NegativeTMin {
        /// Index of the ray in the batch.
        ray: usize,
        /// The ray's `t_min`.
        t_min: f32,
        /// Kernel that compares boxes as integers, and so needs `t_min >= 0`.
        kernel: KernelName,
    },
    /// The batch did not finish: it was cancelled, or the device failed.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

/// Scene prepared for tracing batches of rays, on the planned device.
///
/// Rays see geometry: every triangle counts as opaque in both queries, whatever its material's alpha
/// says, so that the any-hit answer of a ray is 1 exactly when its closest hit is one. Triangles of
/// no area and of invisible materials are not there. Hits report an instance as its index in
/// [`Description::instances`], a primitive as its index in the instance's mesh.
pub struct TraceScene {
    backend: Backend,
    build: BuildOptions,
    triangles: usize,
    non_opaque: usize,
    two_levels: Option<TwoLevels>,
    timings: Timings,
}

impl TraceScene {
    /// Flattens `scene`, builds its tree and encodes it for the planned device, in parallel on rayon's current pool.
    /// Kernels on compressed trees get leaves of at most three triangles, whatever the plan says.
    ///
    /// # Errors
    /// [`TraceSceneError`].
    /// # Panics
    /// If the scene does not pass [`raywarp_scene::validate`].
    pub fn new(scene: &Description, plan: &Plan) -> Result<Self, TraceSceneError> {
        Self::with_levels(scene, plan, Levels::One)
    }

    /// Prepares `scene` as [`TraceScene::new`] does, with one level of trees or with two, as `levels` says: hits are
    /// the same. [`Levels::Auto`] takes two as [`Prepared::with_levels`](crate::render::Prepared::with_levels) does.
    ///
    /// # Errors
    /// [`TraceSceneError`].
    /// # Panics
    /// If the scene does not pass [`raywarp_scene::validate`].
    pub fn with_levels(scene: &Description, plan: &Plan, levels: Levels) -> Result<Self, TraceSceneError> {
        if chosen(scene, levels, plan)? {
            return Self::in_two_levels(scene, plan);
        }
        let start = Instant::now();
        let mut flat = flatten(scene).map_err(PrepareError::from)?;
        let non_opaque = flat.opaque.iter().filter(|&&opaque| !opaque).count();
        flat.opaque.fill(true);
        let flattened = Instant::now();
        let asked = plan.build().unwrap_or_default();
        let fits = plan.kernels.fitting(&asked);
        let (bvh, taken) = build_with_choice(&flat, &build_in_memory(&fits, flat.len())).map_err(PrepareError::from)?;
        let built = Instant::now();
        let tree = SceneTree { bvh: &bvh, asked: &asked, triangles: &flat };
        let backend = Backend::new(plan.clone(), &tree, || Ok(Arc::new(CpuTracer::new(&bvh, &flat)?)));
        let backend = backend.map_err(PrepareError::from)?;
        let (flatten, build) = (flattened - start, built - flattened);
        let timings = Timings { flatten, build, encode: built.elapsed(), ..Timings::default() };
        Ok(Self { backend, build: taken, triangles: flat.len(), non_opaque, two_levels: None, timings })
    }

    fn in_two_levels(scene: &Description, plan: &Plan) -> Result<Self, TraceSceneError> {
        let build = plan.build().unwrap_or_default();
        let placed = placed_trees(scene, &build, Sight::Geometry)?;
        Ok(Self {
            backend: Backend::levels(placed.tracer, plan.clone()),
            build,
            triangles: placed.triangles as usize,
            non_opaque: placed.non_opaque as usize,
            two_levels: Some(placed.sizes),
            timings: placed.timings,
        })
    }

    /// Returns the sizes of the two levels of trees, where there are two.
    pub fn two_levels(&self) -> Option<&TwoLevels> {
        self.two_levels.as_ref()
    }

    /// Returns the plan as it stands: the device that traces, its kernels, its tree, and why.
    pub fn plan(&self) -> Plan {
        Plan { tree: PlannedTree::Given(self.build), ..self.backend.plan() }
    }

    /// Returns the name of the kernel that answers `query` for a batch of `rays` rays; [`BatchStats::kernels`] has
    /// those that answered a traced batch.
    pub fn kernel(&self, query: Query, rays: usize) -> KernelName {
        self.backend.kernel(query, rays)
    }

    /// Returns the options with which the tree was built.
    pub fn build_options(&self) -> &BuildOptions {
        &self.build
    }

    /// Returns the number of triangles in the tree; in two levels, in the trees of all placements together, where some
    /// may have no area.
    pub fn triangle_count(&self) -> usize {
        self.triangles
    }

    /// Returns the number of triangles traced as opaque although their material has holes or transmits light.
    pub fn non_opaque_count(&self) -> usize {
        self.non_opaque
    }

    /// Returns the wall time of each step of preparing the scene.
    pub fn timings(&self) -> &Timings {
        &self.timings
    }

    /// Traces all rays in parallel; the answers do not depend on the number of threads.
    ///
    /// # Errors
    /// [`TraceSceneError::NegativeTMin`], [`TraceSceneError::Trace`].
    pub fn trace(&self, rays: &[Ray], query: Query, control: &Control<'_>) -> Result<Traced, TraceSceneError> {
        let mut traced = Traced::default();
        self.trace_into(rays, query, control, &mut traced)?;
        Ok(traced)
    }

    /// Traces as [`TraceScene::trace`] does, but reuses the memory of earlier answers: for 4 million rays, allocating
    /// it anew takes as long as tracing on a GPU. After an error `traced` is worth nothing.
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

    /// Returns the number of rays that are traced at once. A GPU splits them by itself, and lets parts overlap.
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
