//! Subjects on this CPU.

use super::{Resources, Session};
use crate::check::Answers;
use crate::rays::RayBatch;
use crate::{BenchError, Subject};
use raywarp_bvh::Bvh2;
use raywarp_cpu::CpuTracer;
use raywarp_geom::{Control, FlatTriangles, Hit, Ray, Tracer};
use raywarp_traverse::{FamilyTracer, Kernel, Machine};
use std::time::Instant;

/// A tracer, and room for its results.
pub(super) struct CpuSession {
    machine: Machine,
    tracer: Option<Box<dyn Tracer>>,
    hits: Vec<Hit>,
    blocked: Vec<u32>,
}

impl CpuSession {
    pub fn new(width: u32) -> Self {
        Self { machine: Machine::Lockstep { width }, tracer: None, hits: Vec::new(), blocked: Vec::new() }
    }
}

impl Session for CpuSession {
    fn set_up(&mut self, subject: &Subject, bvh: &Bvh2, triangles: &FlatTriangles) -> Result<(), BenchError> {
        // Two encodings of a large scene at once are more than needed.
        self.tracer = None;
        self.tracer = Some(match subject {
            Subject::CpuTracer => Box::new(CpuTracer::new(bvh, triangles)?),
            Subject::Kernel(variant) => {
                Box::new(FamilyTracer::new(Kernel::new(variant, bvh, triangles)?, self.machine)?)
            }
        });
        Ok(())
    }

    fn run(&mut self, batch: &RayBatch) -> Result<f64, BenchError> {
        let rays = &batch.rays;
        self.hits.resize(rays.len(), Hit::default());
        self.blocked.resize(rays.len().div_ceil(32), 0);
        let Some(tracer) = &self.tracer else { return Ok(0.0) };
        let control = Control::default();
        let start = Instant::now();
        if batch.any {
            tracer.any(rays, &[], &mut self.blocked, &mut Vec::new(), &control)?;
        } else {
            tracer.closest(rays, &[], &mut self.hits, &mut [], &control)?;
        }
        Ok(start.elapsed().as_secs_f64())
    }

    fn answers(&mut self, batch: &RayBatch) -> Result<Answers, BenchError> {
        // A hit that is not overwritten agrees with nothing.
        self.hits.fill(Hit { t: f32::NAN, u: 0.0, v: 0.0, primitive: 0 });
        self.blocked.fill(0);
        self.run(batch)?;
        Ok(if batch.any { of_bits(&self.blocked, batch.rays.len()) } else { of_hits(&self.hits) })
    }

    fn resources(&self, _: bool) -> Result<Option<Resources>, BenchError> {
        Ok(None)
    }
}

/// Answers of closest-hit rays.
pub(crate) fn of_hits(hits: &[Hit]) -> Answers {
    hits.iter().map(|hit| if hit.is_hit() { hit.t } else { f32::INFINITY }).collect()
}

/// Answers of any-hit rays.
pub(crate) fn of_bits(blocked: &[u32], count: usize) -> Answers {
    (0..count).map(|i| if blocked[i / 32] >> (i % 32) & 1 == 1 { 0.0 } else { f32::INFINITY }).collect()
}

/// The answers of `tracer`, for rays that any machine may be held against.
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
