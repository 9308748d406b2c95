//! Launches of a batch's kernels, counted by stage, and timed where that is asked for.

use crate::counts::{GraphCounts, Stage};
use crate::kernels::Resident;
use crate::launch::RenderRecord;
use raywarp_cuda::{CudaError, Function, Graph, Mark, Stream};

/// What a batch launches on a stream.
pub(super) struct Launches<'a> {
    stream: &'a Stream,
    pub counts: [u64; Stage::ALL.len()],
    pub graphs: GraphCounts,
    /// The round, or bounce, that is launched.
    pub round: usize,
    timed: bool,
    /// Launches whose seconds are not known yet, by round: where each begins and ends.
    marks: Vec<(usize, Stage, [Mark; 2])>,
}

/// What a device took for the launches of each stage, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StageSeconds([f64; Stage::ALL.len()]);

impl StageSeconds {
    /// For those of a stage.
    pub fn of(&self, stage: Stage) -> f64 {
        self.0[stage as usize]
    }
}

/// Launches that were recorded.
pub(super) struct Recorded {
    graph: Graph,
    counts: [u64; Stage::ALL.len()],
}

impl<'a> Launches<'a> {
    /// None yet.
    pub fn on(stream: &'a Stream, timed: bool) -> Self {
        let (counts, graphs) = ([0; Stage::ALL.len()], GraphCounts::default());
        Self { stream, counts, graphs, round: 0, timed, marks: Vec::new() }
    }

    /// Adds what launches took to the sums of their rounds. The device has come to the end of all of them.
    pub fn add_seconds(&mut self, rounds: &mut Vec<StageSeconds>) -> Result<(), CudaError> {
        for (round, stage, [begin, end]) in self.marks.drain(..) {
            rounds.resize(rounds.len().max(round + 1), StageSeconds::default());
            rounds[round].0[stage as usize] += begin.seconds_until(&end)?;
        }
        Ok(())
    }

    /// Records what `work` launches, of which nothing is done or counted yet.
    pub fn record(&self, work: impl FnOnce(&mut Launches<'a>) -> Result<(), CudaError>) -> Result<Recorded, CudaError> {
        let mut recorded = Self::on(self.stream, false);
        let graph = self.stream.record(|| work(&mut recorded))?;
        Ok(Recorded { graph, counts: recorded.counts })
    }

    /// Launches all that was recorded.
    pub fn repeat(&mut self, recorded: &Recorded) -> Result<(), CudaError> {
        for (own, more) in self.counts.iter_mut().zip(recorded.counts) {
            *own += more;
        }
        self.graphs += GraphCounts { launches: 1, kernels: recorded.counts.iter().sum() };
        // SAFETY: the memory that it names is that of buffers of the renderer, which stay until the batch has ended.
        unsafe { recorded.graph.launch() }
    }

    fn mark(&self) -> Result<Option<Mark>, CudaError> {
        self.timed.then(|| self.stream.mark()).transpose()
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
        let begin = self.mark()?;
        // SAFETY: all kernels take this record; its addresses are those of buffers of the renderer, as long as
        // kernels/render.h says for the batch.
        unsafe { kernel.launch_sharing(self.stream, blocks, threads, bytes, render) }?;
        let end = self.mark()?;
        self.marks.extend(begin.zip(end).map(|(begin, end)| (self.round, stage, [begin, end])));
        Ok(())
    }
}
