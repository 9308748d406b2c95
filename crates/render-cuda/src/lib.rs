//! The path tracer on NVIDIA GPUs: every stage on the device, from camera rays to the sums of the film.
//!
//! ```text
//! kernels/      raywarp-render's functions of one path again in CUDA C++, under the stems of crates/render/src, with
//!               the same bits; stage/ and organisation/ make kernels of them
//! prebuilt/     what `cargo xtask kernels` made of those
//! src/          puts a scene (scene.rs, textures.rs; areas.rs says which it leaves to others) and a film (film.rs)
//!               into a device's memory, keeps the state of paths (state.rs), and renders batch by batch (engine.rs) as
//!               an organisation says (organisation.rs: a trait, and the product's), which launches kernels through
//!               batch.rs; counts (counts.rs), and says what bounds that (roofline.rs); several.rs shares a picture out
//!               (share.rs) among devices
//! ```
//!
//! [`CudaRenderers`], on one device or several, is a [`raywarp_render::PathEngine`]. Organisations of experiments,
//! with kernels of their own, are in raywarp-experiments.
#![cfg(feature = "cuda")]

mod areas;
mod batch;
mod counts;
mod device_memory;
mod engine;
mod error;
mod features;
mod film;
mod kept_paths;
mod launch;
mod launches;
mod memory;
mod organisation;
mod path_kernels;
mod prebuilt;
mod roofline;
pub mod scene;
mod several;
mod share;
mod sources;
mod stage;
mod state;
mod textures;

pub use batch::{PathBatch, PathsLeft, ROUNDS_AT_ONCE};
pub use counts::{BatchCounts, PathCounts, RoundCounts, StageCounts, StageMoves};
pub use device_memory::DeviceMemory;
pub use engine::{CudaRenderer, EngineOptions};
pub use error::RenderCudaError;
pub use features::SceneFeatures;
pub use film::{PixelOrder, pixels_by_lane};
pub use kept_paths::{CountedRounds, KeptPaths, OwnMemory};
pub use launch::{BatchRecord, Counters, QueueRecord, RenderRecord, ResultRecord, ShadowRecord};
pub use launches::{RecordedLaunches, StageSeconds};
pub use memory::LeastMemory;
pub use organisation::{LoadPlace, LoadedOrganisation, PATH_VARIANT, PathOrganisation, WavefrontKernels};
pub use path_kernels::{PathKernels, ResidentKernel};
pub use prebuilt::{KERNELS, PATH_KERNELS};
pub use roofline::{BindingResource, CountedRange, Roofline, RooflineEstimate};
pub use scene::{HostScene, SceneRecord};
pub use several::CudaRenderers;
pub use share::TileShare;
pub use sources::{FeatureSet, FeatureStage, KERNEL_TABLE, KernelTable, Organisation, ShadingClass};
pub use stage::{GraphCounts, Stage};
pub use state::{Layout, PathBytes, State};
pub use textures::{ImageUse, TextureFilter, format_of, sampler_of};

/// Returns the sources of all kernels, as (name, text).
pub fn sources() -> Vec<(String, String)> {
    KERNEL_TABLE.texts(raywarp_cuda::BLOCK_THREADS)
}
