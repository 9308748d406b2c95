//! Nearest points of tracers: one by one, and many at once.

use super::batch;
use super::found::NearestPoint;
use super::leaf::{Leaf, Leaves};
use super::search::Search;
use super::surfaces::Surfaces;
use crate::levels::LevelsTracer;
use crate::simd;
use crate::tracer::CpuTracer;
use raywarp_geom::{Aabb, Control, TraceError};

impl Leaves for CpuTracer {
    fn leaf(&self, _: u32) -> Leaf<'_> {
        Leaf { ids: self.ids.lent(), base: 0, place: None }
    }
}

impl Leaves for LevelsTracer {
    fn leaf(&self, placed: u32) -> Leaf<'_> {
        let placed = &self.placed[placed as usize];
        let place = placed.moved.as_ref().map(|moved| &moved.to_world);
        Leaf { ids: self.trees[placed.tree as usize].ids.lent(), base: placed.base, place }
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

impl Surfaces for LevelsTracer {
    fn bounds(&self) -> Aabb {
        self.bounds()
    }

    fn look<'a>(&'a self, search: &mut Search<'a>) {
        simd::walk_nearest_levels(self.isa(), self, search);
    }
}

fn nearest(surfaces: &impl Surfaces, point: [f32; 3], within: f32) -> Option<NearestPoint> {
    let mut search = Search::new(surfaces, point, within, &surfaces.bounds())?;
    surfaces.look(&mut search);
    search.answer().map(|(found, _)| found)
}

macro_rules! nearest {
    ($tracer:ty) => {
        impl $tracer {
            /// Returns the point of the scene that is nearest to `point` and at most `within` away, `None` if there is
            /// none; also for a point that is NaN or infinite, or a `within` that is NaN or negative. Of triangles at
            /// the same distance the one with the lower (instance, primitive).
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
                nearest(self, point, within)
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
                (points, within): (&[[f32; 3]], f32),
                found: &mut [T],
                answer: impl Fn(Option<NearestPoint>) -> T + Sync,
                control: &Control<'_>,
            ) -> Result<u64, TraceError> {
                batch::nearest_each(self, (points, within), found, answer, control)
            }
        }
    };
}
nearest!(CpuTracer);
nearest!(LevelsTracer);
