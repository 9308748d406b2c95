//! `Camera` directives, read as cameras.
//!
//! pbrt's camera space is left-handed: x to the right of the picture, y up, z into the scene. The
//! three are kept as vectors in world space, so that a mirroring transformation mirrors the picture.

use super::motion::Motion;
use super::params::Params;
use super::state::{CameraSource, Importer, Version};
use crate::{Camera, FovAxis, ImportError, PbrtFault, PbrtWarning, Projection};
use glam::{DAffine3, DVec3};

impl Importer<'_> {
    pub fn camera_directive(&mut self, kind: &str, params: &Params) -> Result<(), ImportError> {
        let ctm = self.graphics.ctm;
        let motion = Motion { start: ctm.start.inverse(), end: ctm.end.inverse() };
        let flat = |map: DAffine3| map.matrix3.determinant() == 0.0 || !map.inverse().is_finite();
        if flat(ctm.start) || flat(ctm.end) {
            return Err(params.error(PbrtFault::FlatCamera));
        }
        self.coordinate_systems.insert("camera".into(), motion);
        self.shutter(params)?;
        self.note_motion(&motion, &params.path, params.line);
        let world_from_camera = self.pose(&motion);
        let axes = world_from_camera.matrix3;
        let Some((right, up, forward)) = frame(axes.x_axis, axes.y_axis, axes.z_axis) else {
            return Err(params.error(PbrtFault::FlatCamera));
        };
        let unit = axes.z_axis.length();
        let lengths = [axes.x_axis.length(), axes.y_axis.length()];
        if lengths.iter().any(|length| (length / unit - 1.0).abs() > 1e-3) {
            self.warn(params, PbrtWarning::StretchedCamera);
        }
        let window = self.screen_window(params)?;
        let projection = match kind {
            "perspective" => self.perspective(params, window)?,
            "orthographic" => {
                if window.is_some_and(|w| w.iter().any(|side| *side <= 0.0)) {
                    return Err(params.error(PbrtFault::EmptyWindow));
                }
                // Completed by the size of the film.
                Projection::Orthographic { half_height: 1.0 }
            }
            "realistic" => {
                params.cover(&["lensfile", "aperturediameter", "focusdistance", "simpleweighting", "aperture"]);
                self.warn(params, PbrtWarning::RealisticCamera);
                Projection::Perspective { fov: 26.99, axis: FovAxis::Shorter }
            }
            _ => {
                params.cover(&["mapping"]);
                self.warn(params, PbrtWarning::Camera { kind: kind.into() });
                Projection::Perspective { fov: 90.0, axis: FovAxis::Shorter }
            }
        };
        let lens_radius = params.float_or("lensradius", 0.0)? * unit as f32;
        let focal_distance = params.float_or("focaldistance", 1e6)? * unit as f32;
        if !(lens_radius >= 0.0 && lens_radius.is_finite() && focal_distance > 0.0) {
            return Err(params.error(PbrtFault::Lens));
        }
        self.warn_unused(params, "the camera");
        let eye = glam::Vec3::from(self.context.center.point(world_from_camera.translation));
        let camera = Camera {
            name: String::new(),
            eye: eye.into(),
            right: right.as_vec3().into(),
            up: up.as_vec3().into(),
            forward: forward.as_vec3().into(),
            projection,
            lens_radius,
            focal_distance: focal_distance.min(f32::MAX),
            medium: None,
            aspect: None,
        };
        if !eye.is_finite() {
            return Err(params.error(PbrtFault::CameraOverflow));
        }
        let (medium, at) = (self.graphics.outside.clone(), (params.path.clone(), params.line));
        self.camera = Some(CameraSource { camera, unit: unit as f32, window, medium, at });
        Ok(())
    }

    /// Reads the shutter times: `shutteropen` is when moving things are shown, and in version 4 exposure grows with the
    /// open time.
    fn shutter(&mut self, params: &Params) -> Result<(), ImportError> {
        let (open, close) = (params.float_or("shutteropen", 0.0)?, params.float_or("shutterclose", 1.0)?);
        self.times.shutter_open = f64::from(open);
        self.exposure_time = if close > open { close - open } else { 1.0 };
        if close <= open && self.version == Some(Version::V4) {
            self.warn(params, PbrtWarning::Shutter);
        }
        Ok(())
    }

    fn perspective(&mut self, params: &Params, window: Option<[f32; 2]>) -> Result<Projection, ImportError> {
        let fov = match params.float("halffov")? {
            Some(half) => 2.0 * half,
            None => params.float_or("fov", 90.0)?,
        };
        if !(fov > 0.0 && fov < 180.0) {
            return Err(params.error(PbrtFault::FieldOfView { degrees: fov }));
        }
        Ok(match window {
            None => Projection::Perspective { fov, axis: FovAxis::Shorter },
            Some([_, top]) => {
                let fov = 2.0 * ((fov.to_radians() / 2.0).tan() * top).atan().to_degrees();
                Projection::Perspective { fov, axis: FovAxis::Vertical }
            }
        })
    }

    /// Reads half the width and height of `screenwindow`, and warns unless it is centred.
    fn screen_window(&mut self, params: &Params) -> Result<Option<[f32; 2]>, ImportError> {
        let window = params.floats("screenwindow")?;
        if params.float("frameaspectratio")?.is_some() {
            self.warn(params, PbrtWarning::FrameAspectRatio);
        }
        let Some(window) = window else { return Ok(None) };
        let [x0, x1, y0, y1] = window[..] else {
            return Err(params.error(PbrtFault::Window { name: "screenwindow" }));
        };
        let (half_width, half_height) = ((x1 - x0) / 2.0, (y1 - y0) / 2.0);
        if !(half_width > 0.0 && half_height > 0.0 && half_width.is_finite() && half_height.is_finite()) {
            return Err(params.error(PbrtFault::EmptyWindow));
        }
        if (x0 + x1).abs() > 1e-3 * half_width || (y0 + y1).abs() > 1e-3 * half_height {
            self.warn(params, PbrtWarning::ScreenWindow);
        }
        Ok(Some([half_width, half_height]))
    }
}

/// Returns perpendicular unit axes (right, up, forward) close to the given ones, of which `z` keeps its direction.
fn frame(x: DVec3, y: DVec3, z: DVec3) -> Option<(DVec3, DVec3, DVec3)> {
    let forward = z.try_normalize()?;
    let up = (y - forward * y.dot(forward)).try_normalize()?;
    // `x` only says on which side right is.
    let right = up.cross(forward);
    Some((if right.dot(x) < 0.0 { -right } else { right }, up, forward))
}
