//! Values of options, as several commands take them. Those with names say them ([`listed`]).

use crate::common::Common;
use crate::exit::CliError;
use crate::named_values::named_values;
use clap::builder::{StringValueParser, TypedValueParser};
use raywarp::render::film::Crop;
use raywarp::render::output::{self, ExposureChoice, Tone};
use raywarp::scene::FilterKind;
use raywarp_lab::family::Variant;
use raywarp_lab::sim::machine::Machine;
use raywarp_lab::workload::rays::{RayKind, Workload};
use std::path::PathBuf;

/// Parses a picture size, columns and rows: `WxH`.
pub fn size(text: &str) -> Result<[u32; 2], String> {
    let form = || "must be WIDTHxHEIGHT, such as 1280x768".to_string();
    let (width, height) = text.split_once(['x', 'X']).ok_or_else(form)?;
    let side = |text: &str| text.parse::<u32>().ok().filter(|&n| (1..=1 << 20).contains(&n));
    match (side(width), side(height)) {
        (Some(width), Some(height)) => Ok([width, height]),
        _ => Err(format!("{}, each from 1 to {}", form(), 1 << 20)),
    }
}

/// Parses the part of a picture to render (crop window).
pub fn crop(text: &str) -> Result<Crop, String> {
    text.parse()
}

/// Parses a range of samples from A up to but excluding B.
pub fn range(text: &str) -> Result<(u32, u32), String> {
    let range = text.split_once("..").and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    range.filter(|(a, b)| a < b).ok_or_else(|| {
        let form = "must be A..B with A below B, such as 0..64";
        match text.parse::<u32>() {
            Ok(count) if count > 0 => format!("{form}; for samples a pixel use --spp {count}"),
            _ => form.to_string(),
        }
    })
}

/// Parses three numbers between commas as a point in the coordinates of the scene's file, not of the scene as it is
/// moved on loading.
pub fn position(text: &str) -> Result<[f64; 3], String> {
    three(text, |x: &f64| (*x as f32).is_finite())
}

/// Parses a vector: three finite numbers separated by commas.
pub fn vector(text: &str) -> Result<[f32; 3], String> {
    three(text, |x: &f32| x.is_finite())
}

/// Parses three numbers separated by commas, each of which is allowed.
fn three<T: std::str::FromStr>(text: &str, is_allowed: impl Fn(&T) -> bool) -> Result<[T; 3], String> {
    let parts: Option<Vec<T>> = text.split(',').map(|part| part.trim().parse().ok().filter(&is_allowed)).collect();
    parts.and_then(|parts| parts.try_into().ok()).ok_or_else(|| "must be three numbers, such as 0,1.5,-3".to_string())
}

fn parse_filter(text: &str) -> Result<FilterKind, String> {
    let (name, radius) = text.split_once(':').map_or((text, None), |(name, radius)| (name, Some(radius)));
    let radius = radius.map(positive_f32).transpose()?;
    if radius.is_some_and(|r| r > 16.0) {
        return Err("the radius must be at most 16 pixels".into());
    }
    match name {
        "box" => Ok(FilterKind::Box { radius: radius.unwrap_or(0.5) }),
        "triangle" => Ok(FilterKind::Triangle { radius: radius.unwrap_or(1.0) }),
        "gaussian" => {
            let radius = radius.unwrap_or(1.5);
            Ok(FilterKind::Gaussian { radius, sigma: radius / 3.0 })
        }
        "mitchell" => Ok(FilterKind::Mitchell { radius: radius.unwrap_or(2.0), b: 1.0 / 3.0, c: 1.0 / 3.0 }),
        _ => Err("known are box, triangle, gaussian and mitchell".into()),
    }
}

/// Parses a finite number that `accept` allows; `what` describes the allowed ones for the error.
pub fn number(text: &str, accept: impl Fn(f64) -> bool, what: &str) -> Result<f64, String> {
    text.parse().ok().filter(|&x: &f64| x.is_finite() && accept(x)).ok_or_else(|| format!("must be {what}"))
}

/// Parses a whole number up to 1e15, which may be written as 1e9.
pub fn many(text: &str) -> Result<u64, String> {
    number(text, |x| (0.0..=1e15).contains(&x) && x.fract() == 0.0, "a whole number from 0 to 1e15, such as 1e9")
        .map(|x| x as u64)
}

