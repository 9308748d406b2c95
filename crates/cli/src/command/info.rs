//! `raywarp info SCENE`: what is in a scene and what its tree costs.

use crate::common::Common;
use crate::exit::{CliError, Status};
use crate::interrupt;
use clap::{Args, ValueEnum};
use raywarp::bvh::presets;
use raywarp::{BuildOptions, Builder, PrepareOptions, Prepared};
use std::io::Write;
use std::path::PathBuf;

/// Says what is in a scene and what its tree costs.
#[derive(Debug, Args)]
pub struct InfoArgs {
    /// Scene file, or a name in --scenes.
    scene: PathBuf,
    /// Options of the builder, from the fastest build to the best tree; the others here change single ones.
    #[arg(long, value_enum, default_value_t = PresetArg::Balanced)]
    preset: PresetArg,
    /// How the tree is built.
    #[arg(long, value_enum)]
    builder: Option<BuilderArg>,
    /// Passes of reinsertion over the finished tree.
    #[arg(long, value_name = "N")]
    reinsertion: Option<u32>,
    /// Most triangles of a leaf.
    #[arg(long, value_name = "N", default_value_t = BuildOptions::default().max_leaf)]
    max_leaf: u32,
    /// Cost of a node visit in triangle tests, for deciding where to stop splitting.
    #[arg(long, value_name = "COST", default_value_t = BuildOptions::default().traversal_cost)]
    traversal_cost: f32,
    /// Early split clipping: extra references as a share of the triangles.
    #[arg(long, value_name = "SHARE")]
    split: Option<f32>,
    /// Compute the end-point overlap too, which takes many times as long as the build.
    #[arg(long)]
    epo: bool,
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
    /// Binned SAH with spatial splits.
    Sbvh,
    /// Along the Morton curve.
    Lbvh,
    /// Merging neighbours from below.
    Ploc,
}

/// `--preset`.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum PresetArg {
    /// Along the Morton curve.
    Fastest,
    /// The same, improved by reinsertion.
    Fast,
    /// Binned SAH.
    Balanced,
    /// The same, improved by reinsertion.
    Good,
    /// Spatial splits, improved by reinsertion.
    Best,
}

impl InfoArgs {
    fn build(&self) -> BuildOptions {
        let preset = match self.preset {
            PresetArg::Fastest => presets::FASTEST,
            PresetArg::Fast => presets::FAST,
            PresetArg::Balanced => presets::BALANCED,
            PresetArg::Good => presets::GOOD,
            PresetArg::Best => presets::BEST,
        };
        let builder = match self.builder {
            None => preset.builder,
            Some(BuilderArg::Binned) => Builder::BinnedSah,
            Some(BuilderArg::Sweep) => Builder::SweepSah,
            Some(BuilderArg::Sbvh) => Builder::Sbvh,
            Some(BuilderArg::Lbvh) => Builder::Lbvh,
            Some(BuilderArg::Ploc) => Builder::Ploc,
        };
        BuildOptions {
            builder,
            reinsertion: self.reinsertion.unwrap_or(preset.reinsertion),
            max_leaf: self.max_leaf,
            split_clipping: self.split,
            traversal_cost: self.traversal_cost,
            ..preset
        }
    }
}

/// Runs the command.
pub fn run(args: &InfoArgs, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    let (loaded, path, load) = common.load(&args.scene, args.allow_missing)?;
    let prepared = Prepared::new(loaded.scene, &PrepareOptions { build: args.build() })
        .map_err(|error| CliError::prepare(path.display(), error))?;
    interrupt::check("building the tree")?;
    let mut info = raywarp::info(&prepared, load);
    if args.epo {
        info.add_epo_cost(&prepared).map_err(|error| CliError::prepare(path.display(), error))?;
    }
    if common.json {
        writeln!(out, "{:#}", info.json())?;
    } else {
        write!(out, "{}", info.text())?;
    }
    Ok(Status::Done)
}
