//! Block sizes and registers of the kernels that hold a path in a lane (W11 4).

use super::frames::{Bench, BenchPathsError, Frames, compare};
use super::table::Table;
use super::table_name::TableName;
use super::w11::{DEPTH, case, compacted, of, rate};
use raywarp_cuda::LaunchBounds;
use raywarp_experiments::{Compaction, KernelUse, MeasuredOrganisation, PathExperiment};
use raywarp_papers::w11;

/// Numbers of threads per block that the table tries.
const THREADS: [u32; 3] = [64, 128, 256];
/// Limits on the registers of a thread that the table tries. The kernels come with 128.
const REGISTERS: [u32; 6] = [64, 80, 96, 128, 168, 255];
/// Largest number of registers of a thread block, and the step in which a thread's are allocated, on all GPUs that the
/// kernels are for (CUDA C++ Programming Guide, technical specifications by compute capability).
const BLOCK_REGISTERS: u32 = 65_536;
const REGISTER_UNIT: u32 = 8;
/// Largest number of runs of each case, as compiling by the driver takes longer than a run.
const MOST_RUNS: u32 = 3;
/// Launch bounds of the kernel as compiled ahead of time, but compiled by the driver: the case that all others are
/// compared with.
const BASE: LaunchBounds = LaunchBounds { block_threads: Some(128), max_registers: None };

/// Lists all pairs of block size and register limit that a thread block can have.
fn swept() -> impl Iterator<Item = LaunchBounds> {
    let fits =
        |&(threads, registers): &(u32, u32)| threads * registers.next_multiple_of(REGISTER_UNIT) <= BLOCK_REGISTERS;
    let all = THREADS.into_iter().flat_map(|threads| REGISTERS.map(|registers| (threads, registers)));
    all.filter(fits)
        .map(|(threads, registers)| LaunchBounds { block_threads: Some(threads), max_registers: Some(registers) })
}

/// Returns the name of a register limit in the table, or the words for no limit.
fn limit(bounds: &LaunchBounds) -> String {
    match (bounds.are_default(), bounds.max_registers) {
        (true, _) => "prebuilt".into(),
        (false, None) => "none".into(),
        (false, Some(registers)) => registers.to_string(),
    }
}

/// Makes W11's table (4) of block sizes by register limits, for the naive (megakernel) and the bounce kernel.
pub(super) fn blocks(bench: &Bench<'_>) -> Result<Table, BenchPathsError> {
    // As many as a terminal has room for.
    let columns = ["kernel", "threads", "limit", "registers", "local bytes", "warps", "frames/s", "of base"];
    let mut table =
        Table::new(TableName::Blocks, "W11 4: frames a second by threads of a block and registers", &columns);
    let options = bench.options(DEPTH);
    let naive = of(MeasuredOrganisation::Megakernel);
    for engine in [naive, compacted(Compaction::Scan)] {
        let all_bounds: Vec<LaunchBounds> = [LaunchBounds::AS_COMPILED, BASE].into_iter().chain(swept()).collect();
        // Both tables' pictures are compared with the same one.
        let own = all_bounds.iter().map(|&bounds| PathExperiment { bounds, ..engine });
        let cases: Vec<_> = [naive].into_iter().chain(own).map(|engine| case(bench, engine, &options)).collect();
        let all = bench.frames_of_runs(&cases, bench.setup().runs.min(MOST_RUNS))?;
        compare(&mut table, &cases, &all);
        let all = &all[1..];
        let of_base = |frames: &Frames| all[1].median() / frames.median();
        for (bounds, frames) in all_bounds.iter().zip(all) {
            let said = |number: fn(&KernelUse) -> u32| {
                frames.kernel.as_ref().map_or_else(|| "-".to_string(), |kernel| number(kernel).to_string())
            };
            table.row(vec![
                engine.organisation.name().into(),
                bounds.threads().to_string(),
                limit(bounds),
                said(|kernel| kernel.registers),
                said(|kernel| kernel.local_bytes),
                said(|kernel| kernel.blocks * kernel.block_threads / 32),
                rate(frames.median()),
                format!("{:.3}", of_base(frames)),
            ]);
        }
        let swept = all_bounds.iter().zip(all).skip(2);
        if let Some((bounds, frames)) = swept.max_by(|a, b| of_base(a.1).total_cmp(&of_base(b.1))) {
            let name = engine.organisation.name();
            table.notes.push(format!("{name}: best with {bounds}, {:.3} of the base line", of_base(frames)));
        }
    }
    let printed = &w11().kernels;
    table.notes.push(format!(
        "limit: what was asked for; registers, local bytes (stack, arrays and what is spilled) and warps of a multiprocessor: \
         what the driver says. Base line: what the driver compiles of 128 threads without a limit. W11: {} threads and {} \
         registers are best for all kernels",
        printed.block_threads, printed.registers
    ));
    Ok(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_block_wants_more_registers_than_there_are() {
        let all: Vec<LaunchBounds> = swept().collect();
        assert_eq!(all.len(), 18);
        let registers = |bounds: &LaunchBounds| bounds.threads() * bounds.max_registers.unwrap();
        assert!(all.iter().all(|bounds| registers(bounds) <= 65_536 && !bounds.are_default()));
        assert_eq!(all.iter().map(registers).max(), Some(256 * 255));
    }
}