/// Parses a duration in seconds, with or without a unit: milliseconds, seconds, minutes or hours.
pub fn seconds(text: &str) -> Result<f64, String> {
    const UNITS: [(&str, f64); 5] = [("ms", 1e-3), ("min", 60.0), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let found = UNITS.iter().find_map(|&(unit, length)| Some((text.strip_suffix(unit)?, length)));
    let (number, length) = found.unwrap_or((text, 1.0));
    scaled(number, length, "a time above 0, such as 10, 10s, 5min or 2h")
}

/// Parses a fraction above 0, which may be given in percent.
pub fn relative(text: &str) -> Result<f64, String> {
    let (number, unit) = text.strip_suffix('%').map_or((text, 1.0), |number| (number, 0.01));
    scaled(number, unit, "a number above 0, such as 0.05 or 5%")
}

/// Parses a number above 0 and multiplies it by `unit`.
fn scaled(text: &str, unit: f64, what: &str) -> Result<f64, String> {
    number(text.trim(), |x| x > 0.0 && (x * unit).is_finite() && x * unit > 0.0, what).map(|x| x * unit)
}

/// Parses a number above 0 that is one in f32 too.
pub fn positive_f32(text: &str) -> Result<f32, String> {
    number(text, |x| x as f32 > 0.0 && (x as f32).is_finite(), "a number above 0").map(|x| x as f32)
}

/// Parses an f32 that is 0 or more.
pub fn not_negative(text: &str) -> Result<f32, String> {
    number(text, |x| x >= 0.0 && (x as f32).is_finite(), "a number from 0").map(|x| x as f32)
}

/// Parses a fraction from 0 to 1.
pub fn share(text: &str) -> Result<f32, String> {
    number(text, |x| (0.0..=1.0).contains(&x), "a number from 0 to 1").map(|x| x as f32)
}

fn parse_exposure(text: &str) -> Result<ExposureChoice, String> {
    text.parse().map_err(|_| "must be stops (1.5, -2), a factor (x3) or auto".to_string())
}

/// Returns the parser of a pixel filter, optionally with a radius.
pub fn filter() -> impl TypedValueParser<Value = FilterKind> {
    named_values(["box", "triangle", "gaussian", "mitchell"], parse_filter)
}

/// Returns the parser of an exposure: stops, a factor, or `auto`.
pub fn exposure() -> impl TypedValueParser<Value = ExposureChoice> {
    named_values(["auto"], parse_exposure)
}

/// Returns the parser of a tone curve's name.
pub fn tone() -> impl TypedValueParser<Value = Tone> {
    named_values(Tone::ALL.map(Tone::name), |text: &str| text.parse::<Tone>())
}

/// Names of the layers that an EXR picture can have.
const LAYERS: [&str; 5] = ["albedo", "normal", "depth", "samples", "variance"];

/// Returns the parser of `--layers` names; [`layers_of`] refuses unknown ones.
pub fn layer_names() -> impl TypedValueParser<Value = String> {
    named_values(LAYERS.into_iter().chain(["all", SUMS]), StringValueParser::new())
}

/// Returns the parser of one layer's name for an existing picture, which may be another program's.
pub fn layer_name() -> impl TypedValueParser<Value = String> {
    named_values(LAYERS, StringValueParser::new())
}

/// Returns the parser of the names of workloads (sets of rays).
pub fn workload() -> impl TypedValueParser<Value = Workload> {
    let known = || format!("known are {}", Workload::ALL.map(Workload::name).join(", "));
    named_values(Workload::ALL.map(Workload::name), move |name: &str| Workload::parse(name).ok_or_else(known))
}

/// Returns the parser of a kind of rays.
pub fn kind() -> impl TypedValueParser<Value = RayKind> {
    let known = || format!("known are {}", RayKind::ALL.map(RayKind::name).join(", "));
    named_values(RayKind::ALL.map(RayKind::name), move |name: &str| RayKind::parse(name).ok_or_else(known))
}

/// Returns the names of kernels: rows of the papers' tables, and our own.
pub fn rows() -> impl Iterator<Item = &'static str> {
    raywarp_lab::family::rows().map(|row| row.name)
}

