//! Inputs of a material at a point: colours and numbers, from textures or constant.

use super::{TexturePoint, value};
use crate::bsdf::Scattering;
use crate::flat::{Input, InputChannel, MaterialFlags, MaterialRecord, Remap, ShadingScene};
use glam::{Vec2, Vec3};
use raywarp_sample::elementary::ln;

/// Returns the linear RGB value of a material input at a surface point: its factor times its texture.
#[inline]
pub fn color(scene: &ShadingScene, input: &Input, at: &TexturePoint) -> Vec3 {
    let factor = Vec3::from(input.factor);
    if input.is_textured() { factor * value(scene, input.texture(), at).truncate() } else { factor }
}

/// Returns the scalar value of a material input at a surface point: its factor times a channel of its texture.
#[inline]
pub fn scalar(scene: &ShadingScene, input: &Input, at: &TexturePoint) -> f32 {
    let factor = input.factor[0];
    if !input.is_textured() {
        return factor;
    }
    let v = value(scene, input.texture(), at);
    factor
        * match InputChannel::of(input.channel_tag()) {
            InputChannel::R => v.x,
            InputChannel::G => v.y,
            InputChannel::B => v.z,
            InputChannel::A => v.w,
            InputChannel::Rgb | InputChannel::Mean => (v.x + v.y + v.z) / 3.0,
        }
}

/// Inputs of a material, evaluated at a surface point, by their number in the order of the material's kind.
#[derive(Clone, Copy)]
pub struct Inputs<'a> {
    /// Scene that has the textures.
    pub scene: &'a ShadingScene,
    /// Material whose inputs are evaluated.
    pub material: &'a MaterialRecord,
    /// Texture coordinates and vertex colour of the surface point.
    pub at: &'a TexturePoint,
    /// Light bounces that count between microfacets.
    pub scattering: Scattering,
}

impl Inputs<'_> {
    #[inline]
    fn input(&self, number: u32) -> &Input {
        &self.scene.inputs[(self.material.first_input + number) as usize]
    }

    /// Returns input `number` as an RGB value, unclamped.
    #[inline]
    pub fn color(&self, number: u32) -> Vec3 {
        color(self.scene, self.input(number), self.at)
    }

    /// Returns input `number` as an RGB value clamped to 0 to 1.
    #[inline]
    pub fn share(&self, number: u32) -> Vec3 {
        self.color(number).clamp(Vec3::ZERO, Vec3::ONE)
    }

    /// Returns input `number` as a scalar, unclamped.
    #[inline]
    pub fn scalar(&self, number: u32) -> f32 {
        scalar(self.scene, self.input(number), self.at)
    }

    /// Returns input `number` as a scalar clamped to 0 to 1.
    #[inline]
    pub fn fraction(&self, number: u32) -> f32 {
        self.scalar(number).clamp(0.0, 1.0)
    }

    /// Returns the three numbers of a constant input.
    #[inline]
    pub fn numbers(&self, number: u32) -> [f32; 3] {
        self.input(number).factor
    }

    /// Returns the GGX alpha along tangent and bitangent, `least` to 1, from the roughness inputs `number` and, if
    /// anisotropic, the one after it.
    #[inline]
    pub fn alpha(&self, number: u32, least: f32) -> Vec2 {
        let remapping = Remap::of(self.material.remap);
        let one = |number| remapped(self.scalar(number), remapping).clamp(least, 1.0);
        let x = one(number);
        Vec2::new(x, if self.material.has(MaterialFlags::ANISOTROPIC) { one(number + 1) } else { x })
    }

    /// Returns `true` if the material is thin, so that transmission does not bend.
    #[inline]
    pub fn is_thin(&self) -> bool {
        self.material.has(MaterialFlags::THIN)
    }
}

/// Returns the GGX alpha for a roughness of the file.
#[inline]
fn remapped(roughness: f32, remap: Remap) -> f32 {
    let r = roughness.max(0.0);
    match remap {
        Remap::None => r,
        Remap::Square => r * r,
        Remap::Sqrt => r.sqrt(),
        // Exactly smooth stays smooth; the polynomial would give 0.05.
        Remap::Pbrt3 if r == 0.0 => 0.0,
        Remap::Pbrt3 => {
            let x = ln(r.max(1e-3));
            1.621_42 + x * (0.819_955 + x * (0.173_4 + x * (0.017_120_1 + x * 0.000_640_711)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roughness_becomes_alpha_as_each_format_says() {
        assert_eq!(remapped(0.5, Remap::Square), 0.25);
        assert_eq!(remapped(0.25, Remap::Sqrt), 0.5);
        assert_eq!(remapped(0.25, Remap::None), 0.25);
        // From the polynomial's own definition at r = 0.1 and r = 1.
        assert!((remapped(0.1, Remap::Pbrt3) - 0.461_76).abs() < 5e-4, "{}", remapped(0.1, Remap::Pbrt3));
        assert!((remapped(1.0, Remap::Pbrt3) - 1.621_42).abs() < 1e-6);
    }
}
