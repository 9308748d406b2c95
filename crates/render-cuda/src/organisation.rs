//! The engine's view of an organisation of a picture's paths, whoever brings it: this crate, or one of experiments with
//! kernels of its own.

mod product;
mod wavefront;

pub use wavefront::WavefrontKernels;

use crate::RenderCudaError;
use crate::batch::Batch;
use crate::counts::{PathCounts, StageMoves};
use crate::features::SceneFeatures;
use crate::film::PixelOrder;
use crate::kept_paths::{CountedRounds, KeptPaths};
use crate::state::Layout;
use raywarp_cuda::{CudaError, Device, Function, Stream};
use raywarp_geom::TraceError;
use raywarp_render::{Integrator, ShadingScene};
use std::fmt::Debug;

/// The family's variant whose loop the product's kernels have, and whose tree they walk.
pub const PATH_VARIANT: &str = "replace/phased/h8?batch=exact&occlusion=far&refill=80";

/// An organisation of a picture's paths: what a device keeps of them between kernels, which kernels there are, and in
/// which order a batch launches them. [`Organisation`](crate::Organisation) is one.
///
/// # Safety
/// All kernels that its [`LoadedOrganisation`] launches take a [`RenderRecord`](crate::RenderRecord) and nothing
/// else, and each address that it writes there is that of memory which stays until the batch has ended, as long as
/// kernels/render.h says.
pub unsafe trait PathOrganisation: Debug + Send + Sync {
    /// Returns the organisation's name, for people to read.
    fn name(&self) -> &'static str;

    /// Returns the family's variant with the loop of the organisation's kernels, whose tree they walk.
    fn variant(&self) -> &'static str {
        PATH_VARIANT
    }

    /// Returns the parts of paths that a device keeps between kernels.
    fn kept_paths(&self) -> KeptPaths;

    /// Returns the numbers that are counted of each round.
    fn counted_rounds(&self) -> CountedRounds;

    /// Returns `true` if paths begin where others have ended, so that a batch may have more than are in flight.
    fn refills(&self) -> bool {
        self.kept_paths() == KeptPaths::Queues
    }

    /// Returns `true` if paths are listed by class, where a scene has several, and each class has a kernel.
    fn sorts(&self) -> bool {
        false
    }

    /// Returns the order in which lanes are dealt a tile's pixels.
    fn pixel_order(&self) -> PixelOrder {
        match self.kept_paths() {
            // No slower on an H200, and nothing to sort for the host.
            KeptPaths::Queues => PixelOrder::Rows,
            KeptPaths::Nothing | KeptPaths::Places(_) => PixelOrder::Blocks,
        }
    }

    /// Returns `true` if each launch is timed: [`CudaRenderer::stage_seconds`](crate::CudaRenderer::stage_seconds). The
    /// two events that each takes then make a picture slower.
    fn is_timed(&self) -> bool {
        false
    }

    /// Returns the bytes of state that the organisation's kernels read and wrote for what was counted of a batch, as
    /// [`PathCounts::stages`] has them.
    fn moves(&self, layout: &Layout, counts: &PathCounts) -> Vec<StageMoves>;

    /// Loads the organisation's kernels, for a scene on a device.
    ///
    /// # Errors
    /// [`RenderCudaError`].
    fn load(&self, place: &LoadPlace<'_>) -> Result<Box<dyn LoadedOrganisation>, RenderCudaError>;
}

/// The kernels of an organisation on a device.
pub trait LoadedOrganisation: Debug + Send + Sync {
    /// Returns `true` if the kernels render pictures of an integrator, with layers or without.
    fn renders(&self, integrator: Integrator, _layers: bool) -> bool {
        integrator == Integrator::Path
    }

    /// Checks that a device can render pictures with such a state.
    ///
    /// # Errors
    /// [`TraceError::Device`] if not.
    fn check(&self, _device: &Device, _layout: &Layout) -> Result<(), TraceError> {
        Ok(())
    }

    /// Returns the kernel that holds paths in its lanes, with its name; none where queues do, or blocks that share
    /// memory.
    fn lane_kernel(&self) -> Option<(String, &Function)> {
        None
    }

    /// Takes all paths of a batch to their ends.
    ///
    /// # Errors
    /// [`CudaError`].
    fn trace(&self, batch: &mut Batch<'_>) -> Result<(), CudaError>;
}

/// Place where kernels are loaded, and the scene that they are for.
#[derive(Debug, Clone, Copy)]
pub struct LoadPlace<'a> {
    /// Device that the kernels are loaded on.
    pub device: &'a Device,
    /// The renderer's stream on it.
    pub stream: &'a Stream,
    /// The scene that is rendered.
    pub scene: &'a ShadingScene,
    /// Features of the scene that decide which kernels are loaded.
    pub features: &'a SceneFeatures,
}
