//! [`SceneBuilder`]: meshes, groups and placements, of which a scene is made.

use super::assemble;
use super::ids::{GeometryId, InstanceId, Placement};
use super::source::{Indices, Positions};
use super::{Scene, SceneError};
use crate::device::DeviceChoice;
use raywarp_bvh::BuildOptions;
use raywarp_cpu::Geometry;
use raywarp_geom::{Affine64, Control};
use std::sync::Arc;

/// Largest depth to which groups stand in groups.
pub(super) const MOST_LEVELS: usize = 4;

/// Number of levels of a scene's trees. It cannot be seen in a hit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Levels {
    /// Two where that saves memory: a mesh that is placed several times, with 20,000 triangles or more in all
    /// placements together, keeps a tree of its own; all others go into one tree. GPUs always get one tree. Scenes that
    /// are loaded from files to be rendered or traced go by another rule, of memory and of how long a picture takes.
    #[default]
    Auto,
    /// One tree over all triangles of all placements: the fastest rays, and the memory of every placement.
    One,
    /// A tree for each mesh, placed or not, and one over the placements: what moves is cheap to move
    /// ([`Scene::edit`]).
    Two,
}

/// Options of building a [`Scene`].
#[derive(Debug, Clone, Default)]
pub struct SceneOptions {
    /// How trees are built, from fastest to best: [`presets`](crate::bvh::presets) have their prices. `None` is the
    /// default of the device: [`presets::BLOCKS`](raywarp_bvh::presets::BLOCKS), or
    /// [`presets::GPU`](raywarp_bvh::presets::GPU) where GPUs are named.
    pub quality: Option<BuildOptions>,
    /// Number of levels.
    pub levels: Levels,
    /// Who traces batches: by default this CPU, and a GPU once so many rays were asked for that one is worth its start.
    pub device: DeviceChoice,
}

/// What a builder was given to place.
pub(super) enum Part<'a> {
    Mesh(Positions<'a>, Indices<'a>),
    Group(Arc<[Placement]>),
    Custom(Arc<dyn Geometry>),
}

impl Part<'_> {
    /// Returns the members of a group.
    pub fn members(&self) -> Option<Arc<[Placement]>> {
        match self {
            Self::Mesh(..) | Self::Custom(_) => None,
            Self::Group(members) => Some(members.clone()),
        }
    }
}

/// Placement of a mesh or a group in the scene.
#[derive(Debug, Clone, Copy)]
pub(super) struct Instance {
    pub id: InstanceId,
    pub placement: Placement,
    pub user: u32,
}

/// Builder of a [`Scene`]: borrows meshes, places them, and makes the trees.
///
/// ```
/// use raywarp::{Affine64, Control, Ray, Scene, SceneOptions};
///
/// let positions = [[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
/// let mut builder = Scene::builder();
/// let triangle = builder.mesh(&positions, &[[0, 1, 2]]);
/// for i in 0..1000 {
///     builder.instance(triangle, Affine64::translation([0.0, 0.0, f64::from(i)]), u32::MAX, 7 * i);
/// }
/// let scene = builder.build(&SceneOptions::default(), &Control::default())?;
/// let hit = scene.closest(&Ray::new([0.25, 0.25, 41.5], [0.0, 0.0, 1.0])).expect("in front");
/// assert_eq!((hit.t, hit.instance, hit.user), (0.5, 42, 294));
/// # Ok::<(), raywarp::SceneError>(())
/// ```
#[derive(Default)]
pub struct SceneBuilder<'a> {
    pub(super) parts: Vec<Part<'a>>,
    pub(super) instances: Vec<Instance>,
}

impl std::fmt::Debug for SceneBuilder<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let meshes = self.parts.iter().filter(|part| matches!(part, Part::Mesh(..))).count();
        f.debug_struct("SceneBuilder")
            .field("meshes", &meshes)
            .field("groups", &self.parts.iter().filter(|part| matches!(part, Part::Group(_))).count())
            .field("custom", &self.parts.iter().filter(|part| matches!(part, Part::Custom(_))).count())
            .field("instances", &self.instances.len())
            .finish()
    }
}

impl<'a> SceneBuilder<'a> {
    /// Adds a mesh, which is seen where it is placed: vertex positions in f32 or f64, and three indices a triangle. It
    /// is borrowed until the scene is built, and not looked at before: what is wrong with it is an error of
    /// [`SceneBuilder::build`]. Vertices that no triangle uses may be anything.
    ///
    /// ```
    /// use raywarp::{Affine64, Control, Indices, Positions, Scene, SceneOptions};
    ///
    /// // Position and normal of each vertex, one after the other; every three vertices are a triangle.
    /// let vertices = [0.0f32, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    /// let mut builder = Scene::builder();
    /// let mesh = builder.mesh(Positions::strided(&vertices, 6), Indices::IN_ORDER);
    /// builder.instance(mesh, Affine64::IDENTITY, u32::MAX, 0);
    /// let scene = builder.build(&SceneOptions::default(), &Control::default())?;
    /// assert_eq!(scene.bounds().max, [1.0, 1.0, 0.0]);
    /// # Ok::<(), raywarp::SceneError>(())
    /// ```
    pub fn mesh(&mut self, positions: impl Into<Positions<'a>>, indices: impl Into<Indices<'a>>) -> GeometryId {
        self.part(Part::Mesh(positions.into(), indices.into()))
    }

