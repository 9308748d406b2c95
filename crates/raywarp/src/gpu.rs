//! Which kernels of a GPU answer, and the trees that they walk.

use crate::prepared::PrepareError;
use raywarp_bvh::{BuildOptions, Bvh2, build};
use raywarp_cuda::auto::{Choice, RayKind};
use raywarp_cuda::{CudaPair, Device, OnTree};
use raywarp_family::{Variant, papers};
use raywarp_geom::FlatTriangles;

/// A GPU, and its kernels for closest-hit and for any-hit rays.
#[derive(Debug, Clone)]
pub struct Gpu {
    /// The GPU.
    pub device: Device,
    /// For closest-hit rays.
    pub closest: Variant,
    /// For any-hit rays.
    pub any: Variant,
}

impl Gpu {
    /// The kernel that is the fastest with most rays on the GPUs that were measured, untimed: its hits have the bits of the CPU's.
    ///
    /// # Panics
    /// Never: a test looks for the row.
    pub fn watertight(device: Device) -> Self {
        let row = papers().iter().find(|row| row.name == "raywarp-h8");
        let variant = row.expect("a row of the table").variant;
        Self { device, closest: variant, any: variant }
    }

    /// What was chosen, closest-hit rays being of `kind`.
    pub fn chosen(device: Device, choice: &Choice, kind: RayKind) -> Self {
        Self { device, closest: choice.of(kind).variant, any: choice.of(RayKind::Any).variant }
    }

    /// `options` with leaves that the nodes for closest-hit rays can hold.
    pub(crate) fn closest_tree(&self, options: &BuildOptions) -> BuildOptions {
        fitting(options, &self.closest)
    }

    /// The kernels over `triangles`. `bvh` was built with [`Gpu::closest_tree`] of `options`; where any-hit rays need
    /// smaller or larger leaves, they get a tree of their own.
    pub(crate) fn tracer(
        &self,
        bvh: &Bvh2,
        options: &BuildOptions,
        triangles: &FlatTriangles,
    ) -> Result<CudaPair, PrepareError> {
        let own = fitting(options, &self.any);
        let second = if own == self.closest_tree(options) { None } else { Some(build(triangles, &own)?) };
        let closest = OnTree { variant: &self.closest, bvh };
        let any = OnTree { variant: &self.any, bvh: second.as_ref().unwrap_or(bvh) };
        Ok(CudaPair::new(&self.device, closest, any, triangles)?)
    }
}

/// `options` with leaves that the nodes of `variant` can hold.
pub(crate) fn fitting(options: &BuildOptions, variant: &Variant) -> BuildOptions {
    BuildOptions { max_leaf: options.max_leaf.min(variant.tree().max_leaf()), ..*options }
}
