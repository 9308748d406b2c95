//! The decision on which device, by which kernels and through which tree something is traced or rendered, and why.

use super::{PathWork, PlanReason, TracerFactory};
use raywarp_bvh::BuildOptions;
use std::sync::Arc;

#[cfg(feature = "cuda")]
use {
    super::cost_model::worth_a_gpu,
    super::open::{Usable, count_gpus, first_usable},
    super::{Amount, DeviceChoice, RayKernels, Unusable},
    raywarp_bvh::presets,
    raywarp_cuda::{CudaError, Device},
    std::convert::Infallible,
};

/// Decision on the device, the kernels and the tree by which a scene is traced or rendered, and why.
///
/// A plan is made before a scene is put anywhere. `Prepared`, `TraceScene` and `Scene` have the plan as it came
/// out, which may name other kernels, fewer GPUs or the CPU, with the reason.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// Device that traces or renders.
    pub device: PlannedDevice,
    /// Kernels that trace or render on that device.
    pub kernels: PlannedKernels,
    /// Tree that the kernels traverse.
    pub tree: PlannedTree,
    /// Reason why this device was chosen.
    pub reason: PlanReason,
}

/// Device part of a [`Plan`].
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub enum PlannedDevice {
    /// This machine's CPU, on all of rayon's threads.
    #[default]
    Cpu,
    /// GPUs that are already open, in the order of their shares of the work.
    #[cfg(feature = "cuda")]
    Gpus(Vec<Device>),
    /// The first usable GPUs in the driver's order, which are opened only when the scene is put there.
    #[cfg(feature = "cuda")]
    FirstUsable {
        /// Largest number of GPUs to use.
        wanted: usize,
        /// Number of GPUs that the driver shows.
        count: usize,
    },
}

/// Kernels part of a [`Plan`].
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub enum PlannedKernels {
    /// Raywarp's CPU tracer.
    #[default]
    Cpu,
    /// The caller's own tracer, on the CPU.
    Own(Arc<dyn TracerFactory>),
    /// GPU kernels that trace batches of rays.
    #[cfg(feature = "cuda")]
    Rays(RayKernels),
    /// GPU kernels that trace whole paths, from the camera to the film.
    #[cfg(all(feature = "cuda", feature = "render"))]
    Paths(raywarp_render_cuda::EngineOptions),
}

impl PlannedKernels {
    /// Returns `options` with the leaf sizes changed to what the nodes of the closest-hit kernel can hold.
    pub fn fitting(&self, options: &BuildOptions) -> BuildOptions {
        match self {
            Self::Own(factory) => factory.fitting(options),
            #[cfg(feature = "cuda")]
            Self::Rays(kernels) => kernels.fitting(options),
            _ => *options,
        }
    }
}

/// Tree part of a [`Plan`].
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum PlannedTree {
    /// Tree with these options, whose leaves fit the kernels.
    Given(BuildOptions),
    /// Tree whose build time pays for this amount of work: for GPU path tracing or for the CPU, whichever renders.
    ForWork(PathWork),
}

impl Default for PlannedTree {
    fn default() -> Self {
        Self::Given(BuildOptions::default())
    }
}

impl Plan {
    /// Plans the CPU, with a tree of the options `build`.
    pub fn cpu(build: BuildOptions) -> Self {
        Self { tree: PlannedTree::Given(build), ..Self::default() }
    }

    /// Plans a tracer of the caller's on the CPU, with a tree of the options `build` whose leaves it can hold.
    pub fn own(factory: Arc<dyn TracerFactory>, build: BuildOptions) -> Self {
        Self { kernels: PlannedKernels::Own(factory), ..Self::cpu(build) }
    }

    /// Plans to render a picture on the CPU, with a tree whose quality suits the render's length.
    #[cfg(feature = "render")]
    pub fn picture_by_cpu(options: &raywarp_render::RenderOptions, reason: PlanReason) -> Self {
        Self { tree: PlannedTree::ForWork(PathWork::new(options, 0)), reason, ..Self::default() }
    }

    /// Plans the named GPUs, which share each batch of rays; the CPU if `devices` is empty. Without `build` the tree is
    /// [`presets::GPU`], or the CPU's default.
    #[cfg(feature = "cuda")]
    pub fn rays_on(devices: Vec<Device>, kernels: RayKernels, build: Option<BuildOptions>) -> Self {
        if devices.is_empty() {
            return Self::cpu(build.unwrap_or_default());
        }
        let (device, kernels) = (PlannedDevice::Gpus(devices), PlannedKernels::Rays(kernels));
        Self { device, kernels, ..Self::cpu(build.unwrap_or(presets::GPU)) }
    }

