//! What the kernels' schedules do, ray by ray.
//!
//! One program, so that one is linked: `cargo test -p raywarp-traverse --test tests MODULE` runs a file of it.

mod common;
mod events;
mod h8;
mod levels;
mod replay;
