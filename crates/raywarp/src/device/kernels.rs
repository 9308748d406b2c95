//! Kernels of GPUs that answer rays, and which come next where a scene does not fit.

use super::backend::{BackendError, SceneTree};
use super::reason::Cause;
use raywarp_bvh::{BuildOptions, build};
use raywarp_cuda::auto::{BatchKind, Choice};
use raywarp_cuda::{CudaError, EncodedPair, OnTree};
use raywarp_family::Variant;
use std::sync::Arc;

/// Ray-tracing kernel of GPUs used by default: the fastest with most rays on the GPUs that were measured.
pub const DEFAULT_KERNEL: Variant = Variant::RAYWARP_H8;
/// Kernel over two-child nodes, which can hold scenes that the other kernels with the CPU's results cannot.
pub const HOLDS_MORE: Variant = Variant::WATERTIGHT;
/// Kernels that are tried in turn when the chosen ones cannot hold a scene.
const NEXT_KERNELS: [Variant; 2] = [DEFAULT_KERNEL, HOLDS_MORE];

/// GPU kernels for batches of rays: one for closest-hit and one for any-hit queries.
#[derive(Debug, Clone)]
pub struct RayKernels {
    /// Kernel for closest-hit rays.
    pub closest: Variant,
    /// Kernel for any-hit rays.
    pub any: Variant,
    /// `true` if the user named the kernels, so that a scene they cannot hold is an error; else the next kernel takes
    /// it. Batches of few rays go to a kernel of the same tree that is faster with them
    /// ([`raywarp_cuda::CudaPair::by_size`]) unless this is so.
    pub is_named: bool,
    /// Kernel that was chosen first but cannot hold the scene, if these replace one.
    pub instead_of: Option<ReplacedKernel>,
}

/// Kernel that was chosen but replaced, since it cannot hold the scene.
#[derive(Debug, Clone)]
pub struct ReplacedKernel {
    /// Closest-hit kernel that was replaced.
    pub variant: Variant,
    /// Error that says why the replaced kernel cannot hold the scene.
    pub cause: Cause,
}

impl Default for RayKernels {
    /// Returns [`DEFAULT_KERNEL`] for both queries, chosen without timing; its hits have the bits of the CPU's.
    fn default() -> Self {
        Self::both(DEFAULT_KERNEL)
    }
}

/// Result of encoding a scene for GPU kernels.
pub(super) enum Held {
    /// The kernels that can hold the scene, with the scene encoded for them.
    By(RayKernels, Box<EncodedPair>),
    /// No kernel can hold the scene without losing hits; the error is that of the kernels chosen first.
    ByNone(CudaError),
}

impl RayKernels {
    const fn both(variant: Variant) -> Self {
        Self { closest: variant, any: variant, is_named: false, instead_of: None }
    }

    /// Makes the kernels from one that the user named, for both queries.
    pub fn named(variant: Variant) -> Self {
        Self { is_named: true, ..Self::both(variant) }
    }

    /// Makes the kernels from those that were chosen for a GPU, where closest-hit rays are of `kind`.
    pub fn chosen(choice: &Choice, kind: BatchKind) -> Self {
        let [closest, any] = [kind, BatchKind::Any].map(|kind| choice.of(kind).variant);
        Self { closest, any, is_named: false, instead_of: None }
    }

    /// Returns `options` with the leaf sizes changed to what the closest-hit kernel's nodes can hold.
    pub fn fitting(&self, options: &BuildOptions) -> BuildOptions {
        fitting(options, &self.closest)
    }

    /// Encodes a scene for these kernels or for the next ones that can hold it; any-hit rays get a tree of their own
    /// where they need other leaf sizes.
    ///
    /// Where they were not named, and cannot hold the scene or are not sure of it, the next ones are taken that are.
    pub(super) fn holding(&self, tree: &SceneTree<'_>) -> Result<Held, BackendError> {
        let cause = match self.encoded([&self.closest, &self.any], tree) {
            Err(BackendError::Cuda(error)) if error.is_limit() && !self.is_named => error,
            encoded => return Ok(Held::By(self.clone(), Box::new(encoded?))),
        };
        let is_other = |variant: &Variant| variant.tree() != self.closest.tree() || variant.tree() != self.any.tree();
        for variant in NEXT_KERNELS.into_iter().filter(is_other) {
            match self.encoded([&variant; 2], tree) {
                Err(BackendError::Cuda(error)) if error.is_limit() => {}
                encoded => {
                    let replaced = ReplacedKernel { variant: self.closest, cause: Arc::new(cause) };
                    return Ok(Held::By(
                        Self { instead_of: Some(replaced), ..Self::both(variant) },
                        Box::new(encoded?),
                    ));
                }
            }
        }
        Ok(Held::ByNone(cause))
    }

    /// Encodes the trees for a closest-hit and an any-hit kernel.
    fn encoded(&self, [closest, any]: [&Variant; 2], tree: &SceneTree<'_>) -> Result<EncodedPair, BackendError> {
        let SceneTree { bvh, asked, triangles } = *tree;
        if !self.is_named {
            let farthest = triangles.bounds().farthest();
            [closest, any].into_iter().try_for_each(|variant| CudaError::check_reach(variant, farthest))?;
        }
        let built = self.fitting(asked);
        let fits = [closest, any].map(|variant| fitting(asked, variant));
        let first = if fits[0] == built { None } else { Some(build(triangles, &fits[0])?) };
        let second = if fits[1] == built || fits[1] == fits[0] { None } else { Some(build(triangles, &fits[1])?) };
        let of_closest = first.as_ref().unwrap_or(bvh);
        let of_any = if fits[1] == fits[0] { of_closest } else { second.as_ref().unwrap_or(bvh) };
        let on = |variant, bvh| OnTree { variant, bvh };
        Ok(EncodedPair::new(on(closest, of_closest), on(any, of_any), triangles)?)
    }
}

/// Returns `options` with the leaf sizes changed to what the nodes of `variant` can hold.
pub(crate) fn fitting(options: &BuildOptions, variant: &Variant) -> BuildOptions {
    options.with_leaf_limit(variant.tree().max_leaf())
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_layout::LayoutError;

    #[test]
    fn a_scene_that_does_not_fit_goes_to_the_kernel_that_holds_more_and_a_device_that_fails_does_not() {
        let deep = CudaError::StackTooShallow { needed: 64, found: 63 };
        let many = CudaError::Layout(LayoutError::TooMany { what: "blocks", found: 1 << 25, limit: 1 << 24 });
        assert!(deep.is_limit() && many.is_limit() && !CudaError::NoDriver.is_limit());
        let is_sure = |variant: &Variant, farthest| match CudaError::check_reach(variant, farthest) {
            Ok(()) => true,
            Err(error) => !error.is_limit(),
        };
        assert_eq!([1e6, 1e25, 1e26, f32::NAN].map(|far| is_sure(&HOLDS_MORE, far)), [true, true, false, false]);
        assert_eq!(
            [1e26, 1.2e30, 1.3e30, f32::MAX].map(|far| is_sure(&DEFAULT_KERNEL, far)),
            [true, true, false, false]
        );
    }
}
