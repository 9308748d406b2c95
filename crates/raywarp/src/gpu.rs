//! Which kernels of a GPU answer, and the trees that they walk.

use crate::prepared::PrepareError;
use raywarp_bvh::{BuildOptions, Bvh2, build};
use raywarp_cuda::auto::{Choice, RayKind};
use raywarp_cuda::{CudaError, CudaPair, Device, OnTree};
use raywarp_family::{Variant, papers};
use raywarp_geom::FlatTriangles;

/// Its boxes lose no ray in scenes up to here (docs/robustness.md, "Limits").
const MOST_OF_TWO_BOXES: f32 = 1e25;
/// The kernel that holds what others cannot.
const TWO_BOXES: &str = "watertight";

/// A GPU, and its kernels for closest-hit and for any-hit rays.
#[derive(Debug, Clone)]
pub struct Gpu {
    /// The GPU.
    pub device: Device,
    /// For closest-hit rays.
    pub closest: Variant,
    /// For any-hit rays.
    pub any: Variant,
    /// Whether they were asked for by name: a scene that they cannot hold is then an error, and otherwise goes to the kernel that
    /// comes next.
    pub is_named: bool,
}

/// A GPU's kernels over a scene.
pub(crate) struct OnGpu {
    pub tracer: CudaPair,
    /// Why these are not the kernels that were chosen.
    pub instead: Option<String>,
}

impl Gpu {
    /// The kernel that is the fastest with most rays on the GPUs that were measured, untimed: its hits have the bits of the CPU's.
    ///
    /// # Panics
    /// Never: a test looks for the row.
    pub fn watertight(device: Device) -> Self {
        let row = papers().iter().find(|row| row.name == "raywarp-h8");
        let variant = row.expect("a row of the table").variant;
        Self { device, closest: variant, any: variant, is_named: false }
    }

    /// A kernel that was named.
    pub fn named(device: Device, variant: Variant) -> Self {
        Self { device, closest: variant, any: variant, is_named: true }
    }

    /// What was chosen, closest-hit rays being of `kind`.
    pub fn chosen(device: Device, choice: &Choice, kind: RayKind) -> Self {
        let [closest, any] = [kind, RayKind::Any].map(|kind| choice.of(kind).variant);
        Self { device, closest, any, is_named: false }
    }

    /// `options` with leaves that the nodes for closest-hit rays can hold.
    pub(crate) fn closest_tree(&self, options: &BuildOptions) -> BuildOptions {
        fitting(options, &self.closest)
    }

    /// The kernels over `triangles`. `bvh` was built with [`Gpu::closest_tree`] of `options`; where any-hit rays need
    /// smaller or larger leaves, they get a tree of their own. Where the kernels were not named and cannot hold the scene, the
    /// watertight kernel over nodes of two boxes is taken, which holds more.
    pub(crate) fn tracer(
        &self,
        bvh: &Bvh2,
        options: &BuildOptions,
        triangles: &FlatTriangles,
    ) -> Result<OnGpu, PrepareError> {
        let own = fitting(options, &self.any);
        let second = if own == self.closest_tree(options) { None } else { Some(build(triangles, &own)?) };
        let closest = OnTree { variant: &self.closest, bvh };
        let any = OnTree { variant: &self.any, bvh: second.as_ref().unwrap_or(bvh) };
        let wide = TWO_BOXES.parse().ok().filter(|_| !self.is_named);
        let (tracer, instead) = match (CudaPair::new(&self.device, closest, any, triangles), wide) {
            (Err(error), Some(wide)) if may_go_on(&error, triangles.bounds().farthest()) => {
                let on_tree = OnTree { variant: &wide, bvh };
                let tracer = CudaPair::new(&self.device, on_tree, on_tree, triangles)?;
                (tracer, Some(format!("{TWO_BOXES} instead of {}: {error}", self.closest)))
            }
            (made, _) => (made?, None),
        };
        Ok(OnGpu { tracer, instead })
    }
}

/// Whether the kernel over nodes of two boxes holds what another has refused for `error`, in a scene whose largest coordinate is
/// `farthest`.
fn may_go_on(error: &CudaError, farthest: f32) -> bool {
    error.is_limit() && farthest < MOST_OF_TWO_BOXES
}

/// `options` with leaves that the nodes of `variant` can hold.
pub(crate) fn fitting(options: &BuildOptions, variant: &Variant) -> BuildOptions {
    BuildOptions { max_leaf: options.max_leaf.min(variant.tree().max_leaf()), ..*options }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_layout::LayoutError;

    #[test]
    fn a_scene_that_does_not_fit_goes_to_the_kernel_that_holds_more_and_a_device_that_fails_does_not() {
        let deep = CudaError::StackTooShallow { needed: 64, found: 63 };
        let many = CudaError::Layout(LayoutError::TooMany { what: "blocks", found: 1 << 25, limit: 1 << 24 });
        for error in [deep, many] {
            assert!(may_go_on(&error, 1e6) && !may_go_on(&error, 1e26), "{error}");
        }
        assert!(!may_go_on(&CudaError::NoDriver, 1.0));
        assert!(TWO_BOXES.parse::<Variant>().is_ok());
    }
}
