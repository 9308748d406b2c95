//! Options of a render: the part of a picture, its integrator and sampler, and when to stop.

pub use crate::bsdf::Scattering;
use crate::film::Crop;
use raywarp_scene::{FilterKind, SamplerKind};
use std::time::Duration;

/// Quantity that pixels show, with the method that computes it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Integrator {
    /// Radiance by path tracing.
    Path,
    /// Ambient occlusion: the free fraction of the cosine-weighted hemisphere up to `distance` (scene units).
    AmbientOcclusion {
        /// Length of the occlusion rays in scene units.
        distance: f32,
    },
    /// Shading normal at the first hit as `(n + 1) / 2`; misses are black.
    Normal,
    /// Distance of the first hit along the camera ray; a pixel's is [`crate::film::Film::mean_of_hits`], since misses
    /// have none. Without filter weights.
    Depth,
    /// Work of tracing the camera ray: node visits, triangle tests and their sum in red, green and blue.
    Cost,
}

/// Techniques that estimate direct light. All three agree in the mean; the single techniques exist to check that.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DirectLight {
    /// Connections to lights and scattering, combined by the power heuristic.
    #[default]
    Both,
    /// Connections to lights only (and emission seen after specular vertices).
    Lights,
    /// Scattering only, which does not find point, spot and directional lights.
    Scattering,
}

/// Options of a render.
#[derive(Debug, Clone, PartialEq)]
pub struct RenderOptions {
    /// Columns and rows of the whole picture.
    pub size: [u32; 2],
    /// Part of the picture to render, if not all of it; its pixels equal those of the whole, bit for bit.
    pub crop: Option<Crop>,
    /// `true` to leave out the background of camera rays that miss: the picture is then black there, and has the alpha
    /// [`crate::film::Film::coverage`]. The environment lights all the same.
    pub transparent: bool,
    /// Range of sample numbers of each pixel, `first .. end`; a part of all makes a share to merge.
    pub samples: std::ops::Range<u32>,
    /// Largest number of bounces of a path: 0 is emission only, 1 direct light.
    pub max_depth: u32,
    /// `true` to connect a path's last vertex to a light too, though no ray goes on from it: with 8 bounces, nine
    /// connections instead of eight. Wald's path tracer does (W11 A.2).
    ///
    /// The picture is then of light over one more segment, without what only a ray that goes on would find:
    ///
    /// - With [`DirectLight::Lights`] it is the one of `max_depth + 1`, sample by sample, but for lights that a last
    ///   vertex mirrors or refracts without any blur: no connection finds them.
    /// - With [`DirectLight::Both`] it is that in the mean, as the connection is all that finds a light from there and
    ///   counts in full; sample by sample where no ray can meet a light (points, spots, distant lights).
    /// - With [`DirectLight::Scattering`] there are no connections: nothing changes.
    pub connect_last: bool,
    /// Threshold for a throughput's largest component, 0 to 1, below which Russian roulette may end the path: larger is
    /// more aggressive, 0 is never. The picture is the same in the mean.
    pub roulette_below: f32,
    /// Quantity that a pixel shows.
    pub integrator: Integrator,
    /// Techniques that estimate direct light.
    pub direct: DirectLight,
    /// Light bounces that count between the facets of rough surfaces.
    pub scattering: Scattering,
    /// Sampler that gives the random numbers of paths.
    pub sampler: SamplerKind,
    /// Seed of the random numbers; another one gives a different, equally good picture.
    pub seed: u32,
    /// Filter that spreads samples over pixels.
    pub filter: FilterKind,
    /// `true` to sum the albedo, normal and depth of first hits too.
    pub features: bool,
    /// Number of worker threads; 0 means one per logical processor. Never changes the picture.
    pub threads: usize,
    /// `true` to finish every pass that has begun, even if cancelled, so that all pixels have the same samples, as a
    /// share must.
    pub whole_passes: bool,
    /// Time after which the render stops.
    pub time_limit: Option<Duration>,
    /// Value of [`crate::film::Film::noise`] at which the render stops, tested at powers of two of the sample count.
    pub noise_limit: Option<f64>,
}

/// Default of [`RenderOptions::roulette_below`]: the 5 % of W11.
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

/// Option of a render that cannot be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RenderOptionError {
    /// The range of samples is empty.
    #[error("the range of samples is empty; ask for at least one")]
    NoSamples,
    /// The throughput at which Russian roulette begins is out of its range.
    #[error("Russian roulette begins at a throughput from 0 to 1")]
    Roulette,
    /// The picture has more pixels than have numbers of their own.
    #[error("a picture of {width}x{height} pixels has more than the 4294967296 that can be told apart")]
    TooManyPixels {
        /// Number of columns.
        width: u32,
        /// Number of rows.
        height: u32,
    },
    /// The film to go on with is of another picture.
    #[error("the film to go on with is not of this picture")]
    OtherFilm,
    /// An observer is to see the paths of an engine.
    #[error("an engine tells no observer of its paths; the CPU does")]
    ObservedEngine,
    /// An engine is to count the work of tracing.
    #[error("the cost integrator counts what the CPU's own tracer does")]
    CostsOfEngine,
    /// An engine is to shade layers beside normals or distances.
    #[error("layers beside normals and distances are shaded by the CPU")]
    LayersOfEngine,
    /// An engine is to trace more bounces than it counts.
    #[error("a GPU counts fewer than 16,777,216 bounces")]
    TooManyBounces,
}

/// Returns what to do about too many of something.
fn way_out(what: &str) -> &'static str {
    if what.ends_with("triangles") {
        "place fewer; in two levels a mesh that placements share counts once, but for each placement where it glows"
    } else {
        "let surfaces share them"
    }
}

/// Reason why a render could not be done.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RenderError {
    /// A graph of textures unfolds to too large a program.
    #[error("texture {texture} nests too deeply ({depth} values held, {ops} steps); flatten its graph")]
    TextureTooDeep {
        /// Index of the texture in the scene.
        texture: usize,
        /// Number of values that the texture's program must hold at once.
        depth: usize,
        /// Number of steps of the texture's program.
        ops: usize,
    },
    /// The scene has too many of something for the bits of an index.
    #[error("the scene has {found} {what} to shade, but at most {limit} can be numbered; {}", way_out(what))]
    TooLarge {
        /// Name of what there is too much of, in the plural.
        what: &'static str,
        /// Number of them.
        found: u64,
        /// Largest number of them.
        limit: u64,
    },
    /// An option of the render cannot be used.
    #[error(transparent)]
    Option(#[from] RenderOptionError),
    /// The film cannot be made.
    #[error(transparent)]
    Film(#[from] crate::film::FilmError),
    /// The tracer failed while rays were traced.
    #[error(transparent)]
    Trace(#[from] raywarp_geom::TraceError),
    /// The worker threads cannot be started.
    #[error("cannot start worker threads: {0}")]
    Threads(String),
}