    /// Adds custom geometry, which is placed as a mesh is, and has a tree of its own whatever
    /// [`SceneOptions::levels`] says. Rays hit it, and [`Scene::nearest`] finds it if it answers points
    /// ([`Geometry::nearest`]); [`Scene::crossings`], [`Scene::contains`] and [`Scene::overlaps`] do not see it.
    ///
    /// ```
    /// use raywarp::{Aabb, Affine64, Control, Geometry, GeometryHit, Ray, Scene, SceneOptions};
    /// use std::sync::Arc;
    ///
    /// /// The square from -1 to 1 at z = 0.
    /// struct Square;
    ///
    /// impl Geometry for Square {
    ///     fn len(&self) -> usize {
    ///         1
    ///     }
    ///
    ///     fn bounds(&self, _: u32) -> Aabb {
    ///         Aabb { min: [-1.0, -1.0, 0.0], max: [1.0, 1.0, 0.0] }
    ///     }
    ///
    ///     fn intersect(&self, _: u32, ray: &Ray) -> Option<GeometryHit> {
    ///         let t = -ray.origin[2] / ray.direction[2];
    ///         let [u, v, _] = ray.at(t);
    ///         (u.abs() <= 1.0 && v.abs() <= 1.0).then_some(GeometryHit { t, u, v, is_front: ray.direction[2] < 0.0 })
    ///     }
    /// }
    ///
    /// let mut builder = Scene::builder();
    /// let square = builder.custom(Arc::new(Square));
    /// builder.instance(square, Affine64::translation([0.0, 0.0, 5.0]), u32::MAX, 7);
    /// let scene = builder.build(&SceneOptions::default(), &Control::default())?;
    /// let hit = scene.closest(&Ray::new([0.5, 0.25, 0.0], [0.0, 0.0, 1.0])).expect("ahead");
    /// assert_eq!((hit.t, hit.u, hit.v, hit.user), (5.0, 0.5, 0.25, 7));
    /// # Ok::<(), raywarp::SceneError>(())
    /// ```
    pub fn custom(&mut self, geometry: Arc<dyn Geometry>) -> GeometryId {
        self.part(Part::Custom(geometry))
    }

    /// Adds a group of placements, which is placed as a mesh is. Groups may stand in groups, four deep. A group is kept
    /// once, however often it is placed; each placement of a mesh that it stands for is one of the scene.
    ///
    /// ```
    /// use raywarp::{Affine64, Control, Placement, Scene, SceneOptions};
    ///
    /// let mut builder = Scene::builder();
    /// let mesh = builder.mesh(&[[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]]);
    /// let along = |x: f64| Affine64::translation([x, 0.0, 0.0]);
    /// let pair = builder.group(&[0.0, 2.0].map(|x| Placement::new(mesh, along(x))));
    /// let row = builder.group(&[0.0, 4.0].map(|x| Placement::new(pair, along(x))));
    /// builder.instance(row, along(100.0), u32::MAX, 0);
    /// let scene = builder.build(&SceneOptions::default(), &Control::default())?;
    /// assert_eq!((scene.instance_count(), scene.bounds().max[0]), (4, 107.0));
    /// # Ok::<(), raywarp::SceneError>(())
    /// ```
    pub fn group(&mut self, placements: &[Placement]) -> GeometryId {
        self.part(Part::Group(placements.into()))
    }

    fn part(&mut self, part: Part<'a>) -> GeometryId {
        self.parts.push(part);
        GeometryId((self.parts.len() - 1) as u32)
    }

    /// Places a mesh or a group in the scene; hits on it have the number `user`. A question with a
    /// [`Filter::mask`](crate::Filter::mask) sees it if that shares a bit with `mask`, one without sees it in any case.
    /// A group's mask and its member's are joined by "and".
    ///
    /// The transform may turn, scale, shear and mirror. A mirrored surface keeps its front, where its corners turn
    /// counter-clockwise in the mesh's own space. One that flattens space is an error of [`SceneBuilder::build`].
    ///
    /// ```
    /// use raywarp::{Affine64, Control, Filter, Ray, Scene, SceneOptions};
    ///
    /// let mut builder = Scene::builder();
    /// let sheet = builder.mesh(&[[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]]);
    /// builder.instance(sheet, Affine64::translation([0.0, 0.0, 1.0]), 0b01, 70);
    /// builder.instance(sheet, Affine64::scale([2.0, 2.0, 1.0]), 0b10, 71);
    /// let scene = builder.build(&SceneOptions::default(), &Control::default())?;
    /// let ray = Ray::new([0.25, 0.25, 3.0], [0.0, 0.0, -1.0]);
    /// let user = |mask| scene.with(Filter::new().mask(mask)).closest(&ray).map(|hit| hit.user);
    /// assert_eq!([0b11, 0b10, 0b100].map(user), [Some(70), Some(71), None]);
    /// # Ok::<(), raywarp::SceneError>(())
    /// ```
    pub fn instance(&mut self, mesh: GeometryId, transform: Affine64, mask: u32, user: u32) -> InstanceId {
        self.placed(Placement { mask, ..Placement::new(mesh, transform) }, user)
    }

