//! The parts of paths that a device keeps between kernels, and the counts that it makes of them.

/// Parts of the path state that a device stores between kernels, besides the results for the film.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptPaths {
    /// Nothing: each path stays in a lane, or in a block's shared memory, from the camera to its end.
    Nothing,
    /// Two queues of paths, one read and one written, with the hits of their rays and their connections to lights.
    Queues,
    /// One queue, in which each path keeps its place until it ends.
    Places {
        /// `true` if hits and connections are stored too, for kernels that end between two vertices of a path.
        between_vertices: bool,
    },
}

/// Sizes of the device memory that an organisation lays out itself, beside the state that the engine knows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OwnMemory {
    /// Bytes for each path in flight, a multiple of 4.
    pub path_bytes: usize,
    /// Bytes beside those, a multiple of 4.
    pub fixed_bytes: usize,
}

impl OwnMemory {
    /// Returns the bytes of memory for `paths` paths in flight.
    pub const fn bytes(&self, paths: usize) -> usize {
        self.path_bytes * paths + self.fixed_bytes
    }
}

/// Numbers recorded for each wavefront round, or bounce, of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountedRounds {
    /// No numbers, since the kernels do not tell rounds apart.
    None,
    /// Number of paths, and how many of them begin in the round.
    WithBegun,
    /// Number of paths, and of warps that have one.
    WithWarps,
}
