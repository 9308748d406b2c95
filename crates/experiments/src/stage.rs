//! The kernels, as they are counted and timed.

use raywarp_render_cuda::Stage;

/// Begins a bounce: sets the number of paths that are extended, and of those that begin.
pub const BEGIN_BOUNCE: Stage = Stage("begin_bounce");
/// Begins the paths of a batch.
pub const BEGIN_PATHS: Stage = Stage("begin_paths");
/// Takes paths on by a segment, or to their ends.
pub const BOUNCE: Stage = Stage("bounce");
/// The kernels of a [`Compaction`](crate::Compaction).
pub const LIST_PATHS: Stage = Stage("list_paths");
/// Takes tiles of paths to their ends.
pub const TILED: Stage = Stage("tiled");
/// Takes paths to their ends, and begins others behind them.
pub const REGENERATE: Stage = Stage("regenerate");
