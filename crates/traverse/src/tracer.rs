//! Tracer of the family: a kernel behind the trait that every engine implements.

use crate::kernel::{Batch, Execution, Kernel, KernelError};
use crate::probe::{Probe, WarpEvent};
use crate::warp::Answer;
use rayon::prelude::*;
use raywarp_family::{Block, Query, Variant};
use raywarp_geom::{BatchStats, Candidate, Control, Hit, HitKey, KernelName, Ray, RayCost, TraceError, Tracer};
use std::sync::Arc;

/// Number of rays that a task traces between two looks at the cancel token.
const CHUNK: usize = 1 << 12;

/// Number of warps among which a supply deals a chunk's rays.
const RESIDENT: u32 = 4;

/// A traversal kernel on an emulated machine, as a [`Tracer`].
pub struct FamilyTracer {
    kernel: Arc<Kernel>,
    machine: Execution,
    /// Names for batch statistics: that of the kernel, and that of the variant that traces what it leaves undecided.
    names: [KernelName; 2],
}

impl FamilyTracer {
    /// Makes a tracer that runs `kernel` on `machine`.
    ///
    /// # Errors
    /// [`KernelError::Width`] if the machine's warps do not fit.
    pub fn new(kernel: impl Into<Arc<Kernel>>, machine: Execution) -> Result<Self, KernelError> {
        let kernel = kernel.into();
        let nothing = Batch { rays: &[], after: &[], query: Query::Closest, resident: 1 };
        kernel.warp_count(machine, &nothing)?;
        let names = [*kernel.variant(), kernel.variant().fallback_variant()]
            .map(|variant| KernelName::new(&variant.to_string()));
        Ok(Self { kernel, machine, names })
    }

    /// Returns the variant that the tracer runs.
    pub fn variant(&self) -> &Variant {
        self.kernel.variant()
    }

    /// Traces a batch of rays, watched by one probe or none.
    fn trace(&self, batch: &Batch<'_>, mut probe: Option<&mut dyn Probe>) -> Vec<Answer> {
        let mut answers = Vec::with_capacity(batch.rays.len());
        // The width was checked when the tracer was made.
        let warps = self.kernel.warp_count(self.machine, batch).unwrap_or(0);
        for warp in 0..warps {
            let probe = probe.as_mut().map(|probe| &mut **probe as &mut dyn Probe);
            let _ = self.kernel.run_warp(self.machine, batch, warp, &mut answers, probe);
        }
        assert_eq!(answers.len(), batch.rays.len(), "{}: a ray got lost", self.kernel.variant());
        answers
    }

    /// Traces all chunks of a batch in parallel, and hands the answers of each to `take` with the index of its first
    /// ray.
    fn chunks(
        &self,
        rays: &[Ray],
        after: &[HitKey],
        query: Query,
        control: &Control<'_>,
    ) -> Result<Vec<Vec<Answer>>, TraceError> {
        assert!(after.is_empty() || after.len() == rays.len(), "one key a ray, or none");
        let chunk = |(i, rays): (usize, &[Ray])| {
            if control.is_cancelled() {
                return Err(TraceError::Cancelled);
            }
            let after = if after.is_empty() { &[][..] } else { &after[i * CHUNK..][..rays.len()] };
            let batch = Batch { rays, after, query, resident: RESIDENT };
            let answers = self.trace(&batch, None);
            control.advance(rays.len());
            Ok(answers)
        };
        rays.par_chunks(CHUNK).enumerate().map(chunk).collect()
    }
}

/// Returns the batch statistics: rays, those invalid, and those that the variant for undecided rays traced.
fn stats<'a>(names: [KernelName; 2], rays: usize, answers: impl Iterator<Item = &'a Answer>) -> BatchStats {
    let (mut invalid, mut by_fallback) = (0, 0);
    for answer in answers {
        invalid += u64::from(answer.invalid);
        by_fallback += u64::from(answer.by_fallback);
    }
    BatchStats::of(names[0], rays as u64).with_invalid(invalid).with_fallback(by_fallback, names[1])
}

impl Tracer for FamilyTracer {
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
        let chunks = self.chunks(rays, after, Query::Closest, control)?;
        for (chunk, answers) in chunks.iter().enumerate() {
            for answer in answers {
                let ray = chunk * CHUNK + answer.ray as usize;
                hits[ray] = answer.hit;
                if let Some(instance) = instances.get_mut(ray) {
                    *instance = answer.instance;
                }
            }
        }
        Ok(stats(self.names, rays.len(), chunks.iter().flatten()))
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
        let mut chunks = self.chunks(rays, after, Query::Any, control)?;
        blocked[..rays.len().div_ceil(32)].fill(0);
        for (chunk, answers) in chunks.iter_mut().enumerate() {
            answers.sort_unstable_by_key(|answer| answer.ray);
            for answer in answers {
                let ray = chunk * CHUNK + answer.ray as usize;
                if answer.blocked {
                    blocked[ray / 32] |= 1 << (ray % 32);
                } else if answer.hit.is_hit() {
                    undecided.push(Candidate { ray: ray as u32, instance: answer.instance, hit: answer.hit });
                }
            }
        }
        Ok(stats(self.names, rays.len(), chunks.iter().flatten()))
    }

    fn cost(&self, rays: &[Ray], costs: &mut [RayCost], control: &Control<'_>) -> Result<BatchStats, TraceError> {
        assert_eq!(costs.len(), rays.len(), "one cost a ray");
        let chunk = |(rays, costs): (&[Ray], &mut [RayCost])| {
            if control.is_cancelled() {
                return Err(TraceError::Cancelled);
            }
            costs.fill(RayCost::default());
            let batch = Batch { rays, after: &[], query: Query::Closest, resident: RESIDENT };
            let answers = self.trace(&batch, Some(&mut CostProbe(costs)));
            control.advance(rays.len());
            Ok(stats(self.names, rays.len(), answers.iter()))
        };
        let chunks: Result<Vec<BatchStats>, TraceError> =
            rays.par_chunks(CHUNK).zip(costs.par_chunks_mut(CHUNK)).map(chunk).collect();
        Ok(chunks?.into_iter().fold(BatchStats::default(), |mut all, stats| {
            all += stats;
            all
        }))
    }

    fn preferred_batch(&self) -> usize {
        CHUNK
    }
}

/// A probe that counts each ray's node visits and triangle tests.
struct CostProbe<'a>(&'a mut [RayCost]);

impl Probe for CostProbe<'_> {
    fn touches(&self) -> bool {
        false
    }

    fn event(&mut self, event: &WarpEvent<'_>) {
        let count = match event.block {
            Block::VisitNode => |cost: &mut RayCost| cost.nodes += 1,
            Block::TestTriangle | Block::TestTriangleT => |cost: &mut RayCost| cost.triangles += 1,
            _ => return,
        };
        let mut last = u32::MAX;
        for (lane, &ray) in event.rays.iter().enumerate().filter(|(lane, _)| event.active >> lane & 1 == 1) {
            // Lanes that share a ray visit one node together, and test a triangle each.
            if event.block != Block::VisitNode || ray != last {
                count(&mut self.0[ray as usize]);
            }
            last = ray;
            debug_assert!(lane < 64);
        }
    }
}
