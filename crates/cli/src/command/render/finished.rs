//! A finished render: its files, what is said of it, and the status that it ends with.

use crate::command::render::args::RenderArgs;
use crate::command::render::rays::{self, Exported};
use crate::command::render::report::RenderReport;
use crate::common::Common;
use crate::exit::{CliError, Status};
use crate::note_words;
use raywarp::render::output::{Look, PictureFormat};
use raywarp::render::{PathRays, PictureWriter, RenderedJob, StopReason, lost_pixels};
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Render whose files are written.
pub struct Finished<'a> {
    rendered: &'a RenderedJob,
    outputs: &'a [PathBuf],
    look: Look,
    /// Ray files that were exported, if asked for.
    rays: Option<Exported>,
    /// Time of writing the files.
    write: Duration,
}

impl<'a> Finished<'a> {
    /// Writes pictures and exported rays; an error of one file does not keep the others from being written.
    pub fn write(
        rendered: &'a RenderedJob,
        rays: Option<PathRays>,
        (args, outputs, writer): (&RenderArgs, &'a [PathBuf], &PictureWriter),
        common: &Common,
    ) -> Result<Self, CliError> {
        let start = Instant::now();
        let (film, time) = (&rendered.rendered.film, rendered.rendered.elapsed);
        let write = |path: &PathBuf| writer.write(path, film, time).map_err(CliError::job);
        let written: Vec<_> = outputs.iter().map(write).collect();
        let exported = rays::export(args, rendered, rays, common);
        written.into_iter().collect::<Result<(), _>>()?;
        let rays = exported?;
        Ok(Self { rendered, outputs, look: writer.look(film), rays, write: start.elapsed() })
    }

    /// Prints the results of the render: notes on exposure and lost pixels, then the report.
    pub fn say(&self, args: &RenderArgs, common: &Common, out: &mut dyn Write) -> Result<(), CliError> {
        let picture = &self.rendered.picture;
        common.say_exposure(picture.exposure_choice, picture.stops(self.look.exposure));
        self.say_lost(args, common);
        let report = self.report(common);
        if common.json {
            writeln!(out, "{:#}", report.json())?;
        } else if !common.quiet {
            writeln!(out, "{}", report.line())?;
            if let (Some(folder), Some(exported)) = (&args.export_rays, &self.rays) {
                writeln!(out, "{}", exported.line(folder))?;
            }
        }
        Ok(())
    }

    /// Prints a line about a PNG of which much is black or clipped.
    fn say_lost(&self, args: &RenderArgs, common: &Common) {
        let RenderedJob { prepared, picture, rendered, .. } = self.rendered;
        let is_png = |path: &PathBuf| PictureFormat::of(path).is_ok_and(|format| format == PictureFormat::Png);
        if !args.is_share()
            && self.outputs.iter().any(is_png)
            && let Some(note) = lost_pixels(prepared, picture, &rendered.film, &self.look)
        {
            common.note(note_words::of(&note));
        }
    }

    fn report(&self, common: &Common) -> RenderReport<'_> {
        RenderReport {
            job: self.rendered,
            outputs: self.outputs,
            look: self.look,
            write: self.write,
            total: common.start.elapsed(),
            rays: self.rays.as_ref(),
        }
    }

    /// Returns the exit status of the command.
    pub fn status(&self) -> Result<Status, CliError> {
        let rendered = &self.rendered.rendered;
        match &rendered.failure {
            Some(failure) => Err(CliError::machine(format!("{failure}; what was finished before is written"))),
            None if rendered.stop == StopReason::Cancelled => Ok(Status::Interrupted),
            None => Ok(Status::Done),
        }
    }
}
