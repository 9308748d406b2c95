//! How often surfaces that need not be closed go round a point.

use super::inside::ACROSS;
use super::parts::{LONG_PART, each};
use super::rims::{PlacedRim, Rims};
use super::scene::Rays;
use super::{BatchError, Scene};
use raywarp_cpu::{CpuTracer, rim};
use raywarp_geom::triangle::Watertight;
use raywarp_geom::{Affine, BatchStats, Control, Ray};

impl Scene {
    /// Returns how often the scene's surfaces go round a point, relative to [`Scene::origin`]: the generalised winding
    /// number of Jacobson and others 2013. For closed meshes it is a whole number, how many of them the point is inside
    /// of; around a surface with holes it changes gradually through these, so that more than 1/2 is what one would call
    /// inside. It needs no closed meshes, as [`Scene::contains`] does; fronts have to look outwards. NaN for a point
    /// that is NaN or infinite.
    ///
    /// One ray that counts exactly, and the open edges, each closed by a strip that goes on without end against the
    /// ray: the surface with its strips is closed, so that the ray's crossings are a whole number, and of the strips it
    /// is known which part of all directions each fills (Martens, Trettner and Bessmeltsev 2026, "The Antipodal
    /// Method"). For closed meshes it is exact, unless the point is within 64 half-ulps of its largest coordinate
    /// difference to the meshes from the surface; each open edge adds an error of some 1e-7 of the angle under which it
    /// is seen. [`Scene::crossings`] takes its time, and each open edge some 90 ns more; the first call of a scene
    /// finds these, as [`Scene::closed`] does, and keeps 24 bytes for each of a mesh, however often that is placed.
    ///
    /// ```
    /// use raywarp::Scene;
    ///
    /// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// // A tetrahedron without its largest side.
    /// let scene = Scene::from_triangles(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2]])?;
    /// assert!(scene.winding_number([0.1, 0.1, 0.1]) > 0.5);
    /// assert!(scene.winding_number([0.5, 0.5, 0.5]).abs() < 0.5);
    /// # Ok::<(), raywarp::SceneError>(())
    /// ```
    pub fn winding_number(&self, point: [f32; 3]) -> f64 {
        if !point.iter().all(|x| x.is_finite()) {
            return f64::NAN;
        }
        let ray = Ray::new(point, ACROSS);
        let prepared = Watertight::new(&ray);
        let rims = self.0.rims.get_or_init(|| self.find_rims());
        self.crossings(&ray).winding() as f64 + rims.swept(&prepared)
    }

    /// Finds for each point what [`Scene::winding_number`] returns, in parallel where there are many: `numbers` has one
    /// place a point. The statistics count points as rays, those that are NaN or infinite as invalid.
    ///
    /// ```
    /// use raywarp::{Control, Scene};
    ///
    /// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// // Without its largest side.
    /// let scene = Scene::from_triangles(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2]])?;
    /// let mut numbers = [0.0; 2];
    /// let points = [[0.1, 0.1, 0.1], [0.5, 0.5, 0.5]];
    /// scene.winding_number_batch(&points, &mut numbers, &Control::default())?;
    /// assert_eq!(numbers, points.map(|point| scene.winding_number(point)));
    /// assert_eq!(numbers.map(|number| number > 0.5), [true, false]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`BatchError::Length`]; [`TraceError::Cancelled`](crate::TraceError::Cancelled) when `control` says so: within
    /// 16 points a thread, or when the open edges are found if this is the scene's first question.
    pub fn winding_number_batch(
        &self,
        points: &[[f32; 3]],
        numbers: &mut [f64],
        control: &Control<'_>,
    ) -> Result<BatchStats, BatchError> {
        BatchError::check(points.len(), numbers.len())?;
        each((points, LONG_PART), numbers, control, |&point| self.winding_number(point))?;
        Ok(self.stats_of_points(points))
    }

