//! Records of a placed mesh's triangles: made for all of them at once, or for one that is hit.

use super::{AttributeRecord, NONE, TriangleRecord, UnitCode, encode_unit};
use glam::{DVec3, Vec3};
use raywarp_geom::{Affine, TriangleMesh};

/// Mesh placed in the world, ready to make its triangles' records.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlacedMesh<'s> {
    transform: &'s Affine,
    mesh: &'s TriangleMesh,
    is_identity: bool,
    /// Rows of the matrix that transforms normals, times the sign of the transform's determinant.
    normal_rows: [Vec3; 3],
    /// Sign of the transform's determinant, -1 if it mirrors: winding reverses, but the front of a surface stays the
    /// front.
    handedness: f32,
}

impl<'s> PlacedMesh<'s> {
    #[inline]
    pub fn new(transform: &'s Affine, mesh: &'s TriangleMesh) -> Self {
        let handedness = if transform.determinant() < 0.0 { -1.0 } else { 1.0 };
        Self {
            transform,
            mesh,
            is_identity: *transform == Affine::IDENTITY,
            normal_rows: transform.cofactor().map(|row| Vec3::from(row) * handedness),
            handedness,
        }
    }

    fn point(&self, p: [f32; 3]) -> [f32; 3] {
        if self.is_identity { p } else { self.transform.point(p) }
    }

    fn normal(&self, n: [f32; 3]) -> [f32; 3] {
        let n = Vec3::from(n);
        self.normal_rows.map(|row| row.dot(n))
    }

    fn indices(&self, primitive: usize) -> [usize; 3] {
        self.mesh.indices[primitive].map(|i| i as usize)
    }

    /// Returns the record of a triangle without attributes that is no light.
    pub fn triangle(&self, instance: u32, primitive: usize, material: u32) -> TriangleRecord {
        let (mesh, indices) = (self.mesh, self.indices(primitive));
        let mut record = TriangleRecord {
            corners: mesh.corners(primitive).map(|p| self.point(p)),
            normals: [UnitCode::ZERO; 3],
            material_and_flags: material,
            instance,
            attributes: NONE,
            light: NONE,
        };
        let mut flipped = self.handedness < 0.0;
        if !mesh.normals.is_empty() {
            let normals = indices.map(|i| self.normal(mesh.normals[i]));
            record.normals = normals.map(encode_unit);
            record.material_and_flags |= TriangleRecord::SMOOTH;
            // Stated normals tell the side better than windings do (pbrt does the same).
            let sum: Vec3 = indices.iter().map(|&i| Vec3::from(mesh.normals[i])).sum();
            let front = record.front_normal() * self.handedness;
            flipped ^= Vec3::from(self.normal(sum.into())).dot(front) < 0.0;
        }
        record.material_and_flags |= if flipped { TriangleRecord::FLIPPED } else { 0 };
        record
    }

    /// Sets a triangle's tangents to those that the mesh states; without any, where the material's normal map has axes
    /// of its own, to `axes`. Else it stays without.
    pub fn add_tangents(
        &self,
        attributes: &mut AttributeRecord,
        triangle: &TriangleRecord,
        primitive: usize,
        axes: Option<&MapAxes>,
    ) {
        if self.mesh.tangents.is_empty() {
            if let Some(axes) = axes {
                axes.give_tangents(attributes, triangle);
            }
            return;
        }
        let tangents = self.indices(primitive).map(|i| self.mesh.tangents[i]);
        attributes.tangents = tangents.map(|t| encode_unit(self.transform.vector([t[0], t[1], t[2]])));
        // The corners of a triangle agree; where they do not, most of them decide.
        let left = tangents.map(|t| if t[3] < 0.0 { -1.0 } else { 1.0 }).iter().sum::<f32>() * self.handedness;
        attributes.colors_and_flags |= AttributeRecord::TANGENTS;
        attributes.colors_and_flags |= if left < 0.0 { AttributeRecord::LEFT_HANDED } else { 0 };
    }
}

/// Axes of a normal map that are not those of the first texture coordinates, which shading assumes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MapAxes {
    /// Number of the set of texture coordinates: 0 or 1.
    pub set: u8,
    /// Rows of the 2 x 3 matrix that maps them to the map's.
    pub rows: [[f32; 3]; 2],
}

impl MapAxes {
    /// Sets a triangle's tangent and handedness to the directions of a normal map's own u and v; none if the map has no
    /// area there, so that its normals bend nothing.
    fn give_tangents(&self, attributes: &mut AttributeRecord, triangle: &TriangleRecord) {
        let uvs = if self.set == 0 { &attributes.uv0 } else { &attributes.uv1 };
        let [ua, ub, uc] =
            uvs.map(|[u, v]| self.rows.map(|r| f64::from(r[0]) * f64::from(u) + f64::from(r[1]) * f64::from(v)));
        let [a, b, c] = triangle.corners.map(|p| DVec3::from(p.map(f64::from)));
        let (e1, e2) = (b - a, c - a);
        let (d1, d2) = ([ub[0] - ua[0], ub[1] - ua[1]], [uc[0] - ua[0], uc[1] - ua[1]]);
        let area = d1[0] * d2[1] - d1[1] * d2[0];
        attributes.colors_and_flags |= AttributeRecord::TANGENTS;
        if area == 0.0 {
            return;
        }
        let (along_u, along_v) = ((e1 * d2[1] - e2 * d1[1]) / area, (e2 * d1[0] - e1 * d2[0]) / area);
        attributes.tangents = [encode_unit(along_u.normalize_or_zero().as_vec3().into()); 3];
        // v grows downwards in our images, and a tangent-space map's y grows upwards.
        let is_left = triangle.front_normal().as_dvec3().cross(along_u).dot(along_v) > 0.0;
        attributes.colors_and_flags |= if is_left { AttributeRecord::LEFT_HANDED } else { 0 };
    }
}
