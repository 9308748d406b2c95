//! Steps of one path at one vertex. Every function takes a path's records and gives records back; the loops of
//! [`crate::stage`] move those and decide nothing.
//!
//! [`arrive`] ends a path or finds the surface that it is at; [`leave`] connects it to a light and sends it on. Random
//! numbers belong to (pixel, sample, dimension), so that any order of work gives the same picture.

mod aim;
mod arrive;
mod emission;
mod leave;
mod media;
mod path;
mod roulette;
mod scatter;
mod touching;

pub use aim::Connection;
pub use arrive::{Arrival, arrive};
pub(crate) use emission::from_surface;
pub use leave::{Departure, leave};
pub use media::{Boundary, InMedia, MediaStack};
pub(crate) use path::{ALL_SPECULAR, SPECULAR};
pub use path::{FirstHit, PathState};
pub use roulette::roulette;
pub use touching::{search, touching};

use raywarp_sample::Sampler;

/// Settings of light transport, the same for all paths of a render.
#[derive(Debug, Clone, Copy)]
pub struct Transport {
    /// Sampler that gives the paths' random numbers.
    pub sampler: Sampler,
    /// Techniques that estimate direct light.
    pub direct: crate::options::DirectLight,
    /// Light bounces that count between the facets of rough surfaces.
    pub scattering: crate::bsdf::Scattering,
    /// Largest number of bounces: 0 is emission only.
    pub max_depth: u32,
    /// `true` if a path's last vertex is connected to a light too.
    pub connect_last: bool,
    /// Throughput below which Russian roulette may end a path.
    pub roulette_below: f32,
    /// Inverse of `roulette_below`.
    pub roulette_scale: f32,
    /// `true` if camera rays that miss bring no light of environments.
    pub transparent: bool,
    /// `true` if albedos of first hits are wanted; otherwise those of scattering surfaces are zeros.
    pub first_albedos: bool,
}

impl Transport {
    /// Returns `true` if a path ends at a vertex with `bounce` vertices behind it.
    #[inline]
    pub fn is_last(&self, bounce: u32) -> bool {
        bounce >= self.max_depth
    }
}

/// Number of sampler dimensions that a camera ray uses: two in the pixel, two on the lens.
pub(crate) const CAMERA_DIMENSIONS: u32 = 4;

/// Sampler dimensions that a vertex uses, relative to its first.
pub(crate) mod dimension {
    /// Dimension that chooses between the parts of a material.
    pub const MATERIAL: u32 = 0;
    /// First dimension for a connection: choice of a light, and the point on it.
    pub const LIGHT: u32 = 1;
    /// First dimension for scattering: choice of a lobe, and the direction.
    pub const SCATTER: u32 = 4;
    /// Dimension that decides Russian roulette.
    pub const ROULETTE: u32 = 7;
    /// Number of sampler dimensions per vertex.
    pub const COUNT: u32 = 8;
}

/// Returns the weight of a technique by the power heuristic with exponent 2 (Veach 1997, section 9.2), for one sample
/// of each technique.
#[inline]
pub fn power_heuristic(pdf: f32, other: f32) -> f32 {
    if pdf.is_infinite() {
        return 1.0;
    }
    let ratio = other / pdf;
    1.0 / (1.0 + ratio * ratio)
}
