//! The point of a scene that is nearest to a point.
//!
//! # How it is exact
//! Triangles are weighed in lanes in f32, each with a bound of its error; what may be the nearest is measured anew in
//! f64 ([`foot`]), in the world. So an answer depends on the triangles alone: neither on the tree, nor on levels, nor
//! on the instruction set. Of triangles whose distances are the same f32, the lower (instance, primitive) answers.
//!
//! The walk drops boxes that are farther than the farthest that the nearest can be. All bounds are written down where
//! they are computed: of boxes in [`space`], of triangles in `simd::nearest`.

mod batch;
mod foot;
mod search;
mod space;

pub(crate) use foot::Foot;
pub(crate) use search::{Leaf, Search};
pub(crate) use space::{Space, TreeSpace, least_stretch};

use crate::levels::LevelsTracer;
use crate::simd;
use crate::tracer::CpuTracer;
use raywarp_geom::{Aabb, Control, TraceError};

/// Part of a triangle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Feature {
    /// Inside of the triangle.
    Face,
    /// Edge, without its ends: 0 from the first corner to the second, 1 from the second to the third, 2 from the third
    /// to the first.
    Edge(u8),
    /// Corner: 0, 1 or 2.
    Vertex(u8),
}

/// Nearest point of a surface.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NearestPoint {
    /// Where it is.
    pub point: [f32; 3],
    /// How far it is.
    pub distance: f32,
    /// Barycentric weight of the triangle's second corner, 0 to 1.
    pub u: f32,
    /// Barycentric weight of the triangle's third corner, 0 to 1.
    pub v: f32,
    /// Instance of the triangle.
    pub instance: u32,
    /// Index of the triangle in its mesh.
    pub primitive: u32,
    /// Where on the triangle the point lies.
    pub feature: Feature,
}

/// Scene in which points are looked for.
pub(crate) trait Surfaces {
    /// Returns a box around all triangles; empty if there are none.
    fn bounds(&self) -> Aabb;

    /// Looks for the nearest point; `search` has what is known already.
    fn look<'a>(&'a self, search: &mut Search<'a>);
}

impl Surfaces for CpuTracer {
    fn bounds(&self) -> Aabb {
        self.bounds()
    }

    fn look<'a>(&'a self, search: &mut Search<'a>) {
        if let Some(tree) = self.wide8().filter(|tree| !tree.lines().is_empty()) {
            simd::walk_nearest(self.isa, tree, Leaf { ids: &self.ids, base: 0, place: None }, search);
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

/// Returns `true` if a point can be asked about: no coordinate is NaN or infinite.
pub(crate) fn is_valid(point: &[f32; 3]) -> bool {
    point.iter().all(|x| x.is_finite())
}

fn nearest(surfaces: &impl Surfaces, point: [f32; 3], within: f32) -> Option<NearestPoint> {
    let mut search = Search::new(point, within, &surfaces.bounds())?;
    surfaces.look(&mut search);
    search.finish()
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
