//! Computes how long a warp takes by itself, from machine code alone: its words say when the next may issue and what it
//! waits for.
//!
//! Source: Jia et al. 2018, "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", chapter 2: of the 128
//! bits of an instruction, 105 to 125 are its control: clocks to the next instruction (4 bits), yield, the barriers
//! that are released when its result is written and when its operands are read (3 bits each, 7 for none), the barriers
//! that it waits for (6 bits), and which operands are kept (4 bits).
//!
//! A warp issues in order, so that a block is a line of time: an instruction issues so many clocks after the one
//! before, and not before the barriers that it waits for are released. Everything unknown is taken as nothing, so that
//! the time is a least one:
//! - barriers set before the block are released at its start;
//! - a barrier of operands that are read is released at once;
//! - a taken jump, a yield and a miss of the instruction cache take no time but what the word says;
//! - where a block's barrier is still pending at its end, and every way that is ever taken from there comes to a wait
//!   for it before anything else sets a barrier, the rest of it that is not passed by then belongs to the block; else
//!   to nobody.

use raywarp_costs::{Alone, KeplerWord, PricedKernel, Wait, Word};

/// Facts of an instruction that the time of a warp depends on, for each generation of GPUs.
pub(super) trait Timed: Copy {
    /// Results that are still missing, each with the time from a basic block's start when it arrives.
    type Pending: Clone + Default;
    /// Returns the time at which the instruction issues if it could at `now`: after the results that it waits for,
    /// which it removes from `pending`.
    fn issue(self, now: Alone, pending: &mut Self::Pending) -> Alone;
    /// Adds the instruction's own result to those pending at `now`; returns `false` if it has none that is waited for.
    fn ask(self, now: Alone, pending: &mut Self::Pending) -> bool;
    /// Returns `true` if no results are pending.
    fn is_over(pending: &Self::Pending) -> bool;
    /// Returns the number of clocks until the next instruction may issue.
    fn clocks(self) -> i32;
    /// Returns `true` if lanes may go on with the next instruction, and the index of another one that they may go on
    /// with, for the instruction of index `number`. Neither where nobody knows.
    fn ways(self, number: usize, architecture: u32) -> (bool, Option<usize>);
}

impl Timed for Word {
    /// Pending results by dependency barrier.
    type Pending = [Option<Alone>; Word::BARRIERS];

    fn issue(self, now: Alone, pending: &mut Self::Pending) -> Alone {
        let waited = pending.iter_mut().enumerate().filter(|(barrier, _)| self.waits_for(*barrier));
        waited.filter_map(|(_, release)| release.take()).fold(now, later)
    }

    fn ask(self, now: Alone, pending: &mut Self::Pending) -> bool {
        let Some(barrier) = self.written() else { return false };
        let mut release = now;
        // Of no class: no longer than until the next instruction.
        match self.wait() {
            Some(wait) => release.waits[wait as usize] += 1,
            None => release = plus(release, self.stall()),
        }
        // A barrier counts, and is released by the last.
        pending[barrier] = Some(pending[barrier].map_or(release, |before| later(before, release)));
        true
    }

    fn is_over(pending: &Self::Pending) -> bool {
        pending.iter().all(Option::is_none)
    }

    fn clocks(self) -> i32 {
        self.stall()
    }

    fn ways(self, number: usize, architecture: u32) -> (bool, Option<usize>) {
        match self.operation() {
            // BRA, with two kinds of operand.
            0x147 => {
                let target = target(self, number * Word::BYTES, architecture);
                (!self.always(), target.map(|bytes| bytes / Word::BYTES))
            }
            // BRX, JMX, JMP, RET, CALL; EXIT where all lanes do it.
            0x149 | 0x14c | 0x14a | 0x150 | 0x144 | 0x143 => (false, None),
            0x14d if self.always() => (false, None),
            _ => (true, None),
        }
    }
}

