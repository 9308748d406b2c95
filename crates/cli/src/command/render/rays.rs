//! `raywarp render --export-rays DIR`: the rays of each bounce as files, for `bench --rays`.

use crate::command::render::args::RenderArgs;
use crate::common::Common;
use crate::exit::CliError;
use crate::replace;
use raywarp::render::{PathRays, PathRaysError, RenderedJob, SettledJob, StopReason, is_bounce_file};
use raywarp::system;
use raywarp::trace::npy::write_rays_of_scene;
use raywarp_lab::traverse::Query;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// Checks that the folder for exported rays can be made and holds no foreign files, and makes it.
pub fn check(args: &RenderArgs, common: &Common) -> Result<(), CliError> {
    let Some(folder) = &args.export_rays else { return Ok(()) };
    if !args.shows_paths() {
        return Err(CliError::usage("--export-rays is for --integrator path: the others have no paths"));
    }
    replace::can_name(folder)?;
    std::fs::create_dir_all(folder)
        .map_err(|error| CliError::output(format!("{}: cannot be made ({error})", folder.display())))?;
    system::can_write_file(&folder.join("bounce-00.npy"))?;
    // How many bounces there are is known in the end; what is there may be replaced by any of them.
    for file in bounce_files(folder)? {
        common.files.writes(&file)?;
        replace::can_write(&file, &replace::NPY)?;
    }
    Ok(())
}

/// Lists the exported ray files in a folder, by name.
fn bounce_files(folder: &Path) -> Result<Vec<PathBuf>, CliError> {
    let entries = std::fs::read_dir(folder)
        .map_err(|error| CliError::output(format!("{}: cannot be read ({error})", folder.display())))?;
    let is_one = |path: &PathBuf| path.file_name().is_some_and(|name| is_bounce_file(&name.to_string_lossy()));
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).filter(is_one).collect();
    files.sort_unstable();
    Ok(files)
}

/// Returns the observer that keeps a render's rays for export, if that is asked for and there are samples to render.
pub fn listener(args: &RenderArgs, settled: &mut SettledJob) -> Result<Option<PathRays>, CliError> {
    let options = settled.picture.options.clone();
    if args.export_rays.is_none() || options.samples.is_empty() {
        return Ok(None);
    }
    let film = settled.film().map_err(CliError::job)?;
    PathRays::new(film, &options, args.export_samples.unwrap_or(1)).map(Some).map_err(|error| failure(&error))
}

/// Writes the rays to export, if the render was not interrupted: rays of only some pixels are of no use.
pub fn export(
    args: &RenderArgs,
    rendered: &RenderedJob,
    rays: Option<PathRays>,
    common: &Common,
) -> Result<Option<Exported>, CliError> {
    let Some(folder) = &args.export_rays else { return Ok(None) };
    let is_cancelled = rendered.rendered.stop == StopReason::Cancelled;
    match rays.filter(|_| !is_cancelled) {
        Some(rays) => write(rays, rendered.prepared.scene().origin, folder, common).map(Some),
        None => {
            let why = if is_cancelled { "interrupted" } else { "nothing was left to render" };
            common.note(format!("{why}: no rays were written to {}", folder.display()));
            Ok(None)
        }
    }
}

fn failure(error: &PathRaysError) -> CliError {
    CliError::machine(format!("--export-rays: {error} (--export-samples, --size, --crop)"))
}

/// Ray files that were written.
#[derive(Debug, Default)]
pub struct Exported {
    /// Files, each with its bounce, its query and its number of rays.
    files: Vec<(PathBuf, u32, Query, u64)>,
}

/// Writes the rays of a completed render to files. They are in the coordinates of the scene's file, whose origin is
/// `origin`.
fn write(rays: PathRays, origin: [f64; 3], folder: &Path, common: &Common) -> Result<Exported, CliError> {
    let mut exported = Exported::default();
    for bounce in rays.into_bounces().map_err(|error| failure(&error))? {
        let path = folder.join(bounce.file_name());
        // Once more: it may have appeared during the render.
        replace::can_write(&path, &replace::NPY)?;
        system::write_atomic(&path, &write_rays_of_scene(&bounce.rays, origin))?;
        exported.files.push((path, bounce.bounce, bounce.query, bounce.rays.len() as u64));
    }
    let is_ours = |path: &PathBuf| exported.files.iter().any(|(file, ..)| file == path);
    let others: Vec<String> =
        bounce_files(folder)?.iter().filter(|path| !is_ours(path)).map(|path| path.display().to_string()).collect();
    if !others.is_empty() {
        common.note(format!("not of this render, from an earlier one: {}", others.join(", ")));
    }
    Ok(exported)
}

impl Exported {
    /// Returns the number of exported rays with this query.
    fn rays(&self, query: Query) -> u64 {
        self.files.iter().filter(|file| file.2 == query).map(|file| file.3).sum()
    }

    /// Returns a line on the exported rays, for people.
    pub fn line(&self, folder: &Path) -> String {
        let [closest, any] = [Query::Closest, Query::Any].map(|query| self.rays(query));
        format!(
            "wrote {} files of rays to {}: {closest} closest-hit, {any} any-hit rays, {:.1} MB",
            self.files.len(),
            folder.display(),
            (closest + any) as f64 * 32e-6
        )
    }

    /// Returns the exported files as JSON.
    pub fn json(&self) -> Value {
        let file = |(path, bounce, query, rays): &(PathBuf, u32, Query, u64)| {
            let query = if *query == Query::Any { "any" } else { "closest" };
            json!({ "file": path.display().to_string(), "bounce": bounce, "query": query, "rays": rays })
        };
        self.files.iter().map(file).collect()
    }
}
