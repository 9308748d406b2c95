//! Records of triangles: corners, attributes and vertex colours that a hit needs.

use super::{NONE, UnitCode, normalize};
use bytemuck::{Pod, Zeroable};
use glam::Vec3;

/// World-space triangle record of 64 bytes, all that shading a plain diffuse surface reads.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct TriangleRecord {
    /// World-space corners, in the order of a hit's barycentric weights.
    pub corners: [[f32; 3]; 3],
    /// Shading normals at the corners; valid only with [`TriangleRecord::SMOOTH`].
    pub normals: [UnitCode; 3],
    /// Index of the material, with the flags [`TriangleRecord::FLIPPED`] and [`TriangleRecord::SMOOTH`] in the top
    /// bits.
    pub material_and_flags: u32,
    /// Index of the triangle's instance in [`super::ShadingScene::placements`].
    pub instance: u32,
    /// Index in [`super::ShadingScene::attributes`], or [`NONE`]: then barycentric weights serve as texture
    /// coordinates, the colour is white, and there are no tangents.
    pub attributes: u32,
    /// Index in [`super::ShadingScene::lights`] of the light that the triangle is (a part of), or [`NONE`].
    pub light: u32,
}

const _: () = assert!(size_of::<TriangleRecord>() == 64);

impl TriangleRecord {
    /// Flag of a triangle whose front is where its corners run clockwise.
    pub const FLIPPED: u32 = 1 << 31;
    /// Flag of a triangle that has shading normals.
    pub const SMOOTH: u32 = 1 << 30;
    /// Mask of the bits that hold the index of the material.
    pub const MATERIAL: u32 = Self::SMOOTH - 1;

    /// Returns the index of the triangle's material.
    #[inline]
    pub fn material(&self) -> u32 {
        self.material_and_flags & Self::MATERIAL
    }

    /// Returns `true` if the triangle has shading normals.
    #[inline]
    pub fn is_smooth(&self) -> bool {
        self.material_and_flags & Self::SMOOTH != 0
    }

    /// Returns the triangle's corners.
    #[inline]
    pub fn points(&self) -> [Vec3; 3] {
        self.corners.map(Vec3::from)
    }

    /// Returns the unit normal on the front side: where the mesh's normals point, or without normals, where the winding
    /// was counter-clockwise before a mirroring instance. Zero for a triangle without area.
    #[inline]
    pub fn front_normal(&self) -> Vec3 {
        let [a, b, c] = self.points();
        let normal = normalize((b - a).cross(c - a));
        if self.material_and_flags & Self::FLIPPED != 0 { -normal } else { normal }
    }
}

impl TriangleRecord {
    /// Returns `true` if light travelling along `direction` meets the back of the triangle.
    #[inline]
    pub fn is_met_from_behind(&self, direction: Vec3) -> bool {
        self.front_normal().dot(direction) > 0.0
    }
}

/// Texture coordinates and tangents at a triangle's corners, 64 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct AttributeRecord {
    /// First set of texture coordinates; barycentric weights if the mesh has none.
    pub uv0: [[f32; 2]; 3],
    /// Second set of texture coordinates; the first set if the mesh has no second.
    pub uv1: [[f32; 2]; 3],
    /// Tangents at the corners; valid only with [`AttributeRecord::TANGENTS`].
    pub tangents: [UnitCode; 3],
    /// Index plus one in [`super::ShadingScene::colors`] or 0 for white, with this record's two flags in the top bits.
    pub colors_and_flags: u32,
}

const _: () = assert!(size_of::<AttributeRecord>() == 64);

impl AttributeRecord {
    /// Flag of a triangle that has tangents.
    pub const TANGENTS: u32 = 1 << 31;
    /// Flag of a triangle whose bitangent is `-normal x tangent`.
    pub const LEFT_HANDED: u32 = 1 << 30;

    /// Returns the index of the vertex colours, or [`NONE`].
    #[inline]
    pub fn colors(&self) -> u32 {
        (self.colors_and_flags & (Self::LEFT_HANDED - 1)).wrapping_sub(1)
    }
}

const _: () = assert!(0u32.wrapping_sub(1) == NONE);

/// Vertex colours of a triangle, 48 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ColorRecord {
    /// Linear RGB and alpha at the corners.
    pub corners: [[f32; 4]; 3],
}

const _: () = assert!(size_of::<ColorRecord>() == 48);

/// Range of the triangles of an instance, 8 bytes. One that shares a mesh has none, and a first index of zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct PlacementRecord {
    /// Index in [`super::ShadingScene::triangles`] of the instance's first triangle.
    pub first_triangle: u32,
    /// Number of triangles of the instance.
    pub triangle_count: u32,
}

const _: () = assert!(size_of::<PlacementRecord>() == 8);