    /// Finds the open edges of all that is placed.
    fn find_rims(&self) -> Rims {
        let is_mirrored = |instance: u32| {
            let numbered = self.0.numbered.get(instance as usize);
            numbered.is_some_and(|numbered| numbered.is_mirrored)
        };
        let own = |tree: &CpuTracer| {
            let corners = tree.corners();
            rim(corners.len(), |triangle| corners[triangle])
        };
        // Of many placements, each of which may mirror.
        let flattened = |tree: &CpuTracer| {
            let (corners, ids) = (tree.corners(), tree.ids());
            rim(corners.len(), |triangle| {
                let [a, b, c] = corners[triangle];
                if is_mirrored(ids.get(triangle).instance) { [a, c, b] } else { [a, b, c] }
            })
        };
        let whole = |tree: usize| PlacedRim { tree: tree as u32, map: Affine::IDENTITY, is_mirrored: false };
        let (trees, mut placed): (Vec<_>, Vec<_>) = match &self.0.rays {
            Rays::One(cpu, _) => (vec![flattened(cpu)], vec![whole(0)]),
            Rays::Two(levels, _) => {
                let all = levels.trees();
                let rest = (!self.0.kept.is_divided).then(|| all.len().wrapping_sub(1));
                let of_placement = |index: usize| {
                    let placement = levels.placement(index);
                    let tree = placement.tree as usize;
                    if Some(tree) == rest {
                        return whole(tree);
                    }
                    let map = placement.transform.rounded();
                    PlacedRim { tree: placement.tree, map, is_mirrored: is_mirrored(placement.base) }
                };
                let placed: Vec<PlacedRim> = (0..levels.placement_count()).map(of_placement).collect();
                let mut is_placed = vec![false; all.len()];
                placed.iter().for_each(|rim| is_placed[rim.tree as usize] = true);
                let trees = (0..all.len()).map(|tree| match is_placed[tree] {
                    false => Vec::new(),
                    true if Some(tree) == rest => flattened(&all[tree]),
                    true => own(&all[tree]),
                });
                (trees.collect(), placed)
            }
        };
        placed.retain(|placed: &PlacedRim| !trees[placed.tree as usize].is_empty());
        Rims { trees, placed }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::tests::{CUBE, CUBE_INDICES};
    use crate::{Affine64, Control, Levels, SceneOptions};
    use raywarp_testing::{Random, winding_by_angles};

    #[test]
    fn open_meshes_however_placed_have_the_winding_number_of_their_triangles() {
        let mut random = Random::new(41);
        let positions: Vec<[f32; 3]> = (0..40).map(|_| random.point()).collect();
        let soup: Vec<[u32; 3]> = (0..60).map(|_| [(); 3].map(|()| random.below(40) as u32)).collect();
        let lidless = &CUBE_INDICES[2..];
        for (levels, is_flat) in [(Levels::One, true), (Levels::Two, false), (Levels::Auto, true)] {
            let mut builder = Scene::builder();
            let meshes =
                [builder.mesh(&CUBE, lidless), builder.mesh(&positions, &soup), builder.mesh(&CUBE, &CUBE_INDICES)];
            let mut triangles = Vec::new();
            for i in 0..9usize {
                let scale = Affine64::scale([1.5, if i % 2 == 1 { -0.5 } else { 1.0 }, 0.75]);
                let turn = Affine64::rotation(40.0 * i as f64, [1.0, 2.0, 3.0]);
                let place = Affine64::translation([i as f64 / 3.0, 0.0, 0.0]).after(&turn).after(&scale);
                builder.instance(meshes[i % 3], place, u32::MAX, 0);
                let map = place.rounded();
                let (of, indices): (&[[f32; 3]], &[[u32; 3]]) =
                    [(&CUBE[..], lidless), (&positions, &soup), (&CUBE[..], &CUBE_INDICES[..])][i % 3];
                triangles.extend(indices.iter().map(|corners| {
                    let [a, b, c] = corners.map(|vertex| map.point(of[vertex as usize]));
                    if i % 2 == 1 { [a, c, b] } else { [a, b, c] }
                }));
            }
            let options = SceneOptions { levels, ..SceneOptions::default() };
            let scene = builder.build(&options, &Control::default()).unwrap();
            assert_eq!(matches!(scene.0.rays, Rays::One(..)), is_flat);
            let points: Vec<[f32; 3]> = (0..400).map(|_| random.point().map(|x| 3.0 * x)).collect();
            let mut all = vec![0.0; points.len()];
            scene.winding_number_batch(&points, &mut all, &Control::default()).unwrap();
            for (point, found) in points.iter().zip(all) {
                let want = winding_by_angles(&triangles, *point);
                assert!((found - want).abs() < 1e-5, "{levels:?} {point:?}: {found}, not {want}");
            }
        }
    }

    #[test]
    fn closed_meshes_have_whole_numbers_and_what_has_no_place_has_none() {
        let scene = Scene::from_triangles(&CUBE, &CUBE_INDICES).unwrap();
        let points = [[0.5; 3], [0.25, 0.5, 0.75], [1.5, 0.5, 0.5], [-1e30, 0.0, 1e30]];
        assert_eq!(points.map(|point| scene.winding_number(point)), [1.0, 1.0, 0.0, 0.0]);
        let mut turned = CUBE_INDICES;
        turned.iter_mut().for_each(|corners| corners.swap(0, 1));
        assert_eq!(Scene::from_triangles(&CUBE, &turned).unwrap().winding_number([0.5; 3]), -1.0);
        assert!(
            scene.winding_number([0.5, f32::NAN, 0.5]).is_nan() && scene.winding_number([f32::INFINITY; 3]).is_nan()
        );
        assert_eq!(Scene::from_triangles(&[], &[]).unwrap().winding_number([0.0; 3]), 0.0);
    }
}
