//! What happens to one path at one vertex. Every function takes a path's records and gives records back; the loops of
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

/// How light is carried: the same for all paths of a render.
#[derive(Debug, Clone, Copy)]
pub struct Transport {
    /// Random numbers.
    pub sampler: Sampler,
    /// The techniques that find light.
    pub direct: crate::options::DirectLight,
    /// Which bounces between facets of rough surfaces count.
    pub scattering: crate::bsdf::Scattering,
    /// Bounces: 0 is emission only.
    pub max_depth: u32,
    /// The last vertex is connected to a light, too.
    pub connect_last: bool,
    /// Throughput below which Russian roulette begins.
    pub roulette_below: f32,
    /// One over it.
    pub roulette_scale: f32,
    /// Camera rays that miss bring nothing.
    pub transparent: bool,
    /// Albedos of first hits are wanted: those of what scatters are zeros otherwise.
    pub first_albedos: bool,
}

impl Transport {
    /// Whether no ray goes on from a vertex with so many behind it.
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
    /// Russian roulette.
    pub const ROULETTE: u32 = 7;
    /// How many there are.
    pub const COUNT: u32 = 8;
}

/// The power heuristic with exponent 2 (Veach 1997, section 9.2) for one sample of each technique.
#[inline]
pub fn power_heuristic(pdf: f32, other: f32) -> f32 {
    if pdf.is_infinite() {
        return 1.0;
    }
    let ratio = other / pdf;
    1.0 / (1.0 + ratio * ratio)
}
