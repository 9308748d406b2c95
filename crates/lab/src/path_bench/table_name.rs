//! Names of the tables that the experiments make.

/// Table that an experiment makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableName {
    /// W11's Table 1: frames a second of all organisations.
    Table1,
    /// W11's Tables 2 and 3: paths, warps and time of each bounce.
    Bounces,
    /// The same with the while-while loop over a binary tree.
    BouncesWhileWhile,
    /// W11's Figure 2: tiles of more and more paths.
    Figure2,
    /// Ways of listing paths that go on.
    Steps,
    /// Points in a bounce at which paths are listed.
    Places,
    /// BVH traversal loops.
    Walks,
    /// Frame rates with heavier shading.
    Shading,
    /// Sizes of a frame.
    Resolutions,
    /// Frames at once.
    Accumulation,
    /// Block sizes and register limits.
    Blocks,
    /// Lengths of queues.
    Queues,
    /// Rounds counted by the host or the device.
    Counts,
    /// Time of each stage of a frame.
    Stages,
    /// Time of a ray by bounce.
    Rounds,
    /// Registers and occupancy of each kernel.
    Kernels,
    /// Contents of a frame.
    Shares,
    /// Samplers of random numbers.
    Samplers,
}

impl TableName {
    /// Returns the name of the table, which is part of file names.
    pub const fn text(self) -> &'static str {
        match self {
            Self::Table1 => "table-1",
            Self::Bounces => "bounces",
            Self::BouncesWhileWhile => "bounces-while-while",
            Self::Figure2 => "figure-2",
            Self::Steps => "steps",
            Self::Places => "places",
            Self::Walks => "walks",
            Self::Shading => "shading",
            Self::Resolutions => "resolutions",
            Self::Accumulation => "accumulation",
            Self::Blocks => "blocks",
            Self::Queues => "queues",
            Self::Counts => "counts",
            Self::Stages => "stages",
            Self::Rounds => "rounds",
            Self::Kernels => "kernels",
            Self::Shares => "shares",
            Self::Samplers => "samplers",
        }
    }
}
