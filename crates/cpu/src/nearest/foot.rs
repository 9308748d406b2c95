//! The point of a triangle that is nearest to a point, in f64.
//!
//! # How exact
//! With `u = 2^-53` and `R` the largest coordinate difference between the point and a corner, the distance is off by
//! less than `64 u R`, whatever the triangle's shape. Differences of corners are rounded once. Within the plane the
//! point is taken to the line of the first edge before it is measured against the height over that edge, so that the
//! height of a needle, whose direction is uncertain by `u R / height`, is multiplied by what lies across the line and
//! not by what lies along it; the foot is then uncertain by `u R` where that matters for the distance.
//!
//! What is computed of an edge does not depend on which end comes first, so that two triangles that share an edge are
//! equally far, bit for bit, from all points that are nearest to it; ends are their corners' distances.

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
    #[inline]
    pub fn new(point: &[f32; 3], corners: &[[f32; 3]; 3]) -> Self {
        let wide = |p: &[f32; 3]| p.map(f64::from);
        let (point, [a, b, c]) = (wide(point), [wide(&corners[0]), wide(&corners[1]), wide(&corners[2])]);
        let (from_a, from_b, from_c) = (minus(a, point), minus(b, point), minus(c, point));
        let (edge, other) = (minus(b, a), minus(c, a));
        let inverse = 1.0 / dot(edge, edge);
        let (t, k) = (-dot(from_a, edge) * inverse, dot(other, edge) * inverse);
        let (across, height) = (along(from_a, t, edge), along(other, -k, edge));
        let s = -dot(across, height) / dot(height, height);
        let second = t - s * k;
        let first = 1.0 - s - second;
        // False where a triangle without area makes them NaN.
        if first >= 0.0 && second >= 0.0 && s >= 0.0 {
            return Self { offset: along(across, s, height), weights: [first, second, s] };
        }
        let (ab, [at_a, at_b]) = on_edge(from_a, from_b, edge);
        let (bc, [by_b, by_c]) = on_edge(from_b, from_c, minus(c, b));
        let (ca, [to_a, to_c]) = on_edge(from_a, from_c, other);
        let mut nearest = Self { offset: ab, weights: [at_a, at_b, 0.0] };
        if dot(bc, bc) < nearest.squared() {
            nearest = Self { offset: bc, weights: [0.0, by_b, by_c] };
        }
        if dot(ca, ca) < nearest.squared() {
            nearest = Self { offset: ca, weights: [to_a, 0.0, to_c] };
        }
        nearest
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
        // On an edge the weight of a face may come out as -0.
        [self.weights[1] as f32 + 0.0, self.weights[2] as f32 + 0.0]
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

/// Returns the point of an edge that is nearest to zero, and the weights of its ends; the edge goes from `a` to `b`.
/// Ends that change places give the same bits.
#[inline(always)]
fn on_edge(a: Vec3, b: Vec3, edge: Vec3) -> (Vec3, [f64; 2]) {
    let length = dot(edge, edge);
    if length == 0.0 {
        return (a, [1.0, 0.0]);
    }
    let inverse = 1.0 / length;
    let share = |x: f64| if x > 0.0 { x } else { 0.0 };
    let (of_a, of_b) = (share(dot(b, edge) * inverse), share(-dot(a, edge) * inverse));
    // They are 1 together but for rounding, which is more than all of them where the edge is too short to be seen from
    // here; beyond an end they are that end's alone.
    let sum = of_a + of_b;
    let (of_a, of_b) = if sum > 0.0 { (of_a / sum, of_b / sum) } else { (0.5, 0.5) };
    let point = |i: usize| of_a * a[i] + of_b * b[i];
    ([point(0), point(1), point(2)], [of_a, of_b])
}
