//! Raywarp: ray queries on triangles, scenes, and a path tracer.
//!
//! # Ray queries in ten lines
//! ```
//! use raywarp::{Ray, Scene};
//!
//! let scene = Scene::from_triangles(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
//! let hit = scene.closest(&Ray::new([0.25, 0.25, 1.0], [0.0, 0.0, -1.0])).expect("in front");
//! assert_eq!((hit.t, hit.instance, hit.primitive), (1.0, 0, 0));
//! # Ok::<(), raywarp::SceneError>(())
//! ```
//!
//! [`Scene::builder`] takes many meshes, each placed any number of times; with [`SceneOptions::device`] GPUs trace
//! batches, with the same hits.
//!
//! # Features
//! - `cuda` (default): NVIDIA GPUs, found when the program runs; the module `cuda`.
//! - `formats`: scenes and their importers (glTF, OBJ, PLY, pbrt, STL, OFF, 3MF), files of rays and hits; the modules
//!   `scene` and `trace`.
//! - `render`: pictures; the module `render`. It implies `formats`.
//! - `draco`: glTF meshes that Draco compressed. It implies `formats`.
//!
//! Without any of them the crate answers rays on this CPU.
#![forbid(unsafe_code)]

pub mod bvh;
pub mod cpu;
#[cfg(feature = "cuda")]
pub mod cuda;
pub mod device;
#[cfg(feature = "formats")]
mod placed;
#[cfg(feature = "formats")]
mod prepare;
mod query;
#[cfg(feature = "render")]
pub mod render;
#[cfg(feature = "formats")]
pub mod scene;
#[cfg(feature = "formats")]
pub mod system;
#[cfg(feature = "formats")]
pub mod trace;

#[cfg(feature = "formats")]
pub use prepare::{PrepareError, Timings};
pub use query::{
    BatchError, Crossings, Culling, Edit, EditError, End, Filter, Filtered, GeometryId, Hit64, Indices, InstanceId,
    Levels, Nearest, NotClosed, PathLevel, Placement, Positions, Ray64, Reshape, Scene, SceneBuilder, SceneError,
    SceneFileError, SceneOptions, SceneRay, SurfaceHit, are_coherent,
};
pub use raywarp_bvh::{BuildOptions, Builder};
pub use raywarp_cpu::Feature;
pub use raywarp_cpu::{Geometry, GeometryError, GeometryHit};
pub use raywarp_family::{Query, Variant};
pub use raywarp_geom::origin::RoundingWarning;
pub use raywarp_geom::{
    Aabb, Affine, Affine64, BatchStats, Candidate, Control, FlatError, FlatTriangles, Hit, HitKey, KernelName, Kernels,
    MeshError, PrimitiveId, Ray, RayCost, TraceError, Tracer, TriangleMesh, offset_from_triangle, origin_leaving,
};

/// Runs the README's example as a test.
#[cfg(all(doctest, feature = "render"))]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// Runs the programs of the library's guide as tests.
#[cfg(all(doctest, feature = "cuda", feature = "render"))]
#[doc = include_str!("../../../docs/guide/library.md")]
struct LibraryGuide;
