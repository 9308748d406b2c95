//! Warps to the unit disk and to triangles.

use crate::elementary::sin_cos_octant;
use std::f32::consts::{FRAC_1_PI, FRAC_PI_4};

/// Maps the unit square uniformly to the unit disk by the concentric map (Shirley and Chiu 1997), which keeps
/// neighbours together and cells square.
#[inline]
pub fn concentric_disk(u: [f32; 2]) -> [f32; 2] {
    let (x, y) = (2.0 * u[0] - 1.0, 2.0 * u[1] - 1.0);
    // The larger coordinate is the (signed) radius, the ratio the angle from its axis. Selections, not
    // branches: which is larger is random.
    let wide = x.abs() > y.abs();
    let (r, other) = if wide { (x, y) } else { (y, x) };
    let (sin, cos) = sin_cos_octant(FRAC_PI_4 * if r == 0.0 { 0.0 } else { other / r });
    if wide { [r * cos, r * sin] } else { [r * sin, r * cos] }
}

/// Returns the constant density of [`concentric_disk`] per area: 1 / pi.
pub const fn concentric_disk_pdf() -> f32 {
    FRAC_1_PI
}

/// Maps the unit square uniformly to a triangle: returns the barycentric weights of its second and third corner. By
/// Heitz's low-distortion map (2019): half the square is folded along its diagonal.
#[inline]
pub fn uniform_triangle(u: [f32; 2]) -> [f32; 2] {
    let [a, b] = u;
    if b > a {
        let half = 0.5 * a;
        [half, b - half]
    } else {
        let half = 0.5 * b;
        [a - half, half]
    }
}
