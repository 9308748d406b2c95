//! `raywarp trace SCENE RAYS -o HITS`: rays in, hits out.

mod args;
mod failure;
mod files;
mod input;
mod prepare;
mod report;
mod stream;

pub use crate::command::trace::args::TraceArgs;
use crate::command::trace::files::TraceFiles;
use crate::command::trace::input::RayInput;
use crate::command::trace::prepare::prepare;
use crate::command::trace::report::TraceReport;
use crate::command::trace::stream::trace;
use crate::common::Common;
use crate::exit::{CliError, Status};
use crate::interrupt;
use crate::options::ray_input::input_name;
use std::io::Write;

/// Runs the command `trace`.
pub fn run(args: &TraceArgs, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    let files = TraceFiles::check(args, common)?;
    // The rays first: what is wrong with them shows before a large scene is loaded.
    let name = input_name(files.rays);
    let mut input = RayInput::open(files.rays, &name, common)?;
    let plan = args.chosen_plan(common, &input.rays)?;
    let (loaded, path, load) = common.load(files.scene, args.allow_missing)?;
    input.place_in(&loaded.scene, common);
    let scene = (&loaded.scene, &*path);
    let prepared = prepare(args, plan.as_ref(), scene, &input, common)?;
    let _doing = interrupt::doing("tracing");
    let traced = trace((args, files.format), &prepared, scene, &mut input, common, out)?;
    let notes = input.notes;
    TraceReport { args, query: args.query(), scene: &path, traced, prepared: &prepared, load, notes }
        .print(common, out)?;
    Ok(Status::Done)
}
