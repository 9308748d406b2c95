//! Triangulation of polygons, once all positions are known: the one place for every format.
//!
//! A polygon of n corners becomes n - 2 triangles of its own corners, which turn as it does. A convex one is a fan from
//! its first corner. From any other, ears are cut off (Meisters 1975), and one of more than [`MAX_EARS`] corners is
//! triangulated by a Delaunay triangulation that keeps its edges. Both ask exact predicates, so that no rounding makes
//! a triangle which is not in the polygon. Holes that are joined to the outside by a pair of edges (keyholes) stay
//! holes.
//!
//! A flat polygon is looked at along the axis that is nearest to its normal, where coordinates stay as they are. One
//! that is not flat is projected along its mean normal (Newell). One that crosses itself has no triangles that would be
//! right: it is cut at corners that turn inwards as they come, with the ears of what is not crossed first, and a
//! warning counts it.

mod delaunay;
mod ears;
#[cfg(test)]
mod tests;

use crate::WarningKind;
use crate::each::Each;
use glam::DVec3;
use robust::Coord;

/// Largest number of corners of a polygon that is triangulated by cutting ears, in quadratic time.
const MAX_EARS: usize = 1000;

/// Polygons of a mesh that await triangulation until all positions are known, with statistics of those that cross
/// themselves.
#[derive(Debug, Default)]
pub(crate) struct Polygons {
    waiting: Vec<Waiting>,
    crossing: usize,
    first: Option<u64>,
}

/// Polygon that is divided as a fan for now, until all its positions are known.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    /// Index of the polygon's first triangle.
    start: usize,
    corners: usize,
    line: u64,
}

impl Polygons {
    /// Appends a polygon's triangles to `out`; if a position is not known yet, a fan that [`Polygons::finish`]
    /// replaces. `line` is where the polygon stands, for a warning.
    #[inline]
    pub fn push(
        &mut self,
        corners: &[u32],
        position: impl Fn(u32) -> Option<[f32; 3]>,
        line: u64,
        out: &mut Vec<[u32; 3]>,
    ) {
        let start = out.len();
        out.extend((2..corners.len()).map(|i| [corners[0], corners[i - 1], corners[i]]));
        if corners.len() <= 3 {
            return;
        }
        if let &[a, b, c, d] = corners
            && let (Some(a), Some(b), Some(c), Some(d)) = (position(a), position(b), position(c), position(d))
            && is_convex_quad([a, b, c, d])
        {
            return;
        }
        match corners.iter().map(|&corner| position(corner)).collect::<Option<Vec<_>>>() {
            Some(points) => self.cut(&points, line, &mut out[start..]),
            None => self.waiting.push(Waiting { start, corners: corners.len(), line }),
        }
    }

    /// Triangulates the waiting polygons in place; `out` is the list to which all triangles were appended.
    pub fn finish(&mut self, position: impl Fn(u32) -> [f32; 3], out: &mut [[u32; 3]]) {
        for Waiting { start, corners, line } in std::mem::take(&mut self.waiting) {
            let fan = &mut out[start..start + corners - 2];
            let points: Vec<_> = fan_corners(fan).map(&position).collect();
            self.cut(&points, line, fan);
        }
    }

    /// Adds the polygons of another list whose triangles were appended behind the first `triangles` of this one.
    pub fn append(&mut self, other: Self, triangles: usize) {
        let moved = |polygon: Waiting| Waiting { start: polygon.start + triangles, ..polygon };
        self.waiting.extend(other.waiting.into_iter().map(moved));
        self.crossing += other.crossing;
        self.first = self.first.into_iter().chain(other.first).min();
    }

    /// Returns a warning about polygons that cross themselves, with the line of the first; `None` if there are none.
    pub fn warning(&self) -> Option<(u64, WarningKind)> {
        self.first.map(|line| (line, WarningKind::CrossingPolygons { count: self.crossing }))
    }

    /// Counts a polygon that crosses itself, at line `line`.
    fn note_crossing(&mut self, line: u64) {
        self.crossing += 1;
        self.first = Some(self.first.map_or(line, |first| first.min(line)));
    }

    /// Replaces a polygon's fan by its true triangulation.
    fn cut(&mut self, points: &[[f32; 3]], line: u64, fan: &mut [[u32; 3]]) {
        let Some(flat) = flatten(points) else {
            // As much of it turns one way as the other.
            if has_triangle(points) {
                self.note_crossing(line);
            }
            return;
        };
        if is_convex(&flat) {
            return;
        }
        let (triangles, crosses) = triangulate(&flat);
        if crosses {
            self.note_crossing(line);
        }
        let corners: Vec<u32> = fan_corners(fan).collect();
        // A Delaunay triangulation of corners at one place has fewer: the rest are points.
        fan.fill([corners[0]; 3]);
        for (slot, triangle) in fan.iter_mut().zip(triangles) {
            *slot = triangle.each(|i| corners[i]);
        }
    }
}

