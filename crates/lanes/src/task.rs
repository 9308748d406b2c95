//! Code for any instruction set, and how it comes to be run with one.

use crate::isa::Isa;
use crate::vector::Vector;
use std::fmt::Debug;

/// SIMD instruction set of a CPU, as a value that proves that this CPU has it.
///
/// Implemented by what only [`Isa`] makes, and by nothing outside of this crate.
pub trait InstructionSet: sealed::Sealed + Copy + Debug + Send + Sync + 'static {
    /// Number of f32 values that the widest instruction takes.
    const NATIVE_LANES: usize;
    /// Vector of four f32 values.
    type F4: Vector<4, Set = Self>;
    /// Vector of eight f32 values.
    type F8: Vector<8, Set = Self>;
    /// Vector of sixteen f32 values.
    type F16: Vector<16, Set = Self>;

    /// Returns this instruction set as a value of the enum [`Isa`].
    fn isa(self) -> Isa;

    /// Runs `task` in a function that is compiled for these instructions.
    fn enter<T: TaskOn<Self>>(self, task: T) -> T::Output;

    /// Prefetches the cache line at `address`, which need not be valid: nothing is read. Nothing where there is no such
    /// instruction.
    fn prefetch(self, address: *const u8);
}

/// Vector code written once for all instruction sets; [`Isa::run`] runs it on one of them.
pub trait Task {
    /// Result of the task.
    type Output;

    /// Does the task's work with the vectors of instruction set `S`.
    ///
    /// To be `#[inline(always)]`, as all that it calls with vectors: only then is it compiled for the instructions of
    /// `S` (see the crate's text).
    fn run<S: InstructionSet>(self, set: S) -> Self::Output;
}

/// Vector code for the instruction set `S` alone, or for sets that implement more than [`InstructionSet`]; every
/// [`Task`] is a `TaskOn` for all sets.
pub trait TaskOn<S> {
    /// Result of the task.
    type Output;

    /// Does the task's work with the vectors of the instruction set `S`. To be `#[inline(always)]`.
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
    /// Runs the copy of `task` that was compiled for this instruction set.
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
            #[cfg(target_feature = "simd128")]
            Self::Simd128(set) => set.enter(task),
        }
    }
}

/// Private supertrait that keeps other crates from implementing [`InstructionSet`], since code relies on what its
/// values prove.
pub(crate) mod sealed {
    /// Marks the instruction sets of this crate.
    pub trait Sealed {}
}
