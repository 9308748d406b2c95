//! SIMD efficiency of the kernel family and bounds of its rates, by running its schedules over real rays (AL09 2.1: the
//! sequence of operations that each ray requires, under a schedule and a SIMD width).
//!
//! [`measure`] runs a kernel's warps in lockstep and counts, for each block of a micro-operation, how often
//! it was issued and how many lanes ran it; a [`Source`] is either a kernel over rays or a dump of
//! their operations, replayed. [`table1`] holds what AL09 found. [`machine`] has the simulated GPUs: their numbers, each with
//! its source, and how many warps a launch keeps resident. [`profile()`] gathers what a launch does, accesses to [`memory`]
//! included; a [`Price`] is what that costs in instructions, by a table from native code; [`bounds`] makes of both the rates
//! that a machine allows. [`distribution`] says how long warps run, and [`compaction`] counts the warps of a path tracer (W11).
#![forbid(unsafe_code)]

pub mod al09;
mod block_prices;
pub mod bounds;
pub mod compaction;
pub mod distribution;
mod efficiency;
pub mod gap;
mod lanes;
mod least;
pub mod machine;
pub mod memory;
pub mod pace;
mod price;
mod profile;
mod same_work;
mod source;
mod streams;
pub mod table1;
mod tallied_counts;
mod turns;

pub use al09::Al09Prices;
pub use block_prices::Prices;
pub use efficiency::{BlockCount, Efficiency, measure, measure_source};
pub use lanes::{LaneTally, thread_instructions};
pub use least::{LeastPrice, LeastWork};
pub use price::{Change, CostChange, Price};
pub use profile::{Profile, ProfileError, ProfileOptions, profile};
pub use same_work::{resupplied, side_by_side, without_idle_options};
pub use source::Source;
pub use streams::{Moment, Streams};
pub use tallied_counts::{TalliedCounts, tally_source};
