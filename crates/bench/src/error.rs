//! Errors of measuring: a scene, its rays, or what traces them.

use raywarp_bvh::BuildError;
use raywarp_cuda::CudaError;
use raywarp_geom::{FlatError, TraceError};
use raywarp_layout::LayoutError;
use raywarp_traverse::KernelError;
use raywarp_workload::rays::RaysError;

/// Reasons why a scene cannot be measured, or not to the end.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BenchError {
    /// Too many triangles.
    #[error(transparent)]
    Flat(#[from] FlatError),
    /// The builder refuses.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The encoder refuses.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// A kernel refuses.
    #[error(transparent)]
    Kernel(#[from] KernelError),
    /// The rays cannot be made.
    #[error(transparent)]
    Rays(#[from] RaysError),
    /// The GPU cannot be used, or failed.
    #[error(transparent)]
    Cuda(#[from] CudaError),
    /// A tracer failed, or was stopped.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// No ray of a kind starts in the scene.
    #[error("no {0} ray starts in any of the views: nothing is hit there")]
    NoRays(String),
    /// Rays that memory does not hold.
    #[error("{rays} rays need about {} MB, but {} MB are free; measure fewer views or kinds at once", needed >> 20, free >> 20)]
    Memory {
        /// Rays of all views, kinds and orders.
        rays: u64,
        /// Bytes for them and the reference's answers.
        needed: u64,
        /// Bytes that are free.
        free: u64,
    },
    /// A peer cannot trace here.
    #[error("{0}")]
    Peer(String),
    /// Embree cannot be used, or failed.
    #[error(transparent)]
    Embree(#[from] raywarp_embree::EmbreeError),
    /// The receiver of the rays could not keep them.
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
