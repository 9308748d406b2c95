//! Woop's unit-triangle record: 48 bytes that map a triangle to the unit triangle.
//!
//! Source: AL09 section 2, after Woop 2004. Each row is a plane equation `[a, b, c, d]`; with
//! `row(p) = a x + b y + c z + d`, the rows give the height of a point over the triangle's plane,
//! and its two barycentric weights. The height row comes first, since a kernel may stop after it.

use bytemuck::{Pod, Zeroable};
use raywarp_geom::{Ray, fused_multiply_add, fused_multiply_adds};

/// Triangle record of Woop's test: the affine map from world space to where the triangle is (0,0,0), (1,0,0), (0,1,0).
///
/// A triangle of zero area has no such map: its record is [`WoopTriangle::NEVER`], which no ray hits.
#[derive(Debug, Clone, Copy, PartialEq, Pod, Zeroable)]
#[repr(C, align(16))]
pub struct WoopTriangle {
    /// Row of the map that gives a point's height over the triangle's plane, in lengths of the unnormalised normal.
    pub height: [f32; 4],
    /// Row of the map that gives a point's barycentric weight of the second vertex.
    pub u: [f32; 4],
    /// Row of the map that gives a point's barycentric weight of the third vertex.
    pub v: [f32; 4],
}

impl WoopTriangle {
    /// Record that no ray hits, for triangles without area: the height of every ray is 0 / 0.
    pub const NEVER: Self = Self { height: [0.0; 4], u: [0.0; 4], v: [0.0; 4] };

    /// Makes the record of a triangle, computed in f64. It is [`WoopTriangle::NEVER`] when its area is zero or so small
    /// that the map overflows f32.
    pub fn new(vertices: &[[f32; 3]; 3]) -> Self {
        let [a, b, c] = vertices.map(|v| v.map(f64::from));
        let (e1, e2) = (sub(b, a), sub(c, a));
        let n = cross(e1, e2);
        let det = dot(n, n);
        // The inverse of the matrix with columns e1, e2, n has these rows, since n is normal to both.
        let row = |axis: [f64; 3]| -> [f32; 4] {
            let axis = axis.map(|x| x / det);
            [axis[0] as f32, axis[1] as f32, axis[2] as f32, -dot(axis, a) as f32]
        };
        let record = Self { height: row(n), u: row(cross(e2, n)), v: row(cross(n, e1)) };
        if record.rows().iter().flatten().all(|x| x.is_finite()) { record } else { Self::NEVER }
    }

    /// Returns `true` if this is the record that no ray hits, [`WoopTriangle::NEVER`].
    pub fn never_hits(&self) -> bool {
        self.height[..3] == [0.0; 3]
    }

    /// Returns the three rows of the map: height, u, v.
    pub fn rows(&self) -> [[f32; 4]; 3] {
        [self.height, self.u, self.v]
    }

    /// Returns the triangle's vertices, as far as the f32 rows still tell them; `None` for [`WoopTriangle::NEVER`].
    pub fn decode(&self) -> Option<[[f32; 3]; 3]> {
        let [n, u, v] = self.rows().map(|r| r.map(f64::from));
        let axis = |r: [f64; 4]| [r[0], r[1], r[2]];
        let (n3, u3, v3) = (axis(n), axis(u), axis(v));
        let det = dot(n3, cross(u3, v3));
        if det == 0.0 || !det.is_finite() {
            return None;
        }
        // Solves rows * p + d = target for the corners of the unit triangle (Cramer's rule).
        let solve = |target: [f64; 3]| -> [f32; 3] {
            let [h, s, t] = [target[0] - n[3], target[1] - u[3], target[2] - v[3]];
            let (p, q, r) = (cross(u3, v3), cross(v3, n3), cross(n3, u3));
            std::array::from_fn(|i| ((h * p[i] + s * q[i] + t * r[i]) / det) as f32)
        };
        Some([solve([0.0; 3]), solve([0.0, 1.0, 0.0]), solve([0.0, 0.0, 1.0])])
    }

    /// Tests the ray's line against the triangle as AL09 does and returns `t u v` of a hit on either side. The caller
    /// compares `t` with the ray's interval. Rays may slip through shared edges; the watertight test does not let them.
    #[inline]
    pub fn test(&self, ray: &Ray) -> Option<[f32; 3]> {
        self.test_within(ray, f32::NEG_INFINITY, f32::INFINITY)
    }

    /// Tests the triangle as [`WoopTriangle::test`] does, but rejects hits with `t` outside of `low` to `high` first.
    #[inline]
    pub fn test_within(&self, ray: &Ray, low: f32, high: f32) -> Option<[f32; 3]> {
        let t = self.t(ray);
        // Written so that a NaN (0 / 0: the never-hitting record) fails.
        if !(low <= t && t <= high && t.is_finite()) {
            return None;
        }
        let u = weight(&self.u, ray, t);
        if !(0.0..=1.0).contains(&u) {
            return None;
        }
        let v = weight(&self.v, ray, t);
        (v >= 0.0 && u + v <= 1.0).then_some([t, u, v])
    }

