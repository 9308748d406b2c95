//! Lines of sight.

use super::asked::Asks;
use super::ray_filter::RayFilter;
use super::{Filter, Filtered, Scene, SurfaceHit};
use raywarp_geom::Ray;

/// End of a line of sight.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum End {
    /// Point in space.
    Point([f32; 3]),
    /// Point on a surface: that triangle does not block the line. Its neighbours may, at an edge or a corner.
    On {
        /// Where it is.
        position: [f32; 3],
        /// Number of the placement.
        instance: u32,
        /// Index of the triangle in its mesh.
        primitive: u32,
    },
}

impl End {
    /// Returns the place where `ray`, whose hit `hit` is, meets the surface.
    pub fn on(ray: &Ray, hit: &SurfaceHit) -> Self {
        Self::On { position: hit.position(ray), instance: hit.instance, primitive: hit.primitive }
    }

    fn position(&self) -> [f32; 3] {
        match *self {
            Self::Point(position) | Self::On { position, .. } => position,
        }
    }

    fn is_on(&self, hit: &SurfaceHit) -> bool {
        matches!(self, Self::On { instance, primitive, .. } if (*instance, *primitive) == (hit.instance, hit.primitive))
    }
}

impl Scene {
    /// Returns whether nothing stands between two ends. The triangles that the ends are on do not count, all others do.
    /// Of ends at one place it is `true`; of ends with a NaN or an infinity, or too far apart for f32, `false`.
    ///
    /// The line is a ray from `a`, rounded as rays are: whether a surface that goes through an [`End::Point`] blocks it
    /// is decided by rounding, and may depend on which end is first. Name the surface by [`End::On`], or keep away.
    ///
    /// An [`End::On`] leaves out one triangle. On an edge or a corner its position is on neighbours as well, which may
    /// block the line from whatever side it comes; and since a position is rounded, it may lie behind a neighbour that
    /// it sees at a grazing angle. Where that matters, move it off the surface by
    /// [`origin_leaving`](crate::origin_leaving), which is made for rays that leave one, and give it as [`End::Point`].
    ///
    /// ```
    /// use raywarp::{End, Ray, Scene};
    ///
    /// let scene = Scene::from_triangles(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// let (above, below) = (End::Point([0.2, 0.2, 1.0]), End::Point([0.3, 0.3, -1.0]));
    /// assert!(!scene.visible(above, below));
    /// let ray = Ray::new([0.25, 0.25, 3.0], [0.0, 0.0, -1.0]);
    /// let on = End::on(&ray, &scene.closest(&ray).expect("in front"));
    /// assert!(scene.visible(on, above) && scene.visible(below, on));
    /// # Ok::<(), raywarp::SceneError>(())
    /// ```
    pub fn visible(&self, a: End, b: End) -> bool {
        self.with(Filter::new()).visible(a, b)
    }
}

impl<A: Fn(&SurfaceHit) -> bool> Filtered<'_, A> {
    /// Returns whether nothing that the filter lets count stands between two ends; see [`Scene::visible`].
    ///
    /// The filter decides about the hits of a ray from `a` to `b`, whose `t` is 0 and 1 there. With
    /// [`Culling`](crate::Culling) it matters which end is `a`: a surface turns its front to one of them. What moves is
    /// where it is at the filter's time; so should be the position of an [`End::On`].
    ///
    /// ```
    /// use raywarp::{End, Filter, Scene};
    ///
    /// let scene = Scene::from_triangles(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]])?;
    /// let (above, below) = (End::Point([0.2, 0.2, 1.0]), End::Point([0.2, 0.2, -1.0]));
    /// let is_opaque = |hit: &raywarp::SurfaceHit| hit.u > 0.5;
    /// assert!(!scene.visible(above, below) && scene.with(Filter::new().accept(&is_opaque)).visible(above, below));
    /// # Ok::<(), raywarp::SceneError>(())
    /// ```
    pub fn visible(&self, a: End, b: End) -> bool {
        let (from, to) = (a.position(), b.position());
        let ray = Ray::new(from, std::array::from_fn(|i| to[i] - from[i])).with_interval(0.0, 1.0);
        if !ray.is_valid() {
            return from == to && from.iter().all(|x| x.is_finite());
        }
        let filter = self.filter.of_rays();
        if let (End::Point(_), End::Point(_)) = (a, b) {
            let is_plain = filter.is_all() && filter.time <= 0.0;
            return !ray.any_in(self.scene, if is_plain { None } else { Some(&filter) });
        }
        let accept = |hit: &SurfaceHit| !a.is_on(hit) && !b.is_on(hit) && filter.takes(|| *hit);
        !ray.any_in(self.scene, Some(&RayFilter { accept: Some(&accept), ..filter }))
    }
}
