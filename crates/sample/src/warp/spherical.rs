//! Warp to triangles on the unit sphere: uniform in the solid angle that a triangle covers.
//!
//! Source: Peters 2021 (P21, 4), which is Arvo 1995 (A95) without the triangle's angles: no difference of nearly equal
//! numbers is taken, so small and thin triangles keep their digits. One departure: along the last arc
//! distances are taken from 1 - cos, not from cos, for the same reason.

use crate::elementary::{atan2, sin_cos};

type Vector = [f32; 3];

#[inline]
fn dot(a: Vector, b: Vector) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[inline]
fn sum(s: f32, a: Vector, t: f32, b: Vector) -> Vector {
    [s * a[0] + t * b[0], s * a[1] + t * b[1], s * a[2] + t * b[2]]
}

/// Returns half the solid angle, 0 to pi, of the spherical triangle between three unit vectors with the triple product
/// `volume` (by magnitude; Van Oosterom and Strackee 1983). Who knows the plane of the corners knows `volume` better
/// than the unit vectors tell it.
#[inline]
pub fn half_solid_angle(corners: &[Vector; 3], volume: f32) -> f32 {
    let [a, b, c] = *corners;
    atan2(volume, (1.0 + dot(a, b)) + (dot(b, c) + dot(c, a)))
}

/// Returns a direction distributed uniformly over the spherical triangle between the unit vectors `corners`, of unit
/// length up to rounding. `volume` is that of [`half_solid_angle`], `half` half the solid angle of the part between the
/// first two corners and the direction: a uniform share of the whole; `u` a uniform number.
#[inline]
pub fn spherical_triangle(corners: &[Vector; 3], volume: f32, half: f32, u: f32) -> Vector {
    let [a, b, c] = *corners;
    // The part ends at a point of the arc from a to c: a mirrored at this direction.
    let (sin, cos) = sin_cos(half);
    let to_a = volume * cos - (dot(c, a) + dot(b, c)) * sin;
    let middle = sum(to_a, a, (1.0 + dot(a, b)) * sin, c);
    let length_squared = dot(middle, middle);
    let scale = 2.0 * dot(a, middle) / length_squared;
    let end = if length_squared > 0.0 { sum(scale, middle, -1.0, a) } else { c };
    // On the arc from b to that point, 1 - cos of the distance from b is uniform.
    let (arc, across) = (sum(1.0, end, -1.0, b), sum(1.0, end, 1.0, b));
    // 1 - cos and 1 + cos of the whole arc, each with all its digits.
    let (h, rest) = (0.5 * dot(arc, arc), 0.5 * dot(across, across));
    let share = u * (rest + (1.0 - u) * h) / rest;
    // An arc of half a turn has no direction: any will do.
    let t = if share < f32::MAX { share.max(0.0).sqrt() } else { 0.0 };
    sum(1.0 - u * h - t * (1.0 - h), b, t, end)
}
