//! Builders of one canonical binary tree, [`Bvh2`].
//!
//! [`build`] makes it, [`Bvh2::validate`] judges it, [`Bvh2::stats`] tells what it costs. Nothing here
//! sees a ray.
#![forbid(unsafe_code)]

mod build;
mod bvh2;
mod epo;
mod parallel;
mod polygon;
pub mod presets;
mod reference;
mod reinsertion;
mod split_clipping;
mod stats;
mod validate;
mod watch;

pub use build::{
    BuildError, BuildOptions, Builder, MAX_DEPTH, build, build_controlled, build_over, build_over_boxes,
    build_with_choice,
};
pub use bvh2::{Bvh2, Node};
pub use reinsertion::{ReinsertionStats, reinsert};
pub use stats::BvhStats;
pub use validate::InvalidBvh;
