//! The kernels, as they are counted and timed.

use raywarp_render_cuda::Stage;

/// Stage that begins a bounce: sets the number of paths that are extended, and of those that begin.
pub const BEGIN_BOUNCE: Stage = Stage("begin_bounce");
/// Stage that begins the light paths of a batch.
pub const BEGIN_PATHS: Stage = Stage("begin_paths");
/// Stage that takes light paths on by a segment, or to their ends.
pub const BOUNCE: Stage = Stage("bounce");
/// Stage of the kernels that list the paths that go on, by a [`Compaction`](crate::Compaction).
pub const LIST_PATHS: Stage = Stage("list_paths");
/// Stage whose thread blocks take tiles of light paths to their ends.
pub const TILED: Stage = Stage("tiled");
/// Stage that takes light paths to their ends, and begins others in their place.
pub const REGENERATE: Stage = Stage("regenerate");
