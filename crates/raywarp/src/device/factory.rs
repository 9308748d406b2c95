//! Tracers that the caller makes, beside those of this crate.

use raywarp_bvh::{BuildOptions, Bvh2};
use raywarp_geom::{FlatTriangles, KernelName, Tracer};
use std::error::Error;
use std::fmt::Debug;

/// Factory of tracers that this crate does not have, such as the papers' kernels of `raywarp-lab`, made over a scene's
/// tree.
pub trait TracerFactory: Debug + Send + Sync {
    /// Returns the name of the tracer's kernel, which batch statistics report.
    fn name(&self) -> KernelName;

    /// Returns the name of the machine that the tracer runs on or simulates, for people to read.
    fn machine(&self) -> String;

    /// Returns `options` with the leaf sizes changed to what the tracer's nodes can hold.
    fn fitting(&self, options: &BuildOptions) -> BuildOptions;

    /// Returns `true` if the tracer accepts rays with a negative `t_min`.
    fn takes_negative_t_min(&self) -> bool;

    /// Makes the tracer over `triangles`, whose tree was built with [`TracerFactory::fitting`] options.
    ///
    /// # Errors
    /// The tracer refuses the tree or the triangles, and says why.
    fn make(&self, bvh: &Bvh2, triangles: &FlatTriangles) -> Result<Box<dyn Tracer>, Box<dyn Error + Send + Sync>>;
}
