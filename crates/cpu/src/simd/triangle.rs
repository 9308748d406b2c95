//! [`Watertight::test`](raywarp_geom::triangle::Watertight::test), operation by operation, in lanes: of four triangles for one
//! ray, or of one triangle for many rays. So `t u v` have the same bits however rays walk.

use raywarp_lanes::Vector;

/// Moves a triangle corner into the ray's space: relative to its origin, with x and y sheared along its direction.
#[inline(always)]
pub(super) fn local<V: Vector<N>, const N: usize>(corner: [V; 3], origin: [V; 3], shear: [V; 2]) -> [V; 3] {
    let [x, y, z] = [corner[0] - origin[0], corner[1] - origin[1], corner[2] - origin[2]];
    [shear[0].neg_mul_add(z, x), shear[1].neg_mul_add(z, y), z]
}

/// Returns the edge functions of a triangle whose corners [`local`] moved, and a mask of where the ray's line passes
/// inside it.
#[inline(always)]
pub(super) fn edges<V: Vector<N>, const N: usize>([a, b, c]: [[V; 3]; 3]) -> ([V; 3], V::Mask) {
    let u = difference_of_products(c[0], b[1], c[1], b[0]);
    let v = difference_of_products(a[0], c[1], a[1], c[0]);
    let w = difference_of_products(b[0], a[1], b[1], a[0]);
    let zero = V::splat(u.set(), 0.0);
    ([u, v, w], zero.le(u.min(v).min(w)) | u.max(v).max(w).le(zero))
}

/// Returns `t u v` of hits from edge functions, and a mask of where `t` is finite; the scalar test decides the others.
#[inline(always)]
pub(super) fn weigh<V: Vector<N>, const N: usize>(
    [a, b, c]: [[V; 3]; 3],
    edges: [V; 3],
    inverse: V,
) -> ([V; 3], V::Mask) {
    let [u, v, w] = edges;
    let set = u.set();
    let scale = V::splat(set, 1.0) / (u + v + w);
    let (u, v) = (v * scale, w * scale);
    let z = u.mul_add(b[2] - a[2], v.mul_add(c[2] - a[2], a[2]));
    let t = z * inverse;
    ([t, u, v], V::splat(set, f32::MIN).le(t) & t.le(V::splat(set, f32::MAX)))
}

/// Returns `a * b - c * d` by Kahan's method.
#[inline(always)]
fn difference_of_products<V: Vector<N>, const N: usize>(a: V, b: V, c: V, d: V) -> V {
    let w = c * d;
    a.mul_sub(b, w) + c.neg_mul_add(d, w)
}
