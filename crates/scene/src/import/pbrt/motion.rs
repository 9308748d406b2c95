//! Transformations that differ between two times, and the one pose of them that is rendered.
//!
//! pbrt moves shapes, instances and the camera between the transformations of two times
//! (`ActiveTransform`, `TransformTimes`). Here nothing moves: everything stands where it is when the
//! shutter opens. Between the two times that is translation and stretch in proportion and rotation
//! along the shortest arc, as in pbrt's `AnimatedTransform` (Shoemake and Duff 1992, "Matrix Animation
//! and Polar Decomposition").

use glam::{DAffine3, DMat3, DQuat};
use std::path::Path;
use std::rc::Rc;

/// Current transformation at the start and at the end of a motion.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Motion {
    pub start: DAffine3,
    pub end: DAffine3,
}

/// Which of the two current transformations directives change: both, or only the start's or the end's.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Active {
    #[default]
    All,
    Start,
    End,
}

/// Times of the two transformations and of the shutter, and the number of moving things.
#[derive(Debug, Clone)]
pub(super) struct Times {
    /// Time of the first transformation, from `TransformTimes`; that of the second follows.
    pub start: f64,
    pub end: f64,
    /// Time at which the camera's shutter opens, `shutteropen`.
    pub shutter_open: f64,
    /// Number of shapes, instances, lights and cameras that move; the place of the first follows in `first`.
    pub moving: u64,
    pub first: Option<(Rc<Path>, u64)>,
}

impl Default for Times {
    fn default() -> Self {
        Self { start: 0.0, end: 1.0, shutter_open: 0.0, moving: 0, first: None }
    }
}

impl Motion {
    pub fn is_moving(&self) -> bool {
        self.start != self.end
    }

    /// Applies `change` to the transformations that `active` selects.
    pub fn change(&mut self, active: Active, change: impl Fn(DAffine3) -> DAffine3) {
        if active != Active::End {
            self.start = change(self.start);
        }
        if active != Active::Start {
            self.end = change(self.end);
        }
    }

    /// Returns the interpolated transformation at fraction `t` of the way from start to end.
    pub fn at(&self, t: f64) -> DAffine3 {
        if !self.is_moving() || t <= 0.0 {
            return self.start;
        }
        if t >= 1.0 {
            return self.end;
        }
        let translation = self.start.translation.lerp(self.end.translation, t);
        let lerp = |a: DMat3, b: DMat3| a * (1.0 - t) + b * t;
        let matrix = match (rotation_of(self.start.matrix3), rotation_of(self.end.matrix3)) {
            (Some(a), Some(b)) => {
                let stretch = |rotation: DQuat, m: DMat3| DMat3::from_quat(rotation.inverse()) * m;
                let between = lerp(stretch(a, self.start.matrix3), stretch(b, self.end.matrix3));
                DMat3::from_quat(a.slerp(b, t)) * between
            }
            // What flattens space has no rotation.
            _ => lerp(self.start.matrix3, self.end.matrix3),
        };
        DAffine3::from_mat3_translation(matrix, translation)
    }
}

/// Returns the rotation nearest to `m`, without a mirroring; `None` if `m` flattens space.
fn rotation_of(m: DMat3) -> Option<DQuat> {
    let mut rotation = m;
    for _ in 0..100 {
        let inverse = rotation.inverse().transpose();
        if rotation.determinant() == 0.0 || !inverse.is_finite() {
            return None;
        }
        let next = (rotation + inverse) * 0.5;
        let change = (next - rotation).to_cols_array().into_iter().map(f64::abs).fold(0.0, f64::max);
        rotation = next;
        if change < 1e-14 {
            break;
        }
    }
    let side = rotation.determinant().signum();
    Some(DQuat::from_mat3(&(rotation * side)).normalize())
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    #[track_caller]
    fn near(found: DAffine3, want: DAffine3) {
        assert!(found.abs_diff_eq(want, 1e-12), "{found:?}, expected {want:?}");
    }

    #[test]
    fn poses_between_are_turned_and_stretched_in_proportion() {
        let pose = |degrees: f64, scale: DVec3, x: f64| {
            DAffine3::from_translation(DVec3::new(x, 0.0, 0.0))
                * DAffine3::from_rotation_z(degrees.to_radians())
                * DAffine3::from_scale(scale)
        };
        let motion = Motion { start: pose(10.0, DVec3::ONE, 1.0), end: pose(70.0, DVec3::new(3.0, 1.0, 1.0), 5.0) };
        assert_eq!((motion.at(0.0), motion.at(1.0)), (motion.start, motion.end));
        assert_eq!((motion.at(-2.0), motion.at(2.0)), (motion.start, motion.end));
        near(motion.at(0.5), pose(40.0, DVec3::new(2.0, 1.0, 1.0), 3.0));
        near(motion.at(0.25), pose(25.0, DVec3::new(1.5, 1.0, 1.0), 2.0));
        // Along the shorter arc.
        let turn = Motion { start: pose(-170.0, DVec3::ONE, 0.0), end: pose(170.0, DVec3::ONE, 0.0) };
        near(turn.at(0.5), pose(180.0, DVec3::ONE, 0.0));
    }

    #[test]
    fn mirrored_and_flat_poses_stay_finite() {
        let mirror = DAffine3::from_scale(DVec3::new(-1.0, 1.0, 1.0));
        let motion = Motion { start: mirror, end: DAffine3::from_rotation_z(1.0) * mirror };
        near(motion.at(0.5), DAffine3::from_rotation_z(0.5) * mirror);
        let flat = Motion { start: DAffine3::from_scale(DVec3::new(1.0, 1.0, 0.0)), end: DAffine3::IDENTITY };
        near(flat.at(0.5), DAffine3::from_scale(DVec3::new(1.0, 1.0, 0.5)));
    }
}
