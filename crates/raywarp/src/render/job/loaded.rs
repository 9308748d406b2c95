//! The stage of a job whose scene is loaded.

use super::{JobError, PreparedJob, RenderJob, StageTimes};
use crate::device::Plan;
use crate::query::Levels;
use crate::render::Prepared;
use crate::scene::{Loaded, make_of};
use raywarp_geom::Aabb;
use raywarp_render::{Integrator, RenderOptions};
use std::time::Instant;

#[cfg(feature = "cuda")]
use super::OpenedDevices;
use crate::device::PlanReason;
#[cfg(feature = "cuda")]
use crate::device::{DeviceChoice, PictureWork, PlannedDevice};
#[cfg(feature = "cuda")]
use crate::placed::too_large_for_one;
#[cfg(feature = "cuda")]
use std::sync::Arc;

/// Render job whose scene is loaded.
pub struct LoadedJob {
    /// Scene, with warnings about what in its file could not be represented. It may be changed before it is prepared.
    pub loaded: Loaded,
    /// Name of the scene in messages.
    pub name: String,
    /// Wall time of each stage so far.
    pub times: StageTimes,
    /// Render job that was asked for: picture, device and options.
    pub job: RenderJob,
}

impl LoadedJob {
    pub(super) fn new(mut job: RenderJob) -> Result<Self, JobError> {
        let start = Instant::now();
        let name = job.source.name();
        let source = std::mem::replace(&mut job.source, super::JobSource::Scene(Box::default(), name.clone()));
        let mut loaded = source.load(&job.load)?;
        if let Some(made_of) = job.made_of {
            make_of(&mut loaded.scene, made_of);
        }
        let times = StageTimes { load: start.elapsed(), ..StageTimes::default() };
        Ok(Self { loaded, name, times, job })
    }

    /// Returns the render options as far as they are known before the scene is prepared; the samples are those that are
    /// still missing.
    pub fn planned(&self) -> RenderOptions {
        let (mut options, _) = self.job.request.options(&self.loaded.scene, &Aabb::EMPTY);
        if let Some(earlier) = &self.job.earlier {
            let has = earlier.info.samples.end;
            options.samples = has..options.samples.end.max(has);
        }
        options
    }

    /// Decides which device renders the picture, and by which kernels and tree.
    #[cfg(feature = "cuda")]
    fn plan(&mut self) -> Plan {
        let (options, engine) = (self.planned(), self.job.whole_paths());
        let triangles = self.loaded.scene.triangle_count();
        let work = PictureWork { options: &options, engine: engine.as_ref(), triangles };
        match (&self.job.device, self.job.opened.take()) {
            (DeviceChoice::Auto, _) | (_, None) => {
                let plan = Plan::for_picture(&work);
                let on_gpus = matches!(plan.device, PlannedDevice::FirstUsable { .. });
                match too_large_for_one(&self.loaded.scene, self.job.levels).filter(|_| on_gpus) {
                    Some(error) => Plan::picture_by_cpu(&options, PlanReason::CpuAlone(Arc::new(error))),
                    None => plan,
                }
            }
            (_, Some(OpenedDevices { devices, kernels })) => Plan::picture_on(devices, kernels, &work),
        }
    }

    /// Decides which device renders the picture, without GPU support: the CPU.
    #[cfg(not(feature = "cuda"))]
    fn plan(&mut self) -> Plan {
        Plan::picture_by_cpu(&self.planned(), PlanReason::BuiltWithoutCuda)
    }

    /// Decides which device renders the picture, and prepares the scene for tracing there.
    ///
    /// # Errors
    /// [`JobError::Prepare`].
    /// # Panics
    /// If the scene was changed, and does not pass [`validate`](crate::scene::validate).
    pub fn prepare(mut self) -> Result<PreparedJob, JobError> {
        let start = Instant::now();
        let plan = self.plan();
        // What a ray costs is the tree's: not for memory to decide.
        let counts = matches!(self.planned().integrator, Integrator::Cost);
        let Self { loaded, name, mut times, job } = self;
        let levels = if counts && job.levels == Levels::Auto { Levels::One } else { job.levels };
        let prepared = match Prepared::with_levels(loaded.scene, &plan, levels) {
            Ok(prepared) => prepared,
            Err(error) => return Err(JobError::Prepare { scene: name, error }),
        };
        times.tree = start.elapsed();
        Ok(PreparedJob { prepared, name, times, warnings: loaded.warnings, request: job.request, earlier: job.earlier })
    }
}
