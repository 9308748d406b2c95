//! `raywarp info SCENE`: what is in a scene and what its tree costs.

mod figures;
mod names;

use crate::common::{Common, Scenes, Threads};
use crate::exit::{CliError, Status};
use crate::heading;
use crate::options::levels::LevelsArgs;
use crate::options::tree::TreeArgs;
use clap::Args;
use raywarp::device::Plan;
use raywarp::render::Prepared;
use raywarp::scene::Prefer;
use std::io::Write;
use std::path::PathBuf;

/// Says what is in a scene and what its tree costs.
#[derive(Debug, Args)]
pub struct InfoArgs {
    /// Scene file, a name in --scenes, or - for standard input.
    scene: PathBuf,
    /// Compute the end-point overlap too; it takes much longer than the build.
    #[arg(long, help_heading = heading::TREE)]
    epo: bool,
    /// Go on without files that the scene names and that are missing.
    #[arg(long, help_heading = heading::SCENE)]
    allow_missing: bool,
    #[command(flatten)]
    levels: LevelsArgs,
    #[command(flatten)]
    tree: TreeArgs,
    #[command(flatten)]
    pub scenes: Scenes,
    #[command(flatten)]
    pub threads: Threads,
}

/// Runs the command `info`.
pub fn run(args: &InfoArgs, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    let (mut loaded, path, load) =
        common.load_triangles(common.find(&args.scene, Prefer::Materials)?, args.allow_missing)?;
    let choices = std::mem::take(&mut loaded.choices);
    let building = common.building(&loaded.scene);
    let prepared = Prepared::with_levels(loaded.scene, &Plan::cpu(args.tree.options()), args.levels.levels())
        .map_err(|error| CliError::prepare(path.display(), error))?;
    drop(building);
    let mut info = figures::info(&prepared, load);
    info.names.add_choices(&choices);
    if args.epo {
        let _activity = common.activity("computing the end-point overlap");
        info.add_epo_cost(&prepared).map_err(|error| CliError::prepare(path.display(), error))?;
    }
    if common.json {
        let mut document = info.document().json();
        common.describe_scenes(&mut document);
        writeln!(out, "{document:#}")?;
    } else {
        write!(out, "{}", common.written(&info.document()))?;
    }
    Ok(Status::Done)
}
