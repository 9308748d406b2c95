//! Errors of measuring: a scene, its rays, or what traces them.

use raywarp_bvh::BuildError;
use raywarp_cuda::CudaError;
use raywarp_geom::{FlatError, TraceError};
use raywarp_layout::LayoutError;
use raywarp_traverse::KernelError;
use raywarp_workload::rays::RaysError;

/// Reason why a scene cannot be benchmarked, or not completely.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    /// The scene has too many triangles.
    #[error(transparent)]
    Flat(#[from] FlatError),
    /// The scene's tree cannot be built.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The tree cannot be encoded for a kernel.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// A kernel cannot be made or run.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// The workload's rays cannot be made.
    #[error(transparent)]
    Rays(#[from] RaysError),
    /// The GPU cannot be used, or a CUDA call failed.
    #[error(transparent)]
    Cuda(#[from] CudaError),
    /// A tracer failed, or the run was stopped.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// No ray of a kind starts in the scene, as nothing is hit.
    #[error("no {0} ray starts in any of the views: nothing is hit there")]
    NoRays(String),
    /// The rays do not fit in memory.
    #[error("{rays} rays need about {} MB, but {} MB are free; measure fewer views or kinds at once", needed >> 20, free >> 20)]
    Memory {
        /// Number of rays of all views, kinds and orders.
        rays: u64,
        /// Bytes needed for the rays and the reference's answers.
        needed: u64,
        /// Bytes of memory that are free.
        free: u64,
    },
    /// Another project's tracer cannot run on this machine.
    #[error("{0}")]
    Peer(String),
    /// Embree cannot be loaded, or failed.
    #[error(transparent)]
    Embree(#[from] raywarp_embree::EmbreeError),
    /// The callback that exports the rays could not store them.
    #[error("{0}")]
    Export(String),
}

impl BenchError {
    /// Returns `true` if the caller asked to stop.
    pub fn is_cancelled(&self) -> bool {
        matches!(self, Self::Trace(TraceError::Cancelled) | Self::Rays(RaysError::Trace(TraceError::Cancelled)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_stops_while_rays_are_made_has_stopped() {
        let stopped = || TraceError::Cancelled;
        assert!(BenchError::from(stopped()).is_cancelled());
        assert!(BenchError::from(RaysError::from(stopped())).is_cancelled());
        assert!(!BenchError::from(RaysError::Size { width: 0, height: 1, limit: 9 }).is_cancelled());
    }
}
