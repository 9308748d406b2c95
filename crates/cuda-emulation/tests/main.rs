//! Emulated kernels, and what asks them: each use of the warp is checked, and each answer is that of the CPU.
//!
//! One program, so that one is linked: `cargo test -p raywarp-cuda-emulation --test tests MODULE` runs a file of it. The
//! pictures (`render.rs`) are a program of their own: one test at a time has the pretended driver of a process, and theirs
//! take the longest.

mod aimed;
mod anywhere;
mod common;
mod conformance;
mod deep;
mod device_api;
mod driver;
mod graph;
mod misuse;
mod own_kernels;
mod portions;
mod queries;
mod schedules;
mod textures;
mod twins;
