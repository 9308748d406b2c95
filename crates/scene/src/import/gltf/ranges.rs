//! Numbers of materials and lamps outside of the range that the specification gives them.

use super::Builder;
use super::json::{MaterialJson, plain};
use crate::GltfWarning;

/// Rounding error above 1 that is accepted silently in factors that should be at most 1.
pub const SLACK: f32 = 1e-4;

impl Builder<'_, '_> {
    /// Warns about factors of a material that are clamped to their range.
    pub fn say_clamped(&mut self, json: &MaterialJson, item: &str) {
        let (pbr, extensions) = (&json.pbr_metallic_roughness, &json.extensions);
        let mut factors: Vec<(&'static str, Vec<f32>, f32)> = Vec::new();
        if let Some(old) = &extensions.specular_glossiness {
            factors.extend(old.diffuse_factor.map(|c| ("diffuseFactor", plain(c).to_vec(), 1.0)));
            factors.extend(old.specular_factor.map(|c| ("specularFactor", plain(c).to_vec(), 1.0)));
            factors.extend(old.glossiness_factor.map(|g| ("glossinessFactor", vec![g.0], 1.0)));
        } else {
            factors.extend(pbr.base_color_factor.map(|c| ("baseColorFactor", plain(c).to_vec(), 1.0)));
            factors.extend(pbr.metallic_factor.map(|m| ("metallicFactor", vec![m.0], 1.0)));
            factors.extend(pbr.roughness_factor.map(|r| ("roughnessFactor", vec![r.0], 1.0)));
        }
        factors.extend(json.emissive_factor.map(|c| ("emissiveFactor", plain(c).to_vec(), f32::INFINITY)));
        for (name, values, most) in factors {
            self.say_clamped_to(item, name, &values, most);
        }
    }

    /// Warns if any of `values` is clamped to the range from 0 to `most`.
    pub fn say_clamped_to(&mut self, item: &str, name: &'static str, values: &[f32], most: f32) {
        if values.iter().all(|&value| (0.0..=most + SLACK).contains(&value)) {
            return;
        }
        self.warn(item, GltfWarning::OutOfRange { name, values: values.to_vec(), most });
    }
}
