//! [`Scene`], and what one ray asks of it.

use super::builder::{SceneBuilder, SceneOptions};
use super::ids::InstanceId;
use super::kept::{Kept, Starts};
use super::rims::Rims;
use super::source::{Indices, Positions};
use super::{NotClosed, SceneError, SceneRay, SurfaceHit};
use crate::device::{Backend, Plan};
use raywarp_cpu::{CpuTracer, LevelsTracer};
use raywarp_geom::origin::RoundingWarning;
use raywarp_geom::{Aabb, Affine64, Control, Hit, KernelName, Ray, Tracer};
use std::ops::ControlFlow;
use std::sync::{Arc, OnceLock};

/// Triangle meshes placed in the world, ready for questions: of rays one by one on the CPU, and of batches on the CPU
/// or GPUs.
///
/// What moves ([`SceneBuilder::moving`]) is seen where it is at time 0, but for questions with a time of their own.
///
/// A scene is a snapshot that never changes, and cheap to clone: threads may ask it at once.
///
/// Hits are watertight: no ray slips between two triangles that share an edge, also of two placements if the edge's
/// ends have the same bits in the world. Of hits at the same `t` the one with the lower (instance, primitive) is
/// reported. They have the same bits, whatever traces, and whether or not placements were flattened.
///
/// Single rays are traced on the CPU: a launch takes a GPU longer than one ray takes a CPU.
///
/// # What holds for every question
/// - **Units**: positions, distances and boxes are in the unit of the meshes, relative to [`Scene::origin`], which is
///   zero for most scenes; `t` counts in lengths of the ray's direction. A [`Ray64`](crate::Ray64), its `t` and its
///   positions are in the caller's coordinates.
/// - **Ties**: of hits at one `t`, and of points at one distance, the lower (instance, primitive) answers.
/// - **Cost**: one ray, point or box is one walk of the trees on the calling thread, which allocates nothing, and whose
///   time grows about as the logarithm of the number of triangles, and with what is told. Batches walk in parallel on
///   rayon's current pool.
/// - **Errors**: a ray with a NaN, or with a direction of zero, hits nothing, and a point that is NaN or infinite has
///   nothing near it; batches count them ([`BatchStats`](crate::BatchStats)).
///
/// ```
/// use raywarp::{Ray, Scene};
///
/// let scene = Scene::from_triangles(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
/// let hit = scene.closest(&Ray::new([0.25, 0.25, 1.0], [0.0, 0.0, -1.0])).expect("in front");
/// assert_eq!((hit.t, hit.instance, hit.primitive), (1.0, 0, 0));
/// # Ok::<(), raywarp::SceneError>(())
/// ```
#[derive(Clone)]
pub struct Scene(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub rays: Rays,
    /// What the placements of meshes are known by, in the order of their numbers.
    pub numbered: Vec<Numbered>,
    /// Point to which rays and hits are relative.
    pub origin: [f64; 3],
    /// What f32 is too coarse for.
    pub rounding: Option<RoundingWarning>,
    /// Box around all triangles, which does not depend on the number of levels.
    pub reach: Aabb,
    /// `true` if batches are traced on GPUs that were named.
    pub is_on_gpus: bool,
    /// Whether every placed mesh is closed, once somebody asked.
    pub closed: OnceLock<Result<(), NotClosed>>,
    /// Open edges, once somebody asked what goes round a point.
    pub rims: OnceLock<Rims>,
    /// What groups stand for, once somebody asked.
    pub starts: OnceLock<Starts>,
    /// What edits go by.
    pub kept: Kept,
}

/// What traces rays.
pub(super) enum Rays {
    /// One tree over all triangles, and what traces batches.
    One(Arc<CpuTracer>, Box<Backend>),
    /// Two levels, on the CPU.
    Two(LevelsTracer, Box<Plan>),
}

