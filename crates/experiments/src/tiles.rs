//! Tiles: blocks that take some paths each to their ends, and list those that go on after each bounce (W11 3.5).

use crate::launch::TileRecord;
use crate::measured_batch::MeasuredBatch;
use crate::{MeasuredOrganisation, PathExperiment, stage};
use raywarp_cuda::{CudaError, Device, Function};
use raywarp_geom::TraceError;
use raywarp_render_cuda::Layout;

/// Number of threads of a block that takes a tile of light paths, as in kernels/organisation/tiled.h.
pub(crate) const TILE_LANES: u32 = 64;
/// Largest number of light paths of a tile's lane: path numbers in a tile have 16 bits.
const MOST_PATHS_PER_LANE: u32 = 512;

/// The kernel that takes tiles of light paths to their ends.
#[derive(Debug)]
pub(crate) struct Tiles {
    pub experiment: PathExperiment,
    pub kernel: Function,
}

impl Tiles {
    /// Checks that a block of the device has as much shared memory as a tile needs.
    pub fn check(&self, device: &Device, layout: &Layout) -> Result<(), TraceError> {
        let needed = self.experiment.tile(layout).shared_bytes;
        let most = device.shared_bytes_per_block().map_err(|error| TraceError::Device(error.to_string()))?;
        if needed > most {
            let text = format!("a tile needs {needed} bytes of shared memory, and a block of this GPU has {most}");
            return Err(TraceError::Device(text));
        }
        Ok(())
    }

    /// Launches the kernel over all tiles of a batch.
    pub fn trace(&self, batch: &mut MeasuredBatch<'_, '_>) -> Result<(), CudaError> {
        batch.tile = self.experiment.tile(batch.batch.layout());
        let blocks = batch.path_count().div_ceil(TILE_LANES * batch.tile.paths_per_lane);
        let shared = batch.tile.shared_bytes;
        self.kernel.allow_sharing(shared)?;
        batch.sharing(stage::TILED, &self.kernel, (blocks, TILE_LANES, shared))
    }
}

impl PathExperiment {
    /// Returns the size of a tile and the shared memory of its block.
    pub(crate) fn tile(&self, layout: &Layout) -> TileRecord {
        let paths_per_lane = self.paths_per_lane.clamp(1, MOST_PATHS_PER_LANE);
        let paths = TILE_LANES * paths_per_lane;
        // Two lists of 16-bit numbers.
        let list_bytes = 2 * 2 * paths;
        let in_shared = self.organisation == MeasuredOrganisation::TiledShared;
        // A path with its radiance.
        let path_bytes = if in_shared { paths * (layout.queued() as u32 + 16) } else { 0 };
        TileRecord {
            paths_per_lane,
            list_bytes,
            shared_bytes: list_bytes + path_bytes,
            has_sampler_states: u32::from(layout.sampler_states),
        }
    }
}
