//! Triangles that are one shape: parallelograms, disks and spheres as importers tessellate them.
//!
//! A shape is known by where its corners are and by nothing else, so what a light is sampled as and what rays hit are
//! one surface, whoever made the triangles.

use super::{DISK_SECTORS, LightKind, SPHERE_COLUMNS, SPHERE_ROWS, TriangleRecord, length};
use glam::Vec3;
use raywarp_sample::warp::sin_cos_turn;

/// Position and axes of a light's shape, with the meanings that they have for its [`LightKind`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shape {
    pub at: Vec3,
    pub u: Vec3,
    pub v: Vec3,
    pub w: Vec3,
}

/// Returns the shape of `kind` that is formed by `triangles`, of the right number; `None` if their corners don't fit.
/// Which materials they have is not asked.
pub(crate) fn shape(kind: LightKind, triangles: &[TriangleRecord]) -> Option<Shape> {
    if triangles.len() != kind.triangle_count() as usize {
        return None;
    }
    match kind {
        LightKind::Triangle => Some(triangle(&triangles[0])),
        LightKind::Parallelogram => parallelogram(&triangles[0], &triangles[1]),
        LightKind::Disk => disk(triangles),
        LightKind::Sphere => sphere(triangles),
        LightKind::Point | LightKind::Spot | LightKind::Directional | LightKind::Environment => None,
    }
}

/// Returns a single triangle as a light's shape.
pub(crate) fn triangle(triangle: &TriangleRecord) -> Shape {
    let [at, b, c] = triangle.points();
    Shape { at, u: b - at, v: c - at, w: triangle.front_normal() }
}

/// Returns the distance by which corners may be off for a shape of this extent and width, given the rounding of numbers
/// in files. `None` where that is no small part of the shape's smallest width.
fn tolerance(at: Vec3, extent: f32, width: f32) -> Option<f32> {
    let tolerance = 1e-5 * extent + 4.0 * f32::EPSILON * (at.abs().max_element() + extent);
    (tolerance <= 5e-4 * width).then_some(tolerance)
}

fn is_near(a: Vec3, b: Vec3, tolerance: f32) -> bool {
    (a - b).length() <= tolerance
}

fn parallelogram(first: &TriangleRecord, second: &TriangleRecord) -> Option<Shape> {
    let (own, other) = (first.points(), second.points());
    // Alone in its triangle is a corner that the other one lacks.
    let own_alone = (0..3).find(|&i| !other.contains(&own[i]))?;
    let other_alone = (0..3).find(|&i| !own.contains(&other[i]))?;
    let (b, c) = (own[(own_alone + 1) % 3], own[(own_alone + 2) % 3]);
    if !other.contains(&b) || !other.contains(&c) {
        return None;
    }
    let at = own[own_alone];
    let (u, v, w) = (b - at, c - at, first.front_normal());
    let extent = u.length() + v.length();
    let width = length(u.cross(v)) / extent;
    let tolerance = tolerance(at, extent, width)?;
    // Fronts on one side; the planes are one where the corners are.
    let holds = is_near(at + u + v, other[other_alone], tolerance) && w.dot(second.front_normal()) > 0.0;
    holds.then_some(Shape { at, u, v, w })
}

fn disk(triangles: &[TriangleRecord]) -> Option<Shape> {
    let rim = |i: u32| triangles[i as usize].points()[0];
    let at = 0.5 * (rim(0) + rim(DISK_SECTORS / 2));
    let (u, v) = (rim(0) - at, rim(DISK_SECTORS / 4) - at);
    let extent = u.length() + v.length();
    let tolerance = tolerance(at, extent, length(u.cross(v)) / extent)?;
    let place = |i: u32| {
        let (sin, cos) = sin_cos_turn((i % DISK_SECTORS) as f32 / DISK_SECTORS as f32);
        at + cos * u + sin * v
    };
    let w = triangles[0].front_normal();
    let is_sector = |i: u32| {
        let triangle = &triangles[i as usize];
        has_corners(triangle, [place(i), place(i + 1), at], tolerance) && w.dot(triangle.front_normal()) > 0.0
    };
    (0..DISK_SECTORS).all(is_sector).then_some(Shape { at, u, v, w })
}

/// Returns `true` if a triangle has these three corners within a tolerance, wound either way.
fn has_corners(triangle: &TriangleRecord, [a, b, c]: [Vec3; 3], tolerance: f32) -> bool {
    let [p, q, r] = triangle.points();
    let is = |x: Vec3, y: Vec3| is_near(p, a, tolerance) && is_near(q, x, tolerance) && is_near(r, y, tolerance);
    is(b, c) || is(c, b)
}

/// Returns the indices of the two triangles of a sphere's cell, counted from its first triangle; one index twice at the
/// poles.
#[inline]
pub(crate) fn cell_triangles(row: u32, column: u32) -> [u32; 2] {
    if row == 0 {
        return [column; 2];
    }
    let before = SPHERE_COLUMNS + (row - 1) * 2 * SPHERE_COLUMNS;
    if row == SPHERE_ROWS - 1 { [before + column; 2] } else { [before + 2 * column, before + 2 * column + 1] }
}

fn sphere(triangles: &[TriangleRecord]) -> Option<Shape> {
    let corner = |row: u32, column: u32| triangles[cell_triangles(row, column)[0] as usize].points()[0];
    let equator = |column: u32| corner(SPHERE_ROWS / 2, column);
    let at = 0.5 * (equator(0) + equator(SPHERE_COLUMNS / 2));
    let (u, v, w) = (equator(0) - at, equator(SPHERE_COLUMNS / 4) - at, at - corner(0, 0));
    let radius = u.length();
    let tolerance = tolerance(at, radius, radius)?;
    let is_round = [v.length() - radius, w.length() - radius].iter().all(|x| x.abs() <= tolerance)
        && [u.dot(v), v.dot(w), w.dot(u)].iter().all(|x| x.abs() <= tolerance * radius);
    if !is_round {
        return None;
    }
    let place = |row: u32, column: u32| {
        let (sin, cos) = sin_cos_turn(row as f32 / (2 * SPHERE_ROWS) as f32);
        let (y, x) = sin_cos_turn((column % SPHERE_COLUMNS) as f32 / SPHERE_COLUMNS as f32);
        at + sin * x * u + sin * y * v - cos * w
    };
    let is_cell = |row: u32, column: u32| {
        let (a, b) = (place(row, column), place(row, column + 1));
        let (c, d) = (place(row + 1, column + 1), place(row + 1, column));
        let [first, second] = cell_triangles(row, column).map(|i| &triangles[i as usize]);
        (row == 0 || has_corners(first, [a, b, c], tolerance))
            && (row == SPHERE_ROWS - 1 || has_corners(second, [a, c, d], tolerance))
    };
    let holds = (0..SPHERE_ROWS).all(|row| (0..SPHERE_COLUMNS).all(|column| is_cell(row, column)));
    holds.then_some(Shape { at, u, v, w })
}