    /// Returns the `t` at which the line of `ray` meets the triangle's plane, from the record's first row alone.
    #[inline]
    pub fn t(&self, ray: &Ray) -> f32 {
        let [at, along] = row_of(&self.height, ray);
        -at * (1.0 / along)
    }

    /// Returns the barycentric weight of the second vertex at `t`, from the record's second row alone.
    #[inline]
    pub fn weight_u(&self, ray: &Ray, t: f32) -> f32 {
        weight(&self.u, ray, t)
    }
}

// Fused in this order, as the CUDA kernels are, so that all engines have the same bits.

/// Evaluates a row of the map at the ray's origin, and its change along the ray's direction.
#[inline(always)]
fn row_of(row: &[f32; 4], ray: &Ray) -> [f32; 2] {
    let (p, d) = (&ray.origin, &ray.direction);
    let first = [fused_multiply_add(row[2], p[2], row[3]), row[2] * d[2]];
    let second = fused_multiply_adds([row[1]; 2], [p[1], d[1]], first);
    fused_multiply_adds([row[0]; 2], [p[0], d[0]], second)
}

#[inline]
fn weight(row: &[f32; 4], ray: &Ray, t: f32) -> f32 {
    let [at, along] = row_of(row, ray);
    fused_multiply_add(t, along, at)
}

fn sub(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[i] - b[i])
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAMPLES: [[[f32; 3]; 3]; 4] = [
        [[0.0, 0.0, 2.0], [1.0, 0.0, 2.0], [0.0, 1.0, 2.0]],
        [[-3.0, 1.0, 0.5], [2.0, 4.0, -1.0], [0.25, -2.0, 7.0]],
        [[100.0, 100.0, 100.0], [100.5, 100.0, 100.0], [100.0, 100.25, 100.125]],
        [[1e-3, 0.0, 0.0], [0.0, 1e-3, 0.0], [0.0, 0.0, 1e-3]],
    ];

    #[test]
    fn a_record_is_48_bytes_and_decodes_to_its_triangle() {
        assert_eq!((size_of::<WoopTriangle>(), align_of::<WoopTriangle>()), (48, 16));
        for triangle in &SAMPLES {
            let decoded = WoopTriangle::new(triangle).decode().unwrap();
            let scale = triangle.iter().flatten().fold(0.0f32, |m, x| m.max(x.abs()));
            for (got, want) in decoded.iter().flatten().zip(triangle.iter().flatten()) {
                assert!((got - want).abs() <= 4e-5 * scale, "{decoded:?} of {triangle:?}");
            }
        }
    }

    #[test]
    fn the_test_agrees_with_moeller_trumbore() {
        for triangle in &SAMPLES {
            let record = WoopTriangle::new(triangle);
            for step in 0..200 {
                let (s, r) = ((step % 14) as f32 / 10.0 - 0.2, (step / 14) as f32 / 10.0 - 0.2);
                let target: [f32; 3] = std::array::from_fn(|i| {
                    let [a, b, c] = [triangle[0][i], triangle[1][i], triangle[2][i]];
                    a + (s + 0.013) * (b - a) + (r + 0.017) * (c - a)
                });
                let origin = [target[0] + 0.3, target[1] - 0.2, target[2] - 2.0];
                let ray = Ray::new(origin, std::array::from_fn(|i| 0.5 * (target[i] - origin[i])));
                let expected = raywarp_geom::triangle::moeller_trumbore(&ray, triangle);
                match (record.test(&ray), expected) {
                    (Some(got), Some(want)) => {
                        assert!((got[0] - want[0]).abs() < 1e-2, "{got:?} {want:?}");
                        assert!((got[1] - want[1]).abs() < 2e-2 && (got[2] - want[2]).abs() < 2e-2, "{got:?} {want:?}");
                    }
                    (got, want) => assert_eq!(got.is_some(), want.is_some(), "{triangle:?} {s} {r}"),
                }
            }
        }
    }

    #[test]
    fn a_triangle_without_area_is_never_hit() {
        let flat = [[0.0, 0.0, 2.0], [1.0, 0.0, 2.0], [0.5, 0.0, 2.0]];
        for triangle in [flat, [[0.25, 0.0, 2.0]; 3], [[1e-30, 0.0, 0.0], [0.0, 1e-30, 0.0], [0.0; 3]]] {
            let record = WoopTriangle::new(&triangle);
            assert!(record.never_hits() && record.decode().is_none());
            for direction in [[0.0, 0.0, 1.0], [0.1, 0.0, 1.0], [0.0, 1.0, 0.0]] {
                assert_eq!(record.test(&Ray::new([0.25, 0.0, 0.0], direction)), None);
            }
        }
    }
}
