//! Warps: from uniform numbers to disks, directions, triangles (flat and on the sphere) and tabulated functions.
//!
//! Directions are unit vectors in a frame whose z axis is up; densities are per solid angle. Each warp
//! takes points of `0 .. 1` squared and keeps their stratification as far as its target allows.

mod alias;
mod choice;
mod direction;
mod distribution;
mod planar;
mod spherical;
mod turn;

pub use alias::{AliasCell, AliasTable, choose_by_alias};
pub use choice::choose;
pub use direction::{
    cosine_hemisphere, cosine_hemisphere_pdf, onb, uniform_cone, uniform_cone_pdf, uniform_hemisphere,
    uniform_hemisphere_pdf, uniform_sphere, uniform_sphere_pdf,
};
pub use distribution::{DensityTables, Distribution1d, Distribution2d};
pub use planar::{concentric_disk, concentric_disk_pdf, uniform_triangle};
pub use spherical::{half_solid_angle, spherical_triangle};
pub use turn::sin_cos_turn;
