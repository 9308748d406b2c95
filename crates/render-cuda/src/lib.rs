//! The path tracer on NVIDIA GPUs: every stage on the device, from camera rays to the sums of the film.
//!
//! ```text
//! kernels/      raywarp-render's functions of one path again in CUDA C++, under the stems of crates/render/src, with the
//!               same bits; stage/ and organisation/ make kernels of them
//! prebuilt/     what `cargo xtask kernels` made of those
//! src/          puts a scene (scene.rs, textures.rs; areas.rs says which it leaves to others) and a film (film.rs) into a device's memory, keeps the state of paths
//!               (state.rs), loads kernels (kernels.rs), launches them (engine.rs), counts (counts.rs) and says what
//!               bounds that (roofline.rs); several.rs shares a picture out (share.rs) among devices
//! ```
//!
//! [`CudaRenderers`], on one device or several, is a [`raywarp_render::PathEngine`].

mod areas;
mod counts;
mod engine;
mod error;
mod features;
mod film;
mod kernels;
mod launch;
mod memory;
mod prebuilt;
mod roofline;
pub mod scene;
mod several;
mod share;
mod sources;
mod state;
mod textures;

pub use counts::{GraphCounts, PathCounts, RoundCounts, Stage, StageCounts};
pub use engine::{BounceSeconds, CudaRenderer, EngineOptions, StageSeconds, TileOccupancy, tree_variant};
pub use error::RenderCudaError;
pub use features::SceneFeatures;
pub use film::pixels_by_lane;
pub use kernels::{KernelUse, kernel_resources};
pub use launch::{BatchRecord, Counters, QueueRecord, RenderRecord, ResultRecord, ShadowRecord};
pub use memory::{DeviceMemory, LeastMemory};
pub use prebuilt::KERNELS;
pub use roofline::{BindingResource, CountedRange, Roofline, RooflineEstimate};
pub use scene::{HostScene, SceneRecord};
pub use several::CudaRenderers;
pub use share::Share;
pub use sources::{Compaction, EXPERIMENTS, FeatureSet, ListedAt, Organisation, ShadingClass, Walk, kernel_names};
pub use state::{Layout, PathBytes, State};
pub use textures::{ImageUse, TextureFilter, format_of, sampler_of};

/// The sources of the kernels: name and text.
pub fn sources() -> Vec<(String, String)> {
    sources::sources_of(raywarp_cuda::BLOCK_THREADS)
}
