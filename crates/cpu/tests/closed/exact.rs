//! Where a ray crosses a closed mesh, decided without rounding.

use super::meshes::SplitMix64;
use raywarp_geom::Ray;
use raywarp_geom::exact::{self, filtered, orientation};

type P = [f32; 3];

/// The sign of `det(d, p - o, q - o)`: on which side of the line the edge from `p` to `q` passes.
pub fn side(ray: &Ray, p: &P, q: &P) -> i32 {
    exact::side([&ray.origin, &ray.direction], p, q)
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
