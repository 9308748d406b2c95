//! The kernels of an experiment on a device, and the order in which a batch launches them.

use crate::bounces::{BounceKernels, Listing, PlacedBounces};
use crate::burden::Burden;
use crate::measured_batch::MeasuredBatch;
use crate::moves::refilled;
use crate::places::PlaceArrays;
use crate::tiles::{TILE_LANES, Tiles};
use crate::walk::Walk;
use crate::{MeasuredOrganisation, PATH_KERNELS, PathExperiment, stage};
use raywarp_cuda::{BoundsFault, CudaError, Device, Function, LaunchBounds};
use raywarp_geom::TraceError;
use raywarp_render::Integrator;
use raywarp_render_cuda::{
    FeatureSet, KERNEL_TABLE, Layout, LoadPlace, LoadedOrganisation, Organisation, PathBatch, PathOrganisation,
    RenderCudaError, ResidentKernel, SceneFeatures, Stage, WavefrontKernels,
};

/// Reason why an experiment cannot run: two of its options, or an option and the scene, do not go together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[expect(missing_docs, reason = "the comment of each variant says what it is")]
pub enum Refusal {
    /// The kernels are for plain scenes (diffuse surfaces alone), and the scene has other features.
    #[error("{what} is for scenes of diffuse surfaces alone, without textures, holes and media")]
    NotPlain { what: &'static str },
    /// The organisation has no kernels with the BVH traversal loop asked for.
    #[error("{organisation} has no kernels that walk {walk}")]
    NoWalk { organisation: &'static str, walk: &'static str },
}

impl From<Refusal> for RenderCudaError {
    fn from(refusal: Refusal) -> Self {
        Self::Refused { why: refusal.to_string() }
    }
}

/// The kernels of an experiment, loaded on a device.
#[derive(Debug)]
pub(crate) struct Loaded {
    work: LoadedWork,
    /// Features that can occur in the scene, such as textures and media.
    features: FeatureSet,
    burden: Burden,
}

/// Kernels that take the light paths of a batch to their ends.
#[derive(Debug)]
enum LoadedWork {
    /// Kernels of this crate, or the product's megakernel.
    Own(Work),
    /// Kernels of the product, launched as the product does.
    Product(Box<dyn LoadedOrganisation>),
    /// Kernels of a wavefront whose host reads after each round how many paths go on.
    HostCounted(WavefrontKernels),
}

/// Kernels that hold a light path in a lane, or the paths of a tile in a thread block.
#[derive(Debug)]
pub(crate) enum Work {
    /// The product's megakernel.
    Megakernel(Function),
    /// A megakernel with a burden, or over another tree.
    OwnMegakernel(Function),
    Bounces(PlacedBounces),
    Split {
        begin_paths: Function,
        begin_bounce: Function,
        bounce: Function,
    },
    Tiled(Tiles),
    Regenerate(ResidentKernel),
}

impl Loaded {
    pub fn new(experiment: &PathExperiment, place: &LoadPlace<'_>) -> Result<Self, RenderCudaError> {
        let work = match experiment.organisation.product() {
            Some(product) if experiment.organisation.is_wavefront() => {
                check(experiment, place.features)?;
                match experiment.host_counts && product != Organisation::Graph {
                    true => LoadedWork::HostCounted(WavefrontKernels::load(place, product.sorts())?),
                    false => LoadedWork::Product(product.load(place)?),
                }
            }
            _ => LoadedWork::Own(Work::load(experiment, place.device, place.features)?),
        };
        Ok(Self { work, features: place.features.set, burden: Burden::upload(experiment, place)? })
    }
}

impl LoadedOrganisation for Loaded {
    fn renders(&self, integrator: Integrator, layers: bool) -> bool {
        match &self.work {
            LoadedWork::Product(product) => product.renders(integrator, layers),
            LoadedWork::Own(_) | LoadedWork::HostCounted(_) => integrator == Integrator::Path,
        }
    }

    fn check(&self, device: &Device, layout: &Layout) -> Result<(), TraceError> {
        match &self.work {
            LoadedWork::Own(Work::Tiled(tiles)) => tiles.check(device, layout),
            LoadedWork::Own(_) | LoadedWork::Product(_) | LoadedWork::HostCounted(_) => Ok(()),
        }
    }

    fn lane_kernel(&self) -> Option<(String, &Function)> {
        match &self.work {
            LoadedWork::Own(work) => work.lane_kernel(self.features),
            LoadedWork::Product(product) => product.lane_kernel(),
            LoadedWork::HostCounted(_) => None,
        }
    }

