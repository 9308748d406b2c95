//! Instructions of each block of a kernel, foretold beside counted.

use super::{Compared, CountPair, sheet};
use crate::report::Document;
use raywarp_costs::{PricedBlock, PricedKernel, Word};
use raywarp_family::Block;
use raywarp_sim::LaunchInstructions;

/// Counts of how often warps of a launch issued each instruction of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExecutedCounters {
    /// Runs of instructions that were issued as often: the first one's number, and how often. The first run starts at
    /// 0, the last goes on to the kernel's end.
    runs: Vec<(usize, u64)>,
}

impl ExecutedCounters {
    /// Reads `0:4096 48:8192`: where a run starts, in bytes from the kernel's first instruction, and how often.
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

    /// Returns how often all of the first so many instructions together were issued.
    pub(super) fn sum(&self, instructions: usize) -> u64 {
        (0..instructions).fold(0, |sum: u64, place| sum.saturating_add(self.times(place)))
    }

    /// Returns the share of a table's instructions that are in blocks whose instructions were not all issued as often:
    /// of the code that was counted it is little, of other code much.
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

    /// Returns how often an instruction was issued, by its number.
    fn times(&self, place: usize) -> u64 {
        self.runs.iter().take_while(|(first, _)| *first <= place).last().map_or(0, |(_, times)| *times)
    }
}

/// Warp instructions a ray of a kind of block.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ComparedBlock {
    /// The kind of block.
    pub block: Block,
    /// All of its instructions.
    pub instructions: CountPair,
    /// The counted instructions as a share of all of the kernel's, 0 to 1.
    pub share: f64,
}

/// Compares the instructions of a kernel's blocks, foretold and counted, where anything was issued.
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

/// Blocks with less of a kernel's instructions are not printed.
const LEAST_SHARE: f64 = 0.01;

const LEGEND: &str = "Instructions by block, foretold less counted, in % of those counted; blocks with 1 % of a kernel's instructions or more.";

/// Adds a table, where anything has such counts.
pub(super) fn describe(document: &mut Document, rows: &[Compared]) {
    if rows.iter().all(|row| row.blocks.is_empty()) {
        return;
    }
    document.paragraph(LEGEND);
    document.line("");
    let counted = rows.iter().filter(|row| !row.blocks.is_empty());
    document.table(sheet::blocks_of(LEAST_SHARE).table(counted).in_text_untitled());
}

/// Returns the blocks of a launch as JSON.
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
