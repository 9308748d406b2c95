//! Causes of warps' waits, as Nsight Compute counts them on a GPU ("Warp Stall Reasons" in its profiling guide).

/// Cause for which a warp issues nothing in a clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StallCause {
    /// The scheduler issued for another warp.
    NotSelected,
    /// The instruction's pipeline is occupied, or the queue to the first cache is full.
    Pipe,
    /// The fixed time that the last instruction asks for is not over.
    Wait,
    /// The result of a load through the first cache is missing.
    Load,
    /// A result of another pipeline's queue is missing: shared memory, reciprocals, shuffles; or operands are not read
    /// yet.
    Short,
    /// The target of a jump is not known yet.
    Branch,
    /// The scheduler issues nothing until an instruction's registers are read.
    Dispatch,
}

impl StallCause {
    /// All causes of waiting, in the order of their numbers.
    pub const ALL: [Self; 7] =
        [Self::NotSelected, Self::Pipe, Self::Wait, Self::Load, Self::Short, Self::Branch, Self::Dispatch];

    /// Returns the name of the cause in tables.
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

    /// Returns the names of the cause in Nsight Compute's counters
    /// `smsp__average_warps_issue_stalled_..._per_issue_active`, which are to be added up.
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

/// Rate at which a multiprocessor's warps issue, with the stalls that limit it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// Number of warp instructions that a multiprocessor issues per clock.
    pub instructions_per_clock: f64,
    /// Average number of a scheduler's warps that wait for each [`StallCause`], for each instruction that it issues.
    pub waiting: [f64; StallCause::ALL.len()],
}

impl Pace {
    /// Returns the average number of a multiprocessor's warps that issue or wait; slots of warps that ended are empty
    /// until their block has ended.
    pub fn resident_warps(&self) -> f64 {
        self.instructions_per_clock * (1.0 + self.waiting.iter().sum::<f64>())
    }
}
