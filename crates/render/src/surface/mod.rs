//! From a hit to a surface: its point, whether it is there, what it sends out and what it scatters with. Each function
//! takes one hit's records.

mod alpha;
mod emitted;
mod frame;
mod point;
mod shading;

pub use alpha::{Holes, coverage};
pub use emitted::emitted;
pub use frame::Frame;
pub use point::{SurfacePoint, position_derivatives, surface_point, tangent, texture_point};
pub(crate) use shading::bent_towards;
pub use shading::{Shading, bent_normal, decided, facing, lifted, shading};
