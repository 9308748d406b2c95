//! Size of a scene for shading in memory, by part.

use super::{ShadingScene, SharedMesh};

/// Bytes of a [`ShadingScene`], by part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ShadingBytes {
    /// Bytes of the triangle records, of meshes that instances share, and of where instances begin.
    pub triangles: u64,
    /// Bytes of texture coordinates, tangents and vertex colours.
    pub attributes: u64,
    /// Bytes of materials, their inputs, media and texture programs.
    pub materials: u64,
    /// Bytes of the images' texels.
    pub images: u64,
    /// Bytes of lights and of the tables by which they are chosen.
    pub lights: u64,
}

impl ShadingBytes {
    /// Returns the sum over all parts.
    pub fn total(&self) -> u64 {
        self.triangles + self.attributes + self.materials + self.images + self.lights
    }
}

fn bytes_of<T>(records: &[T]) -> u64 {
    size_of_val(records) as u64
}

impl ShadingScene {
    /// Returns the bytes of the scene by part.
    pub fn bytes(&self) -> ShadingBytes {
        ShadingBytes {
            triangles: bytes_of(&self.triangles)
                + bytes_of(&self.placements)
                + bytes_of(&self.shared.placements)
                + self.shared.meshes.iter().map(SharedMesh::bytes).sum::<u64>(),
            attributes: bytes_of(&self.attributes) + bytes_of(&self.colors),
            materials: bytes_of(&self.materials)
                + bytes_of(&self.inputs)
                + bytes_of(&self.media)
                + bytes_of(&self.programs)
                + bytes_of(&self.texture_ops),
            images: self.images.iter().map(super::TextureImage::bytes).sum(),
            lights: bytes_of(&self.lights)
                + bytes_of(&self.light_choice)
                + bytes_of(&self.environments)
                + bytes_of(&self.tables),
        }
    }
}
