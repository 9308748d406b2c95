//! Experiments: an organisation of paths, and its options.

use crate::{Compaction, ListedAt, Walk};
use raywarp_cuda::LaunchBounds;
use raywarp_render_cuda::{EngineOptions, Organisation};
use std::sync::Arc;

/// Number of light paths of a batch, all in flight, where they stay at their index in memory or are in tiles.
const KEPT_PATHS: usize = 1 << 22;
/// Number of paths of a batch per path in flight, where new paths begin in place of those that end.
const QUEUES_PER_BATCH: usize = 4;
/// Number of light paths of each lane of a tile.
const PATHS_PER_LANE: u32 = 8;

/// An organisation of the path tracing kernels that W11 (section 3) or L9 measured: those of the product, and others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MeasuredOrganisation {
    /// One kernel that takes each light path from the camera to its end (W11 3.3).
    Megakernel,
    /// One launch a bounce for all paths of a batch; between launches those that go on are listed (W11 3.4).
    Compact,
    /// A thread block takes a tile of paths to their ends and lists those that go on after each bounce; paths are in
    /// global memory (W11 3.5).
    TiledGlobal,
    /// A thread block takes a tile of paths to their ends, as in `TiledGlobal`; the paths are in shared memory.
    TiledShared,
    /// Lanes whose path has ended begin another: at once (Novák et al. 2010), or, where paths are listed, after those
    /// that go on and in launches of their own (van Antwerpen 2011).
    Regenerate,
    /// Three kernels: one begins paths, one takes them to their ends, one adds what they found to the film (L9).
    Split,
    /// Wavefront: queues of rays between kernels (L9; Laine, Karras and Aila 2013); one kernel shades all materials.
    Wavefront,
    /// Wavefront with a queue and a kernel for each class of materials (Hoberock et al. 2009; Laine, Karras and Aila
    /// 2013).
    WavefrontSorted,
    /// Sorted wavefront whose rounds after a batch's first are recorded as a CUDA graph that the host launches as a
    /// whole.
    Graph,
}

impl MeasuredOrganisation {
    /// All measured organisations, in the order of their declaration.
    pub const ALL: [Self; 9] = [
        Self::Megakernel,
        Self::Compact,
        Self::TiledGlobal,
        Self::TiledShared,
        Self::Regenerate,
        Self::Split,
        Self::Wavefront,
        Self::WavefrontSorted,
        Self::Graph,
    ];

    /// Returns the organisation's name, also on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Megakernel => Organisation::Megakernel.name(),
            Self::Compact => "compact",
            Self::TiledGlobal => "tiled-global",
            Self::TiledShared => "tiled-shared",
            Self::Regenerate => "regenerate",
            Self::Split => "split",
            Self::Wavefront => Organisation::Wavefront.name(),
            Self::WavefrontSorted => Organisation::WavefrontSorted.name(),
            Self::Graph => Organisation::Graph.name(),
        }
    }

    /// Returns the organisation of the product (raywarp-render-cuda) that has the same name, if there is one.
    pub const fn product(self) -> Option<Organisation> {
        match self {
            Self::Megakernel => Some(Organisation::Megakernel),
            Self::Wavefront => Some(Organisation::Wavefront),
            Self::WavefrontSorted => Some(Organisation::WavefrontSorted),
            Self::Graph => Some(Organisation::Graph),
            Self::Compact | Self::TiledGlobal | Self::TiledShared | Self::Regenerate | Self::Split => None,
        }
    }

    /// Returns `true` if rays are queued between the kernels that trace and the kernels that shade.
    pub const fn is_wavefront(self) -> bool {
        matches!(self, Self::Wavefront | Self::WavefrontSorted | Self::Graph)
    }

    /// Returns `true` if each thread block takes a tile of light paths.
    pub const fn is_tiled(self) -> bool {
        matches!(self, Self::TiledGlobal | Self::TiledShared)
    }
}

/// An organisation of the path tracing kernels with its options; all of them render the same picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PathExperiment {
    /// Organisation that is measured: which kernels there are, and in which order they are launched.
    pub organisation: MeasuredOrganisation,
    /// Number of light paths in flight: [`EngineOptions::paths`].
    pub paths: usize,
    /// Number of paths of a batch per path in flight: [`EngineOptions::queues_per_batch`].
    pub queues_per_batch: usize,
    /// Way of listing the paths that go on, in [`MeasuredOrganisation::Compact`] and
    /// [`MeasuredOrganisation::Regenerate`].
    pub compaction: Compaction,
    /// `true` if the host reads after each bounce, or round, how many paths go on and launches as many lanes (W11 3.4;
    /// L9). Otherwise as many lanes as began are launched, of which the superfluous ones end at once. Of the same two,
    /// and of [`MeasuredOrganisation::Wavefront`] and [`MeasuredOrganisation::WavefrontSorted`].
    pub host_counts: bool,
    /// Number of paths of each of a tile's 64 lanes, 1 to 512: W11's M.
    pub paths_per_lane: u32,
    /// Number of extra multiply-adds at each vertex of a light path, which make shading heavier and change no picture
    /// (W11 4.2.5).
    pub longer_shading: u32,
    /// Threads per block and registers with which the driver compiles the kernel that holds paths in its lanes (W11 4):
    /// of [`MeasuredOrganisation::Megakernel`], [`MeasuredOrganisation::Compact`], [`MeasuredOrganisation::Regenerate`]
    /// and [`MeasuredOrganisation::Split`], and of tiles the registers. Others take none.
    pub bounds: LaunchBounds,
    /// Number of steps of an extra search at each vertex in a table of 2^steps numbers, 0 to 28: as though it sampled
    /// an environment of as many texels (W11 4.2.5). Where lanes hold paths, as before.
    pub search_steps: u32,
    /// Points in a bounce at which paths are listed, in [`MeasuredOrganisation::Compact`]. Others than behind all of it
    /// are for scenes of diffuse surfaces alone, without textures, holes and media.
    pub listed_at: ListedAt,
    /// BVH traversal loop, of [`MeasuredOrganisation::Megakernel`] and of [`MeasuredOrganisation::Compact`] with
    /// bounces of one kernel. Others than the phased one are for the same scenes alone, and have a tree of their own.
    pub walk: Walk,
    /// `true` if each kernel launch is timed:
    /// [`CudaRenderer::stage_seconds`](raywarp_render_cuda::CudaRenderer::stage_seconds). The two events that each
    /// takes then make a picture slower.
    pub timed: bool,
}

