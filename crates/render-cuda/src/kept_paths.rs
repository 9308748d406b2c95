//! The parts of paths that a device keeps between kernels, and the counts that it makes of them.

/// Parts of the path state that a device stores between kernels, besides the results for the film.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptPaths {
    /// Nothing: each path stays in a lane, or in a block's shared memory, from the camera to its end.
    Nothing,
    /// Two queues of paths, one read and one written, with the hits of their rays and their connections to lights.
    Queues,
    /// One queue, in which each path keeps its place until it ends.
    Places(KeptPlaces),
}

/// State stored for paths that keep a place in one queue.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KeptPlaces {
    /// `true` if each place has a word that says what its path does next.
    pub marks: bool,
    /// `true` if there are two lists of the paths' places, one read and one written.
    pub lists: bool,
    /// `true` if hits and connections are stored too, for kernels that end between two vertices of a path.
    pub between_vertices: bool,
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
