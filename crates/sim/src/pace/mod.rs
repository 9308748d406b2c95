//! The pace of warps side by side: a multiprocessor followed clock by clock.
//!
//! A bound says what no run can pass, one resource at a time. What warps reach is less, since they want the same
//! pipeline at the same time and then none does: here the warps that a multiprocessor holds issue the instructions of
//! their own events ([`Streams`](crate::Streams)) one by one, as the words of the machine code say ([`Word`]: clocks to
//! the next one, barriers).
//!
//! Schedulers are those that Huerta et al. found by microbenchmarks ("Analyzing Modern NVIDIA GPU cores",
//! arXiv:2503.20481, 2025): each goes on with the warp of its last instruction while that is ready. Else it takes one
//! of the oldest block; they found the youngest, of warps that had started together. A pipeline is taken for as many
//! clocks as its lanes need for a warp, and each bank of registers gives one a clock (`registers`). Where lanes meet,
//! and behind jumps, a warp waits until it is known how it goes on. Loads and stores pass the first cache, which all
//! schedulers share, as often as its model says on average ([`crate::memory::AccessCost::passes`]); loads miss it by
//! chance, all of a block together, as often as the model of the caches has events of its region miss
//! ([`Traffic::loads`](crate::memory::Traffic)). Kepler's words let pairs issue together, and lanes for floats and
//! integers' sums are half as many again as its schedulers; its registers that are waited for are barriers of their own
//! ([`KeplerWord`]). Of a launch of many blocks a place is free when the last warp of its block has ended
//! ([`Streams::blocks`](crate::Streams::blocks)). Nothing else takes time: no miss of an instruction cache, no queue
//! beyond the first cache.

mod cheaper;
mod multiprocessor;
mod program;
mod registers;
mod stalls;

pub use cheaper::CheaperCode;
pub use stalls::{Pace, StallCause};

use crate::bounds::FIRST_WITH_SCHEDULE;
use crate::machine::{Machine, keys};
use crate::memory::Traffic;
use crate::profile::Profile;
use crate::streams::Moment;
use multiprocessor::Multiprocessor;
use program::{Program, is_kepler};
use raywarp_costs::{KeplerWord, PricedKernel, Word};

/// A kernel's machine code with its table of costs.
#[derive(Debug, Clone, Copy)]
pub struct KernelCode<'a> {
    /// Basic blocks of the kernel, with formulas for when they are issued.
    pub costs: &'a PricedKernel,
    /// Instructions of the kernel, from its start.
    pub words: &'a [Word],
    /// Architecture that the kernel was compiled for (90 for compute capability 9.0).
    pub architecture: u32,
}

/// Number of clocks that are simulated and counted.
const CLOCKS: u64 = 1 << 18;
/// Number of clocks that are simulated before counting starts.
const WARM_UP: u64 = 1 << 14;

/// Simulates a multiprocessor with `warps` resident warps of a profiled launch clock by clock, and returns its
/// instructions a clock and stalls. None where the profile has no streams of the machine's width; where the machine is
/// older than compute capability 7.0 and no Kepler with code of its own, issues more or less than one instruction a
/// clock (Kepler two) or has no `latency.alu`; and where an instruction of the code is not known.
pub fn pace(
    machine: &Machine,
    code: KernelCode<'_>,
    profile: &Profile,
    traffic: Option<&Traffic>,
    warps: u32,
) -> Option<Pace> {
    let blocks: Vec<Vec<&[Moment]>> = profile.streams.blocks().collect();
    let of_width = profile.counts.width == machine.count(keys::SM_WARP_WIDTH);
    // Only words since then say when the next may issue, and only one issues at a time; Kepler's say of two.
    let at_a_time = machine.need(keys::ISSUE_PER_SCHEDULER);
    let is_known = match is_kepler(machine) {
        true => code.architecture == KeplerWord::ARCHITECTURE && at_a_time == 2.0,
        false => machine.capability().0 >= FIRST_WITH_SCHEDULE && at_a_time == 1.0,
    };
    if blocks.is_empty() || warps == 0 || !of_width || !is_known {
        return None;
    }
    let program = Program::new(machine, code, profile, traffic)?;
    let mut multiprocessor = Multiprocessor::new(machine, &program, (&blocks, profile.streams.block_warps()), warps);
    multiprocessor.run(WARM_UP);
    let before = (multiprocessor.issued, multiprocessor.waited);
    multiprocessor.run(CLOCKS);
    let issued = (multiprocessor.issued - before.0) as f64;
    let waited = |cause: usize| (multiprocessor.waited[cause] - before.1[cause]) as f64 / issued.max(1.0);
    let waiting = std::array::from_fn(waited);
    Some(Pace { instructions_per_clock: issued / CLOCKS as f64, waiting })
}

