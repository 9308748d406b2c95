//! Work on the parts of a scene, in parallel where that is worth it.

use crate::Description;
use rayon::prelude::*;

/// Number of triangles below which a scene is processed on one thread, since waking the workers takes a tenth of a
/// millisecond.
const SMALL: u64 = 1 << 12;

/// Returns `true` if a scene is small enough to be processed on one thread.
pub(super) fn is_small(scene: &Description) -> bool {
    scene.triangle_count() <= SMALL
}

/// Calls `of` for each item and returns the results in order, in parallel unless `is_small`.
pub(super) fn each<T: Sync, S: Send>(
    items: &[T],
    is_small: bool,
    of: impl Fn((usize, &T)) -> S + Sync + Send,
) -> Vec<S> {
    if is_small { items.iter().enumerate().map(of).collect() } else { items.par_iter().enumerate().map(of).collect() }
}
