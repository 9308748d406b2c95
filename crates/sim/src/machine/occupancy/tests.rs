use super::*;

fn launch(registers_per_thread: u32, shared_bytes_per_block: u32, threads_per_block: u32) -> LaunchResources {
    LaunchResources { registers_per_thread, shared_bytes_per_block, threads_per_block }
}

/// Returns the resident blocks and warps of a launch that fits.
#[track_caller]
fn resident(name: &str, launch: LaunchResources) -> (u32, u32, OccupancyLimit) {
    let got = Machine::find(name).unwrap().occupancy(launch).unwrap();
    (got.blocks, got.warps, got.limit)
}

/// Returns the number of blocks that fit when placed one at a time, warp by warp; `None` where the launch is refused.
fn by_placing(machine: &Machine, launch: LaunchResources) -> u32 {
    let count = |key| machine.count(key);
    let or_zero = |key| machine.get(key).unwrap_or(0.0) as u32;
    let warps = launch.threads_per_block.div_ceil(32);
    let mut unit = count(keys::REGISTERS_UNIT);
    if [21, 22, 29, 30, 37, 38, 45, 46].contains(&launch.registers_per_thread) {
        unit = unit.max(or_zero(keys::REGISTERS_COARSE_UNIT));
    }
    let by_block = or_zero(keys::REGISTERS_TO_BLOCKS) == 1;
    let parts = count(keys::REGISTERS_PARTITIONS);
    let mut free = vec![count(keys::REGISTERS_PER_SM) / parts; parts as usize];
    let (mut shared, mut slots) = (count(keys::SHARED_PER_SM), count(keys::RESIDENT_WARPS));
    let mut blocks = 0;
    while blocks < count(keys::RESIDENT_BLOCKS) {
        let mut bytes = launch.shared_bytes_per_block + or_zero(keys::SHARED_RESERVED);
        while !bytes.is_multiple_of(count(keys::SHARED_UNIT)) {
            bytes += 1;
        }
        let pieces = if by_block { 1 } else { warps };
        let mut registers = launch.registers_per_thread * 32 * if by_block { warps + warps % 2 } else { 1 };
        while !registers.is_multiple_of(unit) {
            registers += 1;
        }
        if slots < warps || shared < bytes {
            break;
        }
        for _ in 0..pieces {
            let Some(part) = free.iter_mut().find(|free| **free >= registers) else { return blocks };
            *part -= registers;
        }
        slots -= warps;
        shared -= bytes;
        blocks += 1;
    }
    blocks
}

#[test]
fn kernels_measured_on_an_h200_have_the_warps_that_were_resident() {
    // Blocks of 128 threads: 40, 56 and 64 registers (h8's rows of docs/notebook/2026-11-23-h8.md).
    for (registers, warps) in [(40, 48), (48, 40), (56, 36), (64, 32), (32, 64)] {
        assert_eq!(resident("h200", launch(registers, 0, 128)).1, warps, "{registers} registers");
    }
}

#[test]
fn nvidias_published_examples_come_out() {
    // CUDA C++ Programming Guide 12, "Multiprocessor Level": 64 registers and 512 threads are two blocks of 16 warps, one
    // register more is one block (65,536 registers, as on a GTX Titan and later).
    assert_eq!(resident("gtxtitan", launch(64, 0, 512)), (2, 32, OccupancyLimit::Registers));
    assert_eq!(resident("gtxtitan", launch(65, 0, 512)), (1, 16, OccupancyLimit::Registers));
    // CUDA C++ Best Practices Guide, "Calculating Occupancy": 37 registers are 75 % with 128 threads (12 blocks), 63 % with
    // 320 (4 blocks); of compute capability 7.0, whose registers and warps an A100 has.
    let a100 = Machine::find("a100").unwrap();
    let small = a100.occupancy(launch(37, 0, 128)).unwrap();
    assert_eq!((small.blocks, small.share), (12, 0.75));
    let large = a100.occupancy(launch(37, 0, 320)).unwrap();
    assert_eq!((large.blocks, large.share), (4, 0.625));
    // CUDA C Best Practices Guide 3.2: on compute capability 1.0, 12 registers are 83 % with 128 threads (5 blocks), 66 %
    // with 256 (2 blocks).
    let mut old = Machine::find("gtx285").unwrap();
    for (key, value) in [
        ("registers.per_block", "8192"),
        ("registers.per_sm", "8192"),
        ("registers.unit", "256"),
        ("resident.warps", "24"),
    ] {
        old.set(key, value).unwrap();
    }
    let small = old.occupancy(launch(12, 0, 128)).unwrap();
    assert_eq!((small.blocks, (small.share * 100.0) as u32), (5, 83));
    let large = old.occupancy(launch(12, 0, 256)).unwrap();
    assert_eq!((large.blocks, (large.share * 100.0) as u32), (2, 66));
}

#[test]
fn al09s_kernels_have_more_than_20_thousand_threads_on_a_gtx_285() {
    // AL09 2: 21 to 25 registers, blocks of 192 threads; 3.3: "more than 20K concurrent threads".
    let (_, warps, limit) = resident("gtx285", launch(21, 0, 192));
    assert_eq!((warps * 32 * 30, limit), (23_040, OccupancyLimit::Registers));
}

