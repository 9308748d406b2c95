//! Closed meshes at a place, with the points from which rays are aimed at them.

use super::{Mesh, P, Random, place};

/// Sizes that the promise is made for: by decades.
pub const SIZES: [f32; 13] = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6];

/// Distances of the meshes from the origin of space, in sizes.
pub const OFFSETS: [f32; 4] = [0.0, 1.0, 1e2, 1e4];

/// A closed mesh at a place, and rays' starts in it: any ray from there hits it.
#[derive(Debug, Clone)]
pub struct Placed {
    /// Name of the shape.
    pub name: &'static str,
    /// Size of the mesh, as a factor.
    pub size: f32,
    /// Distance from the origin of space, in sizes.
    pub offset: f32,
    /// Three corners each.
    pub triangles: Vec<[P; 3]>,
    /// Middle of the mesh.
    pub middle: P,
    /// Points that are well inside.
    pub starts: Vec<P>,
    /// Triangles, each with an axis: from any of its points moved along the axis to beside the middle, which is well
    /// inside then, a ray along the axis comes to the point.
    pub along: Vec<[u32; 2]>,
}

impl Placed {
    /// Places `mesh` of `size`, `offset` sizes away, with so many starts.
    pub fn new(mesh: &Mesh, size: f32, offset: f32, starts: usize) -> Self {
        let middle = place(size, offset);
        let triangles = mesh.placed(size, middle);
        let mut random = Random(1);
        // Triangles are small beside how far inside such points are: between three of them there is no outside.
        let is_along = |&[t, axis]: &[u32; 2]| {
            let corners = &triangles[t as usize];
            corners.iter().all(|&corner| mesh.inner_along(axis as usize, corner, size, middle).is_some())
        };
        Self {
            name: mesh.name,
            size,
            offset,
            starts: (0..starts).map(|_| mesh.inner(size, middle, &mut random)).collect(),
            along: (0..triangles.len() as u32).flat_map(|t| [0, 1, 2].map(|axis| [t, axis])).filter(is_along).collect(),
            triangles,
            middle,
        }
    }
}
