//! Early split clipping: large triangles enter the builder as several smaller boxes.
//!
//! Source: Ernst and Greiner 2007, "Early split clipping for bounding volume hierarchies"; AL09 2
//! uses it. A box is cut in the middle of its longest axis, and each half shrinks around the part
//! of the triangle in it. Departure: the paper splits whatever exceeds a given area; here the
//! largest goes first until a given number of extra references is used up, which bounds memory for
//! any scene and needs no number that depends on it.

use crate::build::extra_references;
use crate::reference::Reference;
use glam::DVec3;
use rayon::prelude::*;
use raywarp_geom::{Aabb, FlatTriangles};
use std::collections::BinaryHeap;

/// Splits until `share` as many references have been added as there are triangles, or nothing is
/// worth it. `references` has one entry a triangle, in order; the new ones come after them.
///
/// The boxes of a triangle together cover it: each part's box is enlarged by a few roundings, so
/// that a ray which hits the triangle in floating point also meets the box.
pub(crate) fn split(references: &mut Vec<Reference>, triangles: &FlatTriangles, share: f32) {
    let budget = extra_references(references.len() as u64, share) as usize;
    let mut candidates: Vec<Candidate> = references
        .par_iter()
        .enumerate()
        .filter_map(|(i, reference)| Candidate::new(i as u32, &reference.bounds().aabb()))
        .collect();
    if budget == 0 {
        return;
    }
    if candidates.len() > budget {
        // No more than this many can ever be split, and those are among the first.
        candidates.select_nth_unstable_by(budget - 1, |a, b| b.cmp(a));
        candidates.truncate(budget);
    }
    references.reserve_exact(budget);
    let mut heap = BinaryHeap::from(candidates);
    let end = references.len() + budget;
    while references.len() < end
        && let Some(Candidate { index, .. }) = heap.pop()
    {
        let reference = references[index as usize];
        let primitive = reference.primitive();
        let triangle = &triangles.vertices[primitive as usize];
        let Some(parts) = halves(triangle, &reference.bounds().aabb()) else { continue };
        let added = references.len() as u32;
        references[index as usize] = Reference::new(&parts[0], primitive);
        references.push(Reference::new(&parts[1], primitive));
        heap.extend([(index, &parts[0]), (added, &parts[1])].iter().filter_map(|(i, b)| Candidate::new(*i, b)));
    }
}

/// A reference that may be split: the one of greatest `gain` goes first, of equal ones the lower.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    gain: f64,
    index: u32,
}

impl Candidate {
    /// `None` where a split cannot help.
    fn new(index: u32, cell: &Aabb) -> Option<Self> {
        let gain = half_area(cell);
        (gain > 0.0).then_some(Self { gain, index })
    }
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.gain.total_cmp(&other.gain).then(other.index.cmp(&self.index))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Candidate {}

fn half_area(cell: &Aabb) -> f64 {
    Reference::new(cell, 0).bounds().half_area()
}

/// The boxes around the parts of `triangle` in both halves of `cell`, or `None` when the cell
/// cannot be halved or would not shrink.
fn halves(triangle: &[[f32; 3]; 3], cell: &Aabb) -> Option<[Aabb; 2]> {
    let axis = Reference::new(cell, 0).bounds().longest_axis();
    let middle = cell.center()[axis];
    if !(cell.min[axis] < middle && middle < cell.max[axis]) {
        return None;
    }
    let part = Polygon::of(triangle).clipped_to(cell);
    let pad = 4.0 * f32::EPSILON * triangle.iter().flatten().fold(0.0f32, |max, x| max.max(x.abs()));
    let area = half_area(cell);
    let bounds = [true, false].map(|below| part.clipped(axis, f64::from(middle), below).bounds(pad).intersection(cell));
    bounds.iter().all(|b| !b.is_empty() && half_area(b) < area).then_some(bounds)
}

/// A convex polygon: a triangle cut by at most seven planes.
#[derive(Debug, Clone, Copy)]
struct Polygon {
    points: [DVec3; 10],
    count: usize,
}

impl Polygon {
    fn of(triangle: &[[f32; 3]; 3]) -> Self {
        let mut polygon = Self { points: [DVec3::ZERO; 10], count: 3 };
        for (point, vertex) in polygon.points.iter_mut().zip(triangle) {
            *point = vertex.map(f64::from).into();
        }
        polygon
    }

    /// The part inside a box, borders included.
    fn clipped_to(&self, cell: &Aabb) -> Self {
        (0..3).fold(*self, |polygon, axis| {
            let (min, max) = (f64::from(cell.min[axis]), f64::from(cell.max[axis]));
            polygon.clipped(axis, min, false).clipped(axis, max, true)
        })
    }

    /// The part on one side of a plane (Sutherland and Hodgman 1974), points on it included.
    fn clipped(&self, axis: usize, plane: f64, below: bool) -> Self {
        let inside = |p: &DVec3| if below { p[axis] <= plane } else { p[axis] >= plane };
        let mut clipped = Self { points: [DVec3::ZERO; 10], count: 0 };
        let mut push = |p: DVec3| {
            // A plane cuts a convex polygon twice at most; rounding may bring one cut more.
            if let Some(point) = clipped.points.get_mut(clipped.count) {
                *point = p;
                clipped.count += 1;
            }
        };
        for i in 0..self.count {
            let (p, q) = (self.points[i], self.points[(i + 1) % self.count]);
            if inside(&p) {
                push(p);
            }
            if inside(&p) != inside(&q) {
                let cut = p + (q - p) * ((plane - p[axis]) / (q[axis] - p[axis]));
                // Rounding must not move the point out of a plane that both ends lie in or behind:
                // a later cut there would take it away, and a part of the triangle with it.
                let mut cut = cut.clamp(p.min(q), p.max(q));
                cut[axis] = plane;
                push(cut);
            }
        }
        clipped
    }

    /// The box around the points, enlarged by `pad` and a rounding.
    fn bounds(&self, pad: f32) -> Aabb {
        let mut aabb = Aabb::EMPTY;
        for p in &self.points[..self.count] {
            for axis in 0..3 {
                let x = p[axis] as f32;
                aabb.min[axis] = aabb.min[axis].min((x - pad).next_down());
                aabb.max[axis] = aabb.max[axis].max((x + pad).next_up());
            }
        }
        aabb
    }
}
