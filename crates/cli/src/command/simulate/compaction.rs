//! `raywarp simulate SCENE --experiment compaction`: how full warps of a path tracer are, as in Wald 2011.

use crate::command::simulate::ReportArgs;
use crate::common::Common;
use crate::exit::{CliError, Status};
use crate::heading;
use crate::interrupt;
use crate::named_values::named_values;
use crate::options::values;
use crate::options::views::views;
use crate::progress::{Limits, RenderProgress};
use clap::Args;
use raywarp::BuildOptions;
use raywarp::device::Plan;
use raywarp::render::{Prepared, RenderError, Watch};
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
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub frames: Option<u32>,
    /// Bounces of a path [default: 8].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=10_000))]
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

/// Value of `--clay`: the reflectance of all materials, `None` for off.
#[derive(Debug, Clone, Copy)]
pub struct Clay(Option<f32>);

fn parse_clay(text: &str) -> Result<Clay, String> {
    if text == "off" { Ok(Clay(None)) } else { values::share(text).map(|share| Clay(Some(share))) }
}

/// Settings of the command line that all experiments share.
pub struct Shared<'a> {
    pub scene: &'a Path,
    pub view: Option<&'a str>,
    pub size: Option<[u32; 2]>,
    pub widths: &'a [u32],
    pub build: BuildOptions,
    pub allow_missing: bool,
}

/// Runs the experiment.
pub fn run(
    args: &CompactionArgs,
    page: &ReportArgs,
    shared: &Shared,
    common: &Common,
    out: &mut dyn Write,
) -> Result<Status, CliError> {
    let (loaded, path, _) =
        common.load_file(common.find(shared.scene, raywarp::scene::Prefer::Geometry)?, shared.allow_missing)?;
    let mut scene = loaded.scene;
    let name = raywarp::scene::scene_name(&path);
    let views = views(common, &scene, &name, shared.view)?;
    if let Clay(Some(reflectance)) = args.clay.unwrap_or(Clay(Some(W11_REFLECTANCE))) {
        raywarp::scene::make_clay(&mut scene, reflectance);
    }
    let options = Plan::cpu(shared.build);
    let building = common.building(&scene);
    let mut prepared = Prepared::new(scene, &options).map_err(|error| CliError::prepare(path.display(), error))?;
    drop(building);
    let request = CompactionRequest {
        scene: raywarp::scene::scene_name(shared.scene),
        cameras: views.into_iter().map(|(_, view)| view.camera).collect(),
        size: shared.size.unwrap_or(W11_SIZE),
        frames: args.frames.unwrap_or(1),
        max_depth: args.max_depth.unwrap_or(W11_DEPTH),
        lens_radius: args.lens_radius,
        widths: shared.widths.to_vec(),
        threads: common.threads,
    };
    let report = count(&mut prepared, &request, common)?;
    let document = report.document();
    page.write(&path, &document)?;
    if common.json {
        writeln!(out, "{:#}", document.json())?;
    } else {
        write!(out, "{}", document.text(common.room()))?;
    }
    Ok(Status::Done)
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
