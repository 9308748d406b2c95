//! What a render is asked for, checked before anything is loaded: outputs, inputs, and the job that they make.

use crate::command::render::args::RenderArgs;
use crate::command::render::{device, rays, resume};
use crate::common::{Common, STANDARD_INPUT, is_standard_stream};
use crate::exit::CliError;
use crate::options::made_of::made_of;
use raywarp::render::{RenderJob, output};
use raywarp::scene::{Prefer, default_scene};
use std::path::{Path, PathBuf};

/// Input and output files named on the command line, checked not to overwrite each other.
pub struct Asked {
    /// Scene file that was found; `None` for the built-in scene.
    pub scene: Option<PathBuf>,
    /// Output pictures that are named; none if the scene is to decide.
    pub outputs: Vec<PathBuf>,
}

impl Asked {
    /// Refuses output files that cannot be written, or that would destroy inputs or existing files.
    pub fn check(args: &RenderArgs, common: &Common) -> Result<Self, CliError> {
        args.levels.check(&common.device)?;
        let outputs = args.outputs()?;
        let scene = args.scene().map(|name| common.find(name, Prefer::Materials)).transpose()?;
        scene.iter().chain(&args.inputs()).try_for_each(|path| common.files.reads(path))?;
        check_outputs(&outputs, args, common)?;
        rays::check(args, common)?;
        Ok(Self { scene, outputs })
    }

    /// Returns the render job with its earlier film read and its GPUs open, so that errors of these show at once.
    pub fn job(&self, args: &RenderArgs, common: &Common) -> Result<RenderJob, CliError> {
        let resumed = args.resume.as_ref().map(|path| resume::read(path, common)).transpose()?;
        let job = match self.scene.as_deref() {
            None => RenderJob::scene(default_scene(), "built-in scene"),
            Some(path) if is_standard_stream(path) => RenderJob::input(std::io::stdin(), STANDARD_INPUT),
            Some(path) => RenderJob::file(path),
        };
        let mut job = match resumed {
            Some(share) => job.go_on_with(share).map_err(CliError::job)?,
            None => job,
        }
        .request(args.request(self.scene.as_deref(), common)?)
        .load_options(common.load_options(args.allow_missing, args.light.without_triangles()))
        .made_of(made_of(args.clay, args.made_of))
        .device(common.device.clone())
        .levels(args.levels.levels())
        .engine(args.engine());
        device::open(&mut job, args, common)?;
        Ok(job)
    }
}

/// Refuses outputs that cannot be written or that would destroy existing files.
pub fn check_outputs(outputs: &[PathBuf], args: &RenderArgs, common: &Common) -> Result<(), CliError> {
    for path in outputs {
        common.files.writes(path)?;
        let can_write = |path: &Path| output::can_write(path).map(drop);
        let checked = if args.is_share() { output::can_write_share(path) } else { can_write(path) };
        checked.map_err(CliError::picture)?;
    }
    Ok(())
}
