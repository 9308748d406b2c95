//! Code for any instruction set, and how it comes to be run with one.

use crate::isa::Isa;
use crate::vector::Vector;
use std::fmt::Debug;

/// The instructions of one kind of CPU, as a value that proves that this CPU has them.
///
/// Implemented by what only [`Isa`] makes, and by nothing outside of this crate.
pub trait InstructionSet: sealed::Sealed + Copy + Debug + Send + Sync + 'static {
    /// The most floats that one instruction takes.
    const NATIVE_LANES: usize;
    /// Vector of four floats.
    type F4: Vector<4, Set = Self>;
    /// Vector of eight floats.
    type F8: Vector<8, Set = Self>;
    /// Vector of sixteen floats.
    type F16: Vector<16, Set = Self>;

    /// Returns the entry of [`Isa`] for this set.
    fn isa(self) -> Isa;

    /// Runs `task` in a function that is compiled for these instructions.
    fn enter<T: TaskOn<Self>>(self, task: T) -> T::Output;

    /// Asks the cache for the line at `address`, which may be anything: no access is made. Nothing where there is no
    /// such instruction.
    fn prefetch(self, address: *const u8);
}

/// Work in one text for every instruction set; [`Isa::run`] runs it.
pub trait Task {
    /// Result of the task.
    type Output;

    /// Does the work.
    ///
    /// To be `#[inline(always)]`, as all that it calls with vectors: only then is it compiled for the instructions of
    /// `S` (see the crate's text).
    fn run<S: InstructionSet>(self, set: S) -> Self::Output;
}

/// Work for an instruction set `S`, or for those with more abilities than [`InstructionSet`] has; what else there is to
/// know says [`Task`], each of which is this for all.
pub trait TaskOn<S> {
    /// Result of the task.
    type Output;

    /// Does the work. To be `#[inline(always)]`.
    fn run_on(self, set: S) -> Self::Output;
}

impl<S: InstructionSet, T: Task> TaskOn<S> for T {
    type Output = T::Output;

    #[inline(always)]
    fn run_on(self, set: S) -> Self::Output {
        self.run(set)
    }
}

impl Isa {
    /// Runs `task` in the copy of it that was compiled for this instruction set.
    #[inline]
    pub fn run<T: Task>(self, task: T) -> T::Output {
        match self {
            Self::Portable(set) => set.enter(task),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(set) => set.enter(task),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(set) => set.enter(task),
            #[cfg(target_arch = "aarch64")]
            Self::Neon(set) => set.enter(task),
        }
    }
}

/// Keeps [`InstructionSet`] to this crate: code elsewhere relies on what a value of one proves.
pub(crate) mod sealed {
    /// An instruction set of this crate.
    pub trait Sealed {}
}
