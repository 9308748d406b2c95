//! Launches of a batch's kernels, counted by stage.

use crate::counts::Stage;
use crate::kernels::Resident;
use crate::launch::RenderRecord;
use raywarp_cuda::{CudaError, Function, Stream};

/// What a batch launches on a stream.
pub(super) struct Launches<'a> {
    stream: &'a Stream,
    pub counts: [u64; Stage::ALL.len()],
}

impl<'a> Launches<'a> {
    pub fn on(stream: &'a Stream) -> Self {
        Self { stream, counts: [0; Stage::ALL.len()] }
    }

    /// A kernel by so many blocks, of as many threads as it is compiled for.
    pub fn blocks(
        &mut self,
        stage: Stage,
        kernel: &Function,
        blocks: u32,
        render: &RenderRecord,
    ) -> Result<(), CudaError> {
        self.sharing(stage, kernel, (blocks, kernel.block_threads(), 0), render)
    }

    /// A kernel with a lane for each of so many entries, at least one block.
    pub fn lanes(
        &mut self,
        stage: Stage,
        kernel: &Function,
        entries: u32,
        render: &RenderRecord,
    ) -> Result<(), CudaError> {
        self.blocks(stage, kernel, entries.div_ceil(kernel.block_threads()).max(1), render)
    }

    /// A kernel whose warps take entries until none is left: as many blocks as are resident, at most one for each of so many.
    pub fn resident(
        &mut self,
        stage: Stage,
        kernel: &Resident,
        entries: u32,
        render: &RenderRecord,
    ) -> Result<(), CudaError> {
        self.blocks(stage, &kernel.function, kernel.blocks(entries), render)
    }

    /// A kernel by so many blocks of so many threads that share so many bytes.
    pub fn sharing(
        &mut self,
        stage: Stage,
        kernel: &Function,
        (blocks, threads, bytes): (u32, u32, u32),
        render: &RenderRecord,
    ) -> Result<(), CudaError> {
        self.counts[stage as usize] += 1;
        // SAFETY: all kernels take this record; its addresses are those of buffers of the renderer, as long as
        // kernels/render.h says for the batch.
        unsafe { kernel.launch_sharing(self.stream, blocks, threads, bytes, render) }
    }
}
