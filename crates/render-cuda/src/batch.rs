//! A batch of paths on its way from the camera to the film's sums: what an organisation launches its kernels through.

use crate::launch::{Counters, RenderRecord};
use crate::launches::{Launches, Recorded, StageSeconds};
use crate::path_kernels::ResidentKernel;
use crate::stage::{GraphCounts, Stage};
use crate::state::{Layout, State};
use raywarp_cuda::{CudaError, Function, Stream};
use raywarp_render::Integrator;
use std::collections::BTreeMap;

/// Number of rounds that are launched before the host looks how many paths are left, where paths may be long.
pub const ROUNDS_AT_ONCE: u32 = 12;

/// Numbers of paths that are not at their end.
#[derive(Debug, Clone, Copy)]
pub struct PathsLeft {
    /// Number of paths that go on or wait.
    pub all: u32,
    /// Number of paths that have not begun.
    pub waiting: u32,
}

/// Batch of paths: the parameters of its kernels, and the launches of them, in order on one stream.
#[derive(Debug)]
pub struct Batch<'a> {
    /// Parameters that its kernels are given.
    pub render: RenderRecord,
    /// Integrator, which says what pixels show.
    pub integrator: Integrator,
    /// `true` if layers of first hits are wanted.
    pub layers: bool,
    /// Most vertices that a path has behind its first.
    pub max_depth: u32,
    /// Number of lanes that each begin a path of their own, and then others, where a kernel does so: 0 elsewhere.
    pub regenerating_lanes: u64,
    stream: &'a Stream,
    state: &'a mut State,
    launches: Launches<'a>,
    seconds: &'a mut Vec<StageSeconds>,
}

/// Counts of the launches of a batch.
pub(crate) struct Launched {
    pub counters: Counters,
    pub launches: BTreeMap<Stage, u64>,
    pub graphs: GraphCounts,
    pub regenerating_lanes: u64,
}

impl<'a> Batch<'a> {
    /// Makes a batch that has not begun; the times of its launches are added to `seconds`, if they are timed.
    pub(crate) fn new(
        stream: &'a Stream,
        (state, seconds): (&'a mut State, &'a mut Vec<StageSeconds>),
        render: RenderRecord,
        (integrator, layers, max_depth): (Integrator, bool, u32),
        timed: bool,
    ) -> Self {
        let launches = Launches::on(stream, timed);
        Self { render, integrator, layers, max_depth, regenerating_lanes: 0, stream, state, launches, seconds }
    }

    /// Returns the counts of the launches, at the end, for which the host waits.
    pub(crate) fn ended(mut self) -> Result<Launched, CudaError> {
        let counters = self.counters()?;
        let Self { launches, regenerating_lanes, .. } = self;
        Ok(Launched { counters, launches: launches.counts, graphs: launches.graphs, regenerating_lanes })
    }

    /// Returns the stream that all is launched on.
    pub fn stream(&self) -> &'a Stream {
        self.stream
    }

    /// Returns the layout of the state of paths.
    pub fn layout(&self) -> &Layout {
        self.state.layout()
    }

    /// Returns the addresses of the two lists of places, where those are kept.
    pub fn lists(&mut self) -> [u64; 2] {
        self.state.lists(self.stream)
    }

    /// Sets the round, or bounce, that the launches which follow belong to.
    pub fn begin_round(&mut self, round: u32) {
        self.launches.round = round as usize;
    }

    /// Times no launch of this batch, whatever is asked for.
    pub fn leave_untimed(&mut self) {
        self.launches.timed = false;
    }

    /// Forgets which connections were blocked.
    ///
    /// # Errors
    /// [`CudaError`], as in all that is launched.
    pub fn clear_answers(&mut self) -> Result<(), CudaError> {
        self.state.clear_answers(self.stream)
    }

    /// Returns the numbers of paths that are not at their end, for which the host waits; `None` where there are none.
    ///
    /// # Errors
    /// [`CudaError`].
    pub fn left(&mut self) -> Result<Option<PathsLeft>, CudaError> {
        let counters = self.counters()?;
        let waiting = self.render.batch.path_count - counters.begun;
        let all = counters.survivors.saturating_add(waiting);
        Ok((all > 0).then_some(PathsLeft { all, waiting }))
    }

    /// Returns the kernels' counters as they are now, for which the host waits.
    fn counters(&mut self) -> Result<Counters, CudaError> {
        let mut counters = [Counters::default()];
        self.stream.read(&self.state.counters, &mut counters)?;
        self.launches.add_seconds(self.seconds)?;
        Ok(counters[0])
    }

    /// Launches a kernel by so many blocks, of as many threads as it is compiled for.
    ///
    /// # Errors
    /// [`CudaError`].
    pub fn blocks(&mut self, stage: Stage, kernel: &Function, blocks: u32) -> Result<(), CudaError> {
        self.sharing(stage, kernel, (blocks, kernel.block_threads(), 0))
    }

    /// Launches a kernel with a lane for each of so many entries, at least one block.
    ///
    /// # Errors
    /// [`CudaError`].
    pub fn lanes(&mut self, stage: Stage, kernel: &Function, entries: u32) -> Result<(), CudaError> {
        self.blocks(stage, kernel, entries.div_ceil(kernel.block_threads()).max(1))
    }

    /// Launches a kernel whose warps take entries until none is left: as many blocks as are resident, at most one for
    /// each of so many.
    ///
    /// # Errors
    /// [`CudaError`].
    pub fn resident(&mut self, stage: Stage, kernel: &ResidentKernel, entries: u32) -> Result<(), CudaError> {
        self.blocks(stage, &kernel.function, kernel.blocks(entries))
    }

    /// Launches a kernel by so many blocks of so many threads that share so many bytes.
    ///
    /// # Errors
    /// [`CudaError`].
    pub fn sharing(&mut self, stage: Stage, kernel: &Function, blocks: (u32, u32, u32)) -> Result<(), CudaError> {
        self.launches.launch(stage, kernel, blocks, &self.render)
    }

    /// Records what `work` launches, of which nothing is done or counted yet.
    ///
    /// # Errors
    /// [`CudaError`].
    pub fn record(&mut self, work: impl FnOnce(&mut Self) -> Result<(), CudaError>) -> Result<Recorded, CudaError> {
        let stream = self.stream;
        let own = std::mem::replace(&mut self.launches, Launches::on(stream, false));
        let graph = stream.record(|| work(self));
        let recorded = std::mem::replace(&mut self.launches, own);
        Ok(Recorded { graph: graph?, counts: recorded.counts })
    }

    /// Launches all that was recorded.
    ///
    /// # Errors
    /// [`CudaError`].
    pub fn repeat(&mut self, recorded: &Recorded) -> Result<(), CudaError> {
        self.launches.repeat(recorded)
    }
}
