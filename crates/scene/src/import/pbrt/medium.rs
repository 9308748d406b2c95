//! `MakeNamedMedium` and `MediumInterface`: of a homogeneous medium, its absorption.

use super::params::Params;
use super::state::{Importer, NamedMedium};
use crate::{Absorption, ImportError, Medium, MediumId, MediumInterface, PbrtWarning, Place};
use std::path::Path;
use std::rc::Rc;

impl Importer<'_> {
    pub fn make_named_medium(&mut self, name: &str, params: Params) -> Result<(), ImportError> {
        let params = params.with_defaults(&self.graphics.defaults.medium.clone());
        self.context.stand_ins.begin();
        let sigma = self.absorption(name, &params)?;
        match self.context.stand_ins.close() {
            Some(mark) => self.medium_marks.insert(name.to_string(), mark),
            None => self.medium_marks.remove(name),
        };
        self.media.insert(name.into(), NamedMedium { sigma, id: None });
        Ok(())
    }

    /// Reads the absorption coefficient of a medium, in RGB per scene unit.
    fn absorption(&mut self, name: &str, params: &Params) -> Result<[f32; 3], ImportError> {
        let kind = params.text("type")?.unwrap_or("homogeneous").to_string();
        if kind != "homogeneous" {
            self.warn(params, PbrtWarning::Medium { name: name.into(), kind });
            self.context.stand_ins.material(format_args!("medium {name:?}"));
            return Ok([0.0; 3]);
        }
        if let Some(preset) = params.text("preset")? {
            self.warn(params, PbrtWarning::MediumPreset { name: name.into(), preset: preset.into() });
            self.context.stand_ins.material(format_args!("medium {name:?}"));
            return Ok([0.0; 3]);
        }
        let scale = params.float_or("scale", 1.0)?;
        // pbrt's defaults, per millimetre: milk-like scattering.
        let absorption = self.color(params, "sigma_a")?.unwrap_or([0.0011, 0.0024, 0.014]);
        let scattering = self.color(params, "sigma_s")?.unwrap_or([2.55, 3.21, 3.77]);
        if scattering.iter().any(|&c| c * scale > 0.0) {
            self.warn(params, PbrtWarning::ScatteringMedium { name: name.into() });
            self.context.stand_ins.material(format_args!("medium {name:?}"));
        }
        params.ignore_known("Medium");
        self.warn_unused(params, "the medium");
        let sigma = absorption.map(|c| c * scale);
        if let Some(&absorption) = sigma.iter().find(|&&c| c < 0.0) {
            self.warn(params, PbrtWarning::NegativeAbsorption { name: name.into(), absorption });
        }
        Ok(sigma.map(|c| c.clamp(0.0, f32::MAX)))
    }

    pub fn medium_interface(&mut self, path: &Rc<Path>, line: u64) -> Result<(), ImportError> {
        let inside = self.argument("MediumInterface", path, line)?;
        let outside =
            if self.text_follows(path)? { self.argument("MediumInterface", path, line)? } else { inside.clone() };
        let named = |name: String| Some(name).filter(|name| !name.is_empty()).map(Rc::from);
        (self.graphics.inside, self.graphics.outside) = (named(inside), named(outside));
        Ok(())
    }

    /// Returns the media inside and outside of a shape; `None` where they are the same. As in pbrt, light that crosses
    /// a surface with the same medium on both sides stays in the one that it is in.
    pub fn interface(&mut self, params: &Params) -> Option<MediumInterface> {
        let (inside, outside) = (self.graphics.inside.clone(), self.graphics.outside.clone());
        if inside != outside {
            for name in [&inside, &outside].into_iter().flatten() {
                match self.media.contains_key(&**name) {
                    true => self.context.stand_ins.add(self.medium_marks.get(&**name).copied()),
                    false => self.context.stand_ins.material(format_args!("medium {name:?}")),
                }
            }
        }
        let place = (&*params.path, params.line);
        if inside == outside {
            self.is_medium(inside.as_deref(), place);
            return None;
        }
        let (inside, outside) = (self.medium(inside, place), self.medium(outside, place));
        (inside != outside).then_some(MediumInterface { inside, outside })
    }

    /// Returns the id of the medium `name`, which is added to the scene at its first use; `None` for empty space. The
    /// directive that uses it is at `place`.
    pub fn medium(&mut self, name: Option<Rc<str>>, place: (&Path, u64)) -> Option<MediumId> {
        let name = name.filter(|name| self.is_medium(Some(name), place))?;
        let medium = self.media.get_mut(&*name)?;
        // What takes nothing away is empty space.
        if medium.sigma != [0.0; 3] && medium.id.is_none() {
            let absorption = Absorption { sigma: medium.sigma };
            medium.id = Some(self.scene.add_medium(Medium { name: name.to_string(), absorption }));
        }
        medium.id
    }

    /// Returns `true` if a medium of this name is defined; otherwise warns at the directive that uses it.
    fn is_medium(&mut self, name: Option<&str>, (path, line): (&Path, u64)) -> bool {
        let Some(name) = name else { return false };
        let is_known = self.media.contains_key(name);
        if !is_known {
            self.context.warn(path, Place::Line(line), PbrtWarning::NoMedium { name: name.into() });
        }
        is_known
    }
}
