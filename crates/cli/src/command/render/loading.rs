//! Loading the scene of a render, and building its tree.

use crate::command::render::args::RenderArgs;
use crate::command::render::asked::{Asked, check_outputs};
use crate::common::Common;
use crate::exit::CliError;
use crate::options::values;
use crate::plan_words;
use raywarp::device::PlanReason;
use raywarp::render::{LoadedJob, PreparedJob, RenderJob, picture_name};
use std::path::PathBuf;

/// Loads the scene, and returns the pictures to write: those named, else one as the scene asks.
pub fn load(
    job: RenderJob,
    asked: &Asked,
    args: &RenderArgs,
    common: &Common,
) -> Result<(LoadedJob, Vec<PathBuf>), CliError> {
    let loaded = common.load_job(job, asked.scene.clone())?;
    let mut outputs = asked.outputs.clone();
    if outputs.is_empty() {
        outputs.push(default_output(&loaded, asked, args, common));
        args.check_alpha(&outputs)?;
        check_outputs(&outputs, args, common)?;
    }
    if args.has_layers() {
        values::say_lost_layers(&outputs, common);
    }
    Ok((loaded, outputs))
}

/// Returns the default output file, if none is named.
fn default_output(loaded: &LoadedJob, asked: &Asked, args: &RenderArgs, common: &Common) -> PathBuf {
    let wanted = loaded.loaded.scene.settings.output.as_deref();
    let name = picture_name(args.scene().zip(asked.scene.as_deref()), wanted, args.is_share());
    if let Some(asked) = &name.unwritten {
        let path = name.path.display();
        common.note(format!("the scene asks for {asked}, a format that is not written here; writing {path}"));
    }
    name.path
}

/// Builds the tree of the scene. Says so where the CPU is to render although GPUs are named.
pub fn prepare(loaded: LoadedJob, common: &Common) -> Result<PreparedJob, CliError> {
    let _building = common.building(&loaded.loaded.scene);
    let prepared = loaded.prepare().map_err(CliError::job)?;
    let (reason, device) = (prepared.prepared.plan().reason, &common.device);
    if device.names_gpus() && matches!(reason, PlanReason::NoTriangles) {
        common.note(format!("--device {device}: {}, so the CPU renders", plan_words::why(&reason)));
    }
    Ok(prepared)
}
