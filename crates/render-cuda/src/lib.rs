//! The path tracer on NVIDIA GPUs: every stage on the device, from camera rays to the sums of the film.
//!
//! ```text
//! kernels/      raywarp-render's functions of one path again in CUDA C++, under the stems of crates/render/src, with the
//!               same bits; stage/ and organisation/ make kernels of them
//! prebuilt/     what `cargo xtask kernels` made of those
//! src/          puts a scene into a device's memory (scene.rs), keeps the state of paths (state.rs) and launches (engine.rs)
//! ```
//!
//! [`CudaRenderer`] is a [`raywarp_render::PathEngine`].

mod engine;
mod error;
mod features;
mod launch;
mod prebuilt;
pub mod scene;
mod sources;
mod state;

pub use engine::{CudaRenderer, EngineOptions, tree_variant};
pub use error::RenderCudaError;
pub use launch::{BatchRecord, Counters, QueueRecord, RenderRecord, ResultRecord, ShadowRecord};
pub use prebuilt::KERNELS;
pub use scene::{HostScene, SceneRecord};
pub use sources::{FeatureSet, Organisation, kernel_name, kernel_names, sources};
pub use state::{Layout, PathBytes, State};
