//! Records of triangles: corners, attributes and vertex colours that a hit needs.

use super::{NONE, UnitCode, normalize};
use bytemuck::{Pod, Zeroable};
use glam::Vec3;

/// A triangle in world space: 64 bytes, all that a plain diffuse surface asks for.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct TriangleRecord {
    /// World-space corners, in the order of the hit's barycentrics.
    pub corners: [[f32; 3]; 3],
    /// Shading normals at the corners; unread unless [`TriangleRecord::SMOOTH`].
    pub normals: [UnitCode; 3],
    /// Index of the material, with [`TriangleRecord::FLIPPED`] and [`TriangleRecord::SMOOTH`] in the top bits.
    pub material_and_flags: u32,
    /// Index in [`super::ShadingScene::placements`].
    pub instance: u32,
    /// Index in [`super::ShadingScene::attributes`], or [`NONE`]: then the barycentrics are the texture coordinates,
    /// the colour is white, and there are no tangents.
    pub attributes: u32,
    /// Index in [`super::ShadingScene::lights`] of the light that it is (a part of), or [`NONE`].
    pub light: u32,
}

const _: () = assert!(size_of::<TriangleRecord>() == 64);

impl TriangleRecord {
    /// Flag: the front is where the corners run clockwise.
    pub const FLIPPED: u32 = 1 << 31;
    /// Flag: there are shading normals.
    pub const SMOOTH: u32 = 1 << 30;
    /// Mask of the bits that are the index of the material.
    pub const MATERIAL: u32 = Self::SMOOTH - 1;

    /// Returns the index of the material.
    #[inline]
    pub fn material(&self) -> u32 {
        self.material_and_flags & Self::MATERIAL
    }

    /// Tells if there are shading normals.
    #[inline]
    pub fn is_smooth(&self) -> bool {
        self.material_and_flags & Self::SMOOTH != 0
    }

    /// Returns the corners as vectors.
    #[inline]
    pub fn points(&self) -> [Vec3; 3] {
        self.corners.map(Vec3::from)
    }

    /// Returns the unit normal on the front side: where the mesh's normals point, or, without normals, where the
    /// winding is counter-clockwise before a mirroring placement. Zero for a triangle without area.
    #[inline]
    pub fn front_normal(&self) -> Vec3 {
        let [a, b, c] = self.points();
        let normal = normalize((b - a).cross(c - a));
        if self.material_and_flags & Self::FLIPPED != 0 { -normal } else { normal }
    }
}

impl TriangleRecord {
    /// Tells if light that runs along `direction` comes to the back.
    #[inline]
    pub fn is_met_from_behind(&self, direction: Vec3) -> bool {
        self.front_normal().dot(direction) > 0.0
    }
}

/// Texture coordinates and tangents at the corners of a triangle: 64 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct AttributeRecord {
    /// First texture coordinates; the barycentrics of a mesh without.
    pub uv0: [[f32; 2]; 3],
    /// Second texture coordinates; the first of a mesh without.
    pub uv1: [[f32; 2]; 3],
    /// Tangents; unread unless [`AttributeRecord::TANGENTS`].
    pub tangents: [UnitCode; 3],
    /// Index in [`super::ShadingScene::colors`] plus one, 0 for white, with the two flags in the top bits.
    pub colors_and_flags: u32,
}

const _: () = assert!(size_of::<AttributeRecord>() == 64);

impl AttributeRecord {
    /// Flag: there are tangents.
    pub const TANGENTS: u32 = 1 << 31;
    /// Flag: the bitangent is `-normal x tangent`.
    pub const LEFT_HANDED: u32 = 1 << 30;

    /// Returns the index of the colours, or [`NONE`].
    #[inline]
    pub fn colors(&self) -> u32 {
        (self.colors_and_flags & (Self::LEFT_HANDED - 1)).wrapping_sub(1)
    }
}

const _: () = assert!(0u32.wrapping_sub(1) == NONE);

/// Vertex colours of a triangle: 48 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct ColorRecord {
    /// Linear RGB and alpha at the corners.
    pub corners: [[f32; 4]; 3],
}

const _: () = assert!(size_of::<ColorRecord>() == 48);

/// Range of the triangles of an instance: 8 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct PlacementRecord {
    /// Index of primitive 0 in [`super::ShadingScene::triangles`].
    pub first_triangle: u32,
    /// Number of triangles of the instance.
    pub triangle_count: u32,
}

const _: () = assert!(size_of::<PlacementRecord>() == 8);
