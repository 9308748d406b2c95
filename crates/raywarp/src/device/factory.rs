//! Tracers that the caller makes, beside those of this crate.

use raywarp_bvh::{BuildOptions, Bvh2};
use raywarp_geom::{FlatTriangles, KernelName, Tracer};
use std::error::Error;
use std::fmt::Debug;

/// Factory of a tracer over a scene's tree: for tracers that this crate does not have, such as the papers' kernels of
/// `raywarp-lab`.
pub trait TracerFactory: Debug + Send + Sync {
    /// Returns the name of the kernel that answers, as hits are credited to it.
    fn name(&self) -> KernelName;

    /// Returns the machine that the tracer runs on, in words.
    fn machine(&self) -> String;

    /// Returns `options` with leaves that the tracer's nodes can hold.
    fn fitting(&self, options: &BuildOptions) -> BuildOptions;

    /// Returns `true` if rays may have a `t_min` below 0.
    fn takes_negative_t_min(&self) -> bool;

    /// Makes the tracer over `triangles`, whose tree was built with [`TracerFactory::fitting`] options.
    ///
    /// # Errors
    /// The tracer refuses the tree or the triangles, and says why.
    fn make(&self, bvh: &Bvh2, triangles: &FlatTriangles) -> Result<Box<dyn Tracer>, Box<dyn Error + Send + Sync>>;
}
