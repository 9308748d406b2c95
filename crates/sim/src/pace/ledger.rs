//! Where warps' time goes, instruction by instruction.

use super::stalls::StallCause;

const CAUSES: usize = StallCause::ALL.len();

/// Time of warps at one instruction: from when it is a warp's next one until it is issued.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InstructionTime {
    /// Number of times that a warp issued the instruction.
    pub issued: u64,
    /// Clocks that warps waited at the instruction, by [`StallCause`].
    pub waited: [u64; CAUSES],
    /// Instructions whose results warps waited for here, as indices in the kernel's code, each with the clocks of
    /// these waits; those by barriers alone ([`StallCause::Load`] and [`StallCause::Short`]).
    pub producers: Vec<(u32, u64)>,
}

impl InstructionTime {
    /// Returns the clocks that warps spent at the instruction, with the one in which each of them issued it: what a
    /// profiler that looks at warps at random moments finds in proportion.
    pub fn clocks(&self) -> u64 {
        self.issued + self.waited.iter().sum::<u64>()
    }
}

/// Times of warps at all instructions of a kernel.
#[derive(Debug, Clone, Default)]
pub(super) struct Ledger {
    instructions: Vec<InstructionTime>,
}

impl Ledger {
    /// Returns an empty ledger of a kernel with so many instructions.
    pub fn new(instructions: usize) -> Self {
        Self { instructions: vec![InstructionTime::default(); instructions] }
    }

    /// Counts that a warp issued the instruction.
    pub fn issue(&mut self, place: u32) {
        self.instructions[place as usize].issued += 1;
    }

    /// Counts clocks that a warp waited at the instruction.
    pub fn wait(&mut self, place: u32, cause: StallCause, clocks: u64) {
        self.instructions[place as usize].waited[cause as usize] += clocks;
    }

    /// Counts clocks that a warp waited at the instruction for the result of `producer`.
    pub fn wait_for(&mut self, place: u32, cause: StallCause, clocks: u64, producer: u32) {
        self.wait(place, cause, clocks);
        let producers = &mut self.instructions[place as usize].producers;
        match producers.iter_mut().find(|(known, _)| *known == producer) {
            Some((_, sum)) => *sum += clocks,
            None => producers.push((producer, clocks)),
        }
    }

    /// Forgets everything that was counted.
    pub fn clear(&mut self) {
        self.instructions.fill(InstructionTime::default());
    }

    /// Returns the number of instructions that were issued.
    pub fn issued(&self) -> u64 {
        self.instructions.iter().map(|time| time.issued).sum()
    }

    /// Returns the clocks that warps waited for a cause.
    pub fn waited(&self, cause: usize) -> u64 {
        self.instructions.iter().map(|time| time.waited[cause]).sum()
    }

    /// Returns the times, in the order of the instructions.
    pub fn into_instructions(self) -> Vec<InstructionTime> {
        self.instructions
    }
}
