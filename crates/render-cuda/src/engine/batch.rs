//! A batch of paths, from the camera to the film's sums: which kernels are launched for it, in which order.

use super::launches::Launches;
use super::{CudaRenderer, Picture};
use crate::counts::{BatchCounts, Stage};
use crate::kernels::Work;
use crate::launch::{Counters, RenderRecord};
use crate::sources::Organisation;
use raywarp_cuda::CudaError;

/// Rounds that are asked for before the host looks how many paths are left, where paths may be long.
pub(super) const ROUNDS_AT_ONCE: u32 = 12;

/// Paths that are not at their end.
pub(super) struct Left {
    /// Those that go on, and those that wait.
    pub all: u32,
    /// Those that have not begun.
    pub waiting: u32,
}

impl CudaRenderer {
    /// Takes all paths of a batch to their end.
    pub(super) fn trace(
        &self,
        picture: &mut Picture,
        render: &mut RenderRecord,
        max_depth: u32,
    ) -> Result<Counters, CudaError> {
        let stream = &self.stream;
        let begin = stream.mark()?;
        picture.state.clear_counts(stream)?;
        // A graph is launched as a whole.
        let timed = self.options.timed && self.options.organisation != Organisation::Graph;
        let mut launches = Launches::on(stream, timed);
        let paths = render.batch.path_count;
        let mut lanes = 0;
        match &self.kernels.work {
            Work::Megakernel(megakernel) => launches.lanes(Stage::Megakernel, megakernel, paths, render)?,
            Work::FirstHits(kernels) => {
                let layers = picture.film.features.is_some();
                // Pictures of others are refused before they begin.
                let kernel = kernels.of(picture.integrator, layers).expect("a picture that these kernels are for");
                launches.lanes(Stage::FirstHits, kernel, paths, render)?;
            }
            Work::Regenerate(kernel) => {
                lanes = u64::from(kernel.blocks(paths) * kernel.function.block_threads());
                launches.resident(Stage::Regenerate, kernel, paths, render)?;
            }
            Work::Tiled(kernel) => self.trace_tiles(&mut launches, kernel, picture, render)?,
            Work::Split { begin_paths, begin_bounce, bounce } => {
                launches.lanes(Stage::BeginPaths, begin_paths, paths, render)?;
                launches.blocks(Stage::BeginBounce, begin_bounce, 1, render)?;
                (render.places.segments, render.places.begun_before) = (u32::MAX, 1);
                launches.lanes(Stage::Bounce, bounce, paths, render)?;
            }
            Work::Compact(compact) => self.trace_bounces(&mut launches, compact, picture, render, max_depth)?,
            Work::Wavefront(wavefront) if self.options.organisation == Organisation::Graph => {
                self.trace_graphs(&mut launches, wavefront, picture, render, max_depth)?;
            }
            Work::Wavefront(wavefront) => self.trace_queues(&mut launches, wavefront, picture, render, max_depth)?,
        }
        launches.round = 0;
        launches.lanes(Stage::Finalize, &self.kernels.finalize, render.batch.pixel_count, render)?;
        let end = stream.mark()?;
        let counters = self.look(&mut launches, picture)?;
        picture.seconds += begin.seconds_until(&end)?;
        // Tiles do not know of each other's bounces.
        let kept = if self.options.organisation.is_tiled() { max_depth.saturating_add(1) } else { counters.rounds };
        let mut rounds = vec![[0; 2]; picture.state.rounds.len().min(kept as usize)];
        if !rounds.is_empty() {
            stream.read(&picture.state.rounds, &mut rounds)?;
        }
        let batch = BatchCounts { paths: u64::from(paths), launches: launches.counts, counters, rounds, lanes };
        picture.counts.add_batch(picture.state.layout(), &batch);
        picture.counts.graphs += launches.graphs;
        Ok(counters)
    }

    /// The paths of a batch of so many that are not at their end, for which the host waits; `None` where there are none.
    pub(super) fn left(
        &self,
        launches: &mut Launches<'_>,
        picture: &mut Picture,
        paths: u32,
    ) -> Result<Option<Left>, CudaError> {
        let counters = self.look(launches, picture)?;
        let waiting = paths - counters.begun;
        let all = counters.survivors.saturating_add(waiting);
        Ok((all > 0).then_some(Left { all, waiting }))
    }

    /// What was counted up to here, for which the host waits.
    pub(super) fn look(&self, launches: &mut Launches<'_>, picture: &mut Picture) -> Result<Counters, CudaError> {
        let mut counters = [Counters::default()];
        self.stream.read(&picture.state.counters, &mut counters)?;
        launches.add_seconds(&mut picture.stage_seconds)?;
        Ok(counters[0])
    }
}
