//! Indexed triangle meshes.

use crate::Aabb;

/// An indexed triangle mesh in its own space. Attribute arrays are empty or one entry a vertex.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TriangleMesh {
    /// Vertex positions, finite.
    pub positions: Vec<[f32; 3]>,
    /// Three vertex indices a triangle, each below `positions.len()`.
    pub indices: Vec<[u32; 3]>,
    /// Shading normals; need not be of unit length, zero means "none here".
    pub normals: Vec<[f32; 3]>,
    /// Tangents `x y z` with the sign of the bitangent in `w` (glTF).
    pub tangents: Vec<[f32; 4]>,
    /// First texture coordinates; `v` grows downwards in the image (row 0 is `v = 0`).
    pub uvs: Vec<[f32; 2]>,
    /// Second texture coordinates.
    pub uvs1: Vec<[f32; 2]>,
    /// Linear vertex colours with alpha.
    pub colors: Vec<[f32; 4]>,
}

/// Errors in the data of a mesh; indices count from 0.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// A position is NaN or infinite.
    #[error("vertex {vertex} is not finite: {value:?}")]
    NotFinite {
        /// Index of the vertex.
        vertex: usize,
        /// Coordinates of the vertex, one of them NaN or infinite.
        value: [f32; 3],
    },
    /// An index points past the vertices.
    #[error("triangle {triangle} uses vertex {index}, but there are only {vertices}")]
    IndexOutOfRange {
        /// Index of the triangle.
        triangle: usize,
        /// The index that is too large.
        index: u32,
        /// Number of vertices in the mesh.
        vertices: usize,
    },
    /// An attribute array has another length than the positions.
    #[error("{attribute} has {found} entries for {vertices} vertices")]
    AttributeLength {
        /// Name of the array.
        attribute: &'static str,
        /// Number of values that the attribute has.
        found: usize,
        /// Number of vertices in the mesh.
        vertices: usize,
    },
}

impl TriangleMesh {
    /// Checks what every user of a mesh relies on: finite positions, indices in range, attribute
    /// arrays empty or of full length. O(vertices + triangles).
    ///
    /// # Errors
    /// The first thing that is wrong.
    pub fn validate(&self) -> Result<(), MeshError> {
        let vertices = self.positions.len();
        if let Some(vertex) = self.positions.iter().position(|p| !p.iter().all(|x| x.is_finite())) {
            return Err(MeshError::NotFinite { vertex, value: self.positions[vertex] });
        }
        for (triangle, corners) in self.indices.iter().enumerate() {
            if let Some(&index) = corners.iter().find(|&&i| i as usize >= vertices) {
                return Err(MeshError::IndexOutOfRange { triangle, index, vertices });
            }
        }
        let lengths = [
            ("normals", self.normals.len()),
            ("tangents", self.tangents.len()),
            ("uvs", self.uvs.len()),
            ("uvs1", self.uvs1.len()),
            ("colors", self.colors.len()),
        ];
        match lengths.into_iter().find(|&(_, found)| found != 0 && found != vertices) {
            Some((attribute, found)) => Err(MeshError::AttributeLength { attribute, found, vertices }),
            None => Ok(()),
        }
    }

    /// Returns the corners of triangle `index`.
    ///
    /// # Panics
    /// If `index` or one of the triangle's indices is out of range.
    #[inline]
    pub fn corners(&self, index: usize) -> [[f32; 3]; 3] {
        self.indices[index].map(|i| self.positions[i as usize])
    }

    /// Returns the box around all vertices, used by a triangle or not.
    pub fn bounds(&self) -> Aabb {
        Aabb::of_points(&self.positions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn validation_names_the_first_fault() {
        let good = TriangleMesh { positions: vec![[0.0; 3]; 3], indices: vec![[0, 1, 2]], ..Default::default() };
        assert_eq!(good.validate(), Ok(()));
        let nan = TriangleMesh { positions: vec![[0.0; 3], [0.0, f32::NAN, 0.0], [0.0; 3]], ..good.clone() };
        assert!(matches!(nan.validate(), Err(MeshError::NotFinite { vertex: 1, .. })));
        let range = TriangleMesh { indices: vec![[0, 1, 2], [0, 3, 1]], ..good.clone() };
        assert_eq!(range.validate(), Err(MeshError::IndexOutOfRange { triangle: 1, index: 3, vertices: 3 }));
        let short = TriangleMesh { uvs: vec![[0.0; 2]; 2], ..good };
        assert!(matches!(short.validate(), Err(MeshError::AttributeLength { attribute: "uvs", .. })));
    }
}
