//! From a hit to a point on a surface: position, normals, tangent frame, texture coordinates.

use super::World;
use super::texture::TexturePoint;
use glam::{Vec2, Vec3, Vec4};
use raywarp_geom::{Affine, Hit, offset_from_triangle};
use raywarp_scene::{MaterialId, Mesh};

/// An instance as shading needs it.
pub(crate) struct Placement {
    pub mesh: usize,
    pub material: Option<MaterialId>,
    transform: Affine,
    is_identity: bool,
    /// Rows that map normals, times the sign of the determinant.
    normal_rows: [Vec3; 3],
    /// -1 when the transform mirrors: winding turns over, but the front of a surface stays the front.
    handedness: f32,
}

impl Placement {
    pub fn new(instance: &raywarp_scene::Instance) -> Self {
        let handedness = if instance.transform.determinant() < 0.0 { -1.0 } else { 1.0 };
        Self {
            mesh: instance.mesh.index(),
            material: instance.material,
            transform: instance.transform,
            is_identity: instance.transform == Affine::IDENTITY,
            normal_rows: instance.transform.cofactor().map(|row| Vec3::from(row) * handedness),
            handedness,
        }
    }

    #[inline]
    fn point(&self, p: [f32; 3]) -> Vec3 {
        if self.is_identity { p.into() } else { self.transform.point(p).into() }
    }

    #[inline]
    fn normal(&self, n: [f32; 3]) -> Vec3 {
        let n = Vec3::from(n);
        Vec3::new(self.normal_rows[0].dot(n), self.normal_rows[1].dot(n), self.normal_rows[2].dot(n))
    }
}

/// A point on a surface, in world space.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SurfacePoint {
    pub position: Vec3,
    /// Largest coordinate difference to a corner of the triangle.
    pub extent: f32,
    /// Unit geometric normal on the front side: where the mesh's normals point, or, without
    /// normals, where the winding is counter-clockwise.
    pub geometric_normal: Vec3,
    /// Unit interpolated normal, before normal maps; on the front side as far as the mesh is sane.
    pub shading_normal: Vec3,
    pub material: MaterialId,
    /// Index of the mesh and the triangle in it, for the rarer attributes.
    pub mesh: u32,
    pub primitive: u32,
    pub barycentrics: Vec2,
}

impl SurfacePoint {
    /// Stands where a ray missed.
    pub const NONE: Self = Self {
        position: Vec3::ZERO,
        extent: 0.0,
        geometric_normal: Vec3::ZERO,
        shading_normal: Vec3::ZERO,
        material: MaterialId(0),
        mesh: 0,
        primitive: 0,
        barycentrics: Vec2::ZERO,
    };

    /// Where a ray starts that leaves on the side that `direction` points to.
    #[inline]
    pub fn origin_towards(&self, direction: Vec3) -> [f32; 3] {
        let side = self.geometric_normal * self.geometric_normal.dot(direction).signum();
        offset_from_triangle(self.position.into(), side.into(), self.extent)
    }
}

