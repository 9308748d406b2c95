//! What of a scene counts for points.

use super::found::NearestPoint;

/// Filter of what may be the nearest: what it leaves out is passed over as if it were not there.
pub trait NearestFilter {
    /// Returns `true` if anything of a placement counts.
    fn sees(&self, instance: u32) -> bool;

    /// Returns `true` if a triangle's nearest point, or a primitive's, counts. It is asked of placements that are seen,
    /// in any order, and perhaps more than once of the same.
    fn takes(&self, nearest: &NearestPoint) -> bool;
}
