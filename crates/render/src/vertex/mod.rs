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

/// Rules by which light is carried: the same for all paths of a render.
#[derive(Debug, Clone, Copy)]
pub struct Transport {
    /// Source of random numbers.
    pub sampler: Sampler,
    /// Techniques that find light.
    pub direct: crate::options::DirectLight,
    /// Bounces that count between facets of rough surfaces.
    pub scattering: crate::bsdf::Scattering,
    /// Largest number of bounces: 0 is emission only.
    pub max_depth: u32,
    /// `true` if the last vertex is connected to a light, too.
    pub connect_last: bool,
    /// Throughput below which Russian roulette begins.
    pub roulette_below: f32,
    /// One over `roulette_below`.
    pub roulette_scale: f32,
    /// `true` if camera rays that miss bring nothing.
    pub transparent: bool,
    /// `true` if albedos of first hits are wanted: those of what scatters are zeros otherwise.
    pub first_albedos: bool,
}

impl Transport {
    /// Tells if no ray goes on from a vertex with so many behind it.
    #[inline]
    pub fn is_last(&self, bounce: u32) -> bool {
        bounce >= self.max_depth
    }
}

/// Sampler dimensions that a camera ray takes: two in the pixel, two on the lens.
pub(crate) const CAMERA_DIMENSIONS: u32 = 4;

/// Sampler dimensions of a vertex, from its first on.
pub(crate) mod dimension {
    /// Choice between the parts of a material.
    pub const MATERIAL: u32 = 0;
    /// Choice of a light, and the point on it.
    pub const LIGHT: u32 = 1;
    /// Choice of a lobe, and the direction.
    pub const SCATTER: u32 = 4;
    /// Decision of Russian roulette.
    pub const ROULETTE: u32 = 7;
    /// Number of dimensions of a vertex.
    pub const COUNT: u32 = 8;
}

/// Returns the weight of the power heuristic with exponent 2 (Veach 1997, section 9.2) for one sample of each
/// technique.
#[inline]
pub fn power_heuristic(pdf: f32, other: f32) -> f32 {
    if pdf.is_infinite() {
        return 1.0;
    }
    let ratio = other / pdf;
    1.0 / (1.0 + ratio * ratio)
}
