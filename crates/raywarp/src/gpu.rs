//! Which kernels of a GPU answer, and the trees that they walk.

use crate::prepared::PrepareError;
use raywarp_bvh::{BuildOptions, Bvh2, build};
use raywarp_cuda::auto::{Choice, RayKind};
use raywarp_cuda::{CudaError, CudaPair, Device, EncodedPair, OnTree, Query, SharedTracer, side_by_side};
use raywarp_family::{Variant, papers};
use raywarp_geom::FlatTriangles;

/// The row of the kernel over nodes of two boxes, which holds scenes that the others with the CPU's bits cannot.
pub const HOLDS_MORE: &str = "watertight";

/// A GPU, or several that share each batch, and their kernels for closest-hit and for any-hit rays.
#[derive(Debug, Clone)]
pub struct Gpu {
    /// The GPU, or the first of them.
    pub device: Device,
    /// Those that each take a stretch of a batch beside it, by the same kernels.
    pub others: Vec<Device>,
    /// For closest-hit rays.
    pub closest: Variant,
    /// For any-hit rays.
    pub any: Variant,
    /// Whether they were asked for by name: a scene that they cannot hold is then an error, and otherwise goes to the kernel that
    /// comes next. Batches of few rays go to a kernel of the same tree that is faster with them ([`CudaPair::by_size`]) unless
    /// this is so.
    pub is_named: bool,
}

/// One of several GPUs lacks something, or fails.
#[derive(Debug, thiserror::Error)]
#[error("{name}: {error}")]
pub struct OneOfGpus {
    /// Which, such as `cuda:1`.
    pub name: String,
    /// Why.
    pub error: Box<CudaError>,
}

/// A GPU's kernels over a scene.
pub(crate) struct OnGpu {
    pub tracer: SharedTracer<CudaPair>,
    /// Why these are not the kernels that were chosen.
    pub instead: Option<String>,
}

impl Gpu {
    /// The kernel that is the fastest with most rays on the GPUs that were measured, untimed: its hits have the bits of the CPU's.
    pub fn watertight(device: Device) -> Self {
        let variant = default_kernel();
        Self { device, others: Vec::new(), closest: variant, any: variant, is_named: false }
    }

    /// `options` with leaves that the nodes of [`Gpu::watertight`] can hold.
    pub(crate) fn watertight_tree(options: &BuildOptions) -> BuildOptions {
        fitting(options, &default_kernel())
    }

    /// A kernel that was named.
    pub fn named(device: Device, variant: Variant) -> Self {
        Self { device, others: Vec::new(), closest: variant, any: variant, is_named: true }
    }

    /// What was chosen, closest-hit rays being of `kind`.
    pub fn chosen(device: Device, choice: &Choice, kind: RayKind) -> Self {
        let [closest, any] = [kind, RayKind::Any].map(|kind| choice.of(kind).variant);
        Self { device, others: Vec::new(), closest, any, is_named: false }
    }

    /// With others that share its batches. Answers have the same bits, whatever their number.
    #[must_use]
    pub fn with_others(self, others: Vec<Device>) -> Self {
        Self { others, ..self }
    }

    /// All of them, in the order of their stretches.
    pub fn devices(&self) -> impl Iterator<Item = &Device> {
        std::iter::once(&self.device).chain(&self.others)
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
        let wide = HOLDS_MORE.parse().ok().filter(|_| !self.is_named);
        let (encoded, instead) = match (EncodedPair::new(closest, any, triangles), wide) {
            (Err(error), Some(wide)) if error.two_boxes_hold(triangles.bounds().farthest()) => {
                let on_tree = OnTree { variant: &wide, bvh };
                let encoded = EncodedPair::new(on_tree, on_tree, triangles)?;
                (encoded, Some(format!("{HOLDS_MORE} instead of {}: {error}", self.closest)))
            }
            (encoded, _) => (encoded?, None),
        };
        let pair = |device: &Device| -> Result<CudaPair, CudaError> {
            let pair = CudaPair::upload(device, &encoded)?;
            if self.is_named { Ok(pair) } else { pair.by_size() }
        };
        let names = self.devices().map(|device| format!("cuda:{}", device.ordinal()));
        let pairs = side_by_side(self.devices(), pair).into_iter().zip(names).map(|(pair, name)| match pair {
            Ok(pair) => Ok((name, pair)),
            Err(error) if self.others.is_empty() => Err(error.into()),
            Err(error) => Err(OneOfGpus { name, error: Box::new(error) }.into()),
        });
        Ok(OnGpu { tracer: SharedTracer::new(pairs.collect::<Result<_, PrepareError>>()?), instead })
    }
}

impl OnGpu {
    /// What people are told of GPUs of these names: also of a kernel that was taken instead.
    pub fn told(&self, names: String) -> String {
        self.instead.iter().fold(names, |names, why| format!("{names}; {why}"))
    }

    /// Bytes of device memory that the scene takes on all GPUs.
    pub fn bytes(&self) -> usize {
        self.tracer.tracers().map(CudaPair::bytes).sum()
    }

    /// The kernel that answers `query` of a batch of `rays`; of several GPUs that of the first.
    pub fn kernel(&self, query: Query, rays: usize) -> Option<Variant> {
        let stretch = self.tracer.stretch(rays).min(rays);
        self.tracer.tracers().next().map(|pair| *pair.variant_for(query, stretch))
    }
}

/// The kernel of those who choose none.
fn default_kernel() -> Variant {
    let row = papers().iter().find(|row| row.name == "raywarp-h8");
    row.expect("a row of the table, which a test looks for").variant
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
            assert!(error.two_boxes_hold(1e6) && !error.two_boxes_hold(1e26), "{error}");
        }
        assert!(!CudaError::NoDriver.two_boxes_hold(1.0));
        assert!(HOLDS_MORE.parse::<Variant>().is_ok());
    }
}
