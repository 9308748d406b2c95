//! Unit vectors in 32 bits: the sphere unfolded to a square (Meyer et al. 2010; Cigolle et al. 2014).

use bytemuck::{Pod, Zeroable};
use glam::{Vec2, Vec3};

/// Unit vector as 32 bits (octahedral code), exact within 7e-5 radians, or the zero vector. The six axes are exact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
pub struct UnitCode(pub u32);

impl UnitCode {
    /// Code of the zero vector: coordinates of -32768 code no direction.
    pub const ZERO: Self = Self(0x8000_8000);
}

/// Number of code steps from the middle of the octahedral square to its border.
const STEPS: f32 = 32767.0;

/// Encodes the direction of `v`, which need not have unit length; zero or non-finite vectors give [`UnitCode::ZERO`].
pub fn encode_unit(v: [f32; 3]) -> UnitCode {
    // Scaled first, so that neither tiny nor huge vectors leave the range.
    let v = Vec3::from(v);
    let largest = v.abs().max_element();
    if !(largest > 0.0 && v.is_finite()) {
        return UnitCode::ZERO;
    }
    let v = v / largest;
    let p = v / (v.x.abs() + v.y.abs() + v.z.abs());
    let square = if p.z < 0.0 { folded(Vec2::new(p.x, p.y)) } else { Vec2::new(p.x, p.y) };
    let steps = (square * STEPS).round();
    UnitCode(u32::from(steps.x as i16 as u16) | u32::from(steps.y as i16 as u16) << 16)
}

/// Decodes a unit vector; zero for [`UnitCode::ZERO`].
#[inline]
pub fn decode_unit(code: UnitCode) -> [f32; 3] {
    if code == UnitCode::ZERO {
        return [0.0; 3];
    }
    let square = Vec2::new(f32::from(code.0 as u16 as i16), f32::from((code.0 >> 16) as u16 as i16)) / STEPS;
    let z = 1.0 - square.x.abs() - square.y.abs();
    // Below the equator the corners of the square are folded down: each coordinate moves towards 0 by the depth.
    let depth = (-z).max(0.0);
    let x = if square.x >= 0.0 { square.x - depth } else { square.x + depth };
    let y = if square.y >= 0.0 { square.y - depth } else { square.y + depth };
    Vec3::new(x, y, z).normalize().into()
}

/// Folds a point of the lower half into the corners of the octahedral square: reflects it at the nearest side of the
/// inner diamond.
fn folded(p: Vec2) -> Vec2 {
    let sign = |x: f32| if x >= 0.0 { 1.0 } else { -1.0 };
    Vec2::new((1.0 - p.y.abs()) * sign(p.x), (1.0 - p.x.abs()) * sign(p.y))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_and_zero_are_exact() {
        for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
            for v in [axis, -axis, axis * 1e-30, axis * 1e30] {
                assert_eq!(Vec3::from(decode_unit(encode_unit(v.into()))), v.signum() * axis.abs());
            }
        }
        for nothing in [[0.0; 3], [f32::NAN, 0.0, 1.0], [f32::INFINITY, 0.0, 0.0]] {
            assert_eq!(decode_unit(encode_unit(nothing)), [0.0; 3]);
        }
    }

    #[test]
    fn directions_come_back_within_the_stated_angle() {
        let mut worst = 0.0f64;
        for i in 0..200_000 {
            let u = [(i as f32 * 0.754_877_7).fract(), (i as f32 * 0.569_840_3).fract()];
            let v = Vec3::from(raywarp_sample::warp::uniform_sphere(u));
            let back = Vec3::from(decode_unit(encode_unit((v * 7.0).into())));
            assert!((back.length() - 1.0).abs() < 1e-6);
            worst = worst.max(v.as_dvec3().cross(back.as_dvec3()).length());
        }
        assert!(worst < 7e-5, "{worst:e}");
    }
}
