//! The rounds of a wavefront: launched kernel by kernel, or recorded as a graph and launched as a whole.

use super::batch::ROUNDS_AT_ONCE;
use super::launches::Launches;
use super::{CudaRenderer, Picture};
use crate::counts::Stage;
use crate::kernels::Wavefront;
use crate::launch::RenderRecord;
use raywarp_cuda::CudaError;

/// Rounds of a graph: after two each queue is where it was.
const ROUNDS_A_GRAPH: u32 = 2;

impl CudaRenderer {
    /// All rounds of a batch, kernel by kernel.
    pub(super) fn trace_queues(
        &self,
        launches: &mut Launches<'_>,
        wavefront: &Wavefront,
        picture: &mut Picture,
        render: &mut RenderRecord,
        max_depth: u32,
    ) -> Result<(), CudaError> {
        let (capacity, paths) = (render.capacity, render.batch.path_count);
        let (mut entries, mut begins) = (capacity.min(paths), true);
        for round in 0.. {
            launches.round = round as usize;
            self.trace_round(launches, wavefront, picture, render, (entries, begins))?;
            begins = paths > capacity;
            if round >= max_depth && paths <= capacity {
                break;
            }
            if self.options.host_counts || (round + 1).is_multiple_of(ROUNDS_AT_ONCE) {
                let Some(left) = self.left(launches, picture, paths)? else { break };
                if self.options.host_counts {
                    entries = capacity.min(left.all);
                    begins = left.waiting > 0;
                }
            }
        }
        Ok(())
    }

    /// The same, where the host launches graphs: the first round is launched kernel by kernel, and while the device is at it
    /// two more are recorded, which are launched as often as needed.
    ///
    /// Parameters are part of a graph, so that it is for one batch. A graph could also repeat itself, by a conditional node:
    /// but its handle is set by a function of libcudadevrt, whose licence does not let us commit objects linked with it.
    pub(super) fn trace_graphs(
        &self,
        launches: &mut Launches<'_>,
        wavefront: &Wavefront,
        picture: &mut Picture,
        render: &mut RenderRecord,
        max_depth: u32,
    ) -> Result<(), CudaError> {
        let (capacity, paths) = (render.capacity, render.batch.path_count);
        let entries = capacity.min(paths);
        // As in `EngineOptions::wanted`.
        let rounds = paths.div_ceil(capacity).saturating_mul(max_depth.saturating_add(1));
        self.trace_round(launches, wavefront, picture, render, (entries, true))?;
        let (graphs, rest) = ((rounds - 1) / ROUNDS_A_GRAPH, (rounds - 1) % ROUNDS_A_GRAPH);
        if graphs > 0 {
            let graph = launches.record(|launches| {
                for _ in 0..ROUNDS_A_GRAPH {
                    self.trace_round(launches, wavefront, picture, render, (entries, paths > capacity))?;
                }
                Ok(())
            })?;
            for done in 1..=graphs {
                launches.repeat(&graph)?;
                let looks = done.is_multiple_of(ROUNDS_AT_ONCE / ROUNDS_A_GRAPH);
                if looks && self.left(launches, picture, paths)?.is_none() {
                    return Ok(());
                }
            }
        }
        for _ in 0..rest {
            self.trace_round(launches, wavefront, picture, render, (entries, paths > capacity))?;
        }
        Ok(())
    }

    /// A round of at most so many `entries` of a queue, in which paths may begin.
    fn trace_round(
        &self,
        launches: &mut Launches<'_>,
        wavefront: &Wavefront,
        picture: &mut Picture,
        render: &mut RenderRecord,
        (entries, begins): (u32, bool),
    ) -> Result<(), CudaError> {
        launches.blocks(Stage::BeginRound, &wavefront.begin_round, 1, render)?;
        if begins {
            launches.resident(Stage::Refill, &wavefront.refill, entries, render)?;
        }
        launches.resident(Stage::Extend, &wavefront.extend, entries, render)?;
        if let Some(sort) = &wavefront.sort {
            launches.resident(Stage::Sort, sort, entries, render)?;
        }
        if let Some(sort_waiting) = &wavefront.sort_waiting {
            launches.resident(Stage::SortWaiting, sort_waiting, entries, render)?;
        }
        for shade in &wavefront.shade {
            launches.resident(Stage::Shade, shade, entries, render)?;
        }
        picture.state.clear_answers(&self.stream)?;
        launches.resident(Stage::Connect, &wavefront.connect, entries, render)?;
        launches.resident(Stage::ArriveLight, &wavefront.arrive_light, entries, render)?;
        if let Some(decide_light) = &wavefront.decide_light {
            launches.resident(Stage::DecideLight, decide_light, entries, render)?;
        }
        std::mem::swap(&mut render.queue, &mut render.next);
        Ok(())
    }
}
