//! Launches of a batch's kernels, counted by stage, and timed where that is asked for.

use crate::stage::{GraphCounts, Stage};
use raywarp_cuda::{CudaError, Function, Graph, Mark, Parameters, Stream};
use std::collections::BTreeMap;

/// Kernel launches of a batch on a stream, counted and optionally timed.
#[derive(Debug)]
pub(crate) struct Launches<'a> {
    stream: &'a Stream,
    pub counts: BTreeMap<Stage, u64>,
    pub graphs: GraphCounts,
    /// Current wavefront round, or bounce, of the launches.
    pub round: usize,
    pub timed: bool,
    /// Launches whose times are not yet read: round, kernel, and the events around the launch.
    marks: Vec<(usize, Stage, [Mark; 2])>,
}

/// Seconds that a device took for the launches of each kernel.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct StageSeconds(BTreeMap<Stage, f64>);

impl StageSeconds {
    /// Returns the seconds of one kernel's launches; 0 if it has none.
    pub fn of(&self, stage: Stage) -> f64 {
        self.0.get(&stage).copied().unwrap_or(0.0)
    }
}

/// Kernel launches recorded as a CUDA graph.
#[derive(Debug)]
pub struct RecordedLaunches {
    pub(crate) graph: Graph,
    pub(crate) counts: BTreeMap<Stage, u64>,
}

impl<'a> Launches<'a> {
    /// Begins to count launches on a stream, and to time them if `timed`.
    pub fn on(stream: &'a Stream, timed: bool) -> Self {
        let (counts, graphs) = (BTreeMap::new(), GraphCounts::default());
        Self { stream, counts, graphs, round: 0, timed, marks: Vec::new() }
    }

    /// Adds the times of the launches to the sums of their rounds. The device has come to the end of all of them.
    pub fn add_seconds(&mut self, rounds: &mut Vec<StageSeconds>) -> Result<(), CudaError> {
        for (round, stage, [begin, end]) in self.marks.drain(..) {
            rounds.resize(rounds.len().max(round + 1), StageSeconds::default());
            *rounds[round].0.entry(stage).or_default() += begin.seconds_until(&end)?;
        }
        Ok(())
    }

    /// Launches the recorded graph, and counts its kernels.
    pub fn repeat(&mut self, recorded: &RecordedLaunches) -> Result<(), CudaError> {
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

    /// Launches a kernel with the given (number of thread blocks, threads per block, bytes of shared memory).
    pub fn launch<P: Parameters>(
        &mut self,
        stage: Stage,
        kernel: &Function,
        (blocks, threads, bytes): (u32, u32, u32),
        parameters: &P,
    ) -> Result<(), CudaError> {
        *self.counts.entry(stage).or_default() += 1;
        let begin = self.mark()?;
        // SAFETY: the kernel takes these parameters, and their addresses are those of buffers that stay until the batch
        // has ended, as long as the kernel's headers say: who implements `PathOrganisation` sees to both.
        unsafe { kernel.launch_sharing(self.stream, blocks, threads, bytes, parameters) }?;
        let end = self.mark()?;
        self.marks.extend(begin.zip(end).map(|(begin, end)| (self.round, stage, [begin, end])));
        Ok(())
    }
}
