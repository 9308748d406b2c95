//! This CPU's tracer as a side of a race: a whole batch a call, a few rays, or one.

use super::OurSide;
use super::race::Time;
use crate::BenchError;
use crate::rays::RayBatch;
use rayon::prelude::*;
use raywarp_cpu::{Blocked, CpuTracer};
use raywarp_geom::{Control, Hit, HitKey, Ray, TraceError, Tracer};
use std::num::NonZeroUsize;

/// Number of rays that a thread takes at once, as of Embree.
const PART: usize = 512;

/// This CPU's tracer with buffers for its results.
pub(super) struct Ours<'a> {
    tracer: &'a CpuTracer,
    per_call: Option<NonZeroUsize>,
    hits: Vec<Hit>,
    blocked: Vec<u32>,
}

impl<'a> Ours<'a> {
    /// Returns the side of a tracer that is called with so many rays; `None` for all of a batch.
    pub fn new(tracer: &'a CpuTracer, per_call: Option<NonZeroUsize>) -> Self {
        Self { tracer, per_call, hits: Vec::new(), blocked: Vec::new() }
    }

    fn trace(&mut self, rays: &[Ray], any: bool) -> Result<(), TraceError> {
        let Some(count) = self.per_call.map(NonZeroUsize::get) else {
            let (control, mut undecided) = (Control::default(), Vec::new());
            return match any {
                true => self.tracer.any(rays, &[], &mut self.blocked, &mut undecided, &control),
                false => self.tracer.closest(rays, &[], &mut self.hits, &mut [], &control),
            }
            .map(drop);
        };
        // Whole words of bits; where these are no whole number of calls, the last call of a part is a shorter one.
        let part = PART.next_multiple_of(count).next_multiple_of(32);
        let tracer = self.tracer;
        let hits = self.hits.par_chunks_mut(part).zip(self.blocked.par_chunks_mut(part / 32));
        rays.par_chunks(part).zip(hits).try_for_each(|(rays, (hits, blocked))| match (count, any) {
            (1, false) => {
                for (hit, ray) in hits.iter_mut().zip(rays) {
                    *hit = tracer.closest_one(ray, HitKey::START).map_or(Hit::miss(ray.t_max), |found| found.0);
                }
                Ok(())
            }
            (1, true) => {
                blocked.fill(0);
                for (i, ray) in rays.iter().enumerate() {
                    let is_blocked = tracer.any_one(ray, HitKey::START) == Blocked::Yes;
                    blocked[i / 32] |= u32::from(is_blocked) << (i % 32);
                }
                Ok(())
            }
            _ => few(tracer, count, any, rays, hits),
        })
    }
}

/// Traces rays by calls of a few.
fn few(tracer: &CpuTracer, count: usize, any: bool, rays: &[Ray], hits: &mut [Hit]) -> Result<(), TraceError> {
    let (control, mut undecided) = (Control::default(), Vec::new());
    let mut blocked = vec![0; count.div_ceil(32)];
    for (rays, hits) in rays.chunks(count).zip(hits.chunks_mut(count)) {
        match any {
            true => tracer.any(rays, &[], &mut blocked, &mut undecided, &control)?,
            false => tracer.closest(rays, &[], hits, &mut [], &control)?,
        };
    }
    Ok(())
}

impl OurSide for Ours<'_> {
    fn run(&mut self, batch: &RayBatch) -> Result<Time, BenchError> {
        let rays = &batch.rays;
        self.hits.resize(rays.len(), Hit::default());
        self.blocked.resize(rays.len().div_ceil(32), 0);
        Ok(Time::of(|| self.trace(rays, batch.any))?)
    }
}
