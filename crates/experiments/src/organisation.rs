//! An experiment as the engine sees it.

use crate::loaded::Loaded;
use crate::{MeasuredOrganisation, PathExperiment, places};
use raywarp_family::Variant;
use raywarp_render_cuda::{
    CountedRounds, KeptPaths, Layout, LoadPlace, LoadedOrganisation, OwnMemory, PathCounts, PathOrganisation,
    RenderCudaError, StageMoves,
};

// SAFETY: the kernels of `PATH_KERNELS` take a `MeasuredRecord`, with which `MeasuredBatch` launches them; those of the
// product a `RenderRecord`. What is written there: that the product's queues alternate; addresses of arrays in the
// batch's own memory, which is as long as `own_memory` says, and of its counters; and that of a table which the loaded
// experiment holds, with 2^steps numbers.
unsafe impl PathOrganisation for PathExperiment {
    fn name(&self) -> &'static str {
        self.organisation.name()
    }

    fn variant(&self) -> Variant {
        self.walk.variant()
    }

    fn kept_paths(&self) -> KeptPaths {
        match self.organisation {
            MeasuredOrganisation::Compact | MeasuredOrganisation::Split | MeasuredOrganisation::TiledGlobal => {
                KeptPaths::Places { between_vertices: self.is_in_parts() }
            }
            MeasuredOrganisation::Regenerate if self.has_bounces() => KeptPaths::Places { between_vertices: false },
            MeasuredOrganisation::Megakernel | MeasuredOrganisation::TiledShared | MeasuredOrganisation::Regenerate => {
                KeptPaths::Nothing
            }
            MeasuredOrganisation::Wavefront | MeasuredOrganisation::WavefrontSorted | MeasuredOrganisation::Graph => {
                KeptPaths::Queues
            }
        }
    }

    fn own_memory(&self) -> OwnMemory {
        match self.organisation {
            MeasuredOrganisation::Split => places::memory(false),
            _ if self.has_bounces() => places::memory(self.lists_paths()),
            _ => OwnMemory::default(),
        }
    }

    fn counted_rounds(&self) -> CountedRounds {
        if self.organisation.is_wavefront() {
            CountedRounds::WithBegun
        } else if self.organisation.is_tiled() {
            CountedRounds::WithWarps
        } else if !self.has_bounces() {
            CountedRounds::None
        } else if self.lists_paths() && !self.is_in_parts() {
            CountedRounds::WithBegun
        } else {
            // In place of those that begin: lists have no gaps, or hold some that have ended since.
            CountedRounds::WithWarps
        }
    }

    fn refills(&self) -> bool {
        self.organisation.is_wavefront() || self.organisation == MeasuredOrganisation::Regenerate
    }

    fn sorts(&self) -> bool {
        self.organisation.product().is_some_and(raywarp_render_cuda::Organisation::sorts)
    }

    fn is_timed(&self) -> bool {
        self.timed
    }

    fn moves(&self, layout: &Layout, counts: &PathCounts) -> Vec<StageMoves> {
        match self.organisation.product() {
            Some(product) => product.moves(layout, counts),
            None => crate::moves::moves(self, layout, counts),
        }
    }

    fn load(&self, place: &LoadPlace<'_>) -> Result<Box<dyn LoadedOrganisation>, RenderCudaError> {
        Ok(Box::new(Loaded::new(self, place)?))
    }
}
