//! The cost of a launch in instructions: a table of costs times the events of a schedule (AL09 2.1).

use crate::block_costs::BlockCosts;
use crate::warp_counts::WarpCounts;
use raywarp_costs::{CountSource, EventCounts, Pipe, PricedKernel, Wait};
use raywarp_family::{Block, Operation};

const BLOCKS: usize = Block::ALL.len();
const PIPES: usize = Pipe::ALL.len();
const WAITS: usize = Wait::ALL.len();

/// Largest number of instructions, or factor, that a user may set a cost to.
const MOST_COST: f64 = 1e6;

/// Clocks that machine code tells, and numbers of latencies by cause ([`Wait`]).
type Times = (f64, [f64; WAITS]);

/// Number of warp instructions that a launch issues, by code block and pipeline.
#[derive(Debug, Clone, PartialEq)]
pub struct LaunchInstructions {
    issued: [f64; BLOCKS],
    pipes: [[f64; PIPES]; BLOCKS],
    /// Times that warps take when run alone, by code block; `None` where the table of costs lacks them.
    alone: Option<[Times; BLOCKS]>,
    /// `true` for each code block whose cost the user has set.
    set: [bool; BLOCKS],
    /// `true` if a profiler's counts agree with the table of costs within 1 %; says nothing of costs that were set
    /// ([`LaunchInstructions::is_set`]).
    pub verified: bool,
    /// Fraction of the instructions, 0 to 1, whose count is assumed or only the nearest to a profiler's: mostly too
    /// many, since slow paths count, too.
    pub assumed: f64,
    /// `true` if the instructions are known by pipeline.
    pub by_pipe: bool,
}

/// Change of the instruction cost of an operation or code block, as the user gives it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change {
    /// Sets the cost to this many warp instructions an event.
    To(f64),
    /// Adds this many warp instructions an event to the cost; negative to subtract.
    By(f64),
    /// Multiplies the cost by this factor.
    Times(f64),
}

/// A cost that the user changes, such as `visit_node=-30`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CostChange {
    /// Code block whose cost changes; one that an operation is named after stands for all of the operation's.
    pub block: Block,
    /// Change of the cost, absolute or relative.
    pub change: Change,
}

impl CostChange {
    /// Parses a change of cost such as `visit_node` with `-30` (30 instructions less an event), `100` or `0.5x`;
    /// `visit_node.push` is one code block of an operation.
    ///
    /// # Errors
    /// What is wrong with either, in a line.
    pub fn parse(name: &str, value: &str) -> Result<Self, String> {
        let Some(block) = Block::ALL.into_iter().find(|block| block.name() == name) else {
            let names: Vec<&str> = Block::ALL.iter().map(|block| block.name()).collect();
            return Err(format!("cost.{name}: no such operation; known are {}", names.join(", ")));
        };
        let number = |text: &str| {
            let parsed = text.trim().parse::<f64>().ok().filter(|number| number.abs() <= MOST_COST);
            parsed.ok_or_else(|| format!("cost.{name} is \"{value}\"; give instructions (100), more or less of them (-30), or a factor (0.5x), to a million"))
        };
        let change = match value.trim().strip_suffix('x') {
            Some(factor) => Change::Times(number(factor)?),
            None if value.trim().starts_with(['-', '+']) => Change::By(number(value)?),
            None => Change::To(number(value)?),
        };
        if matches!(change, Change::To(n) | Change::Times(n) if n < 0.0) {
            return Err(format!("cost.{name} is \"{value}\"; it cannot be less than nothing"));
        }
        Ok(Self { block, change })
    }

    /// Returns `true` if the change leaves the cost as it is.
    pub fn is_none(&self) -> bool {
        matches!(self.change, Change::Times(1.0) | Change::By(0.0))
    }

    /// Returns the number of instructions of an event if the change would subtract more than that; `None` if it would
    /// not.
    pub fn takes_too_much(&self, launch: &LaunchInstructions, counts: &WarpCounts) -> Option<f64> {
        let Change::By(more) = self.change else { return None };
        let before: f64 = self.blocks().map(|block| launch.issued[block as usize]).sum();
        let an_event = before / self.events(counts) as f64;
        (before > 0.0 && an_event + more < 0.0).then_some(an_event)
    }

