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

use crate::SceneError;
use crate::import::pbrt::params::Params;
use crate::import::pbrt::state::Importer;
use glam::DVec3;
use raywarp_geom::TriangleMesh;
use std::f64::consts::{PI, TAU};

impl Importer<'_> {
    pub(super) fn loop_subdivision(&mut self, params: &Params) -> Result<TriangleMesh, SceneError> {
        let Some(positions) = params.groups::<3>("P")? else {
            return Err(params.error("a loopsubdiv shape needs points \"P\""));
        };
        let Some(indices) = params.indices::<3>("indices", positions.len())? else {
            return Err(params.error("a loopsubdiv shape needs \"indices\""));
        };
        // Version 3 calls it nlevels, version 4 levels.
        let older = params.integer("nlevels", 0..=16)?;
        let levels = params.integer("levels", 0..=16)?.or(older).unwrap_or(3);
        params.ignore(&["scheme"]);
        self.spend(params, indices.len() as u64 * 4u64.pow(levels))?;
        let mesh = subdivide(&positions, &indices, levels);
        if mesh.positions.iter().flatten().any(|x| !x.is_finite()) {
            return Err(params.error("the points of this loopsubdiv shape are too large"));
        }
        Ok(mesh)
    }
}

/// Refines `levels` times and moves the vertices to the limit surface. Each triangle becomes four,
/// in the order corner, corner, corner, middle.
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

/// An edge with the corners opposite to it.
struct Edge {
    ends: [u32; 2],
    /// Corners of the two triangles, or none for a crease.
    opposite: Option<[u32; 2]>,
}

/// Who is next to whom.
struct Topology {
    edges: Vec<Edge>,
    /// Edge k of triangle t, from corner k to the next, is `edges[of_triangle[t][k]]`.
    of_triangle: Vec<[u32; 3]>,
    /// Neighbours along edges, for vertex v in `neighbours[start[v]..start[v + 1]]`.
    neighbours: Vec<u32>,
    start: Vec<u32>,
    /// The other ends of creases at each vertex, if there are exactly two; `None` inside.
    creases: Vec<Crease>,
}

#[derive(Clone, Copy, PartialEq)]
enum Crease {
    None,
    One(u32),
    Two([u32; 2]),
    More,
}