/// Returns the parser of a traversal kernel: the name or options of a variant.
pub fn variant() -> impl TypedValueParser<Value = Variant> {
    named_values(rows(), |text: &str| text.parse::<Variant>())
}

/// Returns the parser of a simulated GPU: its name, or the file that describes it.
pub fn machine() -> impl TypedValueParser<Value = String> {
    named_values(Machine::names(), StringValueParser::new())
}

/// Returns the layers of an EXR by their names.
pub fn layers_of(names: &[String]) -> Result<output::Layers, CliError> {
    let mut layers = output::Layers::default();
    for name in names {
        match name.as_str() {
            "albedo" => layers.albedo = true,
            "normal" => layers.normal = true,
            "depth" => layers.depth = true,
            "samples" => layers.samples = true,
            "variance" => layers.variance = true,
            "all" => layers = output::Layers::ALL,
            // MeasuredRow the layers: see `has_sums`.
            SUMS => {}
            other => {
                return Err(CliError::usage(format!(
                    "--layers {other}: known are {}, all and sums",
                    LAYERS.join(", ")
                )));
            }
        }
    }
    Ok(layers)
}

/// Prints that layers are lost if no output file can hold any.
pub fn say_lost_layers(outputs: &[PathBuf], common: &Common) {
    if !outputs
        .iter()
        .any(|path| output::PictureFormat::of(path).is_ok_and(|format| format == output::PictureFormat::Exr))
    {
        common.note("--layers is left aside: only an .exr holds layers; give -o a name that ends in .exr");
    }
}

/// Name of the layer of sample sums, which makes a picture a share that can be merged.
const SUMS: &str = "sums";

/// Returns `true` if the layers' names include the sample sums.
pub fn has_sums(names: &[String]) -> bool {
    names.iter().any(|name| name == SUMS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_parsed_and_nonsense_refused() {
        assert_eq!(size("1280x768"), Ok([1280, 768]));
        assert!(["1280", "0x5", "x", "5x-1", "9999999x1"].iter().all(|t| size(t).is_err()));
        assert_eq!(range("8..16"), Ok((8, 16)));
        assert_eq!(
            ["10", "10s", "1.5 s", "500ms", "5min", "5m", "2h"].map(seconds).map(Result::unwrap),
            [10.0, 10.0, 1.5, 0.5, 300.0, 300.0, 7200.0]
        );
        assert_eq!(["0.05", "5%", "30 %"].map(relative).map(Result::unwrap), [0.05, 0.05, 0.3]);
        assert!(["", "s", "0s", "-1s", "nan", "inf", "5%", "1e308h"].iter().all(|t| seconds(t).is_err()));
        assert!(["", "%", "0%", "-5%", "5s", "nan"].iter().all(|t| relative(t).is_err()));
        assert_eq!([many("0"), many("1e9"), many("260")], [Ok(0), Ok(1_000_000_000), Ok(260)]);
        assert!(["", "-1", "1.5", "1e16", "nan"].iter().all(|t| many(t).is_err()));
        assert!(["8", "8..8", "9..8", "a..b", "-1..3"].iter().all(|t| range(t).is_err()));
        assert_eq!(vector("0, 1.5,-3"), Ok([0.0, 1.5, -3.0]));
        assert!(
            ["1,2", "1,2,x", "1,2,inf", "1,2,3,4", "1,x,2,3", "1,2,3,nan", "1,2,3,"].iter().all(|t| vector(t).is_err())
        );
        assert!(["1,x,2,3", "1,1e39,2,3", "1,2"].iter().all(|t| position(t).is_err()));
        assert_eq!(parse_filter("triangle:2"), Ok(FilterKind::Triangle { radius: 2.0 }));
        assert_eq!(parse_exposure("auto"), Ok(ExposureChoice::Auto));
        assert!(["", "nan", "1e9", "x0", "automatic"].iter().all(|t| parse_exposure(t).is_err()));
        assert!(["sinc", "box:0", "box:nan", "triangle:99"].iter().all(|t| parse_filter(t).is_err()));
    }
}
