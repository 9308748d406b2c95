//! The engine's view of an organisation of a picture's paths, whoever brings it: this crate, or one of experiments with
//! kernels of its own.

mod product;
mod wavefront;

pub use wavefront::WavefrontKernels;

use crate::RenderCudaError;
use crate::batch::PathBatch;
use crate::counts::{PathCounts, StageMoves};
use crate::features::SceneFeatures;
use crate::film::PixelOrder;
use crate::kept_paths::{CountedRounds, KeptPaths, OwnMemory};
use crate::state::Layout;
use raywarp_cuda::{CudaError, Device, Function, Stream};
use raywarp_family::Variant;
use raywarp_geom::TraceError;
use raywarp_render::{Integrator, ShadingScene};
use std::fmt::Debug;

/// Variant of the traversal kernels whose loop the product's path-tracing kernels contain, and whose tree they
/// traverse.
pub const PATH_VARIANT: Variant = Variant::RAYWARP_H8;

/// Organisation of path tracing on a GPU: the path state stored between kernels, the kernels, and the order of their
/// launches. [`Organisation`](crate::Organisation) is one.
///
/// # Safety
/// Each kernel that its [`LoadedOrganisation`] launches takes what it is launched with and nothing else: a
/// [`RenderRecord`](crate::RenderRecord), or the parameters of [`PathBatch::launch_with`]. Each address there that is
/// not the engine's is that of memory which stays until the batch has ended, as long as the kernel's headers say.
pub unsafe trait PathOrganisation: Debug + Send + Sync {
    /// Returns the organisation's name, for people to read.
    fn name(&self) -> &'static str;

    /// Returns the variant of the traversal kernels whose loop the organisation's kernels contain, and whose tree they
    /// traverse.
    fn variant(&self) -> Variant {
        PATH_VARIANT
    }

    /// Returns the parts of the path state that the device stores between kernels.
    fn kept_paths(&self) -> KeptPaths;

    /// Returns the sizes of the device memory that the organisation lays out itself:
    /// [`PathBatch::own_memory`].
    fn own_memory(&self) -> OwnMemory {
        OwnMemory::default()
    }

    /// Returns which numbers are recorded for each round.
    fn counted_rounds(&self) -> CountedRounds;

    /// Returns `true` if new paths begin where others have ended, so that a batch may have more paths than are in
    /// flight.
    fn refills(&self) -> bool {
        self.kept_paths() == KeptPaths::Queues
    }

    /// Returns `true` if paths are listed by shading class, in scenes with several, and shaded by one kernel per class.
    fn sorts(&self) -> bool {
        false
    }

    /// Returns the order in which a tile's pixels are dealt to lanes.
    fn pixel_order(&self) -> PixelOrder {
        match self.kept_paths() {
            // No slower on an H200, and nothing to sort for the host.
            KeptPaths::Queues => PixelOrder::Rows,
            KeptPaths::Nothing | KeptPaths::Places { .. } => PixelOrder::Blocks,
        }
    }

    /// Returns `true` if each launch is to be timed, for
    /// [`CudaRenderer::stage_seconds`](crate::CudaRenderer::stage_seconds). The two events that each takes then make a
    /// picture slower.
    fn is_timed(&self) -> bool {
        false
    }

    /// Returns the bytes of path state that the kernels read and wrote, from the counts of a batch;
    /// [`PathCounts::stages`] explains them.
    fn moves(&self, layout: &Layout, counts: &PathCounts) -> Vec<StageMoves>;

    /// Loads the organisation's kernels for a scene on a device.
    ///
    /// # Errors
    /// [`RenderCudaError`].
    fn load(&self, place: &LoadPlace<'_>) -> Result<Box<dyn LoadedOrganisation>, RenderCudaError>;
}

/// Kernels of an organisation, loaded on a device.
pub trait LoadedOrganisation: Debug + Send + Sync {
    /// Returns `true` if the loaded kernels can render with this integrator, with or without layers of first hits.
    fn renders(&self, integrator: Integrator, _layers: bool) -> bool {
        integrator == Integrator::Path
    }

    /// Checks that the device can render pictures with this layout of the path state.
    ///
    /// # Errors
    /// [`TraceError::Device`] if not.
    fn check(&self, _device: &Device, _layout: &Layout) -> Result<(), TraceError> {
        Ok(())
    }

    /// Returns the name and function of the kernel that holds paths in its lanes; `None` if queues or shared memory
    /// hold them.
    fn lane_kernel(&self) -> Option<(String, &Function)> {
        None
    }

    /// Traces all paths of a batch to their ends.
    ///
    /// # Errors
    /// [`CudaError`].
    fn trace(&self, batch: &mut PathBatch<'_>) -> Result<(), CudaError>;
}

/// Device, stream and scene for which an organisation loads its kernels.
#[derive(Debug, Clone, Copy)]
pub struct LoadPlace<'a> {
    /// Device that the kernels are loaded on.
    pub device: &'a Device,
    /// The renderer's stream on that device.
    pub stream: &'a Stream,
    /// The scene that is rendered.
    pub scene: &'a ShadingScene,
    /// Features of the scene that decide which kernels are loaded.
    pub features: &'a SceneFeatures,
}
