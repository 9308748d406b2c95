//! Points on surfaces: `crate::surface`'s look-ups and offsets, a hit a lane.

use super::vec3::{Vec3s, is_finite, signed_one};
use crate::flat::{LEAST_LENGTH, MOST_LENGTH, TriangleRecord, UnitCode};
use raywarp_lanes::{Mask, Vector, Words};

/// Surface points, one per lane, with what plain materials need of [`crate::surface::SurfacePoint`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Points<V> {
    pub position: Vec3s<V>,
    pub extent: V,
    pub geometric_normal: Vec3s<V>,
    pub shading_normal: Vec3s<V>,
}

/// Returns the points at barycentric weights `u`, `v` of triangles, and the lanes where f32 suffices for the normals;
/// the others need scalar code.
#[inline(always)]
pub(super) fn points<V: Vector<N>, const N: usize>(record: &[V::Words; 16], u: V, v: V) -> (Points<V>, V::Mask) {
    let set = u.set();
    let zero = V::splat(set, 0.0);
    let corners = [Vec3s::<V>::of_words(&record[0..3]), Vec3s::of_words(&record[3..6]), Vec3s::of_words(&record[6..9])];
    let edges = [corners[1] - corners[0], corners[2] - corners[0]];
    let position = corners[0] + edges[0] * u + edges[1] * v;
    let flags = record[12];
    let across = edges[0].cross(edges[1]);
    let inverse = V::splat(set, 1.0) / across.length_squared().sqrt();
    let is_plain = inverse.gt(V::splat(set, 1.0 / MOST_LENGTH)) & inverse.lt(V::splat(set, 1.0 / LEAST_LENGTH));
    let front = across * inverse;
    let flipped = !(flags & V::Words::splat(set, TriangleRecord::FLIPPED)).eq(V::Words::splat(set, 0));
    let geometric_normal = Vec3s::select(flipped, -front, front);
    let smooth = !(flags & V::Words::splat(set, TriangleRecord::SMOOTH)).eq(V::Words::splat(set, 0));
    let mut shading_normal = geometric_normal;
    if smooth.any() {
        let [a, b, c] = [unit(record[9]), unit(record[10]), unit(record[11])];
        let weight = V::splat(set, 1.0) - u - v;
        let (normal, has_length) = (a * weight + b * u + c * v).try_normalize();
        shading_normal = Vec3s::select(smooth & has_length, normal, geometric_normal);
    }
    let mut extent = zero;
    for corner in corners {
        extent = extent.max((corner - position).abs().max_element());
    }
    (Points { position, extent, geometric_normal, shading_normal }, is_plain & position.is_finite() & is_finite(extent))
}

/// Decodes unit vectors, with the bits of [`crate::flat::decode_unit`].
#[inline(always)]
pub(super) fn unit<V: Vector<N>, const N: usize>(code: V::Words) -> Vec3s<V> {
    let set = code.set();
    let (zero, one, steps) = (V::splat(set, 0.0), V::splat(set, 1.0), V::splat(set, 32767.0));
    // The halves as signed numbers: the low one with its sign as the word's, then both scaled by 2^-16, which is exact.
    let scale = V::splat(set, 1.0 / 65536.0);
    let low = V::from_i32(code.shl(16)) * scale;
    let high = V::from_i32(code & V::Words::splat(set, 0xFFFF_0000)) * scale;
    let (x, y) = (low / steps, high / steps);
    let z = one - x.abs() - y.abs();
    let depth = (-z).max(zero);
    let x = V::select(x.ge(zero), x - depth, x + depth);
    let y = V::select(y.ge(zero), y - depth, y + depth);
    let v = Vec3s { x, y, z };
    let v = v * (one / v.length_squared().sqrt());
    let is_zero = code.eq(V::Words::splat(set, UnitCode::ZERO.0));
    Vec3s::select(is_zero, Vec3s { x: zero, y: zero, z: zero }, v)
}

/// Turns shading normals towards the viewer, as `crate::surface::shading` does.
#[inline(always)]
pub(super) fn facing<V: Vector<N>, const N: usize>(shading: Vec3s<V>, geometric: Vec3s<V>, wo: Vec3s<V>) -> Vec3s<V> {
    let zero = V::splat(wo.x.set(), 0.0);
    let normal = Vec3s::select(shading.dot(geometric).lt(zero), -shading, shading);
    Vec3s::select((normal.dot(wo) * geometric.dot(wo)).gt(zero), normal, geometric)
}

impl<V> Points<V> {
    /// Returns the lanes where light may go in directions `wi`, with cosine `cos` to the shading normal, without
    /// passing through the surface.
    #[inline(always)]
    pub fn pass<const N: usize>(&self, wi: Vec3s<V>, cos: V) -> V::Mask
    where
        V: Vector<N>,
    {
        (self.geometric_normal.dot(wi) * cos).gt(V::splat(cos.set(), 0.0))
    }

    /// Returns the origins of rays that leave the surfaces in these directions, offset to the right side.
    #[inline(always)]
    pub fn origins_towards<const N: usize>(&self, directions: Vec3s<V>) -> Vec3s<V>
    where
        V: Vector<N>,
    {
        let side = self.geometric_normal * signed_one(self.geometric_normal.dot(directions));
        offset_from_triangle(self.position, side, self.extent)
    }
}

/// Moves points off their triangles along the normal, with the bits of [`raywarp_geom::offset_from_triangle`].
#[inline(always)]
pub(super) fn offset_from_triangle<V: Vector<N>, const N: usize>(
    point: Vec3s<V>,
    normal: Vec3s<V>,
    extent: V,
) -> Vec3s<V> {
    let set = extent.set();
    let along = (normal * point).abs();
    let distance = V::splat(set, 1.0 / (1 << 21) as f32) * (along.x + along.y + along.z + extent);
    let moved = point + normal * distance;
    Vec3s {
        x: V::select(is_finite(moved.x), moved.x, point.x),
        y: V::select(is_finite(moved.y), moved.y, point.y),
        z: V::select(is_finite(moved.z), moved.z, point.z),
    }
}
