//! The parameters of a render's kernels: the same words as in kernels/render.h.

use crate::scene::{ArrayRecord, SceneRecord};
use raywarp_cuda::{Parameters, TreeRecord};
use raywarp_render::{DirectLight, FrameSettings, Integrator, LensRecord, Scattering};
use raywarp_scene::SamplerKind;

/// Kernel parameters of a frame: `Lens`, `PixelFilter`, `Transport` and what follows them in `Render` of
/// kernels/render.h.
#[allow(missing_docs)] // There, once; as in all records of this file.
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct FrameRecord {
    pub lens: LensRecord,
    pub filter: ArrayRecord,
    pub filter_radius: f32,
    pub unused: u32,
    pub sampler: u32,
    pub sampler_seed: u32,
    pub direct: u32,
    pub scattering: u32,
    pub max_depth: u32,
    pub transparent: u8,
    pub first_albedos: u8,
    pub connect_last: u8,
    pub unused3: u8,
    pub roulette_below: f32,
    pub roulette_scale: f32,
    pub seed: u32,
    pub media: [u32; 2],
    pub unused2: u32,
}

const _: () = assert!(size_of::<FrameRecord>() == 152);

impl FrameRecord {
    /// Makes the kernel parameters of a frame, whose pixel filter's weights are at `filter`.
    pub fn new(frame: &FrameSettings<'_>, filter: ArrayRecord) -> Self {
        let options = frame.options;
        Self {
            lens: frame.lens(),
            filter,
            filter_radius: frame.filter().radius,
            unused: 0,
            sampler: match options.sampler {
                SamplerKind::Sobol => 0,
                SamplerKind::PaddedHalton => 1,
                SamplerKind::Xor32 => 2,
            },
            sampler_seed: options.seed,
            direct: match options.direct {
                DirectLight::Both => 0,
                DirectLight::Lights => 1,
                DirectLight::Scattering => 2,
            },
            scattering: match options.scattering {
                Scattering::Single => 0,
                Scattering::Multiple => 1,
            },
            max_depth: options.max_depth,
            transparent: u8::from(options.transparent),
            first_albedos: u8::from(options.features),
            connect_last: u8::from(options.connect_last),
            unused3: 0,
            roulette_below: options.roulette_below,
            roulette_scale: 1.0 / options.roulette_below,
            seed: options.seed,
            media: frame.media(),
            unused2: 0,
        }
    }
}

/// Kernel parameters of a batch of paths: `PathBatch` in kernels/render.h.
#[allow(missing_docs)] // There, once; as in all records of this file.
#[derive(Debug, Clone, Copy, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct BatchRecord {
    pub pixels: u64,
    pub first_pixel: u32,
    pub pixel_count: u32,
    pub first_sample: u32,
    pub sample_count: u32,
    pub path_count: u32,
    pub width: u32,
}

/// Addresses of the paths' results and the film's sums: `Results` and `FilmSums` in kernels/render.h.
#[allow(missing_docs)]
#[derive(Debug, Clone, Copy, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct ResultRecord {
    pub radiance: u64,
    pub first_hits: u64,
    pub depths: u64,
    pub film_pixels: u64,
    pub film_features: u64,
}

/// Addresses of a path queue's arrays: `Queue` in kernels/render.h.
#[allow(missing_docs)]
#[derive(Debug, Clone, Copy, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct QueueRecord {
    pub rays: u64,
    pub weights: u64,
    pub sampler_states: u64,
    pub media: u64,
}

/// Addresses of the arrays of connections to lights: `Shadows` in kernels/render.h.
#[allow(missing_docs)]
#[derive(Debug, Clone, Copy, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct ShadowRecord {
    pub rays: u64,
    pub contributions: u64,
    pub media: u64,
    pub blocked: u64,
    pub undecided: u64,
    pub candidates: u64,
}

/// Counters that kernels keep for a batch: `Counters` in kernels/render.h.
#[allow(missing_docs)]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Counters {
    pub active: u32,
    pub survivors: u32,
    pub shadows: u32,
    pub begun: u32,
    pub fresh: u32,
    pub extend_pool: u32,
    pub connect_pool: u32,
    pub invalid_rays: u32,
    pub invalid_samples: u32,
    pub rounds: u32,
    pub walked: u32,
    pub iterations: u32,
    pub classes: [u32; 5],
    pub may_be_holes: u32,
    pub undecided: u32,
    pub unused: u32,
    pub extended: u64,
    pub connected: u64,
    pub refilled: u64,
    pub asked: u64,
}

impl Counters {
    /// Returns the number of rays that extend paths, whichever organisation counted them.
    pub fn all_extended(&self) -> u64 {
        self.extended + u64::from(self.walked)
    }

    /// Returns the number of rays to lights of an ended batch, those of its last round included, which no later round
    /// counts.
    pub fn all_connected(&self) -> u64 {
        self.connected + u64::from(self.shadows)
    }

    /// Returns the number of all rays of an ended batch.
    pub fn rays(&self) -> u64 {
        self.all_extended() + self.all_connected() + self.asked
    }
}

/// Quantity that pixels show: `Shown` in kernels/render.h.
#[allow(missing_docs)]
#[derive(Debug, Clone, Copy, Default, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct ShownRecord {
    pub integrator: u32,
    pub distance: f32,
}

impl ShownRecord {
    /// Makes the kernel parameters of an integrator; [`Integrator::Cost`], which has no kernel, gives those of path
    /// tracing.
    pub fn new(integrator: Integrator) -> Self {
        let (integrator, distance) = match integrator {
            Integrator::Path | Integrator::Cost => (0, 0.0),
            Integrator::AmbientOcclusion { distance } => (1, distance),
            Integrator::Normal => (2, 0.0),
            Integrator::Depth => (3, 0.0),
        };
        Self { integrator, distance }
    }
}

/// All parameters of a rendering kernel: `Render` in kernels/render.h.
#[allow(missing_docs)]
#[derive(Debug, Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct RenderRecord {
    pub scene: SceneRecord,
    pub tree: TreeRecord,
    pub frame: FrameRecord,
    pub batch: BatchRecord,
    pub results: ResultRecord,
    pub queue: QueueRecord,
    pub next: QueueRecord,
    pub hits: u64,
    pub shadows: ShadowRecord,
    pub capacity: u32,
    pub rounds_kept: u32,
    pub counters: u64,
    pub rounds: u64,
    pub order: u64,
    pub shown: ShownRecord,
}

// SAFETY: plain words without padding (`Pod`) at the places where the kernels look for them: sizes and places below are
// those that kernels/render.h asserts.
unsafe impl Parameters for RenderRecord {}

const _: () = assert!(size_of::<Counters>() == 112 && size_of::<RenderRecord>() == 736);
const _: () =
    assert!(std::mem::offset_of!(RenderRecord, frame) == 352 && std::mem::offset_of!(RenderRecord, batch) == 504);
const _: () =
    assert!(std::mem::offset_of!(RenderRecord, queue) == 576 && std::mem::offset_of!(RenderRecord, counters) == 704);
