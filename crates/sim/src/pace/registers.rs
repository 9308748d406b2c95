//! Reading registers, which limits what a scheduler issues: two banks, of even and of odd registers, each of which
//! gives one register of a warp a clock.
//!
//! Huerta et al. ("Analyzing Modern NVIDIA GPU cores", arXiv:2503.20481, 2025) found this by microbenchmarks on an RTX
//! A6000, with the three clocks within which an instruction's registers must be read and the operands that stay. An
//! H100's products have the rates that follow from it: 1/3 a clock and scheduler with three registers of a bank, 1/2
//! with two, 1 with one of each (bench/latencies/throughput.py; bench/runs/2026-11-25-h100).

use raywarp_costs::Word;

/// Number of register banks of a scheduler.
const BANKS: usize = 2;
/// Number of operand positions of an instruction.
const PLACES: usize = Word::PLACES;
/// Number of clocks within which an instruction of fixed latency must read its registers.
const WINDOW: u64 = 3;

/// Registers that an instruction reads.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Reads {
    /// First register of each operand, by position.
    operands: [Option<u8>; PLACES],
    /// Bit mask of the operand positions whose register stays in the reuse cache for the next instruction.
    keeps: u8,
    /// Number of further reads of each bank: second halves of pairs, and words that are stored.
    more: [u8; BANKS],
    /// `true` if the scheduler waits until the registers can be read in time. Loads, stores and what else takes its
    /// time read when they can.
    in_time: bool,
}

impl Reads {
    /// Returns the registers that an instruction reads, for compute capability 8.0 and later.
    pub fn of(word: Word) -> Self {
        let keeps = (0..PLACES).fold(0, |all, place| all | u8::from(word.keeps(place)) << place);
        let in_time = word.wait().is_none() && word.access().is_none();
        Self { operands: word.operands(), keeps, more: word.further_reads(), in_time }
    }
}

/// The register file of a scheduler's warps, with its reuse cache.
#[derive(Debug, Clone, Default)]
pub(super) struct RegisterFile {
    /// Clock from which on each bank can be read.
    free: [u64; BANKS],
    /// Registers in the reuse cache with their warp, by operand position and bank.
    kept: [[Option<(usize, u8)>; BANKS]; PLACES],
}

impl RegisterFile {
    /// Reads the registers of an instruction issued at `clock` for the warp in `slot`, and returns the clock from which
    /// on the scheduler may issue again.
    pub fn read(&mut self, clock: u64, slot: usize, reads: &Reads) -> u64 {
        let mut count = reads.more.map(u64::from);
        for (place, register) in reads.operands.into_iter().enumerate() {
            let Some(register) = register else { continue };
            let bank = usize::from(register) % BANKS;
            let kept = &mut self.kept[place][bank];
            // One that stands in two places is read once.
            let is_read = reads.operands[..place].contains(&Some(register)) || *kept == Some((slot, register));
            count[bank] += u64::from(!is_read);
            *kept = (reads.keeps >> place & 1 == 1).then_some((slot, register));
        }
        let mut open = clock + 1;
        for (free, count) in self.free.iter_mut().zip(count) {
            *free = clock.max(*free) + count;
            if reads.in_time {
                open = open.max((*free + 1).saturating_sub(WINDOW));
            }
        }
        open
    }
}