#[cfg(test)]
mod tests {
    use super::program::blocks_of;
    use super::*;
    use crate::event_lanes::EventLanes;
    use crate::memory::{LoadEvents, Region};
    use crate::streams::Streams;
    use crate::warp_counts::WarpCounts;
    use raywarp_costs::{CountSource, EventCounts, Pipe, PricedBlock};
    use raywarp_family::{Block, Operation};

    /// Operation codes of test instructions: on the whole float pipeline, on its heavy half, and on other pipelines.
    const FFMA: u128 = 0x023;
    const IMAD: u128 = 0x024;
    const IADD3: u128 = 0x010;
    const MUFU: u128 = 0x108;
    const STL: u128 = 0x187;
    const LDL: u128 = 0x183;

    fn plain(operation: u128, stall: u128) -> Word {
        Word(operation | stall << 105 | 7 << 110 | 7 << 113)
    }

    /// Returns an instruction that sets barrier 2, and one that waits for it.
    fn sets(operation: u128) -> Word {
        Word(operation | 1 << 105 | 2 << 110 | 7 << 113)
    }

    fn waits(operation: u128) -> Word {
        Word(operation | 1 << 105 | 7 << 110 | 7 << 113 | 1 << (116 + 2))
    }

    fn block(instructions: usize, issued: &str) -> PricedBlock {
        PricedBlock {
            block: Block::Vote,
            offset: 0,
            instructions: instructions as u32,
            pipes: [0; Pipe::ALL.len()],
            alone: None,
            issued: issued.parse().unwrap(),
            source: CountSource::Measured,
        }
    }

    /// Returns the instructions a clock of warps that run `words` again and again.
    fn rate(words: &[Word], warps: u32) -> f64 {
        rate_on("h200", words, warps)
    }

    fn rate_on(machine: &str, words: &[Word], warps: u32) -> f64 {
        rate_with(machine, words, warps, None)
    }

    fn rate_with(machine: &str, words: &[Word], warps: u32, traffic: Option<&Traffic>) -> f64 {
        pace_of((machine, warps), words, traffic, 1, &[50; 3]).instructions_per_clock
    }

    /// Returns the pace of warps in thread blocks of `block_warps`, each of which runs `words` as often as `lengths`
    /// says.
    fn pace_of(
        (machine, warps): (&str, u32),
        words: &[Word],
        traffic: Option<&Traffic>,
        block_warps: u32,
        lengths: &[u32],
    ) -> Pace {
        let machine = Machine::find(machine).unwrap();
        let architecture = if is_kepler(&machine) { KeplerWord::ARCHITECTURE } else { 90 };
        let vote = Moment { block: Block::Vote, after: Operation::Loop, full: true };
        let mut streams = Streams::of_blocks(block_warps);
        for (warp, &length) in lengths.iter().enumerate() {
            (0..length).for_each(|_| streams.add(warp as u32, vote));
        }
        let mut tally = EventCounts::default();
        tally.add(Block::Vote, 1, 1);
        let profile = Profile {
            counts: WarpCounts { rays: 1, ..WarpCounts::new(32) },
            tally,
            lanes: EventLanes::default(),
            memory: None,
            streams,
            launch_rays: 1,
            launches: 1,
        };
        let costs = PricedKernel { blocks: vec![block(words.len(), "vote")], verified: true };
        let code = KernelCode { costs: &costs, words, architecture };
        pace(&machine, code, &profile, traffic, warps).unwrap()
    }

    #[track_caller]
    fn check(words: &[Word], warps: u32, wanted: f64) {
        let found = rate(words, warps);
        assert!((found / wanted - 1.0).abs() < 0.003, "{found}, not {wanted}");
    }

