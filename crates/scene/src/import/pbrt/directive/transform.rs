//! Directives that change the current transformation.
//!
//! Kept in f64, so that chains of them do not drift; shapes get it rounded to f32 once.

use crate::import::pbrt::lexer::Token;
use crate::import::pbrt::motion::Active;
use crate::import::pbrt::params::malformed;
use crate::import::pbrt::state::Importer;
use crate::{ImportError, PbrtFault, PbrtWarning, Place};
use glam::{DAffine3, DMat3, DVec3};
use std::path::Path;

impl Importer<'_> {
    pub fn transform_directive(&mut self, word: &str, path: &Path, line: u64) -> Result<(), ImportError> {
        let directive = || word.to_string();
        let fail = |fault: PbrtFault| malformed(path, line, fault);
        let active = self.graphics.active;
        let change = match word {
            "Identity" => {
                self.graphics.ctm.change(active, |_| DAffine3::IDENTITY);
                return Ok(());
            }
            "Translate" => DAffine3::from_translation(DVec3::from(self.numbers::<3>(word, path, line)?)),
            "Scale" => DAffine3::from_scale(DVec3::from(self.numbers::<3>(word, path, line)?)),
            "Rotate" => {
                let [degrees, x, y, z] = self.numbers::<4>(word, path, line)?;
                let axis = DVec3::new(x, y, z).try_normalize();
                let axis = axis.ok_or_else(|| fail(PbrtFault::Axis { directive: directive() }))?;
                DAffine3::from_axis_angle(axis, degrees.to_radians())
            }
            "LookAt" => {
                let n = self.numbers::<9>(word, path, line)?;
                let [eye, target, up] = [0, 3, 6].map(|i| DVec3::new(n[i], n[i + 1], n[i + 2]));
                world_to_camera(eye, target, up).ok_or_else(|| fail(PbrtFault::LookAt { directive: directive() }))?
            }
            "Transform" | "ConcatTransform" => {
                let matrix = affine(&self.numbers::<16>(word, path, line)?)
                    .ok_or_else(|| fail(PbrtFault::ProjectiveMatrix { directive: directive() }))?;
                if word == "Transform" {
                    self.graphics.ctm.change(active, |_| DAffine3::IDENTITY);
                }
                matrix
            }
            "CoordinateSystem" => {
                let name = self.argument(word, path, line)?;
                self.coordinate_systems.insert(name, self.graphics.ctm);
                return Ok(());
            }
            "CoordSysTransform" => {
                let name = self.argument(word, path, line)?;
                match self.coordinate_systems.get(&name) {
                    Some(ctm) => self.graphics.ctm = *ctm,
                    None => {
                        self.context.warn(path, Place::Line(line), PbrtWarning::NoCoordinateSystem { name });
                    }
                }
                return Ok(());
            }
            "TransformTimes" => {
                [self.times.start, self.times.end] = self.numbers::<2>(word, path, line)?;
                return Ok(());
            }
            _ => {
                self.graphics.active = match self.token(path)? {
                    Some((Token::Word(which), _)) if which == "All" => Active::All,
                    Some((Token::Word(which), _)) if which == "StartTime" => Active::Start,
                    Some((Token::Word(which), _)) if which == "EndTime" => Active::End,
                    _ => return Err(fail(PbrtFault::ActiveTransform { directive: directive() })),
                };
                return Ok(());
            }
        };
        let mut ctm = self.graphics.ctm;
        ctm.change(active, |ctm| ctm * change);
        if !(ctm.start.is_finite() && ctm.end.is_finite()) {
            return Err(fail(PbrtFault::TransformOverflow { directive: directive() }));
        }
        self.graphics.ctm = ctm;
        Ok(())
    }
}

/// Returns the world-to-camera transformation of a `LookAt` directive. Camera space is left-handed, x to the right, y
/// up, z into the scene.
fn world_to_camera(eye: DVec3, target: DVec3, up: DVec3) -> Option<DAffine3> {
    let forward = (target - eye).try_normalize()?;
    let right = up.try_normalize()?.cross(forward).try_normalize()?;
    let up = forward.cross(right);
    Some(DAffine3::from_mat3_translation(DMat3::from_cols(right, up, forward), eye).inverse())
}

/// Makes an affine transformation from a 4 x 4 matrix, column by column; `None` if it is not affine.
fn affine(m: &[f64; 16]) -> Option<DAffine3> {
    let w = m[15];
    // Exporters leave rounding behind in the last row.
    let affine = w != 0.0 && [m[3], m[7], m[11]].iter().all(|x| x.abs() <= 1e-6 * w.abs());
    let column = |i: usize| DVec3::new(m[i], m[i + 1], m[i + 2]) / w;
    affine.then(|| DAffine3::from_mat3_translation(DMat3::from_cols(column(0), column(4), column(8)), column(12)))
}
