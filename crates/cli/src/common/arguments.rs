//! Flags that several sub-commands share, as clap reads them.

use crate::device::DeviceChoice;
use crate::heading;
use crate::named_values::named_values;
use clap::builder::TypedValueParser;
use clap::{ArgAction, Args, ValueEnum};
use raywarp::scene::{Format, GltfOptions, LightUnits};
use std::path::PathBuf;
use std::str::FromStr;

/// Flags of every sub-command; they may stand before its name too.
#[derive(Debug, Args)]
#[command(next_help_heading = heading::GENERAL)]
pub struct Talk {
    /// Print one JSON document on standard output, of an error too.
    #[arg(long, global = true)]
    pub(super) json: bool,
    /// Print errors only.
    #[arg(short, long, global = true)]
    pub(super) quiet: bool,
    /// Print timings of each step too.
    #[arg(short, long, global = true)]
    pub(super) verbose: bool,
    /// Print help; -h is the short one.
    #[arg(short, long, global = true, action = ArgAction::Help)]
    help: Option<bool>,
}

/// `--threads`, of commands with parallel work; it may stand before their name too.
#[derive(Debug, Clone, Copy, Args)]
#[command(next_help_heading = heading::MACHINE)]
pub struct Threads {
    /// Worker threads, 0 for one a processor; results do not depend on it [default: 0].
    #[arg(long, value_name = "N")]
    pub(super) threads: Option<usize>,
}

impl Threads {
    /// Returns `true` if the flag `--threads` is given.
    pub fn is_given(self) -> bool {
        self.threads.is_some()
    }
}

/// `--scenes`, `--format`, `--light-units` and what to show of a glTF file, of commands that take a scene.
#[derive(Debug, Args)]
#[command(next_help_heading = heading::SCENE)]
pub struct Scenes {
    /// Folder in which bare scene names are looked up [default: none].
    #[arg(long, value_name = "DIR", env = "RAYWARP_SCENES", value_parser = folder())]
    pub(super) scenes: Option<PathBuf>,
    /// Kind of the scene file: gltf, glb, obj, ply, pbrt, stl, off, 3mf [default: its name says].
    ///
    /// Standard input (-) needs it, and so does a pipe whose name does not end in one of these.
    #[arg(long, value_name = "KIND", value_parser = format(), hide_possible_values = true)]
    pub(super) format: Option<Format>,
    /// Units of a glTF file's lamps: photometric, radiometric, auto.
    ///
    /// radiometric takes a candela as one watt per steradian and a lux as one watt per square metre, as the
    /// specification has lamps beside glowing surfaces; photometric divides by 683 lumens a watt; auto finds files that
    /// Blender wrote and whose lamps are 683 times too strong beside the rest, and says so
    /// (docs/guide/light-and-camera.md).
    #[arg(long, value_enum, value_name = "UNITS", default_value = "auto", hide_possible_values = true)]
    pub(super) light_units: LightUnitsArg,
    /// Scene of a glTF file with several: its name, or its number from 0 [default: the file's].
    ///
    /// `raywarp info` lists scenes, animations and variants.
    #[arg(long, value_name = "NAME|INDEX")]
    gltf_scene: Option<String>,
    /// Variant of a glTF file's materials: its name, or its number from 0 [default: none].
    #[arg(long, value_name = "NAME|INDEX")]
    material_variant: Option<String>,
    /// Animation of a glTF file: its name, or its number from 0 [default: with --at the first].
    #[arg(long, value_name = "NAME|INDEX")]
    animation: Option<String>,
    /// Show an animated glTF file at this time, in seconds [default: its own pose].
    ///
    /// With --animation alone the time is 0. A time outside an animation is its first or its last.
    #[arg(long, value_name = "SECONDS", value_parser = finite_seconds, allow_negative_numbers = true)]
    at: Option<f64>,
}

/// A value of `--light-units`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(super) enum LightUnitsArg {
    Photometric,
    Radiometric,
    #[default]
    Auto,
}

impl LightUnitsArg {
    pub(super) fn units(self) -> LightUnits {
        match self {
            Self::Photometric => LightUnits::Photometric,
            Self::Radiometric => LightUnits::Radiometric,
            Self::Auto => LightUnits::Auto,
        }
    }
}

impl Scenes {
    /// The options, as they are typed.
    pub const OPTIONS: [&str; 7] =
        ["--scenes", "--format", "--light-units", "--gltf-scene", "--material-variant", "--animation", "--at"];

    /// Returns the options that choose the scene, animation time and material variant of a glTF file.
    pub(super) fn gltf(&self) -> GltfOptions {
        GltfOptions {
            scene: self.gltf_scene.clone(),
            material_variant: self.material_variant.clone(),
            animation: self.animation.clone(),
            at: self.at,
        }
    }
}

/// Parses a time in seconds, which may be negative (before an animation begins).
fn finite_seconds(text: &str) -> Result<f64, String> {
    let seconds: Option<f64> = text.strip_suffix('s').unwrap_or(text).parse().ok();
    seconds.filter(|seconds| seconds.is_finite()).ok_or_else(|| "must be a number of seconds".to_string())
}

/// `--no-clobber`, of commands that write files.
#[derive(Debug, Clone, Copy, Args)]
pub struct Replacing {
    /// Replace no file that exists.
    ///
    /// Such an output is refused before the work starts, with exit status 5.
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(super) no_clobber: bool,
}

/// `--wide` and `--markdown`, of commands that print tables with many columns.
#[derive(Debug, Clone, Copy, Args)]
pub struct Tables {
    /// Print all columns of tables, however wide; else those that fit 80 characters.
    #[arg(long, help_heading = heading::OUTPUT)]
    pub(super) wide: bool,
    /// Print tables as Markdown, with all their columns.
    #[arg(long, conflicts_with_all = ["json", "wide"], help_heading = heading::OUTPUT)]
    pub(super) markdown: bool,
}

/// Shared flags that a command takes besides [`Talk`].
#[derive(Default)]
pub struct Taken<'a> {
    pub threads: Option<&'a Threads>,
    pub device: Option<&'a DeviceChoice>,
    pub scenes: Option<&'a Scenes>,
    pub replacing: Option<Replacing>,
    pub tables: Option<Tables>,
}

/// Returns the parser of a folder name; an empty name counts as none, so that an empty RAYWARP_SCENES counts as unset.
fn folder() -> impl TypedValueParser<Value = PathBuf> {
    clap::builder::OsStringValueParser::new().map(PathBuf::from)
}

/// Returns the parser of a scene file format.
fn format() -> impl TypedValueParser<Value = Format> {
    named_values(Format::EXTENSIONS.map(|(name, _)| name), Format::from_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::{Arg, Command};

    #[test]
    fn all_options_of_scenes_are_listed() {
        let command = Scenes::augment_args(Command::new("raywarp"));
        let long = |arg: &Arg| arg.get_long().map(|long| format!("--{long}"));
        assert_eq!(command.get_arguments().filter_map(long).collect::<Vec<_>>(), Scenes::OPTIONS);
    }
}
