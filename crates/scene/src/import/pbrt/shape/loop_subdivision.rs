//! `loopsubdiv`: Loop's subdivision surfaces, refined and pushed to the limit surface.
//!
//! Sources: Loop 1987, "Smooth Subdivision Surfaces Based on Triangles"; Warren's weights; limit
//! positions and tangents after Hoppe et al. 1994, as pbrt has them. Two of its choices are kept
//! although others would be better: boundary vertices move by 1/5 of each neighbour at the end (the
//! spline's own limit would be 1/6), and normals are the product of tangents that turn clockwise, so
//! that they point away from the counter-clockwise side of the control mesh.
//!
//! Edges of one triangle are creases. So are edges of more than two or with clashing directions,
//! and a vertex where more than two creases meet stays where it is; pbrt's result is undefined there.

use super::loop_topology::{Topology, beta};
use crate::import::pbrt::params::Params;
use crate::import::pbrt::state::Importer;
use crate::{ImportError, PbrtFault};
use glam::DVec3;
use raywarp_geom::TriangleMesh;

impl Importer<'_> {
    pub(super) fn loop_subdivision(&mut self, params: &Params) -> Result<TriangleMesh, ImportError> {
        let mut rounder = self.context.center.in_mesh();
        let Some(positions) = params.positions("P", &mut rounder)? else {
            return Err(params.error(PbrtFault::NoPoints { shape: "loopsubdiv shape" }));
        };
        let Some(indices) = params.indices::<3>("indices", positions.len())? else {
            return Err(params.error(PbrtFault::NoIndices { shape: "loopsubdiv shape" }));
        };
        let strays = params.check_strays("P", &positions, indices.iter().flatten().copied())?;
        let mut control = TriangleMesh { positions, indices, ..TriangleMesh::default() };
        self.leave_out(params, strays, &mut control);
        let TriangleMesh { positions, indices, .. } = control;
        // Version 3 calls it nlevels, version 4 levels.
        let older = params.integer("nlevels", 0..=16)?;
        let levels = params.integer("levels", 0..=16)?.or(older).unwrap_or(3);
        params.ignore_known("Shape");
        self.rounded = rounder;
        self.spend(params, indices.len() as u64 * 4u64.pow(levels))?;
        let mesh = subdivide(&positions, &indices, levels);
        if mesh.positions.iter().flatten().any(|x| !x.is_finite()) {
            return Err(params.error(PbrtFault::LargePoints));
        }
        Ok(mesh)
    }
}

/// Subdivides a mesh `levels` times by Loop's scheme and moves the vertices to the limit surface. Each triangle becomes
/// four, in the order corner, corner, corner, middle.
pub(super) fn subdivide(positions: &[[f32; 3]], indices: &[[u32; 3]], levels: u32) -> TriangleMesh {
    let mut points: Vec<DVec3> = positions.iter().map(|p| DVec3::from(p.map(f64::from))).collect();
    let mut triangles = indices.to_vec();
    for _ in 0..levels {
        (points, triangles) = refine(&points, &triangles);
    }
    let topology = Topology::new(points.len(), &triangles);
    let limit: Vec<DVec3> = (0..points.len()).map(|v| topology.limit(&points, v)).collect();
    let normals = topology.normals(&limit, &triangles);
    TriangleMesh {
        positions: limit.iter().map(|p| p.as_vec3().into()).collect(),
        normals: normals.iter().map(|n| n.as_vec3().into()).collect(),
        indices: triangles,
        ..TriangleMesh::default()
    }
}

