//! How often a ray passes surfaces, and what is inside of them.

use super::parts::{PART, each};
use super::scene::{Inner, Numbered, Rays};
use super::{BatchError, NotClosed, Scene, SceneRay};
use raywarp_cpu::open_edges;
use raywarp_geom::{BatchStats, Control, Ray};

/// Numbers of surfaces that a ray passes, from outside and from inside.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Crossings {
    /// Number of triangles passed through their front, where corners turn counter-clockwise in the mesh's own space.
    pub front: u32,
    /// Number of triangles passed through their back.
    pub back: u32,
}

impl Crossings {
    /// Returns how many solids end on the ray less those that begin: how often its start is inside of closed meshes,
    /// for a ray without end.
    pub fn winding(&self) -> i64 {
        i64::from(self.back) - i64::from(self.front)
    }
}

/// Direction of the rays that decide what is inside: along no axis, diagonal or edge that a program would make.
pub(super) const ACROSS: [f32; 3] = [0.574_238_6, 0.335_187_1, 0.747_031_9];

impl Scene {
    /// Counts the surfaces that a ray passes within `t_min <= t < t_max`, by the side from which it comes. One walk.
    ///
    /// Where the ray passes an edge or a corner, one of the triangles that share it counts for each surface that is
    /// passed there, by a half-open rule ([`Watertight::crosses`](raywarp_geom::triangle::Watertight::crosses)). So for
    /// closed meshes `front - back` of two rays that follow each other is that of the whole, and of a ray without end
    /// it tells what its start is inside of ([`Crossings::winding`]), exactly, unless the start is within 64 half-ulps
    /// of its largest coordinate difference to the mesh from the surface. At a silhouette that a ray only grazes,
    /// `front` and `back` by themselves may count a pair more or less.
    ///
    /// ```
    /// use raywarp::{Crossings, Ray, Scene};
    ///
    /// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let scene = Scene::from_triangles(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
    /// // In through a face, out through an edge.
    /// let through = scene.crossings(&Ray::new([-1.0, 0.5, 0.25], [1.0, 0.0, 0.125]));
    /// assert_eq!(through, Crossings { front: 1, back: 1 });
    /// assert_eq!(scene.contains([0.1, 0.1, 0.1]), Ok(true));
    /// # Ok::<(), raywarp::SceneError>(())
    /// ```
    pub fn crossings<R: SceneRay>(&self, ray: &R) -> Crossings {
        ray.crossings_in(self, None)
    }

    /// Counts for each ray what [`Scene::crossings`] counts, in parallel on the CPU where there are many: `passed` has
    /// one place a ray.
    ///
    /// ```
    /// use raywarp::{Control, Crossings, Ray, Scene};
    ///
    /// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let scene = Scene::from_triangles(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
    /// // From outside, and from inside.
    /// let rays = [-1.0, 0.125].map(|x| Ray::new([x, 0.25, 0.125], [1.0, 0.0, 0.0]));
    /// let mut passed = [Crossings::default(); 2];
    /// scene.crossings_batch(&rays, &mut passed, &Control::default())?;
    /// assert_eq!(passed, [Crossings { front: 1, back: 1 }, Crossings { front: 0, back: 1 }]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`BatchError::Length`]; [`TraceError::Cancelled`](crate::TraceError::Cancelled) when `control` says so.
    pub fn crossings_batch<R: SceneRay>(
        &self,
        rays: &[R],
        passed: &mut [Crossings],
        control: &Control<'_>,
    ) -> Result<BatchStats, BatchError> {
        BatchError::check(rays.len(), passed.len())?;
        each((rays, PART), passed, control, |ray| self.crossings(ray))?;
        Ok(self.stats_of_rays(rays))
    }

    /// Returns whether a point, relative to [`Scene::origin`], is inside of the scene's meshes: of their union where
    /// they overlap, and not in their cavities. It is where [`Crossings::winding`] is not 0: fronts should look
    /// outwards, since a mesh that is inside out has the same inside by itself, but takes away from others that it
    /// overlaps. One ray ([`Scene::crossings`], whose bound holds here too); a NaN is outside.
    ///
    /// The first question of a scene also finds out whether its meshes are closed ([`Scene::closed`]). For meshes that
    /// are not there is [`Scene::winding_number`].
    ///
    /// ```
    /// use raywarp::Scene;
    ///
    /// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let sides = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    /// let scene = Scene::from_triangles(&corners, &sides)?;
    /// assert_eq!((scene.contains([0.1, 0.1, 0.1])?, scene.contains([0.5, 0.5, 0.5])?), (true, false));
    /// let open = Scene::from_triangles(&corners, &sides[1..])?;
    /// assert_eq!(open.contains([0.1, 0.1, 0.1]).map_err(|error| error.open_edges), Err(3));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`NotClosed`].
    pub fn contains(&self, point: [f32; 3]) -> Result<bool, NotClosed> {
        self.closed()?;
        Ok(self.is_inside(point))
    }

