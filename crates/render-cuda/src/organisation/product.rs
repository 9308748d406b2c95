//! The product's organisations: whole paths in a kernel, queues, and first hits.

use super::wavefront::{GraphedWavefront, WavefrontKernels};
use super::{LoadPlace, LoadedOrganisation, PathOrganisation};
use crate::RenderCudaError;
use crate::batch::PathBatch;
use crate::counts::{PathCounts, StageMoves};
use crate::film::PixelOrder;
use crate::kept_paths::{CountedRounds, KeptPaths};
use crate::prebuilt::PATH_KERNELS;
use crate::sources::{FeatureSet, Organisation};
use crate::stage::Stage;
use crate::state::Layout;
use raywarp_cuda::{CudaError, Function};
use raywarp_render::Integrator;

// SAFETY: the kernels of `PATH_KERNELS` take a `RenderRecord`, and what is changed in it is that its two queues
// alternate.
unsafe impl PathOrganisation for Organisation {
    fn name(&self) -> &'static str {
        Self::name(*self)
    }

    fn kept_paths(&self) -> KeptPaths {
        if self.is_wavefront() { KeptPaths::Queues } else { KeptPaths::Nothing }
    }

    fn counted_rounds(&self) -> CountedRounds {
        if self.is_wavefront() { CountedRounds::WithBegun } else { CountedRounds::None }
    }

    fn sorts(&self) -> bool {
        Self::sorts(*self)
    }

    fn pixel_order(&self) -> PixelOrder {
        // Where a lane keeps a path in blocks, as W11 does (B).
        if *self == Self::Megakernel { PixelOrder::Blocks } else { PixelOrder::Rows }
    }

    fn moves(&self, layout: &Layout, counts: &PathCounts) -> Vec<StageMoves> {
        const RAY: u64 = 32;
        const PLACE: u64 = 4;
        let bytes = layout.bytes();
        let [queue, hit, result] = [bytes.queue, bytes.hit, bytes.result].map(|bytes| bytes as u64);
        let PathCounts { begun, extended, connected, .. } = *counts;
        let moved = |stage, read, written| StageMoves { stage, read, written };
        match self {
            Self::Megakernel => return vec![moved(Stage::MEGAKERNEL, 0, begun * result)],
            Self::FirstHits => return vec![moved(Stage::FIRST_HITS, 0, begun * result)],
            Self::Wavefront | Self::WavefrontSorted | Self::Graph => {}
        }
        let (put, taken) = layout.connection_moved();
        let place = if layout.sorted { PLACE } else { 0 };
        // Who is extended has begun or gone on.
        let gone_on = extended.saturating_sub(begun);
        vec![
            moved(Stage::REFILL, 0, begun * (queue + result)),
            moved(Stage::EXTEND, extended * queue.min(RAY), extended * hit),
            moved(Stage::SORT, if layout.sorted { extended * hit } else { 0 }, extended * place),
            moved(Stage::SHADE, extended * (place + queue + hit), gone_on * queue + connected * put),
            moved(Stage::CONNECT, connected * put.min(RAY), 0),
            moved(Stage::ARRIVE_LIGHT, connected * taken, 0),
        ]
    }

    fn load(&self, place: &LoadPlace<'_>) -> Result<Box<dyn LoadedOrganisation>, RenderCudaError> {
        Ok(match self {
            Self::Megakernel => Box::new(Megakernel::load(place)?),
            Self::Wavefront | Self::WavefrontSorted => Box::new(WavefrontKernels::load(place, self.sorts())?),
            Self::Graph => Box::new(GraphedWavefront(WavefrontKernels::load(place, self.sorts())?)),
            Self::FirstHits => Box::new(FirstHits::load(place)?),
        })
    }
}

/// Megakernel organisation: one kernel that traces each path to its end.
#[derive(Debug)]
struct Megakernel {
    name: String,
    kernel: Function,
}

impl Megakernel {
    fn load(place: &LoadPlace<'_>) -> Result<Self, RenderCudaError> {
        let name = PATH_KERNELS.table.kernel_name("megakernel", place.features.set);
        Ok(Self { kernel: PATH_KERNELS.function(place.device, "megakernel", &name)?, name })
    }
}

impl LoadedOrganisation for Megakernel {
    fn trace(&self, batch: &mut PathBatch<'_>) -> Result<(), CudaError> {
        batch.lanes(Stage::MEGAKERNEL, &self.kernel, batch.render.batch.path_count)
    }

    fn lane_kernel(&self) -> Option<(String, &Function)> {
        Some((self.name.clone(), &self.kernel))
    }
}

/// Kernels for integrators other than path tracing, which look at first hits, for scenes as simple as each integrator
/// sees them.
#[derive(Debug)]
struct FirstHits {
    /// Kernel for pictures for which surfaces matter only by their holes.
    shapes: Function,
    /// Kernel for pictures that show properties of surfaces.
    surfaces: Function,
}

impl FirstHits {
    fn load(place: &LoadPlace<'_>) -> Result<Self, RenderCudaError> {
        let features = place.features;
        let by_holes = if features.holes { FeatureSet::Surfaces } else { FeatureSet::Plain };
        let kernel = |set| PATH_KERNELS.of_features(place.device, "first_hits", set);
        Ok(Self { shapes: kernel(by_holes)?, surfaces: kernel(features.set.without_media())? })
    }

    /// Returns the kernel for an integrator, with or without layers of first hits; `None` if other kernels render that
    /// (path tracing, layers with an albedo).
    fn of(&self, integrator: Integrator, layers: bool) -> Option<&Function> {
        match integrator {
            Integrator::AmbientOcclusion { .. } => Some(&self.shapes),
            Integrator::Normal if !layers => Some(&self.surfaces),
            Integrator::Depth if !layers => Some(&self.shapes),
            // Layers hold the albedo, which is nowhere but in kernels for paths.
            Integrator::Normal | Integrator::Depth | Integrator::Path | Integrator::Cost => None,
        }
    }
}

impl LoadedOrganisation for FirstHits {
    fn renders(&self, integrator: Integrator, layers: bool) -> bool {
        self.of(integrator, layers).is_some()
    }

    fn trace(&self, batch: &mut PathBatch<'_>) -> Result<(), CudaError> {
        // Pictures of others are refused before they begin.
        let kernel = self.of(batch.integrator, batch.layers).expect("a picture that these kernels are for");
        batch.lanes(Stage::FIRST_HITS, kernel, batch.render.batch.path_count)
    }
}
