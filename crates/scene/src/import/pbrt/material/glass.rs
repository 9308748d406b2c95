//! Glass materials of both versions.

use super::Importer;
use crate::findings::pbrt::MAX_INDEX;
use crate::import::pbrt::params::{Kind, Params, Values};
use crate::import::pbrt::spectrum;
use crate::{ColorInput, ImportError, PbrtFault, PbrtWarning, Roughness, Surface};

impl Importer<'_> {
    /// Reads the material `glass` of version 3, or `dielectric` or `thindielectric` of version 4.
    pub(super) fn dielectric(&mut self, params: &Params, kind: &str) -> Result<Surface, ImportError> {
        let ior = self.index(params, 1.5)?;
        let thin = kind == "thindielectric";
        let roughness = if thin { Roughness::SMOOTH } else { self.roughness(params, 0.0)? };
        let (reflectance, transmittance) = if kind == "glass" {
            (self.color_or(params, "Kr", 1.0)?, self.color_or(params, "Kt", 1.0)?)
        } else {
            (ColorInput::constant([1.0; 3]), ColorInput::constant([1.0; 3]))
        };
        Ok(Surface::Dielectric { ior, roughness, reflectance, transmittance, thin, absorption: None })
    }

    /// Reads an index of refraction from `eta`, or from `index` in older files. Of one that varies with the wavelength,
    /// the green.
    pub(super) fn index(&mut self, params: &Params, default: f32) -> Result<f32, ImportError> {
        self.index_named(params, if params.has("eta") { "eta" } else { "index" }, default)
    }

    /// Reads an index of refraction from the parameter `name`.
    pub(super) fn index_named(&mut self, params: &Params, name: &str, default: f32) -> Result<f32, ImportError> {
        let index = match params.find(name).map(|p| p.kind) {
            None => default,
            Some(Kind::Float | Kind::Integer) => params.float_or(name, default)?,
            Some(Kind::Texture) => match self.scalar_input(params, name)? {
                Some(value) if value.texture.is_none() => value.factor,
                _ => {
                    self.warn(params, PbrtWarning::VaryingIndex);
                    default
                }
            },
            Some(_) => match self.color(params, name)? {
                Some([r, g, b]) => {
                    let named = params.find(name).and_then(|p| match &p.values {
                        Values::Texts(texts) => texts.first().filter(|name| spectrum::named(name).is_some()),
                        _ => None,
                    });
                    let varies = (r - g).abs().max((b - g).abs()) > 1e-4 * g.abs();
                    if varies || named.is_some() {
                        let (is_material, name) = (named.is_some(), named.map_or(name, String::as_str).into());
                        self.warn(params, PbrtWarning::Dispersion { name, is_material, index: g });
                    }
                    g
                }
                None => default,
            },
        };
        // 0 stands for "the default" in some exporters' files.
        match index {
            0.0 => Ok(default),
            index if index > 0.0 && index <= MAX_INDEX => Ok(index),
            index => Err(params.error(PbrtFault::Index { index })),
        }
    }
}