    /// Returns the code blocks whose cost changes: that of the name, and of an operation (`visit_node`, but not `loop`)
    /// all its parts.
    pub(crate) fn blocks(&self) -> impl Iterator<Item = Block> {
        // A warp's start and the iterations of its main loop share an operation, and are counted apart.
        let whole = !self.block.name().contains('.') && self.block.operation() != Operation::Loop;
        let block = self.block;
        Block::ALL.into_iter().filter(move |&other| other == block || (whole && other.operation() == block.operation()))
    }

    /// Returns the number of events by which the changed cost is multiplied.
    fn events(&self, counts: &WarpCounts) -> u64 {
        if self.block.name().contains('.') || self.block.operation() == Operation::Loop {
            counts.block(self.block).issued
        } else {
            counts.operation(self.block.operation()).issued
        }
    }
}

/// Writes the change as the option that makes it, such as `cost.visit_node=-30`.
impl std::fmt::Display for CostChange {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "cost.{}=", self.block.name())?;
        match self.change {
            Change::To(n) => write!(f, "{n}"),
            Change::By(n) => write!(f, "{n:+}"),
            Change::Times(n) => write!(f, "{n}x"),
        }
    }
}

impl LaunchInstructions {
    const NOTHING: Self = Self {
        issued: [0.0; BLOCKS],
        pipes: [[0.0; PIPES]; BLOCKS],
        alone: None,
        set: [false; BLOCKS],
        verified: false,
        assumed: 0.0,
        by_pipe: false,
    };

    /// Returns the instructions that warps issue for the events of `tally`, by a table of costs.
    pub fn of(costs: &PricedKernel, tally: &EventCounts) -> Self {
        let (verified, by_pipe) = (costs.verified, true);
        let alone = costs.alone(tally).is_some().then(|| [Times::default(); BLOCKS]);
        let mut launch = Self { alone, verified, by_pipe, ..Self::NOTHING };
        for cost in &costs.blocks {
            let times = cost.issued.times(tally) as f64;
            let instructions = times * f64::from(cost.instructions);
            launch.issued[cost.block as usize] += instructions;
            if matches!(cost.source, CountSource::Assumed | CountSource::Nearest) {
                launch.assumed += instructions;
            }
            let sums = &mut launch.pipes[cost.block as usize];
            sums.iter_mut().zip(cost.pipes).for_each(|(sum, n)| *sum += times * f64::from(n));
            if let (Some(sums), Some(alone)) = (&mut launch.alone, cost.alone) {
                let (clocks, waits) = &mut sums[cost.block as usize];
                *clocks += times * f64::from(alone.clocks);
                waits.iter_mut().zip(alone.waits).for_each(|(sum, n)| *sum += times * f64::from(n));
            }
        }
        launch.assumed /= launch.warp_instructions().max(1.0);
        launch
    }

    /// Returns the instructions of a launch where only the cost of an event of each code block is known, in warp
    /// instructions.
    pub fn of_blocks(costs: &BlockCosts, counts: &WarpCounts) -> Self {
        let issued = Block::ALL.map(|block| costs.of(block) * counts.block(block).issued as f64);
        Self { issued, ..Self::NOTHING }
    }

    /// Applies a change of cost: the block's instructions keep their proportions of pipelines, its clocks alone scale
    /// with them, and its waits stay.
    pub fn change(&mut self, change: &CostChange, counts: &WarpCounts) {
        let before: f64 = change.blocks().map(|block| self.issued[block as usize]).sum();
        let events = change.events(counts) as f64;
        let after = match change.change {
            Change::To(cost) => cost * events,
            Change::By(cost) => before + cost * events,
            Change::Times(factor) => before * factor,
        };
        let after = after.max(0.0);
        change.blocks().for_each(|block| self.set[block as usize] = true);
        if before > 0.0 {
            for block in change.blocks() {
                self.issued[block as usize] *= after / before;
                self.pipes[block as usize].iter_mut().for_each(|n| *n *= after / before);
                if let Some(alone) = &mut self.alone {
                    let (clocks, waits) = &mut alone[block as usize];
                    *clocks *= after / before;
                    // As long as something is left, it waits for as much.
                    if after == 0.0 {
                        *waits = [0.0; WAITS];
                    }
                }
            }
        } else {
            // Of a kind unknown: an issue slot.
            self.issued[change.block as usize] += after;
            self.pipes[change.block as usize][Pipe::Other as usize] += after;
            if let Some(alone) = &mut self.alone {
                alone[change.block as usize].0 += after;
            }
        }
    }