/// Returns `true` if any triangle of a polygon's fan has an area, beyond what rounding makes of corners on a line.
fn has_triangle(points: &[[f32; 3]]) -> bool {
    let from = |p: &[f32; 3]| DVec3::from(p.each(f64::from)) - DVec3::from(points[0].each(f64::from));
    points.windows(2).any(|pair| {
        let (a, b) = (from(&pair[0]), from(&pair[1]));
        a.cross(b).length() > FLAT * a.length_squared().max(b.length_squared())
    })
}

/// Triangulates a counter-clockwise polygon into at most n - 2 triangles; returns `true` if it crosses itself.
fn triangulate(points: &[Coord<f64>]) -> (Vec<[usize; 3]>, bool) {
    if points.len() <= MAX_EARS {
        return ears::cut(points);
    }
    delaunay::triangulate(points).unwrap_or_else(|| (ears::scan(points), true))
}

/// Returns the corners of the polygon that was divided into this fan.
fn fan_corners(fan: &[[u32; 3]]) -> impl Iterator<Item = u32> {
    let first = fan.first().map(|&[a, b, _]| [a, b]);
    first.into_iter().flatten().chain(fan.iter().map(|triangle| triangle[2]))
}

/// Returns `true` if four corners are surely a convex quad, for which a fan is right: the usual case, decided fast.
#[inline]
fn is_convex_quad(corners: [[f32; 3]; 4]) -> bool {
    let [a, b, c, d] = corners.each(|p| DVec3::from(p.each(f64::from)));
    let (e, f) = (c - a, d - b);
    let normal = e.cross(f);
    let least = 1e-6 * normal.length_squared();
    let orientation = |u: DVec3, v: DVec3| u.cross(v).dot(normal) > least;
    orientation(b - a, e) && orientation(e, d - a) && orientation(c - b, f) && orientation(f, a - b)
}

/// Projects a polygon to a plane in which it is counter-clockwise; `None` when it has no area.
fn flatten(points: &[[f32; 3]]) -> Option<Vec<Coord<f64>>> {
    let origin = DVec3::from(points[0].each(f64::from));
    let point = |p: &[f32; 3]| DVec3::from(p.each(f64::from)) - origin;
    let pairs = points.iter().zip(points.iter().cycle().skip(1));
    let normal = pairs.fold(DVec3::ZERO, |n, (a, b)| n + point(a).cross(point(b))).try_normalize()?;
    let (mut height, mut extent) = (0f64, 0f64);
    for p in points.iter().map(point) {
        height = height.max(p.dot(normal).abs());
        extent = extent.max(p.abs().max_element());
    }
    let coord = |x: f64, y: f64| Coord { x: x + 0.0, y: y + 0.0 };
    if height <= FLAT * extent {
        let size = normal.abs();
        let axis = if size.x >= size.y && size.x >= size.z { 0 } else { 1 + usize::from(size.z > size.y) };
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let (u, v) = if normal[axis] > 0.0 { (u, v) } else { (v, u) };
        return Some(points.iter().map(|p| coord(f64::from(p[u]), f64::from(p[v]))).collect());
    }
    let x = normal.any_orthonormal_vector();
    let y = normal.cross(x);
    Some(points.iter().map(point).map(|p| coord(p.dot(x), p.dot(y))).collect())
}

/// Relative distance of corners from a polygon's plane, as a share of its extent, up to which it counts as flat. That
/// is as far as rounding to f32 moves them.
const FLAT: f64 = 1e-5;

/// Returns a positive number if three corners are counter-clockwise, and 0 if they are on a line: exact.
fn orientation(a: Coord<f64>, b: Coord<f64>, c: Coord<f64>) -> f64 {
    robust::orient2d(a, b, c)
}

/// Returns `true` if the polygon is convex: every corner turns inwards or is straight, and it goes around once.
fn is_convex(points: &[Coord<f64>]) -> bool {
    let n = points.len();
    let first = points[0];
    // All around once: every corner lies left of the first edge that has a length, and the fan turns one way.
    let second = points.iter().copied().find(|&p| p != first).unwrap_or(first);
    (0..n).all(|i| orientation(points[i], points[(i + 1) % n], points[(i + 2) % n]) >= 0.0)
        && (2..n).all(|i| {
            orientation(first, points[i - 1], points[i]) >= 0.0 && orientation(first, second, points[i]) >= 0.0
        })
}
