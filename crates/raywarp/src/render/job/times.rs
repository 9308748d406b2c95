//! The time that each stage of a job took.

use std::time::Duration;

/// Time by the clock on the wall that each stage of a job took; zero for what it has not come to yet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StageTimes {
    /// Time to read the scene's files.
    pub load: Duration,
    /// Time to plan, and to build and encode the tree.
    pub tree: Duration,
    /// Time to find a camera and light, with the small pictures that are tried for it.
    pub settle: Duration,
    /// Time to put the scene on GPUs that take whole paths.
    pub place: Duration,
    /// Time to render.
    pub render: Duration,
}