/// What a placement of a mesh is known by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Numbered {
    pub id: InstanceId,
    pub mask: u32,
    pub user: u32,
    /// Number of the mesh.
    pub mesh: u32,
    /// `true` if its transform mirrors, at time 0.
    pub is_mirrored: bool,
    /// `true` if it moves.
    pub moves: bool,
}

impl std::fmt::Debug for Scene {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let levels = match self.0.rays {
            Rays::One(..) => 1,
            Rays::Two(..) => 2,
        };
        f.debug_struct("Scene")
            .field("instances", &self.0.numbered.len())
            .field("levels", &levels)
            .field("bytes", &self.bytes())
            .field("bounds", &self.bounds())
            .finish()
    }
}

impl Scene {
    /// Makes the scene of one mesh: vertex positions, and three indices of vertices a triangle, in parallel, for this
    /// CPU. The mesh is instance 0.
    ///
    /// O(n log n) for n triangles: about a fifth of a second for a million on two cores.
    ///
    /// ```
    /// use raywarp::Scene;
    ///
    /// let positions = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]];
    /// let scene = Scene::from_triangles(&positions, &[[0, 1, 2], [1, 3, 2]])?;
    /// assert_eq!(scene.instance_count(), 1);
    /// assert!(Scene::from_triangles(&positions, &[[0, 1, 4]]).is_err());
    /// # Ok::<(), raywarp::SceneError>(())
    /// ```
    ///
    /// # Errors
    /// [`SceneError::Mesh`]: an index out of range, or a used vertex that is NaN or infinite; [`SceneError::Flat`]: too
    /// many triangles.
    pub fn from_triangles(positions: &[[f32; 3]], indices: &[[u32; 3]]) -> Result<Self, SceneError> {
        let mut builder = Self::builder();
        let mesh = builder.mesh(Positions::from(positions), Indices::from(indices));
        builder.instance(mesh, Affine64::IDENTITY, u32::MAX, 0);
        builder.build(&SceneOptions::default(), &Control::default())
    }

    /// Returns a builder for scenes of many meshes, placed once or a million times; [`SceneBuilder`] has an example.
    pub fn builder<'a>() -> SceneBuilder<'a> {
        SceneBuilder::default()
    }

    /// Returns the nearest hit of a ray within its interval, ends included, or `None`. One walk, which leaves out what
    /// lies behind the nearest so far.
    ///
    /// ```
    /// use raywarp::{Ray, Scene};
    ///
    /// let scene = Scene::from_triangles(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// let ray = Ray::new([0.25, 0.5, 4.0], [0.0, 0.0, -2.0]);
    /// let hit = scene.closest(&ray).expect("below");
    /// assert_eq!((hit.t, hit.position(&ray), [hit.u, hit.v]), (2.0, [0.25, 0.5, 0.0], [0.25, 0.5]));
    /// assert_eq!(scene.closest(&ray.with_interval(0.0, 1.5)), None);
    /// # Ok::<(), raywarp::SceneError>(())
    /// ```
    pub fn closest<R: SceneRay>(&self, ray: &R) -> Option<R::Hit> {
        ray.closest_in(self, None)
    }

    /// Returns `true` if the ray hits anything within its interval, ends included: wherever [`Scene::closest`] has a
    /// hit. One walk, which ends with the first hit that it meets.
    ///
    /// ```
    /// use raywarp::{Ray, Scene};
    ///
    /// let scene = Scene::from_triangles(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// let down = |x: f32| Ray::new([x, 0.25, 1.0], [0.0, 0.0, -1.0]);
    /// assert!(scene.any(&down(0.5)) && !scene.any(&down(0.8)));
    /// # Ok::<(), raywarp::SceneError>(())
    /// ```
    pub fn any<R: SceneRay>(&self, ray: &R) -> bool {
        ray.any_in(self, None)
    }

