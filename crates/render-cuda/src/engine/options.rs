//! Options of rendering a picture on a device: the organisation of its paths, and how many are rendered at once.

use crate::RenderCudaError;
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

/// Paths of a wavefront in flight at most: the last of a round's rays, and of a batch's rounds, leave most of a GPU
/// idle, and are a smaller part of more. And how many times as many a batch has, of which some begin where others
/// have ended.
const MOST_PATHS: usize = 1 << 24;
const QUEUES_PER_BATCH: usize = 4;
/// Paths of a launch that takes each to its end, which must not take seconds.
const LAUNCHED_PATHS: usize = 1 << 21;
/// Paths of a wavefront in flight for each multiprocessor, at most: on GPUs of all sizes a batch, which is finished
/// whatever happens, takes about as long.
const PATHS_PER_MULTIPROCESSOR: usize = 1 << 17;
/// Rounds of a batch of which the lengths are kept each.
const MOST_ROUNDS: usize = 1 << 12;

/// Options of the engine that renders a picture; all of them can give the same one, but for
/// [`TextureFilter::Hardware`].
#[derive(Debug, Clone)]
pub struct EngineOptions {
    /// Organisation, which says what kernels are launched, and in which order: an [`Organisation`], or one of another
    /// crate.
    pub organisation: Arc<dyn PathOrganisation>,
    /// Number of paths in flight; of queues at most 131,072 for each multiprocessor of a device.
    pub paths: usize,
    /// Paths of a batch, in lengths of a wavefront's queue: with more than one the queue is filled up again from
    /// those that have not begun. At least 1.
    pub queues_per_batch: usize,
    /// Farthest place from zero at which rays of the cameras start, along any axis:
    /// [`raywarp_render::LensRecord::farthest_origin`]. The tree's boxes are padded for it where that is beyond twice
    /// the scene's own largest coordinate.
    pub farthest_origin: f32,
    /// Filter of textures: the kernels, or the GPU's texture units.
    pub texture_filter: TextureFilter,
}

impl EngineOptions {
    /// Returns the options with which an organisation renders fastest.
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

    /// Returns the family's variant with the loop of the organisation's kernels, whose tree they walk.
    ///
    /// # Errors
    /// [`RenderCudaError::NoKernels`] where the organisation names none.
    pub fn variant(&self) -> Result<Variant, RenderCudaError> {
        self.organisation.variant().parse().map_err(|_| RenderCudaError::NoKernels)
    }
}

impl Default for EngineOptions {
    fn default() -> Self {
        Self::of(Organisation::WavefrontSorted)
    }
}

/// Paths in flight, lengths of a queue in a batch, and rounds of which the lengths are kept, that are wanted for a
/// picture.
pub(super) struct Wanted {
    pub paths: usize,
    pub batch: usize,
    pub rounds: usize,
}

impl EngineOptions {
    /// Limits the paths in flight to what suits a device of so many multiprocessors.
    pub(super) fn of_device(self, multiprocessors: u32) -> Self {
        match self.organisation.kept_paths() {
            KeptPaths::Queues => {
                let most = PATHS_PER_MULTIPROCESSOR * multiprocessors.max(1) as usize;
                Self { paths: self.paths.min(most), ..self }
            }
            KeptPaths::Nothing | KeptPaths::Places(_) => self,
        }
    }

    /// Returns the layout of the state of paths for a picture of a scene with such features.
    pub fn layout(&self, features: &SceneFeatures, options: &RenderOptions) -> Layout {
        let organisation = &*self.organisation;
        Layout {
            kept: organisation.kept_paths(),
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