impl PathExperiment {
    /// Returns the options with which an organisation of kernels renders fastest.
    pub fn of(organisation: MeasuredOrganisation) -> Self {
        let (paths, queues_per_batch) = match organisation.product().map(EngineOptions::of) {
            Some(EngineOptions { paths, queues_per_batch, .. }) => (paths, queues_per_batch),
            None if organisation == MeasuredOrganisation::Regenerate => (KEPT_PATHS, QUEUES_PER_BATCH),
            None => (KEPT_PATHS, 1),
        };
        Self {
            organisation,
            paths,
            queues_per_batch,
            compaction: if organisation == MeasuredOrganisation::Regenerate {
                Compaction::Off
            } else {
                Compaction::Scan
            },
            host_counts: false,
            paths_per_lane: PATHS_PER_LANE,
            longer_shading: 0,
            search_steps: 0,
            listed_at: ListedAt::END,
            walk: Walk::Phased,
            bounds: LaunchBounds::AS_COMPILED,
            timed: false,
        }
    }

    /// Returns the product's organisation that does the same work as this experiment, if there is one.
    fn product(&self) -> Option<Organisation> {
        let is_plain = !self.host_counts
            && !self.timed
            && self.walk == Walk::Phased
            && self.bounds.are_default()
            && !self.has_burden();
        self.organisation.product().filter(|_| is_plain)
    }

    /// Returns `true` if each vertex of a light path has extra work.
    pub(crate) fn has_burden(&self) -> bool {
        self.longer_shading > 0 || self.search_steps > 0
    }

    /// Returns the points in a bounce at which paths are listed: those asked for, or the end where the organisation has
    /// no choice.
    pub(crate) fn listed_at(&self) -> ListedAt {
        if self.organisation == MeasuredOrganisation::Compact { self.listed_at } else { ListedAt::END }
    }

    /// Returns `true` if light paths stay at their index in memory from bounce to bounce.
    pub(crate) fn has_bounces(&self) -> bool {
        match self.organisation {
            MeasuredOrganisation::Compact => true,
            MeasuredOrganisation::Regenerate => self.compaction != Compaction::Off,
            _ => false,
        }
    }

    /// Returns `true` if paths that go on are listed, in two lists that alternate.
    pub(crate) fn lists_paths(&self) -> bool {
        self.has_bounces() && self.compaction != Compaction::Off && self.listed_at().listings() > 0
    }

    /// Returns `true` if a bounce is three launches: extending, shading and connecting.
    pub(crate) fn is_in_parts(&self) -> bool {
        self.listed_at().splits()
    }
}

impl Default for PathExperiment {
    fn default() -> Self {
        Self::of(MeasuredOrganisation::WavefrontSorted)
    }
}

impl From<PathExperiment> for EngineOptions {
    fn from(experiment: PathExperiment) -> Self {
        let PathExperiment { paths, queues_per_batch, .. } = experiment;
        let options = Self { paths, queues_per_batch, ..Self::default() };
        match experiment.product() {
            Some(organisation) => Self { organisation: Arc::new(organisation), ..options },
            None => Self { organisation: Arc::new(experiment), ..options },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_product_has_is_rendered_by_it_and_all_else_by_the_experiment() {
        for organisation in MeasuredOrganisation::ALL {
            let own = PathExperiment::of(organisation);
            assert_eq!(own.product(), organisation.product());
            let options = EngineOptions::from(own);
            assert_eq!((options.organisation.name(), options.paths), (organisation.name(), own.paths));
            let bounds = LaunchBounds { block_threads: Some(64), ..LaunchBounds::AS_COMPILED };
            for other in [
                PathExperiment { host_counts: true, ..own },
                PathExperiment { timed: true, ..own },
                PathExperiment { walk: Walk::WhileWhile, ..own },
                PathExperiment { longer_shading: 1, ..own },
                PathExperiment { search_steps: 1, ..own },
                PathExperiment { bounds, ..own },
            ] {
                assert_eq!(other.product(), None, "{other:?}");
            }
        }
    }
}
