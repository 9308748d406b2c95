//! Whether a triangle and a box are apart, exactly: separating axes (Akenine-Moeller 2001), in f64 where that tells.
//!
//! The three axes of the box are compared in f32, exactly. Along the nine products of edges and axes, and along the
//! normal, shapes are apart if they are by more than the arithmetic rounds, and are not if they overlap by more. With
//! `u = 2^-53`, `R` the largest coordinate of the box and the edges relative to the first corner, and `E` that of the
//! edges, projections are off by less than `16 u E R`, and along the normal by less than `32 u E E R`; the bounds are
//! twice that. What is left is decided without rounding.

use raywarp_geom::Aabb;
use raywarp_geom::exact::{orientation, orientation_in_plane};

type Vec3 = [f64; 3];
type Point = [f32; 3];

/// Returns `true` if a triangle and a box, both with their borders, have no point in common.
pub(super) fn are_separated(bounds: &Aabb, corners: &[Point; 3]) -> bool {
    let [a, b, c] = corners;
    for i in 0..3 {
        if a[i].min(b[i]).min(c[i]) > bounds.max[i] || a[i].max(b[i]).max(c[i]) < bounds.min[i] {
            return true;
        }
    }
    let from = |p: &Point| -> Vec3 { std::array::from_fn(|i| f64::from(p[i]) - f64::from(a[i])) };
    let (low, high) = (from(&bounds.min), from(&bounds.max));
    let (second, third) = (from(b), from(c));
    let between: Vec3 = std::array::from_fn(|i| f64::from(c[i]) - f64::from(b[i]));
    let most = |all: &[Vec3]| all.iter().flatten().fold(0.0, |most: f64, x| most.max(x.abs()));
    let (edge, reach) = (most(&[second, third, between]), most(&[low, high, second, third]));
    // How far they are apart along an axis; negative where they overlap.
    let gap = |axis: Vec3| {
        let dot = |p: Vec3| axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2];
        let (to_second, to_third) = (dot(second), dot(third));
        let nearest: Vec3 = std::array::from_fn(|i| if axis[i] > 0.0 { low[i] } else { high[i] });
        let farthest: Vec3 = std::array::from_fn(|i| if axis[i] > 0.0 { high[i] } else { low[i] });
        let (above, below) = (to_second.max(to_third).max(0.0), to_second.min(to_third).min(0.0));
        (dot(nearest) - above).max(below - dot(farthest))
    };
    let error = 16.0 * f64::EPSILON * edge * reach;
    let normal = [
        second[1] * third[2] - second[2] * third[1],
        second[2] * third[0] - second[0] * third[2],
        second[0] * third[1] - second[1] * third[0],
    ];
    let along = gap(normal);
    if along > 2.0 * error * edge {
        return true;
    }
    let is_normal_sure = along < -2.0 * error * edge;
    // By edge and axis, which f64 leaves open.
    let mut open = [[false; 3]; 3];
    for ([x, y, z], open) in [second, between, third].into_iter().zip(&mut open) {
        for (axis, [p, q]) in [[-z, y], [z, -x], [-y, x]].into_iter().enumerate() {
            // A difference that is zero is so exactly. Along the axes of the box all is compared already.
            if p == 0.0 || q == 0.0 {
                continue;
            }
            let along = gap([[0.0, p, q], [p, 0.0, q], [p, q, 0.0]][axis]);
            if along > error {
                return true;
            }
            open[axis] = along >= -error;
        }
    }
    let is_open = !is_normal_sure || open.as_flattened().contains(&true);
    is_open && are_apart_exactly(bounds, corners, is_normal_sure, &open)
}

