//! Affine maps between object and world space.

use crate::{Aabb, fused_multiply_add};
use glam::{Affine3A, Mat3, Vec3};

/// An affine map: three rows of four, `[linear | translation]`, applied to column vectors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Affine {
    /// Rows of the 3 x 4 matrix: coordinate `i` of the mapped point is `rows[i] . (x, y, z, 1)`.
    pub rows: [[f32; 4]; 3],
}

impl Affine {
    /// Identity map, which leaves every point where it is.
    pub const IDENTITY: Self = Self { rows: [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]] };

    /// Reads a 4 x 4 matrix stored column by column (glTF's and pbrt's order); the last row is ignored.
    pub fn from_columns(m: &[f32; 16]) -> Self {
        Self { rows: std::array::from_fn(|r| std::array::from_fn(|c| m[4 * c + r])) }
    }

    /// Returns the map that shifts points by `t`.
    pub fn translation(t: [f32; 3]) -> Self {
        let mut map = Self::IDENTITY;
        for (row, t) in map.rows.iter_mut().zip(t) {
            row[3] = t;
        }
        map
    }

    /// Returns the map that scales by `s` along the axes.
    pub fn scale(s: [f32; 3]) -> Self {
        let mut map = Self::IDENTITY;
        for i in 0..3 {
            map.rows[i][i] = s[i];
        }
        map
    }

    /// Returns the rotation by `degrees` about `axis` (any length but zero), counter-clockwise when the axis points to
    /// the viewer.
    pub fn rotation(degrees: f32, axis: [f32; 3]) -> Self {
        let axis = Vec3::from(axis).normalize_or(Vec3::Y);
        Self::from_glam(Affine3A::from_axis_angle(axis, degrees.to_radians()))
    }

    /// Combines a translation, a unit quaternion `x y z w` and a scale, applied scale first (glTF).
    pub fn from_trs(translation: [f32; 3], rotation: [f32; 4], scale: [f32; 3]) -> Self {
        let rotation = glam::Quat::from_array(rotation);
        let rotation = if rotation.length_squared() > 0.0 { rotation.normalize() } else { glam::Quat::IDENTITY };
        Self::from_glam(Affine3A::from_scale_rotation_translation(scale.into(), rotation, translation.into()))
    }

    /// Returns the map that applies `first` and then this one: `(self * first)(x) = self(first(x))`.
    #[must_use]
    pub fn after(&self, first: &Self) -> Self {
        Self::from_glam(self.to_glam() * first.to_glam())
    }

    /// Returns the map between this one, at time 0, and `end`, at time 1: each entry is `a + time * (b - a)`, the
    /// difference rounded to f32, the rest one fused multiply-add. At times of 0 and less, and NaN, it is this map, and
    /// from 1 on it is `end`, bit for bit.
    ///
    /// Points move along straight lines, so what turns shrinks on its way: by half a turn to a line or a point, by 10
    /// degrees to 0.9962 in the middle.
    #[must_use]
    pub fn between(&self, end: &Self, time: f32) -> Self {
        let entry = |a: f32, b: f32| fused_multiply_add(time, b - a, a);
        if time >= 1.0 {
            *end
        } else if time > 0.0 {
            Self { rows: std::array::from_fn(|i| std::array::from_fn(|j| entry(self.rows[i][j], end.rows[i][j]))) }
        } else {
            *self
        }
    }

    /// Returns the inverse of this map, or `None` when the map flattens space.
    pub fn inverse(&self) -> Option<Self> {
        let map = self.to_glam();
        let det = map.matrix3.determinant();
        (det != 0.0 && det.is_finite()).then(|| Self::from_glam(map.inverse())).filter(Self::is_finite)
    }

    /// Returns the determinant of the linear part; negative when the map mirrors.
    pub fn determinant(&self) -> f32 {
        self.to_glam().matrix3.determinant()
    }

    /// Returns `true` if every entry of the matrix is finite.
    pub fn is_finite(&self) -> bool {
        self.rows.iter().flatten().all(|x| x.is_finite())
    }

    /// Returns the image of point `p` under the map, translation included.
    #[inline]
    pub fn point(&self, p: [f32; 3]) -> [f32; 3] {
        // One by one: `array::from_fn` is calls where the compiler puts it into another unit.
        let image = |r: &[f32; 4]| r[0] * p[0] + r[1] * p[1] + r[2] * p[2] + r[3];
        [image(&self.rows[0]), image(&self.rows[1]), image(&self.rows[2])]
    }

    /// Returns the image of direction `v` under the linear part, without the translation; its length may change.
    #[inline]
    pub fn vector(&self, v: [f32; 3]) -> [f32; 3] {
        let image = |r: &[f32; 4]| r[0] * v[0] + r[1] * v[1] + r[2] * v[2];
        [image(&self.rows[0]), image(&self.rows[1]), image(&self.rows[2])]
    }

    /// Returns the rows of the linear part's cofactor matrix, which maps normals: the inverse transpose times the
    /// determinant. Multiply by the sign of the determinant to keep a normal on its side under mirroring.
    pub fn cofactor(&self) -> [[f32; 3]; 3] {
        let [a, b, c] = self.rows.map(|r| Vec3::new(r[0], r[1], r[2]));
        [b.cross(c).into(), c.cross(a).into(), a.cross(b).into()]
    }

    /// Returns the axis-aligned box around the image of `aabb` under the map.
    pub fn aabb(&self, aabb: &Aabb) -> Aabb {
        if aabb.is_empty() {
            return Aabb::EMPTY;
        }
        let corners: [[f32; 3]; 8] = std::array::from_fn(|i| {
            self.point(std::array::from_fn(|axis| if i >> axis & 1 == 0 { aabb.min[axis] } else { aabb.max[axis] }))
        });
        Aabb::of_points(&corners)
    }

    fn to_glam(self) -> Affine3A {
        let column = |c: usize| Vec3::new(self.rows[0][c], self.rows[1][c], self.rows[2][c]);
        Affine3A::from_mat3_translation(Mat3::from_cols(column(0), column(1), column(2)), column(3))
    }

    fn from_glam(map: Affine3A) -> Self {
        let (m, t) = (Mat3::from(map.matrix3), Vec3::from(map.translation));
        Self { rows: std::array::from_fn(|r| [m.x_axis[r], m.y_axis[r], m.z_axis[r], t[r]]) }
    }
}

