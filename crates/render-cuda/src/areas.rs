//! The check for triangles that the kernels may miss: they test pairs of triangles, and decide no area, as a ray sees
//! it, that is not 2^-120 to 2^120. Kernels that answer rays trace such rays again; those that take whole paths do not,
//! and so leave such scenes to them.

use raywarp_geom::FlatTriangles;
use std::ops::RangeInclusive;

/// Range of doubled triangle areas, 2^-96 to 2^119, that the kernels' test decides for every ray, except rays within
/// 2^-24 of the triangle's plane. An area is the largest component of the cross product of two edges, at most that
/// which rays along an axis see; others see up to three times as much.
const SURE: RangeInclusive<f64> = 1.262_177_448_353_618_9e-29..=6.646_139_978_924_579e35;

/// Returns the number of triangles whose areas are outside [`SURE`], so that kernels may not decide them, with one such
/// area; `None` if there are none. Triangles without area do not count: no ray hits them, on a CPU neither.
pub(crate) fn unsure(triangles: &FlatTriangles) -> Option<(usize, f64)> {
    let areas = triangles.vertices.iter().map(doubled_area);
    let mut unsure = areas.filter(|area| *area != 0.0 && !SURE.contains(area));
    let first = unsure.next()?;
    Some((1 + unsure.count(), first))
}

/// Returns the largest component of the triangle's cross-product normal, whose length is twice the area. In f64, in
/// which products of differences are exact enough that a triangle without area has none.
fn doubled_area([a, b, c]: &[[f32; 3]; 3]) -> f64 {
    let edge = |p: &[f32; 3]| -> [f64; 3] { std::array::from_fn(|i| f64::from(p[i]) - f64::from(a[i])) };
    let (u, v) = (edge(b), edge(c));
    let normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    normal.into_iter().fold(0.0, |most, x| if x.abs() > most || x.is_nan() { x.abs() } else { most })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(vertices: &[[[f32; 3]; 3]]) -> Option<(usize, f64)> {
        unsure(&FlatTriangles::from_vertices(vertices.to_vec()))
    }

    #[test]
    fn triangles_that_pairs_may_not_decide_are_found_and_usual_ones_and_those_without_area_are_not() {
        let square = |size: f32| [[0.0; 3], [size, 0.0, 0.0], [0.0, size, size]];
        let sliver = |width: f32| [[0.5, 0.0, 0.0], [0.5, width, 0.0], [0.5, 0.0, 1.0]];
        let nothing = [[0.1, 0.2, 0.3], [0.2, 0.4, 0.6], [0.3, 0.6, 0.9]];
        let point = [[1e-20; 3]; 3];
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[square(1.0), square(1e-12), square(1e17), sliver(1e-25), point]), None);
        // A line as f32 has it may be none by a bit, but then one of a usual size.
        assert_eq!(of(&[nothing]), None);
        for (small, area) in [(square(1e-15), 1e-30), (sliver(1e-30), 1e-30), (square(1e18), 1e36)] {
            let (count, found) = of(&[square(1.0), small, point, small]).unwrap();
            assert!(count == 2 && (found / area - 1.0).abs() < 1e-6, "{count} {found}");
        }
        assert!(of(&[[[0.0; 3], [1.0, 0.0, 0.0], [0.0, f32::NAN, 0.0]]]).is_some());
    }
}
