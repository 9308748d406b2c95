//! Questions of rays that leave something out, by mask, facing, a triangle or a closure, or are of a time.

use super::ray_filter::RayFilter;
use super::{Crossings, Culling, Scene, SceneRay, SurfaceHit};
use std::ops::ControlFlow;

/// What of a scene counts for a question, and when: by default everything, at time 0.
///
/// ```
/// use raywarp::{Culling, Filter, Ray, Scene};
///
/// let scene = Scene::from_triangles(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
/// let from_below = Ray::new([0.25, 0.25, -1.0], [0.0, 0.0, 1.0]);
/// assert!(scene.any(&from_below));
/// assert!(!scene.with(Filter::new().culling(Culling::Backs)).any(&from_below));
/// let near_second = |hit: &raywarp::SurfaceHit| hit.u > 0.3;
/// assert!(!scene.with(Filter::new().accept(&near_second)).any(&from_below));
/// # Ok::<(), raywarp::SceneError>(())
/// ```
pub struct Filter<'f, A = fn(&SurfaceHit) -> bool> {
    pub(super) mask: u32,
    culling: Culling,
    pub(super) skip: Option<(u32, u32)>,
    pub(super) time: f32,
    pub(super) accept: Option<&'f A>,
}

impl<A> Clone for Filter<'_, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for Filter<'_, A> {}

impl Default for Filter<'_> {
    fn default() -> Self {
        Self { mask: u32::MAX, culling: Culling::None, skip: None, time: 0.0, accept: None }
    }
}

impl<A> std::fmt::Debug for Filter<'_, A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Filter")
            .field("mask", &self.mask)
            .field("culling", &self.culling)
            .field("skip", &self.skip)
            .field("time", &self.time)
            .field("accept", &self.accept.is_some())
            .finish()
    }
}

impl Filter<'_> {
    /// Returns the filter that leaves nothing out, and sees what moves at time 0.
    pub fn new() -> Self {
        Self::default()
    }
}

impl<'f, A> Filter<'f, A> {
    /// Sees placements alone whose mask shares a bit with this one; all, whatever their masks, with all bits set, as by
    /// default.
    #[must_use]
    pub fn mask(self, mask: u32) -> Self {
        Self { mask, ..self }
    }

    /// Leaves out one side of surfaces for rays. Points and boxes come from no side: for [`Filtered::nearest`] and
    /// [`Filtered::overlaps`] it changes nothing.
    #[must_use]
    pub fn culling(self, culling: Culling) -> Self {
        Self { culling, ..self }
    }

    /// Leaves out one triangle of one placement, such as that on which a ray starts.
    #[must_use]
    pub fn skip(self, instance: u32, primitive: u32) -> Self {
        Self { skip: Some((instance, primitive)), ..self }
    }

    /// Sees what moves where it is at a time, 0 by default: from 0 to 1, where times beyond are the nearer of both, and
    /// NaN is 0. What stands still is there at every time.
    #[must_use]
    pub fn time(self, time: f32) -> Self {
        Self { time, ..self }
    }

    /// Leaves out hits for which `accept` returns `false`, such as of transparent texels. It is asked of hits that
    /// nothing else leaves out, in any order, and perhaps more than once of the same. Batches ask it in many threads,
    /// and take one that is `Sync`. What it is asked of points, [`Filtered::nearest`] says.
    #[must_use]
    pub fn accept<B: Fn(&SurfaceHit) -> bool>(self, accept: &'f B) -> Filter<'f, B> {
        let Self { mask, culling, skip, time, accept: _ } = self;
        Filter { mask, culling, skip, time, accept: Some(accept) }
    }
}

impl<A: Fn(&SurfaceHit) -> bool> Filter<'_, A> {
    /// Returns what counts for rays.
    pub(super) fn of_rays(&self) -> RayFilter<'_> {
        let Self { mask, culling, skip, time, accept } = *self;
        RayFilter { mask, culling, skip, time, accept: accept.map(|accept| accept as &dyn Fn(&SurfaceHit) -> bool) }
    }
}

/// Scene as a [`Filter`] shows it; of [`Scene::with`].
///
/// A question takes longer than of the scene itself by what the filter asks of each triangle on the ray: some
/// nanoseconds, and a closure's own time. A scene that is asked without one pays nothing.
pub struct Filtered<'s, A = fn(&SurfaceHit) -> bool> {
    pub(super) scene: &'s Scene,
    pub(super) filter: Filter<'s, A>,
}

impl<A> Clone for Filtered<'_, A> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for Filtered<'_, A> {}

impl<A> std::fmt::Debug for Filtered<'_, A> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Filtered").field("scene", &self.scene).field("filter", &self.filter).finish()
    }
}

impl Scene {
    /// Returns the scene as `filter` shows it.
    pub fn with<'s, A>(&'s self, filter: Filter<'s, A>) -> Filtered<'s, A> {
        Filtered { scene: self, filter }
    }
}

