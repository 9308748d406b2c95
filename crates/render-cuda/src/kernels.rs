//! The kernels that render a scene: which ones an organisation takes.

use crate::engine::{EngineOptions, TILE_LANES};
use crate::features::SceneFeatures;
use crate::sources::{
    Compaction, FeatureSet, Organisation, Walk, kernel_name, kernel_names, plain_name, shade_name, source_of,
};
use crate::{KERNELS, RenderCudaError};
use raywarp_cuda::{CudaError, Device, Function, LaunchBounds};
use raywarp_render::Integrator;

/// What a kernel takes of a multiprocessor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelUse {
    /// Its name.
    pub name: String,
    /// Registers of a thread.
    pub registers: u32,
    /// Bytes of a thread in local memory: what is spilled, and arrays.
    pub local_bytes: u32,
    /// Threads of its blocks.
    pub block_threads: u32,
    /// Blocks of so many threads that are on a multiprocessor at once.
    pub blocks: u32,
}

impl KernelUse {
    fn of(device: &Device, name: String, function: &Function) -> Result<Self, CudaError> {
        let (registers, local_bytes) = function.resources()?;
        let block_threads = function.block_threads();
        let blocks = function.blocks_a_multiprocessor(device, block_threads, 0)?;
        Ok(Self { name, registers, local_bytes, block_threads, blocks })
    }
}

/// What each kernel takes of a device's multiprocessors, as the driver says.
///
/// # Errors
/// [`RenderCudaError`].
pub fn kernel_resources(device: &Device) -> Result<Vec<KernelUse>, RenderCudaError> {
    let of = |name: String| -> Result<KernelUse, RenderCudaError> {
        let stage = name.strip_prefix("render_").unwrap_or(&name);
        let stage = stage.split("__").next().unwrap_or(stage);
        let function = function(device, stage, &name)?;
        Ok(KernelUse::of(device, name, &function)?)
    };
    kernel_names().into_iter().map(of).collect()
}

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
    Compact(Compact),
    Split { begin_paths: Function, begin_bounce: Function, bounce: Function },
    Tiled(Function),
    Regenerate(Resident),
    Wavefront(Wavefront),
    FirstHits(FirstHits),
}

/// Those of an organisation whose paths keep their places.
#[derive(Debug)]
pub(crate) struct Compact {
    pub begin_bounce: Function,
    pub bounce: BounceKernels,
    pub step: Step,
}

/// What takes paths on by a segment.
#[derive(Debug)]
pub(crate) enum BounceKernels {
    One(Function),
    /// A launch each: extends, shades, connects.
    Parts([Function; 3]),
}

