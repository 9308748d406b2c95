//! `raywarp merge SHARE... -o FILE`: shares of a render to one picture.

use crate::common::{Common, Replacing, command_line};
use crate::exit::{CliError, Status};
use crate::heading;
use crate::interrupt;
use crate::options::values::{self, has_sums, layers_of};
use crate::progress::Steps;
use clap::Args;
use raywarp::render::output::{self, ExposureChoice};
use std::io::Write;
use std::path::PathBuf;

/// Adds shares of a render to one picture.
///
/// Shares are made by `raywarp render --samples A..B -o SHARE.exr`, on one machine or many. The sum of all is the
/// picture that one machine would have made, whatever the order.
#[derive(Debug, Args)]
pub struct MergeArgs {
    /// Shares of the same render.
    #[arg(required = true, value_name = "SHARE")]
    shares: Vec<PathBuf>,
    /// Picture to write: .png, .exr or .hdr.
    #[arg(short, long, value_name = "FILE", help_heading = heading::OUTPUT)]
    output: PathBuf,
    /// Exposure of the PNG in stops, a factor such as x3, or auto.
    #[arg(long, value_name = "STOPS", default_value = "0", allow_negative_numbers = true, value_parser = values::exposure(), hide_possible_values = true, help_heading = heading::OUTPUT)]
    exposure: ExposureChoice,
    /// Tone curve of the PNG: srgb, reinhard, aces, agx, neutral.
    #[arg(long, value_name = "CURVE", default_value = "srgb", value_parser = values::tone(), hide_possible_values = true, help_heading = heading::OUTPUT)]
    tone: output::Tone,
    /// Layers of an EXR beside the picture, comma-separated, or all [default: none].
    ///
    /// There are samples and variance, and of shares that have them albedo, normal and depth; and sums, so that it can
    /// be merged and gone on with again.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = values::layer_names(), hide_possible_values = true, help_heading = heading::OUTPUT)]
    layers: Vec<String>,
    #[command(flatten)]
    pub replacing: Replacing,
}

/// Runs the command `merge`.
pub fn run(args: &MergeArgs, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    common.files.writes(&args.output)?;
    args.shares.iter().try_for_each(|share| common.files.reads(share))?;
    output::can_write(&args.output).map_err(CliError::picture)?;
    let layers = layers_of(&args.layers)?;
    if !args.layers.is_empty() {
        values::say_lost_layers(std::slice::from_ref(&args.output), common);
    }
    let mut shares = Vec::new();
    let _doing = interrupt::doing("reading and adding shares");
    let steps = Steps::new(common.quiet, "reading", "shares", args.shares.len() as u64);
    for path in &args.shares {
        shares.push(output::read_share(path).map_err(CliError::share)?);
        steps.advance(1);
    }
    drop(steps);
    let count = shares.len();
    let merged = output::merge(shares).map_err(CliError::share)?;
    let missing: Vec<String> = merged.missing().iter().map(|range| format!("{}..{}", range.start, range.end)).collect();
    if !missing.is_empty() {
        common.note(format!("no share holds samples {}", missing.join(", ")));
    }
    if has_sums(&args.layers) && merged.info().is_none() {
        return Err(CliError::usage(
            "--layers sums: samples are missing between these shares; leave it out, or name them all",
        ));
    }
    let own = merged.content.film_exposure;
    let exposure = raywarp::render::exposure_of(args.exposure, own, &merged.film);
    common.say_exposure(args.exposure, (exposure.as_factor() / own.as_factor()).log2());
    let options = output::PictureOptions {
        look: output::Look { exposure, tone: args.tone },
        layers,
        content: merged.content,
        metadata: output::Metadata { command: command_line(), ..output::Metadata::default() },
    };
    let written = match merged.info().filter(|_| has_sums(&args.layers)) {
        Some(info) => output::write_film_and_sums(&args.output, &merged.film, &options, &info),
        None => output::write_film(&args.output, &merged.film, &options),
    };
    written.map_err(CliError::picture)?;
    let window = merged.film.window();
    let [low, high] = merged.film.sample_range();
    if common.json {
        let document = serde_json::json!({
            "output": args.output.display().to_string(), "shares": count, "size": window.size,
            "samples": low, "samples_most": high, "missing": missing,
        });
        writeln!(out, "{document:#}")?;
    } else if !common.quiet {
        let samples = if low == high { low.to_string() } else { format!("{low} to {high}") };
        writeln!(out, "wrote {}: {window}, {samples} samples a pixel from {count} shares", args.output.display())?;
    }
    Ok(Status::Done)
}
