//! Raywarp: ray queries on triangles, scenes, and a path tracer.
//!
//! # Ray queries in ten lines
//! ```
//! use raywarp::{Ray, TriangleBvh, TriangleMesh};
//!
//! let mesh = TriangleMesh {
//!     positions: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
//!     indices: vec![[0, 1, 2]],
//!     ..Default::default()
//! };
//! let bvh = TriangleBvh::build(&[mesh])?;
//! let hit = bvh.closest(&Ray::new([0.25, 0.25, 1.0], [0.0, 0.0, -1.0])).expect("in front");
//! assert_eq!((hit.t, hit.mesh, hit.triangle), (1.0, 0, 0));
//! # Ok::<(), raywarp::QueryError>(())
//! ```
//!
//! [`TriangleBvh::build_on`] has GPUs trace batches, with the same hits.
//!
//! # Pictures
//! [`Prepared`] holds a loaded scene and its tree; [`render()`](Prepared::render) makes a
//! [`render::Rendered`] of it, and [`render::output`] writes files.
#![forbid(unsafe_code)]

mod added_light;
mod coherence;
pub mod csv;
mod darkness;
mod default_scene;
pub mod device;
mod frame_scene;
mod framing;
mod free_space;
mod known_views;
mod lamps;
pub mod lighting;
mod lost_pixels;
mod made_of;
mod nearest;
pub mod npy;
mod own_light;
pub mod path_rays;
pub mod picture;
mod picture_name;
mod prepared;
mod query;
mod room;
mod scene_path;
pub mod trace;
mod viewpoint;
mod visible_light;

pub use added_light::Added;
pub use coherence::are_coherent;
pub use darkness::Darkness;
pub use default_scene::default_scene;
pub use framing::frame_bounds;
pub use known_views::KnownViews;
pub use lost_pixels::lost_pixels;
pub use made_of::{GLASS_IOR, MIRROR_REFLECTANCE, MadeOf, make_clay, make_of};
pub use nearest::nearest;
pub use picture_name::{PictureName, picture_name};
pub use prepared::{PrepareError, Prepared, Timings};
pub use query::{DoubleMesh, QueryError, QueryHit, TriangleBvh};
pub use raywarp_bvh::{BuildOptions, Builder};
pub use raywarp_family::Query;
pub use raywarp_geom::{
    Aabb, Affine, BatchStats, Candidate, Control, FlatTriangles, Hit, HitKey, KernelName, Kernels, Ray, RayCost,
    TraceError, Tracer, TriangleMesh, offset_from_triangle, origin_leaving,
};
pub use raywarp_render_cuda::{
    BindingResource, CountedRange, CudaRenderer, CudaRenderers, DeviceMemory, EngineOptions, GraphCounts, Organisation,
    PathCounts, RenderCudaError, Roofline, RooflineEstimate, Stage, StageSeconds, TextureFilter,
};
pub use raywarp_scene::views::{ViewError, Viewpoint, load_view};
pub use scene_path::{FindError, Prefer, SceneLookup, find_scene, scene_name};
pub use viewpoint::{CameraError, CameraRequest, CameraSource, camera_name};

/// Building trees.
pub mod bvh {
    pub use raywarp_bvh::*;
}

/// Scenes and their importers.
pub mod scene {
    pub use raywarp_scene::*;
}

/// The path tracer, its film and its output files.
pub mod render {
    pub use raywarp_render::*;
}

/// Files written whole or not at all, and how much memory is free.
pub mod system {
    pub use raywarp_system::*;
}

/// The tracer for CPUs.
pub mod cpu {
    pub use raywarp_cpu::*;
}

/// The kernels on NVIDIA GPUs.
pub mod cuda {
    pub use raywarp_cuda::*;
}

/// The README's example runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// The programs of the library's guide run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/guide/library.md")]
struct LibraryGuide;
