//! What is simulated of kernels, against what is known.
//!
//! One program, so that one is linked: `cargo test -p raywarp-sim --test tests MODULE` runs a file of it.

mod clocked_counter;
mod levels;
mod memory;
mod pipes;
mod replay;
mod resources;
mod warp_counts;
