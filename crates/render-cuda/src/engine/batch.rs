//! A batch of paths, from the camera to the film's sums: which kernels are launched for it, in which order.

use super::launches::Launches;
use super::{CudaRenderer, Picture};
use crate::counts::{BatchCounts, Stage};
use crate::kernels::{Wavefront, Work};
use crate::launch::{Counters, RenderRecord};
use raywarp_cuda::CudaError;

/// Rounds that are asked for before the host looks how many paths are left, where paths may be long.
pub(super) const ROUNDS_AT_ONCE: u32 = 12;

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
        let mut launches = Launches::on(stream);
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
            Work::Wavefront(wavefront) => self.trace_queues(&mut launches, wavefront, picture, render, max_depth)?,
        }
        launches.lanes(Stage::Finalize, &self.kernels.finalize, render.batch.pixel_count, render)?;
        let end = stream.mark()?;
        let counters = self.counters(picture)?;
        picture.seconds += begin.seconds_until(&end)?;
        // Tiles do not know of each other's bounces.
        let kept = if self.options.organisation.is_tiled() { max_depth.saturating_add(1) } else { counters.rounds };
        let mut rounds = vec![[0; 2]; picture.state.rounds.len().min(kept as usize)];
        if !rounds.is_empty() {
            stream.read(&picture.state.rounds, &mut rounds)?;
        }
        let batch = BatchCounts { paths: u64::from(paths), launches: launches.counts, counters, rounds, lanes };
        picture.counts.add_batch(picture.state.layout(), &batch);
        Ok(counters)
    }

    /// Rounds of a wavefront.
    fn trace_queues(
        &self,
        launches: &mut Launches<'_>,
        wavefront: &Wavefront,
        picture: &mut Picture,
        render: &mut RenderRecord,
        max_depth: u32,
    ) -> Result<(), CudaError> {
        let stream = &self.stream;
        let all = render.capacity.min(render.batch.path_count);
        let mut round = 0u32;
        loop {
            launches.blocks(Stage::BeginRound, &wavefront.begin_round, 1, render)?;
            if round == 0 || render.batch.path_count > render.capacity {
                launches.resident(Stage::Refill, &wavefront.refill, all, render)?;
            }
            launches.resident(Stage::Extend, &wavefront.extend, all, render)?;
            if let Some(sort) = &wavefront.sort {
                launches.resident(Stage::Sort, sort, all, render)?;
            }
            if let Some(sort_waiting) = &wavefront.sort_waiting {
                launches.resident(Stage::SortWaiting, sort_waiting, all, render)?;
            }
            for shade in &wavefront.shade {
                launches.resident(Stage::Shade, shade, all, render)?;
            }
            picture.state.clear_answers(stream)?;
            launches.resident(Stage::Connect, &wavefront.connect, all, render)?;
            launches.resident(Stage::ArriveLight, &wavefront.arrive_light, all, render)?;
            if let Some(decide_light) = &wavefront.decide_light {
                launches.resident(Stage::DecideLight, decide_light, all, render)?;
            }
            std::mem::swap(&mut render.queue, &mut render.next);
            round += 1;
            if round > max_depth && render.batch.path_count <= render.capacity {
                return Ok(());
            }
            if round.is_multiple_of(ROUNDS_AT_ONCE) {
                let counters = self.counters(picture)?;
                if counters.survivors == 0 && counters.begun == render.batch.path_count {
                    return Ok(());
                }
            }
        }
    }

    pub(super) fn counters(&self, picture: &Picture) -> Result<Counters, CudaError> {
        let mut counters = [Counters::default()];
        self.stream.read(&picture.state.counters, &mut counters)?;
        Ok(counters[0])
    }
}