    #[test]
    fn a_warp_alone_issues_as_its_words_say() {
        check(&[plain(FFMA, 4), plain(FFMA, 1), plain(FFMA, 13)], 1, 3.0 / 18.0);
        // A store is sent after 1 clock; a load of the first cache is there after 33.9.
        check(&[sets(LDL), waits(FFMA)], 1, 2.0 / 35.0);
        // What it need not wait for passes meanwhile.
        check(&[sets(LDL), plain(FFMA, 13), waits(FFMA)], 1, 3.0 / 35.0);
    }

    #[test]
    fn a_pipeline_is_taken_for_as_long_as_its_lanes_need() {
        for (operation, per_clock) in [(FFMA, 4.0), (IMAD, 2.0), (IADD3, 2.0), (MUFU, 0.5), (STL, 1.0)] {
            check(&[plain(operation, 1)], 40, per_clock);
        }
        // Two pipelines side by side; a float finds the half that the integer leaves.
        check(&[plain(IADD3, 1), plain(FFMA, 1)], 40, 4.0);
        check(&[plain(IMAD, 1), plain(FFMA, 1)], 40, 4.0);
        // The A100 has 64 lanes for both.
        assert!((rate_on("a100", &[plain(IMAD, 1), plain(FFMA, 1)], 40) - 2.0).abs() < 0.01);
    }

    #[test]
    fn warps_hide_each_others_waits() {
        let words = [sets(LDL), waits(FFMA), plain(FFMA, 4)];
        let one = rate(&words, 1);
        // One a scheduler: each has its own pipelines.
        check(&words, 4, 4.0 * one);
        assert!(rate(&words, 16) > 15.0 * one);
        // The pipeline of loads is shared, and takes one a clock.
        check(&words, 64, 3.0);
    }

    #[test]
    fn places_of_a_block_are_free_when_its_last_warp_has_ended() {
        // So few warps, and such waits, that none is in another's way: each issues every 13 clocks while it is there.
        let words = [plain(FFMA, 13)];
        let check = |block_warps: u32, lengths: &[u32]| {
            let found = pace_of(("h200", 16), &words, None, block_warps, lengths);
            // A block is there for as long as its longest warp; one after the other takes a place.
            let all: u32 = lengths.iter().sum();
            let held: u32 = lengths.chunks(block_warps as usize).map(|block| *block.iter().max().unwrap()).sum();
            let share = f64::from(all) / f64::from(block_warps * held);
            let about = |found: f64, wanted: f64| {
                assert!((found / wanted - 1.0).abs() < 0.01, "{block_warps} {lengths:?}: {found}, not {wanted}");
            };
            about(found.instructions_per_clock, 16.0 / 13.0 * share);
            about(found.resident_warps(), 16.0 * share);
        };
        check(1, &[50, 150]);
        check(2, &[100, 100]);
        check(2, &[50, 150]);
        check(2, &[50, 150, 100, 100, 20, 60]);
        check(4, &[50, 150, 100, 100, 200, 90, 10, 70]);
        // A launch's last block may lack warps.
        check(4, &[100, 100]);
    }

    #[test]
    fn loads_that_miss_take_longer() {
        const LDG: u128 = 0x181;
        let words = [sets(LDG), waits(FFMA)];
        // A vote's block loads nodes.
        let traffic = |missed, again| {
            let mut traffic = Traffic { rays: 1, asked: 100, ..Traffic::default() };
            traffic.loads[Region::Nodes as usize] = LoadEvents { all: 50, missed, again };
            traffic
        };
        let rate = |traffic: Traffic| rate_with("h200", &words, 1, Some(&traffic));
        check(&words, 1, 2.0 / 35.0);
        assert!((rate(traffic(0, 0)) * 35.0 / 2.0 - 1.0).abs() < 0.003);
        // All miss; a wait of 281 clocks, and of 690 where the L2 had dropped it.
        assert!((rate(traffic(50, 0)) * 282.0 / 2.0 - 1.0).abs() < 0.02);
        assert!((rate(traffic(50, 50)) * 691.0 / 2.0 - 1.0).abs() < 0.02);
    }

    #[test]
    fn a_scheduler_stays_with_its_warp_and_a_lone_one_has_one_scheduler() {
        check(&[plain(IADD3, 1)], 1, 0.5);
        check(&[plain(FFMA, 1)], 2, 2.0);
    }

