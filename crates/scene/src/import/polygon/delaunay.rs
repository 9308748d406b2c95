//! Large polygons: a Delaunay triangulation that keeps the polygon's edges (the crate `spade`), of which the triangles
//! around which the polygon goes are taken.

use super::orientation;
use crate::each::Each;
use robust::Coord;
use spade::handles::{FixedFaceHandle, InnerTag};
use spade::{ConstrainedDelaunayTriangulation, Point2, Triangulation};
use std::collections::HashMap;

type Delaunay = ConstrainedDelaunayTriangulation<Point2<f64>>;

/// Triangulates a counter-clockwise polygon by a constrained Delaunay triangulation. The second value is `true` if the
/// polygon goes around any triangle twice or backwards; `None` where its edges cross. O(n log n).
pub(super) fn triangulate(points: &[Coord<f64>]) -> Option<(Vec<[usize; 3]>, bool)> {
    // Corners at one place are one vertex, called by the first of them.
    let mut known = HashMap::with_capacity(points.len());
    let (mut vertices, mut first) = (Vec::with_capacity(points.len()), Vec::with_capacity(points.len()));
    let mut vertex_of = Vec::with_capacity(points.len());
    let scale = scale(points);
    for (corner, point) in points.iter().enumerate() {
        let [x, y] = [point.x, point.y].each(|x| if (x * scale).abs() < TINY { 0.0 } else { x * scale });
        let point = Point2::new(x, y);
        let vertex = *known.entry([point.x.to_bits(), point.y.to_bits()]).or_insert_with(|| {
            vertices.push(point);
            first.push(corner);
            vertices.len() - 1
        });
        vertex_of.push(vertex);
    }
    let edges = || (0..points.len()).map(|i| [vertex_of[i], vertex_of[(i + 1) % points.len()]]).filter(|[a, b]| a != b);
    let mut crosses = false;
    let delaunay = Delaunay::try_bulk_load_cdt(vertices, edges().collect(), |_| crosses = true).ok()?;
    if crosses || delaunay.num_vertices() != first.len() {
        return None;
    }

    // How often the polygon goes along each edge, less how often back: nothing for the edges to a hole.
    let mut along = vec![0i32; delaunay.num_directed_edges()];
    for [from, to] in edges() {
        walk(&delaunay, from, to, &mut along)?;
    }
    // From the outside in: how often it goes around each face.
    let mut around: Vec<Option<i32>> = vec![None; delaunay.num_all_faces()];
    let mut open: Vec<FixedFaceHandle<InnerTag>> = Vec::new();
    let reach = |face: FixedFaceHandle<InnerTag>, times: i32, open: &mut Vec<_>, around: &mut Vec<Option<i32>>| {
        if around[face.index()].is_none() {
            around[face.index()] = Some(times);
            open.push(face);
        }
    };
    for edge in delaunay.directed_edges().filter(spade::handles::DirectedEdgeHandle::is_outer_edge) {
        if let Some(face) = edge.rev().face().as_inner() {
            reach(face.fix(), -along[edge.fix().index()], &mut open, &mut around);
        }
    }
    while let Some(face) = open.pop() {
        let times = around[face.index()].unwrap_or_default();
        for edge in delaunay.face(face).adjacent_edges() {
            if let Some(next) = edge.rev().face().as_inner() {
                reach(next.fix(), times - along[edge.fix().index()], &mut open, &mut around);
            }
        }
    }
    let mut triangles = Vec::with_capacity(points.len() - 2);
    let mut odd = false;
    for face in delaunay.inner_faces() {
        let times = around[face.fix().index()].unwrap_or_default();
        odd |= !(0..=1).contains(&times);
        if times != 0 {
            triangles.push(face.vertices().map(|vertex| first[vertex.fix().index()]));
        }
    }
    (triangles.len() <= points.len() - 2).then_some((triangles, odd))
}

/// Magnitude below which scaled coordinates count as 0, when the largest are near 1.
const TINY: f64 = 1e-40;

/// Returns the power of two that brings coordinates near 1, as the triangulation takes no very small numbers.
fn scale(points: &[Coord<f64>]) -> f64 {
    let largest = points.iter().fold(f64::MIN_POSITIVE, |most, p| most.max(p.x.abs()).max(p.y.abs()));
    let exponent = (largest.to_bits() >> 52) as i64 - 1023;
    f64::from_bits(((1023 - exponent).clamp(1, 2046) as u64) << 52)
}

/// Counts the polygon's edge from one vertex to another along the edges of the triangulation. It goes over the vertices
/// that lie on it; `None` where the triangulation does not have it.
fn walk(delaunay: &Delaunay, from: usize, to: usize, along: &mut [i32]) -> Option<()> {
    let handle = spade::handles::FixedVertexHandle::from_index;
    let coord = |p: Point2<f64>| Coord { x: p.x, y: p.y };
    let goal = coord(delaunay.vertex(handle(to)).position());
    let mut at = delaunay.vertex(handle(from));
    while at.fix().index() != to {
        let here = coord(at.position());
        let towards = |p: Coord<f64>| (p.x - here.x) * (goal.x - here.x) + (p.y - here.y) * (goal.y - here.y) > 0.0;
        let direct = delaunay.get_edge_from_neighbors(at.fix(), handle(to));
        let edge = direct.or_else(|| {
            at.out_edges().find(|edge| {
                let end = coord(edge.to().position());
                orientation(here, goal, end) == 0.0 && towards(end)
            })
        })?;
        along[edge.fix().index()] += 1;
        along[edge.rev().fix().index()] -= 1;
        at = edge.to();
    }
    Some(())
}
