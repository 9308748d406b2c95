//! `raywarp simulate SCENE --experiment compaction`: how full warps of a path tracer are, as in Wald 2011.

use crate::command::simulate::SimulateArgs;
use crate::common::Common;
use crate::exit::{CliError, Status};
use crate::heading;
use crate::interrupt;
use crate::named_values::named_values;
use crate::options::values;
use crate::options::views::views;
use crate::progress::{Limits, RenderProgress};
use crate::whole_number::whole;
use clap::Args;
use raywarp::BuildOptions;
use raywarp::device::Plan;
use raywarp::render::{Prepared, RenderError, Watch};
use raywarp::scene::Description;
use raywarp_lab::compaction::{
    CompactionError, CompactionReport, CompactionRequest, CountError, W11_DEPTH, W11_REFLECTANCE, W11_SIZE, compaction,
};
use std::io::Write;
use std::path::Path;

/// What this experiment takes beside what all take; the defaults are Wald's.
#[derive(Debug, Args)]
#[command(next_help_heading = heading::WITH_COMPACTION)]
pub struct CompactionArgs {
    /// Frames of each view, of one path a pixel [default: 1].
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=1024))]
    pub frames: Option<u32>,
    /// Bounces of a path [default: 8].
    #[arg(long, value_name = "N", value_parser = whole::<u32>(0..=10_000))]
    pub max_depth: Option<u32>,
    /// Reflectance of all materials, or off [default: 0.7].
    ///
    /// They become diffuse with it; off keeps them as they are.
    #[arg(long, value_name = "R", value_parser = named_values(["off"], parse_clay), hide_possible_values = true)]
    pub clay: Option<Clay>,
    /// Radius of the lens in scene units [default: the camera's].
    #[arg(long, value_name = "RADIUS", value_parser = values::not_negative)]
    pub lens_radius: Option<f32>,
}

/// Value of `--clay`: the reflectance of all materials, or `None` for `off`.
#[derive(Debug, Clone, Copy)]
pub struct Clay(Option<f32>);

fn parse_clay(text: &str) -> Result<Clay, String> {
    if text == "off" { Ok(Clay(None)) } else { values::share(text).map(|share| Clay(Some(share))) }
}

/// Runs the experiment `compaction`.
pub(super) fn run(args: &SimulateArgs, name: &Path, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    let (loaded, path, _) =
        common.load_file(common.find(name, raywarp::scene::Prefer::Geometry)?, args.allow_missing)?;
    let views = views(common, &loaded.scene, &raywarp::scene::scene_name(&path), args.view.as_deref())?;
    let mut prepared = args.compaction.prepare(loaded.scene, &path, args.tree.options(), common)?;
    let own = &args.compaction;
    let request = CompactionRequest {
        scene: raywarp::scene::scene_name(name),
        cameras: views.into_iter().map(|(_, view)| view.camera).collect(),
        size: args.size.unwrap_or(W11_SIZE),
        frames: own.frames.unwrap_or(1),
        max_depth: own.max_depth.unwrap_or(W11_DEPTH),
        lens_radius: own.lens_radius,
        widths: args.kernels.widths(false),
        threads: common.threads,
    };
    let report = count(&mut prepared, &request, common)?;
    let document = report.document();
    args.report.write(&path, &document)?;
    common.print(&document, out)?;
    Ok(Status::Done)
}

impl CompactionArgs {
    /// Replaces the scene's materials by clay, unless they are to be kept, and builds its tree.
    fn prepare(
        &self,
        mut scene: Description,
        path: &Path,
        build: BuildOptions,
        common: &Common,
    ) -> Result<Prepared, CliError> {
        if let Clay(Some(reflectance)) = self.clay.unwrap_or(Clay(Some(W11_REFLECTANCE))) {
            raywarp::scene::make_clay(&mut scene, reflectance);
        }
        let _building = common.building(&scene);
        Prepared::new(scene, &Plan::cpu(build)).map_err(|error| CliError::prepare(path.display(), error))
    }
}

fn count(prepared: &mut Prepared, request: &CompactionRequest, common: &Common) -> Result<CompactionReport, CliError> {
    let _doing = interrupt::doing("running experiment compaction");
    interrupt::leave(String::new(), "an experiment has no partial results, so nothing was printed");
    let pixels = u64::from(request.size[0]) * u64::from(request.size[1]);
    let bar = RenderProgress::new(common.quiet, "following paths", pixels, Limits::default());
    let progress = |progress: &raywarp::render::Progress| bar.update(progress);
    let watch = Watch { progress: Some(&progress), ..Watch::default() };
    let report = compaction(prepared, request, &watch);
    drop(bar);
    report.map_err(|error| match error {
        CompactionError::Count(CountError::Width(_)) => CliError::usage(format!("--width: {error}")),
        CompactionError::Count(CountError::Paths { .. } | CountError::Depth(_)) => CliError::usage(error),
        CompactionError::Render(RenderError::Option(message)) => CliError::usage(message),
        CompactionError::Render(RenderError::TextureTooDeep { .. }) => CliError::input(error),
        other => CliError::machine(other),
    })
}
