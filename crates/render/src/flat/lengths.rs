//! Lengths and directions of vectors whose squares leave the range of `f32`.
//!
//! Normals and areas come of products of two edges, whose squares are fourth powers: those of a light of a nanometre,
//! in metres, are below the least float, and those of one as wide as the earth above the largest. Such a vector is
//! brought near 1 by a power of two first, so that a scene in other units has the same digits.

use glam::Vec3;
use raywarp_geom::triangle::power_of_two_under;

/// Smallest and largest length (2^-50 and 2^60) whose square is a normal f32.
pub(crate) const LEAST_LENGTH: f32 = 8.881_784_2e-16;
pub(crate) const MOST_LENGTH: f32 = 1.152_921_5e18;

/// Returns the power of two that scales the largest coordinate of `v` to 1 to 2.
#[inline]
pub(crate) fn scale_of(v: Vec3) -> f32 {
    power_of_two_under(v.abs().max_element())
}

/// Returns the length of `v`, even if its square leaves the range of `f32`.
#[inline]
pub(crate) fn length(v: Vec3) -> f32 {
    let length = v.length();
    if length > LEAST_LENGTH && length < MOST_LENGTH { length } else { length_widely(v) }
}

#[cold]
fn length_widely(v: Vec3) -> f32 {
    let scale = scale_of(v);
    (v * scale).length() / scale
}

/// Returns `v` scaled to unit length; `None` if it is zero or not finite.
#[inline]
pub(crate) fn try_normalize(v: Vec3) -> Option<Vec3> {
    let inverse = 1.0 / v.length();
    if inverse > 1.0 / MOST_LENGTH && inverse < 1.0 / LEAST_LENGTH { Some(v * inverse) } else { normalize_widely(v) }
}

#[cold]
fn normalize_widely(v: Vec3) -> Option<Vec3> {
    (v * scale_of(v)).try_normalize()
}

/// Returns `v` scaled to unit length; zero if it is zero or not finite.
#[inline]
pub fn normalize(v: Vec3) -> Vec3 {
    try_normalize(v).unwrap_or(Vec3::ZERO)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_change_no_digit() {
        let v = Vec3::new(0.3, -0.7, 1.9);
        for exponent in (-120..=120).step_by(5) {
            let scale = 2f32.powi(exponent);
            assert_eq!(normalize(v * scale), normalize(v), "2^{exponent}");
            assert_eq!(length(v * scale), length(v) * scale, "2^{exponent}");
        }
    }

    #[test]
    fn what_has_no_direction_has_none() {
        for v in [Vec3::ZERO, Vec3::splat(f32::NAN), Vec3::new(0.0, f32::INFINITY, 0.0)] {
            assert_eq!((try_normalize(v), normalize(v)), (None, Vec3::ZERO), "{v}");
        }
        assert_eq!(length(Vec3::ZERO), 0.0);
        assert_eq!(normalize(Vec3::new(0.0, f32::from_bits(1), 0.0)), Vec3::Y);
        assert_eq!(normalize(Vec3::new(0.0, f32::MAX, 0.0)), Vec3::Y);
    }
}
