//! The time that each stage of a job took.

use std::time::Duration;

/// Wall time of each stage of a render job; zero for stages that have not run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StageTimes {
    /// Time of reading the scene's files.
    pub load: Duration,
    /// Time of planning, and of building and encoding the tree.
    pub tree: Duration,
    /// Time of deciding camera and light, small test pictures included.
    pub settle: Duration,
    /// Time of putting the scene on GPUs that trace whole paths.
    pub place: Duration,
    /// Time of rendering.
    pub render: Duration,
}
