//! The winding number of triangles, as a reader believes at sight.

/// Returns the winding number of triangles around a point, by the solid angle of each (van Oosterom and Strackee 1983).
/// O(n), in f64.
pub fn winding_by_angles(triangles: &[[[f32; 3]; 3]], point: [f32; 3]) -> f64 {
    let of = |corners: &[[f32; 3]; 3]| {
        let [a, b, c] = corners.map(|p| std::array::from_fn::<f64, 3, _>(|i| f64::from(p[i]) - f64::from(point[i])));
        let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
        let length = |a: [f64; 3]| dot(a, a).sqrt();
        let cross = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
        let all = length(a) * length(b) * length(c);
        dot(a, cross).atan2(all + dot(a, b) * length(c) + dot(b, c) * length(a) + dot(c, a) * length(b))
    };
    triangles.iter().map(of).sum::<f64>() / std::f64::consts::TAU
}
