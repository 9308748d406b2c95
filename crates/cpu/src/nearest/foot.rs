//! The point of a triangle that is nearest to a point, in f64.
//!
//! # How exact
//! With `u = 2^-53` and `R` the largest coordinate difference between the point and a corner, the distance is off by
//! less than `64 u R`, whatever the triangle's shape. Differences of corners are rounded once. Within the plane the
//! point is taken to the line of the first edge before it is measured against the height over that edge, so that the
//! height of a needle, whose direction is uncertain by `u R / height`, is multiplied by what lies across the line and
//! not by what lies along it; the foot is then uncertain by `u R` where that matters for the distance.
//!
//! Edges are taken from the lower to the higher end, so that two triangles that share an edge are equally far, bit for
//! bit, from all points that are nearest to it; ends are their corners' distances.

use super::found::Feature;

type Vec3 = [f64; 3];

/// Nearest point of a triangle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Foot {
    /// From the point that asks to the nearest one.
    offset: Vec3,
    /// Weights of the corners.
    weights: Vec3,
}

fn minus(a: Vec3, b: Vec3) -> Vec3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn dot(a: Vec3, b: Vec3) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Returns `a + t * b`.
fn along(a: Vec3, t: f64, b: Vec3) -> Vec3 {
    [a[0] + t * b[0], a[1] + t * b[1], a[2] + t * b[2]]
}

impl Foot {
    /// Finds the point of a triangle that is nearest to `point`.
    pub fn new(point: &[f32; 3], corners: &[[f32; 3]; 3]) -> Self {
        let wide = |p: &[f32; 3]| p.map(f64::from);
        let (point, [a, b, c]) = (wide(point), [wide(&corners[0]), wide(&corners[1]), wide(&corners[2])]);
        let from = [minus(a, point), minus(b, point), minus(c, point)];
        let (edge, other) = (minus(b, a), minus(c, a));
        let length = dot(edge, edge);
        let (t, k) = (-dot(from[0], edge) / length, dot(other, edge) / length);
        let (across, height) = (along(from[0], t, edge), along(other, -k, edge));
        let s = -dot(across, height) / dot(height, height);
        let second = t - s * k;
        let first = 1.0 - s - second;
        // False where a triangle without area makes them NaN.
        if first >= 0.0 && second >= 0.0 && s >= 0.0 {
            return Self { offset: along(across, s, height), weights: [first, second, s] };
        }
        let corners = [a, b, c];
        let on_edge = |i: usize| Self::on_edge(i, &corners, &from);
        let nearer = |one: Self, two: Self| if two.squared() < one.squared() { two } else { one };
        nearer(nearer(on_edge(0), on_edge(1)), on_edge(2))
    }

    /// Finds the nearest point of the edge from corner `i` to the next; `from` has the corners relative to the point.
    fn on_edge(i: usize, corners: &[Vec3; 3], from: &[Vec3; 3]) -> Self {
        let (mut i, mut j) = (i, (i + 1) % 3);
        if corners[j] < corners[i] {
            (i, j) = (j, i);
        }
        let edge = minus(corners[j], corners[i]);
        let t = -dot(from[i], edge) / dot(edge, edge);
        let mut weights = [0.0; 3];
        let offset = if t >= 1.0 {
            weights[j] = 1.0;
            from[j]
        } else if t > 0.0 {
            (weights[i], weights[j]) = (1.0 - t, t);
            along(from[i], t, edge)
        } else {
            // Also where an edge has no length.
            weights[i] = 1.0;
            from[i]
        };
        Self { offset, weights }
    }

    fn squared(&self) -> f64 {
        dot(self.offset, self.offset)
    }

    /// Returns the distance.
    pub fn distance(&self) -> f64 {
        self.squared().sqrt()
    }

    /// Returns the nearest point of the triangle with these corners, rounded once. A corner is that corner.
    pub fn point(&self, corners: &[[f32; 3]; 3]) -> [f32; 3] {
        if let Feature::Vertex(i) = self.feature() {
            return corners[usize::from(i)];
        }
        let [a, b, c] = corners.map(|p| p.map(f64::from));
        let place = along(along(a, self.weights[1], minus(b, a)), self.weights[2], minus(c, a));
        place.map(|x| x as f32)
    }

    /// Returns the weights of the second and the third corner.
    pub fn uv(&self) -> [f32; 2] {
        [self.weights[1] as f32, self.weights[2] as f32]
    }

    /// Returns where on the triangle the point lies.
    pub fn feature(&self) -> Feature {
        let is_zero = self.weights.map(|weight| weight == 0.0);
        match is_zero {
            [false, true, true] => Feature::Vertex(0),
            [true, false, true] => Feature::Vertex(1),
            [true, true, false] => Feature::Vertex(2),
            [_, _, true] => Feature::Edge(0),
            [true, _, _] => Feature::Edge(1),
            [_, true, _] => Feature::Edge(2),
            _ => Feature::Face,
        }
    }
}
