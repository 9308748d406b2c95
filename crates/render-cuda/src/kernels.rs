//! The kernels that render a scene: which ones an organisation takes.

use crate::features::SceneFeatures;
use crate::sources::{FeatureSet, Organisation, ShadingClass, kernel_name, plain_name, shade_name, source_of};
use crate::{KERNELS, RenderCudaError};
use raywarp_cuda::{BLOCK_THREADS, CudaError, Device, Function};
use raywarp_render::Integrator;

/// The kernels of an organisation.
#[derive(Debug)]
pub(crate) struct Kernels {
    pub work: Work,
    pub finalize: Function,
}

/// What takes the paths of a batch to their end.
#[derive(Debug)]
pub(crate) enum Work {
    Megakernel(Function),
    Wavefront(Wavefront),
    FirstHits(FirstHits),
}

/// The kernel of integrators beside path tracing, for scenes as plain as each of them finds them.
#[derive(Debug)]
pub(crate) struct FirstHits {
    /// Where only holes are told apart from surfaces.
    shapes: Function,
    /// Where surfaces are looked at.
    surfaces: Function,
}

#[derive(Debug)]
pub(crate) struct Wavefront {
    pub begin_round: Function,
    pub refill: Resident,
    pub extend: Resident,
    pub sort: Option<Resident>,
    pub sort_waiting: Option<Resident>,
    /// One a class.
    pub shade: Vec<Resident>,
    pub connect: Resident,
    pub arrive_light: Resident,
    pub decide_light: Option<Resident>,
}

/// A kernel whose warps take work until none is left: as many blocks as are resident do.
#[derive(Debug)]
pub(crate) struct Resident {
    pub function: Function,
    pub resident: u32,
}

impl Resident {
    fn new(device: &Device, function: Function) -> Result<Self, CudaError> {
        let resident = function.resident_blocks(device, BLOCK_THREADS)?.max(1);
        Ok(Self { function, resident })
    }
}

fn function(device: &Device, stage: &str, name: &str) -> Result<Function, RenderCudaError> {
    let source = source_of(stage).ok_or(RenderCudaError::NoKernels)?;
    KERNELS.function(device, source, name)?.ok_or(RenderCudaError::NoKernels)
}

/// The kernel of a stage for a set of features.
fn shading(device: &Device, stage: &str, set: FeatureSet) -> Result<Function, RenderCudaError> {
    function(device, stage, &kernel_name(stage, set))
}

/// The kernel of a stage that no feature changes.
fn plain(device: &Device, stage: &str) -> Result<Function, RenderCudaError> {
    function(device, stage, &plain_name(stage))
}

impl Kernels {
    pub fn new(device: &Device, organisation: Organisation, features: &SceneFeatures) -> Result<Self, RenderCudaError> {
        let work = match organisation {
            Organisation::Megakernel => Work::Megakernel(shading(device, "megakernel", features.set)?),
            Organisation::Wavefront => Work::Wavefront(Wavefront::new(device, features)?),
            Organisation::FirstHits => Work::FirstHits(FirstHits::new(device, features)?),
        };
        Ok(Self { work, finalize: plain(device, "finalize_film")? })
    }
}

impl Work {
    /// Whether it renders pictures of an integrator, with layers or without.
    pub fn renders(&self, integrator: Integrator, layers: bool) -> bool {
        match self {
            Self::Megakernel(_) | Self::Wavefront(_) => integrator == Integrator::Path,
            Self::FirstHits(kernels) => kernels.of(integrator, layers).is_some(),
        }
    }
}

impl Wavefront {
    fn new(device: &Device, features: &SceneFeatures) -> Result<Self, RenderCudaError> {
        let resident =
            |function: Function| -> Result<Resident, RenderCudaError> { Ok(Resident::new(device, function)?) };
        let shading = |stage: &str, set| resident(shading(device, stage, set)?);
        let plain = |stage: &str| plain(device, stage);
        let shade = |class| resident(function(device, "shade", &shade_name(class))?);
        // What holes ask for is all that scenes without media may need beside the plain.
        let by_holes = match features.set {
            FeatureSet::Surfaces if !features.holes => FeatureSet::Plain,
            set => set,
        };
        let if_holes = |stage| -> Result<Option<Resident>, RenderCudaError> {
            let has = by_holes != FeatureSet::Plain;
            has.then(|| shading(stage, by_holes)).transpose()
        };
        let decide_light = if_holes("decide_light")?;
        let sort_waiting = if features.is_sorted() { if_holes("sort_waiting")? } else { None };
        let sort = features.is_sorted().then(|| shading("sort", by_holes)).transpose()?;
        let shade = match features.set {
            FeatureSet::Plain => vec![shade(None)?],
            FeatureSet::Surfaces => {
                features.classes.iter().map(|class| shade(Some(*class))).collect::<Result<_, _>>()?
            }
            FeatureSet::Everything => vec![shade(Some(ShadingClass::Mixed))?],
        };
        Ok(Self {
            begin_round: plain("begin_round")?,
            refill: shading("refill", features.set)?,
            extend: resident(plain("extend")?)?,
            sort_waiting,
            decide_light,
            sort,
            shade,
            connect: resident(plain("connect")?)?,
            arrive_light: shading("arrive_light", by_holes)?,
        })
    }
}

impl FirstHits {
    fn new(device: &Device, features: &SceneFeatures) -> Result<Self, RenderCudaError> {
        let by_holes = if features.holes { FeatureSet::Surfaces } else { FeatureSet::Plain };
        let kernel = |set| shading(device, "first_hits", set);
        Ok(Self { shapes: kernel(by_holes)?, surfaces: kernel(features.set.without_media())? })
    }

    /// The kernel for pictures of an integrator, with layers or without; none for those of other kernels.
    pub fn of(&self, integrator: Integrator, layers: bool) -> Option<&Function> {
        match integrator {
            Integrator::AmbientOcclusion { .. } => Some(&self.shapes),
            Integrator::Normal if !layers => Some(&self.surfaces),
            Integrator::Depth if !layers => Some(&self.shapes),
            // Layers hold the albedo, which is nowhere but in kernels for paths.
            Integrator::Normal | Integrator::Depth | Integrator::Path | Integrator::Cost => None,
        }
    }
}
