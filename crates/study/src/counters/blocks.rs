//! Instructions of each block of a kernel, foretold beside counted.

use super::{Compared, CountPair, sheet};
use raywarp_costs::{PricedBlock, PricedKernel, Word};
use raywarp_family::Block;
use raywarp_report::Document;
use raywarp_sim::LaunchInstructions;

/// Number of times that warps of a launch issued each instruction of a kernel, by a profiler.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutedCounters {
    /// Runs of instructions that were issued equally often: index of the first, and the number of times. The first run
    /// starts at 0, the last goes on to the kernel's end.
    runs: Vec<(usize, u64)>,
}

impl ExecutedCounters {
    /// Parses a text such as `0:4096 48:8192`: byte offset of each run's first instruction, and how often its
    /// instructions were issued.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut runs: Vec<(usize, u64)> = Vec::new();
        for run in text.split(' ') {
            let (offset, times) = run.split_once(':')?;
            let (offset, times) = (offset.parse::<u32>().ok()? as usize, times.parse().ok()?);
            let place = (offset % Word::BYTES == 0).then_some(offset / Word::BYTES)?;
            let is_next = runs.last().map_or(place == 0, |(last, _)| *last < place);
            runs.push(is_next.then_some((place, times))?);
        }
        Some(Self { runs })
    }

    /// Returns how often the first `instructions` instructions were issued, all together.
    pub(super) fn sum(&self, instructions: usize) -> u64 {
        (0..instructions).fold(0, |sum: u64, place| sum.saturating_add(self.times(place)))
    }

    /// Returns the fraction of a table's instructions in basic blocks that were not issued as a whole: small if the
    /// table is about the code that was counted, large for other code.
    pub(super) fn torn(&self, costs: &PricedKernel) -> f64 {
        let is_torn = |cost: &&PricedBlock| {
            let mut times = cost.place().map(|place| self.times(place));
            let first = times.next();
            times.any(|other| Some(other) != first)
        };
        let all: u32 = costs.blocks.iter().map(|cost| cost.instructions).sum();
        let torn: u32 = costs.blocks.iter().filter(is_torn).map(|cost| cost.instructions).sum();
        f64::from(torn) / f64::from(all.max(1))
    }

    /// Returns how often the instruction with this index was issued.
    fn times(&self, place: usize) -> u64 {
        self.runs.iter().take_while(|(first, _)| *first <= place).last().map_or(0, |(_, times)| *times)
    }
}

/// Warp instructions per ray of one kind of code block, by the simulator and by the profiler.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ComparedBlock {
    /// Code block that the instructions belong to.
    pub block: Block,
    /// Number of instructions of all basic blocks of this kind.
    pub instructions: CountPair,
    /// Fraction of the kernel's counted instructions, 0 to 1.
    pub share: f64,
}

/// Compares the simulated and counted instructions of a kernel's code blocks, where any were issued.
pub(super) fn compared(
    executed: &ExecutedCounters,
    (costs, issued): (&PricedKernel, &LaunchInstructions),
    [traced, counted]: [f64; 2],
) -> Vec<ComparedBlock> {
    let of = |block: Block| -> u64 {
        let places = costs.blocks.iter().filter(|cost| cost.block == block).flat_map(PricedBlock::place);
        places.fold(0, |sum: u64, place| sum.saturating_add(executed.times(place)))
    };
    let all: Vec<(Block, f64)> = Block::ALL.into_iter().map(|block| (block, of(block) as f64)).collect();
    let sum: f64 = all.iter().map(|(_, times)| times).sum();
    let pair = |(block, times): (Block, f64)| ComparedBlock {
        block,
        instructions: CountPair { foretold: issued.block(block) / traced, counted: times / counted },
        share: times / sum.max(1.0),
    };
    all.into_iter().map(pair).filter(|one| one.instructions.foretold + one.instructions.counted > 0.0).collect()
}

/// Least fraction of a kernel's instructions at which a code block is printed.
const LEAST_SHARE: f64 = 0.01;

const LEGEND: &str = "Instructions by block, foretold less counted, in % of those counted; blocks with 1 % of a kernel's instructions or more.";

/// Adds a table of instructions by code block, if any launch has such counts.
pub(super) fn describe(document: &mut Document, rows: &[Compared]) {
    if rows.iter().all(|row| row.blocks.is_empty()) {
        return;
    }
    document.paragraph(LEGEND);
    document.line("");
    let counted = rows.iter().filter(|row| !row.blocks.is_empty());
    document.table(sheet::blocks_of(LEAST_SHARE).table(counted).in_text_untitled());
}

/// Returns the code blocks of a launch as JSON.
pub(super) fn json(blocks: &[ComparedBlock]) -> serde_json::Value {
    let one = |one: &ComparedBlock| (one.block.name().to_string(), one.instructions.json());
    serde_json::Value::Object(blocks.iter().map(one).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_say_how_often_each_instruction_was_issued() {
        let executed = ExecutedCounters::parse("0:5 48:7 80:0").unwrap();
        assert_eq!([0, 2, 3, 4, 5, 99].map(|place| executed.times(place)), [5, 5, 7, 7, 0, 0]);
        assert_eq!([0, 3, 5, 9].map(|count| executed.sum(count)), [0, 15, 29, 29]);
        for wrong in ["", "16:5", "0:5 8:7", "0:5 32:7 16:1", "0:5 48", "0:x", "0:5,16:7"] {
            assert_eq!(ExecutedCounters::parse(wrong), None, "{wrong}");
        }
    }
}
