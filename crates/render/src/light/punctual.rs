//! Point, spot and directional lights: no area, found by connections only.

use super::LightSample;
use crate::flat::{LightKind, LightRecord, SpotRamp};
use glam::Vec3;

/// Makes the only connection from `point` to a point, spot or directional light, which was chosen with `probability`.
#[inline]
pub fn sample(light: &LightRecord, point: Vec3, probability: f32) -> Option<LightSample> {
    let strength = Vec3::from(light.w);
    if light.kind() == LightKind::Directional {
        let wi = -Vec3::from(light.u);
        return Some(LightSample { wi, target: None, weight: strength / probability, pdf: 0.0 });
    }
    let position = Vec3::from(light.at);
    let to_light = position - point;
    let distance_squared = to_light.length_squared();
    let wi = to_light.try_normalize()?;
    let share = match light.kind() {
        LightKind::Spot => spot(-Vec3::from(light.u).dot(wi), light.v[0], light.v[1], SpotRamp::of(light.index)),
        LightKind::Point
        | LightKind::Directional
        | LightKind::Triangle
        | LightKind::Parallelogram
        | LightKind::Disk
        | LightKind::Sphere
        | LightKind::Environment => 1.0,
    };
    let weight = strength * share / (distance_squared * probability);
    let lights = weight.is_finite() && weight != Vec3::ZERO;
    lights.then_some(LightSample { wi, target: Some(position), weight, pdf: 0.0 })
}

/// Returns the fraction of a spot light's axial intensity in a direction with cosine `cos` to its axis.
fn spot(cos: f32, cos_inner: f32, cos_outer: f32, ramp: SpotRamp) -> f32 {
    let x = if cos_inner > cos_outer {
        ((cos - cos_outer) / (cos_inner - cos_outer)).clamp(0.0, 1.0)
    } else if cos >= cos_outer {
        1.0
    } else {
        0.0
    };
    match ramp {
        SpotRamp::Square => x * x,
        SpotRamp::Fourth => x * x * x * x,
        SpotRamp::Smooth => x * x * (3.0 - 2.0 * x),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytemuck::Zeroable;

    #[test]
    fn intensity_falls_with_the_square_of_the_distance() {
        let light =
            LightRecord { kind: LightKind::Point.tag(), at: [0.0, 3.0, 0.0], w: [18.0; 3], ..LightRecord::zeroed() };
        let at = super::sample(&light, Vec3::ZERO, 0.5).unwrap();
        assert_eq!((at.wi, at.weight, at.pdf), (Vec3::Y, Vec3::splat(4.0), 0.0));
        assert!(super::sample(&light, Vec3::new(0.0, 3.0, 0.0), 1.0).is_none());
    }

    #[test]
    fn spots_are_full_inside_and_dark_outside() {
        for &ramp in SpotRamp::ALL {
            assert_eq!(spot(0.95, 0.9, 0.8, ramp), 1.0);
            assert_eq!(spot(0.75, 0.9, 0.8, ramp), 0.0);
            let middle = spot(0.85, 0.9, 0.8, ramp);
            assert!(middle > 0.0 && middle < 1.0);
            assert_eq!((spot(0.9, 0.9, 0.9, ramp), spot(0.89, 0.9, 0.9, ramp)), (1.0, 0.0));
        }
    }
}
