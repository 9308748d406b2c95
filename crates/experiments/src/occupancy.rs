//! The number of blocks of tiles that a multiprocessor holds (W11, figure 2).

use crate::PathExperiment;
use crate::loaded::Work;
use crate::tiles::{TILE_LANES, Tiles};
use raywarp_cuda::Device;
use raywarp_render::RenderOptions;
use raywarp_render_cuda::{EngineOptions, RenderCudaError, SceneFeatures};

/// Occupancy of a GPU by tiles of paths: the shared memory of a tile's block, and the blocks on a multiprocessor at
/// once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TileOccupancy {
    /// Bytes of shared memory of a block: lists, and the paths of
    /// [`MeasuredOrganisation::TiledShared`](crate::MeasuredOrganisation::TiledShared).
    pub shared_bytes: u32,
    /// Number of blocks of 64 threads that fit on a multiprocessor; `None` where one block needs too much memory.
    pub blocks: u32,
}

impl PathExperiment {
    /// Returns the occupancy of a device by tiles of paths, for these render options and scene features; `None` for
    /// organisations without tiles.
    ///
    /// # Errors
    /// [`RenderCudaError`].
    pub fn tile_occupancy(
        &self,
        device: &Device,
        features: &SceneFeatures,
        options: &RenderOptions,
    ) -> Result<Option<TileOccupancy>, RenderCudaError> {
        if !self.organisation.is_tiled() {
            return Ok(None);
        }
        let Work::Tiled(Tiles { kernel, .. }) = Work::load(self, device, features)? else { return Ok(None) };
        let shared_bytes = self.tile(&EngineOptions::from(*self).layout(features, options)).shared_bytes;
        let fits = shared_bytes <= device.shared_bytes_per_block()?;
        let blocks = if fits { kernel.blocks_per_multiprocessor(device, TILE_LANES, shared_bytes)? } else { 0 };
        Ok(Some(TileOccupancy { shared_bytes, blocks }))
    }
}
