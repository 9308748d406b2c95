//! Plans of pictures: GPUs that take whole paths where that is asked for or worth their start, else the CPU.

use super::cost_model::{gpus_for, samples_worth_a_gpu};
use super::open::{Usable, count_gpus, first_usable};
use super::work::samples_per_path;
use super::{Amount, PathWork, Plan, PlanReason, PlannedDevice, PlannedKernels, PlannedTree, RayKernels};
use crate::prepare::{PrepareError, check_memory_for_paths};
use crate::render::Prepared;
use raywarp_bvh::BuildOptions;
use raywarp_cuda::Device;
use raywarp_render::film::Window;
use raywarp_render::{LensRecord, RenderOptions, engine_can};
use raywarp_render_cuda::{CudaRenderer, CudaRenderers, EngineOptions, RenderCudaError, TextureFilter};
use raywarp_scene::Camera;
use std::sync::Arc;

/// Size and options of a picture, as far as they are known before its scene is prepared.
#[derive(Debug, Clone, Copy)]
pub struct PictureWork<'a> {
    /// Render options, as far as they are settled yet.
    pub options: &'a RenderOptions,
    /// Options of the GPU path tracer; `None` if GPUs would only trace rays, with shading on the CPU.
    pub engine: Option<&'a EngineOptions>,
    /// Number of triangles of the scene, with each placement of a mesh counted.
    pub triangles: u64,
}

impl Plan {
    /// Plans to render a picture on the named GPUs together: as whole paths if `work` has an engine, else as rays
    /// traced by `kernels`. The CPU renders where there is neither, and what has no triangles.
    pub fn picture_on(devices: Vec<Device>, kernels: Option<RayKernels>, work: &PictureWork<'_>) -> Self {
        if devices.is_empty() {
            return Self::picture_by_cpu(work.options, PlanReason::Asked);
        }
        if work.triangles == 0 {
            return Self::picture_by_cpu(work.options, PlanReason::NoTriangles);
        }
        match (work.engine, kernels) {
            (_, Some(kernels)) => Self::rays_on(devices, kernels, Some(BuildOptions::default())),
            (Some(engine), None) => Self {
                tree: PlannedTree::ForWork(PathWork::new(work.options, devices.len())),
                device: PlannedDevice::Gpus(devices),
                kernels: PlannedKernels::Paths(engine.clone()),
                reason: PlanReason::Asked,
            },
            (None, None) => Self::picture_by_cpu(work.options, PlanReason::RaysOnly),
        }
    }

    /// Plans to render a picture on GPUs if they can render it and are worth their start, else on the CPU. Samples are
    /// counted as if no stopping rule ended them before; of other integrators than path tracing as `samples_per_path`
    /// says.
    pub fn for_picture(work: &PictureWork<'_>) -> Self {
        Self::by_gpus(work).unwrap_or_else(|reason| Self::picture_by_cpu(work.options, reason))
    }

    /// Returns the plan for rendering on GPUs, or the reason why the CPU renders.
    fn by_gpus(work: &PictureWork<'_>) -> Result<Self, PlanReason> {
        let PictureWork { options, engine, triangles } = *work;
        if triangles == 0 {
            return Err(PlanReason::NoTriangles);
        }
        engine_can(options).map_err(|error| PlanReason::CpuAlone(Arc::new(error)))?;
        let engine = engine.ok_or(PlanReason::RaysOnly)?;
        let window = Window::new(options.size, options.crop).map_err(|error| PlanReason::CpuAlone(Arc::new(error)))?;
        let samples = (window.pixel_count() as u64).saturating_mul(options.samples.len() as u64);
        let (threads, weight) = (rayon::current_num_threads(), samples_per_path(options.integrator));
        let wanted = gpus_for(samples / weight, threads);
        let amount = Amount::Samples(samples);
        if wanted == 0 {
            let least = samples_worth_a_gpu(threads).saturating_mul(weight);
            return Err(PlanReason::TooLittle { work: amount, least });
        }
        let count = count_gpus()?;
        check_memory_for_paths(triangles).map_err(|error| PlanReason::NoMemory(Arc::new(error)))?;
        Ok(Self {
            device: PlannedDevice::FirstUsable { wanted, count },
            kernels: PlannedKernels::Paths(engine.clone()),
            tree: PlannedTree::ForWork(PathWork::new(options, wanted.min(count))),
            reason: PlanReason::WorthAGpu { work: amount, left_out: Vec::new() },
        })
    }
}

