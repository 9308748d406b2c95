//! A batch of paths, with what the experiments' kernels take beside the engine's parameters.

use crate::launch::{BurdenRecord, MeasuredRecord, PlacesRecord, TileRecord};
use raywarp_cuda::{CudaError, Function};
use raywarp_render_cuda::{PathBatch, ResidentKernel, Stage};

/// Batch of paths that an experiment's own kernels trace.
#[derive(Debug)]
pub(crate) struct MeasuredBatch<'a, 'b> {
    /// The batch as the engine and the product's kernels have it.
    pub batch: &'a mut PathBatch<'b>,
    pub places: PlacesRecord,
    pub tile: TileRecord,
    pub burden: BurdenRecord,
}

impl<'a, 'b> MeasuredBatch<'a, 'b> {
    /// Makes a batch without places and tiles.
    pub fn new(batch: &'a mut PathBatch<'b>, burden: BurdenRecord) -> Self {
        Self { batch, places: PlacesRecord::default(), tile: TileRecord::default(), burden }
    }

    /// Returns the number of paths of the batch.
    pub fn path_count(&self) -> u32 {
        self.batch.render.batch.path_count
    }

    /// Launches a kernel with this number of thread blocks, of the size that it is compiled for.
    pub fn blocks(&mut self, stage: Stage, kernel: &Function, blocks: u32) -> Result<(), CudaError> {
        self.sharing(stage, kernel, (blocks, kernel.block_threads(), 0))
    }

    /// Launches a kernel with one lane for each entry, as at least one thread block.
    pub fn lanes(&mut self, stage: Stage, kernel: &Function, entries: u32) -> Result<(), CudaError> {
        self.blocks(stage, kernel, entries.div_ceil(kernel.block_threads()).max(1))
    }

    /// Launches a kernel whose lanes take entries until none is left, as [`PathBatch::resident`] does.
    pub fn resident(&mut self, stage: Stage, kernel: &ResidentKernel, entries: u32) -> Result<(), CudaError> {
        self.blocks(stage, &kernel.function, kernel.blocks(entries))
    }

    /// Launches a kernel with the given (number of thread blocks, threads per block, bytes of shared memory).
    pub fn sharing(&mut self, stage: Stage, kernel: &Function, blocks: (u32, u32, u32)) -> Result<(), CudaError> {
        let Self { places, tile, burden, .. } = *self;
        let record = MeasuredRecord { render: self.batch.render, places, tile, burden, unused: [0; 2] };
        self.batch.launch_with(stage, kernel, blocks, &record)
    }
}
