//! Causes of warps' waits, as Nsight Compute counts them on a GPU ("Warp Stall Reasons" in its profiling guide).

/// A cause for which a warp issues nothing for a clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cause {
    /// Another warp of its scheduler was taken.
    NotSelected,
    /// Its pipeline is taken, or the queue to the first cache.
    Pipe,
    /// A fixed time that its last instruction asks for.
    Wait,
    /// A load by the first cache.
    Load,
    /// Results of another pipeline's queue: shared memory, reciprocals, shuffles; and operands that are not read yet.
    Short,
    /// A jump whose target is not known yet.
    Branch,
    /// Its scheduler issues nothing until an instruction's registers are read.
    Dispatch,
}

impl Cause {
    /// All, in the order of their numbers.
    pub const ALL: [Self; 7] =
        [Self::NotSelected, Self::Pipe, Self::Wait, Self::Load, Self::Short, Self::Branch, Self::Dispatch];

    /// Returns the name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::NotSelected => "not selected",
            Self::Pipe => "pipe",
            Self::Wait => "wait",
            Self::Load => "load",
            Self::Short => "short",
            Self::Branch => "branch",
            Self::Dispatch => "dispatch",
        }
    }

    /// Returns Nsight Compute's names of it: the ends of the names of its counters
    /// `smsp__average_warps_issue_stalled_..._per_issue_active`, to be added up.
    pub fn counters(self) -> &'static [&'static str] {
        match self {
            Self::NotSelected => &["not_selected"],
            Self::Pipe => &["math_pipe_throttle", "lg_throttle", "mio_throttle", "tex_throttle"],
            Self::Wait => &["wait"],
            Self::Load => &["long_scoreboard"],
            Self::Short => &["short_scoreboard"],
            Self::Branch => &["branch_resolving"],
            Self::Dispatch => &["dispatch_stall"],
        }
    }
}

/// The pace of a multiprocessor's warps, and what holds it down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// Instructions of warps that a multiprocessor issues a clock.
    pub instructions_per_clock: f64,
    /// Warps of a scheduler that wait for each [`Cause`], on average, for each instruction that it issues.
    pub waiting: [f64; Cause::ALL.len()],
}

impl Pace {
    /// Returns warps of a multiprocessor on average that issue or wait; the places of others are empty until their
    /// block has ended.
    pub fn resident_warps(&self) -> f64 {
        self.instructions_per_clock * (1.0 + self.waiting.iter().sum::<f64>())
    }
}
