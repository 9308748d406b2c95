//! SIMD efficiency of the kernel family, by running its schedules over real rays (AL09 2.1: the sequence of
//! operations that each ray requires, under a schedule and a SIMD width).
//!
//! [`measure`] runs a kernel's warps in lockstep and counts, for each block of a micro-operation, how often
//! it was issued and how many lanes ran it. [`table1`] holds what AL09 found.
#![forbid(unsafe_code)]

mod efficiency;
pub mod table1;

pub use efficiency::{BlockCount, Efficiency, measure};