    fn trace(&self, batch: &mut PathBatch<'_>) -> Result<(), CudaError> {
        match &self.work {
            LoadedWork::Own(work) => {
                let burden = self.burden.record(batch.stream());
                work.trace(&mut MeasuredBatch::new(batch, burden))
            }
            LoadedWork::Product(product) => product.trace(batch),
            LoadedWork::HostCounted(kernels) => trace_host_counted(kernels, batch),
        }
    }
}

/// Launches the rounds of a wavefront with as many lanes as paths are left, which the host reads after each round.
fn trace_host_counted(kernels: &WavefrontKernels, batch: &mut PathBatch<'_>) -> Result<(), CudaError> {
    let (capacity, paths) = (batch.render.capacity, batch.render.batch.path_count);
    let (mut entries, mut begins) = (capacity.min(paths), true);
    for round in 0.. {
        batch.begin_round(round);
        kernels.round(batch, entries, begins)?;
        if round >= batch.max_depth && paths <= capacity {
            break;
        }
        let Some(left) = batch.left()? else { break };
        (entries, begins) = (capacity.min(left.all), left.waiting > 0);
    }
    Ok(())
}

/// Checks that an experiment's kernels allow the launch bounds and the traversal loop asked for, in a scene with these
/// features. In those that can have any bounds, nothing is for blocks of one size: they share no memory and meet at no
/// barrier, and platform::warp() asks for the launch's size.
fn check(experiment: &PathExperiment, features: &SceneFeatures) -> Result<(), RenderCudaError> {
    let PathExperiment { organisation, bounds, walk, .. } = *experiment;
    let why = match organisation {
        _ if bounds.are_default() => None,
        MeasuredOrganisation::TiledGlobal | MeasuredOrganisation::TiledShared => match bounds.block_threads {
            None | Some(TILE_LANES) => None,
            Some(_) => Some(BoundsFault::Tile),
        },
        MeasuredOrganisation::Wavefront | MeasuredOrganisation::WavefrontSorted | MeasuredOrganisation::Graph => {
            Some(BoundsFault::OwnAlone)
        }
        _ if experiment.is_in_parts() => Some(BoundsFault::BounceInParts),
        _ => None,
    };
    if let Some(why) = why {
        return Err(CudaError::Bounds { kernel: organisation.name().to_string(), bounds, why }.into());
    }
    let walks = matches!(organisation, MeasuredOrganisation::Megakernel | MeasuredOrganisation::Compact);
    if walk != Walk::Phased && (!walks || experiment.is_in_parts()) {
        return Err(Refusal::NoWalk { organisation: organisation.name(), walk: walk.name() }.into());
    }
    if features.set != FeatureSet::Plain {
        if walk != Walk::Phased {
            return Err(Refusal::NotPlain { what: walk.name() }.into());
        }
        if experiment.is_in_parts() {
            return Err(Refusal::NotPlain { what: "a bounce in parts" }.into());
        }
    }
    Ok(())
}

impl Work {
    /// Loads the kernels of an experiment that is no wavefront, for a scene with these features.
    pub fn load(
        experiment: &PathExperiment,
        device: &Device,
        features: &SceneFeatures,
    ) -> Result<Self, RenderCudaError> {
        check(experiment, features)?;
        let set = features.set;
        let of_scene = |stage: &str| PATH_KERNELS.of_features(device, stage, set);
        let bounded = |stage: &str, bounds: &LaunchBounds| {
            PATH_KERNELS.bounded(device, stage, &PATH_KERNELS.table.kernel_name(stage, set), bounds)
        };
        let of_paths = |stage: &str| bounded(stage, &experiment.bounds);
        let begin_bounce = || PATH_KERNELS.plain(device, "begin_bounce");
        Ok(match experiment.organisation {
            MeasuredOrganisation::Megakernel if experiment.walk != Walk::Phased => {
                Self::OwnMegakernel(of_paths(&experiment.walk.stage("megakernel"))?)
            }
            MeasuredOrganisation::Megakernel if experiment.has_burden() => {
                Self::OwnMegakernel(of_paths("burdened_megakernel")?)
            }
            MeasuredOrganisation::Megakernel => {
                let name = KERNEL_TABLE.kernel_name("megakernel", set);
                let kernels = &raywarp_render_cuda::PATH_KERNELS;
                Self::Megakernel(kernels.bounded(device, "megakernel", &name, &experiment.bounds)?)
            }
            MeasuredOrganisation::Regenerate if !experiment.has_bounces() => {
                Self::Regenerate(ResidentKernel::new(device, of_paths("regenerate")?)?)
            }
            MeasuredOrganisation::Compact | MeasuredOrganisation::Regenerate => {
                let bounce = if experiment.is_in_parts() {
                    let [extend, shade, connect] = ["trace_paths", "shade_paths", "connect_paths"].map(of_scene);
                    BounceKernels::Parts([extend?, shade?, connect?])
                } else {
                    BounceKernels::One(of_paths(&experiment.walk.stage("bounce"))?)
                };
                let listing = Listing::load(device, experiment.compaction)?;
                Self::Bounces(PlacedBounces { experiment: *experiment, begin_bounce: begin_bounce()?, bounce, listing })
            }
            MeasuredOrganisation::TiledGlobal | MeasuredOrganisation::TiledShared => {
                Self::Tiled(Tiles { experiment: *experiment, kernel: of_paths("tiled")? })
            }
            MeasuredOrganisation::Split => Self::Split {
                begin_paths: of_scene("begin_paths")?,
                begin_bounce: begin_bounce()?,
                bounce: of_paths("bounce")?,
            },
            MeasuredOrganisation::Wavefront | MeasuredOrganisation::WavefrontSorted | MeasuredOrganisation::Graph => {
                return Err(RenderCudaError::NoKernels);
            }
        })
    }

