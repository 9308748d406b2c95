//! Options of the light that a picture adds to its scene.

use crate::exit::CliError;
use crate::heading;
use crate::named_values::named_values;
use crate::options::values;
use clap::builder::TypedValueParser;
use clap::{Args, ValueHint};
use raywarp::render::{BuiltInLight, LightRequest, LightSource};
use raywarp::scene::WithoutTriangles;
use std::path::{Path, PathBuf};

/// Flags of the light.
#[derive(Debug, Args)]
pub struct LightArgs {
    /// Add white, studio, sky, or a FILE (.hdr, .exr) [default: studio where dark].
    ///
    /// A scene whose own light shows nothing gets the studio: soft lamps and a grey backdrop, which turn with the
    /// camera. A FILE is an image of all surroundings; one without ending needs its folder, as in ./sky. `none` adds
    /// nothing.
    #[arg(long, value_name = "LIGHT", value_parser = light(), hide_possible_values = true, value_hint = ValueHint::AnyPath, help_heading = heading::LIGHT)]
    light: Option<LightArg>,
    /// Turn the added light, counter-clockwise as seen from above.
    #[arg(long, value_name = "DEGREES", default_value_t = 0.0, allow_negative_numbers = true, value_parser = parse_angle, help_heading = heading::LIGHT)]
    light_rotate: f32,
    /// Multiply the added light.
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0, value_parser = values::not_negative, help_heading = heading::LIGHT)]
    light_strength: f32,
}

/// Value of `--light`.
#[derive(Debug, Clone, PartialEq)]
enum LightArg {
    BuiltIn(BuiltInLight),
    File(PathBuf),
}

impl LightArgs {
    /// Returns the first given option that has no effect if no light is added.
    pub fn without_effect(&self) -> Option<&'static str> {
        match (&self.light, self.light_rotate != 0.0, self.light_strength != 1.0) {
            (None | Some(LightArg::BuiltIn(BuiltInLight::None)), true, _) => Some("--light-rotate"),
            (None | Some(LightArg::BuiltIn(BuiltInLight::None)), false, true) => Some("--light-strength"),
            _ => None,
        }
    }

    /// Returns `true` if any of the options for added light is given.
    pub fn is_named(&self) -> bool {
        self.light.is_some() || self.light_rotate != 0.0 || self.light_strength != 1.0
    }

    /// Returns how to treat a scene without triangles: an added light may be all there is to see.
    pub fn without_triangles(&self) -> WithoutTriangles {
        match &self.light {
            None | Some(LightArg::BuiltIn(BuiltInLight::None)) => WithoutTriangles::TakenWithEnvironment,
            Some(_) => WithoutTriangles::Taken,
        }
    }

    /// Returns the image file that `--light` names, if it does.
    pub fn file(&self) -> Option<&Path> {
        match &self.light {
            Some(LightArg::File(path)) => Some(path),
            _ => None,
        }
    }

    /// Returns the settings of added light for the library, and reads the image of `--light`.
    pub fn request(&self) -> Result<LightRequest, CliError> {
        let source = match &self.light {
            None => None,
            Some(LightArg::BuiltIn(light)) => Some(LightSource::BuiltIn(*light)),
            Some(LightArg::File(path)) => {
                Some(LightSource::Map(raywarp::scene::load_image(path).map_err(CliError::scene)?))
            }
        };
        Ok(LightRequest { source, rotate: self.light_rotate, strength: self.light_strength })
    }
}

fn light() -> impl TypedValueParser<Value = LightArg> {
    named_values(BuiltInLight::ALL.map(BuiltInLight::name), parse_light)
}

/// Parses the value of `--light`: a built-in name, or a file, which has a folder or an extension.
fn parse_light(text: &str) -> Result<LightArg, String> {
    if let Ok(light) = text.parse() {
        return Ok(LightArg::BuiltIn(light));
    }
    if text.contains(['/', '\\', '.']) {
        return Ok(LightArg::File(text.into()));
    }
    let names = BuiltInLight::ALL.map(BuiltInLight::name);
    let near =
        raywarp::scene::closest_name(text, names).map_or(String::new(), |near| format!("; did you mean {near}?"));
    Err(format!("known are white, studio, sky and none, and image files by ending or folder, such as ./{text}{near}"))
}

fn parse_angle(text: &str) -> Result<f32, String> {
    values::number(text, |x| x.abs() <= 3600.0, "a number of degrees from -3600 to 3600").map(|x| x as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_lights_and_paths_are_files() {
        assert_eq!(parse_light("sky"), Ok(LightArg::BuiltIn(BuiltInLight::Sky)));
        for file in ["./sky", "sky.hdr", "maps/sky"] {
            assert_eq!(parse_light(file), Ok(LightArg::File(file.into())));
        }
        assert!(parse_light("stduio").unwrap_err().contains("did you mean studio?"));
        assert!(parse_angle("inf").is_err() && parse_angle("-90") == Ok(-90.0));
    }
}
