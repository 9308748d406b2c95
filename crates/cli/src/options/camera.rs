//! Options of the camera that a picture is taken with.

use crate::common::Common;
use crate::exit::CliError;
use crate::heading;
use crate::options::values;
use crate::options::views::view_file;
use clap::Args;
use raywarp::render::CameraRequest;
use raywarp::scene::KnownViews;
use std::path::{Path, PathBuf};

/// Flags of the camera. Without any: the file's first camera, else the scene's first known viewpoint, else a camera
/// that frames it.
#[derive(Debug, Default, Args)]
pub struct CameraArgs {
    /// A camera of the file, by name or number [default: the first].
    ///
    /// `raywarp info SCENE` lists them. A scene without any is seen from its first known viewpoint (views.toml in the
    /// folder of scenes), or framed.
    #[arg(long, value_name = "NAME", conflicts_with_all = ["eye", "target", "up", "view"], help_heading = heading::CAMERA)]
    camera: Option<String>,
    /// Camera position [default: where the scene is framed].
    #[arg(long, value_name = "X,Y,Z", value_parser = values::position, allow_hyphen_values = true, help_heading = heading::CAMERA)]
    eye: Option<[f64; 3]>,
    /// Point that the camera looks at [default: the middle of the scene].
    #[arg(long, value_name = "X,Y,Z", value_parser = values::position, allow_hyphen_values = true, help_heading = heading::CAMERA)]
    target: Option<[f64; 3]>,
    /// Direction that is upwards in the picture [default: 0,1,0].
    ///
    /// Files with z upwards want 0,0,1, which may stand alone: the scene is then framed so.
    #[arg(long, value_name = "X,Y,Z", value_parser = values::vector, allow_hyphen_values = true, help_heading = heading::CAMERA)]
    up: Option<[f32; 3]>,
    /// Full vertical field of view in degrees [default: the camera's, else 30].
    ///
    /// With --eye it is 45 when not given.
    #[arg(long, value_name = "DEGREES", value_parser = parse_fov, help_heading = heading::CAMERA)]
    vfov: Option<f32>,
    /// A viewpoint of a TOML file, counted from 1.
    #[arg(long, value_name = "FILE:SCENE:INDEX", conflicts_with_all = ["eye", "target", "up"], help_heading = heading::CAMERA)]
    view: Option<String>,
}

impl CameraArgs {
    /// Makes the camera options from `--view` alone, or all unset.
    pub fn of_view(view: Option<String>) -> Self {
        Self { view, ..Self::default() }
    }

    /// Returns the file of viewpoints that the options name, if any.
    pub fn file(&self) -> Option<PathBuf> {
        self.view.as_deref().and_then(view_file)
    }

    /// Returns the camera settings for the library; `path` is the scene's file, or `None` if the scene has none.
    pub fn request(&self, path: Option<&Path>, common: &Common) -> Result<CameraRequest, CliError> {
        let view = self.view.as_ref().map(|view| {
            raywarp::scene::load_view(view).map_err(|error| match error {
                raywarp::scene::ViewError::Form(_) => CliError::usage(format!("--view {error}")),
                other => CliError::input(other),
            })
        });
        let known = match path {
            Some(path) if view.is_none() => {
                let known = KnownViews::of(path, &common.lookup()).map_err(CliError::input)?;
                known.iter().try_for_each(|known| common.files.reads(&known.file))?;
                known
            }
            _ => None,
        };
        Ok(CameraRequest {
            camera: None,
            view: view.transpose()?,
            named: self.camera.clone(),
            eye: self.eye,
            target: self.target,
            up: self.up,
            vfov: self.vfov,
            known,
        })
    }
}

fn parse_fov(text: &str) -> Result<f32, String> {
    values::number(text, |x| x > 0.0 && x < 180.0, "an angle above 0 and below 180 degrees").map(|x| x as f32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn angles_are_parsed_and_nonsense_refused() {
        assert_eq!(parse_fov("45"), Ok(45.0));
        assert!(["0", "180", "-5", "nan", "wide"].iter().all(|t| parse_fov(t).is_err()));
    }
}
