//! `AreaLightSource`, and the power that version 4 gives to lights.

use super::params::Params;
use super::shape::Look;
use super::state::{Importer, Version};
use crate::import::context::Encoding;
use crate::{ColorInput, Emission, Image, ImportError, PbrtWarning};
use glam::Vec3;
use raywarp_geom::TriangleMesh;
use std::f32::consts::PI;

/// Area light that an `AreaLightSource` directive of pbrt describes.
#[derive(Debug, Clone, Copy)]
pub(super) struct AreaLight {
    pub emission: Emission,
    /// Power that version 4 gives to each light of the shape, divided by the mean luminance of the light's image.
    power: Option<f32>,
}

/// Pieces of a shape, each of which pbrt makes a light of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pieces {
    Triangles,
    /// Number of bilinear patches, whose sizes are not compared.
    Patches(usize),
}

impl Importer<'_> {
    pub fn area_light_source(&mut self, kind: &str, params: Params) -> Result<(), ImportError> {
        let params = params.with_defaults(&self.graphics.defaults.light.clone());
        // "area" is version 2's and 3's older name.
        if !matches!(kind, "diffuse" | "area") {
            self.warn(&params, PbrtWarning::AreaLight { kind: kind.into() });
        }
        let mut radiance = ColorInput::constant(self.emission_color(&params, "L")?.unwrap_or([1.0; 3]));
        let scale = self.light_scale(&params)?;
        let mut mean = 1.0;
        if let Some(name) = params.text("filename")? {
            let path = self.resolve(name, params.line);
            if let Some(image) = self.image(&path, Encoding::Srgb)? {
                mean = mean_luminance(&self.scene.images[image.index()]);
                let texture = crate::Texture::Image {
                    image,
                    mapping: crate::UvMapping::default(),
                    wrap: [crate::Wrap::Clamp; 2],
                    filter: crate::ImageFilter::Bilinear,
                };
                radiance.texture = Some(self.scene.add_texture(texture));
            }
        }
        let product = std::array::from_fn(|i| radiance.factor[i] * scale[i]);
        self.say_negative(&params, product);
        radiance.factor = product.map(|c| c.clamp(0.0, f32::MAX));
        let two_sided = params.bool("twosided")?.unwrap_or(false);
        let power = self.positive(&params, "power")?.map(|power| power / mean).filter(|power| power.is_finite());
        self.finish_light(&params, "the area light");
        self.area_lights.push(AreaLight { emission: Emission { radiance, two_sided }, power });
        self.graphics.area_light = Some(self.area_lights.len() - 1);
        Ok(())
    }

    /// Reads a positive number such as version 4's `power` or `illuminance`; `None` if it is absent or not above 0.
    pub fn positive(&self, params: &Params, name: &str) -> Result<Option<f32>, ImportError> {
        if self.version == Some(Version::V3) {
            return Ok(None);
        }
        Ok(params.float(name)?.filter(|&value| value > 0.0))
    }

    /// Returns `look` with the radiance that gives the area light its power on a shape of `triangles`. The shape is
    /// under the current transformation; a light without power stays as it is.
    pub(super) fn with_power(&mut self, params: &Params, look: Look, triangles: &TriangleMesh, pieces: Pieces) -> Look {
        let Some(light) = look.light.map(|light| self.area_lights[light]) else { return look };
        let Some(power) = light.power else { return look };
        let pose = self.pose(&self.graphics.ctm);
        let area_of = |triangle: usize| {
            let [a, b, c] = triangles.corners(triangle).map(|p| pose.transform_point3(Vec3::from(p).as_dvec3()));
            (b - a).cross(c - a).length() / 2.0
        };
        let areas: Vec<f64> = (0..triangles.indices.len()).map(area_of).collect();
        let area: f64 = areas.iter().sum();
        let (lights, even) = match pieces {
            Pieces::Triangles => {
                let mean = area / areas.len() as f64;
                (areas.len(), areas.iter().all(|area| (area / mean - 1.0).abs() <= 1e-3))
            }
            Pieces::Patches(count) => (count, count <= 1),
        };
        if !even {
            self.warn(params, PbrtWarning::SharedPower { lights });
        }
        let sides = if light.emission.two_sided { 2.0 } else { 1.0 };
        let factor = (f64::from(power) * lights as f64 / (sides * area * f64::from(PI))) as f32;
        let factor = if factor.is_finite() { factor } else { 0.0 };
        let mut emission = light.emission;
        emission.radiance.factor = emission.radiance.factor.map(|c| (c * factor).clamp(0.0, f32::MAX));
        self.area_lights.push(AreaLight { emission, power: None });
        Look { light: Some(self.area_lights.len() - 1), ..look }
    }

    /// Returns `true` if the area light of `look` is given by power, so that its radiance depends on the shape's area.
    pub(super) fn has_power(&self, look: Look) -> bool {
        look.light.is_some_and(|light| self.area_lights[light].power.is_some())
    }
}

/// Returns the mean luminance of an image on an area light.
fn mean_luminance(image: &Image) -> f32 {
    let mut sum = 0.0;
    for y in 0..image.height {
        for x in 0..image.width {
            sum += f64::from(luminance(image.texel(x, y)));
        }
    }
    (sum / (f64::from(image.width) * f64::from(image.height))) as f32
}

/// Returns the luminance of a linear Rec. 709 RGB texel.
pub(super) fn luminance([r, g, b, _]: [f32; 4]) -> f32 {
    0.212_673 * r + 0.715_152 * g + 0.072_175 * b
}
