//! Options of rendering a picture on a device: the organisation of its paths, and how many are rendered at once.

use crate::features::SceneFeatures;
use crate::kept_paths::KeptPaths;
use crate::organisation::PathOrganisation;
use crate::sources::Organisation;
use crate::state::Layout;
use crate::textures::TextureFilter;
use raywarp_family::Variant;
use raywarp_render::RenderOptions;
use raywarp_scene::SamplerKind;
use std::sync::Arc;

/// Largest number of wavefront paths in flight: with more of them, the ends of rounds and batches, which leave most of
/// a GPU idle, weigh less. And how many times as many a batch has, of which some begin where others have ended.
const MOST_PATHS: usize = 1 << 24;
const QUEUES_PER_BATCH: usize = 4;
/// Number of paths per launch of kernels that trace each path to its end, few enough that a launch does not take
/// seconds.
const LAUNCHED_PATHS: usize = 1 << 21;
/// Largest number of wavefront paths in flight per multiprocessor, so that batches, which always run to their end, take
/// about as long on all GPUs.
const PATHS_PER_MULTIPROCESSOR: usize = 1 << 17;
/// Largest number of rounds of a batch whose lengths are recorded one by one.
const MOST_ROUNDS: usize = 1 << 12;

/// Options of the GPU path tracer; all of them can give the same picture, except [`TextureFilter::Hardware`].
#[derive(Debug, Clone)]
pub struct EngineOptions {
    /// Organisation of the paths, which decides the kernels and the order of their launches: an [`Organisation`], or
    /// one of another crate.
    pub organisation: Arc<dyn PathOrganisation>,
    /// Number of paths in flight, limited in wavefronts to 131,072 per multiprocessor of the device.
    pub paths: usize,
    /// Paths of a batch, as a multiple of a wavefront queue's length: above 1, paths that have not begun refill the
    /// queue. At least 1.
    pub queues_per_batch: usize,
    /// Largest absolute coordinate from which camera rays start, on any axis:
    /// [`raywarp_render::LensRecord::farthest_origin`]. The tree's boxes are padded for it where that is beyond twice
    /// the scene's own largest coordinate.
    pub farthest_origin: f32,
    /// Unit that filters textures: the kernels, or the GPU's texture units.
    pub texture_filter: TextureFilter,
}

impl EngineOptions {
    /// Returns the options with which this organisation renders fastest.
    pub fn of(organisation: Organisation) -> Self {
        let (paths, queues_per_batch) = match organisation {
            Organisation::Megakernel | Organisation::FirstHits => (LAUNCHED_PATHS, 1),
            Organisation::Wavefront | Organisation::WavefrontSorted | Organisation::Graph => {
                (MOST_PATHS, QUEUES_PER_BATCH)
            }
        };
        let (organisation, texture_filter) = (Arc::new(organisation), TextureFilter::Exact);
        Self { organisation, paths, queues_per_batch, farthest_origin: 0.0, texture_filter }
    }

    /// Returns the variant of the traversal kernels whose loop the organisation's kernels contain, and whose tree they
    /// traverse.
    pub fn variant(&self) -> Variant {
        self.organisation.variant()
    }
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self::of(Organisation::WavefrontSorted)
    }
}

/// Sizes wanted for a picture: paths in flight, queue lengths per batch, and rounds whose lengths are recorded.
pub(super) struct Wanted {
    pub paths: usize,
    pub batch: usize,
    pub rounds: usize,
}

impl EngineOptions {
    /// Limits the paths in flight to what suits a device with this number of multiprocessors.
    pub(super) fn of_device(self, multiprocessors: u32) -> Self {
        match self.organisation.kept_paths() {
            KeptPaths::Queues => {
                let most = PATHS_PER_MULTIPROCESSOR * multiprocessors.max(1) as usize;
                Self { paths: self.paths.min(most), ..self }
            }
            KeptPaths::Nothing | KeptPaths::Places { .. } => self,
        }
    }

    /// Returns the layout of the path state for a picture of a scene with these features.
    pub fn layout(&self, features: &SceneFeatures, options: &RenderOptions) -> Layout {
        let organisation = &*self.organisation;
        Layout {
            kept: organisation.kept_paths(),
            own: organisation.own_memory(),
            counted_rounds: organisation.counted_rounds(),
            sorts: organisation.sorts(),
            features: features.set,
            holes: features.holes,
            sorted: features.is_sorted() && organisation.sorts(),
            first_hits: options.features,
            sampler_states: options.sampler != SamplerKind::Sobol,
        }
    }

    pub(super) fn wanted(&self, options: &RenderOptions, pixels: usize) -> Wanted {
        let all = pixels.saturating_mul(options.samples.len()).max(1);
        let paths = self.paths.clamp(1, all);
        // No more results than there are paths.
        let refills = self.organisation.refills();
        let batch = if refills { self.queues_per_batch.clamp(1, all.div_ceil(paths)) } else { 1 };
        // A place of a queue is free again after as many rounds as a path may have vertices: no batch has more rounds.
        let rounds = batch.saturating_mul(options.max_depth as usize + 1).min(MOST_ROUNDS);
        Wanted { paths, batch, rounds }
    }
}
