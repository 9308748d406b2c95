//! The point of a scene that is nearest to a point.

use super::scene::Rays;
use super::{BatchError, Scene};
use raywarp_cpu::{Feature, NearestPoint};
use raywarp_geom::{BatchStats, Control, KernelName, TraceError};

/// Name of what answers, in batch statistics.
pub(super) const NAME: KernelName = KernelName::fixed("cpu/nearest");

/// Nearest point of the surfaces of a [`Scene`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Nearest {
    /// Where it is, relative to [`Scene::origin`].
    pub point: [f32; 3],
    /// How far it is.
    pub distance: f32,
    /// Barycentric weight of the triangle's second vertex, 0 to 1; 0 on custom geometry, as `v`.
    pub u: f32,
    /// Barycentric weight of the triangle's third vertex, 0 to 1.
    pub v: f32,
    /// Number of the placement in the scene; see [`SurfaceHit::instance`](crate::SurfaceHit::instance).
    pub instance: u32,
    /// Index of the triangle in its mesh, as the caller gave it.
    pub primitive: u32,
    /// Number that the caller gave to the placement; 0 if none.
    pub user: u32,
    /// Where on the triangle the point lies: within it, on an edge or at a vertex; [`Feature::Face`] on custom
    /// geometry.
    pub feature: Feature,
}

impl Scene {
    /// Returns the point of the scene's surfaces that is nearest to `point`, if it is at most `within` away; both are
    /// relative to [`Scene::origin`]. `None` also where `point` is NaN or infinite, or `within` NaN or negative; it may
    /// be infinite, but what is farther than f32 can say, beyond 3.4e38, is not found.
    ///
    /// Of triangles at the same distance, rounded to f32, the one with the lower (instance, primitive) answers: at an
    /// edge or a vertex one of those that share it. The answer has the same bits in one level and in two, and with
    /// every instruction set.
    ///
    /// With `R` the largest coordinate difference between `point` and the triangle, the distance is exact but for a
    /// rounding to f32 and `2^-46 R`, and each coordinate of the nearest point but for a rounding and `2^-46` of the
    /// largest coordinate there is. Triangles without area count as the segment or point that they are. Custom geometry
    /// is found if it answers points ([`Geometry::nearest`](crate::Geometry::nearest)), as near as it says, in f64.
    /// Runs on the CPU, on the calling thread, and allocates nothing. What moves is where it is at time 0;
    /// [`Filtered::nearest`](crate::Filtered::nearest) takes a time, and leaves things out.
    ///
    /// ```
    /// use raywarp::{Feature, Scene};
    ///
    /// let scene = Scene::from_triangles(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// let nearest = scene.nearest([0.25, -3.0, 4.0], f32::INFINITY).expect("there is a triangle");
    /// assert_eq!((nearest.point, nearest.distance), ([0.25, 0.0, 0.0], 5.0));
    /// assert_eq!((nearest.u, nearest.v, nearest.feature), (0.25, 0.0, Feature::Edge(0)));
    /// assert_eq!(scene.nearest([0.25, -3.0, 4.0], 4.5), None);
    /// # Ok::<(), raywarp::SceneError>(())
    /// ```
    pub fn nearest(&self, point: [f32; 3], within: f32) -> Option<Nearest> {
        let found = match &self.0.rays {
            Rays::One(cpu, _) => cpu.nearest_one(point, within),
            Rays::Two(levels, _) => levels.nearest_one(point, within),
        }?;
        Some(self.nearest_of(&found))
    }