    /// Finds for each point what [`Scene::contains`] returns, in parallel on the CPU where there are many: `inside` has
    /// one place a point. The statistics count points as rays, those that are NaN or infinite as invalid.
    ///
    /// The look at the edges, if this is the scene's first question, is not cancelled midway.
    ///
    /// ```
    /// use raywarp::{Control, Scene};
    ///
    /// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let scene = Scene::from_triangles(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
    /// let mut inside = [false; 3];
    /// let points = [[0.1, 0.1, 0.1], [0.5, 0.5, 0.5], [f32::NAN, 0.1, 0.1]];
    /// let stats = scene.contains_batch(&points, &mut inside, &Control::default())?;
    /// assert_eq!((inside, stats.invalid), ([true, false, false], 1));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`BatchError::Length`]; [`BatchError::NotClosed`];
    /// [`TraceError::Cancelled`](crate::TraceError::Cancelled) when `control` says so.
    pub fn contains_batch(
        &self,
        points: &[[f32; 3]],
        inside: &mut [bool],
        control: &Control<'_>,
    ) -> Result<BatchStats, BatchError> {
        BatchError::check(points.len(), inside.len())?;
        self.closed()?;
        each((points, PART), inside, control, |&point| self.is_inside(point))?;
        Ok(self.stats_of_points(points))
    }

    /// Returns whether a point is inside of meshes that are closed.
    pub(super) fn is_inside(&self, point: [f32; 3]) -> bool {
        self.crossings(&Ray::new(point, ACROSS)).winding() != 0
    }

    /// Returns the statistics of points that were answered by a ray for each.
    pub(super) fn stats_of_points(&self, points: &[[f32; 3]]) -> BatchStats {
        let invalid = points.iter().filter(|point| !point.iter().all(|x| x.is_finite())).count();
        BatchStats::of(self.kernel_name(), points.len() as u64).with_invalid(invalid as u64)
    }

    /// Returns whether every placed mesh is closed: each edge has a partner that runs the other way between places with
    /// the same bits. It is decided for each mesh in its own positions, as they are in f32, wherever it is placed: that
    /// the rounding of a placement joins two places closes nothing, in one level or in two.
    ///
    /// The first call looks at the edges of all meshes, and the answer is kept: O(n) in parallel, some 30 ns a triangle
    /// where neighbours are near each other in the mesh's order. Meshes that stand nowhere but flattened, by
    /// transforms, were looked at when they were built, since their own positions are not kept.
    ///
    /// ```
    /// use raywarp::Scene;
    ///
    /// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let sides = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    /// assert!(Scene::from_triangles(&corners, &sides)?.closed().is_ok());
    /// let open = Scene::from_triangles(&corners, &sides[1..])?.closed();
    /// assert_eq!(open.map_err(|error| (error.instance, error.open_edges)), Err((0, 3)));
    /// # Ok::<(), raywarp::SceneError>(())
    /// ```
    ///
    /// # Errors
    /// [`NotClosed`], with the first placement that is not.
    pub fn closed(&self) -> Result<(), NotClosed> {
        *self.0.closed.get_or_init(|| self.first_open().map_or(Ok(()), Err))
    }

    /// Returns the first placement of a mesh that is not closed.
    fn first_open(&self) -> Option<NotClosed> {
        let Inner { rays, numbered, kept, .. } = &*self.0;
        let (flat, trees) = match rays {
            Rays::One(cpu, _) => (Some(cpu), &[][..]),
            Rays::Two(levels, _) if kept.is_divided => (None, levels.trees()),
            Rays::Two(levels, _) => (levels.trees().last(), levels.trees()),
        };
        // Of meshes without a tree the corners of a placement by the identity are their own.
        let mut in_world: Vec<Option<u32>> = vec![None; kept.parts.len()];
        let mut moved = kept.flattened.keys().peekable();
        let keyed = numbered.chunk_by(|a, b| a.id == b.id).flat_map(|run| (0..).zip(run));
        for (number, (index, Numbered { id, mesh, .. })) in (0..).zip(keyed) {
            if moved.next_if_eq(&&(*id, index)).is_none() {
                in_world[*mesh as usize].get_or_insert(number);
            }
        }
        let count = |mesh: usize| {
            let mesh_of = kept.mesh(mesh)?;
            if mesh_of.is_custom || mesh_of.open_edges.is_some() {
                return mesh_of.open_edges;
            }
            let corners = match mesh_of.tree {
                Some(tree) => trees[tree as usize].corners(),
                None => flat?.corners_of(in_world[mesh]?),
            };
            Some(open_edges(corners.len(), |triangle| corners[triangle]))
        };
        let mut counted = vec![false; kept.parts.len()];
        (0..).zip(numbered).find_map(|(instance, numbered)| {
            let mesh = numbered.mesh as usize;
            let is_known = std::mem::replace(&mut counted[mesh], true);
            let open_edges = if is_known { 0 } else { count(mesh).unwrap_or(0) };
            (open_edges > 0).then_some(NotClosed { instance, open_edges })
        })
    }

    /// Returns `true` if every placed mesh is closed; see [`Scene::closed`].
    pub fn is_closed(&self) -> bool {
        self.closed().is_ok()
    }
}
