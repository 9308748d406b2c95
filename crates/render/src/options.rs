//! Options of a render: the part of a picture, its integrator and sampler, and when to stop.

pub use crate::bsdf::Scattering;
use crate::film::Crop;
use raywarp_scene::{FilterKind, SamplerKind};
use std::time::Duration;

/// Quantity that a pixel shows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Integrator {
    /// Radiance by path tracing.
    Path,
    /// Share of the cosine-weighted hemisphere that is free up to `distance` (scene units).
    AmbientOcclusion {
        /// Length of the rays.
        distance: f32,
    },
    /// Shading normal as `(n + 1) / 2`; misses are black.
    Normal,
    /// Distance of the first hit along the ray; misses have none, so that
    /// [`crate::film::Film::mean_of_hits`] is a pixel's distance. Without filter weights.
    Depth,
    /// Work of the camera ray: node visits, triangle tests and their sum in red, green and blue.
    Cost,
}

/// Choice of the techniques by which direct light is estimated. All three agree in the mean; the single techniques
/// exist to check that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DirectLight {
    /// Connections and scattering, combined by the power heuristic.
    #[default]
    Both,
    /// Connections only (and emission after specular vertices).
    Lights,
    /// Scattering only: point, spot and directional lights are not found.
    Scattering,
}

/// Options of a render.
#[derive(Debug, Clone, PartialEq)]
pub struct RenderOptions {
    /// Columns and rows of the whole picture.
    pub size: [u32; 2],
    /// Part of the picture to render, if not all of it; its pixels are those of the whole, bit for bit.
    pub crop: Option<Crop>,
    /// `true` to leave out the background, which camera rays that miss everything see: the picture is then of what
    /// [`crate::film::Film::coverage`] covers, and black elsewhere. The environment lights all the same.
    pub transparent: bool,
    /// Sample numbers of each pixel, `first .. end`; a part of them makes a share.
    pub samples: std::ops::Range<u32>,
    /// Largest number of bounces: 0 is emission only, 1 direct light.
    pub max_depth: u32,
    /// `true` to connect the last vertex to a light too, from where no ray goes on: with 8 bounces a path tries up to
    /// nine connections instead of eight. Wald's path tracer does (W11 A.2).
    ///
    /// The picture is then of light over one more segment, without what only a ray that goes on would find:
    ///
    /// - With [`DirectLight::Lights`] it is the one of `max_depth + 1`, sample by sample, but for lights that a last
    ///   vertex mirrors or refracts without any blur: no connection finds them.
    /// - With [`DirectLight::Both`] it is that in the mean, as the connection is all that finds a light from there and
    ///   counts in full; sample by sample where no ray can meet a light (points, spots, distant lights).
    /// - With [`DirectLight::Scattering`] there are no connections: nothing changes.
    pub connect_last: bool,
    /// Largest component of a path's throughput below which Russian roulette ends it with a probability, 0 to 1: the
    /// more aggressive the larger, never with 0. The picture is the same in the mean.
    pub roulette_below: f32,
    /// Quantity that a pixel shows.
    pub integrator: Integrator,
    /// Techniques by which direct light is estimated.
    pub direct: DirectLight,
    /// Bounces of light that count between the facets of rough surfaces.
    pub scattering: Scattering,
    /// Source of random numbers.
    pub sampler: SamplerKind,
    /// Seed of the random numbers: another one gives another, equally good picture.
    pub seed: u32,
    /// Pixel filter of the picture.
    pub filter: FilterKind,
    /// `true` to sum albedo, normal and depth too.
    pub features: bool,
    /// Number of worker threads; 0 takes one for each processor. Never changes the picture.
    pub threads: usize,
    /// `true` to finish every pass that has begun, also when cancelled: all pixels then have the same samples, as a
    /// share must.
    pub whole_passes: bool,
    /// Time after which the render stops.
    pub time_limit: Option<Duration>,
    /// Limit of [`crate::film::Film::noise`] at which the render stops; tested at powers of two of the sample count.
    pub noise_limit: Option<f64>,
}

/// Value of [`RenderOptions::roulette_below`] where nothing else is asked for: W11's 5 %.
pub const ROULETTE_BELOW: f32 = 0.05;

impl Default for RenderOptions {
    fn default() -> Self {
        Self {
            size: [1024, 768],
            crop: None,
            transparent: false,
            samples: 0..64,
            max_depth: 8,
            connect_last: false,
            roulette_below: ROULETTE_BELOW,
            integrator: Integrator::Path,
            direct: DirectLight::Both,
            scattering: Scattering::Multiple,
            sampler: SamplerKind::Sobol,
            seed: 0,
            filter: FilterKind::Box { radius: 0.5 },
            features: false,
            threads: 0,
            whole_passes: false,
            time_limit: None,
            noise_limit: None,
        }
    }
}

/// Reason for which a render could not be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// A texture graph unfolds too far.
    #[error("texture {texture} nests too deeply ({depth} values held, {ops} steps); flatten its graph")]
    TextureTooDeep {
        /// Index of the texture.
        texture: usize,
        /// Number of values that its program must hold at once.
        depth: usize,
        /// Number of steps of its program.
        ops: usize,
    },
    /// An index needs more bits than its record has.
    #[error("too many {0} to shade")]
    TooLarge(&'static str),
    /// An option is out of its range.
    #[error("{0}")]
    Option(String),
    /// The film cannot be made.
    #[error(transparent)]
    Film(#[from] crate::film::FilmError),
    /// The tracer failed.
    #[error(transparent)]
    Trace(#[from] raywarp_geom::TraceError),
    /// The worker threads cannot be started.
    #[error("cannot start worker threads: {0}")]
    Threads(String),
}