impl Default for Affine {
    fn default() -> Self {
        Self::IDENTITY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: [f32; 3], b: [f32; 3]) -> bool {
        a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-5)
    }

    #[test]
    fn maps_compose_right_to_left_and_invert() {
        let shift = Affine::translation([1.0, 2.0, 3.0]);
        let turn = Affine::rotation(90.0, [0.0, 0.0, 2.0]);
        let both = shift.after(&turn).after(&Affine::scale([2.0; 3]));
        assert!(close(both.point([1.0, 0.0, 0.0]), [1.0, 4.0, 3.0]));
        assert!(close(both.inverse().unwrap().point([1.0, 4.0, 3.0]), [1.0, 0.0, 0.0]));
        assert!(Affine::scale([1.0, 0.0, 1.0]).inverse().is_none());
    }

    #[test]
    fn maps_between_two_are_these_at_the_ends_and_one_fused_operation_on_the_way() {
        let start = Affine::rotation(30.0, [1.0, 2.0, 3.0]);
        let end = Affine::translation([0.1, 1e6, -3.0]).after(&Affine::rotation(70.0, [3.0, -2.0, 1.0]));
        for time in [f32::NAN, f32::NEG_INFINITY, -0.5, -0.0, 0.0] {
            assert_eq!(start.between(&end, time), start);
        }
        for time in [1.0, 1.5, f32::INFINITY] {
            assert_eq!(start.between(&end, time), end);
        }
        let mut differs_from_two_operations = false;
        for time in [1e-40, 1e-7, 0.1, 1.0 / 3.0, 0.5, 0.7, 1.0f32.next_down()] {
            let found = start.between(&end, time);
            for (i, j) in (0..3).flat_map(|i| (0..4).map(move |j| (i, j))) {
                let (a, b) = (start.rows[i][j], end.rows[i][j]);
                // Exact in f64: 24 bits by 24; the sum is rounded once more, which is seen at halfway cases alone.
                let exact = f64::from(time) * f64::from(b - a) + f64::from(a);
                assert!((f64::from(found.rows[i][j]) - exact).abs() <= 0.5001 * f64::from(ulp(found.rows[i][j])));
                differs_from_two_operations |= found.rows[i][j] != time * (b - a) + a;
            }
        }
        assert!(differs_from_two_operations);
        assert_eq!(start.between(&start, 0.3), start);
    }

    fn ulp(x: f32) -> f32 {
        x.abs().next_up() - x.abs()
    }

    #[test]
    fn cofactors_keep_normals_perpendicular() {
        let map = Affine::scale([1.0, 5.0, 2.0]).after(&Affine::rotation(30.0, [1.0, 2.0, 3.0]));
        let (a, b) = ([1.0, 0.5, 0.0], [0.0, 1.0, -1.0]);
        let n = Vec3::from(a).cross(b.into());
        let mapped = Vec3::from(map.cofactor().map(|row| Vec3::from(row).dot(n)));
        assert!(mapped.dot(map.vector(a).into()).abs() < 1e-4 && mapped.dot(map.vector(b).into()).abs() < 1e-4);
    }
}
