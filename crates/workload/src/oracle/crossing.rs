//! Crossings of a ray and a triangle in f64: where they meet, how far from an edge, and what rounding may do.

use super::Tolerance;
use crate::vector::{Vector, dot, sub, wide};
use raywarp_geom::Ray;

/// Ray in f64 coordinates in which it runs along the third axis. As in Woop, Benthin, Wald 2013: signs of the edge
/// functions of two triangles that share an edge are opposite, so the oracle has no gaps either.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line {
    origin: Vector,
    axes: [usize; 3],
    shear: [f64; 2],
    /// Reciprocal of the direction's largest component.
    inverse: f64,
}

impl Line {
    /// Makes the line of a ray; `None` for an invalid ray.
    pub fn new(ray: &Ray) -> Option<Self> {
        if !ray.is_valid() {
            return None;
        }
        let d = wide(ray.direction);
        let z = (0..3).fold(0, |z, i| if d[i].abs() > d[z].abs() { i } else { z });
        let axes = [(z + 1) % 3, (z + 2) % 3, z];
        Some(Self {
            origin: wide(ray.origin),
            axes,
            shear: [d[axes[0]] / d[z], d[axes[1]] / d[z]],
            inverse: 1.0 / d[z],
        })
    }

    /// Returns the line shifted perpendicular to itself by `by`, in its own two coordinates.
    pub fn moved(&self, by: [f64; 2]) -> Self {
        let mut line = *self;
        line.origin[self.axes[0]] += by[0];
        line.origin[self.axes[1]] += by[1];
        line
    }

    /// Returns a point in the line's coordinates: two across the line, and the ray parameter t.
    fn local(&self, p: Vector) -> Vector {
        let q = self.axes.map(|axis| p[axis] - self.origin[axis]);
        [q[0] - self.shear[0] * q[2], q[1] - self.shear[1] * q[2], q[2] * self.inverse]
    }
}

/// Crossing of a ray's line with the plane of a triangle, which it may pass outside of the triangle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Crossing {
    /// Ray parameter of the crossing; for a triangle seen edge-on the middle of its corners' t.
    pub t: f64,
    /// Distance from the crossing to the triangle's border, measured across the line; negative outside.
    pub inside: f64,
    /// `true` if the line sees the triangle edge-on, without area: exact arithmetic never hits it.
    pub flat: bool,
    corners: [Vector; 3],
    margin: [f64; 3],
    /// Least and greatest t that rounding may give, for each tolerance.
    range: [[f64; 2]; 3],
    /// Doubled area of the triangle as the line sees it; the errors of the three edge functions for each tolerance
    /// follow.
    area: f64,
    edge_errors: [[f64; 3]; 3],
    /// Distance to the border as in `inside`, but measured in the triangle's plane and times the cosine, as fast
    /// triangle tests err.
    inside_fast: f64,
}

impl Crossing {
    /// Computes the crossing of a line and a triangle; `None` when the line passes too far away for any tolerance.
    pub fn new(line: &Line, triangle: &[[f32; 3]; 3]) -> Option<Self> {
        let world = triangle.map(wide);
        let corners = world.map(|p| line.local(p));
        let largest = |p: Vector| p[0].abs().max(p[1].abs()).max(p[2].abs());
        let near = world.iter().fold(0.0, |m: f64, &p| m.max(largest(sub(p, line.origin))));
        let far = world.iter().fold(near.max(largest(line.origin)), |m, &p| m.max(largest(p)));
        let reach = far / 4096.0;
        let beyond = |axis: usize, sign: f64| corners.iter().all(|p| p[axis] * sign > reach);
        if beyond(0, 1.0) || beyond(0, -1.0) || beyond(1, 1.0) || beyond(1, -1.0) {
            return None;
        }
        let [a, b, c] = corners;
        let edges = [(c, b), (a, c), (b, a)];
        let functions = edges.map(|(p, q)| p[0] * q[1] - p[1] * q[0]);
        let products = edges.map(|(p, q)| (p[0] * q[1]).abs() + (p[1] * q[0]).abs());
        let det = functions[0] + functions[1] + functions[2];
        let flat = det.abs() <= f64::EPSILON * (products[0] + products[1] + products[2]);
        let side = if det < 0.0 { -1.0 } else { 1.0 };
        let outside = flat || functions.iter().any(|f| f * side < 0.0);

        let length = |p: Vector, q: Vector| (p[0] - q[0]).hypot(p[1] - q[1]);
        let inside = if outside {
            -edges.iter().map(|&(p, q)| distance_to_segment(p, q)).fold(f64::INFINITY, f64::min)
        } else {
            // An edge of no length across the line bounds nothing.
            (0..3)
                .filter(|&i| length(edges[i].0, edges[i].1) > 0.0)
                .fold(f64::INFINITY, |m, i| m.min(functions[i] * side / length(edges[i].0, edges[i].1)))
        };
        if inside < -reach {
            return None;
        }

        let spans = [sub(world[2], world[1]), sub(world[0], world[2]), sub(world[1], world[0])];
        let lengths = spans.map(|e| dot(e, e).sqrt());
        // The functions are doubled areas across the line: over an edge's length in space, they are the
        // distance in the triangle's plane times the cosine.
        let inside_fast = (0..3).fold(f64::INFINITY, |m, i| m.min(functions[i] * side / lengths[i]));
        let inside_fast = if flat { inside.max(inside_fast) } else { inside_fast };
        // The two longest edges' product over the doubled area is the sine of the sharpest corner inverted.
        let shortest = lengths[0].min(lengths[1]).min(lengths[2]);
        let product = lengths[0] * lengths[1] * lengths[2] / shortest;

        let hull = [a[2].min(b[2]).min(c[2]), a[2].max(b[2]).max(c[2])];
        let t = if flat {
            0.5 * (hull[0] + hull[1])
        } else {
            (functions[0] * a[2] + functions[1] * b[2] + functions[2] * c[2]) / det
        };
        let area = det.abs();
        let slack = Tolerance::SUM * hull[0].abs().max(hull[1].abs());
        let margin = Tolerance::ALL.map(|tolerance| tolerance.margin(near, far));
        let edge_errors = margin.map(|margin| {
            let taxi = |p: Vector| p[0].abs() + p[1].abs();
            std::array::from_fn(|i| margin * (taxi(edges[i].0) + taxi(edges[i].1)) + Tolerance::PRODUCT * products[i])
        });
        let range = Tolerance::ALL.map(|tolerance| {
            let error = match tolerance {
                Tolerance::Exact if flat => f64::INFINITY,
                Tolerance::Exact => return [t, t],
                Tolerance::Watertight => {
                    let errors: [f64; 3] = edge_errors[tolerance.index()];
                    (0..3).map(|i| errors[i] * (corners[i][2] - t).abs()).sum::<f64>() / area + slack
                }
                Tolerance::Fast => margin[tolerance.index()] * product * line.inverse.abs() / area,
            };
            // A NaN is 0 / 0: nothing is known.
            let error = if error.is_nan() { f64::INFINITY } else { error };
            match tolerance {
                Tolerance::Fast if !flat => [t - error, t + error],
                _ => [(t - error).max(hull[0] - slack), (t + error).min(hull[1] + slack)],
            }
        });
        Some(Self { t, inside, flat, corners, margin, range, area, edge_errors, inside_fast })
    }