    /// Returns all hits of a ray, nearest first: each (instance, primitive) once.
    ///
    /// A triangle counts with its edges and corners. So a ray through an edge that two triangles share hits both, at
    /// the same `t` but for rounding, and one through a corner hits all triangles around it: to count surfaces that a
    /// ray passes, ask for [`Scene::crossings`]. One walk and a sort, and a `Vec` of the hits; [`Scene::all_into`]
    /// fills one of the caller's.
    ///
    /// ```
    /// use raywarp::{Ray, Scene};
    ///
    /// let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    /// let scene = Scene::from_triangles(&square, &[[0, 1, 2], [0, 2, 3]])?;
    /// let down = |x: f32| Ray::new([x, 0.5, 1.0], [0.0, 0.0, -1.0]);
    /// let found = |x: f32| scene.all(&down(x)).map(|hit| hit.primitive).collect::<Vec<_>>();
    /// // Beside the diagonal, and on it, where one surface is passed.
    /// assert_eq!((found(0.75), found(0.5).len()), (vec![0], 2));
    /// assert_eq!(scene.crossings(&down(0.5)).front, 1);
    /// # Ok::<(), raywarp::SceneError>(())
    /// ```
    pub fn all<R: SceneRay>(&self, ray: &R) -> impl Iterator<Item = R::Hit> + use<R> {
        let mut hits = Vec::new();
        self.all_into(ray, &mut hits);
        hits.into_iter()
    }

    /// Writes all hits of a ray into `hits`, as [`Scene::all`] returns them; what was there goes. One walk and a sort;
    /// allocates nothing but what `hits` lacks.
    ///
    /// ```
    /// use raywarp::{Ray, Scene};
    ///
    /// let sheet = |z: f32| [[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]];
    /// let scene = Scene::from_triangles(&[sheet(2.0), sheet(0.0)].concat(), &[[0, 1, 2], [3, 4, 5]])?;
    /// let mut hits = Vec::new();
    /// for x in [0.25, 0.75] {
    ///     scene.all_into(&Ray::new([x, 0.5, -1.0], [0.0, 0.0, 1.0]), &mut hits);
    ///     let found: Vec<_> = hits.iter().map(|hit| (hit.t, hit.primitive)).collect();
    ///     assert_eq!(found, if x < 0.5 { vec![(1.0, 1), (3.0, 0)] } else { Vec::new() });
    /// }
    /// # Ok::<(), raywarp::SceneError>(())
    /// ```
    pub fn all_into<R: SceneRay>(&self, ray: &R, hits: &mut Vec<R::Hit>) {
        ray.all_in(self, None, hits);
    }

    /// Passes every hit of a ray on to `receive`, each (instance, primitive) once and in no order, until it breaks;
    /// returns whether it did. One walk, whose time grows with the number of hits and no faster.
    ///
    /// A triangle counts with its edges and corners, as in [`Scene::all`]. `receive` may ask the scene itself.
    ///
    /// ```
    /// use raywarp::{Affine64, Control, Ray, Scene, SceneOptions};
    /// use std::ops::ControlFlow;
    ///
    /// let positions = [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    /// let mut builder = Scene::builder();
    /// let sheet = builder.mesh(&positions, &[[0, 1, 2]]);
    /// for z in [1.0, 2.0, 3.0] {
    ///     builder.instance(sheet, Affine64::translation([0.0, 0.0, z]), u32::MAX, 0);
    /// }
    /// let scene = builder.build(&SceneOptions::default(), &Control::default())?;
    /// let mut hits = 0;
    /// let flow = scene.visit(&Ray::new([0.25, 0.25, 0.0], [0.0, 0.0, 1.0]), |_hit| {
    ///     hits += 1;
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!((hits, flow), (3, ControlFlow::Continue(())));
    /// # Ok::<(), raywarp::SceneError>(())
    /// ```
    pub fn visit<R: SceneRay>(&self, ray: &R, mut receive: impl FnMut(&R::Hit) -> ControlFlow<()>) -> ControlFlow<()> {
        ray.visit_in(self, None, &mut receive)
    }

    /// Returns the origin to which rays and hits are relative: zero, except for scenes too far from zero for f32, in
    /// f64 or placed there.
    pub fn origin(&self) -> [f64; 3] {
        self.0.origin
    }

