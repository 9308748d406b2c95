//! Affine maps in f64, as callers place meshes.

use crate::Affine;
use glam::{DAffine3, DMat3, DQuat, DVec3};

/// Affine map in f64: three rows of four, `[linear | translation]`, applied to column vectors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Affine64 {
    /// Rows of the 3 x 4 matrix: coordinate `i` of the mapped point is `rows[i] . (x, y, z, 1)`.
    pub rows: [[f64; 4]; 3],
}

impl Affine64 {
    /// Identity map, which leaves every point where it is.
    pub const IDENTITY: Self = Self { rows: [[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 1.0, 0.0]] };

    /// Returns the map that shifts points by `t`.
    pub fn translation(t: [f64; 3]) -> Self {
        let mut map = Self::IDENTITY;
        for (row, t) in map.rows.iter_mut().zip(t) {
            row[3] = t;
        }
        map
    }

    /// Returns the map that scales by `s` along the axes.
    pub fn scale(s: [f64; 3]) -> Self {
        let mut map = Self::IDENTITY;
        for i in 0..3 {
            map.rows[i][i] = s[i];
        }
        map
    }

    /// Returns the rotation by `degrees` about `axis` (any length but zero), counter-clockwise when the axis points to
    /// the viewer.
    pub fn rotation(degrees: f64, axis: [f64; 3]) -> Self {
        let axis = DVec3::from(axis).normalize_or(DVec3::Y);
        Self::from_glam(&DAffine3::from_axis_angle(axis, degrees.to_radians()))
    }

    /// Combines a translation, a unit quaternion `x y z w` and a scale, applied scale first (glTF).
    pub fn from_trs(translation: [f64; 3], rotation: [f64; 4], scale: [f64; 3]) -> Self {
        let rotation = DQuat::from_array(rotation);
        let rotation = if rotation.length_squared() > 0.0 { rotation.normalize() } else { DQuat::IDENTITY };
        Self::from_glam(&DAffine3::from_scale_rotation_translation(scale.into(), rotation, translation.into()))
    }

    /// Combines two maps: `(self * first)(x) = self(first(x))`.
    #[must_use]
    pub fn after(&self, first: &Self) -> Self {
        Self::from_glam(&(self.to_glam() * first.to_glam()))
    }

    /// Returns the inverse, or `None` if the map flattens space or is not finite.
    pub fn inverse(&self) -> Option<Self> {
        let map = self.to_glam();
        let det = map.matrix3.determinant();
        (det != 0.0 && det.is_finite()).then(|| Self::from_glam(&map.inverse())).filter(Self::is_finite)
    }

    /// Returns the determinant of the linear part; negative when the map mirrors.
    pub fn determinant(&self) -> f64 {
        self.to_glam().matrix3.determinant()
    }

    /// Returns `true` if every entry of the matrix is finite.
    pub fn is_finite(&self) -> bool {
        self.rows.iter().flatten().all(|x| x.is_finite())
    }

    /// Returns the image of a point.
    #[inline]
    pub fn point(&self, p: [f64; 3]) -> [f64; 3] {
        let image = |r: &[f64; 4]| r[0] * p[0] + r[1] * p[1] + r[2] * p[2] + r[3];
        [image(&self.rows[0]), image(&self.rows[1]), image(&self.rows[2])]
    }

    /// Returns the image of a direction under the linear part; its length may change.
    #[inline]
    pub fn vector(&self, v: [f64; 3]) -> [f64; 3] {
        let image = |r: &[f64; 4]| r[0] * v[0] + r[1] * v[1] + r[2] * v[2];
        [image(&self.rows[0]), image(&self.rows[1]), image(&self.rows[2])]
    }

    /// Returns the map with every entry rounded to f32.
    pub fn rounded(&self) -> Affine {
        Affine { rows: self.rows.map(|row| row.map(|x| x as f32)) }
    }

    fn to_glam(self) -> DAffine3 {
        let column = |c: usize| DVec3::new(self.rows[0][c], self.rows[1][c], self.rows[2][c]);
        DAffine3 { matrix3: DMat3::from_cols(column(0), column(1), column(2)), translation: column(3) }
    }

    fn from_glam(map: &DAffine3) -> Self {
        let (m, t) = (map.matrix3, map.translation);
        Self { rows: std::array::from_fn(|r| [m.x_axis[r], m.y_axis[r], m.z_axis[r], t[r]]) }
    }
}

impl Default for Affine64 {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl From<&Affine> for Affine64 {
    fn from(map: &Affine) -> Self {
        Self { rows: map.rows.map(|row| row.map(f64::from)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn maps_compose_right_to_left_and_invert() {
        let turn = Affine64::rotation(90.0, [0.0, 0.0, 2.0]);
        let both = Affine64::translation([1.0, 2.0, 3.0]).after(&turn).after(&Affine64::scale([2.0; 3]));
        let close = |a: [f64; 3], b: [f64; 3]| a.iter().zip(&b).all(|(a, b)| (a - b).abs() < 1e-12);
        assert!(close(both.point([1.0, 0.0, 0.0]), [1.0, 4.0, 3.0]));
        assert!(close(both.vector([1.0, 0.0, 0.0]), [0.0, 2.0, 0.0]));
        assert!(close(both.inverse().unwrap().point([1.0, 4.0, 3.0]), [1.0, 0.0, 0.0]));
        let half = (0.5f64).sqrt();
        let trs = Affine64::from_trs([1.0, 2.0, 3.0], [0.0, 0.0, half, half], [2.0; 3]);
        assert!(close(trs.point([1.0, 0.0, 0.0]), [1.0, 4.0, 3.0]));
        assert!(Affine64::scale([1.0, 0.0, 1.0]).inverse().is_none());
        assert!(Affine64::scale([f64::NAN; 3]).inverse().is_none());
    }
}
