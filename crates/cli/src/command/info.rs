//! `raywarp info SCENE`: what is in a scene and what its tree costs.

use crate::common::Common;
use crate::exit::{CliError, Status};
use crate::interrupt;
use clap::{Args, ValueEnum};
use raywarp::{BuildOptions, Builder, PrepareOptions, Prepared};
use std::io::Write;
use std::path::PathBuf;

/// Says what is in a scene and what its tree costs.
#[derive(Debug, Args)]
pub struct InfoArgs {
    /// Scene file, or a name in --scenes.
    scene: PathBuf,
    /// How the tree is built.
    #[arg(long, value_enum, default_value_t = BuilderArg::Binned)]
    builder: BuilderArg,
    /// Most triangles of a leaf.
    #[arg(long, value_name = "N", default_value_t = BuildOptions::default().max_leaf)]
    max_leaf: u32,
    /// Cost of a node visit in triangle tests, for deciding where to stop splitting.
    #[arg(long, value_name = "COST", default_value_t = BuildOptions::default().traversal_cost)]
    traversal_cost: f32,
    /// Early split clipping: extra references as a share of the triangles.
    #[arg(long, value_name = "SHARE")]
    split: Option<f32>,
    /// Go on without files that the scene names and that are missing.
    #[arg(long)]
    allow_missing: bool,
}

/// `--builder`.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum BuilderArg {
    /// Parallel binned SAH.
    Binned,
    /// Greedy SAH sweep (Aila and Laine 2009).
    Sweep,
}

/// Runs the command.
pub fn run(args: &InfoArgs, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    let (loaded, path, load) = common.load(&args.scene, args.allow_missing)?;
    let builder = match args.builder {
        BuilderArg::Binned => Builder::BinnedSah,
        BuilderArg::Sweep => Builder::SweepSah,
    };
    let build = BuildOptions {
        builder,
        max_leaf: args.max_leaf,
        split_clipping: args.split,
        traversal_cost: args.traversal_cost,
        ..BuildOptions::default()
    };
    let prepared = Prepared::new(loaded.scene, &PrepareOptions { build })
        .map_err(|error| CliError::prepare(path.display(), error))?;
    interrupt::check("building the tree")?;
    let info = raywarp::info(&prepared, load);
    if common.json {
        writeln!(out, "{:#}", info.json())?;
    } else {
        write!(out, "{}", info.text())?;
    }
    Ok(Status::Done)
}
