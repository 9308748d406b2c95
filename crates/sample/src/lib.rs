//! Samplers, random numbers and warps: what the renderer and the papers' ray batches share.
//!
//! - [`Sampler`] and [`RandomStream`]: the random numbers of one path, from Sobol points, padded Halton
//!   points (Keller 2003; W11) or the lecture's xor32 (L9);
//! - [`sobol`], [`halton`], [`xor32`], [`hash`]: their parts;
//! - [`elementary`]: exponentials, logarithms and angles with the same bits on every machine;
//! - [`warp`]: from the unit square to disks, directions, triangles and tables;
//! - [`statistics`]: p-values, for the tests of whatever samples.
//!
//! All of it but [`statistics`] is plain integer and `f32` arithmetic without calls to the platform's
//! math library (bar square roots), so equal input gives equal bits on every machine.
#![forbid(unsafe_code)]

pub mod elementary;
pub mod halton;
pub mod hash;
pub mod sobol;
pub mod statistics;
mod stream;
pub mod warp;
pub mod xor32;

pub use stream::{RandomStream, Sampler};
