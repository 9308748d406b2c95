//! Closed meshes at a place, with the points from which rays are aimed at them.

use super::{ClosedMesh, P, SplitMix64, place};

/// Sizes of the meshes for which tracing is promised to be watertight, by decades.
pub const SIZES: [f32; 13] = [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6];

/// Distances of the meshes' centres from the origin, in multiples of their size.
pub const OFFSETS: [f32; 4] = [0.0, 1.0, 1e2, 1e4];

/// Closed mesh at a place in space, with points inside it from which every ray must hit it.
#[derive(Debug, Clone)]
pub struct Placed {
    /// Name of the shape.
    pub name: &'static str,
    /// Factor by which the mesh is scaled.
    pub size: f32,
    /// Distance of the centre from the origin, in multiples of `size`.
    pub offset: f32,
    /// Corners of the triangles in world space.
    pub triangles: Vec<[P; 3]>,
    /// Centre of the mesh.
    pub middle: P,
    /// Points well inside the mesh, as origins of rays.
    pub starts: Vec<P>,
    /// Pairs of a triangle and an axis such that rays along the axis, from level with the centre, reach each of the
    /// triangle's points from inside. From any of its points moved along the axis to beside the middle, which is well
    /// inside then, a ray along the axis comes to the point.
    pub along: Vec<[u32; 2]>,
}

impl Placed {
    /// Places `mesh`, scaled by `size`, `offset` sizes away from the origin, and picks `starts` points inside it.
    pub fn new(mesh: &ClosedMesh, size: f32, offset: f32, starts: usize) -> Self {
        let middle = place(size, offset);
        let triangles = mesh.placed(size, middle);
        let mut random = SplitMix64(1);
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
