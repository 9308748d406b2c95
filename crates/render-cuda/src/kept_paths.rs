//! The parts of paths that a device keeps between kernels, and the counts that it makes of them.

/// State of paths that a device keeps between kernels, beside what they leave for the film.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeptPaths {
    /// Nothing: a lane, or the memory that a block shares, holds each from the camera to its end.
    Nothing,
    /// Two queues of rays, of which one is read and the other written, with what they hit and connections to lights.
    Queues,
    /// One queue, in which each path has a place as long as it lives.
    Places(KeptPlaces),
}

/// State that a device keeps of paths that have places.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct KeptPlaces {
    /// `true` if each place has a word, which says what its path does.
    pub marks: bool,
    /// `true` if there are two lists of places, of which one is read and the other written.
    pub lists: bool,
    /// `true` if hits of rays and connections to lights are kept, for kernels between which paths have not come to
    /// their next vertex.
    pub between_vertices: bool,
}

/// Numbers that are counted of each round, or bounce, of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CountedRounds {
    /// Nothing: kernels do not tell them apart.
    None,
    /// Paths, and of them those that begin in it.
    WithBegun,
    /// Paths, and the warps that have one.
    WithWarps,
}
