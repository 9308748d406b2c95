//! The ray tracer for CPUs: [`CpuTracer`] walks an eight-wide tree with AVX-512, AVX2, NEON, simd128 or plain Rust,
//! chosen at run time ([`Isa::preferred`]).
#![deny(unsafe_code)]

mod batch;
mod blocked;
mod bvh2;
mod closed;
mod corners;
mod custom;
mod filtered;
mod ids;
mod kept;
mod levels;
mod nearest;
mod one;
mod one_by_one;
mod overlaps;
mod parts;
mod probe;
mod query;
mod ray;
#[allow(unsafe_code)]
mod simd;
mod sink;
mod touches;
mod tracer;

pub use blocked::Blocked;
pub use closed::{open_edges, rim};
pub use custom::{Geometry, GeometryError, GeometryHit};
pub use ids::Ids;
pub use kept::{KeptTop, kept_tree, tracer_of_kept};
pub use levels::{
    KeptPlacement, LevelsAt, LevelsEdit, LevelsError, LevelsTracer, PlacementError, SolidLevels, TreePlacement,
};
pub use nearest::{Feature, NearestFilter, NearestPoint};
pub use probe::LevelsCost;
pub use raywarp_lanes::{Isa, IsaError};
pub use sink::{Accept, Contact};
pub use tracer::{CpuBoxTest, CpuOptions, CpuTracer, CpuTree, CpuTriangleTest, tracer_over};
