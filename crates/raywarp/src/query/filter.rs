//! Questions that leave something out: by mask, facing, a triangle or a closure.

use super::{Scene, SceneRay, SurfaceHit};
use raywarp_geom::Ray;
use std::ops::ControlFlow;

/// Side of surfaces that rays do not see.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Culling {
    /// Both sides are seen.
    #[default]
    None,
    /// Fronts are not seen: where corners turn counter-clockwise in the mesh's own space, or would without a mirroring
    /// transform.
    Fronts,
    /// Backs are not seen.
    Backs,
}

/// What of a scene counts for a question; everything by default.
///
/// ```
/// use raywarp::{Culling, Filter, Ray, Scene};
///
/// let scene = Scene::from_triangles(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
/// let from_below = Ray::new([0.25, 0.25, -1.0], [0.0, 0.0, 1.0]);
/// assert!(scene.any(&from_below));
/// assert!(!scene.with(Filter::new().culling(Culling::Backs)).any(&from_below));
/// let far_from_corners = |hit: &raywarp::SurfaceHit| hit.u > 0.3;
/// assert!(!scene.with(Filter::new().accept(&far_from_corners)).any(&from_below));
/// # Ok::<(), raywarp::SceneError>(())
/// ```
#[derive(Clone, Copy)]
pub struct Filter<'f> {
    mask: u32,
    culling: Culling,
    skip: Option<(u32, u32)>,
    accept: Option<&'f dyn Fn(&SurfaceHit) -> bool>,
}

impl Default for Filter<'_> {
    fn default() -> Self {
        Self { mask: u32::MAX, culling: Culling::None, skip: None, accept: None }
    }
}

impl std::fmt::Debug for Filter<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Filter")
            .field("mask", &self.mask)
            .field("culling", &self.culling)
            .field("skip", &self.skip)
            .field("accept", &self.accept.is_some())
            .finish()
    }
}

impl<'f> Filter<'f> {
    /// Returns the filter that leaves nothing out.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sees placements alone whose mask shares a bit with this one; all, whatever their masks, with all bits set, as by
    /// default.
    #[must_use]
    pub fn mask(self, mask: u32) -> Self {
        Self { mask, ..self }
    }

    /// Leaves out one side of surfaces.
    #[must_use]
    pub fn culling(self, culling: Culling) -> Self {
        Self { culling, ..self }
    }

    /// Leaves out one triangle of one placement, such as that on which a ray starts.
    #[must_use]
    pub fn skip(self, instance: u32, primitive: u32) -> Self {
        Self { skip: Some((instance, primitive)), ..self }
    }

    /// Leaves out hits for which `accept` returns `false`, such as of transparent texels. It is asked of hits that
    /// nothing else leaves out, in any order, and perhaps more than once of the same.
    #[must_use]
    pub fn accept(self, accept: &'f dyn Fn(&SurfaceHit) -> bool) -> Self {
        Self { accept: Some(accept), ..self }
    }

    /// Returns `true` if a triangle is neither masked nor skipped.
    pub(super) fn sees(&self, mask: u32, instance: u32, primitive: u32) -> bool {
        (self.mask == u32::MAX || self.mask & mask != 0) && self.skip != Some((instance, primitive))
    }

    /// Returns `true` if a side, which `is_front` tells, is not culled.
    pub(super) fn shows(&self, is_front: impl FnOnce() -> bool) -> bool {
        self.culling == Culling::None || is_front() != (self.culling == Culling::Fronts)
    }

    /// Returns `true` if the closure takes a hit, or there is none.
    pub(super) fn takes(&self, hit: impl FnOnce() -> SurfaceHit) -> bool {
        self.accept.is_none_or(|accept| accept(&hit()))
    }
}

/// Scene as a [`Filter`] shows it; of [`Scene::with`].
///
/// A question takes longer than of the scene itself by what the filter asks of each triangle on the ray: some
/// nanoseconds, and a closure's own time. A scene that is asked without one pays nothing.
#[derive(Debug, Clone, Copy)]
pub struct Filtered<'s> {
    scene: &'s Scene,
    filter: Filter<'s>,
}

impl Scene {
    /// Returns the scene as `filter` shows it, for questions of single rays.
    pub fn with<'s>(&'s self, filter: Filter<'s>) -> Filtered<'s> {
        Filtered { scene: self, filter }
    }
}

impl Filtered<'_> {
    /// Returns the nearest hit of a ray that the filter lets count.
    pub fn closest<R: SceneRay>(&self, ray: &R) -> Option<R::Hit> {
        ray.closest_in(self.scene, Some(&self.filter))
    }

    /// Returns `true` if the ray hits anything that the filter lets count.
    pub fn any<R: SceneRay>(&self, ray: &R) -> bool {
        ray.any_in(self.scene, Some(&self.filter))
    }

    /// Passes every hit that the filter lets count on to `receive`; see [`Scene::visit`].
    pub fn visit<R: SceneRay>(&self, ray: &R, mut receive: impl FnMut(&R::Hit) -> ControlFlow<()>) -> ControlFlow<()> {
        ray.visit_in(self.scene, Some(&self.filter), &mut receive)
    }

    /// Writes all hits that the filter lets count into `hits`, nearest first; see [`Scene::all_into`].
    pub fn all_into<R: SceneRay>(&self, ray: &R, hits: &mut Vec<R::Hit>) {
        ray.all_in(self.scene, Some(&self.filter), hits);
    }
}

/// Returns `true` if a ray looks at the side of a triangle where its corners turn counter-clockwise. In f64.
pub(super) fn faces(ray: &Ray, [a, b, c]: &[[f32; 3]; 3]) -> bool {
    let edge = |p: &[f32; 3]| -> [f64; 3] { std::array::from_fn(|i| f64::from(p[i]) - f64::from(a[i])) };
    let (u, v) = (edge(b), edge(c));
    let normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    normal.iter().zip(ray.direction).map(|(n, d)| n * f64::from(d)).sum::<f64>() < 0.0
}