impl Topology {
    fn new(vertices: usize, triangles: &[[u32; 3]]) -> Self {
        // Sorted by ends, so that the triangles of an edge are adjacent: (low, high, triangle, corner).
        let mut halves: Vec<(u32, u32, u32, u8)> = Vec::with_capacity(triangles.len() * 3);
        for (t, triangle) in triangles.iter().enumerate() {
            for k in 0..3 {
                let (a, b) = (triangle[k], triangle[(k + 1) % 3]);
                halves.push((a.min(b), a.max(b), t as u32, k as u8));
            }
        }
        halves.sort_unstable();
        let mut edges = Vec::with_capacity(halves.len() / 2);
        let mut of_triangle = vec![[0; 3]; triangles.len()];
        let corner = |half: &(u32, u32, u32, u8), i: u8| triangles[half.2 as usize][(half.3 + i) as usize % 3];
        for group in halves.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            for half in group {
                of_triangle[half.2 as usize][half.3 as usize] = edges.len() as u32;
            }
            let opposite = match group {
                [a, b] if corner(a, 0) != corner(b, 0) => Some([corner(a, 2), corner(b, 2)]),
                _ => None,
            };
            edges.push(Edge { ends: [group[0].0, group[0].1], opposite });
        }
        let mut start = vec![0u32; vertices + 1];
        let mut creases = vec![Crease::None; vertices];
        for edge in edges.iter().filter(|edge| edge.ends[0] != edge.ends[1]) {
            for (end, other) in [(0, 1), (1, 0)] {
                let vertex = edge.ends[end] as usize;
                start[vertex + 1] += 1;
                if edge.opposite.is_none() {
                    creases[vertex] = match creases[vertex] {
                        Crease::None => Crease::One(edge.ends[other]),
                        Crease::One(first) => Crease::Two([first, edge.ends[other]]),
                        _ => Crease::More,
                    };
                }
            }
        }
        for v in 0..vertices {
            start[v + 1] += start[v];
        }
        let mut fill = start.clone();
        let mut neighbours = vec![0; start[vertices] as usize];
        for edge in edges.iter().filter(|edge| edge.ends[0] != edge.ends[1]) {
            for (end, other) in [(0, 1), (1, 0)] {
                let slot = &mut fill[edge.ends[end] as usize];
                neighbours[*slot as usize] = edge.ends[other];
                *slot += 1;
            }
        }
        Self { edges, of_triangle, neighbours, start, creases }
    }

    fn ring(&self, vertex: usize) -> &[u32] {
        &self.neighbours[self.start[vertex] as usize..self.start[vertex + 1] as usize]
    }

    /// `1 - n weight` of the vertex and `weight` of each neighbour; on a crease of the two along it.
    fn weigh(&self, points: &[DVec3], vertex: usize, crease: f64, inside: impl Fn(f64) -> f64) -> DVec3 {
        let ring = match &self.creases[vertex] {
            Crease::None => self.ring(vertex),
            Crease::Two(pair) => pair.as_slice(),
            _ => return points[vertex],
        };
        if ring.is_empty() {
            return points[vertex];
        }
        let n = ring.len() as f64;
        let weight = if self.creases[vertex] == Crease::None { inside(n) } else { crease };
        let sum: DVec3 = ring.iter().map(|&i| points[i as usize]).sum();
        points[vertex] * (1.0 - n * weight) + sum * weight
    }

    fn limit(&self, points: &[DVec3], vertex: usize) -> DVec3 {
        self.weigh(points, vertex, 1.0 / 5.0, |n| 1.0 / (n + 3.0 / (8.0 * beta(n))))
    }

    /// Normals from the tangents of the limit surface, not normalised; where the triangles around a
    /// vertex form no fan, the sum of their own normals.
    fn normals(&self, points: &[DVec3], triangles: &[[u32; 3]]) -> Vec<DVec3> {
        // Triangles around each vertex: for a corner v of (v, a, b) the pair a, b.
        let mut first = vec![0u32; points.len() + 1];
        for &corner in triangles.iter().flatten() {
            first[corner as usize + 1] += 1;
        }
        for v in 0..points.len() {
            first[v + 1] += first[v];
        }
        let mut fill = first.clone();
        let mut pairs = vec![[0u32; 2]; triangles.len() * 3];
        for triangle in triangles {
            for k in 0..3 {
                let slot = &mut fill[triangle[k] as usize];
                pairs[*slot as usize] = [triangle[(k + 1) % 3], triangle[(k + 2) % 3]];
                *slot += 1;
            }
        }
        (0..points.len())
            .map(|v| {
                let around = &mut pairs[first[v] as usize..first[v + 1] as usize];
                match sort_fan(around) {
                    Some(true) => interior_normal(points, around),
                    Some(false) => boundary_normal(points, v, around),
                    None => {
                        let p = points[v];
                        around.iter().map(|&[a, b]| (points[b as usize] - p).cross(points[a as usize] - p)).sum()
                    }
                }
            })
            .collect()
    }
}

