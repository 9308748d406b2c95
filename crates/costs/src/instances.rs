//! What walking two levels would add to a kernel's machine code. No kernel that is compiled enters instances, so this
//! is an estimate, and says so: its blocks are [`CountSource::Assumed`], and a kernel with them is not verified.
//!
//! | block | instructions | where from |
//! |---|---|---|
//! | `enter_instance` | [`ENTER`], and all of the kernel's `setup_ray` | compiled: `instances.cu`; the kernel's table |
//! | `leave_instance` | the kernel's `setup_ray`, and [`RELOAD`] | the kernel's table; two loads of 16 bytes |
//! | `test_triangle.place` | [`PLACE`] | compiled, as above |
//! | `loop` | [`ASK`] an iteration | a comparison and a jump for each of two questions |
//! | `pop`, `vote` | as after a visit, as after the loop's start | the kernel's table |

use crate::{Alone, CountSource, EventKind, IssueFormula, Pipe, PricedBlock, PricedKernel, Word};
use raywarp_family::{Block, Operation};

/// Instructions of straight-line code, by pipeline.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InstanceCode {
    /// Number of instructions by pipeline ([`Pipe`]).
    pub pipes: [u32; Pipe::ALL.len()],
    /// Number of times that a warp alone waits for a load from the first cache.
    pub loads: i32,
}

/// What entering takes before boxes can be prepared: seven loads of 16 bytes, 18 products whose sums are fused with
/// them for origin and direction, and how far boxes grow. Then, not in `instances.cu`, three sums that add the growth
/// to what boxes grow by anyway, and the mark's address and store.
///
/// For compute capability 9.0 by the compiler of the kernels that are embedded; 7.5 to 12.0 have the same number but
/// for one.
pub const ENTER: InstanceCode = InstanceCode { pipes: [12 + 1, 28 + 3, 1, 2, 0, 0, 7 + 1, 1, 0, 0, 0, 0], loads: 1 };

/// What placing the corners of a triangle takes: three loads, and by the rule of flattening 27 products and 27 sums,
/// none fused. Compiled as [`ENTER`]; architectures differ by up to 3.
pub const PLACE: InstanceCode = InstanceCode { pipes: [1, 54, 1, 0, 0, 0, 3, 1, 0, 0, 0, 0], loads: 1 };

/// What reading the ray again takes: its address, and two loads.
const RELOAD: InstanceCode = InstanceCode { pipes: [0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 0, 0], loads: 1 };

/// What each iteration of the main loop asks: whether lanes leave, and whether they enter.
const ASK: InstanceCode = InstanceCode { pipes: [2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0], loads: 0 };

/// Clocks that a warp alone takes for an instruction, as `setup_ray` takes on an H200: 88 for 47, 97 for 51.
const CLOCKS: i32 = 2;

impl InstanceCode {
    /// Returns the number of instructions.
    pub fn instructions(&self) -> u32 {
        self.pipes.iter().sum()
    }

    fn block(&self, block: Block, event: Block) -> PricedBlock {
        let mut alone = Alone { clocks: CLOCKS * self.instructions() as i32, ..Alone::default() };
        alone.waits[0] = self.loads;
        PricedBlock {
            block,
            offset: 0,
            instructions: self.instructions(),
            pipes: self.pipes,
            alone: Some(alone),
            issued: once(EventKind { block: event, after: None, full: false }),
            source: CountSource::Assumed,
        }
    }
}

fn once(event: EventKind) -> IssueFormula {
    IssueFormula(vec![(1, event)])
}

