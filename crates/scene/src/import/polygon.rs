//! Polygons to triangles.

use glam::{DVec2, DVec3};

/// Appends the `corners.len() - 2` triangles of a polygon: a fan from its first corner when it is
/// convex (or positions are not known), and otherwise by cutting ears off (Meisters 1975), seen along
/// its mean normal. Turning and corners are kept; a polygon that crosses itself gives some triangles.
///
/// Cutting is quadratic; polygons of more than [`MAX_EARS`] corners become fans.
pub(crate) fn triangulate(corners: &[u32], position: impl Fn(u32) -> Option<[f32; 3]>, out: &mut Vec<[u32; 3]>) {
    if corners.len() > 3
        && corners.len() <= MAX_EARS
        && let Some(points) = corners.iter().map(|&c| position(c)).collect::<Option<Vec<_>>>()
        && let Some(flat) = flatten(&points)
        && let Some(ears) = cut_ears(&flat)
    {
        out.extend(ears.into_iter().map(|ear| ear.map(|i| corners[i])));
        return;
    }
    out.extend((2..corners.len()).map(|i| [corners[0], corners[i - 1], corners[i]]));
}

/// The largest polygon that is looked at closely.
const MAX_EARS: usize = 1000;

/// The polygon in the plane across its mean normal (Newell), where it turns counter-clockwise;
/// `None` when it has no area.
fn flatten(points: &[[f32; 3]]) -> Option<Vec<DVec2>> {
    let points: Vec<DVec3> = points.iter().map(|p| DVec3::from(p.map(f64::from))).collect();
    let origin = points[0];
    let pairs = || points.iter().zip(points.iter().cycle().skip(1));
    let normal = pairs().fold(DVec3::ZERO, |n, (&a, &b)| n + (a - origin).cross(b - origin)).try_normalize()?;
    let x = normal.any_orthonormal_vector();
    let y = normal.cross(x);
    Some(points.iter().map(|&p| DVec2::new((p - origin).dot(x), (p - origin).dot(y))).collect())
}

/// Twice the area of a triangle; positive when it turns counter-clockwise.
fn area(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - a)
}

/// Triangles as positions in the polygon; `None` for a convex polygon, whose fan will do.
fn cut_ears(points: &[DVec2]) -> Option<Vec<[usize; 3]>> {
    let n = points.len();
    if (0..n).all(|i| area(points[i], points[(i + 1) % n], points[(i + 2) % n]) >= 0.0) {
        return None;
    }
    let mut left: Vec<usize> = (0..n).collect();
    let mut triangles = Vec::with_capacity(n - 2);
    while left.len() > 3 {
        let m = left.len();
        let corner = |i: usize| [left[(i + m - 1) % m], left[i], left[(i + 1) % m]];
        let is_ear = |&i: &usize| {
            let ear = corner(i);
            let [a, b, c] = ear.map(|k| points[k]);
            let inside = |p: DVec2| area(a, b, p) >= 0.0 && area(b, c, p) >= 0.0 && area(c, a, p) >= 0.0;
            let is_corner = |p: DVec2| p == a || p == b || p == c;
            area(a, b, c) > 0.0 && !left.iter().any(|&k| !is_corner(points[k]) && inside(points[k]))
        };
        // A polygon that crosses itself may have none: any corner will do then.
        let ear = (0..m).find(is_ear).unwrap_or(0);
        triangles.push(corner(ear));
        left.remove(ear);
    }
    triangles.push([left[0], left[1], left[2]]);
    Some(triangles)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Triangles of a polygon in the plane z = 1, and the area that they cover, all turned alike.
    fn check(points: &[[f32; 2]], want_area: f64) -> Vec<[u32; 3]> {
        let corners: Vec<u32> = (0..points.len() as u32).collect();
        let mut out = Vec::new();
        triangulate(&corners, |i| Some([points[i as usize][0], points[i as usize][1], 1.0]), &mut out);
        assert_eq!(out.len(), points.len() - 2);
        let at = |i: u32| DVec2::from(points[i as usize].map(f64::from));
        let areas: Vec<f64> = out.iter().map(|t| area(at(t[0]), at(t[1]), at(t[2])) / 2.0).collect();
        assert!((areas.iter().map(|a| a.abs()).sum::<f64>() - want_area).abs() < 1e-9, "{areas:?}");
        assert!((areas.iter().sum::<f64>().abs() - want_area).abs() < 1e-9, "{areas:?}");
        out
    }

    #[test]
    fn convex_polygons_become_fans_and_others_cover_their_area_once() {
        assert_eq!(check(&[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]], 2.0), [[0, 1, 2], [0, 2, 3]]);
        // An arrow whose fan from the first corner would leave it; an L; a comb, turned either way.
        check(&[[2.0, 1.0], [0.0, 2.0], [1.0, 1.0], [0.0, 0.0]], 1.0);
        check(&[[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [0.0, 2.0]], 3.0);
        let mut comb: Vec<[f32; 2]> = (0..9).map(|i| [i as f32, if i % 2 == 0 { 3.0 } else { 1.0 }]).collect();
        comb.extend([[8.0, 0.0], [0.0, 0.0]]);
        check(&comb, 16.0);
        comb.reverse();
        check(&comb, 16.0);
    }

    #[test]
    fn what_has_no_area_or_no_positions_becomes_a_fan() {
        let mut out = Vec::new();
        triangulate(&[4, 5, 6, 7], |_| Some([1.0; 3]), &mut out);
        triangulate(&[4, 5, 6, 7], |_| None, &mut out);
        assert_eq!(out, [[4, 5, 6], [4, 6, 7], [4, 5, 6], [4, 6, 7]]);
        out.clear();
        triangulate(&[1, 2], |_| None, &mut out);
        assert!(out.is_empty());
        triangulate(&[], |_| None, &mut out);
        assert!(out.is_empty());
    }
}
