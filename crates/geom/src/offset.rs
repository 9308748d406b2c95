//! New ray origins that do not hit the surface they start on.
//!
//! # What is covered
//! In half-ulps `u = 2^-24`. An interpolated point `a + v (b - a) + w (c - a)` is off its triangle's plane by what its
//! coordinates round, at most `2 u` of the largest coordinate and `6 u` of the extent along each axis (pbrt 4, 6.8,
//! bounds it by `7 u` of the sum of the parts). Each axis counts as far as the normal points along it: on a floor at
//! height 0 the rounding of x and z moves a point within the floor. Then the watertight test moves corners by up to
//! `6 u` of their distance, and its `t` rounds (`triangle::Watertight`), so its error grows with the triangle and not
//! with the point's coordinates.
//!
//! Both are multiples of the scene's own numbers: there is no absolute step, so that a scene in other units gives the
//! same rays, and a scene times a power of two gives rays with the same digits. Waechter and Binder's offset ("A fast
//! and robust method for avoiding self-intersection", Ray Tracing Gems, chapter 6), which was here before, moves points
//! near zero by 2^-16, whatever the unit: contact shadows in a scene of millimetres given in metres were gone.

/// Factor by which points are moved off a surface, of their coordinates along the normal and of the triangle's extent:
/// 2^-21.
///
/// Twice what was needed: 95 million rays, from points of slivers, needles, floors and others up to 1e4 sizes away,
/// half of them within 1e-6 to 1e-1 of the surface, did not hit their own triangle again from half of this distance on,
/// and some 1 in 10^4 did from a quarter of it.
const ROUNDING: f32 = 1.0 / (1 << 21) as f32;

/// Moves `point` of a triangle along the unit normal `normal` so far that a ray leaving on that side does not hit the
/// triangle again. The normal is the geometric one, on either side; the distance covers the rounding of the point and
/// of a ray's test, also against triangles in the same plane that are as large. `extent` is the largest coordinate
/// difference between the point and a corner; for the end of a ray, add that to where the ray starts.
///
/// The distance is 2^-21 (5e-7) of the extent and of the point's coordinates along the normal, and nothing else: an
/// occluder that is farther from the surface is seen.
#[inline]
pub fn offset_from_triangle(point: [f32; 3], normal: [f32; 3], extent: f32) -> [f32; 3] {
    let [x, y, z]: [f32; 3] = std::array::from_fn(|i| (normal[i] * point[i]).abs());
    let distance = ROUNDING * (x + y + z + extent);
    std::array::from_fn(|i| {
        let moved = point[i] + distance * normal[i];
        if moved.is_finite() { moved } else { point[i] }
    })
}

/// Returns the origin for a ray in `direction` from the point of a triangle at barycentric weights `u` and `v`, moved
/// off the surface. The weights are those of the second and third corner (as a [`crate::Hit`] has them); the point
/// moves by what its position and the test of rays may round, to the side that the ray goes to.
///
/// The corners are those that are traced: in world space, and of a placed mesh as [`crate::Affine::point`] has them.
/// Such a ray may begin at `t_min` 0.
///
/// # Examples
/// ```
/// # use raywarp_geom as raywarp;
/// use raywarp::{Ray, origin_leaving};
/// let floor = [[-1e3, 0.0, -1e3], [1e3, 0.0, -1e3], [0.0, 0.0, 2e3]];
/// let up = [0.0, 1.0, 0.0];
/// let ray = Ray::new(origin_leaving(floor, 0.25, 0.5, up), up);
/// assert!(ray.origin[1] > 0.0 && ray.origin[1] < 2e-3);
/// assert_eq!(ray.origin[2], 500.0);
/// ```
#[inline]
pub fn origin_leaving(corners: [[f32; 3]; 3], u: f32, v: f32, direction: [f32; 3]) -> [f32; 3] {
    let [a, b, c] = corners.map(glam::Vec3::from);
    let point = a + u * (b - a) + v * (c - a);
    // Scaled, so that no square leaves the range of floats.
    let largest = (b - a).abs().max_element().max((c - a).abs().max_element());
    let scale = crate::triangle::power_of_two_under(largest);
    let normal = ((b - a) * scale).cross((c - a) * scale).normalize_or_zero();
    let side = if normal.dot(direction.into()) < 0.0 { -normal } else { normal };
    let extent = [a, b, c].iter().map(|&corner| (corner - point).abs().max_element()).fold(0.0, f32::max);
    offset_from_triangle(point.into(), side.into(), extent)
}

#[cfg(test)]
#[path = "offset/tests.rs"]
mod tests;