    /// Returns a warning if the scene is both huge and fine, so that positions in f32 relative to [`Scene::origin`] are
    /// too coarse for its triangles: what was told in f64 was moved by rounding. It is found when the scene is built,
    /// and edits do not change it. Scenes told in f32 and not placed far off are not looked at.
    pub fn rounding(&self) -> Option<RoundingWarning> {
        self.0.rounding
    }

    /// Returns a point in the caller's coordinates relative to [`Scene::origin`], subtracted in f64 and rounded once.
    pub fn relative(&self, point: [f64; 3]) -> [f32; 3] {
        let origin = self.0.origin;
        std::array::from_fn(|i| (point[i] - origin[i]) as f32)
    }

    /// Returns a ray from a point and a direction in the caller's coordinates; [`Scene::origin`] is subtracted in f64
    /// before rounding. A [`Ray64`](crate::Ray64) keeps what this rounds.
    ///
    /// ```
    /// use raywarp::{Affine64, Control, Scene, SceneOptions};
    ///
    /// let (x, y) = (512_345.25, 5_412_345.75);
    /// let mut builder = Scene::builder();
    /// let positions = [[x, y, 0.0], [x + 1.0, y, 0.0], [x, y + 1.0, 0.0]];
    /// let mesh = builder.mesh(&positions, &[[0, 1, 2]]);
    /// builder.instance(mesh, Affine64::IDENTITY, u32::MAX, 0);
    /// let scene = builder.build(&SceneOptions::default(), &Control::default())?;
    /// let ray = scene.ray([x + 0.25, y + 0.5, 3.0], [0.0, 0.0, -1.0]);
    /// let hit = scene.closest(&ray).expect("below");
    /// assert_eq!(scene.point(&ray, hit.t), [x + 0.25, y + 0.5, 0.0]);
    /// # Ok::<(), raywarp::SceneError>(())
    /// ```
    pub fn ray(&self, from: [f64; 3], direction: [f64; 3]) -> Ray {
        Ray::new(self.relative(from), direction.map(|x| x as f32))
    }

    /// Returns the point at `t` on a ray, in the caller's coordinates.
    pub fn point(&self, ray: &Ray, t: f32) -> [f64; 3] {
        let along = |i: usize| f64::from(ray.origin[i]) + f64::from(t) * f64::from(ray.direction[i]);
        std::array::from_fn(|i| along(i) + self.0.origin[i])
    }

    /// Returns what the builder returned for the placement of this number; of a group's, that of the group, in which
    /// [`Scene::path`] tells the member. `None` if the scene has no such placement.
    pub fn instance_id(&self, instance: u32) -> Option<InstanceId> {
        self.0.numbered.get(instance as usize).map(|numbered| numbered.id)
    }

    /// Returns the number of placements of meshes, groups resolved: hits' instances are below it.
    pub fn instance_count(&self) -> usize {
        self.0.numbered.len()
    }

    /// Returns a box around all triangles at all times, relative to [`Scene::origin`]; empty if there are none. It may
    /// be somewhat larger than the least where placements keep trees of their own.
    ///
    /// ```
    /// use raywarp::{Aabb, Scene};
    ///
    /// let scene = Scene::from_triangles(&[[0.0, 0.0, 5.0], [1.0, 0.0, 5.0], [0.0, 2.0, 4.0]], &[[0, 1, 2]])?;
    /// assert_eq!(scene.bounds(), Aabb { min: [0.0, 0.0, 4.0], max: [1.0, 2.0, 5.0] });
    /// assert_eq!(Scene::from_triangles(&[], &[])?.bounds(), Aabb::EMPTY);
    /// # Ok::<(), raywarp::SceneError>(())
    /// ```
    pub fn bounds(&self) -> Aabb {
        match &self.0.rays {
            Rays::One(cpu, _) => cpu.bounds(),
            Rays::Two(levels, _) => levels.bounds(),
        }
    }

