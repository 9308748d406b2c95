//! Metal materials of both versions.

use super::Importer;
use crate::findings::pbrt::COAT_INDEX;
use crate::import::pbrt::params::Params;
use crate::import::pbrt::spectrum;
use crate::{
    CarPaint, ColorInput, ImportError, PbrtWarning, Principled, Roughness, RoughnessRemap, ScalarInput, Surface,
};

/// Index of refraction (eta and k) of copper, pbrt's default metal.
const COPPER: [[f32; 3]; 2] = [[0.2004, 0.9240, 1.1022], [3.9129, 2.4528, 2.1421]];

impl Importer<'_> {
    /// Reads the material `metal` of version 3, or `conductor` of version 4.
    pub(super) fn conductor(&mut self, params: &Params, kind: &str) -> Result<Surface, ImportError> {
        // Version 4's conductor is smooth by default, version 3's metal is not quite.
        let roughness = self.roughness(params, if kind == "metal" { 0.01 } else { 0.0 })?;
        if let Some(reflectance) = self.color_input(params, "reflectance")? {
            return Ok(of_reflectance(reflectance, roughness));
        }
        let eta = self.color_input(params, "eta")?.unwrap_or(ColorInput::constant(COPPER[0]));
        let k = self.color_input(params, "k")?.unwrap_or(ColorInput::constant(COPPER[1]));
        Ok(Surface::Conductor { eta, k, roughness })
    }

    /// Makes the material `chrome`, an extension by Raywarp for W11: smooth chromium.
    pub(super) fn chrome(&self) -> Surface {
        let [eta, k] = spectrum::metal("Cr").unwrap_or(COPPER).map(ColorInput::constant);
        Surface::Conductor { eta, k, roughness: Roughness::SMOOTH }
    }

    /// Reads version 4's material `coatedconductor`: a metal under a clear coat, in the metallic-roughness model.
    pub(super) fn coated_conductor(&mut self, params: &Params) -> Result<Surface, ImportError> {
        let base_color = match self.color_input(params, "reflectance")? {
            Some(reflectance) => reflectance,
            None => {
                let eta = self.color(params, "conductor.eta")?.unwrap_or(COPPER[0]);
                let k = self.color(params, "conductor.k")?.unwrap_or(COPPER[1]);
                ColorInput::constant(std::array::from_fn(|i| normal_reflectance(eta[i], k[i])))
            }
        };
        let roughness = self.roughness_named(params, "conductor.", 0.0)?;
        let mut coat = self.roughness_named(params, "interface.", 0.0)?;
        if coat.x.texture.or(coat.y.texture).is_some() {
            self.warn(params, PbrtWarning::VaryingCoat);
            coat = Roughness::SMOOTH;
        } else if coat.x != coat.y {
            self.warn(params, PbrtWarning::AnisotropicCoat);
            coat.x.factor = (coat.x.factor * coat.y.factor).sqrt();
            coat.y = coat.x;
        }
        // The coat's alpha is the square of what `Principled` holds, pbrt's is the square root of what
        // the file holds unless told otherwise.
        let exponent = if coat.remap == RoughnessRemap::Sqrt { 0.25 } else { 0.5 };
        let clearcoat_roughness = ScalarInput::constant(coat.x.factor.powf(exponent));
        self.layer(params, "coatedconductor")?;
        let ior = self.index_named(params, "interface.eta", COAT_INDEX)?;
        if ior != COAT_INDEX {
            match (constant_alpha(roughness), constant_alpha(coat)) {
                // Paint that is all flakes too small to see is a metal under a coat of any index.
                (Some(flake_alpha), Some(coat_alpha)) if ior > 1.0 && ior <= 10.0 => {
                    let metal = CarPaint {
                        flake_color: base_color,
                        flake_amount: 1.0,
                        flake_alpha,
                        coat_ior: ior,
                        coat_alpha,
                        ..CarPaint::default()
                    };
                    return Ok(Surface::CarPaint(Box::new(CarPaint { flake_size: 0.0, ..metal })));
                }
                _ => self.warn(params, PbrtWarning::CoatIndex { index: ior }),
            }
        }
        Ok(Surface::Principled(Box::new(Principled {
            base_color,
            roughness,
            clearcoat: ScalarInput::constant(1.0),
            clearcoat_roughness,
            ..Principled::default()
        })))
    }
}

/// Returns GGX's alpha of a roughness that is constant and isotropic; `None` otherwise.
fn constant_alpha(roughness: Roughness) -> Option<f32> {
    if roughness.x != roughness.y || roughness.x.texture.is_some() {
        return None;
    }
    let value = roughness.x.factor;
    match roughness.remap {
        RoughnessRemap::None => Some(value.min(1.0)),
        RoughnessRemap::Sqrt => Some(value.sqrt().min(1.0)),
        _ => None,
    }
}

/// Returns the Fresnel reflectance of a metal at normal incidence, from its index of refraction eta and k.
fn normal_reflectance(eta: f32, k: f32) -> f32 {
    let (less, more) = (eta - 1.0, eta + 1.0);
    (less * less + k * k) / (more * more + k * k)
}

/// Makes a metal surface from version 4's `reflectance` at normal incidence. A constant one is read as the metal of
/// index 1 that has it; one that varies, as glTF's metal, which takes a reflectance as it is.
fn of_reflectance(reflectance: ColorInput, roughness: Roughness) -> Surface {
    if reflectance.texture.is_some() {
        return Surface::Principled(Box::new(Principled {
            base_color: reflectance,
            roughness,
            ..Principled::default()
        }));
    }
    let k = reflectance.factor.map(|r| {
        let r = r.clamp(0.0, 0.9999);
        2.0 * (r / (1.0 - r)).sqrt()
    });
    Surface::Conductor { eta: ColorInput::constant([1.0; 3]), k: ColorInput::constant(k), roughness }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metal_made_from_its_reflectance_reflects_that() {
        let Surface::Conductor { k, .. } = of_reflectance(ColorInput::constant([0.2, 0.5, 0.9]), Roughness::SMOOTH)
        else {
            panic!("not a conductor")
        };
        for (k, want) in k.factor.into_iter().zip([0.2, 0.5, 0.9]) {
            assert!((normal_reflectance(1.0, k) - want).abs() < 1e-5);
        }
    }
}
