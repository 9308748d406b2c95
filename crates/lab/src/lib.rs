//! The researcher's door of Raywarp: the kernels of the papers, the simulator that bounds them, benches and studies.
//!
//! - [`family`] says what a traversal variant is and lists the papers' rows; [`traverse`] runs variants on this CPU as
//!   one lane or as a warp in lockstep, and a probe counts what they do.
//! - [`sim`] has simulated machines, costs and bounds; [`study`] puts them together as experiments, tables and pages.
//! - [`mod@bench`] times kernels on this machine; [`workload`] has the papers' batches of rays, the oracle and the
//!   conformance cases.
//! - [`experiments`] has the organisations of the GPU path tracer that W11 and L9 measured, for the product's engine.
//! - [`compaction`], [`path_bench`], [`selftest`] and [`variants`] are the commands of the laboratory as functions.
//!
//! Scenes, trees, rays and pictures are those of the product's door, the crate `raywarp`.
#![forbid(unsafe_code)]

pub mod compaction;
mod imitation;
pub mod paper;
pub mod path_bench;
pub mod selftest;
pub mod variants;

pub use imitation::ImitatedKernel;
pub use raywarp_bench as bench;
pub use raywarp_cuda as cuda;
pub use raywarp_experiments as experiments;
pub use raywarp_family as family;
pub use raywarp_report as report;
pub use raywarp_sim as sim;
pub use raywarp_study as study;
pub use raywarp_traverse as traverse;
pub use raywarp_workload as workload;
