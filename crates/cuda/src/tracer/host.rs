//! Tracing of rays in the host's memory: a batch in portions, of which several are on their way at once.
//!
//! Each portion goes to a lane: a stream with buffers of its own. While the device traces one portion, the next one's
//! rays go to it and the last one's hits come back, both by its own engines. Those copy pinned memory only, so that
//! rays and hits in other memory go by way of pinned buffers of the lane, which all cores fill and empty meanwhile. A
//! small batch goes as a whole, and is copied by the driver.
//!
//! A call of the driver that fails ends the batch with an error. Its streams and buffers are not used again, and what
//! was read by then is the caller's to forget ([`TraceError`]). However a batch ends, the device no longer uses memory
//! of the caller's then.

mod lane;

use super::CudaTracer;
use crate::CudaError;
use lane::{Batch, Lane, RAY_BYTES, Results, Staged, Target};
use raywarp_geom::{BatchStats, Candidate, Control, Hit, HitKey, Ray, RayCost, TraceError, Tracer};

/// Largest number of host rays copied at once: 16 MiB of them take a PCIe bus of the fifth generation 0.3 ms, against
/// which a launch's start and end are short.
pub(super) const PORTION: usize = 1 << 19;

/// Number of portions of a batch in flight at once: one copied in, one traced, one copied out, and one that the host
/// prepares.
const LANES: usize = 4;

/// Divisor of the largest portion below which a batch is traced as a whole, as overlapping copies would not pay.
const WHOLE: usize = 4;

/// Set of streams and buffers for tracing host rays, used by one caller at a time.
#[derive(Debug)]
pub(super) struct Area {
    lanes: Vec<Lane>,
}

impl CudaTracer {
    /// Sets the largest number of host rays copied to the device at once, `rays`; by default 2^19. Four of them are
    /// there at once, with 65 bytes a ray; what is not pinned goes through as much pinned memory. A batch of up to a
    /// quarter of a portion goes as a whole.
    #[must_use]
    pub fn with_portions(self, rays: usize) -> Self {
        Self { portion: rays.max(1), ..self }
    }

    /// Traces a batch of host rays in portions whose copies and launches overlap.
    fn portions(&self, mut batch: Batch<'_>, control: &Control<'_>) -> Result<BatchStats, TraceError> {
        let count = batch.rays.len();
        assert!(batch.after.is_empty() || batch.after.len() == count, "one key a ray, or none");
        let mut stats = BatchStats::default();
        if count == 0 {
            return Ok(stats);
        }
        let device = |error: CudaError| TraceError::Device(error.to_string());
        let (lanes, portion) = if count <= self.portion / WHOLE {
            (1, count)
        } else {
            // Also of a batch of few portions there are some before and some behind each other.
            (LANES, (count / (2 * LANES)).clamp(self.portion / 8, self.portion))
        };
        let mut area = self.area(lanes, portion).map_err(device)?;
        // Whole words of bits.
        let portion = portion.next_multiple_of(32).min(area.room());
        let mut done = |found: Option<BatchStats>| {
            if let Some(found) = found {
                stats += found;
                control.advance(found.rays as usize);
            }
        };
        let mut next = 0;
        for first in (0..count).step_by(portion) {
            let lane = &mut area.lanes[next];
            next = (next + 1) % lanes;
            done(lane.finish(self, &mut batch).map_err(device)?);
            if control.is_cancelled() {
                return Err(TraceError::Cancelled);
            }
            lane.begin(self, &mut batch, first..count.min(first + portion)).map_err(device)?;
        }
        for _ in 0..lanes {
            done(area.lanes[next].finish(self, &mut batch).map_err(device)?);
            next = (next + 1) % lanes;
        }
        // Not after an error: what is left of a failed device is not used again.
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(area);
        }
        Ok(stats)
    }

    /// Returns which arrays of a batch must be copied through pinned buffers of the tracer, as they are not pinned
    /// themselves.
    fn staged(&self, rays: &[Ray], hits: &[Hit], instances: &[u32]) -> Result<Staged, TraceError> {
        if rays.len() <= self.portion / WHOLE {
            return Ok(Staged::default());
        }
        let pinned = || -> Result<[bool; 3], CudaError> {
            let device = &self.device;
            Ok([device.is_pinned(rays)?, device.is_pinned(hits)?, device.is_pinned(instances)?])
        };
        let [rays, hits, instances] = pinned().map_err(|error| TraceError::Device(error.to_string()))?;
        Ok(Staged { rays: !rays, hits: !hits, instances: !instances })
    }

    /// Returns `lanes` streams with buffers for `rays` rays each, or for as many as fit in half of the free memory.
    fn area(&self, lanes: usize, rays: usize) -> Result<Area, CudaError> {
        if let Some(area) = self.idle_area(lanes, rays) {
            return Ok(area);
        }
        // Whole words of bits, and room for a next batch that is a little larger.
        let fitting = || -> Result<usize, CudaError> {
            let room = (self.device.free_memory()? / 2 / RAY_BYTES / lanes).max(1024);
            Ok(rays.next_multiple_of(1024).min(room / 32 * 32))
        };
        if let Some(area) = self.idle_area(lanes, fitting()?) {
            return Ok(area);
        }
        // All that are left are too small for what comes now, and in its way.
        if let Ok(mut idle) = self.idle.lock() {
            idle.clear();
        }
        let room = fitting()?;
        let lane = |_| Lane::new(&self.device, room);
        Ok(Area { lanes: (0..lanes).map(lane).collect::<Result<_, _>>()? })
    }

    /// Takes unused streams and buffers of this number and size; `None` if there are none.
    fn idle_area(&self, lanes: usize, rays: usize) -> Option<Area> {
        let mut idle = self.idle.lock().ok()?;
        let at = idle.iter().position(|area| area.lanes.len() >= lanes && area.room() >= rays)?;
        Some(idle.swap_remove(at))
    }
}

impl Area {
    fn room(&self) -> usize {
        self.lanes.iter().map(Lane::room).min().unwrap_or(0)
    }
}

impl Tracer for CudaTracer {
    fn closest(
        &self,
        rays: &[Ray],
        after: &[HitKey],
        hits: &mut [Hit],
        instances: &mut [u32],
        control: &Control<'_>,
    ) -> Result<BatchStats, TraceError> {
        assert_eq!(hits.len(), rays.len(), "one hit a ray");
        assert!(instances.is_empty() || instances.len() == rays.len(), "one instance a ray, or none");
        let staged = self.staged(rays, hits, instances)?;
        let results = Results::Closest { hits: Target::new(hits), instances: Target::new(instances) };
        self.portions(Batch { rays, after, results, staged }, control)
    }

    fn any(
        &self,
        rays: &[Ray],
        after: &[HitKey],
        blocked: &mut [u32],
        undecided: &mut Vec<Candidate>,
        control: &Control<'_>,
    ) -> Result<BatchStats, TraceError> {
        assert!(blocked.len() >= rays.len().div_ceil(32), "a bit a ray");
        undecided.clear();
        let staged = self.staged(rays, &[], &[])?;
        self.portions(Batch { rays, after, results: Results::Any { blocked, undecided }, staged }, control)
    }

    fn cost(&self, _: &[Ray], _: &mut [RayCost], _: &Control<'_>) -> Result<BatchStats, TraceError> {
        Err(TraceError::Device("kernels on a GPU do not count; the same variant on the CPU does".to_string()))
    }

    fn preferred_batch(&self) -> usize {
        1 << 21
    }
}
