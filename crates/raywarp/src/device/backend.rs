//! One tracer of batches of rays behind library queries, rays of files and pictures, on the CPU or on GPUs.

#[cfg(all(feature = "cuda", feature = "render"))]
use super::late_tracer::LateTracer;
use super::{Plan, PlannedKernels};
use raywarp_bvh::{BuildError, BuildOptions, Bvh2};
use raywarp_cpu::CpuTracer;
#[cfg(feature = "formats")]
use raywarp_cpu::SolidLevels;
#[cfg(feature = "formats")]
use raywarp_family::Query;
#[cfg(feature = "formats")]
use raywarp_geom::KernelName;
use raywarp_geom::{FlatTriangles, Tracer};
use raywarp_layout::LayoutError;
use std::error::Error;
use std::sync::Arc;

#[cfg(feature = "cuda")]
use {
    super::kernels::{Held, RayKernels},
    super::once_worth::GpuOnceWorth,
    super::{PlanReason, PlannedDevice},
    raywarp_cuda::{CudaError, CudaPair, Device, EncodedPair, SharedTracer, side_by_side},
};

/// Triangles of a scene with the tree built over them, as a backend's tracer is made from.
#[derive(Clone, Copy)]
pub(crate) struct SceneTree<'a> {
    /// The tree, built with leaves that fit the planned kernels.
    pub bvh: &'a Bvh2,
    /// Tree options that the caller asked for, before they were fitted to the kernels.
    #[cfg_attr(not(feature = "cuda"), expect(dead_code, reason = "kernels of GPUs alone take other trees"))]
    pub asked: &'a BuildOptions,
    pub triangles: &'a FlatTriangles,
}

