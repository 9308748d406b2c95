//! `raywarp diff A B`: how far apart two pictures are.

mod report;

use crate::command::convert::read;
use crate::command::diff::report::DiffReport;
use crate::common::{Common, Replacing, command_line};
use crate::exit::{CliError, Status, after_printing};
use crate::heading;
use crate::options::values;
use clap::Args;
use raywarp::render::compare::compare;
use raywarp::render::output::{self, OutputError, PictureFormat};
use std::io::Write;
use std::path::PathBuf;

/// Says how far apart two pictures are, and if noise explains it.
///
/// All numbers are of linear light; eight-bit files are decoded from sRGB. Whether noise explains the difference is
/// said where both files have the layer variance (render --layers variance). Parts of one picture are compared where
/// they overlap.
#[derive(Debug, Args)]
pub struct DiffArgs {
    /// Picture: .exr (a share too), .hdr, .png, .jpg, .tga or .ktx2.
    #[arg(value_name = "A")]
    a: PathBuf,
    /// Picture that it is compared with; relative errors are relative to this one.
    #[arg(value_name = "B")]
    b: PathBuf,
    /// End with status 1 if they are farther apart, such as 0.01 [default: never].
    ///
    /// The RMSE as a part of the mean of B is compared: 0.01 is 1 %, 0 asks for equal values.
    #[arg(long, value_name = "RELATIVE", allow_negative_numbers = true, value_parser = values::not_negative, help_heading = heading::OUTPUT)]
    within: Option<f32>,
    /// Heat map to write (.png): the largest difference of each pixel's channels.
    #[arg(short, long, value_name = "FILE", help_heading = heading::OUTPUT)]
    output: Option<PathBuf>,
    #[command(flatten)]
    pub replacing: Replacing,
}

/// Runs the command `diff`.
pub fn run(args: &DiffArgs, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    // What is read, and what is written.
    let (inputs, outputs) = ([args.a.as_path(), args.b.as_path()], args.output.as_slice());
    inputs.iter().try_for_each(|path| common.files.reads(path))?;
    for path in outputs {
        common.files.writes(path)?;
        match output::can_write(path).map_err(CliError::picture)? {
            PictureFormat::Png => {}
            _ => return Err(CliError::picture(OutputError::NotAPng { path: path.clone() })),
        }
    }
    let [a, b] = inputs;
    let (a, b) = (read(a, common)?, read(b, common)?);
    let _comparing = common.activity("comparing pictures");
    if a.from_srgb8 != b.from_srgb8 {
        let (bytes, other) = if a.from_srgb8 { (&a, &b) } else { (&b, &a) };
        common.note(format!(
            "{} was exposed and toned to be looked at, {} was not; convert one first",
            bytes.path.display(),
            other.path.display()
        ));
    }
    let comparison = compare(&a, &b).map_err(CliError::input)?;
    for path in outputs {
        let scale = comparison.map_scale();
        let image = output::heat_map(&comparison.map, comparison.window.size, scale, "largest difference of a channel");
        let metadata = output::Metadata { command: command_line(), ..output::Metadata::default() };
        output::write_rgb8(path, &image, &metadata).map_err(CliError::picture)?;
    }
    let report =
        DiffReport { pictures: [&a, &b], comparison: &comparison, within: args.within, output: outputs.first() };
    let is_silent = common.quiet && !common.json;
    let printed = if is_silent { Ok(()) } else { common.print(&report.document(), out) };
    let verdict = if report.is_within() { Status::Done } else { Status::Failed };
    after_printing(printed, verdict)
}
