//! Nearest points of tracers: one by one, and many at once.

use super::batch;
use super::filter::NearestFilter;
use super::found::NearestPoint;
use super::leaf::{Leaves, mapped};
use super::search::Search;
use super::surfaces::Surfaces;
use crate::levels::{LevelsAt, LevelsTracer};
use crate::simd;
use crate::tracer::CpuTracer;
use raywarp_geom::{Aabb, Affine, Control, PrimitiveId, TraceError};

impl Leaves for CpuTracer {
    fn in_world(&self, _: u32, corners: &[[f32; 3]; 3]) -> [[f32; 3]; 3] {
        *corners
    }

    fn id(&self, _: u32, index: u32) -> PrimitiveId {
        self.ids.get(index as usize)
    }
}

impl Leaves for LevelsAt<'_> {
    fn in_world(&self, placed: u32, corners: &[[f32; 3]; 3]) -> [[f32; 3]; 3] {
        let placed = &self.scene.placed[placed as usize];
        match (&placed.motion, &placed.moved) {
            (Some(motion), _) if self.time > 0.0 => match motion.map(self.time) {
                Affine::IDENTITY => *corners,
                map => mapped(&map, corners),
            },
            (_, Some(moved)) => mapped(&moved.to_world, corners),
            (_, None) => *corners,
        }
    }

    fn id(&self, placed: u32, index: u32) -> PrimitiveId {
        let placed = &self.scene.placed[placed as usize];
        let PrimitiveId { instance, primitive } = self.scene.trees[placed.tree as usize].ids.get(index as usize);
        PrimitiveId { instance: placed.base + instance, primitive }
    }
}

impl Surfaces for CpuTracer {
    fn bounds(&self) -> Aabb {
        self.bounds()
    }

    fn look<'a>(&'a self, search: &mut Search<'a>) {
        if let Some(tree) = self.wide8().filter(|tree| !tree.lines().is_empty()) {
            simd::walk_nearest(self.isa, tree, search);
        }
    }
}

impl Surfaces for LevelsAt<'_> {
    fn bounds(&self) -> Aabb {
        self.scene.bounds()
    }

    fn look<'a>(&'a self, search: &mut Search<'a>) {
        simd::walk_nearest_levels(self.scene.isa(), (self.scene, self.time), search);
    }
}

impl CpuTracer {
    fn surfaces(&self) -> &Self {
        self
    }
}

impl LevelsTracer {
    fn surfaces(&self) -> LevelsAt<'_> {
        self.at(0.0)
    }
}

macro_rules! nearest {
    ($tracer:ty) => {
        impl $tracer {
            /// Returns the point of the scene that is nearest to `point` and at most `within` away, `None` if there is
            /// none; also for a point that is NaN or infinite, or a `within` that is NaN or negative. What is farther
            /// than f32 can say is not found. Of triangles at the same distance the one with the lower (instance,
            /// primitive).
            ///
            /// With `R` the largest coordinate difference between `point` and the triangle's corners, the distance is
            /// exact but for a rounding to f32 and `2^-47 R`, and each coordinate of the nearest point but for a
            /// rounding to f32 and `2^-47` of the largest coordinate that `point` and the triangle have. What is
            /// nearer by less than `2^-46 R` may be passed over. Allocates nothing, but once a thread where a tree is
            /// very deep.
            ///
            /// The nodes of trees for lanes alone are walked: none is found in
            /// [`CpuTree::Bvh2`](crate::CpuTree::Bvh2).
            pub fn nearest_one(&self, point: [f32; 3], within: f32) -> Option<NearestPoint> {
                self.surfaces().nearest_where(point, within, None)
            }

            /// Finds for each point what `nearest_one` returns, in parallel where there are many: `found` has a place
            /// for each, where `answer` puts it. Returns the number of points that are NaN or infinite.
            ///
            /// Points are asked in the order of a curve through them, and each begins with what its neighbour on the
            /// curve found.
            ///
            /// # Errors
            /// [`TraceError::Cancelled`] when `control` says so.
            /// # Panics
            /// If `found` has another length than `points`.
            pub fn nearest_each<T: Send>(
                &self,
                points: (&[[f32; 3]], f32),
                found: &mut [T],
                answer: impl Fn(Option<NearestPoint>) -> T + Sync,
                control: &Control<'_>,
            ) -> Result<u64, TraceError> {
                self.surfaces().nearest_each_where(points, None, found, answer, control)
            }
        }
    };
}
nearest!(CpuTracer);
nearest!(LevelsTracer);

macro_rules! nearest_where {
    ($tracer:ty) => {
        impl $tracer {
            /// Returns the nearest point of what `filter` lets count, as `nearest_one` does of everything.
            ///
            /// Each triangle that may be near enough is measured, in f64, and then asked for.
            pub fn nearest_where(
                &self,
                point: [f32; 3],
                within: f32,
                filter: Option<&dyn NearestFilter>,
            ) -> Option<NearestPoint> {
                let mut search = Search::new((self, filter), (point, within), &Surfaces::bounds(self))?;
                self.look(&mut search);
                search.answer().map(|(found, _)| found)
            }

            /// Finds for each point what `nearest_where` returns, as `nearest_each` does what `nearest_one` returns.
            /// With a filter each point begins anew.
            ///
            /// # Errors
            /// [`TraceError::Cancelled`] when `control` says so.
            /// # Panics
            /// If `found` has another length than `points`.
            pub fn nearest_each_where<T: Send>(
                &self,
                points: (&[[f32; 3]], f32),
                filter: Option<&(dyn NearestFilter + Sync)>,
                found: &mut [T],
                answer: impl Fn(Option<NearestPoint>) -> T + Sync,
                control: &Control<'_>,
            ) -> Result<u64, TraceError> {
                batch::nearest_each((self, filter), points, found, answer, control)
            }
        }
    };
}
nearest_where!(CpuTracer);
nearest_where!(LevelsAt<'_>);
