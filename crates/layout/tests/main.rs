//! Encoded trees: what they hold, how large they are, and files of them.
//!
//! One program, so that one is linked: `cargo test -p raywarp-layout --test tests MODULE` runs a file of it.

mod common;
mod cwbvh8;
mod encodings;
mod file;
mod h8;
mod node_bytes;
mod wide;
