//! Questions of points and boxes that leave something out, or are of a time.

use super::nearest::NAME;
use super::scene::Rays;
use super::{BatchError, Filter, Filtered, Nearest, Scene, SurfaceHit};
use raywarp_cpu::{NearestFilter, NearestPoint};
use raywarp_geom::{Aabb, BatchStats, Control, PrimitiveId};
use std::ops::ControlFlow;

/// What counts for a point, as a filter of a scene says.
struct OfPoints<'a, A> {
    scene: &'a Scene,
    filter: &'a Filter<'a, A>,
}

impl<A: Fn(&SurfaceHit) -> bool> NearestFilter for OfPoints<'_, A> {
    fn sees(&self, instance: u32) -> bool {
        self.filter.mask == u32::MAX || self.filter.mask & self.scene.mask_of(instance) != 0
    }

    fn takes(&self, nearest: &NearestPoint) -> bool {
        let NearestPoint { distance: t, u, v, instance, primitive, .. } = *nearest;
        let user = self.scene.user_of(instance);
        self.filter.skip != Some((instance, primitive))
            && self.filter.accept.is_none_or(|accept| accept(&SurfaceHit { t, u, v, instance, primitive, user }))
    }
}

impl<A> Filtered<'_, A> {
    /// Returns what counts for points; `None` if everything does.
    fn of_points(&self) -> Option<OfPoints<'_, A>> {
        let Filter { mask, skip, accept, .. } = &self.filter;
        let is_all = *mask == u32::MAX && skip.is_none() && accept.is_none();
        (!is_all).then_some(OfPoints { scene: self.scene, filter: &self.filter })
    }
}

impl<A: Fn(&SurfaceHit) -> bool> Filtered<'_, A> {
    /// Returns the nearest point of the surfaces that the filter lets count, as [`Scene::nearest`] does of all, with
    /// the bits of a scene without what is left out; what moves is where it is at the filter's time.
    ///
    /// The closure ([`Filter::accept`]) is asked of each triangle's own nearest point, as a hit whose `t` is the
    /// distance. Where it says no, that triangle does not count at all: another point of it, for which the closure
    /// would say yes, is not looked for.
    ///
    /// Placements of a mesh that the mask leaves out cost next to nothing in two levels; in one each triangle that may
    /// be near enough is asked for. A placement that moves takes a microsecond or two if it may be near enough.
    ///
    /// ```
    /// use raywarp::{Affine64, Control, Filter, Scene, SceneOptions};
    ///
    /// let mut builder = Scene::builder();
    /// let sheet = builder.mesh(&[[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]]);
    /// let up = |z: f64| Affine64::translation([0.0, 0.0, z]);
    /// builder.moving(sheet, [up(1.0), up(3.0)], 0b01, 0);
    /// builder.instance(sheet, up(8.0), 0b10, 0);
    /// let scene = builder.build(&SceneOptions::default(), &Control::default())?;
    /// let far = |filter| scene.with(filter).nearest([0.2, 0.2, 0.0], 10.0).map(|nearest| nearest.distance);
    /// assert_eq!([0.0, 0.5].map(|time| far(Filter::new().time(time))), [Some(1.0), Some(2.0)]);
    /// assert_eq!((far(Filter::new().mask(0b10)), far(Filter::new().mask(0b100))), (Some(8.0), None));
    /// # Ok::<(), raywarp::SceneError>(())
    /// ```
    pub fn nearest(&self, point: [f32; 3], within: f32) -> Option<Nearest> {
        let of_points = self.of_points();
        let filter = of_points.as_ref().map(|of_points| of_points as &dyn NearestFilter);
        let found = match &self.scene.0.rays {
            Rays::One(cpu, _) => cpu.nearest_where(point, within, filter),
            Rays::Two(levels, _) => levels.at(self.filter.time).nearest_where(point, within, filter),
        }?;
        Some(self.scene.nearest_of(&found))
    }

    /// Passes every triangle that touches a box and that the filter lets count on to `receive`, as [`Scene::overlaps`]
    /// does; what moves is where it is at the filter's time.
    ///
    /// Mask and skipped triangle count. A closure is not asked, since there is no hit that it could be asked of:
    /// `receive` gets every triangle, and decides itself.
    ///
    /// ```
    /// use raywarp::{Aabb, Affine64, Control, Filter, Scene, SceneOptions};
    /// use std::ops::ControlFlow;
    ///
    /// let mut builder = Scene::builder();
    /// let sheet = builder.mesh(&[[0.0f32, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], &[[0, 1, 2]]);
    /// for mask in [0b01, 0b10] {
    ///     builder.instance(sheet, Affine64::IDENTITY, mask, 0);
    /// }
    /// let scene = builder.build(&SceneOptions::default(), &Control::default())?;
    /// let mut told = Vec::new();
    /// let _ = scene.with(Filter::new().mask(0b10)).overlaps(&Aabb { min: [-1.0; 3], max: [1.0; 3] }, |id| {
    ///     told.push((id.instance, id.primitive));
    ///     ControlFlow::Continue(())
    /// });
    /// assert_eq!(told, [(1, 0)]);
    /// # Ok::<(), raywarp::SceneError>(())
    /// ```
    pub fn overlaps(&self, bounds: &Aabb, mut receive: impl FnMut(PrimitiveId) -> ControlFlow<()>) -> ControlFlow<()> {
        let Filter { mask, skip, time, .. } = self.filter;
        let counted = |id: PrimitiveId| {
            let is_seen = mask == u32::MAX || mask & self.scene.mask_of(id.instance) != 0;
            let counts = is_seen && skip != Some((id.instance, id.primitive));
            if counts { receive(id) } else { ControlFlow::Continue(()) }
        };
        match &self.scene.0.rays {
            Rays::One(cpu, _) => cpu.overlaps(bounds, counted),
            Rays::Two(levels, _) => levels.at(time).overlaps(bounds, counted),
        }
    }
}