impl<A: Fn(&SurfaceHit) -> bool> Filtered<'_, A> {
    /// Returns the nearest hit of a ray that the filter lets count.
    ///
    /// ```
    /// use raywarp::{Filter, Ray, Scene};
    ///
    /// let sheet = |z: f32| [[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]];
    /// let scene = Scene::from_triangles(&[sheet(2.0), sheet(0.0)].concat(), &[[0, 1, 2], [3, 4, 5]])?;
    /// let ray = Ray::new([0.25, 0.25, 3.0], [0.0, 0.0, -1.0]);
    /// let primitive = |filter| scene.with(filter).closest(&ray).map(|hit| (hit.t, hit.primitive));
    /// assert_eq!(primitive(Filter::new()), Some((1.0, 0)));
    /// assert_eq!(primitive(Filter::new().skip(0, 0)), Some((3.0, 1)));
    /// # Ok::<(), raywarp::SceneError>(())
    /// ```
    pub fn closest<R: SceneRay>(&self, ray: &R) -> Option<R::Hit> {
        ray.closest_in(self.scene, Some(&self.filter.of_rays()))
    }

    /// Returns `true` if the ray hits anything that the filter lets count.
    ///
    /// ```
    /// use raywarp::{Filter, Ray, Scene, SurfaceHit};
    ///
    /// let scene = Scene::from_triangles(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// let is_opaque = |hit: &SurfaceHit| hit.u < 0.5;
    /// let fence = scene.with(Filter::new().accept(&is_opaque));
    /// let down = |x: f32| Ray::new([x, 0.25, 1.0], [0.0, 0.0, -1.0]);
    /// assert!(fence.any(&down(0.25)) && !fence.any(&down(0.625)));
    /// assert!(scene.any(&down(0.625)));
    /// # Ok::<(), raywarp::SceneError>(())
    /// ```
    pub fn any<R: SceneRay>(&self, ray: &R) -> bool {
        ray.any_in(self.scene, Some(&self.filter.of_rays()))
    }

    /// Passes every hit that the filter lets count on to `receive`; see [`Scene::visit`].
    ///
    /// ```
    /// use raywarp::{Filter, Ray, Scene};
    /// use std::ops::ControlFlow;
    ///
    /// let sheet = |z: f32| [[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]];
    /// let scene = Scene::from_triangles(&[sheet(2.0), sheet(0.0)].concat(), &[[0, 1, 2], [3, 4, 5]])?;
    /// let mut found = Vec::new();
    /// let flow = scene.with(Filter::new().skip(0, 0)).visit(&Ray::new([0.25, 0.25, 3.0], [0.0, 0.0, -1.0]), |hit| {
    ///     found.push(hit.primitive);
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!((found, flow), (vec![1], ControlFlow::Continue(())));
    /// # Ok::<(), raywarp::SceneError>(())
    /// ```
    pub fn visit<R: SceneRay>(&self, ray: &R, mut receive: impl FnMut(&R::Hit) -> ControlFlow<()>) -> ControlFlow<()> {
        ray.visit_in(self.scene, Some(&self.filter.of_rays()), &mut receive)
    }

    /// Writes all hits that the filter lets count into `hits`, nearest first; see [`Scene::all_into`].
    ///
    /// ```
    /// use raywarp::{Culling, Filter, Ray, Scene};
    ///
    /// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let scene = Scene::from_triangles(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
    /// let ray = Ray::new([-1.0, 0.25, 0.25], [1.0, 0.0, 0.0]);
    /// let (mut hits, mut fronts) = (Vec::new(), Vec::new());
    /// scene.all_into(&ray, &mut hits);
    /// scene.with(Filter::new().culling(Culling::Backs)).all_into(&ray, &mut fronts);
    /// assert_eq!((hits.len(), &fronts[..]), (2, &hits[..1]));
    /// # Ok::<(), raywarp::SceneError>(())
    /// ```
    pub fn all_into<R: SceneRay>(&self, ray: &R, hits: &mut Vec<R::Hit>) {
        ray.all_in(self.scene, Some(&self.filter.of_rays()), hits);
    }

    /// Counts the surfaces that a ray passes and that the filter lets count, by the side from which it comes; see
    /// [`Scene::crossings`].
    ///
    /// ```
    /// use raywarp::{Crossings, Culling, Filter, Ray, Scene};
    ///
    /// let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    /// let scene = Scene::from_triangles(&corners, &[[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])?;
    /// let ray = Ray::new([-1.0, 0.25, 0.25], [1.0, 0.0, 0.0]);
    /// let of = |culling| scene.with(Filter::new().culling(culling)).crossings(&ray);
    /// assert_eq!(of(Culling::None), Crossings { front: 1, back: 1 });
    /// assert_eq!(of(Culling::Backs), Crossings { front: 1, back: 0 });
    /// # Ok::<(), raywarp::SceneError>(())
    /// ```
    pub fn crossings<R: SceneRay>(&self, ray: &R) -> Crossings {
        ray.crossings_in(self.scene, Some(&self.filter.of_rays()))
    }
}