/// What lists those that go on.
#[derive(Debug)]
pub(crate) enum Step {
    Off,
    Scan { count_alive: Function, list_alive: Function },
    Atomics(Function),
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
        let resident = function.resident_blocks(device, function.block_threads())?.max(1);
        Ok(Self { function, resident })
    }

    /// As many blocks as are resident, at most one lane for each of so many entries; at least one.
    pub fn blocks(&self, entries: u32) -> u32 {
        entries.div_ceil(self.function.block_threads()).max(1).min(self.resident)
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

/// The same of a stage that holds paths in its lanes, under other bounds than it was compiled with.
fn bounded(device: &Device, stage: &str, set: FeatureSet, bounds: &LaunchBounds) -> Result<Function, RenderCudaError> {
    let source = source_of(stage).ok_or(RenderCudaError::NoKernels)?;
    let function = KERNELS.bounded_function(device, source, &kernel_name(stage, set), bounds)?;
    function.ok_or(RenderCudaError::NoKernels)
}

/// Whether the kernels of an organisation can have the bounds that are asked for. In those that can have any, nothing is
/// for blocks of one size: they share no memory and meet at no barrier, and platform::warp() asks for the launch's size.
fn check_bounds(options: &EngineOptions) -> Result<(), CudaError> {
    let EngineOptions { organisation, bounds, .. } = *options;
    let why = match organisation {
        _ if bounds.are_default() => return Ok(()),
        Organisation::TiledGlobal | Organisation::TiledShared => match bounds.block_threads {
            None | Some(TILE_LANES) => return Ok(()),
            Some(_) => "a tile is for a block of 64 threads",
        },
        Organisation::Wavefront | Organisation::WavefrontSorted | Organisation::Graph | Organisation::FirstHits => {
            "only kernels that take paths from vertex to vertex in a lane can have others than their own"
        }
        Organisation::Compact if options.is_in_parts() => "the kernels of a bounce in parts have their own",
        Organisation::Megakernel | Organisation::Compact | Organisation::Regenerate | Organisation::Split => {
            return Ok(());
        }
    };
    Err(CudaError::Bounds { kernel: organisation.name().to_string(), bounds, why })
}

/// The kernel of a stage that no feature changes.
fn plain(device: &Device, stage: &str) -> Result<Function, RenderCudaError> {
    function(device, stage, &plain_name(stage))
}

impl Kernels {
    pub fn new(device: &Device, options: &EngineOptions, features: &SceneFeatures) -> Result<Self, RenderCudaError> {
        check_bounds(options)?;
        let of_scene = |stage: &str| shading(device, stage, features.set);
        let of_paths = |stage: &str| bounded(device, stage, features.set, &options.bounds);
        let is_plain = features.set == FeatureSet::Plain;
        let walks =
            matches!(options.organisation, Organisation::Megakernel | Organisation::Compact) && !options.is_in_parts();
        if options.walk != Walk::Phased && !walks {
            let (organisation, walk) = (options.organisation.name(), options.walk.name());
            return Err(RenderCudaError::NoWalk { organisation, walk });
        }
        if options.walk != Walk::Phased && !is_plain {
            return Err(RenderCudaError::NotPlain { what: options.walk.name() });
        }
        let work = match options.organisation {
            Organisation::Megakernel => Work::Megakernel(of_paths(&options.walk.stage("megakernel"))?),
            Organisation::Regenerate if options.compaction == Compaction::Off => {
                Work::Regenerate(Resident::new(device, of_paths("regenerate")?)?)
            }
            Organisation::Compact | Organisation::Regenerate => {
                let bounce = if options.is_in_parts() && !is_plain {
                    return Err(RenderCudaError::NotPlain { what: "a bounce in parts" });
                } else if options.is_in_parts() {
                    let [extend, shade, connect] = ["trace_paths", "shade_paths", "connect_paths"].map(of_scene);
                    BounceKernels::Parts([extend?, shade?, connect?])
                } else {
                    BounceKernels::One(of_paths(&options.walk.stage("bounce"))?)
                };
                let step = Step::new(device, options.compaction)?;
                Work::Compact(Compact { begin_bounce: plain(device, "begin_bounce")?, bounce, step })
            }
            Organisation::TiledGlobal | Organisation::TiledShared => Work::Tiled(of_paths("tiled")?),
            Organisation::Split => Work::Split {
                begin_paths: of_scene("begin_paths")?,
                begin_bounce: plain(device, "begin_bounce")?,
                bounce: of_paths("bounce")?,
            },
            Organisation::Wavefront | Organisation::WavefrontSorted | Organisation::Graph => {
                let is_sorted = options.organisation.sorts() && features.is_sorted();
                Work::Wavefront(Wavefront::new(device, features, is_sorted)?)
            }
            Organisation::FirstHits => Work::FirstHits(FirstHits::new(device, features)?),
        };
        Ok(Self { work, finalize: plain(device, "finalize_film")? })
    }
}

impl Work {
    /// Whether it renders pictures of an integrator, with layers or without.
    pub fn renders(&self, integrator: Integrator, layers: bool) -> bool {
        match self {
            Self::FirstHits(kernels) => kernels.of(integrator, layers).is_some(),
            _ => integrator == Integrator::Path,
        }
    }

    /// The kernel that holds paths in its lanes, and its stage; none where queues do, or a tile, whose blocks share memory.
    fn of_paths(&self) -> Option<(&'static str, &Function)> {
        match self {
            Self::Megakernel(kernel) => Some(("megakernel", kernel)),
            Self::Regenerate(kernel) => Some(("regenerate", &kernel.function)),
            Self::Compact(Compact { bounce: BounceKernels::One(bounce), .. }) | Self::Split { bounce, .. } => {
                Some(("bounce", bounce))
            }
            Self::Compact(_) | Self::Tiled(_) | Self::Wavefront(_) | Self::FirstHits(_) => None,
        }
    }

    /// What that kernel takes of a multiprocessor.
    pub fn kernel_use(&self, device: &Device, features: &SceneFeatures) -> Result<Option<KernelUse>, CudaError> {
        let of = |(stage, function)| KernelUse::of(device, kernel_name(stage, features.set), function);
        self.of_paths().map(of).transpose()
    }
}

impl Step {
    fn new(device: &Device, compaction: Compaction) -> Result<Self, RenderCudaError> {
        Ok(match compaction {
            Compaction::Off => Self::Off,
            Compaction::Scan => {
                Self::Scan { count_alive: plain(device, "count_alive")?, list_alive: plain(device, "list_alive")? }
            }
            Compaction::Atomics => Self::Atomics(plain(device, "list_by_atomics")?),
        })
    }
}

impl Wavefront {
    fn new(device: &Device, features: &SceneFeatures, is_sorted: bool) -> Result<Self, RenderCudaError> {
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
        let sort_waiting = if is_sorted { if_holes("sort_waiting")? } else { None };
        let sort = is_sorted.then(|| shading("sort", by_holes)).transpose()?;
        let shade = match features.set {
            FeatureSet::Plain => vec![shade(None)?],
            FeatureSet::Surfaces if is_sorted => {
                features.classes.iter().map(|class| shade(Some(*class))).collect::<Result<_, _>>()?
            }
            FeatureSet::Surfaces | FeatureSet::Everything => vec![shade(Some(features.only_class()))?],
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_that_can_have_other_bounds_know_their_blocks_from_the_launch_alone() {
        let bounds = LaunchBounds { block_threads: Some(64), max_registers: Some(96) };
        for stage in ["megakernel", "bounce", "regenerate"] {
            for set in [FeatureSet::Plain, FeatureSet::Everything] {
                let (source, name) = (source_of(stage).unwrap(), kernel_name(stage, set));
                let text = KERNELS.bounded_ptx(source, &name, &bounds).unwrap().unwrap();
                let count = |what: &str| text.matches(what).count();
                assert_eq!((count(".visible .entry "), count(&format!(".visible .entry {name}("))), (1, 1));
                assert_eq!((count(".maxntid 64, 1, 1"), count(".maxnreg 96"), count(".minnctapersm")), (1, 1, 0));
                // Its number of threads is asked for, no warp waits for another of its block, and they share nothing.
                assert!(text.contains("%ntid.x"), "{name}");
                let shared = [".shared", "bar.", "barrier"].map(count);
                assert_eq!(shared, [0; 3], "{name}");
            }
        }
        let bounds = LaunchBounds { block_threads: Some(33), max_registers: None };
        let refused = KERNELS.bounded_ptx("compact", "bounce__plain", &bounds);
        assert!(matches!(refused, Err(CudaError::Bounds { .. })), "{refused:?}");
        assert_eq!(KERNELS.bounded_ptx("compact", "no_such_kernel", &LaunchBounds::AS_COMPILED), Ok(None));
    }
}
