//! SIMD efficiency of the kernel family and bounds of its rates, by running its schedules over real rays (AL09 2.1: the
//! sequence of operations that each ray requires, under a schedule and a SIMD width).
//!
//! [`measure`] runs a kernel's warps in lockstep and counts, for each block of a micro-operation, how often it was
//! issued and how many lanes ran it; a [`EventSource`] is either a kernel over rays or a dump of their operations,
//! replayed. [`machine`] has the simulated GPUs: their numbers, each with its source, and how many warps a launch
//! keeps resident. [`profile()`] gathers what a launch does, accesses to [`memory`] included; a
//! [`LaunchInstructions`] is what that costs in instructions, by a table from native code; [`bounds`] makes of both
//! the rates that a machine allows. [`distribution`] says how long warps run, and [`compaction`] counts the warps of
//! a path tracer (W11).
#![forbid(unsafe_code)]

pub mod al09;
mod block_costs;
pub mod bounds;
mod clocked_counter;
pub mod compaction;
pub mod distribution;
mod event_lanes;
pub mod gap;
mod launch_counts;
mod launch_instructions;
mod least;
pub mod machine;
pub mod memory;
pub mod pace;
mod profile;
mod same_work;
mod source;
mod streams;
mod warp_counts;

pub use al09::Al09Costs;
pub use block_costs::BlockCosts;
pub use event_lanes::{EventLanes, block_lanes, thread_instructions};
pub use launch_counts::{LaunchCounts, count_source};
pub use launch_instructions::{Change, CostChange, LaunchInstructions};
pub use least::{LeastInstructions, LeastWork};
pub use profile::{Profile, ProfileError, ProfileOptions, profile};
/// Types of tables of instruction costs, from raywarp-costs.
pub use raywarp_costs as costs;
pub use same_work::{resupplied, side_by_side, without_idle_options};
pub use source::EventSource;
pub use streams::{Moment, Streams};
pub use warp_counts::{BlockCount, WarpCounts, measure, measure_source};
