//! From a hit to a point on a surface: position, normals, texture coordinates, tangents.

use crate::flat::{AttributeRecord, NONE, ShadingScene, TriangleRecord, UnitCode, decode_unit};
use crate::texture::TexturePoint;
use glam::{Vec2, Vec3, Vec4};
use raywarp_geom::{Hit, offset_from_triangle};

/// Point on a surface in world space, 68 bytes.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub struct SurfacePoint {
    /// World-space position of the hit.
    pub position: Vec3,
    /// Largest coordinate difference to a corner of the triangle.
    pub extent: f32,
    /// Unit geometric normal on the front side: where the mesh's normals point, or without normals, where the winding
    /// is counter-clockwise.
    pub geometric_normal: Vec3,
    /// Unit interpolated normal before normal maps, on the front side if the mesh is consistent.
    pub shading_normal: Vec3,
    /// Index of the surface's material.
    pub material: u32,
    /// Index of the instance.
    pub instance: u32,
    /// Index of the triangle's record, by which [`ShadingScene::record`] finds it.
    pub triangle: u32,
    /// Index of the triangle's attributes, or [`crate::flat::NONE`].
    pub attributes: u32,
    /// Barycentric weights of the second and the third corner.
    pub barycentrics: Vec2,
    /// Medium of another body whose boundary coincides with this surface, or [`NONE`].
    pub touching: u32,
}

const _: () = assert!(size_of::<SurfacePoint>() == 68);

impl SurfacePoint {
    /// Placeholder for the surface point of a ray that missed.
    pub const NONE: Self = Self {
        position: Vec3::ZERO,
        extent: 0.0,
        geometric_normal: Vec3::ZERO,
        shading_normal: Vec3::ZERO,
        material: 0,
        instance: 0,
        triangle: 0,
        attributes: NONE,
        barycentrics: Vec2::ZERO,
        touching: NONE,
    };

    /// Returns the origin of a ray that leaves the surface along `direction`, offset to that side.
    #[inline]
    pub fn origin_towards(&self, direction: Vec3) -> [f32; 3] {
        let side = self.geometric_normal * self.geometric_normal.dot(direction).signum();
        offset_from_triangle(self.position.into(), side.into(), self.extent)
    }
}

#[inline]
fn unit(code: UnitCode) -> Vec3 {
    decode_unit(code).into()
}

/// Returns the surface point of a hit.
#[inline]
pub fn surface_point(scene: &ShadingScene, hit: &Hit, instance: u32) -> SurfacePoint {
    let triangle = scene.triangle_of(hit, instance);
    if scene.is_flat() {
        return point_on(&scene.triangles[triangle as usize], triangle, hit, instance);
    }
    point_on(&scene.record(instance, triangle), triangle, hit, instance)
}

#[inline(always)]
fn point_on(record: &TriangleRecord, triangle: u32, hit: &Hit, instance: u32) -> SurfacePoint {
    let corners = record.points();
    let (u, v) = (hit.u, hit.v);
    let position = corners[0] + u * (corners[1] - corners[0]) + v * (corners[2] - corners[0]);
    let geometric_normal = record.front_normal();
    let shading_normal = if record.is_smooth() {
        let [a, b, c] = record.normals.map(unit);
        ((1.0 - u - v) * a + u * b + v * c).try_normalize().unwrap_or(geometric_normal)
    } else {
        geometric_normal
    };
    SurfacePoint {
        position,
        extent: corners.iter().map(|&c| (c - position).abs().max_element()).fold(0.0, f32::max),
        geometric_normal,
        shading_normal,
        material: record.material(),
        instance,
        triangle,
        attributes: record.attributes,
        barycentrics: Vec2::new(u, v),
        touching: NONE,
    }
}

/// Returns the texture coordinates and the vertex colour at the barycentric coordinates `at` of a triangle.
#[inline]
pub fn texture_point(scene: &ShadingScene, attributes: u32, at: Vec2) -> TexturePoint {
    if attributes == NONE {
        return TexturePoint { uv: [at; 2], color: Vec4::ONE };
    }
    let record = &scene.attributes[attributes as usize];
    let colors = record.colors();
    TexturePoint {
        uv: [interpolated(&record.uv0, at).into(), interpolated(&record.uv1, at).into()],
        color: if colors == NONE { Vec4::ONE } else { interpolated(&scene.colors[colors as usize].corners, at).into() },
    }
}

/// Returns the unit tangent along increasing u (not necessarily perpendicular to the normal) and the sign of the
/// bitangent, from the mesh's tangents, else from its texture coordinates.
pub fn tangent(scene: &ShadingScene, point: &SurfacePoint) -> Option<(Vec3, f32)> {
    if point.attributes != NONE {
        let record = scene.attributes_of(point.instance, point.triangle, point.attributes);
        if record.colors_and_flags & AttributeRecord::TANGENTS != 0 {
            let tangents = record.tangents.map(decode_unit);
            let direction = Vec3::from(interpolated(&tangents, point.barycentrics)).try_normalize()?;
            let left = record.colors_and_flags & AttributeRecord::LEFT_HANDED != 0;
            return Some((direction, if left { -1.0 } else { 1.0 }));
        }
    }
    let (dpdu, dpdv) = position_derivatives(scene, point)?;
    let direction = dpdu.try_normalize()?;
    // v grows downwards in our images, and a tangent-space map's y grows upwards.
    let sign = if point.shading_normal.cross(dpdu).dot(dpdv) > 0.0 { -1.0 } else { 1.0 };
    Some((direction, sign))
}

/// Returns the derivatives of the world-space position by the first texture coordinates; `None` if these have no area.
pub fn position_derivatives(scene: &ShadingScene, point: &SurfacePoint) -> Option<(Vec3, Vec3)> {
    let [a, b, c] = scene.record(point.instance, point.triangle).points();
    let (e1, e2) = (b - a, c - a);
    if point.attributes == NONE {
        return Some((e1, e2));
    }
    let [ua, ub, uc] = scene.attributes[point.attributes as usize].uv0.map(Vec2::from);
    let (d1, d2) = (ub - ua, uc - ua);
    let det = d1.perp_dot(d2);
    if det == 0.0 || !det.is_finite() {
        return None;
    }
    Some(((e1 * d2.y - e2 * d1.y) / det, (e2 * d1.x - e1 * d2.x) / det))
}

#[inline]
fn interpolated<const N: usize>(corners: &[[f32; N]; 3], b: Vec2) -> [f32; N] {
    let [x, y, z] = corners;
    std::array::from_fn(|i| (1.0 - b.x - b.y) * x[i] + b.x * y[i] + b.y * z[i])
}
