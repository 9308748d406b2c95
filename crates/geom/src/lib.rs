//! The vocabulary of Raywarp: rays, hits, boxes, triangle meshes, the two elementary tests and
//! the [`Tracer`] trait that every engine implements.
//!
//! Public signatures use plain arrays (`[f32; 3]`), so that no vector library leaks into users' code.
#![forbid(unsafe_code)]

mod aabb;
mod affine;
mod affine64;
pub mod exact;
mod flat;
mod half;
mod kernels;
mod mesh;
mod offset;
pub mod origin;
mod ray;
mod slab;
mod tracer;
pub mod triangle;

pub use aabb::Aabb;
pub use affine::Affine;
pub use affine64::Affine64;
pub use flat::{FlatError, FlatTriangles, PrimitiveId, TriangleSource};
pub use half::{HALF_INFINITY, half_from_f32, half_multiply_add, half_to_f64};
pub use kernels::{KernelName, Kernels};
pub use mesh::{MeshError, TriangleMesh};
pub use offset::{offset_from_triangle, origin_leaving};
pub use ray::{Hit, HitKey, Ray};
pub use raywarp_lanes::{fused_multiply_add, fused_multiply_adds, rounds_twice};
pub use slab::{FAR_SCALE, PaddedRay, PaddedSlab, PlainSlab, SlabRay, slab};
pub use tracer::{BatchStats, Candidate, Control, RayCost, TraceError, Tracer};
