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

/// Who traces a scene that was to be traced by kernels of GPUs.
pub(crate) enum Placed {
    /// They do, if not by the kernels that were chosen.
    Gpus(OnGpu),
    /// No kernel that loses no ray holds the scene: the CPU's tracer is left, which holds all. With the reason for people.
    Cpu(String),
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
    /// smaller or larger leaves, they get a tree of their own.
    ///
    /// Where the kernels were not named, and cannot hold the scene or are not sure of it, the next ones are taken that are: the
    /// default ones, the watertight kernel over nodes of two boxes, and in the end the CPU's tracer.
    pub(crate) fn tracer(
        &self,
        bvh: &Bvh2,
        options: &BuildOptions,
        triangles: &FlatTriangles,
    ) -> Result<Placed, PrepareError> {
        let error = match self.encoded([&self.closest, &self.any], bvh, options, triangles) {
            Err(PrepareError::Cuda(error)) if error.is_limit() && !self.is_named => error,
            encoded => return Ok(Placed::Gpus(self.upload(&encoded?, None)?)),
        };
        let next = [("raywarp-h8", Some(default_kernel())), (HOLDS_MORE, HOLDS_MORE.parse().ok())];
        let is_other = |variant: &Variant| variant.tree() != self.closest.tree() || variant.tree() != self.any.tree();
        for (name, variant) in next {
            let Some(variant) = variant.filter(is_other) else { continue };
            match self.encoded([&variant; 2], bvh, options, triangles) {
                Err(PrepareError::Cuda(error)) if error.is_limit() => {}
                encoded => {
                    let instead = format!("{name} instead of {}: {error}", self.closest);
                    return Ok(Placed::Gpus(self.upload(&encoded?, Some(instead))?));
                }
            }
        }
        Ok(Placed::Cpu(format!("no kernel of a GPU that loses no ray holds the scene: {error}")))
    }

    /// What two kernels walk, for closest-hit and for any-hit rays.
    fn encoded(
        &self,
        [closest, any]: [&Variant; 2],
        bvh: &Bvh2,
        options: &BuildOptions,
        triangles: &FlatTriangles,
    ) -> Result<EncodedPair, PrepareError> {
        if !self.is_named {
            let farthest = triangles.bounds().farthest();
            [closest, any].into_iter().try_for_each(|variant| CudaError::check_reach(variant, farthest))?;
        }
        let built = self.closest_tree(options);
        let fits = [closest, any].map(|variant| fitting(options, variant));
        let first = if fits[0] == built { None } else { Some(build(triangles, &fits[0])?) };
        let second = if fits[1] == built || fits[1] == fits[0] { None } else { Some(build(triangles, &fits[1])?) };
        let of_closest = first.as_ref().unwrap_or(bvh);
        let of_any = if fits[1] == fits[0] { of_closest } else { second.as_ref().unwrap_or(bvh) };
        let on = |variant, bvh| OnTree { variant, bvh };
        Ok(EncodedPair::new(on(closest, of_closest), on(any, of_any), triangles)?)
    }

    /// Puts on all GPUs what was encoded.
    fn upload(&self, encoded: &EncodedPair, instead: Option<String>) -> Result<OnGpu, PrepareError> {
        let pair = |device: &Device| -> Result<CudaPair, CudaError> {
            let pair = CudaPair::upload(device, encoded)?;
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
        assert!(deep.is_limit() && many.is_limit() && !CudaError::NoDriver.is_limit());
        let wide = HOLDS_MORE.parse::<Variant>().unwrap();
        let is_sure = |variant: &Variant, farthest| match CudaError::check_reach(variant, farthest) {
            Ok(()) => true,
            Err(error) => !error.is_limit(),
        };
        assert_eq!([1e6, 1e25, 1e26, f32::NAN].map(|far| is_sure(&wide, far)), [true, true, false, false]);
        assert_eq!(
            [1e26, 1.2e30, 1.3e30, f32::MAX].map(|far| is_sure(&default_kernel(), far)),
            [true, true, false, false]
        );
    }
}
