//! Lanes of a warp's instructions, on average: what `smsp__thread_inst_executed_per_inst_executed` counts.
//!
//! The profiler counts lanes that are there, also those whose predicate is off. So what stands around an operation
//! (asking who takes part, where lanes meet again, a pop that begins with "if exhausted") has every lane of a voted
//! kernel, and only what is inside has those of the event.

use raywarp_costs::{EventCounts, EventKind, PricedBlock, PricedKernel};
use raywarp_family::{Block, Operation};

const BLOCKS: usize = Block::ALL.len();

/// Number of lanes in the events of warps, by code block and by the operation before; the companion of [`EventCounts`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventLanes {
    lanes: Vec<u64>,
}

impl Default for EventLanes {
    fn default() -> Self {
        Self { lanes: vec![0; BLOCKS * BLOCKS] }
    }
}

impl EventLanes {
    /// Counts an event on the lanes of `active`, after the operation that [`EventCounts::add`] returned.
    pub fn add(&mut self, block: Block, after: Operation, active: u64) {
        self.lanes[block as usize * BLOCKS + after as usize] += u64::from(active.count_ones());
    }

    /// Adds the counts of another tally to these.
    pub fn merge(&mut self, other: &Self) {
        self.lanes.iter_mut().zip(&other.lanes).for_each(|(mine, theirs)| *mine += theirs);
    }

    /// Returns the number of lanes summed over all events of a kind, whether all possible lanes took part or not.
    fn of(&self, count: EventKind) -> u64 {
        let row = &self.lanes[count.block as usize * BLOCKS..][..BLOCKS];
        match count.after {
            Some(operation) => row[operation as usize],
            None => row.iter().sum(),
        }
    }
}

/// Returns the number of instructions executed by single lanes, for warps of `width` lanes with these counts; for
/// kernels whose lanes wait for each other (`sync=voted`).
pub fn thread_instructions(costs: &PricedKernel, tally: &EventCounts, lanes: &EventLanes, width: u32) -> f64 {
    let lanes = block_lanes(costs, tally, lanes, width);
    costs.blocks.iter().zip(lanes).map(|(cost, lanes)| f64::from(cost.instructions) * lanes).sum()
}

/// Returns for each basic block how often single lanes execute it, for warps of `width` lanes with these counts; for
/// kernels whose lanes wait for each other (`sync=voted`).
pub fn block_lanes(costs: &PricedKernel, tally: &EventCounts, lanes: &EventLanes, width: u32) -> Vec<f64> {
    let width = f64::from(width);
    let of = |(place, cost): (usize, &PricedBlock)| {
        let times = cost.issued.times(tally) as f64;
        let terms = &cost.issued.0;
        // "2*visit-visit!": where lanes that parted meet again. Each comes once.
        let parted =
            |count: EventKind| terms.iter().any(|(f, other)| *f == -1 && *other == EventKind { full: true, ..count });
        let mut found = 0.0;
        for &(factor, count) in terms {
            let pair = if count.full { factor == -1 } else { parted(count) };
            let factor = if pair && count.full { 0 } else { factor - i32::from(pair) };
            let events = tally.count(count) as f64;
            let elsewhere = cost.block.operation() != count.block.operation();
            let around = pair || (elsewhere && !is_inside(costs, place, count));
            let among = if around || count.full { width * events } else { lanes.of(count) as f64 };
            found += f64::from(factor) * among;
        }
        // Differences of counts may leave less than a lane, or more than a warp.
        found.clamp(times, times.max(width * times))
    };
    costs.blocks.iter().enumerate().map(of).collect()
}

/// Returns `true` if the basic block at index `place` lies between where lanes part for an event and where they meet
/// again, though its source line is another's. They meet at "2*event-event!", or, where lanes go on without waiting,
/// behind the last block of the event's own.
fn is_inside(costs: &PricedKernel, place: usize, event: EventKind) -> bool {
    let meets = |cost: &PricedBlock| {
        cost.issued.0.contains(&(-1, EventKind { full: true, ..event })) && cost.issued.0.contains(&(2, event))
    };
    let with_it = |cost: &PricedBlock| cost.issued.0 == [(1, event)];
    let own = |cost: &PricedBlock| with_it(cost) && cost.block.operation() == event.block.operation();
    let (before, after) = costs.blocks.split_at(place);
    let since = before.iter().rposition(meets).map_or(0, |met| met + 1);
    let goes_on = || !costs.blocks.iter().any(meets) && after.iter().any(own);
    with_it(&costs.blocks[place]) && before[since..].iter().any(with_it) && (after.iter().any(meets) || goes_on())
}

#[cfg(test)]
mod tests {
    use super::*;
    use raywarp_costs::{CountSource, Pipe};

    /// Returns counts of two visits, by one lane of four and by all, and of a pop by two lanes after the second.
    fn counted() -> (EventCounts, EventLanes) {
        let (mut tally, mut lanes) = (EventCounts::default(), EventLanes::default());
        for (block, active) in
            [(Block::Prologue, 15), (Block::VisitNode, 1), (Block::VisitNode, 15), (Block::Pop, 3), (Block::Vote, 15)]
        {
            let (after, _) = tally.add(block, active, 15);
            lanes.add(block, after, active);
        }
        (tally, lanes)
    }

    #[track_caller]
    fn check(block: Block, issued: &str, lane_count: f64) {
        check_all(&[(block, issued)], lane_count);
    }

    #[track_caller]
    fn check_all(blocks: &[(Block, &str)], lane_count: f64) {
        let (tally, lanes) = counted();
        let cost = |&(block, issued): &(Block, &str)| PricedBlock {
            block,
            offset: 0,
            instructions: 10,
            pipes: [0; Pipe::ALL.len()],
            alone: None,
            issued: issued.parse().unwrap(),
            source: CountSource::Measured,
        };
        let costs = PricedKernel { blocks: blocks.iter().map(cost).collect(), verified: true };
        assert_eq!(thread_instructions(&costs, &tally, &lanes, 4), 10.0 * lane_count, "{blocks:?}");
    }

    #[test]
    fn inside_an_operation_are_its_lanes_and_around_it_is_the_warp() {
        check(Block::VisitNode, "visit_node", 5.0);
        // Asking who pops, by everyone after each visit; then popping.
        check(Block::Pop, "visit_node", 8.0);
        check(Block::Pop, "pop@visit_node", 2.0);
        check(Block::Vote, "vote", 4.0);
        check(Block::VisitNode, "0", 0.0);
    }

    #[test]
    fn where_lanes_meet_again_each_comes_once() {
        check(Block::VisitNode, "2*visit_node-visit_node!", 8.0);
        check(Block::Pop, "pop@visit_node-pop@visit_node!+visit_node", 8.0);
    }

    #[test]
    fn what_stands_between_parting_and_meeting_has_the_lanes_that_parted() {
        let (ask, inside, meet) = (
            (Block::Iteration, "visit_node"),
            (Block::VisitNode, "visit_node"),
            (Block::Iteration, "2*visit_node-visit_node!"),
        );
        check_all(&[ask, inside, meet], 8.0 + 5.0 + 8.0);
        check_all(&[ask, ask, inside, ask, meet, ask], 8.0 + 5.0 + 5.0 + 5.0 + 8.0 + 8.0);
        check_all(&[ask, inside, ask], 8.0 + 5.0 + 8.0);
        // Where they go on without meeting, up to the last of the event's own.
        check_all(&[ask, ask, inside, ask], 8.0 + 5.0 + 5.0 + 8.0);
    }
}