    /// Plans the first usable GPU if tracing `rays` rays through `triangles` triangles is worth its start, else the
    /// CPU. Without `build` the tree is [`raywarp_bvh::presets::GPU`], or the CPU's default.
    #[cfg_attr(not(feature = "cuda"), expect(unused_variables))]
    pub fn for_rays(rays: u64, triangles: u64, threads: usize, build: Option<BuildOptions>) -> Self {
        #[cfg(feature = "cuda")]
        let reason = match worth_a_gpu(rays, triangles, threads).and_then(|()| count_gpus()) {
            Ok(count) => {
                let reason = PlanReason::WorthAGpu { work: Amount::Rays(rays), left_out: Vec::new() };
                let (device, kernels) = (PlannedDevice::FirstUsable { wanted: 1, count }, RayKernels::default());
                let tree = PlannedTree::Given(build.unwrap_or(presets::GPU));
                return Self { device, kernels: PlannedKernels::Rays(kernels), tree, reason };
            }
            Err(reason) => reason,
        };
        #[cfg(not(feature = "cuda"))]
        let reason = PlanReason::BuiltWithoutCuda;
        Self { reason, ..Self::cpu(build.unwrap_or_default()) }
    }

    /// Plans the single processor for a measurement: the GPU that `choice` names or the first one there is, or the CPU.
    ///
    /// # Errors
    /// The error of a GPU that was named.
    #[cfg(feature = "cuda")]
    pub fn for_measuring(choice: &DeviceChoice) -> Result<Self, CudaError> {
        match choice {
            DeviceChoice::Cpu => Ok(Self::default()),
            DeviceChoice::FirstCuda | DeviceChoice::Cuda(_) => {
                let ordinal = choice.first_ordinal();
                Ok(Self { device: PlannedDevice::Gpus(vec![Device::open(ordinal)?]), ..Self::default() })
            }
            DeviceChoice::Auto | DeviceChoice::AllCuda => {
                let Ok(Usable { taken, left_out }) = first_usable(1, 1, |devices, usable: &mut Usable<Device>| {
                    usable.taken.extend(devices);
                    Ok::<(), Infallible>(())
                });
                if taken.is_empty() {
                    return Ok(Self { reason: PlanReason::NoneUsable(left_out), ..Self::default() });
                }
                Ok(Self { device: PlannedDevice::Gpus(taken), ..Self::default() })
            }
        }
    }

    /// Returns the open GPUs, in the order of their shares of the work.
    #[cfg(feature = "cuda")]
    pub fn gpus(&self) -> &[Device] {
        match &self.device {
            PlannedDevice::Gpus(devices) => devices,
            PlannedDevice::Cpu | PlannedDevice::FirstUsable { .. } => &[],
        }
    }

    /// Returns the options of the planned tree; `None` if they are to be chosen for a picture.
    pub fn build(&self) -> Option<BuildOptions> {
        match self.tree {
            PlannedTree::Given(build) => Some(build),
            PlannedTree::ForWork(_) => None,
        }
    }

    /// Adds to the reason the GPUs that were tried first and cannot be used.
    #[cfg(feature = "cuda")]
    pub(crate) fn leave_out(&mut self, gpus: Vec<Unusable>) {
        if let PlanReason::WorthAGpu { left_out, .. } = &mut self.reason {
            left_out.extend(gpus);
        }
    }

    /// Returns the plan with the CPU in place of GPUs, for `reason`.
    #[cfg(feature = "cuda")]
    #[must_use]
    pub(crate) fn by_cpu(self, reason: PlanReason) -> Self {
        Self { device: PlannedDevice::Cpu, kernels: PlannedKernels::Cpu, tree: self.tree, reason }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[cfg(feature = "cuda")]
    use crate::device::Amount;

    #[cfg(feature = "cuda")]
    #[test]
    fn few_rays_need_no_driver_to_be_the_cpus() {
        let few = Plan::for_rays(16_000_000, 0, 1, None).reason;
        let work = Amount::Rays(16_000_000);
        assert!(matches!(&few, PlanReason::TooLittle { work: of, least: 16_326_530 } if *of == work), "{few:?}");
        let many = Plan::for_rays(u64::MAX, 0, 64, None).reason;
        assert!(matches!(many, PlanReason::NoGpuGains { work: Amount::Rays(u64::MAX), threads: 64 }), "{many:?}");
        assert!(!few.is_loss() && !many.is_loss());
    }

    #[cfg(not(feature = "cuda"))]
    #[test]
    fn without_cuda_the_cpu_traces_and_says_so() {
        let plan = Plan::for_rays(u64::MAX, 0, 1, None);
        assert!(matches!(plan.device, PlannedDevice::Cpu) && matches!(plan.reason, PlanReason::BuiltWithoutCuda));
    }
}