impl<A: Fn(&SurfaceHit) -> bool + Sync> Filtered<'_, A> {
    /// Finds for each point what [`Filtered::nearest`] returns, in parallel on the CPU where there are many, in any
    /// scene: `found` has one place a point, and the statistics are those of [`Scene::nearest_batch`].
    ///
    /// ```
    /// use raywarp::{Control, Filter, Scene};
    ///
    /// let sheet = |z: f32| [[0.0, 0.0, z], [1.0, 0.0, z], [0.0, 1.0, z]];
    /// let scene = Scene::from_triangles(&[sheet(2.0), sheet(0.0)].concat(), &[[0, 1, 2], [3, 4, 5]])?;
    /// let points = [[0.25, 0.25, 3.0], [0.25, 0.25, -1.0]];
    /// let mut found = [None; 2];
    /// let upper_is_out = scene.with(Filter::new().skip(0, 0));
    /// upper_is_out.nearest_batch(&points, f32::INFINITY, &mut found, &Control::default())?;
    /// assert_eq!(found.map(|found| found.map(|nearest| nearest.distance)), [Some(3.0), Some(1.0)]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`Scene::nearest_batch`].
    pub fn nearest_batch(
        &self,
        points: &[[f32; 3]],
        within: f32,
        found: &mut [Option<Nearest>],
        control: &Control<'_>,
    ) -> Result<BatchStats, BatchError> {
        BatchError::check(points.len(), found.len())?;
        let of_points = self.of_points();
        let filter = of_points.as_ref().map(|of_points| of_points as &(dyn NearestFilter + Sync));
        let answer = |found: Option<NearestPoint>| found.map(|found| self.scene.nearest_of(&found));
        let invalid = match &self.scene.0.rays {
            Rays::One(cpu, _) => cpu.nearest_each_where((points, within), filter, found, answer, control),
            Rays::Two(levels, _) => {
                levels.at(self.filter.time).nearest_each_where((points, within), filter, found, answer, control)
            }
        }?;
        Ok(BatchStats::of(NAME, points.len() as u64).with_invalid(invalid))
    }
}
