//! Research held to what was recorded and what the papers print.
//!
//! One program, so that one is linked: `cargo test -p raywarp-lab --test tests MODULE` runs a file of it.

mod ablations;
mod common;
mod conformance;
mod counters;
mod executed;
mod expected;
mod measured;
mod predictions;
mod recorded_bounds;
mod recorded_inputs;
mod resident_warps;
mod trace_scene;
