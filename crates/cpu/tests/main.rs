//! What the tracer of the CPU finds, in every instruction set.
//!
//! One program, so that one is linked: `cargo test -p raywarp-cpu --test tests MODULE` runs a file of it.

mod batches;
mod borders;
mod closed;
mod common;
mod conformance;
mod crossings;
mod custom;
mod deep;
mod every_touch;
mod levels;
mod levels_batches;
mod levels_cost;
mod motion;
mod nearest;
mod opened;
mod overlaps;
mod packets;
mod unusual_rays;
mod watertight;
