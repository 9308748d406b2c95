//! Kernels of GPUs that answer rays, and which come next where a scene does not fit.

use super::backend::{BackendError, SceneTree};
use super::reason::Cause;
use raywarp_bvh::{BuildOptions, build};
use raywarp_cuda::auto::{BatchKind, Choice};
use raywarp_cuda::{CudaError, EncodedPair, OnTree};
use raywarp_family::Variant;
use std::sync::Arc;

/// Kernel that is taken where none is chosen: the fastest with most rays on the GPUs that were measured.
pub const DEFAULT_KERNEL: Variant = Variant::RAYWARP_H8;
/// The kernel over nodes of two boxes, which holds scenes that the others with the CPU's bits cannot.
pub const HOLDS_MORE: Variant = Variant::WATERTIGHT;
/// The kernels that are tried one after the other where those that were chosen cannot hold a scene.
const NEXT_KERNELS: [Variant; 2] = [DEFAULT_KERNEL, HOLDS_MORE];

/// The kernels of GPUs for closest-hit and for any-hit rays.
#[derive(Debug, Clone)]
pub struct RayKernels {
    /// Kernel for closest-hit rays.
    pub closest: Variant,
    /// Kernel for any-hit rays.
    pub any: Variant,
    /// `true` if the kernels were asked for by name: a scene that they cannot hold is then an error, and otherwise goes
    /// to the kernel that comes next. Batches of few rays go to a kernel of the same tree that is faster with them
    /// ([`raywarp_cuda::CudaPair::by_size`]) unless this is so.
    pub is_named: bool,
    /// The kernel that was chosen and cannot hold the scene, where these are taken for it.
    pub instead_of: Option<ReplacedKernel>,
}

/// A kernel that was chosen and is not taken.
#[derive(Debug, Clone)]
pub struct ReplacedKernel {
    /// The kernel for closest-hit rays that was chosen.
    pub variant: Variant,
    /// The reason why it cannot hold the scene.
    pub cause: Cause,
}

impl Default for RayKernels {
    /// Returns [`DEFAULT_KERNEL`], untimed: its hits have the bits of the CPU's.
    fn default() -> Self {
        Self::both(DEFAULT_KERNEL)
    }
}

/// Outcome of encoding a scene for kernels.
pub(super) enum Held {
    /// These kernels hold it, as it is encoded for them.
    By(RayKernels, Box<EncodedPair>),
    /// No kernel that loses no ray holds the scene: the error of those that were chosen.
    ByNone(CudaError),
}

impl RayKernels {
    const fn both(variant: Variant) -> Self {
        Self { closest: variant, any: variant, is_named: false, instead_of: None }
    }

    /// Takes a kernel that was named, for both queries.
    pub fn named(variant: Variant) -> Self {
        Self { is_named: true, ..Self::both(variant) }
    }

    /// Takes the kernels that were chosen for a GPU, closest-hit rays being of `kind`.
    pub fn chosen(choice: &Choice, kind: BatchKind) -> Self {
        let [closest, any] = [kind, BatchKind::Any].map(|kind| choice.of(kind).variant);
        Self { closest, any, is_named: false, instead_of: None }
    }

    /// Returns `options` with leaves that the nodes for closest-hit rays can hold.
    pub fn fitting(&self, options: &BuildOptions) -> BuildOptions {
        fitting(options, &self.closest)
    }

    /// Encodes a scene for these kernels, whose tree was built with [`RayKernels::fitting`] options; where any-hit rays
    /// need smaller or larger leaves, they get a tree of their own.
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

    /// Encodes the trees that two kernels walk, for closest-hit and for any-hit rays.
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

/// Returns `options` with leaves that the nodes of `variant` can hold.
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
