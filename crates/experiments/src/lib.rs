//! Organisations of the GPU path tracer that W11 and L9 measured and no picture needs: paths that keep their places
//! and are listed anew from bounce to bounce, tiles, lanes that begin another path, and the like.
//!
//! ```text
//! kernels/      their loops in CUDA C++, over the stages of crates/render-cuda/kernels; measured_render.h is what they
//!               are given beside a render
//! prebuilt/     what `cargo xtask kernels` made of those
//! src/          a PathExperiment says what is tried (experiment.rs), and is a PathOrganisation of raywarp-render-cuda,
//!               whose engine renders by it (organisation.rs): loads kernels (loaded.rs) and launches them (bounces.rs,
//!               tiles.rs) with parameters of their own (launch.rs, measured_batch.rs) in memory that it lays out
//!               (places.rs); what that moves (moves.rs) and takes of a multiprocessor (kernel_use.rs)
//! ```
//!
//! Pictures have the bits of the product's organisations, of which an experiment may be one that is measured otherwise.

mod bounces;
mod burden;
mod compaction;
mod experiment;
mod kernel_use;
mod launch;
mod loaded;
mod measured_batch;
mod moves;
mod occupancy;
mod organisation;
mod places;
mod prebuilt;
mod seconds;
pub mod sources;
pub mod stage;
mod tiles;
mod walk;

// As build scripts name them, which have the same file.
use raywarp_render_cuda as path_sources;

pub use compaction::{Compaction, ListedAt};
pub use experiment::{MeasuredOrganisation, PathExperiment};
pub use kernel_use::{KernelUse, kernel_resources, kernel_use};
pub use loaded::Refusal;
pub use occupancy::TileOccupancy;
pub use prebuilt::{KERNELS, PATH_KERNELS};
pub use seconds::BounceSeconds;
pub use walk::Walk;

/// Returns the CUDA sources of the experiments' kernels: name and text of each.
pub fn sources() -> Vec<(String, String)> {
    sources::KERNEL_TABLE.texts(raywarp_cuda::BLOCK_THREADS)
}
