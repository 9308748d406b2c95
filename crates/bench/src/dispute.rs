//! Disputed answers: checks if rounding explains that two answers to a ray differ.

use raywarp_family::TriangleTest;
use raywarp_geom::{Aabb, FlatTriangles, Ray};
use raywarp_workload::oracle::{Tolerance, judge_any};

/// Fraction of the scene's diagonal by which boxes grow in the search for triangles near a ray, far more than any
/// tolerance.
const MARGIN: f32 = 1e-4;

/// Returns `true` if rounding may decide whether the ray hits: it passes very near an edge, or hits very near its
/// interval's end.
///
/// `one` and `other` are two answers to `ray`, a time or infinity.
pub(crate) fn is_borderline(triangles: &FlatTriangles, ray: &Ray, test: TriangleTest, one: f32, other: f32) -> bool {
    if one.is_nan() || other.is_nan() {
        return false;
    }
    let (near, far) = (one.min(other), one.max(other));
    // The nearer answer says that something is hit before the middle between them, the farther that nothing is; a miss,
    // that nothing is at all.
    let limit = if far.is_finite() { near + 0.5 * (far - near) } else { ray.t_max };
    let ray = ray.with_interval(ray.t_min, limit);
    let tolerance = match test {
        test if test.is_watertight() => Tolerance::Watertight,
        _ => Tolerance::Fast,
    };
    let near = near_triangles(triangles, &ray);
    [0, 1].iter().all(|&blocked| judge_any(&near, &[ray], &[blocked], &[], tolerance).faults.is_empty())
}

/// Returns the triangles whose bounding boxes the ray's line comes near.
fn near_triangles(triangles: &FlatTriangles, ray: &Ray) -> FlatTriangles {
    let margin = MARGIN * triangles.bounds().diagonal();
    let mut near = FlatTriangles::default();
    for index in (0..triangles.len()).filter(|&index| comes_near(&triangles.aabb(index), ray, margin)) {
        near.vertices.push(triangles.vertices[index]);
        near.ids.push(triangles.ids[index]);
        near.opaque.push(true);
    }
    near
}

/// Returns `true` if the ray's line passes within `margin` of a box, by slab tests in f64 in both directions of the
/// line.
fn comes_near(bounds: &Aabb, ray: &Ray, margin: f32) -> bool {
    let (mut enter, mut leave) = (f64::NEG_INFINITY, f64::INFINITY);
    for axis in 0..3 {
        let (origin, direction) = (f64::from(ray.origin[axis]), f64::from(ray.direction[axis]));
        let low = f64::from(bounds.min[axis]) - f64::from(margin) - origin;
        let high = f64::from(bounds.max[axis]) + f64::from(margin) - origin;
        if direction == 0.0 {
            if low > 0.0 || high < 0.0 {
                return false;
            }
            continue;
        }
        let (a, b) = (low / direction, high / direction);
        enter = enter.max(a.min(b));
        leave = leave.min(a.max(b));
    }
    enter <= leave
}

#[cfg(test)]
mod tests {
    use super::*;
    const MISS: f32 = f32::INFINITY;

    /// Returns two triangles, at z = 0 and z = -1, that do not share an edge.
    fn scene() -> FlatTriangles {
        let at = |z: f32, size: f32| [[0.0, 0.0, z], [size, 0.0, z], [0.0, size, z]];
        FlatTriangles::from_vertices(vec![at(0.0, 1.0), at(-1.0, 5.0)])
    }

    fn down(x: f32, y: f32) -> Ray {
        Ray::new([x, y, 1.0], [0.0, 0.0, -1.0])
    }

    fn check(ray: &Ray, one: f32, other: f32) -> bool {
        let both = [[one, other], [other, one]].map(|[a, b]| is_borderline(&scene(), ray, TriangleTest::Woop, a, b));
        assert_eq!(both[0], both[1]);
        both[0]
    }

    #[test]
    fn a_ray_along_an_edge_may_hit_or_not() {
        let outer = down(0.0, 3.0);
        assert!(check(&outer, 2.0, MISS));
        assert!(check(&down(0.5, 0.5), 1.0, 2.0));
        assert!(is_borderline(&scene(), &outer, TriangleTest::Woop, 0.0, MISS), "any-hit");
    }

    #[test]
    fn a_ray_inside_a_triangle_must_hit_it() {
        assert!(!check(&down(0.2, 0.2), 1.0, 2.0));
        assert!(!check(&down(0.2, 0.2), 1.0, MISS));
        assert!(!check(&down(1.0, 1.0), 2.0, MISS));
        assert!(!check(&down(0.2, 0.2), 1.0, f32::NAN));
    }

    #[test]
    fn who_misses_at_an_edge_must_still_see_what_is_behind() {
        assert!(!check(&down(0.5, 0.5), 1.0, MISS));
    }

    #[test]
    fn a_ray_past_everything_must_miss() {
        assert!(!check(&down(-1.0, -1.0), 1.0, MISS));
    }
}
