use super::program::blocks_of;
use super::*;
use crate::event_lanes::EventLanes;
use crate::memory::{AddressMap, LoadEvents, MemoryCounts, MemoryProbe, Region};
use crate::streams::Streams;
use crate::warp_counts::WarpCounts;
use raywarp_costs::{CountSource, EventCounts, Pipe, PricedBlock};
use raywarp_family::{Block, Operation, Space};
use raywarp_traverse::Touch;

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
    let costs = PricedKernel { blocks: vec![block(words.len(), "vote")], verified: true };
    let code = KernelCode { costs: &costs, words, architecture };
    pace(&machine, code, &voting(block_warps, lengths), traffic, warps).unwrap()
}

/// Returns the profile of warps in thread blocks of `block_warps`, each of which votes as often as `lengths` says.
fn voting(block_warps: u32, lengths: &[u32]) -> Profile {
    let vote = Moment { block: Block::Vote, after: Operation::Loop, full: true };
    let mut streams = Streams::of_blocks(block_warps);
    for (warp, &length) in lengths.iter().enumerate() {
        (0..length).for_each(|_| streams.add(warp as u32, vote));
    }
    let mut tally = EventCounts::default();
    tally.add(Block::Vote, 1, 1);
    Profile {
        counts: WarpCounts { rays: 1, ..WarpCounts::new(32) },
        tally,
        lanes: EventLanes::default(),
        memory: None,
        streams,
        launch_rays: 1,
        launches: 1,
    }
}

/// Returns the time of an H200's warps at each instruction, for each time that it is issued: clocks by cause.
fn times_at(words: &[Word], warps: u32) -> Vec<([f64; StallCause::ALL.len()], Vec<u32>)> {
    let costs = PricedKernel { blocks: vec![block(words.len(), "vote")], verified: true };
    let code = KernelCode { costs: &costs, words, architecture: 90 };
    let machine = Machine::find("h200").unwrap();
    let times = instruction_times(&machine, code, &voting(1, &[50; 3]), None, (warps, 1)).unwrap();
    let of = |time: &InstructionTime| {
        let producers = time.producers.iter().map(|(producer, _)| *producer).collect();
        (time.waited.map(|clocks| clocks as f64 / time.issued as f64), producers)
    };
    times.iter().map(of).collect()
}

#[test]
fn a_wait_is_the_time_of_the_instruction_that_comes_next_and_has_a_producer() {
    // A load, what goes on for 13 clocks meanwhile, and what needs the result, which is there after 34.
    let times = times_at(&[sets(LDL), plain(FFMA, 13), waits(FFMA)], 1);
    let of = |place: usize, cause: StallCause| times[place].0[cause as usize].round();
    assert_eq!((of(2, StallCause::Wait), of(2, StallCause::Load)), (12.0, 20.0));
    assert_eq!(times[2].1, [0]);
    for place in [0, 1] {
        assert!(times[place].0.iter().sum::<f64>() < 0.01 && times[place].1.is_empty(), "{times:?}");
    }
    // Of a slow unit it is no load. A warp that could issue waits for its pipeline, or for its turn.
    let times = times_at(&[sets(MUFU), waits(FFMA)], 1);
    assert!(times[1].0[StallCause::Short as usize] > 10.0 && times[1].0[StallCause::Load as usize] == 0.0);
    let times = times_at(&[plain(IADD3, 1)], 8);
    assert!(times[0].0[StallCause::Pipe as usize] > 1.0, "{times:?}");
}

#[test]
fn times_of_instructions_add_up_to_the_pace() {
    let words = [sets(LDL), plain(FFMA, 2), waits(IADD3), plain(MUFU, 4)];
    let pace = pace_of(("h200", 40), &words, None, 1, &[50; 3]);
    let times = times_at(&words, 40);
    for (cause, waiting) in pace.waiting.iter().enumerate() {
        // Each is issued as often as the others, but for some clocks at both ends.
        let mean = times.iter().map(|(waited, _)| waited[cause]).sum::<f64>() / words.len() as f64;
        assert!((mean - waiting).abs() < 0.01 * waiting.max(0.1), "{cause}: {mean}, not {waiting}");
    }
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
        traffic.loads[Region::Nodes as usize] = LoadEvents { all: 50, missed, again, requests: 0 };
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
fn loads_that_miss_queue_for_the_second_cache() {
    const LDG: u128 = 0x181;
    let words = [sets(LDG), waits(FFMA)];
    let rate = |warps: u32, requests: u64| {
        let mut traffic = Traffic { rays: 1, asked: 100, ..Traffic::default() };
        traffic.loads[Region::Nodes as usize] = LoadEvents { all: 50, missed: 50, again: 0, requests };
        rate_with("h200", &words, warps, Some(&traffic))
    };
    let about = |found: f64, wanted: f64| assert!((found / wanted - 1.0).abs() < 0.02, "{found}, not {wanted}");
    // Eight sectors an event in the model, half as many again in a real cache, 0.57 of them a clock.
    let asking = 12.0 / 0.57;
    about(rate(1, 400), 2.0 / (282.0 + asking));
    // Many warps get what the second cache answers.
    about(rate(40, 400), 2.0 / asking);
    // Of so few that they fit into the warps' waits nobody takes notice.
    about(rate(4, 0), 4.0 * 2.0 / 282.0);
}

#[test]
fn passes_that_differ_make_warps_wait_for_each_other() {
    let memory = |lanes: &[u8]| {
        let mut probe = MemoryProbe::new(AddressMap::new(&"direct/while-while/bvh2".parse().unwrap(), 32));
        for &lanes in lanes {
            let touch = |lane: u8| {
                let index = 100 * u32::from(lane);
                Touch { lane, space: Space::Triangle, index, owner: 0, offset: 0, bytes: 16, write: false }
            };
            probe.event(&(0..lanes).map(touch).collect::<Vec<_>>());
        }
        probe.counts()
    };
    let [even, uneven] = [memory(&[16; 4]), memory(&[1, 1, 28, 32])];
    let passes = |counts: &MemoryCounts| counts.region(Region::Triangles).passes;
    assert_eq!(passes(&even), passes(&uneven));
    const LDG: u128 = 0x181;
    // A load, and enough else that the cache has time for all of them.
    let words = [sets(LDG), waits(FFMA), plain(FFMA, 15), plain(FFMA, 15), plain(FFMA, 15)];
    let rate = |counts: MemoryCounts| {
        let costs = PricedKernel { blocks: vec![block(words.len(), "vote")], verified: true };
        let code = KernelCode { costs: &costs, words: &words, architecture: 90 };
        let mut profile = voting(1, &[50; 3]);
        profile.memory = Some(counts);
        pace(&Machine::find("h200").unwrap(), code, &profile, None, 6).unwrap().instructions_per_clock
    };
    let (even, uneven) = (rate(even), rate(uneven));
    assert!(uneven < 0.99 * even, "{uneven}, {even}");
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
