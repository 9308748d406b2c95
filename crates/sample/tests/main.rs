//! Samplers and warps against what they promise.
//!
//! One program, so that one is linked: `cargo test -p raywarp-sample --test tests MODULE` runs a file of it.

mod samplers;
mod warps;
