//! The peer `vulkan-rt` among the subjects.

use super::cpu::{of_bits, of_hits};
use super::{Prepared, Resources, Session};
use crate::BenchError;
use crate::check::Answers;
use crate::peers::PeerError;
use crate::rays::RayBatch;
use raywarp_geom::{KernelName, Kernels};

/// A session of a target that also runs Vulkan ray tracing.
pub(super) struct WithVulkan(pub Box<dyn Session>);

impl Session for WithVulkan {
    fn run(&mut self, subject: &Prepared, batch: &RayBatch) -> Result<f64, BenchError> {
        let Prepared::Vulkan(tracer) = subject else { return self.0.run(subject, batch) };
        tracer.borrow_mut().run(batch.id, &batch.rays, batch.any).map_err(refused)
    }

    fn answers(&mut self, subject: &Prepared, batch: &RayBatch) -> Result<(Answers, Kernels), BenchError> {
        let Prepared::Vulkan(tracer) = subject else { return self.0.answers(subject, batch) };
        let mut tracer = tracer.borrow_mut();
        let answers = if batch.any {
            of_bits(&tracer.blocked(batch.id, &batch.rays).map_err(refused)?, batch.rays.len())
        } else {
            of_hits(&tracer.hits(batch.id, &batch.rays).map_err(refused)?)
        };
        Ok((answers, Kernels::of(KernelName::fixed("vulkan-rt"), batch.rays.len() as u64)))
    }

    fn resources(&self, subject: &Prepared, any: bool) -> Result<Option<Resources>, BenchError> {
        match subject {
            Prepared::Vulkan(_) => Ok(None),
            _ => self.0.resources(subject, any),
        }
    }
}

/// Returns the error by which Vulkan ray tracing is left out of a run.
#[allow(clippy::needless_pass_by_value)] // For `map_err`.
pub(super) fn refused(error: PeerError) -> BenchError {
    BenchError::Peer(error.to_string())
}
