//! Launches of a batch's kernels, counted by stage, and timed where that is asked for.

use crate::launch::RenderRecord;
use crate::stage::{GraphCounts, Stage};
use raywarp_cuda::{CudaError, Function, Graph, Mark, Stream};
use std::collections::BTreeMap;

/// Launches of a batch on a stream.
#[derive(Debug)]
pub(crate) struct Launches<'a> {
    stream: &'a Stream,
    pub counts: BTreeMap<Stage, u64>,
    pub graphs: GraphCounts,
    /// The round, or bounce, that is launched.
    pub round: usize,
    pub timed: bool,
    /// Launches whose seconds are not known yet, by round: where each begins and ends.
    marks: Vec<(usize, Stage, [Mark; 2])>,
}

/// Time that a device took for the launches of each stage, in seconds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StageSeconds(BTreeMap<Stage, f64>);

impl StageSeconds {
    /// Returns the seconds of a stage's launches; 0 for one without.
    pub fn of(&self, stage: Stage) -> f64 {
        self.0.get(&stage).copied().unwrap_or(0.0)
    }
}

/// Launches that were recorded as a graph.
#[derive(Debug)]
pub struct Recorded {
    pub(crate) graph: Graph,
    pub(crate) counts: BTreeMap<Stage, u64>,
}

impl<'a> Launches<'a> {
    /// Begins to count launches on a stream.
    pub fn on(stream: &'a Stream, timed: bool) -> Self {
        let (counts, graphs) = (BTreeMap::new(), GraphCounts::default());
        Self { stream, counts, graphs, round: 0, timed, marks: Vec::new() }
    }

    /// Adds what launches took to the sums of their rounds. The device has come to the end of all of them.
    pub fn add_seconds(&mut self, rounds: &mut Vec<StageSeconds>) -> Result<(), CudaError> {
        for (round, stage, [begin, end]) in self.marks.drain(..) {
            rounds.resize(rounds.len().max(round + 1), StageSeconds::default());
            *rounds[round].0.entry(stage).or_default() += begin.seconds_until(&end)?;
        }
        Ok(())
    }

    /// Launches all that was recorded.
    pub fn repeat(&mut self, recorded: &Recorded) -> Result<(), CudaError> {
        for (stage, more) in &recorded.counts {
            *self.counts.entry(*stage).or_default() += more;
        }
        self.graphs += GraphCounts { launches: 1, kernels: recorded.counts.values().sum() };
        // SAFETY: the memory that it names is that of buffers of the renderer, which stay until the batch has ended.
        unsafe { recorded.graph.launch() }
    }

    fn mark(&self) -> Result<Option<Mark>, CudaError> {
        self.timed.then(|| self.stream.mark()).transpose()
    }

    /// Launches a kernel by so many blocks of so many threads that share so many bytes.
    pub fn launch(
        &mut self,
        stage: Stage,
        kernel: &Function,
        (blocks, threads, bytes): (u32, u32, u32),
        render: &RenderRecord,
    ) -> Result<(), CudaError> {
        *self.counts.entry(stage).or_default() += 1;
        let begin = self.mark()?;
        // SAFETY: all kernels take this record, and its addresses are those of buffers of the renderer, as long as
        // kernels/render.h says for the batch: who implements `PathOrganisation` sees to both.
        unsafe { kernel.launch_sharing(self.stream, blocks, threads, bytes, render) }?;
        let end = self.mark()?;
        self.marks.extend(begin.zip(end).map(|(begin, end)| (self.round, stage, [begin, end])));
        Ok(())
    }
}
