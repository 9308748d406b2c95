//! Two kernels over one scene: one for closest-hit rays, one for any-hit rays.

use crate::{CudaError, CudaTracer, Device, DeviceScene, Encoding, LaunchBounds};
use raywarp_bvh::Bvh2;
use raywarp_family::Variant;
use raywarp_geom::{BatchStats, Candidate, Control, FlatTriangles, Hit, HitKey, Ray, RayCost, TraceError, Tracer};
use std::sync::Arc;

/// The kernels that answer, each over the tree that it walks; where both walk the same bytes these are there once.
#[derive(Debug)]
pub struct CudaPair {
    closest: CudaTracer,
    any: CudaTracer,
    bytes: usize,
}

/// A kernel and the tree over the scene's triangles that it is to walk, with leaves of at most
/// [`raywarp_family::Tree::max_leaf`] triangles.
#[derive(Debug, Clone, Copy)]
pub struct OnTree<'a> {
    /// The kernel.
    pub variant: &'a Variant,
    /// Its tree.
    pub bvh: &'a Bvh2,
}

impl CudaPair {
    /// Kernels for closest-hit and any-hit rays among `triangles`.
    ///
    /// # Errors
    /// As [`CudaTracer::new`].
    pub fn new(
        device: &Device,
        closest: OnTree<'_>,
        any: OnTree<'_>,
        triangles: &FlatTriangles,
    ) -> Result<Self, CudaError> {
        let stream = device.stream()?;
        let scene = |of: &OnTree<'_>| -> Result<Arc<DeviceScene>, CudaError> {
            Ok(Arc::new(DeviceScene::new(device, &stream, of.variant, of.bvh, triangles)?))
        };
        let over = |of: &OnTree<'_>, scene| CudaTracer::over(device, of.variant, &LaunchBounds::default(), scene);
        let first = scene(&closest)?;
        let same = std::ptr::eq(closest.bvh, any.bvh) && Encoding::of(closest.variant) == Encoding::of(any.variant);
        let second = if same { first.clone() } else { scene(&any)? };
        let bytes = first.bytes() + if same { 0 } else { second.bytes() };
        Ok(Self { closest: over(&closest, first)?, any: over(&any, second)?, bytes })
    }

    /// Bytes of device memory that scenes take.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// The kernel for closest-hit rays and the one for any-hit rays.
    pub fn variants(&self) -> [&Variant; 2] {
        [self.closest.variant(), self.any.variant()]
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
        self.closest.closest(rays, after, hits, instances, control)
    }

    fn any(
        &self,
        rays: &[Ray],
        after: &[HitKey],
        blocked: &mut [u32],
        undecided: &mut Vec<Candidate>,
        control: &Control<'_>,
    ) -> Result<BatchStats, TraceError> {
        self.any.any(rays, after, blocked, undecided, control)
    }

    fn cost(&self, rays: &[Ray], costs: &mut [RayCost], control: &Control<'_>) -> Result<BatchStats, TraceError> {
        self.closest.cost(rays, costs, control)
    }

    fn preferred_batch(&self) -> usize {
        self.closest.preferred_batch()
    }
}
