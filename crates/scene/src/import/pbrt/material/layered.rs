//! Coats over diffuse bases: plastic, substrate, coateddiffuse, uber, disney.
//!
//! pbrt's Torrance-Sparrow lobes carry `Ks` times the Fresnel reflectance of an index; [`Surface::Coated`]
//! takes the reflectance at normal incidence, so that is `Ks` times the index's.

use super::{Importer, normal_reflectance};
use crate::import::pbrt::params::Params;
use crate::import::pbrt::texture::mean;
use crate::{
    Alpha, ColorInput, ImportError, Material, MaterialId, PbrtWarning, Principled, Roughness, RoughnessRemap,
    ScalarInput, Surface,
};

impl Importer<'_> {
    pub(super) fn plastic(&mut self, params: &Params) -> Result<Surface, ImportError> {
        let diffuse = self.color_or(params, "Kd", 0.25)?;
        let mut specular = self.color_or(params, "Ks", 0.25)?;
        specular.factor = specular.factor.map(|c| c * normal_reflectance(1.5));
        Ok(Surface::Coated { diffuse, specular, roughness: self.roughness(params, 0.1)? })
    }

    pub(super) fn coated_diffuse(&mut self, params: &Params) -> Result<Surface, ImportError> {
        let diffuse = self.color_or(params, "reflectance", 0.5)?;
        let specular = ColorInput::constant([normal_reflectance(self.index(params, 1.5)?); 3]);
        let roughness = self.roughness(params, 0.0)?;
        self.layer(params, "coateddiffuse")?;
        Ok(Surface::Coated { diffuse, specular, roughness })
    }

    /// Warns about parameters of the medium between the layers of version 4's coated materials, which is not rendered.
    /// Here the surfaces are clear and close together: what differs from the defaults is said.
    pub(super) fn layer(&mut self, params: &Params, kind: &str) -> Result<(), ImportError> {
        let mut left_out = Vec::new();
        for (name, usual) in [("thickness", 0.01), ("g", 0.0)] {
            let value = self.scalar_input(params, name)?;
            if value.is_some_and(|value| value != ScalarInput::constant(usual)) {
                left_out.push(name);
            }
        }
        if self.color_input(params, "albedo")?.is_some_and(|albedo| albedo != ColorInput::constant([0.0; 3])) {
            left_out.push("albedo");
        }
        if params.integer("maxdepth", 0..=1 << 20)?.is_some_and(|depth| depth != 10) {
            left_out.push("maxdepth");
        }
        params.ignore_known("Material coated");
        if !left_out.is_empty() {
            let names = left_out.into_iter().map(String::from).collect();
            self.warn(params, PbrtWarning::CoatMedium { kind: kind.into(), names });
        }
        Ok(())
    }

    /// Reads the material `substrate` (Ashikhmin and Shirley), whose `Ks` is the reflectance at normal incidence.
    pub(super) fn substrate(&mut self, params: &Params) -> Result<Surface, ImportError> {
        Ok(Surface::Coated {
            diffuse: self.color_or(params, "Kd", 0.5)?,
            specular: self.color_or(params, "Ks", 0.5)?,
            roughness: self.roughness(params, 0.1)?,
        })
    }

    /// Reads the material `uber`: a coated surface, mixed with glass for what is transmitted, and blended by opacity.
    pub(super) fn uber(&mut self, name: &str, params: &Params) -> Result<MaterialId, ImportError> {
        let diffuse = self.color_or(params, "Kd", 0.25)?;
        let mut specular = self.color_or(params, "Ks", 0.25)?;
        let mirror = self.color_or(params, "Kr", 0.0)?;
        let transmit = self.color_or(params, "Kt", 0.0)?;
        let ior = self.index(params, 1.5)?;
        let mut roughness = self.roughness(params, 0.1)?;
        let black = |input: ColorInput| input.factor == [0.0; 3];
        if !black(mirror) && black(transmit) {
            if black(specular) {
                (specular, roughness) = (mirror, Roughness::SMOOTH);
            } else {
                self.warn(params, PbrtWarning::MirrorBesideGloss { name: name.into() });
                for (s, m) in specular.factor.iter_mut().zip(mirror.factor) {
                    *s += m;
                }
            }
        }
        specular.factor = specular.factor.map(|c| c * normal_reflectance(ior));
        let mut material = Material::new(name, Surface::Coated { diffuse, specular, roughness });
        let opacity = mean(self.color_or(params, "opacity", 1.0)?);
        if opacity.texture.is_some() || opacity.factor < 1.0 {
            material.alpha = Alpha::Blend { alpha: opacity };
        }
        if !black(transmit) {
            // The coat and the glass share the light as Kd + Ks and Kr + Kt do.
            let opaque = mean(diffuse).factor + mean(specular).factor;
            let clear = mean(transmit).factor.max(mean(mirror).factor);
            let first = self.scene.add_material(Material::new(name, material.surface));
            let surface = Surface::Dielectric {
                ior,
                roughness: Roughness::SMOOTH,
                reflectance: if black(mirror) { ColorInput::constant([0.0; 3]) } else { mirror },
                transmittance: transmit,
                thin: false,
                absorption: None,
            };
            if opaque == 0.0 {
                material.surface = surface;
            } else {
                let second = self.scene.add_material(Material::new(name, surface));
                let amount = ScalarInput::constant((clear / (opaque + clear)).clamp(0.0, 1.0));
                material.surface = Surface::Mix { first, second, amount };
            }
        }
        self.finish_material(material, params)
    }

    /// Converts version 3's material `disney` to the metallic-roughness model, which has most of the same parameters.
    pub(super) fn disney(&mut self, params: &Params) -> Result<Surface, ImportError> {
        self.warn(params, PbrtWarning::Disney);
        let rough = self.scalar_or(params, "roughness", 0.5)?;
        // Version 3: the coat's alpha goes from 0.1 (gloss 0) to 0.001 (gloss 1).
        let gloss = self.scalar_or(params, "clearcoatgloss", 1.0)?.factor.clamp(0.0, 1.0);
        let coat_alpha: f32 = 0.1 + (0.001 - 0.1) * gloss;
        Ok(Surface::Principled(Box::new(Principled {
            base_color: self.color_or(params, "color", 0.5)?,
            metallic: self.scalar_or(params, "metallic", 0.0)?,
            roughness: Roughness { x: rough, y: rough, remap: RoughnessRemap::Square },
            ior: self.index(params, 1.5)?,
            transmission: self.scalar_or(params, "spectrans", 0.0)?,
            thin: params.bool("thin")?.unwrap_or(false),
            clearcoat: self.scalar_or(params, "clearcoat", 0.0)?,
            clearcoat_roughness: ScalarInput::constant(coat_alpha.sqrt()),
            ..Principled::default()
        })))
    }
}
