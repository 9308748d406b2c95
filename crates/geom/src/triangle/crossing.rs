//! Which triangles a ray crosses, counted so that a closed mesh is crossed the right number of times.
//!
//! The watertight test decides exactly for sheared corners, which depend on the ray and the corner alone, and counts
//! edges as inside for both of their triangles. Here each point of the plane across the ray belongs to one of the
//! triangles that meet there: the ray's place in it is moved by an infinitely small `(e, e * e)`, which is on no edge
//! and no corner. So the triangles that a ray crosses are those of a closed polyhedron with corners that are somewhat
//! moved, and their signs add up to its winding number.
//!
//! The move decides where an edge function is zero. For the edge from `p` to `q` that is `p x q`, and moving the ray
//! changes it by `e (p_y - q_y) + e e (q_x - p_x)`.

use super::Watertight;

impl Watertight {
    /// Returns whether the ray's line crosses a triangle, and then whether through its front, where the corners turn
    /// counter-clockwise. Of the triangles that share an edge or a corner on the ray's line each counts as a half-open
    /// rule says, so that a line crosses a closed mesh as often through fronts as through backs. `None` also for a
    /// triangle that is a line or a point as the ray sees it.
    ///
    /// Where it returns `Some`, [`Watertight::test`] hits.
    pub fn crosses(&self, vertices: &[[f32; 3]; 3]) -> Option<bool> {
        let [a, b, c] = self.across(vertices);
        let sign = side(b, c);
        let crosses = sign != 0 && sign == side(c, a) && sign == side(a, b);
        // Of a ray along its longest axis the corners turn as the axes x and y do, seen from ahead.
        crosses.then_some((sign > 0) == (self.largest < 0.0))
    }
}

/// Returns on which side of the edge from `p` to `q` zero lies, moved a little; 0 only if they are the same.
fn side(p: [f64; 2], q: [f64; 2]) -> i32 {
    // Exact: products of two f32, and a difference keeps its sign.
    let exact = p[0] * q[1] - p[1] * q[0];
    let sign = |x: f64| i32::from(x > 0.0) - i32::from(x < 0.0);
    [sign(exact), sign(p[1] - q[1]), sign(q[0] - p[0])].into_iter().find(|&sign| sign != 0).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use crate::Ray;
    use crate::triangle::Watertight;

    /// The corners of a cube's triangles, from -1 to 1, fronts outwards.
    fn cube() -> Vec<[[f32; 3]; 3]> {
        let mut triangles = Vec::new();
        for axis in 0..3 {
            for side in [-1.0f32, 1.0] {
                let at = |u: f32, v: f32| {
                    let mut p = [0.0; 3];
                    (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (side, u, v);
                    p
                };
                let [a, b, c, d] = [at(-1.0, -1.0), at(1.0, -1.0), at(1.0, 1.0), at(-1.0, 1.0)];
                triangles.extend(if side > 0.0 { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] });
            }
        }
        triangles
    }

    #[test]
    fn a_line_through_corners_and_edges_enters_as_often_as_it_leaves() {
        let cube = cube();
        let steps = [-1.0f32, -0.5, 0.0, 0.5, 1.0];
        let points = || (0..125).map(|i| [steps[i % 5], steps[i / 5 % 5], steps[i / 25]]);
        let (mut inside, mut outside) = (0, 0);
        for from in points().map(|p| p.map(|x| 3.0 * x)) {
            for to in points() {
                let direction = [to[0] - from[0], to[1] - from[1], to[2] - from[2]];
                if direction == [0.0; 3] {
                    continue;
                }
                let ray = Watertight::new(&Ray::new(from, direction));
                let crossed: Vec<(bool, f32)> = cube
                    .iter()
                    .filter_map(|triangle| Some((ray.crosses(triangle)?, ray.test(triangle).expect("a hit")[0])))
                    .collect();
                let fronts = crossed.iter().filter(|crossed| crossed.0).count();
                assert_eq!(2 * fronts, crossed.len(), "{from:?} to {to:?}: {crossed:?}");
                // Ahead of a point within: one back more than fronts.
                let ahead = crossed.iter().filter(|crossed| crossed.1 > 0.0);
                let sum: i32 = ahead.map(|crossed| if crossed.0 { 1 } else { -1 }).sum();
                let far = from.iter().map(|x| x.abs()).fold(0.0, f32::max);
                if far != 1.0 {
                    assert_eq!(sum, if far < 1.0 { -1 } else { 0 }, "{from:?} to {to:?}: {crossed:?}");
                    *if far < 1.0 { &mut inside } else { &mut outside } += 1;
                }
            }
        }
        assert!(inside > 100 && outside > 10_000, "{inside} {outside}");
    }

    #[test]
    fn fronts_are_where_corners_turn_counter_clockwise() {
        let triangle = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let from = |z: f32| Watertight::new(&Ray::new([0.2, 0.3, z], [0.0, 0.0, -z])).crosses(&triangle);
        assert_eq!((from(1.0), from(-1.0)), (Some(true), Some(false)));
        let line = [[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [2.0, 2.0, 0.0]];
        assert_eq!(Watertight::new(&Ray::new([1.0, 1.0, 1.0], [0.0, 0.0, -1.0])).crosses(&line), None);
    }
}
