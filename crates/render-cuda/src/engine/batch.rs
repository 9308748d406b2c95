//! The loops of organisations: which kernels are launched for a batch of paths, in which order.

use super::{CudaRenderer, Picture};
use crate::counts::{BatchCounts, Stage};
use crate::kernels::{Resident, Work};
use crate::launch::{Counters, RenderRecord};
use raywarp_cuda::{BLOCK_THREADS, CudaError, Function};

/// Rounds that are asked for before the host looks how many paths are left, where paths may be long.
const ROUNDS_AT_ONCE: u32 = 12;

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
        let mut launches = [0; Stage::ALL.len()];
        let lanes = |count: u32| count.div_ceil(BLOCK_THREADS).max(1);
        let mut launch = |stage: Stage, function: &Function, blocks: u32, render: &RenderRecord| {
            launches[stage as usize] += 1;
            // SAFETY: all kernels take this record; its addresses are those of buffers of this renderer, as long as
            // kernels/render.h says for the batch.
            unsafe { function.launch(stream, blocks, BLOCK_THREADS, render) }
        };
        match &self.kernels.work {
            Work::Megakernel(megakernel) => {
                launch(Stage::Megakernel, megakernel, lanes(render.batch.path_count), render)?;
            }
            Work::FirstHits(kernels) => {
                let layers = picture.film.features.is_some();
                // Pictures of others are refused before they begin.
                let kernel = kernels.of(picture.integrator, layers).expect("a picture that these kernels are for");
                launch(Stage::FirstHits, kernel, lanes(render.batch.path_count), render)?;
            }
            Work::Wavefront(wavefront) => {
                let all = lanes(render.capacity.min(render.batch.path_count));
                let mut round = 0u32;
                loop {
                    launch(Stage::BeginRound, &wavefront.begin_round, 1, render)?;
                    let mut launch = |stage: Stage, kernel: &Resident, render: &RenderRecord| {
                        launch(stage, &kernel.function, all.min(kernel.resident), render)
                    };
                    if round == 0 || render.batch.path_count > render.capacity {
                        launch(Stage::Refill, &wavefront.refill, render)?;
                    }
                    launch(Stage::Extend, &wavefront.extend, render)?;
                    if let Some(sort) = &wavefront.sort {
                        launch(Stage::Sort, sort, render)?;
                    }
                    if let Some(sort_waiting) = &wavefront.sort_waiting {
                        launch(Stage::SortWaiting, sort_waiting, render)?;
                    }
                    for shade in &wavefront.shade {
                        launch(Stage::Shade, shade, render)?;
                    }
                    picture.state.clear_answers(stream)?;
                    launch(Stage::Connect, &wavefront.connect, render)?;
                    launch(Stage::ArriveLight, &wavefront.arrive_light, render)?;
                    if let Some(decide_light) = &wavefront.decide_light {
                        launch(Stage::DecideLight, decide_light, render)?;
                    }
                    std::mem::swap(&mut render.queue, &mut render.next);
                    round += 1;
                    if round > max_depth && render.batch.path_count <= render.capacity {
                        break;
                    }
                    if round.is_multiple_of(ROUNDS_AT_ONCE) {
                        let counters = self.counters(picture)?;
                        if counters.survivors == 0 && counters.begun == render.batch.path_count {
                            break;
                        }
                    }
                }
            }
        }
        launch(Stage::Finalize, &self.kernels.finalize, lanes(render.batch.pixel_count), render)?;
        let end = stream.mark()?;
        let counters = self.counters(picture)?;
        picture.seconds += begin.seconds_until(&end)?;
        let mut rounds = vec![[0; 2]; picture.state.rounds.len().min(counters.rounds as usize)];
        if !rounds.is_empty() {
            stream.read(&picture.state.rounds, &mut rounds)?;
        }
        let paths = u64::from(render.batch.path_count);
        picture.counts.add_batch(picture.state.layout(), &BatchCounts { paths, launches, counters, rounds });
        Ok(counters)
    }

    fn counters(&self, picture: &Picture) -> Result<Counters, CudaError> {
        let mut counters = [Counters::default()];
        self.stream.read(&picture.state.counters, &mut counters)?;
        Ok(counters[0])
    }
}
