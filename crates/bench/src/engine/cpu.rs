//! Subjects run on this CPU: its tracer, and kernels of the family.

use super::{Prepared, Resources, Session, stranger};
use crate::check::Answers;
use crate::rays::RayBatch;
use crate::{BenchError, Subject};
use rayon::prelude::*;
use raywarp_bvh::Bvh2;
use raywarp_cpu::CpuTracer;
use raywarp_geom::{Control, FlatTriangles, Hit, Kernels, Ray, Tracer};
use raywarp_traverse::{Execution, FamilyTracer, Kernel};
use std::time::Instant;

/// Buffers for results of runs on this CPU.
#[derive(Default)]
pub(super) struct CpuSession {
    hits: Vec<Hit>,
    blocked: Vec<u32>,
    /// Names of the kernels that answered the last batch, with their numbers of rays.
    kernels: Kernels,
}

/// Prepares `subject` for runs on this CPU, in emulated warps of `width` lanes.
pub(super) fn prepare(
    subject: &Subject,
    bvh: &Bvh2,
    triangles: &FlatTriangles,
    width: u32,
) -> Result<Prepared, BenchError> {
    Ok(Prepared::Cpu(match subject {
        Subject::CpuTracer | Subject::VulkanRt => Box::new(CpuTracer::new(bvh, triangles)?),
        Subject::Kernel(variant) => {
            Box::new(FamilyTracer::new(Kernel::new(variant, bvh, triangles)?, Execution::Lockstep { width })?)
        }
    }))
}

impl Session for CpuSession {
    fn run(&mut self, subject: &Prepared, batch: &RayBatch) -> Result<f64, BenchError> {
        let Prepared::Cpu(tracer) = subject else { return Err(stranger()) };
        let rays = &batch.rays;
        self.hits.resize(rays.len(), Hit::default());
        self.blocked.resize(rays.len().div_ceil(32), 0);
        let control = Control::default();
        let start = Instant::now();
        let stats = if batch.any {
            tracer.any(rays, &[], &mut self.blocked, &mut Vec::new(), &control)?
        } else {
            tracer.closest(rays, &[], &mut self.hits, &mut [], &control)?
        };
        self.kernels = stats.kernels;
        Ok(start.elapsed().as_secs_f64())
    }

    fn answers(&mut self, subject: &Prepared, batch: &RayBatch) -> Result<(Answers, Kernels), BenchError> {
        // A hit that is not overwritten agrees with nothing.
        self.hits.clear();
        self.hits.resize(batch.rays.len(), Hit { t: f32::NAN, u: 0.0, v: 0.0, primitive: 0 });
        self.blocked.fill(0);
        self.run(subject, batch)?;
        let answers = if batch.any { of_bits(&self.blocked, batch.rays.len()) } else { of_hits(&self.hits) };
        Ok((answers, self.kernels))
    }

    fn resources(&self, _: &Prepared, _: bool) -> Result<Option<Resources>, BenchError> {
        Ok(None)
    }
}

/// Converts the hits of closest-hit rays to answers: `t`, or infinity for a miss.
pub(crate) fn of_hits(hits: &[Hit]) -> Answers {
    hits.par_iter().map(|hit| if hit.is_hit() { hit.t } else { f32::INFINITY }).collect()
}

/// Converts the bits of any-hit rays to answers: 0 for a blocked ray, infinity for a free one.
pub(crate) fn of_bits(blocked: &[u32], count: usize) -> Answers {
    (0..count).into_par_iter().map(|i| if blocked[i / 32] >> (i % 32) & 1 == 1 { 0.0 } else { f32::INFINITY }).collect()
}

/// Traces rays with `tracer` and returns its answers, in a form that can be compared between machines.
pub(crate) fn trace(
    tracer: &dyn Tracer,
    rays: &[Ray],
    any: bool,
    control: &Control<'_>,
) -> Result<Answers, BenchError> {
    if any {
        let mut blocked = vec![0; rays.len().div_ceil(32)];
        tracer.any(rays, &[], &mut blocked, &mut Vec::new(), control)?;
        Ok(of_bits(&blocked, rays.len()))
    } else {
        let mut hits = vec![Hit::default(); rays.len()];
        tracer.closest(rays, &[], &mut hits, &mut [], control)?;
        Ok(of_hits(&hits))
    }
}
