//! Warps to the sphere, and frames.

use super::{concentric_disk, turn::sin_cos_turn};
use std::f32::consts::{FRAC_1_PI, TAU};

/// Returns a random direction of the upper hemisphere with density cos / pi, by projecting a point of the disk up
/// (Malley). Its z is positive.
#[inline]
pub fn cosine_hemisphere(u: [f32; 2]) -> [f32; 3] {
    let [x, y] = concentric_disk(u);
    // The floor keeps directions of the rim in the open hemisphere, where their density is not 0.
    let z = (1.0 - x * x - y * y).max(1e-12).sqrt();
    [x, y, z]
}

/// Returns the density of [`cosine_hemisphere`] at a direction whose cosine to the z axis is `cos`.
#[inline]
pub fn cosine_hemisphere_pdf(cos: f32) -> f32 {
    cos.max(0.0) * FRAC_1_PI
}

#[inline]
fn ring(z: f32, turn: f32) -> [f32; 3] {
    let r = (1.0 - z * z).max(0.0).sqrt();
    let (sin, cos) = sin_cos_turn(turn);
    [r * cos, r * sin, z]
}

/// Returns a uniformly distributed direction of the upper hemisphere.
#[inline]
pub fn uniform_hemisphere(u: [f32; 2]) -> [f32; 3] {
    ring(1.0 - u[0], u[1])
}

/// Returns the constant density of [`uniform_hemisphere`]: 1 / (2 pi).
pub const fn uniform_hemisphere_pdf() -> f32 {
    1.0 / TAU
}

/// Returns a uniformly distributed direction of the whole sphere.
#[inline]
pub fn uniform_sphere(u: [f32; 2]) -> [f32; 3] {
    ring(1.0 - 2.0 * u[0], u[1])
}

/// Returns the constant density of [`uniform_sphere`]: 1 / (4 pi).
pub const fn uniform_sphere_pdf() -> f32 {
    0.5 / TAU
}

/// Returns a uniformly distributed direction of the cone about the z axis whose half angle has `1 - cos =
/// one_minus_cos`, 0 to 2. The complement, because the cosine of a small cone has no digits left.
#[inline]
pub fn uniform_cone(u: [f32; 2], one_minus_cos: f32) -> [f32; 3] {
    let h = u[0] * one_minus_cos;
    // 1 - z^2 = h (2 - h), without cancellation.
    let r = (h * (2.0 - h)).max(0.0).sqrt();
    let (sin, cos) = sin_cos_turn(u[1]);
    [r * cos, r * sin, 1.0 - h]
}

/// Returns the constant density of [`uniform_cone`] inside its cone.
#[inline]
pub fn uniform_cone_pdf(one_minus_cos: f32) -> f32 {
    1.0 / (TAU * one_minus_cos)
}

/// Returns a tangent and bitangent that make a right-handed orthonormal frame with the unit vector `n` (Duff et al.
/// 2017).
#[inline]
pub fn onb(n: [f32; 3]) -> ([f32; 3], [f32; 3]) {
    let [x, y, z] = n;
    let sign = 1.0f32.copysign(z);
    let a = -1.0 / (sign + z);
    let b = x * y * a;
    ([1.0 + sign * x * x * a, sign * b, -sign * x], [b, sign + y * y * a, -y])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_orthonormal_and_right_handed_everywhere() {
        let special = [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0], [0.0, -1.0, -0.0], [1e-4, 0.0, -1.0]];
        let grid = (0..10_000).map(|i| uniform_sphere([(i as f32 + 0.5) / 1e4, (i as f32 * 0.618_034).fract()]));
        for n in special.into_iter().chain(grid) {
            let (t, b) = onb(n);
            let dot = |a: [f32; 3], b: [f32; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
            let cross = |a: [f32; 3], b: [f32; 3]| {
                [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
            };
            for (p, q, want) in [(t, t, 1.0), (b, b, 1.0), (t, b, 0.0), (t, n, 0.0), (b, n, 0.0), (cross(t, b), n, 1.0)]
            {
                assert!((dot(p, q) - want).abs() < 2e-6, "{n:?}: {t:?} {b:?}");
            }
        }
    }

    #[test]
    fn small_cones_keep_their_digits() {
        let h = 1e-10;
        let d = uniform_cone([0.999, 0.1], h);
        assert!(((d[0] * d[0] + d[1] * d[1]) / (2.0 * 0.999 * h) - 1.0).abs() < 1e-4);
    }
}
