//! The render itself: its progress, what is written meanwhile, and what it counted.

use crate::command::render::args::RenderArgs;
use crate::command::render::{rays, write_every};
use crate::common::Common;
use crate::exit::CliError;
use crate::interrupt;
use crate::progress::{Limits, RenderProgress, si};
use raywarp::render::gpu::CudaRenderer;
use raywarp::render::{PathRays, PictureWriter, RenderOptions, RenderedJob, SettledJob, Watch};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Renders the picture, keeps rays to export, and writes intermediate pictures, each if asked to.
pub fn render(
    mut settled: SettledJob,
    (args, outputs, writer): (&RenderArgs, &[PathBuf], &PictureWriter),
    common: &Common,
) -> Result<(RenderedJob, Option<PathRays>), CliError> {
    let rays = rays::listener(args, &mut settled)?;
    let bar = progress_bar(&mut settled, common)?;
    let first = OnceLock::<Duration>::new();
    let progress = |progress: &raywarp::render::Progress| {
        first.get_or_init(|| progress.elapsed);
        bar.update(progress);
    };
    let start = Instant::now();
    let write = |path: &Path, film: &_| writer.write(path, film, start.elapsed()).map_err(CliError::job);
    let rendered = write_every::while_rendering(args.write_every, outputs, &write, common, |between| {
        let watch = Watch { cancel: Some(interrupt::flag()), progress: Some(&progress), between };
        settled.render(watch, rays.as_ref().map(|rays| rays as _))
    });
    drop(bar);
    if let Some(first) = first.get() {
        common.detail(format!("first samples after {:.3} s of rendering", first.as_secs_f64()));
    }
    let rendered = rendered.map_err(CliError::job)?;
    say_counts(&rendered, common);
    Ok((rendered, rays))
}

/// Returns the progress display of the render.
fn progress_bar(settled: &mut SettledJob, common: &Common) -> Result<RenderProgress, CliError> {
    let film = settled.film().map_err(CliError::job)?;
    let (pixels, first) = (film.pixel_count() as u64, film.sample_range()[0]);
    let options = &settled.picture.options;
    let limits = Limits { time: options.time_limit, noise: options.noise_limit, first };
    // Nothing is shown of what is there already.
    let is_quiet = common.quiet || options.samples.is_empty();
    Ok(RenderProgress::new(is_quiet, "rendering", pixels, limits))
}

/// Prints the counts of the render's work, if `--verbose` is given.
fn say_counts(rendered: &RenderedJob, common: &Common) {
    let (all, in_vectors) = (rendered.rendered.vertices, rendered.rendered.vertices_in_vectors);
    if all > 0 {
        let share = 100.0 * in_vectors as f64 / all as f64;
        common.detail(format!("shaded in vectors: {share:.1} % of {} vertices", si(all as f64)));
    }
    // Asks the driver what the GPU can do, and so only for those who want to know.
    if let Some(engine) = rendered.engine.as_ref().filter(|_| common.verbose) {
        engine.counts().to_string().lines().for_each(|line| common.detail(line));
        let options = &rendered.picture.options;
        engine.renderers().iter().for_each(|renderer| say_seconds(renderer, options, common));
    }
}

/// Prints the time predicted from a GPU's counts, and the time it took.
fn say_seconds(renderer: &CudaRenderer, options: &RenderOptions, common: &Common) {
    let (place, seconds) = (renderer.device().ordinal(), renderer.device_seconds());
    let estimate = renderer.roofline(options).map(|roofline| roofline.estimate(&renderer.counts()));
    if let Some(estimate) = &estimate {
        common.detail(format!("cuda:{place}: {estimate}"));
    }
    let share = estimate
        .filter(|_| seconds > 0.0)
        .map_or_else(String::new, |estimate| format!(", {}", estimate.share_of(seconds)));
    common.detail(format!("cuda:{place}: {seconds:.4} s of its own from the camera to the film's sums{share}"));
}
