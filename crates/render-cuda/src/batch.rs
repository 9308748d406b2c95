//! A batch of paths on its way from the camera to the film's sums: what an organisation launches its kernels through.

use crate::launch::{Counters, RenderRecord};
use crate::launches::{Launches, RecordedLaunches, StageSeconds};
use crate::path_kernels::ResidentKernel;
use crate::stage::{GraphCounts, Stage};
use crate::state::{Layout, State};
use raywarp_cuda::{CudaError, Function, Parameters, Stream};
use raywarp_render::Integrator;
use std::collections::BTreeMap;

/// Number of wavefront rounds that are launched before the host reads how many paths are left, where paths may be long.
pub const ROUNDS_AT_ONCE: u32 = 12;

/// Numbers of paths of a batch that have not ended.
#[derive(Debug, Clone, Copy)]
pub struct PathsLeft {
    /// Number of paths that are in flight or have not begun.
    pub all: u32,
    /// Number of paths that have not begun.
    pub waiting: u32,
}

/// Batch of paths on one device: the parameters of its kernels, and their launches in order on one stream.
#[derive(Debug)]
pub struct PathBatch<'a> {
    /// Parameters that all kernels of the batch take.
    pub render: RenderRecord,
    /// Integrator, which decides what pixels show.
    pub integrator: Integrator,
    /// `true` if the layers of first hits (albedo, normal, depth) are wanted.
    pub layers: bool,
    /// Largest number of vertices of a path behind its first one.
    pub max_depth: u32,
    /// Number of paths that begin in lanes of ended ones, as the organisation knows it; rounds say it of queues.
    pub refilled: u64,
    stream: &'a Stream,
    state: &'a mut State,
    launches: Launches<'a>,
    seconds: &'a mut Vec<StageSeconds>,
}

/// Counters of an ended batch, with the numbers of its launches.
pub(crate) struct Launched {
    pub counters: Counters,
    pub launches: BTreeMap<Stage, u64>,
    pub graphs: GraphCounts,
    pub refilled: u64,
}

impl<'a> PathBatch<'a> {
    /// Makes a batch that has not begun; its launches' times, if taken, are added to `seconds`.
    pub(crate) fn new(
        stream: &'a Stream,
        (state, seconds): (&'a mut State, &'a mut Vec<StageSeconds>),
        render: RenderRecord,
        (integrator, layers, max_depth): (Integrator, bool, u32),
        timed: bool,
    ) -> Self {
        let launches = Launches::on(stream, timed);
        Self { render, integrator, layers, max_depth, refilled: 0, stream, state, launches, seconds }
    }

    /// Waits for the end of the batch, and returns its counters and numbers of launches.
    pub(crate) fn ended(mut self) -> Result<Launched, CudaError> {
        let counters = self.counters()?;
        let Self { launches, refilled, .. } = self;
        Ok(Launched { counters, launches: launches.counts, graphs: launches.graphs, refilled })
    }

    /// Returns the stream on which the batch's kernels are launched.
    pub fn stream(&self) -> &'a Stream {
        self.stream
    }

    /// Returns the layout of the path state in device memory.
    pub fn layout(&self) -> &Layout {
        self.state.layout()
    }

    /// Returns the device address of the memory that the organisation lays out itself, as long as
    /// [`own_memory`](crate::PathOrganisation::own_memory) says, for as many paths as `render.capacity`; 0 if it has
    /// none. It holds what the batch before left there, zeros at first.
    pub fn own_memory(&mut self) -> u64 {
        self.state.own_memory(self.stream)
    }

    /// Sets the round (of a wavefront) or bounce to which the next launches are counted.
    pub fn begin_round(&mut self, round: u32) {
        self.launches.round = round as usize;
    }

    /// Stops timing the launches of this batch, even if times were asked for.
    pub fn leave_untimed(&mut self) {
        self.launches.timed = false;
    }

    /// Clears the bits that say which connections to lights are blocked.
    ///
    /// # Errors
    /// [`CudaError`], as in all that is launched.
    pub fn clear_answers(&mut self) -> Result<(), CudaError> {
        self.state.clear_answers(self.stream)
    }

    /// Waits for the device, and returns the numbers of paths that have not ended; `None` if all have.
    ///
    /// # Errors
    /// [`CudaError`].
    pub fn left(&mut self) -> Result<Option<PathsLeft>, CudaError> {
        let counters = self.counters()?;
        let waiting = self.render.batch.path_count - counters.begun;
        let all = counters.survivors.saturating_add(waiting);
        Ok((all > 0).then_some(PathsLeft { all, waiting }))
    }

    /// Waits for the device, and returns the kernels' counters as they are now.
    fn counters(&mut self) -> Result<Counters, CudaError> {
        let mut counters = [Counters::default()];
        self.stream.read(&self.state.counters, &mut counters)?;
        self.launches.add_seconds(self.seconds)?;
        Ok(counters[0])
    }

    /// Launches a kernel with this number of thread blocks, of the size that it is compiled for.
    ///
    /// # Errors
    /// [`CudaError`].
    pub fn blocks(&mut self, stage: Stage, kernel: &Function, blocks: u32) -> Result<(), CudaError> {
        self.launches.launch(stage, kernel, (blocks, kernel.block_threads(), 0), &self.render)
    }

    /// Launches a kernel with one lane for each entry, as at least one thread block.
    ///
    /// # Errors
    /// [`CudaError`].
    pub fn lanes(&mut self, stage: Stage, kernel: &Function, entries: u32) -> Result<(), CudaError> {
        self.blocks(stage, kernel, entries.div_ceil(kernel.block_threads()).max(1))
    }

    /// Launches a kernel whose warps take entries until none is left: with as many thread blocks as are resident, or
    /// fewer if there are few entries.
    ///
    /// # Errors
    /// [`CudaError`].
    pub fn resident(&mut self, stage: Stage, kernel: &ResidentKernel, entries: u32) -> Result<(), CudaError> {
        self.blocks(stage, &kernel.function, kernel.blocks(entries))
    }

    /// Launches a kernel that takes other parameters than `render`, with the given (number of thread blocks, threads
    /// per block, bytes of shared memory).
    ///
    /// # Errors
    /// [`CudaError`].
    pub fn launch_with<P: Parameters>(
        &mut self,
        stage: Stage,
        kernel: &Function,
        blocks: (u32, u32, u32),
        parameters: &P,
    ) -> Result<(), CudaError> {
        self.launches.launch(stage, kernel, blocks, parameters)
    }

    /// Records the launches that `work` makes as a graph, without running or counting them.
    ///
    /// # Errors
    /// [`CudaError`].
    pub fn record(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<(), CudaError>,
    ) -> Result<RecordedLaunches, CudaError> {
        let stream = self.stream;
        let own = std::mem::replace(&mut self.launches, Launches::on(stream, false));
        let graph = stream.record(|| work(self));
        let recorded = std::mem::replace(&mut self.launches, own);
        Ok(RecordedLaunches { graph: graph?, counts: recorded.counts })
    }

    /// Launches the recorded graph.
    ///
    /// # Errors
    /// [`CudaError`].
    pub fn repeat(&mut self, recorded: &RecordedLaunches) -> Result<(), CudaError> {
        self.launches.repeat(recorded)
    }
}
