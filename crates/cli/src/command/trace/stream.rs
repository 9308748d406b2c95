//! Tracing the rays of a file, and writing their hits.

use crate::command::trace::args::TraceArgs;
use crate::command::trace::failure::failure;
use crate::command::trace::input::RayInput;
use crate::common::Common;
use crate::exit::CliError;
use crate::options::ray_input;
use crate::progress::Steps;
use raywarp::Control;
use raywarp::scene::Description;
use raywarp::system::{FileError, write_atomic_with};
use raywarp::trace::{HitFormat, StreamError, StreamOptions, StreamTotals, TraceScene};
use std::io::Write;
use std::path::Path;

/// Traces all rays of `input` through `prepared`, made of `scene` (the file at `path`), and writes their hits to the
/// output, which may be `out`.
pub fn trace(
    (args, format): (&TraceArgs, HitFormat),
    prepared: &TraceScene,
    (scene, path): (&Description, &Path),
    input: &mut RayInput<'_>,
    common: &Common,
    out: &mut dyn Write,
) -> Result<StreamTotals, CliError> {
    let rays = &mut input.rays;
    let steps = Steps::new(common.quiet, "tracing", "rays", rays.layout().count());
    let progress = |rays: usize| steps.advance(rays as u64);
    // Hits are worth something together only: an interrupt ends the process.
    let control = Control { cancel: None, progress: Some(&progress) };
    let options = StreamOptions { query: args.query(), format, fields: &args.with };
    let mut totals = StreamTotals::default();
    let mut trace = |out: &mut dyn Write| -> Result<(), CliError> {
        totals = rays.trace(prepared, scene, &options, &control, out).map_err(|error| match error {
            StreamError::Rays(error) => ray_input::failure(error),
            StreamError::Trace(error) => failure(error, path, rays, input.name),
            StreamError::Write(error) if args.is_piped() => error.into(),
            StreamError::Write(error) => CliError::output(FileError::from_io(&args.output, error)),
            other => CliError::machine(other),
        })?;
        Ok(())
    };
    if args.is_piped() { trace(out) } else { write_atomic_with(&args.output, trace) }?;
    Ok(totals)
}
