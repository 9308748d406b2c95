//! Whether a triangle and a box are apart: the separating axes of Akenine-Moeller 2001, in f64.
//!
//! The three axes of the box are compared in f32, exactly. Along the nine products of edges and axes, and along the
//! normal, shapes are apart if they are by more than the arithmetic rounds: so none that touch are taken to be apart.
//! With `u = 2^-53`, `R` the largest coordinate of the box and the edges relative to the first corner, and `E` that of
//! the edges, projections are off by less than `16 u E R`, and along the normal by less than `32 u E E R`; the bounds
//! are twice that.

use raywarp_geom::Aabb;

type Vec3 = [f64; 3];

/// Returns `true` if a triangle and a box, both with their borders, have no point in common; `false` also where they
/// are nearer to each other than f64 tells.
pub(super) fn are_separated(bounds: &Aabb, [a, b, c]: &[[f32; 3]; 3]) -> bool {
    for i in 0..3 {
        if a[i].min(b[i]).min(c[i]) > bounds.max[i] || a[i].max(b[i]).max(c[i]) < bounds.min[i] {
            return true;
        }
    }
    let from = |p: &[f32; 3]| -> Vec3 { std::array::from_fn(|i| f64::from(p[i]) - f64::from(a[i])) };
    let (low, high) = (from(&bounds.min), from(&bounds.max));
    let (second, third) = (from(b), from(c));
    let between: Vec3 = std::array::from_fn(|i| f64::from(c[i]) - f64::from(b[i]));
    let most = |all: &[Vec3]| all.iter().flatten().fold(0.0, |most: f64, x| most.max(x.abs()));
    let (edge, reach) = (most(&[second, third, between]), most(&[low, high, second, third]));
    let apart = |axis: Vec3, error: f64| {
        let dot = |p: Vec3| axis[0] * p[0] + axis[1] * p[1] + axis[2] * p[2];
        let (to_second, to_third) = (dot(second), dot(third));
        let nearest: Vec3 = std::array::from_fn(|i| if axis[i] > 0.0 { low[i] } else { high[i] });
        let farthest: Vec3 = std::array::from_fn(|i| if axis[i] > 0.0 { high[i] } else { low[i] });
        dot(nearest) - to_second.max(to_third).max(0.0) > error
            || to_second.min(to_third).min(0.0) - dot(farthest) > error
    };
    let error = 16.0 * f64::EPSILON * edge * reach;
    let by_edge =
        |[x, y, z]: Vec3| apart([0.0, -z, y], error) || apart([z, 0.0, -x], error) || apart([-y, x, 0.0], error);
    let normal = [
        second[1] * third[2] - second[2] * third[1],
        second[2] * third[0] - second[0] * third[2],
        second[0] * third[1] - second[1] * third[0],
    ];
    apart(normal, 2.0 * error * edge) || by_edge(second) || by_edge(third) || by_edge(between)
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
