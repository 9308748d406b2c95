//! Reading registers, which limits what a scheduler issues: two banks, of even and of odd registers, each of which
//! gives one register of a warp a clock.
//!
//! Huerta et al. ("Analyzing Modern NVIDIA GPU cores", arXiv:2503.20481, 2025) found this by microbenchmarks on an RTX
//! A6000, with the three clocks within which an instruction's registers must be read and the operands that stay. An
//! H100's products have the rates that follow from it: 1/3 a clock and scheduler with three registers of a bank, 1/2
//! with two, 1 with one of each (bench/latencies/throughput.py; bench/runs/2026-11-25-h100).

use raywarp_costs::Word;

/// Banks of a scheduler's registers.
const BANKS: usize = 2;
/// Places of an instruction's operands.
const PLACES: usize = Word::PLACES;
/// Clocks within which registers are read of instructions that take a fixed time.
const WINDOW: u64 = 3;

/// Registers that an instruction reads.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Reads {
    /// The registers, by place.
    operands: [Option<u8>; PLACES],
    /// A bit a place: the register stays there for the next instruction.
    keeps: u8,
    /// Further reads of each bank: second halves of pairs, and words that are stored.
    more: [u8; BANKS],
    /// `true` if the scheduler waits until they can be read in time. Loads, stores and what else takes its time read
    /// when they can.
    in_time: bool,
}

impl Reads {
    /// Returns the reads of an instruction since compute capability 8.0.
    pub fn of(word: Word) -> Self {
        let keeps = (0..PLACES).fold(0, |all, place| all | u8::from(word.keeps(place)) << place);
        let in_time = word.wait().is_none() && word.access().is_none();
        Self { operands: word.operands(), keeps, more: word.further_reads(), in_time }
    }
}

/// The registers of a scheduler's warps.
#[derive(Debug, Clone, Default)]
pub(super) struct RegisterFile {
    /// The time from which on each bank can be read.
    free: [u64; BANKS],
    /// Registers that stayed, with their warp, by place and bank.
    kept: [[Option<(usize, u8)>; BANKS]; PLACES],
}

impl RegisterFile {
    /// Reads the registers of an instruction that is issued at `clock` for the warp in `slot`; from the clock that it
    /// gives on the scheduler may issue again.
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
