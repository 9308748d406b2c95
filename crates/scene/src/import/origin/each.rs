//! Work on the parts of a scene, in parallel where that is worth it.

use crate::Description;
use rayon::prelude::*;

/// Number of triangles of a scene that take less time than to wake the workers and to wait for them, a tenth of a
/// millisecond.
const SMALL: u64 = 1 << 12;

/// Returns `true` if one thread does the work on a scene.
pub(super) fn is_small(scene: &Description) -> bool {
    scene.triangle_count() <= SMALL
}

/// Returns what `of` makes of each item, in their order; in parallel unless they are of a scene that `is_small`.
pub(super) fn each<T: Sync, S: Send>(
    items: &[T],
    is_small: bool,
    of: impl Fn((usize, &T)) -> S + Sync + Send,
) -> Vec<S> {
    if is_small { items.iter().enumerate().map(of).collect() } else { items.par_iter().enumerate().map(of).collect() }
}
