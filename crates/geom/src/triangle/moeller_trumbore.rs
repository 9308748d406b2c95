//! The textbook test of a ray and a triangle: Moeller and Trumbore 1997.

use super::Tuv;
use crate::Ray;

/// Tests a ray against a triangle as Moeller and Trumbore 1997 do, in f32; both sides count. Fast, but rays may slip
/// through edges, and products of huge or tiny coordinates overflow or vanish: such triangles are missed.
#[inline]
pub fn moeller_trumbore(ray: &Ray, [v0, v1, v2]: &[[f32; 3]; 3]) -> Option<Tuv> {
    let sub = |a: &[f32; 3], b: &[f32; 3]| -> [f32; 3] { std::array::from_fn(|i| a[i] - b[i]) };
    let (e1, e2) = (sub(v1, v0), sub(v2, v0));
    let p = cross(&ray.direction, &e2);
    let det = dot(&e1, &p);
    if det == 0.0 {
        return None;
    }
    let inverse = 1.0 / det;
    let s = sub(&ray.origin, v0);
    let u = dot(&s, &p) * inverse;
    let q = cross(&s, &e1);
    let v = dot(&ray.direction, &q) * inverse;
    let t = dot(&e2, &q) * inverse;
    (u >= 0.0 && v >= 0.0 && u + v <= 1.0 && t.is_finite()).then_some([t, u, v])
}

fn cross(a: &[f32; 3], b: &[f32; 3]) -> [f32; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: &[f32; 3], b: &[f32; 3]) -> f32 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}