    /// Returns `true` if exact arithmetic hits the triangle.
    pub fn is_hit(&self) -> bool {
        !self.flat && self.inside >= 0.0
    }

    /// Returns `true` if a test hits the triangle however it rounds within `tolerance`.
    pub fn surely_inside(&self, tolerance: Tolerance) -> bool {
        let margin = self.margin(tolerance);
        match tolerance {
            Tolerance::Exact => self.is_hit(),
            Tolerance::Watertight => !self.flat && self.inside > margin,
            Tolerance::Fast => !self.flat && self.inside_fast > margin && self.inside > margin,
        }
    }

    /// Returns `true` if a test may hit the triangle with some rounding within `tolerance`.
    pub fn maybe_inside(&self, tolerance: Tolerance) -> bool {
        let margin = self.margin(tolerance);
        match tolerance {
            Tolerance::Exact => self.is_hit(),
            Tolerance::Watertight => self.inside >= -margin,
            Tolerance::Fast => self.inside >= -margin || self.inside_fast >= -margin,
        }
    }

    /// Returns the distance from the triangle's border within which `tolerance` excuses an answer, in the units of
    /// `Crossing::border`.
    pub fn margin(&self, tolerance: Tolerance) -> f64 {
        self.margin[tolerance.index()]
    }

    /// Returns the distance of the crossing from the triangle's border, as `tolerance` measures it.
    pub fn border(&self, tolerance: Tolerance) -> f64 {
        match tolerance {
            Tolerance::Fast => self.inside.abs().min(self.inside_fast.abs()),
            _ => self.inside.abs(),
        }
    }

    /// Returns the least and the greatest t that rounding within `tolerance` may give.
    pub fn range(&self, tolerance: Tolerance) -> [f64; 2] {
        self.range[tolerance.index()]
    }

    /// Returns the interval of t that counts as agreement: [`Crossing::range`], widened to at least
    /// [`Tolerance::RELATIVE_T`].
    pub fn agreeing(&self, tolerance: Tolerance) -> [f64; 2] {
        let ([low, high], relative) = (self.range(tolerance), self.t.abs() * tolerance.relative_t());
        [low.min(self.t - relative), high.max(self.t + relative)]
    }

    /// Returns `true` if the weights `u` and `v` of a hit give a point of the triangle on the line, up to rounding.
    pub fn weights_agree(&self, u: f32, v: f32, tolerance: Tolerance) -> bool {
        if self.flat || !u.is_finite() || !v.is_finite() {
            return self.flat;
        }
        // Weights come from a division even where t is exact.
        let tolerance = if tolerance == Tolerance::Exact { Tolerance::Watertight } else { tolerance };
        let errors = self.edge_errors[tolerance.index()].map(|e| e / self.area);
        let (u, v) = (f64::from(u), f64::from(v));
        let weights = [1.0 - u - v, u, v];
        let total = errors[0] + errors[1] + errors[2] + Tolerance::SUM;
        let spread = self.corners.iter().fold(0.0, |m: f64, p| m.max(p[0].abs()).max(p[1].abs()));
        let off = |axis: usize| (0..3).map(|i| weights[i] * self.corners[i][axis]).sum::<f64>().abs();
        let allowed = 2.0 * total * spread + self.margin(tolerance);
        weights.iter().all(|&w| w >= -2.0 * total) && off(0) <= allowed && off(1) <= allowed
    }
}

/// Returns the distance, across the line, from the line to the segment from `p` to `q`.
fn distance_to_segment(p: Vector, q: Vector) -> f64 {
    let e = [q[0] - p[0], q[1] - p[1]];
    let squared = e[0] * e[0] + e[1] * e[1];
    let along = if squared > 0.0 { (-(p[0] * e[0] + p[1] * e[1]) / squared).clamp(0.0, 1.0) } else { 0.0 };
    (p[0] + along * e[0]).hypot(p[1] + along * e[1])
}
