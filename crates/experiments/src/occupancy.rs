//! The number of blocks of tiles that a multiprocessor holds (W11, figure 2).

use crate::Experiment;
use crate::loaded::Work;
use crate::tiles::{TILE_LANES, Tiles};
use raywarp_cuda::Device;
use raywarp_render::RenderOptions;
use raywarp_render_cuda::{EngineOptions, RenderCudaError, SceneFeatures};

/// Occupancy by tiles: the memory that a block of one shares, and the blocks that are on a multiprocessor at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TileOccupancy {
    /// Bytes that a block shares: lists, and the paths of
    /// [`MeasuredOrganisation::TiledShared`](crate::MeasuredOrganisation::TiledShared).
    pub shared_bytes: u32,
    /// Number of blocks of 64 threads on a multiprocessor; none where one is too large.
    pub blocks: u32,
}

impl Experiment {
    /// Returns the occupancy of a device by tiles, for a picture with these options of a scene with such features;
    /// `None` for organisations without tiles.
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