/// Weight of a neighbour of an inner vertex of `n` neighbours.
fn beta(n: f64) -> f64 {
    if n == 3.0 { 3.0 / 16.0 } else { 3.0 / (8.0 * n) }
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

/// Sorts the pairs around a vertex so that each ends where the next begins: `Some(true)` when they
/// close, `Some(false)` for an open fan, `None` when they are neither.
fn sort_fan(pairs: &mut [[u32; 2]]) -> Option<bool> {
    if pairs.is_empty() {
        return None;
    }
    // Sorted, so that a fan of a million triangles takes no million squared.
    pairs.sort_unstable();
    if pairs.windows(2).any(|two| two[0][0] == two[1][0]) {
        return None;
    }
    let after = |end: u32| pairs.binary_search_by_key(&end, |pair| pair[0]).ok();
    let mut is_next = vec![false; pairs.len()];
    for pair in pairs.iter() {
        if let Some(next) = after(pair[1]) {
            is_next[next] = true;
        }
    }
    // An open fan begins where nothing ends.
    let open = is_next.iter().position(|&next| !next);
    let mut chain = Vec::with_capacity(pairs.len());
    let mut at = open.unwrap_or(0);
    for _ in 0..pairs.len() {
        chain.push(pairs[at]);
        match after(pairs[at][1]) {
            Some(next) => at = next,
            None => break,
        }
    }
    let closed = chain[chain.len() - 1][1] == chain[0][0];
    // Two fans that meet in the vertex leave a chain too short, or one that runs round twice.
    let first_again = chain.iter().skip(1).any(|pair| pair[0] == chain[0][0]);
    if chain.len() < pairs.len() || first_again || closed != open.is_none() {
        return None;
    }
    pairs.copy_from_slice(&chain);
    Some(closed)
}

fn interior_normal(points: &[DVec3], fan: &[[u32; 2]]) -> DVec3 {
    let (mut s, mut t) = (DVec3::ZERO, DVec3::ZERO);
    for (j, pair) in fan.iter().enumerate() {
        let angle = TAU * j as f64 / fan.len() as f64;
        s += points[pair[0] as usize] * angle.cos();
        t += points[pair[0] as usize] * angle.sin();
    }
    // Clockwise, as pbrt walks.
    t.cross(s)
}

fn boundary_normal(points: &[DVec3], vertex: usize, fan: &[[u32; 2]]) -> DVec3 {
    let ring: Vec<DVec3> =
        fan.iter().map(|pair| pair[0]).chain([fan[fan.len() - 1][1]]).map(|i| points[i as usize]).collect();
    let n = ring.len();
    let p = points[vertex];
    let along = ring[n - 1] - ring[0];
    let across = match n {
        2 => ring[0] + ring[1] - p * 2.0,
        3 => ring[1] - p,
        4 => -ring[0] + ring[1] * 2.0 + ring[2] * 2.0 - ring[3] - p * 2.0,
        _ => {
            let theta = PI / (n - 1) as f64;
            let mut sum = (ring[0] + ring[n - 1]) * theta.sin();
            for (k, point) in ring.iter().enumerate().take(n - 1).skip(1) {
                sum += *point * ((2.0 * theta.cos() - 2.0) * (k as f64 * theta).sin());
            }
            -sum
        }
    };
    along.cross(across)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// A regular flat grid of equilateral triangles, lifted by `height`.
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
    fn fans_are_sorted_whole_or_not_at_all() {
        let check = |pairs: &[[u32; 2]], want: Option<bool>| {
            let mut sorted = pairs.to_vec();
            assert_eq!(sort_fan(&mut sorted), want, "{pairs:?}");
            if want.is_some() {
                assert!(sorted.windows(2).all(|two| two[0][1] == two[1][0]), "{sorted:?}");
            }
        };
        check(&[[3, 1], [1, 2], [2, 3]], Some(true));
        check(&[[2, 9], [7, 1], [1, 2]], Some(false));
        check(&[[1, 2]], Some(false));
        // Two loops, a loop and a fan, two fans, two triangles the same way round, nothing.
        check(&[[1, 2], [2, 1], [3, 4], [4, 3]], None);
        check(&[[1, 2], [2, 1], [3, 4]], None);
        check(&[[1, 2], [3, 4]], None);
        check(&[[1, 2], [1, 3]], None);
        check(&[[1, 2], [3, 2]], None);
        check(&[], None);
        // A big fan in a bad order.
        let n = 100_000;
        let mut fan: Vec<[u32; 2]> = (0..n).map(|i| [i, (i + 1) % n]).collect();
        fan.reverse();
        check(&fan, Some(true));
    }

    #[test]
    fn meshes_that_are_no_surface_do_no_harm() {
        let cases: [(&[[f32; 3]], &[[u32; 3]]); 5] = [
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
