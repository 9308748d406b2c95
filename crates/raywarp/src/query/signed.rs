//! Distances to the surface of solids, negative inside.

use super::nearest::NAME;
use super::parts::{LONG_PART, PART, each_part};
use super::{BatchError, NotClosed, Scene};
use raywarp_cpu::NearestPoint;
use raywarp_geom::{BatchStats, Control, TraceError};

impl Scene {
    /// Returns the distance of a point, relative to [`Scene::origin`], to the nearest surface: negative inside of the
    /// scene's meshes, as [`Scene::contains`] tells, and 0 on them.
    ///
    /// The distance is that of [`Scene::nearest`]. The sign is exact, unless the point is within 64 half-ulps of its
    /// largest coordinate difference to the meshes from a surface. Where solids overlap it is the distance to the
    /// nearest surface of any of them, also of one that lies inside of another. Custom geometry that answers points is
    /// a surface that nothing is inside of. Infinite where there is no surface, or it is farther than f32 can say; NaN
    /// for a point that is NaN or infinite. A walk to the nearest point, and one ray. For meshes with holes there is
    /// [`Scene::signed_distance_by_winding`].
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
        let distance = self.distance(point);
        Ok(if distance > 0.0 && self.is_inside(point) { -distance } else { distance })
    }

    /// Returns the distance to the nearest surface.
    fn distance(&self, point: [f32; 3]) -> f32 {
        self.nearest(point, f32::INFINITY).map_or(f32::INFINITY, |nearest| nearest.distance)
    }

    /// Returns the distance of a point to the nearest surface as [`Scene::signed_distance`] does, for meshes with holes
    /// too: negative where the surfaces go round the point more than half of once, as [`Scene::winding_number`] tells,
    /// whose price and errors these are.
    ///
    /// In a hole, where the sign changes, the distance is that to its rim, so that it jumps there from a number to its
    /// negative. Of closed meshes it is [`Scene::signed_distance`], but for those whose fronts look inwards: nothing is
    /// inside of these.
    ///
    /// ```
    /// use raywarp::Scene;
    ///
    /// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// // A tetrahedron without its largest side.
    /// let scene = Scene::from_triangles(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2]])?;
    /// assert!(scene.signed_distance([0.25, 0.25, 0.125]).is_err());
    /// assert_eq!(scene.signed_distance_by_winding([0.25, 0.25, 0.125]), -0.125);
    /// assert_eq!(scene.signed_distance_by_winding([0.25, 0.25, -2.0]), 2.0);
    /// # Ok::<(), raywarp::SceneError>(())
    /// ```
    pub fn signed_distance_by_winding(&self, point: [f32; 3]) -> f32 {
        if !point.iter().all(|x| x.is_finite()) {
            return f32::NAN;
        }
        let distance = self.distance(point);
        if distance > 0.0 && self.winding_number(point) > 0.5 { -distance } else { distance }
    }

    /// Finds for each point what [`Scene::signed_distance_by_winding`] returns, in parallel where there are many:
    /// `distances` has one place a point. The rest is as in [`Scene::signed_distance_batch`].
    ///
    /// ```
    /// use raywarp::{Control, Scene};
    ///
    /// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// // Without its largest side.
    /// let scene = Scene::from_triangles(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2]])?;
    /// let mut distances = [0.0; 2];
    /// let points = [[0.25, 0.25, 0.125], [0.25, 0.25, -2.0]];
    /// scene.signed_distance_by_winding_batch(&points, &mut distances, &Control::default())?;
    /// assert_eq!(distances, [-0.125, 2.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`BatchError::Length`]; [`TraceError::Cancelled`](crate::TraceError::Cancelled) when `control` says so.
    pub fn signed_distance_by_winding_batch(
        &self,
        points: &[[f32; 3]],
        distances: &mut [f32],
        control: &Control<'_>,
    ) -> Result<BatchStats, BatchError> {
        self.signed_batch((points, LONG_PART), distances, control, |point| self.winding_number(point) > 0.5)
    }

    /// Finds for each point what [`Scene::signed_distance`] returns, in parallel where there are many: `distances` has
    /// one place a point. The statistics count points as rays, those that are NaN or infinite as invalid.
    ///
    /// Distances are found as [`Scene::nearest_batch`] does, then their signs, and progress is told with these: it
    /// begins late.
    ///
    /// ```
    /// use raywarp::{Control, Scene};
    ///
    /// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let scene = Scene::from_triangles(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
    /// let mut distances = [0.0; 2];
    /// scene.signed_distance_batch(&[[0.25, 0.25, 0.125], [0.25, 0.25, -2.0]], &mut distances, &Control::default())?;
    /// assert_eq!(distances, [-0.125, 2.0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`BatchError::Length`]; [`BatchError::NotClosed`];
    /// [`TraceError::Cancelled`](crate::TraceError::Cancelled) when `control` says so.
    pub fn signed_distance_batch(
        &self,
        points: &[[f32; 3]],
        distances: &mut [f32],
        control: &Control<'_>,
    ) -> Result<BatchStats, BatchError> {
        BatchError::check(points.len(), distances.len())?;
        self.closed()?;
        self.signed_batch((points, PART), distances, control, |point| self.is_inside(point))
    }

    /// Finds distances, and then their signs, so many points a part.
    fn signed_batch(
        &self,
        (points, size): (&[[f32; 3]], usize),
        distances: &mut [f32],
        control: &Control<'_>,
        is_inside: impl Fn([f32; 3]) -> bool + Sync,
    ) -> Result<BatchStats, BatchError> {
        BatchError::check(points.len(), distances.len())?;
        let silent = Control { progress: None, ..*control };
        let distance = |found: Option<NearestPoint>| found.map_or(f32::INFINITY, |found| found.distance);
        let invalid = self.nearest_each((points, f32::INFINITY), distances, distance, &silent)?;
        each_part((points, size), (distances, 1), control, |_, points, distances| {
            for (&point, distance) in points.iter().zip(distances) {
                if control.is_cancelled() {
                    return Err(TraceError::Cancelled);
                }
                if !point.iter().all(|x| x.is_finite()) {
                    *distance = f32::NAN;
                } else if *distance > 0.0 && is_inside(point) {
                    *distance = -*distance;
                }
            }
            Ok(())
        })?;
        Ok(BatchStats::of(NAME, points.len() as u64).with_invalid(invalid))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::tests::{CUBE, CUBE_INDICES};
    use crate::{Affine64, Control, Levels, SceneOptions};
    use raywarp_testing::{Random, winding_by_angles};

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
            let mut all = [0.0; 8];
            scene.signed_distance_batch(&cases.map(|case| case.0), &mut all, &Control::default()).unwrap();
            assert_eq!(all, cases.map(|case| case.1));
            for bad in [f32::NAN, f32::INFINITY] {
                assert!(scene.signed_distance([0.0, bad, 0.0]).is_ok_and(f32::is_nan));
            }
        }
    }

    #[test]
    fn meshes_with_holes_have_the_sign_of_their_winding_number_and_closed_ones_that_of_what_they_contain() {
        let mut random = Random::new(61);
        let (mut inside, mut between) = (0, 0);
        for levels in [Levels::One, Levels::Two] {
            let mut builder = Scene::builder();
            // Without its lid; closed; and a scrap, which is open all around.
            let meshes: [&[[u32; 3]]; 3] = [&CUBE_INDICES[2..], &CUBE_INDICES, &CUBE_INDICES[..1]];
            let ids = meshes.map(|indices| builder.mesh(&CUBE, indices));
            let mut triangles = Vec::new();
            for (i, scale) in [[1.0, 1.0, 1.0], [-0.5, 1.0, 1.0], [2.0, 0.5, 1.0]].into_iter().enumerate() {
                let place = Affine64::translation([1.5 * i as f64, 0.25, 0.0]).after(&Affine64::scale(scale));
                builder.instance(ids[i], place, u32::MAX, 0);
                let map = place.rounded();
                triangles.extend(meshes[i].iter().map(|corners| {
                    let [a, b, c] = corners.map(|vertex| map.point(CUBE[vertex as usize]));
                    if scale[0] < 0.0 { [a, c, b] } else { [a, b, c] }
                }));
            }
            let options = SceneOptions { levels, ..SceneOptions::default() };
            let scene = builder.build(&options, &Control::default()).unwrap();
            let points: Vec<[f32; 3]> = (0..500).map(|_| random.point().map(|x| 1.0 + 1.5 * x)).collect();
            let mut all = vec![0.0; points.len()];
            scene.signed_distance_by_winding_batch(&points, &mut all, &Control::default()).unwrap();
            for (&point, found) in points.iter().zip(all) {
                let winding = winding_by_angles(&triangles, point);
                let distance = scene.nearest(point, f32::INFINITY).unwrap().distance;
                let want = if winding > 0.5 { -distance } else { distance };
                assert!(found == want || (winding - 0.5).abs() < 1e-4, "{levels:?} {point:?}: {found}, {winding}");
                assert_eq!(scene.signed_distance_by_winding(point), found);
                inside += usize::from(found < 0.0);
                between += usize::from((0.1..0.9).contains(&winding));
            }
            assert!(scene.signed_distance_by_winding([0.5, f32::NAN, 0.5]).is_nan());
        }
        assert!(inside > 30 && between > 30, "{inside} {between}");
        let closed = Scene::from_triangles(&CUBE, &CUBE_INDICES).unwrap();
        let points: Vec<[f32; 3]> = (0..300).map(|_| random.point().map(|x| 0.5 + x)).chain(CUBE).collect();
        let mut all = vec![0.0; points.len()];
        closed.signed_distance_batch(&points, &mut all, &Control::default()).unwrap();
        let by_winding = |&point: &[f32; 3]| closed.signed_distance_by_winding(point);
        assert_eq!(all, points.iter().map(by_winding).collect::<Vec<f32>>());
        assert_eq!(Scene::from_triangles(&[], &[]).unwrap().signed_distance_by_winding([0.5; 3]), f32::INFINITY);
        // Nothing is inside of fronts that look inwards; what is inside twice is inside, and on a surface there is no
        // sign, not even that of a zero.
        let inwards = Scene::from_triangles(&CUBE, &CUBE_INDICES.map(|[a, b, c]| [a, c, b])).unwrap();
        assert_eq!(inwards.signed_distance_by_winding([0.5; 3]), 0.5);
        let twice = Scene::from_triangles(&CUBE, &[CUBE_INDICES, CUBE_INDICES].concat()).unwrap();
        assert_eq!(twice.signed_distance_by_winding([0.5; 3]), -0.5);
        for (axis, end) in [(0, 0.0), (0, 1.0), (1, 0.0), (1, 1.0), (2, 0.0), (2, 1.0)] {
            let mut point = [0.5, 0.25, 0.375];
            point[axis] = end;
            assert_eq!(twice.signed_distance_by_winding(point).to_bits(), 0, "{point:?}");
        }
    }

    #[test]
    fn there_is_no_sign_without_a_solid() {
        let open = Scene::from_triangles(&CUBE, &CUBE_INDICES[1..]).unwrap();
        assert_eq!(open.signed_distance([0.5; 3]), Err(NotClosed { instance: 0, open_edges: 3 }));
        let batch = open.signed_distance_batch(&[[0.5; 3]], &mut [0.0], &Control::default());
        assert_eq!(batch, Err(BatchError::NotClosed(NotClosed { instance: 0, open_edges: 3 })));
        let nothing = Scene::from_triangles(&[], &[]).unwrap();
        assert_eq!(nothing.signed_distance([0.5; 3]), Ok(f32::INFINITY));
    }
}