    /// Returns a product of three registers, of which the first two stay in the reuse cache where `keeps` says so.
    fn product([a, b, c]: [u8; 3], keeps: bool, stall: u128) -> Word {
        let places = u128::from(a) << 24 | u128::from(b) << 32 | u128::from(c) << 64;
        let kept = if keeps { 3 << 122 } else { 0 };
        // Of three registers.
        Word(plain(FFMA | 1 << 9, stall).0 | places | kept)
    }

    #[test]
    fn products_are_as_fast_as_their_registers_can_be_read() {
        // bench/runs/2026-11-25-h100/throughput.csv, of eight warps a scheduler: the code's stalls are 1 and 3 clocks,
        // alternately. What it lacks of a whole number is its loop.
        for (registers, keeps, measured) in [
            ([2, 4, 6], false, 1.3312),
            ([3, 5, 7], false, 1.3243),
            ([2, 4, 3], false, 1.9944),
            ([2, 3, 4], false, 1.9948),
            ([2, 3, 5], false, 1.9794),
            ([2, 4, 255], false, 1.9944),
            ([2, 3, 255], false, 3.8782),
            ([2, 255, 255], false, 3.8827),
            ([255, 255, 255], false, 3.8840),
            ([2, 2, 2], false, 3.8807),
            ([2, 4, 6], true, 1.9952),
            ([2, 3, 4], true, 2.6570),
        ] {
            let words = [1, 3].map(|stall| product(registers, keeps, stall));
            let found = rate_on("h100", &words, 32);
            assert!((0.99..1.04).contains(&(found / measured)), "{registers:?} {keeps}: {found}, not {measured}");
        }
    }

    #[test]
    fn kepler_issues_two_at_once_where_its_words_say_so() {
        // `fma rn f32 $r19 $r18 $r19 $r18`; a load by the texture units and what waits for it.
        const FFMA: u64 = 0xcc00_4800_099c_484e;
        const LDG: u64 = 0x6003_10bd_7f9c_3031;
        const TEXDEPBAR: u64 = 0x7700_0000_001c_003e;
        let rate = |code: &[(u64, u8)], warps| {
            let words: Vec<Word> = code.iter().map(|&(bits, plan)| KeplerWord { bits, plan }.into()).collect();
            rate_on("gtxtitan", &words, warps)
        };
        let about = |found: f64, wanted: f64| assert!((found / wanted - 1.0).abs() < 0.01, "{found}, not {wanted}");
        // A warp alone: nine clocks; two of them at once.
        about(rate(&[(FFMA, 0x28)], 1), 1.0 / 9.0);
        about(rate(&[(FFMA, 4), (FFMA, 0x28)], 1), 2.0 / 9.0);
        // Many: one a scheduler; with pairs more, but for those whose second one finds no lanes left. There are six
        // warps' of them.
        about(rate(&[(FFMA, 0x28)], 64), 4.0);
        about(rate(&[(FFMA, 4), (FFMA, 0x28)], 64), 16.0 / 3.0);
        // A load takes as long as a hit, of two the second as well; one may be left.
        about(rate(&[(LDG, 0x20), (TEXDEPBAR, 0x20)], 1), 2.0 / 113.0);
        let leaves_one = TEXDEPBAR | 1 << 23;
        about(rate(&[(LDG, 0x3f), (LDG, 0x20), (leaves_one, 0x20)], 1), 3.0 / 113.0);
    }

    #[test]
    fn an_event_issues_the_blocks_of_its_counts() {
        let blocks = ["vote", "2*pop-pop!", "pop@visit_node", "0", "pop+vote"].map(|issued| block(1, issued)).to_vec();
        let costs = PricedKernel { blocks, verified: true };
        let of = |block, after, full| blocks_of(&costs, Moment { block, after, full });
        assert_eq!(of(Block::Vote, Operation::Loop, false), [(0, 1), (4, 1)]);
        assert_eq!(of(Block::Pop, Operation::VisitNode, false), [(1, 2), (2, 1), (4, 1)]);
        assert_eq!(of(Block::Pop, Operation::Vote, true), [(1, 1), (4, 1)]);
    }
}