    /// Returns `true` if the user has set the cost of a code block.
    pub fn is_set(&self, block: Block) -> bool {
        self.set[block as usize]
    }

    /// Returns the least instructions that the launch can issue if a verified table may be too high by a fraction
    /// `within`; costs that were set stay.
    #[must_use]
    pub fn at_least(&self, within: f64) -> Self {
        let mut least = self.clone();
        for block in (0..BLOCKS).filter(|&block| self.verified && !self.set[block]) {
            least.issued[block] /= 1.0 + within;
            least.pipes[block].iter_mut().for_each(|n| *n /= 1.0 + within);
        }
        least
    }

    /// Returns the total number of warp instructions.
    pub fn warp_instructions(&self) -> f64 {
        self.issued.iter().sum()
    }

    /// Returns the number of warp instructions of a code block.
    pub fn block(&self, block: Block) -> f64 {
        self.issued[block as usize]
    }

    /// Returns the clocks that warps take for a code block when run alone one after the other, where latencies are as
    /// `latency` says; `None` where the table has no such times.
    pub fn alone(&self, block: Block, latency: impl Fn(Wait) -> f64) -> Option<f64> {
        let (clocks, waits) = self.alone.as_ref()?[block as usize];
        Some(Wait::ALL.into_iter().zip(waits).map(|(wait, times)| times * latency(wait)).sum::<f64>() + clocks)
    }

    /// Returns the clocks that the machine code tells, and the numbers of latencies by [`Wait`], of all warps run alone
    /// one after the other.
    pub fn times_alone(&self) -> Option<(f64, [f64; Wait::ALL.len()])> {
        let blocks = self.alone.as_ref()?;
        Some(blocks.iter().fold(Times::default(), |(clocks, mut waits), block| {
            waits.iter_mut().zip(block.1).for_each(|(sum, n)| *sum += n);
            (clocks + block.0, waits)
        }))
    }

    /// Returns the number of warp instructions that run on a pipeline.
    pub fn pipe(&self, pipe: Pipe) -> f64 {
        self.pipes.iter().map(|sums| sums[pipe as usize]).sum()
    }

