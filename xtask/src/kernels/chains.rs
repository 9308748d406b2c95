//! How long a warp takes by itself, from machine code alone: its words say when the next may issue and what it waits for.
//!
//! Source: Jia et al. 2018, "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", chapter 2: of the 128 bits of
//! an instruction, 105 to 125 are its control: clocks to the next instruction (4 bits), yield, the barriers that are released
//! when its result is written and when its operands are read (3 bits each, 7 for none), the barriers that it waits for (6
//! bits), and which operands are kept (4 bits).
//!
//! A warp issues in order, so that a block is a line of time: an instruction issues so many clocks after the one before, and
//! not before the barriers that it waits for are released. Everything unknown is taken as nothing, so that the time is a
//! least one:
//! - barriers set before the block are released at its start;
//! - a barrier of operands that are read is released at once;
//! - a taken jump, a yield and a miss of the instruction cache take no time but what the word says;
//! - where a block's barrier is still pending at its end, and every way that is ever taken from there comes to a wait for it
//!   before anything else sets a barrier, the rest of it that is not passed by then belongs to the block; else to nobody.

use super::price::INSTRUCTION_BYTES;
use raywarp_family::costs::{Alone, KernelCosts, Wait};

/// An instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word(pub u128);

/// The number of no barrier.
const NONE: usize = 7;

const BARRIERS: usize = 6;

impl Word {
    fn bits(self, low: u32, count: u32) -> u32 {
        (self.0 >> low) as u32 & ((1 << count) - 1)
    }

    /// Clocks until the next instruction may issue; a warp issues one a clock at most.
    fn stall(self) -> i32 {
        self.bits(105, 4).max(1) as i32
    }

    /// The barrier that its result releases.
    fn written(self) -> Option<usize> {
        Some(self.bits(110, 3) as usize).filter(|&barrier| barrier < BARRIERS)
    }

    /// Whether it waits for a barrier.
    fn waits_for(self, barrier: usize) -> bool {
        self.bits(116, 6) >> barrier & 1 == 1
    }

    /// Its operation, without the bits that say of what kind its operands are.
    fn operation(self) -> u32 {
        self.bits(0, 9)
    }

    /// Whether all lanes do it: predicate 7 is always true.
    fn always(self) -> bool {
        self.bits(12, 4) == NONE as u32
    }

    /// What the time of its result is that the code does not tell; none for what no class has.
    fn wait(self) -> Option<Wait> {
        Some(match self.operation() {
            // LD, LDG, LDL.
            0x180 | 0x181 | 0x183 => Wait::L1,
            // LDS.
            0x184 => Wait::Shared,
            // FLO, BREV, FCHK, F2F, F2I, I2F, FRND (two numbers each), MUFU, POPC; DMUL, DADD, DSETP, DFMA.
            0x100..=0x109 | 0x110..=0x113 | 0x028..=0x02b => Wait::Xu,
            // SHFL, MATCH, REDUX.
            0x189 | 0x1a1 | 0x1c4 => Wait::Lanes,
            // LDC, LDCU, S2R, S2UR.
            0x182 | 0x1ac | 0x119 | 0x1c3 => Wait::Constant,
            // ATOM, ATOMG.
            0x18a | 0x1a8 => Wait::Atomic,
            _ => return None,
        })
    }

    fn leaves(self) -> Leaves {
        match self.operation() {
            // BRA, with two kinds of operand.
            0x147 => Leaves::Jump,
            // BRX, JMX, JMP, RET, CALL; EXIT where all lanes do it.
            0x149 | 0x14c | 0x14a | 0x150 | 0x144 | 0x143 => Leaves::Unknown,
            0x14d if self.always() => Leaves::Unknown,
            _ => Leaves::Not,
        }
    }

    /// Where a jump at `offset` goes. The words in which jumps are counted became a byte wider with compute capability 9.0.
    fn target(self, offset: usize, architecture: u32) -> Option<usize> {
        let words = (self.0 >> 34) as i64;
        let words = if architecture < 90 { words << 16 >> 16 } else { words << 16 >> 8 | i64::from(self.bits(16, 8)) };
        let target = (offset + INSTRUCTION_BYTES) as i64 + 4 * words;
        usize::try_from(target).ok()
    }
}

enum Leaves {
    Not,
    Jump,
    Unknown,
}

/// The latencies by which the longest way is chosen: those of an H200 (machines/h200.toml), rounded. On another machine the
/// way may not be its longest, and is still one that it must go.
pub fn nominal(wait: Wait) -> i32 {
    match wait {
        Wait::L1 => 40,
        Wait::Shared => 29,
        Wait::Xu => 18,
        Wait::Lanes => 24,
        Wait::Constant => 26,
        Wait::Atomic => 281,
    }
}

