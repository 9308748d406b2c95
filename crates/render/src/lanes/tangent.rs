//! Frames along tangents: `crate::surface`'s of anisotropic surfaces, a surface a lane.

use super::point::unit;
use super::vec3::{Vec3s, is_finite};
use super::vertices::Entries;
use super::warp::Frames;
use crate::flat::{AttributeRecord, NONE, ShadingScene};
use raywarp_lanes::{Mask, Vector, Words};

impl<V> Frames<V> {
    /// Returns these frames, turned about their normals in the lanes of `mask` so that their tangents are nearest to
    /// those of the surfaces.
    #[inline(always)]
    pub fn along_tangents<const N: usize>(
        self,
        scene: &ShadingScene,
        entries: &Entries<V::Words, V::Mask>,
        mask: V::Mask,
    ) -> Self
    where
        V: Vector<N>,
    {
        let normal = self.normal;
        let (direction, found) = tangents::<V, N>(scene, entries, mask);
        let (tangent, has_length) = (direction - normal * normal.dot(direction)).try_normalize();
        let turned = mask & found & has_length;
        Self {
            tangent: Vec3s::select(turned, tangent, self.tangent),
            bitangent: Vec3s::select(turned, normal.cross(tangent), self.bitangent),
            normal,
        }
    }
}

/// Returns the surfaces' unit tangents along increasing u (from the meshes' tangents, else from texture coordinates),
/// and the lanes that have one.
#[inline(always)]
fn tangents<V: Vector<N>, const N: usize>(
    scene: &ShadingScene,
    entries: &Entries<V::Words, V::Mask>,
    mask: V::Mask,
) -> (Vec3s<V>, V::Mask) {
    let Entries { hit, record, .. } = entries;
    let set = record[14].set();
    let corners = [Vec3s::<V>::of_words(&record[0..3]), Vec3s::of_words(&record[3..6]), Vec3s::of_words(&record[6..9])];
    let edges = [corners[1] - corners[0], corners[2] - corners[0]];
    let (mut along, mut found) = (edges[0], mask);
    let has_attributes = mask & !record[14].eq(V::Words::splat(set, NONE));
    if has_attributes.any() {
        let words: [V::Words; 16] =
            record[14].gather_records(bytemuck::cast_slice::<AttributeRecord, _>(&scene.attributes), has_attributes);
        let a = [V::from_bits(words[0]), V::from_bits(words[1])];
        let b = [V::from_bits(words[2]) - a[0], V::from_bits(words[3]) - a[1]];
        let c = [V::from_bits(words[4]) - a[0], V::from_bits(words[5]) - a[1]];
        let (zero, one) = (V::splat(set, 0.0), V::splat(set, 1.0));
        let det = b[0] * c[1] - b[1] * c[0];
        along = Vec3s::select(has_attributes, (edges[0] * c[1] - edges[1] * b[1]) / det, along);
        found = found & (!has_attributes | (!det.eq(zero) & is_finite(det)));
        let flag = V::Words::splat(set, AttributeRecord::TANGENTS);
        let has_tangents = has_attributes & (words[15] & flag).eq(flag);
        if has_tangents.any() {
            let (u, v) = (V::from_bits(hit[1]), V::from_bits(hit[2]));
            let [a, b, c] = [unit(words[12]), unit(words[13]), unit(words[14])];
            along = Vec3s::select(has_tangents, a * (one - u - v) + b * u + c * v, along);
            found = found | has_tangents;
        }
    }
    let (direction, has_length) = along.try_normalize();
    (direction, found & has_length)
}