fn refine(points: &[DVec3], triangles: &[[u32; 3]]) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let topology = Topology::new(points.len(), triangles);
    let mut out: Vec<DVec3> = (0..points.len()).map(|v| topology.weigh(points, v, 1.0 / 8.0, beta)).collect();
    out.extend(topology.edges.iter().map(|edge| {
        let ends = points[edge.ends[0] as usize] + points[edge.ends[1] as usize];
        match edge.opposite {
            Some([a, b]) => ends * (3.0 / 8.0) + (points[a as usize] + points[b as usize]) * (1.0 / 8.0),
            None => ends * 0.5,
        }
    }));
    let odd = |edge: u32| points.len() as u32 + edge;
    let mut children = Vec::with_capacity(triangles.len() * 4);
    for (&[a, b, c], edges) in triangles.iter().zip(&topology.of_triangle) {
        let [ab, bc, ca] = edges.map(odd);
        children.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
    }
    (out, children)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// Returns a regular flat grid of equilateral triangles, lifted by `height`.
    fn grid(n: u32, height: impl Fn(f64, f64) -> f64) -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
        let mut positions = Vec::new();
        for j in 0..=n {
            for i in 0..=n {
                let (x, y) = (f64::from(i) + f64::from(j) / 2.0, f64::from(j) * 0.75f64.sqrt());
                positions.push([x as f32, y as f32, height(x, y) as f32]);
            }
        }
        let at = |i: u32, j: u32| j * (n + 1) + i;
        let mut indices = Vec::new();
        for j in 0..n {
            for i in 0..n {
                indices.push([at(i, j), at(i + 1, j), at(i, j + 1)]);
                indices.push([at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
            }
        }
        (positions, indices)
    }

    fn octahedron() -> (Vec<[f32; 3]>, Vec<[u32; 3]>) {
        let positions = vec![[1., 0., 0.], [-1., 0., 0.], [0., 1., 0.], [0., -1., 0.], [0., 0., 1.], [0., 0., -1.]];
        let mut indices = Vec::new();
        for (x, y, z) in [(0, 2, 4), (2, 1, 4), (1, 3, 4), (3, 0, 4), (2, 0, 5), (1, 2, 5), (3, 1, 5), (0, 3, 5)] {
            indices.push([x, y, z]);
        }
        (positions, indices)
    }

    #[test]
    fn a_regular_vertex_goes_to_its_box_splines_limit() {
        // Loop's scheme on the regular lattice is the quartic box spline, whose value at a knot is
        // half the vertex and a twelfth of each of its six neighbours.
        let height = |x: f64, y: f64| (1.3 * x).sin() + 0.5 * x * y - 0.2 * y * y * y;
        let n = 6;
        let (positions, indices) = grid(n, height);
        for levels in 0..4 {
            let mesh = subdivide(&positions, &indices, levels);
            for (i, j) in [(3, 3), (2, 3), (3, 2)] {
                let at = |i: u32, j: u32| f64::from(positions[(j * (n + 1) + i) as usize][2]);
                let ring =
                    at(i + 1, j) + at(i - 1, j) + at(i, j + 1) + at(i, j - 1) + at(i + 1, j - 1) + at(i - 1, j + 1);
                let want = at(i, j) / 2.0 + ring / 12.0;
                let found = f64::from(mesh.positions[(j * (n + 1) + i) as usize][2]);
                assert!((found - want).abs() < 1e-5, "{levels} levels: {found}, expected {want}");
            }
        }
    }

    #[test]
    fn limit_positions_of_inner_vertices_do_not_depend_on_the_levels() {
        let (positions, indices) = octahedron();
        let coarse = subdivide(&positions, &indices, 0);
        let fine = subdivide(&positions, &indices, 4);
        for v in 0..positions.len() {
            for axis in 0..3 {
                assert!((coarse.positions[v][axis] - fine.positions[v][axis]).abs() < 1e-6);
            }
        }
    }

    #[test]
    fn a_closed_surface_stays_closed_and_its_normals_point_away_from_its_front() {
        let (positions, indices) = octahedron();
        let mesh = subdivide(&positions, &indices, 3);
        assert_eq!(mesh.indices.len(), 8 * 64);
        let mut edges = HashMap::new();
        for triangle in &mesh.indices {
            for k in 0..3 {
                *edges.entry((triangle[k], triangle[(k + 1) % 3])).or_insert(0) += 1;
            }
        }
        assert!(edges.iter().all(|(&(a, b), &n)| n == 1 && edges.contains_key(&(b, a))));
        let euler = mesh.positions.len() as i64 - edges.len() as i64 / 2 + mesh.indices.len() as i64;
        assert_eq!(euler, 2);
        // The octahedron's front is outside, so pbrt's normals point inwards.
        for (p, n) in mesh.positions.iter().zip(&mesh.normals) {
            let (p, n) = (glam::Vec3::from(*p).normalize(), glam::Vec3::from(*n).normalize());
            assert!(p.dot(n) < -0.95, "{p} {n}");
        }
    }

    #[test]
    fn flat_stays_flat_and_boundaries_are_splines_of_themselves() {
        let (positions, indices) = grid(4, |_, _| 0.0);
        let mesh = subdivide(&positions, &indices, 2);
        assert!(mesh.positions.iter().all(|p| p[2].abs() < 1e-6));
        assert!(mesh.normals.iter().all(|n| n[2] < 0.0 && n[0].abs() < 1e-5 * n[2].abs().max(1e-3)));
        // The lower border is straight and stays at y = 0, whatever lies inside.
        let (lifted, indices) = grid(4, |_, y| y * y);
        let mesh = subdivide(&lifted, &indices, 3);
        let lowest = mesh.positions.iter().map(|p| p[1]).fold(f32::MAX, f32::min);
        assert!(lowest.abs() < 1e-6);
        // A lone triangle: its corners have creases only, 1 - 2/5 and 1/5 each at the end.
        let lone = subdivide(&[[0., 0., 0.], [5., 0., 0.], [0., 5., 0.]], &[[0, 1, 2]], 0);
        assert_eq!(lone.positions, [[1., 1., 0.], [3., 1., 0.], [1., 3., 0.]]);
        assert!(lone.normals.iter().all(|n| n[2] < 0.0));
    }

    #[test]
    fn meshes_that_are_no_surface_do_no_harm() {
        type Case<'a> = (&'a [[f32; 3]], &'a [[u32; 3]]);
        let cases: [Case; 5] = [
            // Three triangles at an edge, two of one direction, a doubled corner, a bow tie, nothing.
            (&[[0.; 3], [1., 0., 0.], [0., 1., 0.], [0., -1., 0.], [0., 0., 1.]], &[[0, 1, 2], [1, 0, 3], [0, 1, 4]]),
            (&[[0.; 3], [1., 0., 0.], [0., 1., 0.], [0., -1., 0.]], &[[0, 1, 2], [0, 1, 3]]),
            (&[[0.; 3], [1., 0., 0.]], &[[0, 0, 1], [0, 0, 0]]),
            (&[[0.; 3], [1., 0., 0.], [1., 1., 0.], [-1., 0., 0.], [-1., -1., 0.]], &[[0, 1, 2], [0, 3, 4]]),
            (&[[0.; 3]], &[]),
        ];
        for (positions, indices) in cases {
            let mesh = subdivide(positions, indices, 2);
            assert_eq!(mesh.indices.len(), indices.len() * 16);
            assert_eq!(mesh.validate(), Ok(()));
        }
    }
}
