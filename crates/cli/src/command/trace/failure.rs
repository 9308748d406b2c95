//! The errors of a trace, with the exit statuses that they end with.

use crate::exit::CliError;
use crate::options::ray_input::Rays;
use raywarp::PrepareError;
use raywarp::device::BackendError;
use raywarp::trace::TraceSceneError;
use raywarp_lab::traverse::KernelError;
use std::path::Path;

/// Returns the error, with its exit status, for a scene that cannot be traced.
pub fn failure(error: TraceSceneError, scene: &Path, rays: &Rays<'_>, input: &str) -> CliError {
    match error {
        TraceSceneError::Prepare(PrepareError::Backend(BackendError::Own(error))) => match error.downcast_ref() {
            Some(KernelError::Width { .. }) => CliError::usage(error),
            Some(KernelError::NeedsGpu { .. }) => CliError::machine(error),
            _ => CliError::input(format!("{}: {error}", scene.display())),
        },
        TraceSceneError::Prepare(error) => CliError::prepare(scene.display(), error),
        TraceSceneError::NegativeTMin { ray, .. } => {
            CliError::input(format!("{input}: byte {}: {error}", rays.byte_of_t_min(ray)))
        }
        TraceSceneError::Trace(error) => CliError::machine(error),
        other => CliError::input(format!("{}: {other}", scene.display())),
    }
}