/// Returns whether there is a plane between a triangle and a box whose boxes touch, without rounding: through the
/// triangle, or one of its edges and along an axis, with all of the box strictly beside it and the triangle on it or on
/// its other side. If they are apart there is one. (Such planes are faces of the difference of both. Where box and
/// triangle are in one plane, and it has none, they are apart as seen along an axis that is not in that plane.) Edges
/// and axes are tried where `open` says so, the triangle's plane unless it is known to be none.
#[cold]
#[inline(never)]
fn are_apart_exactly(bounds: &Aabb, corners: &[Point; 3], is_normal_sure: bool, open: &[[bool; 3]; 3]) -> bool {
    let ends = [bounds.min, bounds.max];
    let [a, b, c] = corners;
    for (edge, [from, to, other]) in [[a, b, c], [b, c, a], [c, a, b]].into_iter().enumerate() {
        for axis in (0..3).filter(|&axis| open[edge][axis]) {
            let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
            let side = |p: [f32; 2]| orientation_in_plane([from[i], from[j]], [to[i], to[j]], p);
            let first = side([ends[0][i], ends[0][j]]);
            if first != 0
                && first * side([other[i], other[j]]) <= 0
                && [[0, 1], [1, 0], [1, 1]].iter().all(|&[p, q]| side([ends[p][i], ends[q][j]]) == first)
            {
                return true;
            }
        }
    }
    // A triangle across an axis is in a plane of a box, and one with equal corners has none.
    let is_flat = (0..3).any(|i| a[i] == b[i] && b[i] == c[i]) || a == b || b == c || c == a;
    if is_normal_sure || is_flat {
        return false;
    }
    let side = |corner: usize| orientation(a, b, c, &std::array::from_fn(|axis| ends[corner >> axis & 1][axis]));
    let first = side(0);
    // Each place once, of boxes that have no extent along an axis.
    let is_first = |corner: &usize| (0..3).all(|axis| corner >> axis & 1 == 0 || ends[0][axis] != ends[1][axis]);
    first != 0 && (1..8).filter(is_first).all(|corner| side(corner) == first)
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_testing::Random;

    const UNIT: Aabb = Aabb { min: [0.0; 3], max: [1.0; 3] };

    #[test]
    fn a_corner_an_edge_and_a_face_touch_and_a_step_beyond_they_do_not() {
        // Planes x + y + z = 3 through a corner, x + y = 2 through an edge, x = 1 along a face.
        let touching = [
            [[3.0, 0.0, 0.0], [0.0, 3.0, 0.0], [0.0, 0.0, 3.0f32]],
            [[2.0, 0.0, 0.5], [0.0, 2.0, 0.5], [1.0, 1.0, 7.0]],
            [[1.0, 0.0, 0.0], [1.0, 9.0, 0.0], [1.0, 0.0, 9.0]],
            [[-9.0, -9.0, 0.5], [9.0, -9.0, 0.5], [0.0, 9.0, 0.5]],
            [[1.0, 1.0, 1.0]; 3],
            [[1.5, 0.5, 0.5], [0.5, 1.5, 0.5], [1.5, 0.5, 0.5]],
        ];
        for corners in touching {
            assert!(!are_separated(&UNIT, &corners), "{corners:?}");
            let beyond = corners.map(|p| p.map(|x| if x == 0.5 { x } else { x * 1.000_001 }));
            let stays = corners[0][0] < 0.0;
            assert_eq!(are_separated(&UNIT, &beyond), !stays, "{beyond:?}");
        }
    }

    /// The separating axes in whole numbers: the box's, the normal, and the products.
    fn are_separated_in_whole_numbers([low, high]: [[i128; 3]; 2], corners: &[[i128; 3]; 3]) -> bool {
        let cross = |p: [i128; 3], q: [i128; 3]| {
            [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]]
        };
        let edges = [(0, 1), (1, 2), (2, 0)].map(|(i, j)| [0, 1, 2].map(|k| corners[j][k] - corners[i][k]));
        let units = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
        let products = edges.into_iter().flat_map(|edge| units.map(|unit| cross(edge, unit)));
        units.into_iter().chain([cross(edges[0], edges[1])]).chain(products).any(|axis| {
            let ends = |k: usize| [axis[k] * low[k], axis[k] * high[k]];
            let least: i128 = (0..3).map(|k| ends(k)[0].min(ends(k)[1])).sum();
            let most: i128 = (0..3).map(|k| ends(k)[0].max(ends(k)[1])).sum();
            let along = corners.map(|p| axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2]);
            along.iter().all(|&x| x < least) || along.iter().all(|&x| x > most)
        })
    }

    #[test]
    fn what_touches_is_told_exactly() {
        let mut random = Random::new(91);
        let (mut told, mut within) = ([0; 2], 0);
        for round in 0..60_000 {
            // From a lattice of a few points to corners so far from a small box that f64 rounds more than its size.
            let reach = [3, 30, 1 << 10, 1 << 23][round % 4];
            let number = |random: &mut Random, reach: i128| (random.signed() * (reach as f32 + 0.5)) as i128;
            let [a, mut b, mut c] = [(); 3].map(|()| [(); 3].map(|()| number(&mut random, reach)));
            let far = [0, 0, 4, 14][round % 4];
            [b, c] = [b, c].map(|p| p.map(|x| x << far));
            match round / 4 % 8 {
                // Needles and points.
                0 => c = std::array::from_fn(|k| b[k] + (b[k] - a[k]) * i128::from(far == 0)),
                1 if far == 0 => c = a,
                2 => b[round / 32 % 3] = a[round / 32 % 3],
                _ => {}
            }
            // Near an edge, or in the middle, but for what whole numbers leave.
            let (s, r) = (random.below(9) as i128, random.below(3) as i128);
            let at: [i128; 3] = std::array::from_fn(|k| a[k] + ((b[k] - a[k]) * s + (c[k] - a[k]) * r) / 8);
            let size = [0, 1, 2, 1 << 6][round / 8 % 4];
            let low: [i128; 3] = at.map(|x| x + number(&mut random, 2) - number(&mut random, size));
            let high = low.map(|x| x + number(&mut random, size).abs());
            // Whole numbers that f32 has.
            let rounded = |p: [i128; 3]| p.map(|x| (x as f32) as i128);
            let (corners, ends) = ([a, b, c].map(rounded), [low, high].map(rounded));
            let float = |p: [i128; 3]| p.map(|x| x as f32);
            let (bounds, floats) = (Aabb { min: float(ends[0]), max: float(ends[1]) }, corners.map(float));
            let want = are_separated_in_whole_numbers(ends, &corners);
            assert_eq!(are_separated(&bounds, &floats), want, "{bounds:?} {floats:?}");
            told[usize::from(want)] += 1;
            let is_beside =
                |k: usize| corners.iter().all(|p| p[k] < ends[0][k]) || corners.iter().all(|p| p[k] > ends[1][k]);
            if !(0..3).any(is_beside) {
                assert_eq!(are_apart_exactly(&bounds, &floats, false, &[[true; 3]; 3]), want, "{bounds:?} {floats:?}");
                within += usize::from(want);
            }
        }
        assert!(told[0] > 4_000 && within > 10_000, "{told:?} {within}");
    }

    #[test]
    fn what_is_nearer_to_an_edge_than_f64_tells_is_told() {
        // Of three Fibonacci numbers in a row, a b c, the point (a, b) is beside the line through (b, c) by 1 / |(b, c)|,
        // now right and now left. The third corner is so far that f64 rounds to more than that.
        let (mut a, mut b, far) = (1.0f32, 1.0, 2f32.powi(40));
        for n in 0..30 {
            let c = a + b;
            let right = if n % 2 == 0 { 1.0 } else { -1.0 };
            let triangle = [[0.0; 3], [b, c, 0.0], [-right * far, right * far, 0.0]];
            for shift in [-1.0, 0.0, 1.0] {
                let [x, y] = [a + right * shift, b];
                let bounds = Aabb::of_points(&[[x, y, -1e5], [x + right * 100.0, y - right * 100.0, 1e5]]);
                assert_eq!(are_separated(&bounds, &triangle), shift >= 0.0, "{n} {shift}");
                // Turned, so that each product with an edge is asked.
                let turned = |p: Point| [p[2], p[0], p[1]];
                let bounds = Aabb { min: turned(bounds.min), max: turned(bounds.max) };
                let [p, q, r] = triangle.map(turned);
                for corners in [[p, q, r], [r, p, q], [q, r, p]] {
                    assert_eq!(are_separated(&bounds, &corners), shift >= 0.0, "{n} {shift}");
                }
            }
            (a, b) = (b, c);
        }
    }
}
