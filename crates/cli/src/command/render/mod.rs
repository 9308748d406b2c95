//! `raywarp render [SCENE]`: a scene file in, a picture out.

mod args;
mod asked;
mod device;
mod finished;
mod loading;
mod organisation;
mod rays;
mod rendering;
mod report;
mod resume;
mod settling;
mod write_every;

pub use crate::command::render::args::RenderArgs;
use crate::command::render::asked::Asked;
use crate::command::render::finished::Finished;
use crate::common::Common;
use crate::exit::{CliError, Status};
use crate::interrupt;
use std::io::Write;

/// Runs the command `render`.
pub fn run(args: &RenderArgs, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    let asked = Asked::check(args, common)?;
    let job = asked.job(args, common)?;
    let (loaded, outputs) = loading::load(job, &asked, args, common)?;
    let prepared = loading::prepare(loaded, common)?;
    let mut settled = settling::settle(prepared, args, common)?;
    device::place(&mut settled, common)?;
    let writer = settled.writer(args.contents()?);
    // From here on an interrupt saves what there is.
    let _keep = interrupt::Keep::now("what is rendered will be written");
    let (rendered, rays) = rendering::render(settled, (args, &outputs, &writer), common)?;
    let finished = Finished::write(&rendered, rays, (args, &outputs, &writer), common)?;
    finished.say(args, common, out)?;
    finished.status()
}
