//! A scene that answers rays on a GPU where that is worth it, else on this CPU.

use super::{TraceScene, TraceSceneError};
use crate::device::open::first_usable;
use crate::device::{BackendError, Plan, PlanReason, PlannedDevice, PlannedKernels, RayKernels};
use crate::placed::too_large_for_one;
use crate::prepare::PrepareError;
use crate::query::Levels;
use raywarp_bvh::BuildOptions;
use raywarp_cuda::{CudaError, Device};
use raywarp_scene::Description;
use std::sync::Arc;

impl TraceScene {
    /// Puts `scene` on the first usable GPU if tracing `rays` rays makes it worth its start
    /// ([`crate::device::rays_worth_a_gpu`]), else on the CPU: [`TraceScene::plan`] has the reason. `build` is the tree
    /// where one is asked for; otherwise a GPU walks [`raywarp_bvh::presets::GPU`]. `levels` is for the CPU, which
    /// traces where two are asked for, and where nothing else fits into memory. `kernels` chooses those of a GPU; one
    /// for which it cannot is left out as one that fails.
    ///
    /// # Errors
    /// [`TraceSceneError`] for what is no GPU's fault.
    /// # Panics
    /// If the scene does not pass [`raywarp_scene::validate`].
    pub fn auto(
        scene: &Description,
        rays: u64,
        build: Option<BuildOptions>,
        levels: Levels,
        mut kernels: impl FnMut(&Device) -> Result<RayKernels, CudaError>,
    ) -> Result<Self, TraceSceneError> {
        let threads = rayon::current_num_threads();
        let mut plan = Plan::for_rays(rays, scene.triangle_count(), threads, build);
        let PlannedDevice::FirstUsable { wanted, count } = plan.device else {
            return Self::with_levels(scene, &plan, levels);
        };
        if let Some(error) = too_large_for_one(scene, levels) {
            plan = Plan { reason: PlanReason::CpuAlone(Arc::new(error)), ..Plan::cpu(build.unwrap_or_default()) };
            return Self::with_levels(scene, &plan, levels);
        }
        let usable = first_usable(wanted, count, |devices, usable| -> Result<(), TraceSceneError> {
            for device in devices {
                let ordinal = device.ordinal();
                let kernels = match kernels(&device) {
                    Ok(kernels) => PlannedKernels::Rays(kernels),
                    Err(error) => {
                        usable.leave_out(ordinal, error);
                        continue;
                    }
                };
                // What holds no scene on one GPU holds none on every other: the CPU is taken then.
                let on_it = Plan { device: PlannedDevice::Gpus(vec![device]), kernels, ..plan.clone() };
                match Self::new(scene, &on_it) {
                    Ok(scene) => usable.taken.push(scene),
                    Err(TraceSceneError::Prepare(PrepareError::Backend(BackendError::Cuda(error)))) => {
                        usable.leave_out(ordinal, error);
                    }
                    Err(error) => return Err(error),
                }
            }
            Ok(())
        })?;
        let Some(mut traced) = usable.taken.into_iter().next() else {
            let cpu = Plan::cpu(build.unwrap_or_default());
            let plan = Plan { reason: PlanReason::NoneUsable(usable.left_out), ..cpu };
            return Self::with_levels(scene, &plan, levels);
        };
        traced.backend.planned_mut().leave_out(usable.left_out);
        Ok(traced)
    }
}
