//! The answer to whether anything is in a ray's way.

use raywarp_geom::Hit;

/// Answer to whether anything is in a ray's way.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Blocked {
    /// The ray hits nothing.
    No,
    /// The ray hits something opaque.
    Yes,
    /// The ray hits nothing opaque, but something else: the first such hit, and its instance. The caller decides about
    /// it, and asks again after it.
    Perhaps(Hit, u32),
}
