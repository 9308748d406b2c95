//! Pairs of kernels over one scene: one for closest-hit rays, one for any-hit rays.

use crate::names::kernel_for_few;
use crate::{CudaError, CudaTracer, Device, DeviceScene, EncodedScene, Encoding, LaunchBounds, Query};
use raywarp_bvh::Bvh2;
use raywarp_family::Variant;
use raywarp_geom::{BatchStats, Candidate, Control, FlatTriangles, Hit, HitKey, Ray, RayCost, TraceError, Tracer};
use std::sync::Arc;

/// Multiple of the threads that a device runs at once, below which a batch counts as small: a kernel that replaces rays
/// has few left to replace. On an H200 its any-hit and closest-hit kernels of h8 have 152,064 threads, so that few are
/// up to 304,128; they were overtaken between 200,000 and 500,000 rays (docs/reference/performance.md, "Small
/// batches").
const FEW: usize = 2;

/// Tracer with one kernel for closest-hit and one for any-hit rays, each over its tree; one tree is shared if both read
/// the same encoding.
#[derive(Debug)]
pub struct CudaPair {
    closest: BySize,
    any: BySize,
    bytes: usize,
}

/// A kernel for large batches, and one that may take small batches in its place.
#[derive(Debug)]
struct BySize {
    tracer: CudaTracer,
    /// Kernel for small batches, with the number of rays from which on the other one is used.
    few: Option<(CudaTracer, usize)>,
}

/// A kernel's variant and the binary tree to encode for it, whose leaves have at most
/// [`raywarp_family::Tree::max_leaf`] triangles.
#[derive(Debug, Clone, Copy)]
pub struct OnTree<'a> {
    /// Variant of the kernel.
    pub variant: &'a Variant,
    /// Binary tree over the scene's triangles that is encoded for the kernel.
    pub bvh: &'a Bvh2,
}

/// A scene encoded for a pair of kernels, to be uploaded to any number of devices.
#[derive(Debug)]
pub struct EncodedPair {
    closest: (Variant, EncodedScene),
    any: Variant,
    /// Encoding for the any-hit kernel; `None` if it reads that of the closest-hit kernel.
    any_scene: Option<EncodedScene>,
}

impl EncodedPair {
    /// Encodes the trees over `triangles` for a closest-hit and an any-hit kernel.
    ///
    /// # Errors
    /// As [`EncodedScene::new`].
    pub fn new(closest: OnTree<'_>, any: OnTree<'_>, triangles: &FlatTriangles) -> Result<Self, CudaError> {
        let scene = |of: &OnTree<'_>| EncodedScene::new(of.variant, of.bvh, triangles);
        let same = std::ptr::eq(closest.bvh, any.bvh) && Encoding::of(closest.variant) == Encoding::of(any.variant);
        let any_scene = if same { None } else { Some(scene(&any)?) };
        Ok(Self { closest: (*closest.variant, scene(&closest)?), any: *any.variant, any_scene })
    }
}

impl BySize {
    /// Returns the kernel to use for batches of `rays` rays.
    fn of(&self, rays: usize) -> &CudaTracer {
        match &self.few {
            Some((few, limit)) if rays < *limit => few,
            _ => &self.tracer,
        }
    }

    fn with_few(self, query: Query) -> Result<Self, CudaError> {
        let Some(variant) = kernel_for_few(self.tracer.variant()) else { return Ok(self) };
        let few = self.tracer.with_variant(&variant)?;
        let limit = FEW * self.tracer.resident_threads(query);
        Ok(Self { few: Some((few, limit)), ..self })
    }
}

impl CudaPair {
    /// Encodes and uploads the trees over `triangles`, and loads the closest-hit and the any-hit kernel.
    ///
    /// # Errors
    /// As [`CudaTracer::new`].
    pub fn new(
        device: &Device,
        closest: OnTree<'_>,
        any: OnTree<'_>,
        triangles: &FlatTriangles,
    ) -> Result<Self, CudaError> {
        Self::upload(device, &EncodedPair::new(closest, any, triangles)?)
    }

    /// Uploads an encoded scene to `device`, and loads its closest-hit and any-hit kernels.
    ///
    /// # Errors
    /// As [`CudaTracer::over`].
    pub fn upload(device: &Device, encoded: &EncodedPair) -> Result<Self, CudaError> {
        let stream = device.stream()?;
        let scene = |variant, encoded| -> Result<Arc<DeviceScene>, CudaError> {
            Ok(Arc::new(DeviceScene::upload(device, &stream, variant, encoded)?))
        };
        let over = |variant, scene| -> Result<BySize, CudaError> {
            Ok(BySize { tracer: CudaTracer::over(device, variant, &LaunchBounds::default(), scene)?, few: None })
        };
        let (variant, first) = &encoded.closest;
        let first = scene(variant, first)?;
        let mut bytes = first.bytes();
        let second = match &encoded.any_scene {
            None => first.clone(),
            Some(second) => {
                let second = scene(&encoded.any, second)?;
                bytes += second.bytes();
                second
            }
        };
        Ok(Self { closest: over(variant, first)?, any: over(&encoded.any, second)?, bytes })
    }

    /// Gives small batches to the kernels that [`kernel_for_few`] has for the pair's: those with fewer rays than twice
    /// the threads that the device runs at once. Answers are the same.
    ///
    /// # Errors
    /// As [`CudaTracer::over`].
    pub fn by_size(self) -> Result<Self, CudaError> {
        let (closest, any) = (self.closest.with_few(Query::Closest)?, self.any.with_few(Query::Any)?);
        Ok(Self { closest, any, bytes: self.bytes })
    }

    /// Returns the device that traces the rays.
    pub fn device(&self) -> &Device {
        self.closest.tracer.device()
    }

    /// Returns the bytes of device memory that the encoded trees take.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns the variants of the closest-hit and the any-hit kernel for large batches.
    pub fn variants(&self) -> [&Variant; 2] {
        [self.closest.tracer.variant(), self.any.tracer.variant()]
    }

    /// Returns the variant of the kernel that answers `query` for a batch of `rays` rays.
    pub fn variant_for(&self, query: Query, rays: usize) -> &Variant {
        let kernels = match query {
            Query::Closest => &self.closest,
            Query::Any => &self.any,
        };
        kernels.of(rays).variant()
    }
}

impl Tracer for CudaPair {
    fn closest(
        &self,
        rays: &[Ray],
        after: &[HitKey],
        hits: &mut [Hit],
        instances: &mut [u32],
        control: &Control<'_>,
    ) -> Result<BatchStats, TraceError> {
        self.closest.of(rays.len()).closest(rays, after, hits, instances, control)
    }

    fn any(
        &self,
        rays: &[Ray],
        after: &[HitKey],
        blocked: &mut [u32],
        undecided: &mut Vec<Candidate>,
        control: &Control<'_>,
    ) -> Result<BatchStats, TraceError> {
        self.any.of(rays.len()).any(rays, after, blocked, undecided, control)
    }

    fn cost(&self, rays: &[Ray], costs: &mut [RayCost], control: &Control<'_>) -> Result<BatchStats, TraceError> {
        self.closest.tracer.cost(rays, costs, control)
    }

    fn preferred_batch(&self) -> usize {
        self.closest.tracer.preferred_batch()
    }
}
