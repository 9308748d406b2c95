//! Work on the parts of a scene, in parallel where that is worth it.

use super::placed::{PlacedMeshes, triangles_of};
use rayon::prelude::*;

/// Number of triangles below which a scene is processed on one thread, since waking the workers takes a tenth of a
/// millisecond.
const SMALL: u64 = 1 << 12;

/// Returns `true` if a scene is small enough to be processed on one thread.
pub(super) fn is_small(scene: &dyn PlacedMeshes) -> bool {
    (0..scene.placement_count()).map(|placement| triangles_of(scene, placement)).sum::<u64>() <= SMALL
}

/// Calls `of` for each number below `count` and returns the results in order, in parallel unless `is_small`.
pub(super) fn each<S: Send>(count: usize, is_small: bool, of: impl Fn(usize) -> S + Sync + Send) -> Vec<S> {
    if is_small { (0..count).map(of).collect() } else { (0..count).into_par_iter().map(of).collect() }
}