    /// Returns the kernel that holds light paths in its lanes, with its name; `None` for tiles, and for bounces in
    /// parts.
    fn lane_kernel(&self, features: FeatureSet) -> Option<(String, &Function)> {
        let own = PATH_KERNELS.table;
        match self {
            Self::Megakernel(kernel) | Self::OwnMegakernel(kernel) => {
                Some((KERNEL_TABLE.kernel_name("megakernel", features), kernel))
            }
            Self::Regenerate(kernel) => Some((own.kernel_name("regenerate", features), &kernel.function)),
            Self::Bounces(PlacedBounces { bounce: BounceKernels::One(bounce), .. }) | Self::Split { bounce, .. } => {
                Some((own.kernel_name("bounce", features), bounce))
            }
            Self::Bounces(_) | Self::Tiled(_) => None,
        }
    }

    fn trace(&self, batch: &mut MeasuredBatch<'_, '_>) -> Result<(), CudaError> {
        let paths = batch.path_count();
        match self {
            Self::Megakernel(megakernel) => batch.batch.lanes(Stage::MEGAKERNEL, megakernel, paths),
            Self::OwnMegakernel(megakernel) => batch.lanes(Stage::MEGAKERNEL, megakernel, paths),
            Self::Regenerate(kernel) => {
                let lanes = kernel.blocks(paths) * kernel.function.block_threads();
                batch.batch.refilled = refilled(paths, lanes);
                batch.resident(stage::REGENERATE, kernel, paths)
            }
            Self::Tiled(tiles) => tiles.trace(batch),
            Self::Split { begin_paths, begin_bounce, bounce } => {
                batch.places = PlaceArrays::of(batch.batch, false).places;
                batch.lanes(stage::BEGIN_PATHS, begin_paths, paths)?;
                batch.blocks(stage::BEGIN_BOUNCE, begin_bounce, 1)?;
                (batch.places.segments, batch.places.begun_before) = (u32::MAX, 1);
                batch.lanes(stage::BOUNCE, bounce, paths)
            }
            Self::Bounces(bounces) => bounces.trace(batch),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_that_can_have_other_bounds_know_their_blocks_from_the_launch_alone() {
        let bounds = LaunchBounds { block_threads: Some(64), max_registers: Some(96) };
        for (kernels, stage) in [
            (&raywarp_render_cuda::PATH_KERNELS, "megakernel"),
            (&PATH_KERNELS, "burdened_megakernel"),
            (&PATH_KERNELS, "bounce"),
            (&PATH_KERNELS, "regenerate"),
        ] {
            for set in [FeatureSet::Plain, FeatureSet::Everything] {
                let (source, name) = (kernels.table.source_of(stage).unwrap(), kernels.table.kernel_name(stage, set));
                let text = kernels.set.bounded_ptx(source, &name, &bounds).unwrap().unwrap();
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
        let kernels = PATH_KERNELS.set;
        let refused = kernels.bounded_ptx("compact", "bounce__plain", &bounds);
        assert!(matches!(refused, Err(CudaError::Bounds { .. })), "{refused:?}");
        assert_eq!(kernels.bounded_ptx("compact", "no_such_kernel", &LaunchBounds::AS_COMPILED), Ok(None));
    }
}
