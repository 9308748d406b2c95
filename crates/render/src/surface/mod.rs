//! From a hit to a surface: its point, whether it is there, what it sends out and what it scatters with. Each function
//! takes one hit's records.

mod alpha;
mod emitted;
mod frame;
mod point;
mod shading;

pub(crate) use alpha::{Holes, coverage};
pub(crate) use emitted::emitted;
pub(crate) use frame::Frame;
pub(crate) use point::{SurfacePoint, surface_point, texture_point};
#[cfg(feature = "twins")]
pub(crate) use point::{position_derivatives, tangent};
#[cfg(any(feature = "twins", test))]
pub(crate) use shading::bent_normal;
pub(crate) use shading::{Shading, bent_towards, shading};
#[cfg(feature = "twins")]
pub(crate) use shading::{decided, facing, lifted};