#[test]
fn fermi_rounds_some_register_counts_to_a_coarser_unit() {
    // 37 registers (G14 4): 1,184 a warp become 1,280, so 12 warps in each of two partitions, four blocks of five; with 1,216
    // it would be 13 and five.
    assert_eq!(resident("gtx480", launch(37, 0, 160)), (4, 20, OccupancyLimit::Registers));
    assert_eq!(resident("gtx480", launch(36, 0, 160)), (5, 25, OccupancyLimit::Registers));
}

#[test]
fn each_limit_is_named_where_it_is_the_one() {
    for (at, expected) in [
        (launch(32, 0, 256), (8, 64, OccupancyLimit::Warps)),
        (launch(16, 0, 32), (32, 32, OccupancyLimit::Blocks)),
        (launch(255, 0, 256), (1, 8, OccupancyLimit::Registers)),
        (launch(0, 0, 1024), (2, 64, OccupancyLimit::Warps)),
        // 227 KiB and the KiB that is reserved: all there is.
        (launch(16, 227 * 1024, 64), (1, 2, OccupancyLimit::SharedMemory)),
        // 57 KiB with the reserved one go into 228 KiB four times; a byte more rounds up, and is three.
        (launch(16, 56 * 1024, 64), (4, 8, OccupancyLimit::SharedMemory)),
        (launch(16, 56 * 1024 + 1, 64), (3, 6, OccupancyLimit::SharedMemory)),
        // A thread over a warp is a warp more.
        (launch(64, 0, 129), (6, 30, OccupancyLimit::Registers)),
    ] {
        assert_eq!(resident("h200", at), expected, "{at:?}");
    }
}

#[test]
fn a_launch_that_does_not_fit_is_refused_with_what_is_allowed() {
    let (threads, per_thread, per_block) = ("threads a block", "registers a thread", "registers a block");
    for (name, at, what, found, allowed) in [
        ("h200", launch(32, 0, 0), threads, 0, 1..=1024),
        ("h200", launch(32, 0, 1025), threads, 1025, 1..=1024),
        ("h200", launch(256, 0, 32), per_thread, 256, 0..=255),
        ("h200", launch(65, 0, 1024), per_block, 73_728, 0..=65_536),
        ("h200", launch(32, 227 * 1024 + 1, 32), "bytes of shared memory a block", 232_449, 0..=232_448),
        ("gtx285", launch(100, 0, 512), per_block, 51_200, 0..=16_384),
        ("h200", launch(u32::MAX, u32::MAX, u32::MAX), threads, 4_294_967_295, 1..=1024),
    ] {
        let machine = Machine::find(name).unwrap();
        let error = machine.occupancy(at).unwrap_err();
        assert_eq!((error.what, error.found, error.least..=error.most), (what, found, allowed));
        assert_eq!(error.machine, machine.name());
    }
}

#[test]
fn a_block_is_held_to_its_registers_as_if_partitions_had_equally_many_warps() {
    // As compute capability 3.7, whose blocks may have half of the registers: 25 warps of 2,560 are 64,000, but count as 28.
    let mut machine = Machine::find("gtxtitan").unwrap();
    machine.set("registers.per_sm", "2x").unwrap();
    let error = machine.occupancy(launch(80, 0, 800)).unwrap_err();
    assert_eq!((error.what, error.found, error.most), ("registers a block", 71_680, 65_536));
    assert_eq!(machine.occupancy(launch(80, 0, 768)).unwrap().blocks, 2);
}

#[test]
fn occupancy_is_what_placing_blocks_one_by_one_gives() {
    let mut refused = 0;
    for machine in Machine::builtin() {
        for threads in [1, 31, 32, 33, 64, 96, 128, 160, 192, 256, 320, 384, 512, 513, 768, 1024] {
            for registers in (0..=machine.count(keys::REGISTERS_PER_THREAD)).step_by(if threads == 128 { 1 } else { 5 })
            {
                for shared in [0, 1, 500, 4096, 10_000, 16_384, 48_000, 100_000] {
                    let at = launch(registers, shared, threads);
                    match machine.occupancy(at) {
                        Ok(got) => assert_eq!(got.blocks, by_placing(&machine, at), "{}: {at:?}", machine.name()),
                        Err(_) => refused += 1,
                    }
                }
            }
        }
    }
    assert!(refused > 0, "no launch was too large");
}

/// Compares with the number of blocks by NVIDIA's own calculator (`cuda_occupancy.h` of CUDA 13.0, largest carve-out);
/// 0 where it refuses.
#[test]
fn occupancy_is_what_nvidias_header_finds() {
    let table = include_str!("../../../tests/data/occupancy.csv");
    let machines: Vec<(&str, Machine)> = Machine::names().zip(Machine::builtin()).collect();
    let mut rows = 0;
    for line in table.lines().filter(|line| !line.starts_with(['#', 'm'])) {
        let mut fields = line.split(',');
        let name = fields.next().unwrap();
        let (_, machine) = machines.iter().find(|(short, _)| *short == name).unwrap();
        let numbers: Vec<u32> = fields.map(|field| field.parse().unwrap()).collect();
        let [registers, shared, threads, blocks] = numbers[..] else { panic!("{line}") };
        let got = machine.occupancy(launch(registers, shared, threads)).map_or(0, |got| got.blocks);
        assert_eq!(got, blocks, "{line}");
        rows += 1;
    }
    assert!(rows >= 300, "{rows}");
}
