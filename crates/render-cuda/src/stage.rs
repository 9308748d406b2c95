//! Names of the kernels that a batch launches, and counts of launches that graphs stand for.

use std::fmt;

/// Stage of a render on the GPU: a kernel, by its name. The product's are constants here; crates of experiments have
/// others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stage(pub &'static str);

#[allow(missing_docs)] // As the kernels are called.
impl Stage {
    pub const BEGIN_ROUND: Self = Self("begin_round");
    pub const REFILL: Self = Self("refill");
    pub const EXTEND: Self = Self("extend");
    pub const SORT: Self = Self("sort");
    pub const SORT_WAITING: Self = Self("sort_waiting");
    pub const SHADE: Self = Self("shade");
    pub const CONNECT: Self = Self("connect");
    pub const ARRIVE_LIGHT: Self = Self("arrive_light");
    pub const DECIDE_LIGHT: Self = Self("decide_light");
    pub const MEGAKERNEL: Self = Self("megakernel");
    pub const FIRST_HITS: Self = Self("first_hits");
    pub const FINALIZE: Self = Self("finalize");

    /// Stages of a wavefront, and the one that adds results to the film.
    pub const OF_WAVEFRONT: [Self; 10] = [
        Self::BEGIN_ROUND,
        Self::REFILL,
        Self::EXTEND,
        Self::SORT,
        Self::SORT_WAITING,
        Self::SHADE,
        Self::CONNECT,
        Self::ARRIVE_LIGHT,
        Self::DECIDE_LIGHT,
        Self::FINALIZE,
    ];
}

impl fmt::Debug for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Number of graph launches, and of the kernel launches in them: [`Organisation::Graph`](crate::Organisation::Graph).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GraphCounts {
    /// Number of times that a graph was launched.
    pub launches: u64,
    /// Number of kernel launches in those graphs, which [`stages`](crate::PathCounts::stages) counts too.
    pub kernels: u64,
}

impl std::ops::AddAssign for GraphCounts {
    fn add_assign(&mut self, other: Self) {
        self.launches += other.launches;
        self.kernels += other.kernels;
    }
}
