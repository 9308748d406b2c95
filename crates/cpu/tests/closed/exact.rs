//! Where a ray crosses a closed mesh, decided without rounding.
//!
//! Signs of determinants of f32 coordinates: in f64 where the error bound allows, else as an exact sum
//! of floats that do not overlap (Shewchuk 1997, "Adaptive precision floating-point arithmetic").

use super::meshes::SplitMix64;
use raywarp_geom::Ray;

type P = [f32; 3];

/// The sign of `det(a - o, b - o, c - o)`: -1, 0 or 1.
pub fn orientation(o: &P, a: &P, b: &P, c: &P) -> i32 {
    let [x, y, z] = [a, b, c].map(|p| difference(p, o));
    if let Some(sign) = filtered(&x, &y, &z) {
        return sign;
    }
    // det(a - o, b - o, c - o) = det(a, b, c) - det(o, b, c) - det(a, o, c) - det(a, b, o).
    let mut sum = Sum::default();
    sum.add_determinant(a, b, c, 1.0);
    sum.add_determinant(o, b, c, -1.0);
    sum.add_determinant(a, o, c, -1.0);
    sum.add_determinant(a, b, o, -1.0);
    sum.sign()
}

/// The sign of `det(d, p - o, q - o)`: on which side of the line the edge from `p` to `q` passes.
pub fn side(ray: &Ray, p: &P, q: &P) -> i32 {
    let (o, d) = (&ray.origin, &ray.direction);
    if let Some(sign) = filtered(&d.map(f64::from), &difference(p, o), &difference(q, o)) {
        return sign;
    }
    // det(d, p - o, q - o) = det(d, p, q) - det(d, p, o) - det(d, o, q).
    let mut sum = Sum::default();
    sum.add_determinant(d, p, q, 1.0);
    sum.add_determinant(d, p, o, -1.0);
    sum.add_determinant(d, o, q, -1.0);
    sum.sign()
}

/// How a ray's line meets a triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Meeting {
    /// Not at all.
    Apart,
    /// Through its inside, before (false) or behind (true) the origin or at it.
    Crosses { behind: bool },
    /// Exactly through an edge or a vertex, or in its plane.
    Border,
}

/// Exactly how the line of `ray` meets a triangle.
pub fn meeting(ray: &Ray, [a, b, c]: &[P; 3]) -> Meeting {
    let mut sides = [side(ray, a, b), side(ray, b, c), 0];
    // Most triangles end here.
    if sides[0] * sides[1] < 0 {
        return Meeting::Apart;
    }
    sides[2] = side(ray, c, a);
    if sides.contains(&1) && sides.contains(&-1) {
        return Meeting::Apart;
    }
    if sides.contains(&0) {
        return Meeting::Border;
    }
    // t = det(a - o, b - o, c - o) / det(d, ...), whose sign is that of the sides.
    Meeting::Crosses { behind: orientation(&ray.origin, a, b, c) * sides[0] <= 0 }
}

/// Whether `point` is inside the closed mesh: the parity of crossings in a direction in which f64 can
/// tell every side; `None` if none of a few is so.
pub fn is_inside(triangles: &[[P; 3]], point: [f64; 3]) -> Option<bool> {
    (0..8).find_map(|i| {
        let i = f64::from(i);
        let d = [0.37 + 0.11 * i, 0.61 - 0.07 * i, 0.71 + 0.03 * i];
        let mut crossings = 0;
        for triangle in triangles {
            let [a, b, c] = triangle.map(|p| -> [f64; 3] { std::array::from_fn(|i| f64::from(p[i]) - point[i]) });
            let sides = [filtered(&d, &a, &b)?, filtered(&d, &b, &c)?, filtered(&d, &c, &a)?];
            if sides == [sides[0]; 3] {
                crossings += u32::from(filtered(&a, &b, &c)? == sides[0]);
            }
        }
        Some(crossings % 2 == 1)
    })
}

/// How often `point` is inside closed surfaces whose corners turn counter-clockwise as seen from outside: the crossings
/// of a ray from it, those outwards less those inwards, from every triangle and without rounding. `None` if each of
/// many rays passes an edge exactly, as those of a point on one do.
pub fn winding(triangles: &[[P; 3]], point: &P) -> Option<i32> {
    let mut random = SplitMix64(9);
    (0..64).find_map(|_| {
        let ray = Ray::new(*point, random.point());
        let crossing = |triangle: &[P; 3]| match meeting(&ray, triangle) {
            Meeting::Apart | Meeting::Crosses { behind: true } => Some(0),
            // The ray and the triangle's normal make one sign with each side.
            Meeting::Crosses { behind: false } => Some(side(&ray, &triangle[0], &triangle[1])),
            // What is a line or a point bounds nothing.
            Meeting::Border if is_line(triangle) => Some(0),
            Meeting::Border => None,
        };
        triangles.iter().map(crossing).sum()
    })
}

/// Whether a triangle has two equal corners.
fn is_line([a, b, c]: &[P; 3]) -> bool {
    a == b || b == c || c == a
}

fn difference(a: &P, b: &P) -> [f64; 3] {
    std::array::from_fn(|i| f64::from(a[i]) - f64::from(b[i]))
}

/// The sign of a determinant of three rows that are each within 2^-53 of themselves, if that is enough.
fn filtered(x: &[f64; 3], y: &[f64; 3], z: &[f64; 3]) -> Option<i32> {
    let (mut det, mut size) = (0.0, 0.0);
    for i in 0..3 {
        let (j, k) = ((i + 1) % 3, (i + 2) % 3);
        let (left, right) = (y[j] * z[k], y[k] * z[j]);
        det += x[i] * (left - right);
        size += x[i].abs() * (left.abs() + right.abs());
    }
    // Three differences, three products and three sums: fewer than 16 roundings in any term.
    let error = 16.0 * f64::EPSILON * size;
    (det.abs() > error).then_some(if det > 0.0 { 1 } else { -1 })
}

/// An exact sum: floats that do not overlap, smallest first.
#[derive(Default)]
struct Sum(Vec<f64>);

impl Sum {
    /// Adds one float (Shewchuk's grow-expansion).
    fn add(&mut self, mut x: f64) {
        for part in &mut self.0 {
            let sum = x + *part;
            let b = sum - x;
            *part = (x - (sum - b)) + (*part - b);
            x = sum;
        }
        self.0.push(x);
    }

    /// Adds `factor * det(a, b, c)`; products of three f32 are two f64.
    fn add_determinant(&mut self, a: &P, b: &P, c: &P, factor: f64) {
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            for (b, c, sign) in [(b[j], c[k], factor), (b[k], c[j], -factor)] {
                let pair = sign * f64::from(b) * f64::from(c);
                let high = f64::from(a[i]) * pair;
                self.add(f64::from(a[i]).mul_add(pair, -high));
                self.add(high);
            }
        }
    }

    fn sign(&self) -> i32 {
        self.0.iter().rev().find(|&&x| x != 0.0).map_or(0, |&x| if x > 0.0 { 1 } else { -1 })
    }
}
