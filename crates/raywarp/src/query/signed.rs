//! Distances to the surface of solids, negative inside.

use super::{NotClosed, Scene};
use rayon::prelude::*;

impl Scene {
    /// Returns the distance of a point, relative to [`Scene::origin`], to the nearest surface: negative inside of the
    /// scene's meshes, as [`Scene::contains`] tells, and 0 on them.
    ///
    /// The distance is that of [`Scene::nearest`]. The sign is exact, unless the point is within 64 half-ulps of its
    /// largest coordinate difference to the meshes from a surface. Where solids overlap it is the distance to the
    /// nearest surface of any of them, also of one that lies inside of another. Custom geometry that answers points is
    /// a surface that nothing is inside of. Infinite where there is no surface; NaN
    /// for a point that is NaN or infinite. A walk to the nearest point, and one ray.
    ///
    /// The first question of a scene also finds out whether its meshes are closed ([`Scene::closed`]).
    ///
    /// # Errors
    /// [`NotClosed`].
    ///
    /// ```
    /// use raywarp::Scene;
    ///
    /// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let scene = Scene::from_triangles(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
    /// assert_eq!(scene.signed_distance([0.25, 0.25, 0.125])?, -0.125);
    /// assert_eq!(scene.signed_distance([0.25, 0.25, -2.0])?, 2.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn signed_distance(&self, point: [f32; 3]) -> Result<f32, NotClosed> {
        self.closed()?;
        if !point.iter().all(|x| x.is_finite()) {
            return Ok(f32::NAN);
        }
        let distance = self.nearest(point, f32::INFINITY).map_or(f32::INFINITY, |nearest| nearest.distance);
        Ok(if distance > 0.0 && self.contains(point)? { -distance } else { distance })
    }

    /// Returns for each point what [`Scene::signed_distance`] returns, in parallel; four bytes a point.
    ///
    /// # Errors
    /// [`NotClosed`].
    pub fn signed_distance_batch(&self, points: &[[f32; 3]]) -> Result<Vec<f32>, NotClosed> {
        self.closed()?;
        points.par_iter().with_min_len(64).map(|&point| self.signed_distance(point)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::tests::{CUBE, CUBE_INDICES};
    use crate::{Affine64, Control, Levels, SceneOptions};

    #[test]
    fn distances_to_two_solids_are_negative_inside_of_either() {
        for levels in [Levels::One, Levels::Two] {
            let mut builder = Scene::builder();
            let cube = builder.mesh(&CUBE, &CUBE_INDICES);
            let place = |x: f64, scale: [f64; 3]| Affine64::translation([x, 0.0, 0.0]).after(&Affine64::scale(scale));
            builder.instance(cube, place(0.0, [4.0; 3]), u32::MAX, 0);
            // Mirrored: from 10 to 8.
            builder.instance(cube, place(10.0, [-2.0, 2.0, 2.0]), u32::MAX, 0);
            let options = SceneOptions { levels, ..SceneOptions::default() };
            let scene = builder.build(&options, &Control::default()).unwrap();
            let cases = [
                ([1.0, 2.0, 2.0], -1.0),
                ([2.0, 2.0, 2.0], -2.0),
                ([9.0, 1.0, 1.0], -1.0),
                ([8.5, 1.0, 1.0], -0.5),
                ([6.5, 1.0, 1.0], 1.5),
                ([7.0, 5.0, 2.0], 10.0f32.sqrt()),
                ([4.0, 1.0, 1.0], 0.0),
                ([0.0, 0.0, 0.0], 0.0),
            ];
            for (point, distance) in cases {
                assert_eq!(scene.signed_distance(point), Ok(distance), "{levels:?} {point:?}");
            }
            let all = scene.signed_distance_batch(&cases.map(|case| case.0));
            assert_eq!(all, Ok(cases.map(|case| case.1).to_vec()));
            for bad in [f32::NAN, f32::INFINITY] {
                assert!(scene.signed_distance([0.0, bad, 0.0]).is_ok_and(f32::is_nan));
            }
        }
    }

    #[test]
    fn there_is_no_sign_without_a_solid() {
        let open = Scene::from_triangles(&CUBE, &CUBE_INDICES[1..]).unwrap();
        assert_eq!(open.signed_distance([0.5; 3]), Err(NotClosed { instance: 0, open_edges: 3 }));
        assert!(open.signed_distance_batch(&[[0.5; 3]]).is_err());
        let nothing = Scene::from_triangles(&[], &[]).unwrap();
        assert_eq!(nothing.signed_distance([0.5; 3]), Ok(f32::INFINITY));
    }
}
