//! Rays and results in the host's memory: a batch in portions that the device's memory holds.
//!
//! A call of the driver that fails ends the batch with an error. Its streams and buffers are not used again, and what
//! was read by then is the caller's to forget ([`TraceError`]).

use super::{CudaTracer, DeviceHits};
use crate::{CudaError, Device, DeviceBuffer, Query, Stream};
use raywarp_geom::{BatchStats, Candidate, Control, Hit, HitKey, Ray, RayCost, TraceError, Tracer};

/// Rays and results of a batch from the host that are on the device at once.
const HOST_BATCH: usize = 1 << 23;

/// Bytes of a ray, its key and its results.
const RAY_BYTES: usize = size_of::<Ray>() + 12 + size_of::<Hit>() + 4 + 1;

/// Where host rays are traced: one a caller at a time.
#[derive(Debug)]
pub(super) struct Area {
    stream: Stream,
    rays: DeviceBuffer<Ray>,
    after: DeviceBuffer<[u32; 3]>,
    out: DeviceHits,
}

impl Area {
    fn new(device: &Device, rays: usize) -> Result<Self, CudaError> {
        let stream = device.stream()?;
        let out = DeviceHits::new(&stream, rays, true)?;
        Ok(Self { rays: stream.zeros(rays)?, after: stream.zeros(rays)?, out, stream })
    }
}

impl CudaTracer {
    /// Traces host rays in portions and hands each one's results to `take`.
    fn portions(
        &self,
        rays: &[Ray],
        after: &[HitKey],
        query: Query,
        control: &Control<'_>,
        mut take: impl FnMut(&Stream, usize, usize, &DeviceHits) -> Result<(), CudaError>,
    ) -> Result<BatchStats, TraceError> {
        assert!(after.is_empty() || after.len() == rays.len(), "one key a ray, or none");
        let device = |error: CudaError| TraceError::Device(error.to_string());
        let portion = rays.len().min(HOST_BATCH);
        let mut area = self.area(portion).map_err(device)?;
        let portion = portion.min(area.rays.len()).max(1);
        let mut stats = BatchStats::default();
        for (index, chunk) in rays.chunks(portion).enumerate() {
            if control.is_cancelled() {
                return Err(TraceError::Cancelled);
            }
            let first = index * portion;
            let mut run = || -> Result<BatchStats, CudaError> {
                let Area { stream, rays, after: keys, out } = &mut area;
                stream.write(rays, chunk)?;
                if !after.is_empty() {
                    let words: Vec<[u32; 3]> = after[first..first + chunk.len()]
                        .iter()
                        .map(|key| [key.t.to_bits(), key.instance, key.primitive])
                        .collect();
                    stream.write(keys, &words)?;
                }
                self.launch(stream, query, rays, chunk.len(), (!after.is_empty()).then_some(&*keys), out)?;
                take(stream, first, chunk.len(), out)?;
                self.stats(stream, chunk.len(), out)
            };
            stats += run().map_err(device)?;
            control.advance(chunk.len());
        }
        // Not after an error: what is left of a failed device is not used again.
        if let Ok(mut idle) = self.idle.lock() {
            idle.push(area);
        }
        Ok(stats)
    }

    /// An area for `rays` rays, or for as many of them as fit in half of the free memory.
    fn area(&self, rays: usize) -> Result<Area, CudaError> {
        if let Some(area) = self.idle_area(rays) {
            return Ok(area);
        }
        // Whole words of bits, and room for a next batch that is a little larger.
        let fitting = || -> Result<usize, CudaError> {
            let room = (self.device.free_memory()? / 2 / RAY_BYTES).max(1024);
            Ok(rays.next_multiple_of(1024).min(room / 32 * 32))
        };
        if let Some(area) = self.idle_area(fitting()?) {
            return Ok(area);
        }
        // All that are left are too small for what comes now, and in its way.
        if let Ok(mut idle) = self.idle.lock() {
            idle.clear();
        }
        Area::new(&self.device, fitting()?)
    }

    /// One for so many rays that nobody uses.
    fn idle_area(&self, rays: usize) -> Option<Area> {
        let mut idle = self.idle.lock().ok()?;
        let at = idle.iter().position(|area| area.rays.len() >= rays)?;
        Some(idle.swap_remove(at))
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
        self.portions(rays, after, Query::Closest, control, |stream, first, count, out| {
            stream.read(&out.hits, &mut hits[first..first + count])?;
            if !instances.is_empty() {
                stream.read(&out.instances, &mut instances[first..first + count])?;
            }
            Ok(())
        })
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
        self.portions(rays, after, Query::Any, control, |stream, first, count, out| {
            let words = count.div_ceil(32);
            stream.read(&out.blocked, &mut blocked[first / 32..first / 32 + words])?;
            let mut bits = vec![0u32; words];
            stream.read(&out.undecided, &mut bits)?;
            if bits.iter().any(|&word| word != 0) {
                let mut hits = vec![Hit::default(); count];
                let mut instances = vec![0u32; count];
                stream.read(&out.hits, &mut hits)?;
                stream.read(&out.instances, &mut instances)?;
                for ray in (0..count).filter(|ray| bits[ray / 32] >> (ray % 32) & 1 == 1) {
                    undecided.push(Candidate { ray: (first + ray) as u32, instance: instances[ray], hit: hits[ray] });
                }
            }
            Ok(())
        })
    }

    fn cost(&self, _: &[Ray], _: &mut [RayCost], _: &Control<'_>) -> Result<BatchStats, TraceError> {
        Err(TraceError::Device("kernels on a GPU do not count; the same variant on the CPU does".to_string()))
    }

    fn preferred_batch(&self) -> usize {
        1 << 21
    }
}