    /// Returns the number of instructions executed by single lanes: those of each code block times its average number
    /// of lanes.
    pub fn thread_instructions(&self, counts: &WarpCounts) -> f64 {
        let lanes = |block: Block| {
            let count = counts.block(block);
            if count.issued == 0 { f64::from(counts.width) } else { count.active as f64 / count.issued as f64 }
        };
        Block::ALL.iter().map(|&block| self.block(block) * lanes(block)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_costs::PricedBlock;

    /// Returns counts of two visits of 60 instructions, and a pop of 3 after the first.
    fn counted() -> (PricedKernel, EventCounts, WarpCounts) {
        let mut tally = EventCounts::default();
        let mut counts = WarpCounts::new(4);
        for (block, active) in [(Block::VisitNode, 1u64), (Block::Pop, 1), (Block::VisitNode, 15)] {
            tally.add(block, active, 15);
            counts.blocks[block as usize].issued += 1;
            counts.blocks[block as usize].active += u64::from(active.count_ones());
        }
        let cost = |block, instructions, issued: &str| {
            let mut pipes = [0; PIPES];
            pipes[Pipe::Alu as usize] = instructions;
            let issued = issued.parse().unwrap();
            PricedBlock { block, offset: 0, instructions, pipes, alone: None, issued, source: CountSource::Measured }
        };
        let blocks = vec![cost(Block::VisitNode, 60, "visit_node"), cost(Block::Pop, 3, "pop@visit_node")];
        (PricedKernel { blocks, verified: true }, tally, counts)
    }

    #[test]
    fn instructions_are_costs_times_events() {
        let (costs, tally, counts) = counted();
        let launch = LaunchInstructions::of(&costs, &tally);
        assert_eq!((launch.warp_instructions(), launch.pipe(Pipe::Alu), launch.block(Block::Pop)), (123.0, 123.0, 3.0));
        assert_eq!((launch.assumed, launch.verified), (0.0, true));
        let mut guessed = costs.clone();
        guessed.blocks[0].source = CountSource::Assumed;
        assert_eq!(LaunchInstructions::of(&guessed, &tally).assumed, 120.0 / 123.0);
        // One lane and four in the visits, one in the pop.
        assert_eq!(launch.thread_instructions(&counts), 60.0 * 5.0 + 3.0);
        let costs = BlockCosts::default().with(Block::VisitNode, 50.0).with(Block::TestTriangle, 40.0);
        assert_eq!(LaunchInstructions::of_blocks(&costs, &counts).warp_instructions(), 100.0);
    }

    #[test]
    fn costs_change_by_the_event() {
        let (costs, tally, counts) = counted();
        for (name, value, expected) in [
            ("visit_node", "-30", 63.0),
            ("visit_node", "+1", 125.0),
            ("visit_node", "100", 203.0),
            ("visit_node", "0.5x", 63.0),
            ("visit_node", "-1000", 3.0),
            ("pop", "0", 120.0),
            ("visit_node.push", "7", 123.0),
            ("vote", "5", 123.0),
        ] {
            let mut launch = LaunchInstructions::of(&costs, &tally);
            let change = CostChange::parse(name, value).unwrap();
            launch.change(&change, &counts);
            assert_eq!(launch.warp_instructions(), expected, "{name}={value}");
            assert!(launch.verified && launch.is_set(change.block));
        }
    }

    #[test]
    fn a_warps_start_and_its_iterations_are_set_apart() {
        let (mut costs, mut tally, mut counts) = counted();
        for (block, times) in [(Block::Prologue, 1), (Block::Iteration, 2)] {
            let own = PricedBlock { block, issued: block.name().parse().unwrap(), ..costs.blocks[0].clone() };
            costs.blocks.push(own);
            counts.blocks[block as usize].issued = times;
            for _ in 0..times {
                tally.add(block, 15, 15);
            }
        }
        let of = |name: &str| {
            let mut launch = LaunchInstructions::of(&costs, &tally);
            launch.change(&CostChange::parse(name, "7").unwrap(), &counts);
            (launch.block(Block::Prologue), launch.block(Block::Iteration))
        };
        assert_eq!((of("prologue"), of("loop"), of("pop")), ((7.0, 120.0), (60.0, 14.0), (60.0, 120.0)));
    }

    #[test]
    fn what_is_set_is_as_it_was_set_and_the_rest_may_still_be_off() {
        let (costs, tally, counts) = counted();
        let mut launch = LaunchInstructions::of(&costs, &tally);
        assert_eq!(launch.at_least(0.5).warp_instructions(), 82.0);
        launch.change(&CostChange::parse("pop", "3").unwrap(), &counts);
        let least = launch.at_least(0.5);
        assert_eq!((least.block(Block::VisitNode), least.block(Block::Pop)), (80.0, 3.0));
        assert_eq!(least.pipe(Pipe::Alu), 83.0);
        let unverified = LaunchInstructions { verified: false, ..launch };
        assert_eq!(unverified.at_least(0.5), unverified);
    }

    #[test]
    fn a_change_that_is_none_is_refused() {
        for (name, value) in
            [("visit", "1"), ("pop", "much"), ("pop", "-1x"), ("pop", "NaN"), ("pop", "2e6"), ("pop", "")]
        {
            assert!(CostChange::parse(name, value).is_err(), "{name}={value}");
        }
    }
}
