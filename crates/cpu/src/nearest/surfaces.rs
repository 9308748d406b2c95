//! What points are looked for in.

use super::leaf::Leaves;
use super::search::Search;
use raywarp_geom::Aabb;

/// Scene in which points are looked for.
pub(crate) trait Surfaces: Leaves + Sized {
    /// Returns a box around all triangles; empty if there are none.
    fn bounds(&self) -> Aabb;

    /// Looks for the nearest point; `search` has what is known already.
    fn look<'a>(&'a self, search: &mut Search<'a>);
}
