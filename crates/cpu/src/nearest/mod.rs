//! The point of a scene that is nearest to a point.
//!
//! # How it is exact
//! Triangles are weighed in lanes in f32, each with a bound of its error; what may be the nearest is measured anew in
//! f64 (`foot`), in the world. So an answer depends on the triangles alone: neither on the tree, nor on levels, nor
//! on the instruction set. Of triangles whose distances are the same f32, the lower (instance, primitive) answers.
//!
//! The walk drops boxes that are farther than the farthest that the nearest can be. All bounds are written down where
//! they are computed: of boxes in `space`, of triangles in `simd::nearest`.
//!
//! With a filter only what counts brings that limit near, which is known once a triangle is measured: so each that may
//! be near enough is measured at once. The answer is that of the scene without what the filter leaves out.
//!
//! What moves is asked where it is at the search's time, as rays ask it (`levels::motion`): by the map of that time,
//! and a stretch and a rounding that are worked out for it on the way.

mod batch;
mod filter;
mod foot;
mod found;
mod leaf;
mod search;
mod space;
mod stretch;
mod surfaces;
mod tracers;

pub use filter::NearestFilter;
pub use found::{Feature, NearestPoint};
pub(crate) use search::Search;
pub(crate) use space::{Space, TreeSpace};
pub(crate) use stretch::least_stretch;
