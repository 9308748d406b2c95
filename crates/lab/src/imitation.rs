//! Kernels of the papers as tracers of a scene.

use raywarp::device::TracerFactory;
use raywarp_bvh::{BuildOptions, Bvh2};
use raywarp_family::Variant;
use raywarp_geom::{FlatTriangles, KernelName, Tracer};
use raywarp_traverse::{Execution, FamilyTracer, Kernel};
use std::error::Error;

/// A GPU kernel of the family that this CPU emulates lane by lane, as a tracer; its time is that of the emulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImitatedKernel {
    /// Variant of the family that is imitated.
    pub variant: Variant,
    /// Machine that is emulated: one lane, or a warp in lockstep.
    pub machine: Execution,
}

impl TracerFactory for ImitatedKernel {
    fn name(&self) -> KernelName {
        KernelName::new(&self.variant.to_string())
    }

    fn machine(&self) -> String {
        self.machine.to_string()
    }

    fn fitting(&self, options: &BuildOptions) -> BuildOptions {
        options.with_leaf_limit(self.variant.tree().max_leaf())
    }

    fn takes_negative_t_min(&self) -> bool {
        !self.variant.needs().t_min_not_negative
    }

    /// Makes a tracer that emulates the kernel on this CPU.
    ///
    /// # Errors
    /// [`raywarp_traverse::KernelError`].
    fn make(&self, bvh: &Bvh2, triangles: &FlatTriangles) -> Result<Box<dyn Tracer>, Box<dyn Error + Send + Sync>> {
        let kernel = Kernel::new(&self.variant, bvh, triangles)?;
        Ok(Box::new(FamilyTracer::new(kernel, self.machine)?))
    }
}