/// What each barrier still waits for, as the time from a block's start.
type Pending = [Option<Alone>; BARRIERS];

fn later(a: Alone, b: Alone) -> Alone {
    if b.at(nominal) > a.at(nominal) { b } else { a }
}

fn plus(mut time: Alone, clocks: i32) -> Alone {
    time.clocks += clocks;
    time
}

/// When a word issues that would at `now`: after what it waits for, which is then pending no longer.
fn issue(word: Word, now: Alone, pending: &mut Pending) -> Alone {
    let waited = pending.iter_mut().enumerate().filter(|(barrier, _)| word.waits_for(*barrier));
    waited.filter_map(|(_, release)| release.take()).fold(now, later)
}

/// The time of a block from its first instruction to the one after it, and what is pending then.
fn timeline(words: &[Word]) -> (Alone, Pending) {
    let (mut now, mut pending) = (Alone::default(), Pending::default());
    for &word in words {
        now = issue(word, now, &mut pending);
        if let Some(barrier) = word.written() {
            let mut release = now;
            // Of no class: no longer than until the next instruction.
            match word.wait() {
                Some(wait) => release.waits[wait as usize] += 1,
                None => release = plus(release, word.stall()),
            }
            // A barrier counts, and is released by the last.
            pending[barrier] = Some(pending[barrier].map_or(release, |before| later(before, release)));
        }
        now = plus(now, word.stall());
    }
    (now, pending)
}

/// Instructions after a block, at most, up to where its barriers are waited for.
const FAR: usize = 64;

/// A kernel's code.
struct Code {
    words: Vec<Word>,
    /// Which of them are ever issued.
    issued: Vec<bool>,
    architecture: u32,
}

impl Code {
    /// The time of a block that ended at `now` with `pending`, with what is left of that after it: up to `now` at `at`, of which
    /// `passed` clocks are other blocks'. On the way on which it is least.
    fn with_rest(&self, mut at: usize, mut now: Alone, mut pending: Pending, mut passed: i32, far: usize) -> Alone {
        for far in (0..far).rev() {
            let Some(&word) = self.words.get(at).filter(|_| self.issued[at]) else { break };
            now = issue(word, now, &mut pending);
            // What waits from here on may wait for that as well.
            if word.written().is_some() || pending.iter().all(Option::is_none) {
                break;
            }
            (now, passed) = (plus(now, word.stall()), passed + word.stall());
            let Leaves::Jump = word.leaves() else {
                if let Leaves::Unknown = word.leaves() {
                    break;
                }
                at += 1;
                continue;
            };
            let target = word.target(at * INSTRUCTION_BYTES, self.architecture);
            let target = target.map(|bytes| bytes / INSTRUCTION_BYTES);
            let ways = target.into_iter().chain((!word.always()).then_some(at + 1));
            let ways: Vec<usize> = ways.filter(|&way| self.issued.get(way) == Some(&true)).collect();
            match ways[..] {
                [way] => at = way,
                _ => {
                    let rests = ways.iter().map(|&way| self.with_rest(way, now, pending, passed, far));
                    return rests.min_by_key(|time| time.at(nominal)).unwrap_or(plus(now, -passed));
                }
            }
        }
        plus(now, -passed)
    }
}

/// Tells how long each block takes of a kernel's `code`.
///
/// # Errors
/// A block that lies outside of the code.
pub fn time(code: &[u8], architecture: u32, costs: &mut KernelCosts) -> Result<(), String> {
    let words = code.chunks_exact(INSTRUCTION_BYTES);
    let words: Vec<Word> =
        words.map(|bytes| Word(bytes.iter().rev().fold(0, |w, &b| w << 8 | u128::from(b)))).collect();
    let mut code = Code { issued: vec![false; words.len()], words, architecture };
    let place = |offset: u32, instructions: u32| {
        let first = offset as usize / INSTRUCTION_BYTES;
        first..first + instructions as usize
    };
    for block in costs.blocks.iter().filter(|block| !block.is_never()) {
        let issued = code.issued.get_mut(place(block.offset, block.instructions));
        issued.ok_or_else(|| format!("a block at {} is not in the code", block.offset))?.fill(true);
    }
    for block in &mut costs.blocks {
        // What is never issued takes no time.
        block.alone = Some(Alone::default());
        if !block.is_never() {
            let place = place(block.offset, block.instructions);
            let (now, pending) = timeline(&code.words[place.clone()]);
            block.alone = Some(code.with_rest(place.end, now, pending, 0, FAR));
        }
    }
    Ok(())
}