/// Error of putting a picture's scene on the planned device.
#[derive(Debug, thiserror::Error)]
pub enum PlaceError<E> {
    /// The scene cannot be put on the planned device.
    #[error(transparent)]
    Prepare(#[from] PrepareError),
    /// The kernels that would trace the picture's rays cannot be chosen.
    #[error("{0}")]
    Kernels(E),
}

impl Prepared {
    /// Puts the scene on GPUs if they are planned to trace whole paths of `picture` from `camera`, and returns their
    /// renderer. [`Prepared::plan`] is afterwards what came of it:
    ///
    /// - Of GPUs that were not named, one that has no room for the scene and the picture, or fails, is left out;
    ///   where all are, the CPU renders, and no engine is returned.
    /// - Where GPUs were named and the scene does not suit the kernels that take whole paths, they trace its rays by
    ///   the `kernels` that are chosen for the first of them, and the CPU shades: the same picture, and no engine is
    ///   returned.
    ///
    /// # Errors
    /// [`PlaceError`]: GPUs that were named fail or have no room.
    pub fn place<E>(
        &mut self,
        picture: &RenderOptions,
        camera: &Camera,
        kernels: impl FnOnce(&Device) -> Result<RayKernels, E>,
    ) -> Result<Option<CudaRenderers>, PlaceError<E>> {
        let plan = self.backend.planned();
        let PlannedKernels::Paths(engine) = &plan.kernels else { return Ok(None) };
        let farthest_origin = LensRecord::new(camera, picture.size).farthest_origin();
        let engine = EngineOptions { farthest_origin, ..engine.clone() };
        match plan.device.clone() {
            PlannedDevice::Cpu => Ok(None),
            PlannedDevice::FirstUsable { wanted, count } => Ok(self.place_on_usable(wanted, count, picture, &engine)),
            PlannedDevice::Gpus(devices) => {
                // Texture units would make another picture than the CPU, which shades where GPUs trace rays.
                let same_picture = engine.texture_filter != TextureFilter::Hardware;
                match self.paths_on(&devices, engine, picture) {
                    Ok(engine) => Ok(Some(engine)),
                    Err(error) if error.is_limit() && same_picture => {
                        let Some(first) = devices.first() else { return Err(error.into()) };
                        let kernels = kernels(first).map_err(PlaceError::Kernels)?;
                        self.trace_on(devices, kernels, Arc::new(error))?;
                        Ok(None)
                    }
                    Err(error) => Err(error.into()),
                }
            }
        }
    }

    /// Puts the scene on the first `wanted` usable ones of `count` GPUs, and records in the plan which were left out.
    fn place_on_usable(
        &mut self,
        wanted: usize,
        count: usize,
        picture: &RenderOptions,
        engine: &EngineOptions,
    ) -> Option<CudaRenderers> {
        let usable = self.usable(wanted, count, picture, engine);
        let plan = self.backend.planned_mut();
        let reason = match usable {
            Err(error) => PlanReason::Unplaceable(Arc::new(error)),
            Ok(Usable { taken, left_out }) if taken.is_empty() => PlanReason::NoneUsable(left_out),
            Ok(Usable { taken, left_out }) => {
                plan.device = PlannedDevice::Gpus(taken.iter().map(|renderer| renderer.device().clone()).collect());
                plan.leave_out(left_out);
                return Some(CudaRenderers::new(taken));
            }
        };
        *plan = std::mem::take(plan).by_cpu(reason);
        None
    }