    /// Returns the number of bytes that the scene holds for this CPU; what it holds on GPUs is not counted. What scenes
    /// share is counted in each, also the memory that waits for the next copy of a mesh ([`Reshape::Refit`]).
    ///
    /// [`Reshape::Refit`]: crate::Reshape::Refit
    ///
    /// ```
    /// use raywarp::{Affine64, Control, Levels, Scene, SceneOptions};
    ///
    /// let strip: Vec<[f32; 3]> = (0..102).map(|i| [i as f32, (i % 2) as f32, 0.0]).collect();
    /// let triangles: Vec<[u32; 3]> = (0..100).map(|i| [i, i + 1, i + 2]).collect();
    /// let bytes = |levels| {
    ///     let mut builder = Scene::builder();
    ///     let mesh = builder.mesh(&strip, &triangles);
    ///     for z in 0..100 {
    ///         builder.instance(mesh, Affine64::translation([0.0, 0.0, f64::from(z)]), u32::MAX, 0);
    ///     }
    ///     let options = SceneOptions { levels, ..SceneOptions::default() };
    ///     builder.build(&options, &Control::default()).map(|scene| scene.bytes())
    /// };
    /// // 10,000 triangles, or 100 and a hundred placements of them.
    /// assert!(bytes(Levels::One)? > 10 * bytes(Levels::Two)?);
    /// # Ok::<(), raywarp::SceneError>(())
    /// ```
    pub fn bytes(&self) -> usize {
        let trees = match &self.0.rays {
            Rays::One(cpu, _) => cpu.bytes(),
            Rays::Two(levels, _) => levels.bytes(),
        };
        let starts = self.0.starts.get().map_or(0, |all| all.iter().map(|starts| size_of_val(&starts[..])).sum());
        trees + size_of_val(&self.0.numbered[..]) + self.0.kept.bytes() + starts
    }

    /// Returns the plan for large batches as it stands now: device, kernels, and why.
    pub fn plan(&self) -> Plan {
        match &self.0.rays {
            Rays::One(_, batches) => batches.plan(),
            Rays::Two(_, plan) => (**plan).clone(),
        }
    }

    /// Returns the tracer that answers batches, as the renderer takes one: hits as engines report them.
    pub fn tracer(&self) -> &dyn Tracer {
        match &self.0.rays {
            Rays::One(_, batches) => batches.tracer(),
            Rays::Two(levels, _) => levels,
        }
    }

    /// Puts a scene together; the origin is with what f32 relative to it is too coarse for.
    pub(super) fn new(
        rays: Rays,
        numbered: Vec<Numbered>,
        (origin, rounding): ([f64; 3], Option<RoundingWarning>),
        is_on_gpus: bool,
        kept: Kept,
    ) -> Self {
        let (reach, closed, rims, starts) = (kept.reach(), OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self(Arc::new(Inner { rays, numbered, origin, rounding, reach, is_on_gpus, closed, rims, starts, kept }))
    }

    /// Returns the name of what traces rays on the CPU.
    pub(super) fn kernel_name(&self) -> KernelName {
        match &self.0.rays {
            Rays::One(cpu, _) => cpu.name(),
            Rays::Two(levels, _) => levels.name(),
        }
    }

    pub(super) fn surface_hit(&self, hit: &Hit, instance: u32) -> SurfaceHit {
        SurfaceHit::new(hit, instance, self.user_of(instance))
    }

    /// Returns `true` if anything moves. O(placements).
    pub(super) fn moves(&self) -> bool {
        self.0.numbered.iter().any(|numbered| numbered.moves)
    }

    /// Returns the mask of a placement; that of none for a number that the scene does not have.
    pub(super) fn mask_of(&self, instance: u32) -> u32 {
        self.0.numbered.get(instance as usize).map_or(0, |numbered| numbered.mask)
    }

    /// Returns the number that the caller gave to a placement.
    pub(super) fn user_of(&self, instance: u32) -> u32 {
        self.0.numbered.get(instance as usize).map_or(0, |numbered| numbered.user)
    }
}