/// Error of putting a scene on the device that is to trace it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackendError {
    /// The builder of the tree refuses the triangles.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The encoder of the CPU's tracer refuses the tree.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The caller's tracer factory ([`PlannedKernels::Own`]) refuses the tree.
    #[error(transparent)]
    Own(Box<dyn Error + Send + Sync>),
    /// The plan names GPU kernels but no GPU.
    #[cfg(feature = "cuda")]
    #[error("no GPU is given")]
    NoGpu,
    /// The GPU lacks something, or fails.
    #[cfg(feature = "cuda")]
    #[error(transparent)]
    Cuda(#[from] CudaError),
    /// One of several GPUs lacks something, or fails; says which.
    #[cfg(feature = "cuda")]
    #[error(transparent)]
    OneOfGpus(#[from] OneOfGpus),
}

/// Failure of one GPU of several, with its number.
#[cfg(feature = "cuda")]
#[derive(Debug, thiserror::Error)]
#[error("cuda:{ordinal}: {error}")]
pub struct OneOfGpus {
    /// Number of the GPU in the driver's order.
    pub ordinal: usize,
    /// The error of that GPU.
    pub error: Box<CudaError>,
}

/// Tracer of a scene, on the CPU or on GPUs, with the plan that it was made by.
pub(crate) struct Backend {
    tracing: Tracing,
    plan: Plan,
}

enum Tracing {
    Cpu(Arc<CpuTracer>),
    #[cfg(feature = "formats")]
    Levels(Arc<SolidLevels>),
    /// CPU tracer that is made when its first ray comes, for scenes whose whole paths GPUs take.
    #[cfg(all(feature = "cuda", feature = "render"))]
    Late(Box<LateTracer>),
    Own(Box<dyn Tracer>),
    #[cfg(feature = "cuda")]
    Gpus(SharedTracer<CudaPair>),
    #[cfg(feature = "cuda")]
    OnceWorth(Box<GpuOnceWorth>),
}

impl Backend {
    /// Makes a backend that traces with the given CPU tracer.
    pub fn cpu(tracer: Arc<CpuTracer>, plan: Plan) -> Self {
        Self { tracing: Tracing::Cpu(tracer), plan }
    }

    /// Makes a backend that traces two levels of trees on the CPU.
    #[cfg(feature = "formats")]
    pub fn levels(tracer: Arc<SolidLevels>, plan: Plan) -> Self {
        Self { tracing: Tracing::Levels(tracer), plan }
    }

    /// Makes a backend whose CPU tracer is encoded only when the first ray comes.
    #[cfg(all(feature = "cuda", feature = "render"))]
    pub fn late(bvh: Arc<Bvh2>, triangles: Arc<FlatTriangles>, plan: Plan) -> Self {
        Self { tracing: Tracing::Late(Box::new(LateTracer::new(bvh, triangles))), plan }
    }

    /// Makes a backend that traces on the CPU until enough rays came to make a GPU worth its start, then on that GPU.
    #[cfg(feature = "cuda")]
    pub fn once_worth(gpu: GpuOnceWorth) -> Self {
        let plan = gpu.plan();
        Self { tracing: Tracing::OnceWorth(Box::new(gpu)), plan }
    }

    /// Makes the tracer that `plan` asks for, from the triangles and the tree. `cpu` makes the CPU's tracer where that
    /// is it, or where no kernel of the planned GPUs holds the scene that loses no ray.
    ///
    /// # Errors
    /// [`BackendError`].
    pub fn new(
        plan: Plan,
        tree: &SceneTree<'_>,
        cpu: impl FnOnce() -> Result<Arc<CpuTracer>, LayoutError>,
    ) -> Result<Self, BackendError> {
        match (&plan.device, &plan.kernels) {
            (_, PlannedKernels::Own(factory)) => {
                let tracer = factory.make(tree.bvh, tree.triangles).map_err(BackendError::Own)?;
                Ok(Self { tracing: Tracing::Own(tracer), plan })
            }
            #[cfg(feature = "cuda")]
            (PlannedDevice::Gpus(devices), PlannedKernels::Rays(kernels)) => match kernels.holding(tree)? {
                Held::By(kernels, encoded) => {
                    let tracing = Tracing::Gpus(upload(devices, &kernels, &encoded)?);
                    Ok(Self { tracing, plan: Plan { kernels: PlannedKernels::Rays(kernels), ..plan } })
                }
                Held::ByNone(cause) => Ok(Self::cpu(cpu()?, plan.by_cpu(PlanReason::NoKernelHolds(Arc::new(cause))))),
            },
            #[cfg(feature = "cuda")]
            (_, PlannedKernels::Rays(_)) => Err(BackendError::NoGpu),
            _ => Ok(Self::cpu(cpu()?, plan)),
        }
    }

    /// Returns the plan as it stands now: a backend may have moved to another device since it was made.
    pub fn plan(&self) -> Plan {
        match &self.tracing {
            #[cfg(feature = "cuda")]
            Tracing::OnceWorth(gpu) => gpu.plan(),
            _ => self.plan.clone(),
        }
    }

    /// Returns the plan as it was when the scene was put on its device.
    #[cfg(feature = "cuda")]
    pub fn planned(&self) -> &Plan {
        &self.plan
    }

    #[cfg(feature = "cuda")]
    pub fn planned_mut(&mut self) -> &mut Plan {
        &mut self.plan
    }

    /// Returns the tracer, and makes it on the calling thread if it does not exist yet. One that cannot be made fails
    /// every batch.
    pub fn tracer(&self) -> &dyn Tracer {
        match &self.tracing {
            #[cfg(all(feature = "cuda", feature = "render"))]
            Tracing::Late(tracer) => tracer.get().map_or(&**tracer as &dyn Tracer, |tracer| tracer),
            _ => self.late_tracer(),
        }
    }

    /// Returns the tracer; one that does not exist yet is made when its first ray comes.
    pub fn late_tracer(&self) -> &dyn Tracer {
        match &self.tracing {
            Tracing::Cpu(tracer) => &**tracer,
            #[cfg(feature = "formats")]
            Tracing::Levels(tracer) => &**tracer,
            #[cfg(all(feature = "cuda", feature = "render"))]
            Tracing::Late(tracer) => &**tracer,
            Tracing::Own(tracer) => &**tracer,
            #[cfg(feature = "cuda")]
            Tracing::Gpus(tracer) => tracer,
            #[cfg(feature = "cuda")]
            Tracing::OnceWorth(tracer) => &**tracer,
        }
    }

    /// Returns the bytes that the tracer's tree takes in its device's memory; 0 if it is not made yet or is the
    /// caller's own.
    #[cfg(feature = "render")]
    pub fn bytes(&self) -> usize {
        match &self.tracing {
            Tracing::Cpu(tracer) => tracer.bytes(),
            Tracing::Levels(tracer) => tracer.scene().bytes(),
            #[cfg(all(feature = "cuda", feature = "render"))]
            Tracing::Late(tracer) => tracer.made().map_or(0, |(bytes, _)| bytes),
            Tracing::Own(_) => 0,
            #[cfg(feature = "cuda")]
            Tracing::Gpus(tracer) => tracer.tracers().map(CudaPair::bytes).sum(),
            #[cfg(feature = "cuda")]
            Tracing::OnceWorth(_) => 0,
        }
    }

    /// Returns how long it took to encode the tree for the CPU, if that waited for a first ray and one came; else
    /// `None`.
    #[cfg(all(feature = "cuda", feature = "render"))]
    pub fn late_time(&self) -> Option<std::time::Duration> {
        match &self.tracing {
            #[cfg(all(feature = "cuda", feature = "render"))]
            Tracing::Late(tracer) => tracer.made().map(|(_, time)| time),
            _ => None,
        }
    }
}

/// The name of what answers `query` of a batch of `rays`, but for those that it leaves; of several GPUs that of
/// the first.
#[cfg(feature = "formats")]
impl Backend {
    #[cfg_attr(not(feature = "cuda"), expect(unused_variables, reason = "only kernels of GPUs differ"))]
    pub fn kernel(&self, query: Query, rays: usize) -> KernelName {
        match (&self.tracing, &self.plan.kernels) {
            (Tracing::Cpu(tracer), _) => tracer.name(),
            (Tracing::Levels(tracer), _) => tracer.scene().name(),
            (_, PlannedKernels::Own(factory)) => factory.name(),
            #[cfg(feature = "cuda")]
            (Tracing::Gpus(tracer), _) => match variant(tracer, query, rays) {
                Some(variant) => KernelName::new(&variant.to_string()),
                None => KernelName::fixed("none"),
            },
            _ => KernelName::fixed("none"),
        }
    }

    /// Returns `true` if the tracer for such a query and batch size accepts rays with a negative `t_min`.
    pub fn takes_negative_t_min(&self, query: Query, rays: usize) -> bool {
        match (&self.tracing, &self.plan.kernels) {
            (_, PlannedKernels::Own(factory)) => factory.takes_negative_t_min(),
            #[cfg(feature = "cuda")]
            (Tracing::Gpus(tracer), _) => {
                variant(tracer, query, rays).is_none_or(|variant| !variant.needs().t_min_not_negative)
            }
            _ => {
                let _ = (query, rays);
                true
            }
        }
    }

    /// Returns `true` if the tracer itself splits large batches into parts that overlap on the GPU.
    pub fn splits_batches(&self) -> bool {
        #[cfg(feature = "cuda")]
        return matches!(&self.tracing, Tracing::Gpus(_));
        #[cfg(not(feature = "cuda"))]
        false
    }
}

/// Returns the GPU kernel that answers `query` for batches of `rays` rays.
#[cfg(all(feature = "cuda", feature = "formats"))]
fn variant(tracer: &SharedTracer<CudaPair>, query: Query, rays: usize) -> Option<raywarp_family::Variant> {
    let stretch = tracer.stretch(rays).min(rays);
    tracer.tracers().next().map(|pair| *pair.variant_for(query, stretch))
}

/// Uploads the encoded trees to all GPUs, and returns their joint tracer.
#[cfg(feature = "cuda")]
fn upload(
    devices: &[Device],
    kernels: &RayKernels,
    encoded: &EncodedPair,
) -> Result<SharedTracer<CudaPair>, BackendError> {
    let pair = |device: &Device| -> Result<CudaPair, CudaError> {
        let pair = CudaPair::upload(device, encoded)?;
        if kernels.is_named { Ok(pair) } else { pair.by_size() }
    };
    let pairs = side_by_side(devices, pair).into_iter().zip(devices).map(|(pair, device)| match pair {
        Ok(pair) => Ok((format!("cuda:{}", device.ordinal()), pair)),
        Err(error) if devices.len() == 1 => Err(error.into()),
        Err(error) => Err(OneOfGpus { ordinal: device.ordinal(), error: Box::new(error) }.into()),
    });
    Ok(SharedTracer::new(pairs.collect::<Result<_, BackendError>>()?))
}