    /// Makes renderers on the first `wanted` usable ones of `count` GPUs.
    fn usable(
        &self,
        wanted: usize,
        count: usize,
        picture: &RenderOptions,
        engine: &EngineOptions,
    ) -> Result<Usable<CudaRenderer>, PrepareError> {
        let pixels = Window::new(picture.size, picture.crop).map_or(0, |window| window.pixel_count());
        first_usable(wanted, count, |devices, usable| {
            let made = self.renderers_on(&devices, usable.taken.len(), engine.clone(), picture)?;
            for (device, renderer) in devices.iter().zip(made) {
                match renderer {
                    Ok(renderer) => usable.taken.push(renderer),
                    Err(error) => usable.leave_out(device.ordinal(), error),
                }
            }
            // The fewer there are the more each has to hold; so whoever is left out changes it for all others.
            while let Some((i, error)) = first_too_small(&usable.taken, picture, pixels) {
                let ordinal = usable.taken.remove(i).device().ordinal();
                usable.leave_out(ordinal, error);
            }
            Ok(())
        })
    }
}

fn first_too_small(
    renderers: &[CudaRenderer],
    picture: &RenderOptions,
    pixels: usize,
) -> Option<(usize, RenderCudaError)> {
    let share = pixels.div_ceil(renderers.len().max(1));
    let error = |renderer: &CudaRenderer| renderer.check_picture(picture, share).err();
    renderers.iter().enumerate().find_map(|(i, renderer)| Some((i, error(renderer)?.into())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_render::{Integrator, RenderError, RenderOptionError};

    /// Returns the reason why the CPU renders a picture of a scene of ten triangles.
    fn reason(options: &RenderOptions, engine: Option<&EngineOptions>) -> PlanReason {
        let plan = Plan::for_picture(&PictureWork { options, engine, triangles: 10 });
        assert!(matches!(plan.device, PlannedDevice::Cpu) && !plan.reason.is_loss(), "{plan:?}");
        assert_eq!(plan.tree, PlannedTree::ForWork(PathWork::new(options, 0)));
        plan.reason
    }

    #[test]
    fn what_a_gpu_cannot_render_or_is_too_small_for_it_goes_to_the_cpu_with_the_reason() {
        let endless = RenderOptions { samples: 0..u32::MAX, ..RenderOptions::default() };
        let small = RenderOptions { size: [32, 24], samples: 0..4, ..RenderOptions::default() };
        let costs = RenderOptions { integrator: Integrator::Cost, ..endless.clone() };
        let layers = RenderOptions { integrator: Integrator::Depth, features: true, ..endless.clone() };
        let threads = rayon::current_num_threads() as u32;
        let [occlusion, normal] = [Integrator::AmbientOcclusion { distance: 1.0 }, Integrator::Normal]
            .map(|integrator| RenderOptions { integrator, size: [1000, 100], samples: 0..threads, ..small.clone() });
        let engine = EngineOptions::default();
        let each = u64::from(threads);
        for (options, samples, from) in [
            (&small, 3072, 100_000 * each),
            (&occlusion, 100_000 * each, 1_200_000 * each),
            (&normal, 100_000 * each, 2_400_000 * each),
        ] {
            let got = reason(options, Some(&engine));
            let PlanReason::TooLittle { work, least } = got else { panic!("{got:?}") };
            assert_eq!((work, least), (Amount::Samples(samples), from));
        }
        for (options, why) in [(&layers, RenderOptionError::LayersOfEngine), (&costs, RenderOptionError::CostsOfEngine)]
        {
            let got = reason(options, Some(&engine));
            let PlanReason::CpuAlone(cause) = got else { panic!("{got:?}") };
            assert!(matches!(cause.downcast_ref(), Some(RenderError::Option(cause)) if *cause == why), "{cause}");
        }
        assert!(matches!(reason(&endless, None), PlanReason::RaysOnly));
        let empty = Plan::for_picture(&PictureWork { options: &endless, engine: Some(&engine), triangles: 0 });
        assert!(matches!((empty.device, empty.reason), (PlannedDevice::Cpu, PlanReason::NoTriangles)));
    }
}
