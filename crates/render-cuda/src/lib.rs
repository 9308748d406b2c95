//! The path tracer on NVIDIA GPUs: every stage on the device, from camera rays to the film.
//!
//! `kernels/` has raywarp-render's functions of one path again in CUDA C++, under the stems of `crates/render/src`, with the
//! same bits; this side puts a scene into the device's memory and launches.

pub mod scene;

pub use scene::{HostScene, SceneRecord};