/// Returns the offset that a jump at `offset` goes to. The words in which jumps are counted became a byte wider with
/// compute capability 9.0.
fn target(word: Word, offset: usize, architecture: u32) -> Option<usize> {
    let words = (word.0 >> 34) as i64;
    let words = if architecture < 90 { words << 16 >> 16 } else { words << 16 >> 8 | i64::from(word.bits(16, 8)) };
    let target = (offset + Word::BYTES) as i64 + 4 * words;
    usize::try_from(target).ok()
}

pub(super) fn later(a: Alone, b: Alone) -> Alone {
    if b.at(Wait::nominal) > a.at(Wait::nominal) { b } else { a }
}

fn plus(mut time: Alone, clocks: i32) -> Alone {
    time.clocks += clocks;
    time
}

/// Returns the time of a basic block from its first instruction to the one after it, and the results that are pending
/// then.
fn timeline<T: Timed>(words: &[T]) -> (Alone, T::Pending) {
    let (mut now, mut pending) = (Alone::default(), T::Pending::default());
    for &word in words {
        now = word.issue(now, &mut pending);
        word.ask(now, &mut pending);
        now = plus(now, word.clocks());
    }
    (now, pending)
}

/// Largest number of instructions after a basic block in which waits for its barriers are looked for.
const FAR: usize = 64;

/// A kernel's machine code, with the instructions that are ever issued.
struct Code<T> {
    words: Vec<T>,
    /// `true` for each instruction that is ever issued.
    issued: Vec<bool>,
    architecture: u32,
}

impl<T: Timed> Code<T> {
    /// Returns the indices of the instructions that a warp may go on with and that are ever issued; none where that is
    /// not known.
    fn ways(&self, at: usize) -> Vec<usize> {
        let (next, other) = self.words[at].ways(at, self.architecture);
        let ways = other.into_iter().chain(next.then_some(at + 1));
        ways.filter(|&way| self.issued.get(way) == Some(&true)).collect()
    }

    /// Returns the time of a basic block that ended with instruction `last`, at `now` with `pending` results: with the
    /// remaining waits in later blocks, less the clocks that `passed` there. On the way on which it is least.
    fn with_rest(&self, last: usize, now: Alone, pending: &T::Pending, passed: i32, far: usize) -> Alone {
        let after = |way: usize| {
            let mut pending = pending.clone();
            let word = self.words[way];
            let now = word.issue(now, &mut pending);
            // What waits from here on may wait for what this sets as well.
            if word.ask(now, &mut pending) || T::is_over(&pending) || far == 0 {
                return plus(now, -passed);
            }
            self.with_rest(way, plus(now, word.clocks()), &pending, passed + word.clocks(), far - 1)
        };
        let times = self.ways(last).into_iter().map(after);
        times.min_by_key(|time| time.at(Wait::nominal)).unwrap_or(plus(now, -passed))
    }

    fn time(&mut self, costs: &mut PricedKernel) -> Result<(), String> {
        for block in costs.blocks.iter().filter(|block| !block.is_never()) {
            let issued = self.issued.get_mut(block.place());
            issued.ok_or_else(|| format!("a block at {} is not in the code", block.offset))?.fill(true);
        }
        for block in &mut costs.blocks {
            // What is never issued takes no time.
            block.alone = Some(Alone::default());
            if !block.is_never() {
                let place = block.place();
                let (now, pending) = timeline(&self.words[place.clone()]);
                block.alone = Some(self.with_rest(place.end - 1, now, &pending, 0, FAR));
            }
        }
        Ok(())
    }
}

