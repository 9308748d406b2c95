//! `raywarp convert PICTURE -o FILE`: a finished picture toned anew or in another format.

use crate::common::{Common, Replacing, command_line};
use crate::exit::{CliError, Status};
use crate::heading;
use crate::interrupt;
use crate::options::values;
use clap::Args;
use raywarp::render::output::{self, Exposure, ExposureChoice, PictureFile, PictureFormat};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Converts a finished picture: exposure, tone curve, format, layer.
///
/// A PNG of an EXR is the one that the render would have written with the same --exposure and --tone. An EXR keeps its
/// layers and its alpha. Files of other programs are read too: half or float, scan lines or tiles, RGB or Y.
#[derive(Debug, Args)]
pub struct ConvertArgs {
    /// Picture: .exr (a share too), .hdr, .png, .jpg, .tga or .ktx2.
    #[arg(value_name = "PICTURE")]
    picture: PathBuf,
    /// Picture to write: .png, .exr or .hdr; may be repeated.
    #[arg(short, long = "output", value_name = "FILE", required = true, help_heading = heading::OUTPUT)]
    output: Vec<PathBuf>,
    /// Exposure of the PNG: stops, a factor (x3), or auto.
    ///
    /// Auto makes the middle brightness of the picture mid-grey, and says in how many stops.
    #[arg(long, value_name = "STOPS", default_value = "0", allow_negative_numbers = true, value_parser = values::exposure(), hide_possible_values = true, help_heading = heading::OUTPUT)]
    exposure: ExposureChoice,
    /// Tone curve of the PNG: srgb, reinhard, aces, agx, neutral.
    #[arg(long, value_name = "CURVE", default_value = "srgb", value_parser = values::tone(), hide_possible_values = true, help_heading = heading::OUTPUT)]
    tone: output::Tone,
    /// A layer in place of the picture, such as albedo [default: the picture].
    ///
    /// Others are normal, depth, variance and samples. A PNG shows normals as colours, near as bright, and variance and
    /// samples as heat maps.
    #[arg(long, value_name = "NAME", value_parser = values::layer_name(), hide_possible_values = true, help_heading = heading::OUTPUT)]
    layer: Option<String>,
    #[command(flatten)]
    pub replacing: Replacing,
}

/// Runs the command `convert`.
pub fn run(args: &ConvertArgs, common: &Common, out: &mut dyn Write) -> Result<Status, CliError> {
    // What is read, and what is written.
    let (inputs, outputs) = ([args.picture.as_path()], args.output.as_slice());
    inputs.iter().try_for_each(|path| common.files.reads(path))?;
    for path in outputs {
        common.files.writes(path)?;
        output::can_write(path).map_err(CliError::picture)?;
    }
    let picture = read(inputs[0], common)?;
    let picture = match &args.layer {
        Some(name) => picture.layer(name).map_err(CliError::read)?,
        None => picture,
    };
    let _doing = interrupt::doing(&format!("converting {}", args.picture.display()));
    say_what_is_lost(args, &picture, common);

    let exposure = exposure(args, &picture);
    let own = picture.content.film_exposure;
    common.say_exposure(args.exposure, (exposure.as_factor() / own.as_factor()).log2());
    let look = output::Look { exposure, tone: args.tone };
    let metadata = metadata(&picture);
    // One that fails keeps no other from being written.
    let written: Vec<_> = outputs.iter().map(|path| write(path, &picture, &look, &metadata)).collect();
    written.into_iter().collect::<Result<(), _>>()?;

    let names: Vec<String> = outputs.iter().map(|path| path.display().to_string()).collect();
    if common.json {
        let document = serde_json::json!({
            "input": args.picture.display().to_string(), "output": names.first(), "outputs": names,
            "size": picture.window.size, "alpha": picture.alpha.is_some(), "shows": picture.content.shows.name(),
            "layers": picture.layer_names(), "not_finite": picture.not_finite(),
        });
        writeln!(out, "{document:#}")?;
    } else if !common.quiet {
        let what = args.layer.as_ref().map_or(String::new(), |name| format!("layer {name} of "));
        writeln!(out, "wrote {}: {}, {what}{}", names.join(", "), picture.window, args.picture.display())?;
    }
    Ok(Status::Done)
}

/// Reads a picture file, and prints what could not be taken as it is.
pub(super) fn read(path: &Path, common: &Common) -> Result<PictureFile, CliError> {
    let reading = common.activity(format!("reading {}", path.display()));
    let picture = output::read_picture(path).map_err(CliError::read)?;
    drop(reading);
    for note in &picture.notes {
        common.note(format!("{}: {note}", path.display()));
    }
    Ok(picture)
}

/// Returns the exposure for the outputs: the one the user asks for on top of the film's own, or one measured from the
/// pixels.
fn exposure(args: &ConvertArgs, picture: &PictureFile) -> Exposure {
    let own = picture.content.film_exposure;
    match args.exposure {
        ExposureChoice::Fixed(exposure) => exposure.and(own),
        ExposureChoice::Auto => {
            let shown = |i: &usize| picture.alpha.as_ref().is_none_or(|alpha| alpha[*i] > 0.0);
            let radiance: Vec<[f32; 3]> = (0..picture.colour.len()).filter(shown).map(|i| picture.colour[i]).collect();
            output::auto_exposure(&radiance).unwrap_or(own)
        }
    }
}

/// Prints which of the wanted settings, and of the input's contents, the outputs cannot hold.
fn say_what_is_lost(args: &ConvertArgs, picture: &PictureFile, common: &Common) {
    let writes =
        |format: PictureFormat| args.output.iter().any(|path| PictureFormat::of(path).is_ok_and(|f| f == format));
    if !writes(PictureFormat::Png)
        && (args.exposure != ExposureChoice::default() || args.tone != output::Tone::default())
    {
        common.note("--exposure and --tone are for a PNG; EXR and HDR hold radiance as it is");
    }
    if writes(PictureFormat::Hdr) && picture.alpha.is_some() {
        common.note("a Radiance file has no alpha: the picture is on black there");
    }
    let not_finite = picture.not_finite();
    if not_finite > 0 {
        common.note(format!(
            "{}: {not_finite} pixels are not finite; a PNG shows them black or white",
            args.picture.display()
        ));
    }
}

/// Returns the new file's entries about how it was made, including those of the input.
fn metadata(picture: &PictureFile) -> output::Metadata {
    let made = (!picture.comments.is_empty()).then(|| ("made from".to_string(), picture.comments.clone()));
    output::Metadata { command: command_line(), entries: made.into_iter().collect(), ..output::Metadata::default() }
}

/// Writes a picture in the format of its file name's extension.
fn write(path: &Path, picture: &PictureFile, look: &output::Look, metadata: &output::Metadata) -> Result<(), CliError> {
    let on_black = match PictureFormat::of(path) {
        Ok(PictureFormat::Hdr) if picture.alpha.is_some() => Some(PictureFile { alpha: None, ..picture.clone() }),
        _ => None,
    };
    output::write_picture(path, on_black.as_ref().unwrap_or(picture), look, metadata).map_err(CliError::picture)
}
