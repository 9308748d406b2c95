//! Ears: corners of a polygon that are triangles of their own.

use super::orientation;
use crate::each::Each;
use robust::Coord;

/// Value for a corner that is not known to be blocked.
const FREE: u32 = u32::MAX;
/// Value for a reflex corner, which cannot be an ear.
const REFLEX: u32 = u32::MAX - 1;

/// Part of an ear (triangle at a corner) that must be free of other corners.
#[derive(Clone, Copy, PartialEq)]
enum Rule {
    /// The whole triangle with its edges must be free.
    Closed,
    /// The inside and the third edge must be free; other corners may touch the two edges of the polygon.
    Touched,
}

/// Remaining polygon while ears are cut off.
struct Rest<'a> {
    points: &'a [Coord<f64>],
    /// Indices of the remaining corners, in order.
    left: Vec<u32>,
    is_left: Vec<bool>,
    /// State of each corner since its neighbours changed: another corner inside its ear, [`REFLEX`] or [`FREE`].
    blocked: Vec<u32>,
}

/// Triangulates a counter-clockwise polygon by cutting off ears, each time the first; returns `true` if it crosses
/// itself.
pub(super) fn cut(points: &[Coord<f64>]) -> (Vec<[usize; 3]>, bool) {
    let n = points.len();
    let mut rest = Rest { points, left: (0..n as u32).collect(), is_left: vec![true; n], blocked: vec![FREE; n] };
    let mut crosses = crosses_itself(points);
    let mut triangles = Vec::with_capacity(n - 2);
    while rest.left.len() > 3 {
        let places = 0..rest.left.len();
        let ear = places.clone().find(|&i| rest.is_ear(i, Rule::Closed));
        let ear = ear.or_else(|| places.clone().find(|&i| rest.is_needle(i)));
        let ear = ear.or_else(|| places.clone().find(|&i| rest.is_ear(i, Rule::Touched)));
        let ear = ear.unwrap_or_else(|| {
            let inwards = places.clone().find(|&i| rest.orientation(i) > 0.0);
            // Without a corner that turns, what is left is a line.
            crosses |= inwards.is_some() || places.clone().any(|i| rest.orientation(i) < 0.0);
            inwards.unwrap_or(0)
        });
        triangles.push(rest.corner(ear).each(|i| i as usize));
        rest.remove(ear);
    }
    triangles.push([0, 1, 2].each(|i| rest.left[i] as usize));
    (triangles, crosses)
}

/// Triangulates a polygon in linear time by cutting convex corners as they come, whatever lies in them.
pub(super) fn scan(points: &[Coord<f64>]) -> Vec<[usize; 3]> {
    let mut triangles = Vec::with_capacity(points.len() - 2);
    let mut open: Vec<usize> = Vec::new();
    for next in 0..points.len() {
        while let &[.., a, b] = open.as_slice()
            && orientation(points[a], points[b], points[next]) > 0.0
        {
            triangles.push([a, b, next]);
            open.pop();
        }
        open.push(next);
    }
    triangles.extend((2..open.len()).map(|i| [open[0], open[i - 1], open[i]]));
    triangles
}

impl Rest<'_> {
    fn point(&self, corner: u32) -> Coord<f64> {
        self.points[corner as usize]
    }

    /// Returns the corner at a position in the remaining polygon, between its neighbours.
    fn corner(&self, place: usize) -> [u32; 3] {
        let m = self.left.len();
        [self.left[(place + m - 1) % m], self.left[place], self.left[(place + 1) % m]]
    }

    fn orientation(&self, place: usize) -> f64 {
        let [a, b, c] = self.corner(place).each(|i| self.point(i));
        orientation(a, b, c)
    }

    fn remove(&mut self, place: usize) {
        let [before, corner, behind] = self.corner(place);
        self.left.remove(place);
        self.is_left[corner as usize] = false;
        self.blocked[before as usize] = FREE;
        self.blocked[behind as usize] = FREE;
    }

    /// Returns `true` if the two edges at a position lie on each other, or one has no length.
    fn is_needle(&self, place: usize) -> bool {
        let [a, b, c] = self.corner(place).each(|i| self.point(i));
        orientation(a, b, c) == 0.0 && (a.x - b.x) * (c.x - b.x) + (a.y - b.y) * (c.y - b.y) >= 0.0
    }

    fn is_ear(&mut self, place: usize, rule: Rule) -> bool {
        let corner = self.left[place] as usize;
        let known = self.blocked[corner];
        if known == REFLEX || (rule == Rule::Closed && self.is_left.get(known as usize) == Some(&true)) {
            return false;
        }
        if self.orientation(place) <= 0.0 {
            self.blocked[corner] = REFLEX;
            return false;
        }
        let ear = self.corner(place);
        let triangle = ear.each(|i| self.point(i));
        for at in 0..self.left.len() {
            let other = self.left[at];
            if ear.contains(&other) {
                continue;
            }
            let p = self.point(other);
            if let Some(at_corner) = triangle.iter().position(|&q| q == p) {
                // At the same place as a corner: what matters is whether the polygon goes into the ear from here.
                let [before, _, behind] = self.corner(at).each(|i| self.point(i));
                let [a, b, c] = [0, 1, 2].each(|i| triangle[(at_corner + i) % 3]);
                let goes_in = |q: Coord<f64>| orientation(a, b, q) > 0.0 && orientation(c, a, q) > 0.0;
                // Or it comes back along both edges of the ear, so that there is nothing between.
                let along = |q: Coord<f64>, end: Coord<f64>| {
                    orientation(a, end, q) == 0.0 && (end.x - a.x) * (q.x - a.x) + (end.y - a.y) * (q.y - a.y) > 0.0
                };
                if goes_in(before) || goes_in(behind) || (along(before, b) && along(behind, c)) {
                    return false;
                }
                continue;
            }
            let [a, b, c] = triangle;
            let [ab, bc, ca] = [orientation(a, b, p), orientation(b, c, p), orientation(c, a, p)];
            let inside = match rule {
                Rule::Closed => ab >= 0.0 && bc >= 0.0 && ca >= 0.0,
                Rule::Touched => ab > 0.0 && bc > 0.0 && ca >= 0.0,
            };
            if inside {
                if rule == Rule::Closed {
                    self.blocked[corner] = other;
                }
                return false;
            }
        }
        true
    }
}

/// Returns `true` if two edges of the polygon cross at an inner point of both.
fn crosses_itself(points: &[Coord<f64>]) -> bool {
    let n = points.len();
    let edge = |i: usize| (points[i], points[(i + 1) % n]);
    (0..n).any(|i| {
        let (a, b) = edge(i);
        let (low, high) = ([a.x.min(b.x), a.y.min(b.y)], [a.x.max(b.x), a.y.max(b.y)]);
        (i + 2..n).any(|j| {
            let (c, d) = edge(j);
            let apart =
                c.x.max(d.x) < low[0] || c.x.min(d.x) > high[0] || c.y.max(d.y) < low[1] || c.y.min(d.y) > high[1];
            let opposite = |x: f64, y: f64| (x > 0.0 && y < 0.0) || (x < 0.0 && y > 0.0);
            !apart
                && opposite(orientation(a, b, c), orientation(a, b, d))
                && opposite(orientation(c, d, a), orientation(c, d, b))
        })
    })
}
