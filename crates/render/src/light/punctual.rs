//! Point, spot and directional lights: no area, found by connections only.

use super::{LightSample, luminance};
use glam::Vec3;
use raywarp_scene::{Light, SpotFalloff};
use std::f64::consts::PI;

/// A light without area.
#[derive(Debug, Clone, Copy)]
pub(super) enum Punctual {
    Point { position: Vec3, intensity: Vec3 },
    Spot { position: Vec3, direction: Vec3, intensity: Vec3, cos_inner: f32, cos_outer: f32, falloff: SpotFalloff },
    Directional { direction: Vec3, irradiance: Vec3 },
}

impl Punctual {
    /// `None` for a light of another kind.
    pub fn new(light: &Light) -> Option<Self> {
        Some(match *light {
            Light::Point { position, intensity } => {
                Self::Point { position: position.into(), intensity: intensity.into() }
            }
            Light::Spot { position, direction, intensity, cos_inner, cos_outer, falloff } => Self::Spot {
                position: position.into(),
                direction: Vec3::from(direction).normalize_or(-Vec3::Z),
                intensity: intensity.into(),
                cos_inner,
                cos_outer,
                falloff,
            },
            Light::Directional { direction, irradiance } => Self::Directional {
                direction: Vec3::from(direction).normalize_or(-Vec3::Y),
                irradiance: irradiance.into(),
            },
            Light::Environment { .. } => return None,
        })
    }

    /// Luminous power sent into the scene, whose cross-section is `disk`.
    pub fn power(&self, disk: f64) -> f64 {
        match self {
            Self::Point { intensity, .. } => 4.0 * PI * f64::from(luminance(*intensity)),
            Self::Spot { intensity, cos_inner, cos_outer, .. } => {
                // Full up to the inner cone, about half between the cones: a choice needs no more.
                let mean = 0.5 * (f64::from(*cos_inner) + f64::from(*cos_outer));
                2.0 * PI * (1.0 - mean) * f64::from(luminance(*intensity))
            }
            Self::Directional { irradiance, .. } => disk * f64::from(luminance(*irradiance)),
        }
    }

    /// The one connection to `point`, chosen with `probability`.
    pub fn sample(&self, point: Vec3, probability: f32) -> Option<LightSample> {
        let from_position = |position: Vec3, intensity: Vec3| {
            let to_light = position - point;
            let distance_squared = to_light.length_squared();
            let wi = to_light.try_normalize()?;
            let weight = intensity / (distance_squared * probability);
            (weight.is_finite() && weight != Vec3::ZERO).then_some(LightSample {
                wi,
                target: Some(position),
                weight,
                pdf: 0.0,
            })
        };
        match *self {
            Self::Point { position, intensity } => from_position(position, intensity),
            Self::Spot { position, direction, intensity, cos_inner, cos_outer, falloff } => {
                let cos = direction.dot((point - position).normalize_or_zero());
                from_position(position, intensity * spot(cos, cos_inner, cos_outer, falloff))
            }
            Self::Directional { direction, irradiance } => {
                Some(LightSample { wi: -direction, target: None, weight: irradiance / probability, pdf: 0.0 })
            }
        }
    }
}

/// Share of the axial intensity at an angle of cosine `cos`.
fn spot(cos: f32, cos_inner: f32, cos_outer: f32, falloff: SpotFalloff) -> f32 {
    let x = if cos_inner > cos_outer {
        ((cos - cos_outer) / (cos_inner - cos_outer)).clamp(0.0, 1.0)
    } else if cos >= cos_outer {
        1.0
    } else {
        0.0
    };
    match falloff {
        SpotFalloff::Gltf => x * x,
        SpotFalloff::Pbrt3 => x * x * x * x,
        SpotFalloff::Pbrt4 => x * x * (3.0 - 2.0 * x),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intensity_falls_with_the_square_of_the_distance() {
        let light = Punctual::Point { position: Vec3::new(0.0, 3.0, 0.0), intensity: Vec3::splat(18.0) };
        let sample = light.sample(Vec3::ZERO, 0.5).unwrap();
        assert_eq!((sample.wi, sample.weight, sample.pdf), (Vec3::Y, Vec3::splat(4.0), 0.0));
        assert!(light.sample(Vec3::new(0.0, 3.0, 0.0), 1.0).is_none());
    }

    #[test]
    fn spots_are_full_inside_and_dark_outside() {
        for falloff in [SpotFalloff::Gltf, SpotFalloff::Pbrt3, SpotFalloff::Pbrt4] {
            assert_eq!(spot(0.95, 0.9, 0.8, falloff), 1.0);
            assert_eq!(spot(0.75, 0.9, 0.8, falloff), 0.0);
            let middle = spot(0.85, 0.9, 0.8, falloff);
            assert!(middle > 0.0 && middle < 1.0);
            assert_eq!((spot(0.9, 0.9, 0.9, falloff), spot(0.89, 0.9, 0.9, falloff)), (1.0, 0.0));
        }
    }
}
