//! Vectors of lanes against scalars, in every instruction set.
//!
//! One program, so that one is linked: `cargo test -p raywarp-lanes --test tests MODULE` runs a file of it.

mod common;
mod memory;
mod operations;