/// Computes the time that a lone warp takes for each basic block of a kernel whose instructions are `words`.
///
/// # Errors
/// A block that lies outside of the code.
pub fn time(words: Vec<Word>, architecture: u32, costs: &mut PricedKernel) -> Result<(), String> {
    let issued = vec![false; words.len()];
    if architecture == KeplerWord::ARCHITECTURE {
        let words: Vec<KeplerWord> = words.into_iter().map(KeplerWord::from).collect();
        return Code { words, issued, architecture }.time(costs);
    }
    Code { words, issued, architecture }.time(costs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_costs::{CountSource, EventKind, IssueFormula, Pipe, PricedBlock};
    use raywarp_cuda::Block;

    /// Operation codes of test instructions, bits 0 to 8.
    const FFMA: u128 = 0x023;
    const LDG: u128 = 0x181;
    const MUFU: u128 = 0x108;
    const BRA: u128 = 0x147;
    const EXIT: u128 = 0x14d;

    /// Fields of an instruction as in the paper's figure; by default it sets and waits for no barrier.
    #[derive(Clone, Copy)]
    struct Fields {
        operation: u128,
        stall: u128,
        written: u128,
        waits: u128,
        predicate: u128,
        words: i128,
    }

    const PLAIN: Fields = Fields { operation: FFMA, stall: 1, written: 7, waits: 0, predicate: 7, words: 0 };

    fn word(f: Fields) -> Word {
        let jump = (f.words as u128 & 0xffff_ffff_ffff) << 34;
        let control = f.stall | 1 << 4 | f.written << 5 | 7 << 8 | f.waits << 11;
        Word(f.operation | f.predicate << 12 | jump | control << 105)
    }

    fn plain(stall: u128, waits: u128) -> Word {
        word(Fields { stall, waits, ..PLAIN })
    }

    fn load(stall: u128, barrier: u128) -> Word {
        word(Fields { operation: LDG, stall, written: barrier, ..PLAIN })
    }

    fn clocks(clocks: i32) -> Alone {
        Alone { clocks, ..Alone::default() }
    }

    fn waits(clocks: i32, wait: Wait, times: i32) -> Alone {
        let mut alone = Alone { clocks, ..Alone::default() };
        alone.waits[wait as usize] = times;
        alone
    }

    #[test]
    fn a_block_without_waits_takes_its_stalls() {
        assert_eq!(timeline(&[plain(4, 0), plain(0, 0), plain(13, 0)]).0, clocks(4 + 1 + 13));
    }

    #[test]
    fn a_wait_takes_what_is_left_of_a_latency() {
        // Issued at 2, needed at 2 + 1 + 5.
        let block = [plain(2, 0), load(1, 3), plain(5, 0), plain(4, 1 << 3)];
        assert_eq!(timeline(&block).0, waits(2 + 4, Wait::L1, 1));
        // Another's barrier, and one that was set before the block, are no wait.
        let block = [load(1, 3), plain(5, 1 << 2)];
        assert_eq!(timeline(&block).0, clocks(6));
        // A result that is there by then.
        let mut block = vec![load(1, 0)];
        block.extend([plain(15, 0); 3]);
        block.push(plain(1, 1));
        assert_eq!(timeline(&block).0, clocks(1 + 45 + 1));
    }

    #[test]
    fn the_last_of_several_is_waited_for() {
        // Two loads of one barrier, side by side; then one that needs their result.
        let block = [load(2, 0), load(2, 0), plain(1, 1)];
        assert_eq!(timeline(&block).0, waits(2 + 1, Wait::L1, 1));
        let chain = [load(2, 0), word(Fields { operation: LDG, written: 1, waits: 1, ..PLAIN }), plain(1, 2)];
        assert_eq!(timeline(&chain).0, waits(1, Wait::L1, 2));
        // Of a load and a reciprocal the longer.
        let reciprocal = word(Fields { operation: MUFU, written: 1, ..PLAIN });
        assert_eq!(timeline(&[reciprocal, load(1, 0), plain(1, 3)]).0, waits(1 + 1, Wait::L1, 1));
    }

    /// Returns the times of a kernel's basic blocks with these numbers of instructions, of which some are never issued.
    fn times(architecture: u32, words: &[Word], blocks: &[(u32, bool)]) -> Vec<Alone> {
        let mut offset = 0;
        let cost = |&(instructions, issued): &(u32, bool)| {
            let (block, pipes) = (Block::VisitNode, [0; Pipe::ALL.len()]);
            let count = issued.then_some((1, EventKind { block, after: None, full: false }));
            let (issued, source) = (IssueFormula(count.into_iter().collect()), CountSource::Measured);
            offset += 16 * instructions;
            PricedBlock { block, offset: offset - 16 * instructions, instructions, pipes, alone: None, issued, source }
        };
        let mut costs = PricedKernel { blocks: blocks.iter().map(cost).collect(), verified: true };
        time(words.to_vec(), architecture, &mut costs).unwrap();
        costs.blocks.iter().map(|block| block.alone.unwrap()).collect()
    }

    #[test]
    fn a_wait_after_a_block_is_its_own_if_all_ways_come_to_it() {
        // Ten clocks pass before it.
        let words = [load(1, 0), plain(10, 0), plain(1, 1)];
        assert_eq!(times(90, &words, &[(1, true), (2, true)]), [waits(-10, Wait::L1, 1), clocks(11)]);
        // Something else is set before.
        let words = [load(1, 0), load(10, 1), plain(1, 1)];
        assert_eq!(times(90, &words, &[(1, true), (2, true)])[0], clocks(1));
        // A jump over it.
        let over = word(Fields { operation: BRA, stall: 5, predicate: 0, words: 4, ..PLAIN });
        let exit = word(Fields { operation: EXIT, ..PLAIN });
        let words = [load(1, 0), over, plain(1, 1), exit];
        assert_eq!(times(80, &words, &[(2, true), (1, true), (1, true)])[0], clocks(6));
        // That nobody takes.
        assert_eq!(times(80, &words, &[(2, true), (1, true), (1, false)])[0], waits(0, Wait::L1, 1));
        // Always taken, to a wait at the end.
        let always = word(Fields { predicate: 7, ..Fields { operation: BRA, stall: 5, words: 4, ..PLAIN } });
        let words = [load(1, 0), always, plain(1, 0), plain(1, 1)];
        assert_eq!(times(80, &words, &[(2, true), (1, false), (1, true)])[0], waits(0, Wait::L1, 1));
        // A ring without a wait.
        let back = word(Fields { operation: BRA, stall: 5, words: -4, ..PLAIN });
        assert_eq!(times(80, &[load(1, 0), back], &[(1, true), (1, true)]), [clocks(1), clocks(5)]);
    }

    #[test]
    fn lines_of_a_table_that_were_joined_change_no_time() {
        let over = word(Fields { operation: BRA, stall: 5, predicate: 0, words: 8, ..PLAIN });
        let words = [load(1, 0), over, plain(1, 0), plain(3, 0), plain(1, 1)];
        let apart = times(80, &words, &[(2, true), (1, false), (1, false), (1, true)]);
        let joined = times(80, &words, &[(2, true), (2, false), (1, true)]);
        assert_eq!(apart[0], waits(0, Wait::L1, 1));
        assert_eq!((apart[0], apart[1], apart[3]), (joined[0], joined[1], joined[2]));
    }

    #[test]
    fn jumps_go_where_the_disassembler_says() {
        // `BRA` at 0x60 of a kernel for 9.0, with three times 256 words and 0x94 of them.
        let word = Word(0x000f_ea00_0380_0000_0000_000c_0094_8947);
        assert_eq!(target(word, 0x60, 90), Some(0x70 + 4 * 0x394));
        let back = super::tests::word(Fields { operation: BRA, words: -8, ..PLAIN });
        assert_eq!((target(back, 0x40, 80), target(back, 0, 80)), (Some(0x50 - 32), None));
    }

    #[test]
    fn a_block_outside_of_the_code_is_an_error() {
        let cost = PricedBlock {
            block: Block::Pop,
            offset: 16,
            instructions: 2,
            pipes: [0; Pipe::ALL.len()],
            alone: None,
            issued: "pop".parse().unwrap(),
            source: CountSource::Measured,
        };
        assert!(time(vec![Word(0); 2], 90, &mut PricedKernel { blocks: vec![cost], verified: false }).is_err());
    }

    #[test]
    fn the_tables_say_what_the_machine_code_says() {
        assert_eq!(super::super::chains(true, Some(90)), Ok(true));
    }
}