impl World<'_> {
    /// The corners of a triangle in world space.
    #[inline]
    pub(crate) fn triangle(&self, instance: u32, primitive: u32) -> [Vec3; 3] {
        let placement = &self.placements[instance as usize];
        self.scene.meshes[placement.mesh].triangles.corners(primitive as usize).map(|p| placement.point(p))
    }

    /// The front-side unit normal of a triangle with world-space `corners`; zero for one without area.
    #[inline]
    pub(crate) fn front_normal(&self, instance: u32, primitive: u32, corners: &[Vec3; 3]) -> Vec3 {
        let placement = &self.placements[instance as usize];
        let mesh = &self.scene.meshes[placement.mesh].triangles;
        let cross = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
        let mut normal = normalize(cross) * placement.handedness;
        if !mesh.normals.is_empty() {
            // Stated normals tell the side better than windings do (pbrt does the same).
            let sum: Vec3 =
                mesh.indices[primitive as usize].iter().map(|&i| Vec3::from(mesh.normals[i as usize])).sum();
            if placement.normal(sum.into()).dot(normal) < 0.0 {
                normal = -normal;
            }
        }
        normal
    }

    #[inline]
    pub(crate) fn surface_point(&self, hit: &Hit, instance: u32) -> SurfacePoint {
        let placement = &self.placements[instance as usize];
        let mesh = &self.scene.meshes[placement.mesh];
        let corners = self.triangle(instance, hit.primitive);
        let (u, v) = (hit.u, hit.v);
        let position = corners[0] + u * (corners[1] - corners[0]) + v * (corners[2] - corners[0]);
        let geometric_normal = self.front_normal(instance, hit.primitive, &corners);
        let normals = &mesh.triangles.normals;
        let shading_normal = if normals.is_empty() {
            geometric_normal
        } else {
            let [a, b, c] = mesh.triangles.indices[hit.primitive as usize].map(|i| Vec3::from(normals[i as usize]));
            let n = placement.normal(((1.0 - u - v) * a + u * b + v * c).into());
            n.try_normalize().unwrap_or(geometric_normal)
        };
        let material = placement.material.unwrap_or_else(|| mesh.materials.get(hit.primitive as usize));
        SurfacePoint {
            position,
            extent: corners.iter().map(|&c| (c - position).abs().max_element()).fold(0.0, f32::max),
            geometric_normal,
            shading_normal,
            material,
            mesh: placement.mesh as u32,
            primitive: hit.primitive,
            barycentrics: Vec2::new(u, v),
        }
    }

    /// Texture coordinates and vertex colour at a hit.
    pub(crate) fn texture_point(&self, mesh: u32, primitive: u32, barycentrics: Vec2) -> TexturePoint {
        let mesh = &self.scene.meshes[mesh as usize].triangles;
        let corners = mesh.indices[primitive as usize];
        let uv0 = interpolate(&mesh.uvs, corners, barycentrics);
        // Without coordinates of their own, the barycentrics parametrise a triangle.
        let uv0 = uv0.map_or(barycentrics, Vec2::from);
        let uv1 = interpolate(&mesh.uvs1, corners, barycentrics).map_or(uv0, Vec2::from);
        let color = interpolate(&mesh.colors, corners, barycentrics).map_or(Vec4::ONE, Vec4::from);
        TexturePoint { uv: [uv0, uv1], color }
    }

    /// Unit tangent along increasing u, perpendicular to nothing in particular, and the sign of the
    /// bitangent; from the mesh's tangents, else from its texture coordinates.
    pub(crate) fn tangent(&self, point: &SurfacePoint, instance: u32) -> Option<(Vec3, f32)> {
        let placement = &self.placements[instance as usize];
        let mesh = &self.scene.meshes[placement.mesh];
        let corners = mesh.triangles.indices[point.primitive as usize];
        if let Some(t) = interpolate(&mesh.triangles.tangents, corners, point.barycentrics) {
            let direction = Vec3::from(placement.transform.vector([t[0], t[1], t[2]])).try_normalize()?;
            return Some((direction, if t[3] < 0.0 { -1.0 } else { 1.0 } * placement.handedness));
        }
        let (dpdu, dpdv) = self.derivatives(mesh, placement, point)?;
        let direction = dpdu.try_normalize()?;
        // v grows downwards in our images, and a tangent-space map's y grows upwards.
        let sign = if point.shading_normal.cross(dpdu).dot(dpdv) > 0.0 { -1.0 } else { 1.0 };
        Some((direction, sign))
    }

    /// World-space change of position along the first texture coordinates, where they have area.
    fn derivatives(&self, mesh: &Mesh, placement: &Placement, point: &SurfacePoint) -> Option<(Vec3, Vec3)> {
        let corners = mesh.triangles.indices[point.primitive as usize];
        let [a, b, c] = corners.map(|i| placement.point(mesh.triangles.positions[i as usize]));
        let (e1, e2) = (b - a, c - a);
        if mesh.triangles.uvs.is_empty() {
            return Some((e1, e2));
        }
        let [ua, ub, uc] = corners.map(|i| Vec2::from(mesh.triangles.uvs[i as usize]));
        let (d1, d2) = (ub - ua, uc - ua);
        let det = d1.perp_dot(d2);
        if det == 0.0 || !det.is_finite() {
            return None;
        }
        Some(((e1 * d2.y - e2 * d1.y) / det, (e2 * d1.x - e1 * d2.x) / det))
    }

    /// [`World::derivatives`] of a surface point, for bump maps.
    pub(crate) fn position_derivatives(&self, point: &SurfacePoint, instance: u32) -> Option<(Vec3, Vec3)> {
        let placement = &self.placements[instance as usize];
        self.derivatives(&self.scene.meshes[placement.mesh], placement, point)
    }
}

fn interpolate<const N: usize>(values: &[[f32; N]], corners: [u32; 3], b: Vec2) -> Option<[f32; N]> {
    if values.is_empty() {
        return None;
    }
    let [x, y, z] = corners.map(|i| values[i as usize]);
    Some(std::array::from_fn(|i| (1.0 - b.x - b.y) * x[i] + b.x * y[i] + b.y * z[i]))
}

/// Unit length also for vectors whose squared length leaves the range of f32.
#[inline]
fn normalize(v: Vec3) -> Vec3 {
    if let Some(unit) = v.try_normalize() {
        return unit;
    }
    let v = v.as_dvec3();
    let length = v.length();
    if length > 0.0 { (v / length).as_vec3() } else { Vec3::ZERO }
}