    /// Places a mesh or a group so that it moves, from the first transform at time 0 to the second at time 1; all else
    /// is as [`SceneBuilder::instance`] has it. Rays ask at a time of their own ([`RayExtra`](crate::cpu::RayExtra)),
    /// questions with a filter at its time ([`Filter::time`](crate::Filter::time)), and all others at time 0.
    ///
    /// At a time between, a mesh is where [`Affine::between`](crate::Affine::between) of its two maps takes it, each
    /// relative to the scene's origin and rounded to f32: a hit has the bits of the scene in which the mesh stands
    /// still there, but for a [`Ray64`](crate::Ray64), which is rounded at the scene's bounds: they hold all times. In
    /// groups the transforms at time 0 are composed, those at time 1 as well, and what comes out is
    /// interpolated. So points go along straight lines, and what turns shrinks on its way: by 0.4 % for a turn of 10
    /// degrees, and by half a turn to next to nothing: at a time at which the transform flattens space exactly it is
    /// not seen. A placement that turns far is best told as several, in scenes of a shorter time. One whose two
    /// transforms are the same counts as what moves.
    ///
    /// What moves has a tree of its own, whatever [`SceneOptions::levels`] says, on this CPU.
    ///
    /// ```
    /// use raywarp::{Affine64, Control, Filter, Ray, Scene, SceneOptions};
    ///
    /// let mut builder = Scene::builder();
    /// let sheet = builder.mesh(&[[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]]);
    /// let up = |z: f64| Affine64::translation([0.0, 0.0, z]);
    /// builder.moving(sheet, [up(1.0), up(3.0)], u32::MAX, 0);
    /// let scene = builder.build(&SceneOptions::default(), &Control::default())?;
    /// let ray = Ray::new([0.25, 0.25, 0.0], [0.0, 0.0, 1.0]);
    /// let seen = [0.0, 0.25, 1.0].map(|time| scene.with(Filter::new().time(time)).closest(&ray).map(|hit| hit.t));
    /// assert_eq!(seen, [Some(1.0), Some(1.5), Some(3.0)]);
    /// assert_eq!(scene.closest(&ray).map(|hit| hit.t), Some(1.0));
    /// # Ok::<(), raywarp::SceneError>(())
    /// ```
    pub fn moving(&mut self, mesh: GeometryId, transforms: [Affine64; 2], mask: u32, user: u32) -> InstanceId {
        self.placed(Placement { mask, ..Placement::moving(mesh, transforms) }, user)
    }

    fn placed(&mut self, placement: Placement, user: u32) -> InstanceId {
        let id = InstanceId(self.instances.len() as u32);
        self.instances.push(Instance { id, placement, user });
        id
    }

    /// Makes the scene, in parallel on rayon's current pool.
    ///
    /// `control` cancels it within trees too: [`build_controlled`](crate::bvh::build_controlled). With default options
    /// it returns some ten milliseconds after a cancel at most for a million triangles, usually less than one, and
    /// later where other programs have the cores. Meshes in 64-bit floats are rounded, and trees of custom geometry
    /// built, without a look.
    ///
    /// At the peak a build takes 87 to 121 bytes a triangle beyond the meshes with default options, 250 with passes of
    /// reinsertion and 290 with spatial splits. What `control` is told adds up to the number of triangles of all trees:
    /// those of a mesh with a tree of its own count once, others once for each placement.
    ///
    /// ```
    /// use raywarp::{Affine64, Control, Scene, SceneError, SceneOptions};
    ///
    /// let mut builder = Scene::builder();
    /// let mesh = builder.mesh(&[[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]]);
    /// builder.instance(mesh, Affine64::scale([1.0, 0.0, 1.0]), u32::MAX, 0);
    /// let flat = builder.build(&SceneOptions::default(), &Control::default());
    /// assert!(matches!(flat, Err(SceneError::Singular { instance: 0 })));
    /// ```
    ///
    /// # Errors
    /// [`SceneError`]: what is wrong with a mesh, a placement or a group, by its number; a GPU that was named and is
    /// not there, or cannot take what is placed; [`SceneError::Cancelled`].
    pub fn build(self, options: &SceneOptions, control: &Control<'_>) -> Result<Scene, SceneError> {
        assemble::scene(&self, options, control)
    }
}
