//! How little a transform stretches lengths, at the least.

use raywarp_geom::Affine64;

/// Returns at most the least factor by which a transform stretches lengths, from its inverse in f64, whose residual
/// rows are at most `2^-34` ([`Placed`](crate::levels::Placed)).
///
/// That factor is the reciprocal of the inverse's largest, the root of the largest eigenvalue of its Gram matrix.
/// Rotations by Jacobi make that matrix diagonal but for little, which Gershgorin's circles take in. They round by less
/// than `2^-46` of the eigenvalue; with the residual, of `2^-33` in the norm of matrices, all of it is below `2^-32`.
pub(crate) fn least_stretch(inverse: &Affine64) -> f64 {
    let column = |j: usize| [inverse.rows[0][j], inverse.rows[1][j], inverse.rows[2][j]];
    let dot = |i: usize, j: usize| (0..3).map(|k| column(i)[k] * column(j)[k]).sum::<f64>();
    let mut gram =
        [[dot(0, 0), dot(0, 1), dot(0, 2)], [dot(1, 0), dot(1, 1), dot(1, 2)], [dot(2, 0), dot(2, 1), dot(2, 2)]];
    for _ in 0..6 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            rotate(&mut gram, p, q);
        }
    }
    let circle = |i: usize| gram[i][0].abs() + gram[i][1].abs() + gram[i][2].abs();
    let largest = circle(0).max(circle(1)).max(circle(2));
    (1.0 - 1.0 / (1u64 << 32) as f64) / largest.sqrt()
}

/// Turns a symmetric matrix so that its entry at `p`, `q` vanishes.
fn rotate(matrix: &mut [[f64; 3]; 3], p: usize, q: usize) {
    if matrix[p][q] == 0.0 {
        return;
    }
    let theta = (matrix[q][q] - matrix[p][p]) / (2.0 * matrix[p][q]);
    let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
    let cos = 1.0 / (t * t + 1.0).sqrt();
    let sin = t * cos;
    for row in matrix.iter_mut() {
        (row[p], row[q]) = (cos * row[p] - sin * row[q], sin * row[p] + cos * row[q]);
    }
    for k in 0..3 {
        (matrix[p][k], matrix[q][k]) =
            (cos * matrix[p][k] - sin * matrix[q][k], sin * matrix[p][k] + cos * matrix[q][k]);
    }
}
