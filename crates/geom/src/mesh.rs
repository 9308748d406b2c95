//! Indexed triangle meshes.

use crate::Aabb;

/// Indexed triangle mesh in its own object space. Attribute arrays are empty or one entry a vertex.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TriangleMesh {
    /// Vertex positions, finite.
    pub positions: Vec<[f32; 3]>,
    /// Three vertex indices for each triangle, each below `positions.len()`.
    pub indices: Vec<[u32; 3]>,
    /// Shading normal of each vertex; need not be of unit length, and zero means "no normal at this vertex".
    pub normals: Vec<[f32; 3]>,
    /// Tangent of each vertex, `x y z` with the sign of the bitangent in `w` (as glTF has it).
    pub tangents: Vec<[f32; 4]>,
    /// First set of texture coordinates; `v` grows downwards in the image (row 0 is `v = 0`).
    pub uvs: Vec<[f32; 2]>,
    /// Second set of texture coordinates.
    pub uvs1: Vec<[f32; 2]>,
    /// Linear RGB colour of each vertex, with alpha.
    pub colors: Vec<[f32; 4]>,
}

/// Errors in the data of a mesh; all indices in them count from 0.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// A vertex position is NaN or infinite.
    #[error("vertex {vertex} is not finite: {value:?}")]
    NotFinite {
        /// Index of the faulty vertex.
        vertex: usize,
        /// Position of the vertex, with at least one coordinate that is NaN or infinite.
        value: [f32; 3],
    },
    /// A triangle's vertex index is not below the number of vertices.
    #[error("triangle {triangle} uses vertex {index}, but there are only {vertices}")]
    IndexOutOfRange {
        /// Index of the faulty triangle.
        triangle: usize,
        /// Vertex index that is too large.
        index: u32,
        /// Number of vertices in the mesh.
        vertices: usize,
    },
    /// An attribute array (normals, colours, ...) has another length than the positions.
    #[error("{attribute} has {found} entries for {vertices} vertices")]
    AttributeLength {
        /// Name of the attribute array.
        attribute: &'static str,
        /// Number of values that the attribute has.
        found: usize,
        /// Number of vertices in the mesh.
        vertices: usize,
    },
}

impl TriangleMesh {
    /// Checks what every user of a mesh relies on: finite positions, indices in range, attribute arrays empty or as
    /// long as the positions. O(vertices + triangles).
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

    /// Returns the positions of the three corners of triangle `index`.
    ///
    /// # Panics
    /// If `index` or one of the triangle's indices is out of range.
    #[inline]
    pub fn corners(&self, index: usize) -> [[f32; 3]; 3] {
        let [a, b, c] = self.indices[index];
        [self.positions[a as usize], self.positions[b as usize], self.positions[c as usize]]
    }

    /// Returns the bounding box of all vertices, whether or not a triangle uses them.
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
