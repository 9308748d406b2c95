//! `MakeNamedMedium` and `MediumInterface`: only absorption inside glass is rendered.

use super::params::Params;
use super::state::{Importer, Medium};
use crate::{Place, SceneError};
use std::path::Path;
use std::rc::Rc;

impl Importer<'_> {
    pub fn make_named_medium(&mut self, name: &str, params: Params) -> Result<(), SceneError> {
        let params = params.with_defaults(&self.graphics.defaults.medium.clone());
        let kind = params.text("type")?.unwrap_or("homogeneous").to_string();
        if kind != "homogeneous" {
            self.warn(&params, format!("medium {name:?} of type {kind:?} is not supported; rendered as empty"));
            self.media.insert(name.into(), Medium { absorption: [0.0; 3], scatters: false });
            return Ok(());
        }
        if let Some(preset) = params.text("preset")? {
            self.warn(&params, format!("medium {name:?}: preset {preset:?} is not supported; rendered as empty"));
            self.media.insert(name.into(), Medium { absorption: [0.0; 3], scatters: false });
            return Ok(());
        }
        let scale = params.float_or("scale", 1.0)?;
        // pbrt's defaults, per millimetre: milk-like scattering.
        let absorption = self.color(&params, "sigma_a")?.unwrap_or([0.0011, 0.0024, 0.014]);
        let scattering = self.color(&params, "sigma_s")?.unwrap_or([2.55, 3.21, 3.77]);
        let absorption = absorption.map(|c| (c * scale).clamp(0.0, f32::MAX));
        let scatters = scattering.iter().any(|&c| c * scale > 0.0);
        params.ignore(&["g"]);
        self.warn_unused(&params, "the medium");
        self.media.insert(name.into(), Medium { absorption, scatters });
        Ok(())
    }

    pub fn medium_interface(&mut self, path: &Rc<Path>, line: u64) -> Result<(), SceneError> {
        let inside = self.argument("MediumInterface", path, line)?;
        let outside =
            if self.text_follows(path)? { self.argument("MediumInterface", path, line)? } else { inside.clone() };
        if !outside.is_empty() && outside != inside {
            let message = format!("medium {outside:?} outside of shapes is not supported and left out");
            self.context.warn(path, Place::Line(line), message);
        }
        self.graphics.inside = Some(inside).filter(|name| !name.is_empty()).map(Rc::from);
        Ok(())
    }
}
