//! The point of a scene that is nearest to a point.
//!
//! # How it is exact
//! Triangles are weighed in lanes in f32, each with a bound of its error; what may be the nearest is measured anew in
//! f64 (`foot`), in the world. So an answer depends on the triangles alone: neither on the tree, nor on levels, nor
//! on the instruction set. Of triangles whose distances are the same f32, the lower (instance, primitive) answers.
//!
//! The walk drops boxes that are farther than the farthest that the nearest can be. All bounds are written down where
//! they are computed: of boxes in `space`, of triangles in `simd::nearest`.

mod batch;
mod foot;
mod found;
mod leaf;
mod search;
mod space;
mod stretch;
mod surfaces;
mod tracers;

pub use found::{Feature, NearestPoint};
pub(crate) use search::Search;
pub(crate) use space::{Space, TreeSpace};
pub(crate) use stretch::least_stretch;