    /// Finds for each point what [`Scene::nearest`] returns, in parallel on the CPU where there are many: `found` has
    /// one place a point. The statistics count points as rays, those that are NaN or infinite as invalid.
    ///
    /// Points are asked in the order of a curve through them, and each begins with what its neighbour found. With
    /// several threads that is faster than one by one; on one thread it is for points far from the surface, while near
    /// ones that come in order already may cost a third more. Beside the answers it takes 12 bytes a point.
    ///
    /// # Errors
    /// [`BatchError::Length`]; [`TraceError::Cancelled`](crate::TraceError::Cancelled) when `control` says so.
    ///
    /// ```
    /// use raywarp::{Control, Scene};
    ///
    /// let scene = Scene::from_triangles(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// let points = [[0.2, 0.2, 1.0], [0.2, 0.2, -2.0], [f32::NAN, 0.0, 0.0]];
    /// let mut found = [None; 3];
    /// let stats = scene.nearest_batch(&points, f32::INFINITY, &mut found, &Control::default())?;
    /// assert_eq!(found.map(|found| found.map(|nearest| nearest.distance)), [Some(1.0), Some(2.0), None]);
    /// assert_eq!((stats.rays, stats.invalid), (3, 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn nearest_batch(
        &self,
        points: &[[f32; 3]],
        within: f32,
        found: &mut [Option<Nearest>],
        control: &Control<'_>,
    ) -> Result<BatchStats, BatchError> {
        BatchError::check(points.len(), found.len())?;
        let answer = |found: Option<NearestPoint>| found.map(|found| self.nearest_of(&found));
        let invalid = self.nearest_each((points, within), found, answer, control)?;
        Ok(BatchStats::of(NAME, points.len() as u64).with_invalid(invalid))
    }

    /// Puts what `answer` makes of each nearest point into `found`, and returns the number of points without a place.
    pub(super) fn nearest_each<T: Send>(
        &self,
        points: (&[[f32; 3]], f32),
        found: &mut [T],
        answer: impl Fn(Option<NearestPoint>) -> T + Sync,
        control: &Control<'_>,
    ) -> Result<u64, TraceError> {
        match &self.0.rays {
            Rays::One(cpu, _) => cpu.nearest_each(points, found, answer, control),
            Rays::Two(levels, _) => levels.nearest_each(points, found, answer, control),
        }
    }

    pub(super) fn nearest_of(&self, found: &NearestPoint) -> Nearest {
        let NearestPoint { point, distance, u, v, instance, primitive, feature } = *found;
        let user = self.user_of(instance);
        Nearest { point, distance, u, v, instance, primitive, user, feature }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Affine64, Levels, SceneOptions, TraceError};
    use raywarp_testing::Random;
    use std::sync::atomic::AtomicBool;

    /// Two meshes, placed turned, mirrored and scaled, some of them sharing places.
    fn scene(levels: Levels) -> Scene {
        let mut random = Random::new(31);
        let mut corner = || random.point();
        let positions: Vec<[f32; 3]> = (0..60).map(|_| corner()).collect();
        let indices: Vec<[u32; 3]> = (0..58).map(|i| [i, i + 1, i + 2]).collect();
        let mut builder = Scene::builder();
        let (whole, part) = (builder.mesh(&positions, &indices), builder.mesh(&positions, &indices[..9]));
        for i in 0..10u32 {
            let turn = Affine64::rotation(f64::from(i / 2 * 40), [1.0, 2.0, 3.0]);
            let scale = Affine64::scale([1.5, if i > 5 { -0.5 } else { 1.0 }, 0.75]);
            let place = Affine64::translation([2.0 * f64::from(i / 4), 0.0, 0.0]).after(&turn).after(&scale);
            builder.instance(if i % 3 == 2 { part } else { whole }, place, u32::MAX, 100 + i);
        }
        builder.build(&SceneOptions { levels, ..SceneOptions::default() }, &Control::default()).unwrap()
    }

    #[test]
    fn one_level_and_two_answer_alike_one_by_one_and_at_once() {
        let (one, two) = (scene(Levels::One), scene(Levels::Two));
        let mut random = Random::new(32);
        let mut points: Vec<[f32; 3]> = (0..2000).map(|_| random.point().map(|x| 2.5 * x)).collect();
        points[7] = [f32::NAN, 0.0, 0.0];
        points[1900] = [0.0, f32::NEG_INFINITY, 0.0];
        let single: Vec<Option<Nearest>> = points.iter().map(|&point| one.nearest(point, 1.0)).collect();
        assert!(single.iter().any(Option::is_none) && single.iter().flatten().count() > 500);
        for found in single.iter().flatten() {
            assert_eq!(found.user, 100 + found.instance);
        }
        for (name, scene) in [("one", &one), ("two", &two)] {
            assert!(points.iter().zip(&single).all(|(&point, single)| scene.nearest(point, 1.0) == *single), "{name}");
            let mut found = vec![None; points.len()];
            let stats = scene.nearest_batch(&points, 1.0, &mut found, &Control::default()).unwrap();
            assert_eq!((stats.rays, stats.invalid), (2000, 2));
            assert_eq!(found, single, "{name}");
        }
    }

    #[test]
    fn what_is_farther_than_f32_can_say_is_not_found() {
        let mut random = Random::new(33);
        let (mut found_count, mut none_count) = (0, 0);
        for count in [1, 2, 5, 60] {
            let mut place = || random.point().map(|x| 3.2e38 * x.clamp(-1.0, 1.0));
            let places: Vec<[f32; 3]> = (0..count).map(|_| place()).collect();
            let asked: Vec<[f32; 3]> = (0..300).map(|_| place()).collect();
            let triangles: Vec<[u32; 3]> = (0..count).map(|i| [i; 3]).collect();
            let mirror = |[x, y, z]: [f32; 3]| [-x, y, z];
            let built = |levels| {
                let mut builder = Scene::builder();
                let mesh = builder.mesh(&places, &triangles);
                builder.instance(mesh, Affine64::IDENTITY, 1, 0);
                builder.instance(mesh, Affine64::scale([-1.0, 1.0, 1.0]), 2, 0);
                builder.build(&SceneOptions { levels, ..SceneOptions::default() }, &Control::default()).unwrap()
            };
            for (levels, scene) in [Levels::One, Levels::Two].map(|levels| (levels, built(levels))) {
                let filtered = scene.with(crate::Filter::new().mask(2));
                let mut batches = [vec![None; asked.len()], vec![None; asked.len()]];
                let [all, second] = &mut batches;
                scene.nearest_batch(&asked, f32::INFINITY, all, &Control::default()).unwrap();
                filtered.nearest_batch(&asked, f32::INFINITY, second, &Control::default()).unwrap();
                for (i, &point) in asked.iter().enumerate() {
                    let away = |place: [f32; 3]| {
                        let squared = [0, 1, 2].map(|i| (f64::from(place[i]) - f64::from(point[i])).powi(2));
                        (squared[0] + squared[1] + squared[2]).sqrt() as f32
                    };
                    let key = |found: Option<Nearest>| found.map(|it| (it.distance, it.instance, it.primitive));
                    let least = |instances: std::ops::Range<u32>| {
                        let all = instances.flat_map(|instance| triangles.iter().map(move |&[i, ..]| (instance, i)));
                        let each = all.map(|(instance, i)| {
                            let place = places[i as usize];
                            (away(if instance == 0 { place } else { mirror(place) }), instance, i)
                        });
                        each.filter(|(distance, ..)| distance.is_finite()).min_by(|a, b| a.partial_cmp(b).unwrap())
                    };
                    let [of_all, of_second] = [least(0..2), least(1..2)];
                    let told = [scene.nearest(point, f32::INFINITY), scene.nearest(point, f32::MAX), batches[0][i]];
                    assert_eq!(told.map(key), [of_all; 3], "{levels:?} {count} {point:?}");
                    let told = [filtered.nearest(point, f32::INFINITY), batches[1][i]];
                    assert_eq!(told.map(key), [of_second; 2], "{levels:?} {count} {point:?}");
                    let signed = scene.signed_distance_by_winding(point).abs();
                    assert_eq!(signed, of_all.map_or(f32::INFINITY, |(distance, ..)| distance));
                    *if of_all.is_some() { &mut found_count } else { &mut none_count } += 1;
                }
            }
        }
        assert!(found_count > 300 && none_count > 300, "{found_count} {none_count}");
    }

    #[test]
    fn a_batch_says_what_is_wrong() {
        let (scene, points) = (scene(Levels::Two), [[0.0; 3]; 5]);
        let short = scene.nearest_batch(&points, 1.0, &mut [None; 4], &Control::default());
        assert_eq!(short, Err(BatchError::Length { asked: 5, found: 4 }));
        let cancel = AtomicBool::new(true);
        let control = Control { cancel: Some(&cancel), ..Control::default() };
        let cancelled = scene.nearest_batch(&points, 1.0, &mut [None; 5], &control);
        assert_eq!(cancelled, Err(BatchError::Trace(TraceError::Cancelled)));
        let nowhere = Scene::from_triangles(&[], &[]).unwrap();
        assert_eq!(nowhere.nearest([0.0; 3], f32::INFINITY), None);
    }
}
