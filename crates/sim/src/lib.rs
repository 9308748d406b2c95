//! SIMD efficiency of the kernel family and bounds of its rates, by running its schedules over real rays (AL09 2.1: the
//! sequence of operations that each ray requires, under a schedule and a SIMD width).
//!
//! [`measure`] runs a kernel's warps in lockstep and counts, for each block of a micro-operation, how often
//! it was issued and how many lanes ran it. [`table1`] holds what AL09 found. [`machine`] has the simulated GPUs: their numbers,
//! each with its source, and how many warps a launch keeps resident. [`profile()`] gathers what a launch does, accesses to
//! [`memory`] included; a [`Price`] is what that costs in instructions, by a table from native code; [`bounds`] makes of both the
//! rates that a machine allows.
#![forbid(unsafe_code)]

pub mod al09;
pub mod bounds;
mod efficiency;
pub mod machine;
pub mod memory;
mod price;
mod profile;
pub mod table1;

pub use efficiency::{BlockCount, Efficiency, measure};
pub use price::{Change, CostChange, Price};
pub use profile::{Profile, ProfileOptions, profile, warp_tallies};