impl PricedKernel {
    /// Returns the costs that this kernel, of one level, would have if it walked two: those that it has, and an
    /// estimate of what it would do besides (docs/internals/costs.md, "Two levels"). Blocks that are not in the machine
    /// code stand behind its end.
    #[must_use]
    pub fn with_instances(&self) -> Self {
        let mut more = vec![
            ENTER.block(Block::EnterInstance, Block::EnterInstance),
            RELOAD.block(Block::LeaveInstance, Block::LeaveInstance),
            PLACE.block(Block::TestTrianglePlace, Block::TestTrianglePlace),
            ASK.block(Block::Iteration, Block::Iteration),
        ];
        let event = |block, after| EventKind { block, after, full: false };
        let setup = once(event(Block::SetupRay, None));
        let pop = once(event(Block::Pop, Some(Operation::VisitNode)));
        let vote = event(Block::Vote, Some(Operation::Loop));
        for block in &self.blocks {
            let mut like = |owner, issued| {
                more.push(PricedBlock {
                    block: owner,
                    issued: once(issued),
                    source: CountSource::Assumed,
                    ..block.clone()
                });
            };
            if block.issued == setup {
                like(Block::EnterInstance, event(Block::EnterInstance, None));
                like(Block::LeaveInstance, event(Block::LeaveInstance, None));
            } else if block.issued == pop {
                like(Block::Pop, event(Block::Pop, Some(Operation::LeaveInstance)));
            } else if block.issued.0.contains(&(1, vote)) {
                like(block.block, event(Block::Vote, Some(Operation::EnterInstance)));
            }
        }
        let mut end = self.blocks.iter().map(|block| block.offset + block.instructions * Word::BYTES as u32).max();
        for block in &mut more {
            let offset = end.unwrap_or(0);
            (block.offset, end) = (offset, Some(offset + block.instructions * Word::BYTES as u32));
        }
        let blocks = self.blocks.iter().cloned().chain(more).collect();
        Self { blocks, verified: false }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::EventCounts;

    /// A kernel whose setup takes 100 instructions, a visit 60, a pop 5 and the first vote of an iteration 3.
    fn kernel() -> PricedKernel {
        let cost = |block, instructions, issued: &str| PricedBlock {
            block,
            offset: 0,
            instructions,
            pipes: [instructions, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            alone: Some(Alone { clocks: 2 * instructions as i32, ..Alone::default() }),
            issued: issued.parse().unwrap(),
            source: CountSource::Likened,
        };
        let blocks = vec![
            cost(Block::SetupRay, 100, "setup_ray"),
            cost(Block::SetupRay, 999, "0"),
            cost(Block::VisitNode, 60, "visit_node"),
            cost(Block::Pop, 5, "pop@visit_node"),
            cost(Block::Vote, 3, "vote@loop+test_triangle"),
        ];
        PricedKernel { blocks, verified: true }
    }

    fn tally(events: &[Block]) -> EventCounts {
        let mut tally = EventCounts::default();
        for &block in events {
            tally.add(block, 1, 1);
        }
        tally
    }

    #[test]
    fn what_one_level_does_costs_what_it_did_but_for_two_questions_an_iteration() {
        let events = [Block::SetupRay, Block::Iteration, Block::Vote, Block::VisitNode, Block::Pop, Block::Iteration];
        let (flat, two, tally) = (kernel(), kernel().with_instances(), tally(&events));
        assert_eq!(flat.issued(&tally), 100 + 3 + 60 + 5);
        assert_eq!(two.issued(&tally), flat.issued(&tally) + 2 * 4);
        assert!(!two.verified && two.blocks[..flat.blocks.len()] == flat.blocks[..]);
    }

    #[test]
    fn entering_prepares_the_ray_once_more_and_leaving_does_so_again() {
        let two = kernel().with_instances();
        let cost = |events: &[Block]| two.issued(&tally(events));
        let enter = [Block::EnterInstance];
        assert_eq!(cost(&enter), 56 + 100);
        assert_eq!(cost(&[Block::LeaveInstance]), 3 + 100);
        assert_eq!(cost(&[Block::LeaveInstance, Block::Pop]), 3 + 100 + 5);
        assert_eq!(cost(&[Block::EnterInstance, Block::Vote]), 56 + 100 + 3);
        assert_eq!(cost(&[Block::TestTrianglePlace]), 60);
        let pipes = two.issued_by_pipe(&tally(&enter));
        assert_eq!((pipes[Pipe::Fma as usize], pipes[Pipe::Lsu as usize]), (31, 8));
        assert_eq!(two.alone(&tally(&enter)).unwrap().waits[0], 1);
    }

    #[test]
    fn what_is_added_lies_behind_the_code_and_is_assumed() {
        let (flat, two) = (kernel(), kernel().with_instances());
        let end = flat.blocks.iter().map(|block| block.place().end).max().unwrap();
        let mut next = end;
        for block in &two.blocks[flat.blocks.len()..] {
            assert_eq!((block.place().start, block.source), (next, CountSource::Assumed));
            next = block.place().end;
            assert_eq!(block.instructions, block.pipes.iter().sum::<u32>());
        }
        assert!(next > end);
    }
}
