//! Trees of every builder: what they hold, what rays find in them, and what they cost.
//!
//! One program, so that one is linked: `cargo test -p raywarp-bvh --test tests MODULE` runs a file of it.

mod closest_hit;
mod common;
mod control;
mod epo;
mod reinsertion;
mod same_bytes;
mod sbvh;
mod split_clipping;
mod validate;
