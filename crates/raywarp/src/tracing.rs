//! What traces rays of a prepared scene, made with it or when it is asked for.

use crate::gpu_tree::GpuTree;
use crate::late_tracer::LateTracer;
use crate::paths_on_gpus::Encoding;
use raywarp_geom::{FlatTriangles, Tracer};
use std::sync::Arc;

/// What traces.
pub(crate) enum Tracing {
    /// With its bytes.
    Now(Box<dyn Tracer>, usize),
    /// GPUs take paths as a whole.
    Late(Box<ForPaths>),
}

/// What is kept for GPUs that take paths as a whole.
pub(crate) struct ForPaths {
    pub(crate) tree: GpuTree,
    pub(crate) triangles: Arc<FlatTriangles>,
    pub(crate) encoding: Encoding,
    /// The CPU's, through the same tree.
    pub(crate) tracer: LateTracer,
}

impl Tracing {
    /// The tracer, made now where it was not yet: here, not by a worker that others wait for.
    pub(crate) fn now(&self) -> &dyn Tracer {
        match self {
            Self::Now(tracer, _) => &**tracer,
            Self::Late(paths) => paths.tracer.get().map_or(&paths.tracer as &dyn Tracer, |tracer| tracer),
        }
    }

    /// The tracer, which is made when its first ray comes, where it was not yet.
    pub(crate) fn late(&self) -> &dyn Tracer {
        match self {
            Self::Now(tracer, _) => &**tracer,
            Self::Late(paths) => &paths.tracer,
        }
    }

    /// Bytes of what the tracer walks; 0 as long as it is not made.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Now(_, bytes) => *bytes,
            Self::Late(paths) => paths.tracer.made().map_or(0, |(bytes, _)| bytes),
        }
    }

    pub(crate) fn for_paths(&self) -> Option<&ForPaths> {
        match self {
            Self::Now(..) => None,
            Self::Late(paths) => Some(paths),
        }
    }
}
